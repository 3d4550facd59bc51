"""Differences of dependency annotators by relation, confusion, length and distance.

All pairs of annotators of a sentence are compared token by token, if their numbers of tokens are
equal. A sentence has weight 1, however many annotators it has.

The coefficient of a relation's label is Scott's π of this category against all others: 1 − D_o/D_e.
D_o is the share of tokens to which exactly one of the two annotators gives the relation. D_e is
2·q(1 − q), where q is the share of this relation among all choices. The coefficient of its heads is
π of the place of the head, which is the number of tokens to the right, or the root. It is computed
over the tokens to which either annotator gives the relation; D_e is that of two places drawn from
these tokens. So 0 is the value of two annotators who choose independently with the same
frequencies.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from gammacp.chance.beyond import ratio
from gammacp.errors import UsageError
from gammacp.trees.measures.annotations import Dependencies, Treebank

# Upper ends of the classes of sentence length and of head distance.
_LENGTHS = (5, 10, 20, 40)
_DISTANCES = (1, 2, 5, 10)


class TokenPair(NamedTuple):
    """Choices of two annotators for a token; the weights of all pairs of a sentence sum to 1."""

    heads: tuple[int, int]
    relations: tuple[str, str]
    upos: str
    length: int
    weight: float

    @property
    def distance(self) -> str:
        """Return the distance of the head for the first annotator who does not choose the root."""
        far = [abs(place) for place in self.heads if place]
        if far:
            return _band(far[0], _DISTANCES)
        return "root"

    @property
    def same_head(self) -> bool:
        """Return whether the two agree on the head."""
        return self.heads[0] == self.heads[1]

    @property
    def same_label(self) -> bool:
        """Return whether the two agree on the relation."""
        return self.relations[0] == self.relations[1]


def breakdown(treebank: Treebank) -> dict[str, Any]:
    """Return where the annotators of a treebank differ as JSON, the most frequent first.

    Parameters
    ----------
    treebank
        Dependencies.

    Returns
    -------
    `relations`: for each relation, the number of tokens to which either annotator gives it, the
    number to which both do, and π of the label and of the head. `confusions`: pairs of relations
    given to one token, with their frequency. `by`: LAS, UAS and label accuracy of tokens by
    sentence length, distance of the head and, where available, part of speech. `left_out`: number
    of sentences whose annotators have different numbers of tokens.

    Raises
    ------
    UsageError
        The treebank does not consist of dependency trees.

    >>> one, two = Dependencies((2, 0), ("s", "r")), Dependencies((2, 0), ("o", "r"))
    >>> found = breakdown(Treebank.from_annotations({"Ann": [one, one], "Ben": [one, two]}))
    >>> found["relations"][0]["relation"], found["relations"][0]["label"]
    ('r', 1.0)
    """
    if treebank.kind != "dependency":
        raise UsageError("a breakdown by relations needs dependency trees")
    choices = list(_choices(treebank))
    confused = _grouped((c, tuple(sorted(c.relations))) for c in choices if not c.same_label)
    confusions = [
        {"relations": pair, "count": _weight(choices_of_pair)}
        for pair, choices_of_pair in confused.items()
    ]
    return {
        "relations": _most_first(_relations(choices), "tokens", "agreed"),
        "confusions": _most_first(confusions, "count"),
        "by": {
            "length": _accuracies((c, _band(c.length, _LENGTHS)) for c in choices),
            "distance": _accuracies((c, c.distance) for c in choices),
            "upos": _accuracies((c, c.upos) for c in choices if c.upos),
        },
        "left_out": sum(not item.same_length for item in treebank.shared_items),
    }


def _choices(treebank: Treebank) -> Iterator[TokenPair]:
    for item in treebank.shared_items:
        if item.same_length:
            pairs = item.pairs(Dependencies)
        else:
            pairs = []
        for a, b in pairs:
            for t in range(a.n_tokens):
                yield TokenPair(
                    (_place(a, t), _place(b, t)),
                    (a.relations[t], b.relations[t]),
                    a.upos[t] if a.upos else "",
                    a.n_tokens,
                    1 / len(pairs),
                )


def _place(sentence: Dependencies, token: int) -> int:
    """Return the place of the head as the number of tokens to the right; 0 for the root."""
    head = sentence.heads[token]
    if head:
        return head - token - 1
    return 0


def _grouped(choices: Iterable[tuple[TokenPair, Any]]) -> dict[Any, list[TokenPair]]:
    choices_by_group = defaultdict(list)
    for choice, group in choices:
        choices_by_group[group].append(choice)
    return choices_by_group


def _most_first(rows: Iterable[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    """Sort rows by the sum of the named values, the largest first.

    Sums are rounded, so that errors of floating-point arithmetic do not break ties: equal rows stay
    in the order of the text.
    """
    return sorted(rows, key=lambda row: -round(sum(row[name] for name in names), 9))


def _weight(choices: Iterable[TokenPair]) -> float:
    return sum(c.weight for c in choices)


def _relations(choices: list[TokenPair]) -> Iterator[dict[str, Any]]:
    total = _weight(choices)
    # Keep the order of the text: that of a set would depend on the hashes of strings.
    either = _grouped((c, relation) for c in choices for relation in dict.fromkeys(c.relations))
    for relation, own_choices in either.items():
        tokens = _weight(own_choices)
        apart = _weight(c for c in own_choices if not c.same_label)
        # Share of the choices: a token counts twice if both give the relation, else once.
        share = (2 * tokens - apart) / (2 * total)
        yield {
            "relation": relation,
            "tokens": tokens,
            "agreed": tokens - apart,
            "label": ratio(apart / total, 2 * share * (1 - share), "")[0],
            "head": _of_heads(own_choices, tokens),
        }


def _of_heads(choices: Iterable[TokenPair], tokens: float) -> float:
    places = _grouped((c, place) for c in choices for place in c.heads)
    alike = sum((_weight(own_choices) / (2 * tokens)) ** 2 for own_choices in places.values())
    apart = _weight(c for c in choices if not c.same_head)
    return ratio(apart / tokens, 1 - alike if len(places) > 1 else 0.0, "")[0]


def _accuracies(choices: Iterable[tuple[TokenPair, str]]) -> list[dict[str, Any]]:
    rows = []
    for group, own_choices in _grouped(choices).items():
        heads = [c for c in own_choices if c.same_head]
        right = {
            "las": [c for c in heads if c.same_label],
            "uas": heads,
            "label": [c for c in own_choices if c.same_label],
        }
        n = _weight(own_choices)
        shares = {name: _weight(right_choices) / n for name, right_choices in right.items()}
        rows.append({"group": group, "tokens": n, **shares})
    return _most_first(rows, "tokens")


def _band(value: int, ends: tuple[int, ...]) -> str:
    low = 1
    for end in ends:
        if value <= end:
            if low == end:
                return str(end)
            return f"{low}–{end}"
        low = end + 1
    return f"{low}+"
