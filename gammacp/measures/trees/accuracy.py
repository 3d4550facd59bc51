"""Accuracies without a correction for chance, pairwise and weighted by length (eq. 3).

LAS_p = Σ_i |x_i1| · mean LAS over the annotator pairs of sentence i / Σ_i |x_i1|. Sentences whose
annotations differ in their number of tokens are left out and counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.arrays import Floats, Indices
from gammacp.errors import DataError
from gammacp.measures.contributions import Contributions
from gammacp.measures.trees.annotations import (
    Bracketing,
    Dependencies,
    Item,
    Phrase,
    Sentence,
    Treebank,
)

SCORES = {"dependency": ("las", "uas", "label"), "phrase": ("jaccard", "f1")}
_PAIRS_AT_ONCE = 4096


def attachment_scores(a: Dependencies, b: Dependencies) -> tuple[float, float, float]:
    """LAS, UAS and label accuracy: the share of tokens with the same head and label, head, label.

    Parameters
    ----------
    a, b
        Annotations with the same number of tokens.

    Raises
    ------
    DataError
        Their numbers of tokens differ.

    >>> one, two = Dependencies((2, 0), ("s", "r")), Dependencies((2, 0), ("o", "r"))
    >>> attachment_scores(one, two)
    (0.5, 1.0, 0.5)
    """
    if a.n_tokens != b.n_tokens:
        raise DataError(f"{a.n_tokens} and {b.n_tokens} tokens have no attachments in common")
    heads = [x == y for x, y in zip(a.heads, b.heads, strict=True)]
    labels = [x == y for x, y in zip(a.relations, b.relations, strict=True)]
    both = [x and y for x, y in zip(heads, labels, strict=True)]
    return sum(both) / len(both), sum(heads) / len(heads), sum(labels) / len(labels)


def bracketing_scores(a: Phrase, b: Phrase) -> tuple[float, float]:
    """Jaccard similarity and F₁ of the sets of labelled bracketings, leaves included.

    >>> a = Phrase(("S", (("NP", ()), ("VP", (("V", ()), ("NP", ()))))))
    >>> b = Phrase(("S", (("NP", ()), ("V", ()), ("NP", ()))))
    >>> bracketing_scores(a, b)[0]
    0.8
    """
    return _shares(a.bracketings, b.bracketings)


def _shares(x: frozenset[Bracketing], y: frozenset[Bracketing]) -> tuple[float, float]:
    common = len(x & y)
    return common / len(x | y), 2 * common / (len(x) + len(y))


@dataclass(frozen=True)
class Accuracies:
    """Scores per sentence, and what they weigh.

    Attributes
    ----------
    names
        Of the scores.
    values
        Mean over the annotator pairs of each sentence: shape (scores, sentences); NaN where the
        sentence is left out.
    lengths
        Tokens of each sentence, as its first annotator has them.
    """

    names: tuple[str, ...]
    values: Floats
    lengths: Floats

    @property
    def ignored(self) -> int:
        """Number of sentences with differing token counts."""
        return int(np.isnan(self.values[0]).sum())

    def parts(self) -> dict[str, Contributions]:
        """By score, the wrong tokens of each compared sentence, and all of its tokens."""
        compared = ~np.isnan(self.values[0])
        lengths = self.lengths[compared]
        return {
            name: Contributions(lengths * (1 - values[compared]), lengths, "sentences")
            for name, values in zip(self.names, self.values, strict=True)
        }

    def mean(self) -> dict[str, float]:
        """The scores over all sentences (eq. 3); NaN if none is left."""
        return {n: part.gamma if len(part) else float("nan") for n, part in self.parts().items()}


def accuracies(treebank: Treebank, annotators: tuple[str, ...] | None = None) -> Accuracies:
    """Scores of all sentences, or of those that at least two of `annotators` annotated.

    Parameters
    ----------
    treebank
        Dependency or phrase structure trees.
    annotators
        Whose annotations count; default everybody's.

    Raises
    ------
    DataError
        These are graphs.
    """
    treebank.require_trees("accuracies of trees")
    names = SCORES[treebank.kind]
    chosen = treebank.annotators if annotators is None else annotators
    kept = [
        Item(item.document, item.name, {a: s for a, s in item.annotations.items() if a in chosen})
        for item in treebank.shared
    ]
    kept = [item for item in kept if len(item.annotations) >= 2]
    values = np.array([_mean_over_pairs(item, len(names)) for item in kept], np.float64)
    return Accuracies(
        names,
        values.reshape(len(kept), len(names)).T,
        np.array([item.n_tokens for item in kept], np.float64),
    )


def _mean_over_pairs(item: Item, n_scores: int) -> tuple[float, ...]:
    if not item.same_length:
        return (float("nan"),) * n_scores
    scores: list[tuple[float, ...]] = [attachment_scores(*p) for p in item.pairs(Dependencies)]
    scores += [bracketing_scores(*p) for p in item.pairs(Phrase)]
    return tuple(sum(column) / len(scores) for column in zip(*scores, strict=True))


def disagreements(sentences: Sequence[Sentence], first: Indices, second: Indices) -> Floats:
    """1 − accuracy between annotations of unlike sentences: shape (scores, pairs).

    Tokens are compared by their places: of unequal lengths the first half of the shorter sentence
    stands beside the beginning of the longer one, the second half beside its end. The shorter one's
    tokens, or the bracketings of both, are what the share is of.

    Parameters
    ----------
    sentences
        Dependencies or phrase structures.
    first, second
        Which of them are compared, shape (pairs,).
    """
    dependencies = [s for s in sentences if isinstance(s, Dependencies)]
    if dependencies:
        blocks = _attachment_errors(dependencies, first, second)
        return np.concatenate(list(blocks), axis=1)
    phrases = [s for s in sentences if isinstance(s, Phrase)]
    rows = (_placed(phrases[x], phrases[y]) for x, y in zip(first, second, strict=True))
    return 1 - np.array([_shares(x, y) for x, y in rows]).reshape(-1, 2).T


def _attachment_errors(
    sentences: Sequence[Dependencies], first: Indices, second: Indices
) -> Iterator[Floats]:
    """1 − LAS, UAS and label accuracy, some pairs at a time."""
    heads = np.array([h for s in sentences for h in s.heads], np.int64)
    code: dict[str, int] = {}
    labels = np.array([code.setdefault(x, len(code)) for s in sentences for x in s.relations])
    counts = np.array([s.n_tokens for s in sentences], np.int64)
    starts = np.cumsum(counts) - counts
    for low in range(0, len(first), _PAIRS_AT_ONCE):
        x, y = first[low : low + _PAIRS_AT_ONCE], second[low : low + _PAIRS_AT_ONCE]
        short, long = np.where(counts[x] <= counts[y], (x, y), (y, x))
        n = counts[short]
        begins = np.cumsum(n) - n
        token = np.arange(n.sum()) - np.repeat(begins, n)
        half, later = np.repeat(n, n) // 2, np.repeat(counts[long] - n, n)
        here = np.repeat(starts[short], n) + token
        there = np.repeat(starts[long], n) + token + later * (token >= half)
        # Heads count from 1, and 0 is the root of either.
        head = heads[here] + later * (heads[here] > half)
        same_head, same_label = head == heads[there], labels[here] == labels[there]
        right = np.stack([same_head & same_label, same_head, same_label])
        yield 1 - np.add.reduceat(right, begins, axis=1, dtype=np.float64) / n


def _placed(a: Phrase, b: Phrase) -> tuple[frozenset[Bracketing], frozenset[Bracketing]]:
    """The bracketings of both, those of the shorter one by the leaves of the longer one."""
    short, long = sorted((a, b), key=lambda s: s.n_tokens)
    half, later = short.n_tokens // 2, long.n_tokens - short.n_tokens
    moved = (
        (label, first + later * (first > half), last + later * (last > half))
        for label, first, last in short.bracketings
    )
    return frozenset(moved), long.bracketings
