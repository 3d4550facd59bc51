"""Where dependency annotators differ: by relation, by what is confused, by length and distance.

All pairs of annotators of a sentence with equally many tokens are compared token by token; a
sentence counts once, however many annotators it has.

A relation's coefficient is Scott's π of one category against all others: 1 − D_o/D_e with D_o the
share of tokens to which one of the two gives it and D_e = 2·q(1 − q), q the share of all choices
that are it. That of its heads is π of the place of the head (how many
tokens to the right, or the root) among the tokens to which either gives the relation, D_e being
that of two places drawn from these tokens. So 0 is what two people give who choose with the same
frequencies and nothing else.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from gammacp.chance.beyond import ratio
from gammacp.errors import UsageError
from gammacp.measures.trees.annotations import Dependencies, Treebank

# Upper ends of the rows by length and by distance.
_LENGTHS, _DISTANCES = (5, 10, 20, 40), (1, 2, 5, 10)


class Choice(NamedTuple):
    """What two annotators make of a token, and what it weighs: 1 over the pairs of its sentence."""

    heads: tuple[int, int]
    relations: tuple[str, str]
    upos: str
    length: int
    weight: float

    @property
    def distance(self) -> str:
        """How far off the head is for the first annotator who does not take it for the root."""
        far = [abs(place) for place in self.heads if place]
        return _band(far[0], _DISTANCES) if far else "root"


@dataclass(frozen=True)
class Breakdown:
    """Records with the keys of JSON, the most frequent first.

    Attributes
    ----------
    relations
        Of each relation: tokens that either gives it, how often each of the two, and π of the
        label and of the head.
    confusions
        Pairs of relations given to one token, and how often.
    by
        LAS, UAS and label accuracy of tokens by length of the sentence, by distance of the head,
        and by part of speech, where there are any.
    left_out
        Sentences of which annotators have unequal numbers of tokens.
    """

    relations: tuple[Mapping[str, Any], ...]
    confusions: tuple[Mapping[str, Any], ...]
    by: Mapping[str, tuple[Mapping[str, Any], ...]]
    left_out: int

    def as_dict(self) -> dict[str, Any]:
        """The breakdown as JSON."""
        return dict(vars(self))


def breakdown(treebank: Treebank) -> Breakdown:
    """Where the annotators of a treebank differ.

    Parameters
    ----------
    treebank
        Dependencies.

    Raises
    ------
    UsageError
        It is of phrase structures.

    >>> one, two = Dependencies((2, 0), ("s", "r")), Dependencies((2, 0), ("o", "r"))
    >>> found = breakdown(Treebank.from_annotations({"Ann": [one, one], "Ben": [one, two]}))
    >>> found.relations[0]["relation"], found.relations[0]["label"], found.confusions[0]["count"]
    ('r', 1.0, 1.0)
    """
    if treebank.kind != "dependency":
        raise UsageError("a breakdown by relations is of dependencies")
    choices = list(_choices(treebank))
    grouped = {
        "length": _accuracies((c, _band(c.length, _LENGTHS)) for c in choices),
        "distance": _accuracies((c, c.distance) for c in choices),
        "upos": _accuracies((c, c.upos) for c in choices if c.upos),
    }
    confused: defaultdict[tuple[str, str], float] = defaultdict(float)
    for c in choices:
        if c.relations[0] != c.relations[1]:
            confused[min(c.relations), max(c.relations)] += c.weight
    pairs = sorted(confused.items(), key=lambda row: -row[1])
    confusions = tuple({"relations": pair, "count": count} for pair, count in pairs)
    left_out = sum(not item.same_length for item in treebank.shared)
    return Breakdown(tuple(_relations(choices)), confusions, grouped, left_out)


def _choices(treebank: Treebank) -> Iterable[Choice]:
    for item in treebank.shared:
        pairs = item.pairs(Dependencies) if item.same_length else []
        for a, b in pairs:
            for t in range(a.n_tokens):
                yield Choice(
                    (_place(a, t), _place(b, t)),
                    (a.relations[t], b.relations[t]),
                    a.upos[t] if a.upos else "",
                    a.n_tokens,
                    1 / len(pairs),
                )


def _place(sentence: Dependencies, token: int) -> int:
    """How many tokens to the right the head is; 0 for the root, which no token is to itself."""
    head = sentence.heads[token]
    return head - token - 1 if head else 0


def _relations(choices: Iterable[Choice]) -> Iterable[dict[str, Any]]:
    total = 0.0
    given: defaultdict[str, float] = defaultdict(float)
    apart: defaultdict[str, float] = defaultdict(float)
    heads: defaultdict[str, list[Choice]] = defaultdict(list)
    for c in choices:
        total += c.weight
        for relation in c.relations:
            given[relation] += c.weight
        for relation in set(c.relations):
            heads[relation].append(c)
            if c.relations[0] != c.relations[1]:
                apart[relation] += c.weight
    for relation, times in sorted(given.items(), key=lambda row: -row[1]):
        share = times / (2 * total)
        label, _ = ratio(apart[relation] / total, 2 * share * (1 - share), "")
        tokens = sum(c.weight for c in heads[relation])
        yield {
            "relation": relation,
            "tokens": tokens,
            "agreed": tokens - apart[relation],
            "label": label,
            "head": _of_heads(heads[relation], tokens),
        }


def _of_heads(choices: Iterable[Choice], tokens: float) -> float:
    places: defaultdict[int, float] = defaultdict(float)
    apart = 0.0
    for c in choices:
        for place in c.heads:
            places[place] += c.weight
        apart += c.weight * (c.heads[0] != c.heads[1])
    alike = sum((times / (2 * tokens)) ** 2 for times in places.values())
    return ratio(apart / tokens, 1 - alike if len(places) > 1 else 0.0, "")[0]


def _accuracies(choices: Iterable[tuple[Choice, str]]) -> tuple[dict[str, Any], ...]:
    sums: defaultdict[str, list[float]] = defaultdict(lambda: [0.0] * 4)
    for c, group in choices:
        head, label = c.heads[0] == c.heads[1], c.relations[0] == c.relations[1]
        for k, right in enumerate((True, head and label, head, label)):
            sums[group][k] += c.weight * right
    rows = sorted(sums.items(), key=lambda row: -row[1][0])
    return tuple(
        {"group": group, "tokens": n, "las": both / n, "uas": head / n, "label": label / n}
        for group, (n, both, head, label) in rows
    )


def _band(value: int, ends: tuple[int, ...]) -> str:
    low = 1
    for end in ends:
        if value <= end:
            return str(end) if low == end else f"{low}–{end}"
        low = end + 1
    return f"{low}+"
