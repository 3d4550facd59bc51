"""CorefUD scores, with mentions matched by head, partially or exactly, and zeros by dependencies.

The scores follow corefud-scorer 1.2, the scorer of the CRAC shared tasks (Žabokrtský et al. 2022).
A mention is a set of words and empty nodes with a head. A *zero* is a mention whose head is an
empty node. Mentions match in one of three ways:

- *Exact*: both have the same words.
- *Partial*: the words of the response are words of the key and include its head.
- *Head*: both have the same head. Among several candidates, the share of the key's words in common
  decides.

Zeros are matched first, within sentences, by the largest sum of F₁ of the dependencies of their
heads: ten times the F₁ of parents with relations, plus the F₁ of parents alone. Then mentions with
the same words are matched, and finally the others by the largest sum of shares of words.

Scores are those of `gammacp.links.measures.coreference` on matched mentions, counts summed over
documents. *Mentions* counts the matched mentions. *MOR* (mention overlap ratio) is the share of
common words under the best matching. *Zeros* counts the zeros with an antecedent that the other
annotator has for them as well (anaphor-decomposable score).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment

from gammacp.base.arguments import one_of
from gammacp.links.measures.coreference import (
    ChainOverlaps,
    Retrieved,
    counts_of_retrieved,
    retrieval_rates,
    retrieved,
)

MATCHES = ("head", "partial", "exact")
ZEROS = ("dependent", "linear")
SCORES = ("mentions", "muc", "b-cubed", "ceaf-m", "ceaf-e", "blanc", "lea", "conll-average")
COUNTED = ("mor", "zeros")
# Sentence, word, and number of the empty node after the word (0 for the word itself).
Node: TypeAlias = tuple[int, int, int]


class Mention(NamedTuple):
    """A mention: its words and its head.

    Attributes
    ----------
    words
        Words in their order.
    head
        Head, which is one of the words.
    dependencies
        Parents and relations of the head, if it is an empty node.
    """

    words: tuple[Node, ...]
    head: Node
    dependencies: frozenset[tuple[Node, str]] = frozenset()

    @property
    def zero(self) -> bool:
        """Return whether the head is an empty node."""
        return self.head[2] > 0


class CorefDocument(NamedTuple):
    """The chains of one annotator.

    Attributes
    ----------
    lengths
        Number of words of each sentence.
    chains
        The mentions of each entity, in the order of their first words.
    headed
        Whether the file marks the heads; otherwise the first words are used.
    """

    lengths: tuple[int, ...]
    chains: tuple[tuple[Mention, ...], ...]
    headed: bool = True


@dataclass(frozen=True)
class ScoredMentions:
    """The mentions of one annotator that are scored, and the chain of each.

    Attributes
    ----------
    mentions
        Mentions in their order.
    chains
        Number of the chain of each mention.
    twice
        Number of mentions that are left out because an earlier chain contains them.
    """

    mentions: tuple[Mention, ...]
    chains: tuple[int, ...]
    twice: int = 0

    @classmethod
    def of(cls, document: CorefDocument, match: str, *, singletons: bool) -> ScoredMentions:
        """Return the mentions to score; a mention in two chains belongs to the first.

        Parameters
        ----------
        document
            Document with the chains of the annotator.
        match
            Way to match. With "head", mentions of the same words but different heads are distinct.
        singletons
            Whether to score chains of a single mention.
        """
        mention_by_key: dict[Any, tuple[Mention, int]] = {}
        twice = 0
        for number, chain in enumerate(document.chains):
            own_mentions = {_identity(mention, match): mention for mention in reversed(chain)}
            if len(own_mentions) < 2 and not singletons:
                continue
            for key, mention in own_mentions.items():
                if key in mention_by_key:
                    twice += 1
                else:
                    mention_by_key[key] = mention, number
        ordered = sorted(mention_by_key.values(), key=lambda one: _order(one[0]))
        mentions = tuple(mention for mention, _ in ordered)
        return cls(mentions, tuple(number for _, number in ordered), twice)


def _identity(mention: Mention, match: str) -> Any:
    if match == "head":
        return mention.words, mention.head
    return mention.words


def _order(mention: Mention) -> tuple[Node, Node, int]:
    return mention.words[0], mention.words[-1], len(mention.words)


def matching(
    key: ScoredMentions, response: ScoredMentions, match: str, zeros: str = "dependent"
) -> dict[int, int]:
    """Match mentions one to one; return the indices of response mentions by those of the key.

    Parameters
    ----------
    key, response
        Mentions of two annotators.
    match
        "head", "partial" or "exact".
    zeros
        "dependent": match zeros by the dependencies of their heads; "linear": match them like other
        mentions.
    """
    one_of("match", match, MATCHES)
    one_of("zeros", zeros, ZEROS)
    partners: dict[int, int] = {}
    if zeros == "dependent":
        rows, columns = (
            [k for k, m in enumerate(side.mentions) if m.zero] for side in (key, response)
        )
        partners |= _assigned(key, response, rows, columns, _dependency_share)
    matched_responses = set(partners.values())
    places = {
        _identity(m, match): j
        for j, m in enumerate(response.mentions)
        if j not in matched_responses
    }
    for i, mention in enumerate(key.mentions):
        if i not in partners and _identity(mention, match) in places:
            partners[i] = places[_identity(mention, match)]
    if match == "exact":
        return partners
    matched_responses = set(partners.values())
    rest = [i for i in range(len(key.mentions)) if i not in partners]
    others = [j for j in range(len(response.mentions)) if j not in matched_responses]
    if match == "head":
        share = _head_share
    else:
        share = _part_share
    return partners | _assigned(key, response, rest, others, share)


def _assigned(
    key: ScoredMentions,
    response: ScoredMentions,
    rows: Sequence[int],
    columns: Sequence[int],
    share: Callable[[Mention, Mention], float],
) -> dict[int, int]:
    """Return the one-to-one matching of rows and columns with the largest sum of shares."""
    if not rows or not columns:
        return {}
    by_sentence: dict[int, set[int]] = {}
    for c, j in enumerate(columns):
        for node in {response.mentions[j].head, *response.mentions[j].words}:
            by_sentence.setdefault(node[0], set()).add(c)
    table = np.zeros((len(rows), len(columns)))
    for r, i in enumerate(rows):
        mention = key.mentions[i]
        near = {c for node in mention.words for c in by_sentence.get(node[0], ())}
        for c in near:
            table[r, c] = share(mention, response.mentions[columns[c]])
    assigned = zip(*linear_sum_assignment(-table), strict=True)
    return {rows[int(r)]: columns[int(c)] for r, c in assigned if table[r, c] > 0}


def _common(a: Mention, b: Mention) -> int:
    return len(set(a.words) & set(b.words))


def _head_share(key: Mention, response: Mention) -> float:
    if key.head != response.head:
        return 0.0
    return _common(key, response) / len(key.words)


def _part_share(key: Mention, response: Mention) -> float:
    words = set(response.words)
    if key.head in words and words <= set(key.words):
        return len(words) / len(key.words)
    return 0.0


def _dependency_share(key: Mention, response: Mention) -> float:
    if key.head[0] != response.head[0]:
        return 0.0
    parents = [{parent for parent, _ in m.dependencies} for m in (key, response)]
    return 10 * _f1(key.dependencies, response.dependencies) + _f1(*parents)


def _f1(a: Any, b: Any) -> float:
    if not a or not b:
        return 0.0
    return 2 * len(a & b) / (len(a) + len(b))


def overlaps_of(
    key: ScoredMentions, response: ScoredMentions, matched: Mapping[int, int]
) -> ChainOverlaps:
    """Return the overlaps of the chains of two annotators.

    Parameters
    ----------
    key, response, matched
        Arguments as for `matching`, and its result.
    """
    _, of_key, sizes = np.unique(key.chains, return_inverse=True, return_counts=True)
    _, of_response, others = np.unique(response.chains, return_inverse=True, return_counts=True)
    pairs = np.array([[of_key[i], of_response[j]] for i, j in matched.items()], np.int64)
    met, shared = np.unique(pairs.reshape(-1, 2), axis=0, return_counts=True)
    return ChainOverlaps(
        sizes.astype(np.float64),
        others.astype(np.float64),
        met[:, 0],
        met[:, 1],
        shared.astype(np.float64),
    )


def mention_overlap(key: ScoredMentions, response: ScoredMentions) -> Retrieved:
    """Count common words of mentions, under the one-to-one matching that maximises them.

    Parameters
    ----------
    key, response
        Mentions of two annotators.
    """
    wholes = [float(sum(len(m.words) for m in side.mentions)) for side in (key, response)]
    rows = range(len(key.mentions))
    columns = range(len(response.mentions))
    matched = _assigned(key, response, rows, columns, lambda a, b: float(_common(a, b)))
    common = float(sum(_common(key.mentions[i], response.mentions[j]) for i, j in matched.items()))
    return Retrieved(common, wholes[0], common, wholes[1])


def zero_anaphors(
    key: ScoredMentions, response: ScoredMentions, matched: Mapping[int, int], match: str
) -> Retrieved:
    """Count zeros with an antecedent that the other annotator has in the same chain as well.

    Parameters
    ----------
    key, response, matched, match
        Arguments as for `matching`, and its result. An identical mention of the other annotator
        takes precedence over the matched one.
    """
    same = {_identity(m, match): j for j, m in enumerate(response.mentions)}
    firsts = _first_of_each_chain(response)
    counterpart = {
        i: same.get(_identity(m, match), matched.get(i, -1)) for i, m in enumerate(key.mentions)
    }
    right = missing = wrong = 0
    covered = set()
    earlier: dict[int, set[int]] = {}
    for i, mention in enumerate(key.mentions):
        j = counterpart[i]
        chain = key.chains[i]
        if chain in earlier and mention.zero:
            if j < 0 or j in firsts:
                missing += 1
            elif response.chains[j] in earlier[chain]:
                right += 1
            else:
                wrong += 1
            covered.add(j)
        before = earlier.setdefault(chain, set())
        if j >= 0:
            before.add(response.chains[j])
    added = sum(
        m.zero and j not in firsts and j not in covered for j, m in enumerate(response.mentions)
    )
    return Retrieved(right, right + missing + wrong, right, right + added + wrong)


def _first_of_each_chain(side: ScoredMentions) -> set[int]:
    firsts: dict[int, int] = {}
    for place, chain in enumerate(side.chains):
        firsts.setdefault(chain, place)
    return set(firsts.values())


def corefud_scores(
    documents: Mapping[str, Mapping[str, CorefDocument]],
    *,
    match: str = "head",
    singletons: bool = False,
    zeros: str = "dependent",
) -> list[dict[str, Any]]:
    """Return the scores of each pair of annotators, counts summed over documents.

    Parameters
    ----------
    documents
        Documents by name and annotator.
    match, zeros
        Arguments as for `matching`.
    singletons
        Whether chains of one mention count.

    Returns
    -------
    list
        Rows with `annotators` (the first is the key), `match`, `singletons`, recall, precision and
        F₁ of each of `SCORES` and `COUNTED`, `documents` (number compared), `other_sentences`
        (number not compared because their sentences differ), `no_heads`, and `twice` (number of
        mentions in two chains, which are scored in the first).
    """
    sums: dict[tuple[str, str], dict[str, Any]] = {}
    for by_annotator in documents.values():
        for (one, a), (other, b) in combinations(by_annotator.items(), 2):
            row = sums.setdefault((one, other), _nothing())
            if a.lengths != b.lengths:
                row["other_sentences"] += 1
                continue
            row["documents"] += 1
            row["no_heads"] += not (a.headed and b.headed)
            key = ScoredMentions.of(a, match, singletons=singletons)
            response = ScoredMentions.of(b, match, singletons=singletons)
            row["twice"] += key.twice + response.twice
            for name, parts in _counted(key, response, match, zeros).items():
                row["counts"].setdefault(name, []).append(parts)
    rows = []
    for pair, row in sums.items():
        counts = row.pop("counts")
        rates = {name: _rates(name, documents) for name, documents in counts.items()}
        rows.append(
            {"annotators": [*pair], "match": match, "singletons": singletons, **row, **rates}
        )
    return rows


def _nothing() -> dict[str, Any]:
    return {"documents": 0, "other_sentences": 0, "no_heads": 0, "twice": 0, "counts": {}}


def _counted(
    key: ScoredMentions, response: ScoredMentions, match: str, zeros: str
) -> dict[str, list[Retrieved]]:
    """Count all scores of one document."""
    matched = matching(key, response, match, zeros)
    overlaps = overlaps_of(key, response, matched)
    counts = {name: retrieved(name, overlaps) for name in SCORES[1:]}
    sizes = [float(len(side.mentions)) for side in (key, response)]
    same = float(len(matched))
    counts["mentions"] = [Retrieved(same, sizes[0], same, sizes[1])]
    counts["mor"] = [mention_overlap(key, response)]
    counts["zeros"] = [zero_anaphors(key, response, matched, match)]
    return counts


def _rates(name: str, documents: Sequence[Sequence[Retrieved]]) -> dict[str, float]:
    """Return recall, precision and F₁ of counts summed over documents."""
    table = np.array([[[*part] for part in parts] for parts in documents], np.float64).sum(axis=0)
    sums = [Retrieved(*part) for part in table.tolist()]
    numbers = counts_of_retrieved(name, {("key", "response"): sums}).numbers
    rates = retrieval_rates(numbers, every=name != "blanc")
    assert rates.recall is not None
    assert rates.precision is not None
    values = rates.recall, rates.precision, rates.value
    return {
        rate: float(value[0])
        for rate, value in zip(("recall", "precision", "f1"), values, strict=True)
    }
