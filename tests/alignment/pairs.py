"""The cost of each pair of a unitary alignment, one at a time, to check sums by other means."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from gammacp.alignment import Alignment
from gammacp.continuum import Unit
from gammacp.dissimilarity import unit_columns


class PairCost(NamedTuple):
    """Cost of one pair of a unitary alignment.

    `first` or `second` is None for the empty unit; the pair then has no parts and costs Δ.
    """

    unitary_alignment: int
    annotators: tuple[str, str]
    first: Unit | None
    second: Unit | None
    dissimilarity: float
    positional: float
    categorial: float


def pairs(alignment: Alignment) -> Iterator[PairCost]:
    continuum, bound = alignment.continuum, alignment.dissimilarity
    assert bound.positional_part is not None
    assert bound.categorial_part is not None
    columns, units = unit_columns(continuum), list(continuum)
    names = continuum.annotators
    for g, group in enumerate(alignment.groups.tolist()):
        for a, b in combinations(range(len(names)), 2):
            u, v = group[a], group[b]
            if u < 0 or v < 0:
                costs = (bound.delta, float("nan"), float("nan"))
            else:
                functions = (bound.pairwise, bound.positional_part, bound.categorial_part)
                costs = tuple(float(f(columns[[u]], columns[[v]])[0]) for f in functions)
            first, second = (units[row] if row >= 0 else None for row in (u, v))
            yield PairCost(g, (names[a], names[b]), first, second, *costs)
