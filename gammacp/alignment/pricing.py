"""Groups by their reduced cost: `pricing_kernels`, with limits of number and time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gammacp.alignment.groups import Columns
from gammacp.alignment.problem import Problem
from gammacp.alignment.stopping import watched
from gammacp.arrays import Bools, Floats, Indices

MOST_LISTED = 10_000_000
# Passes of messages at a node of the search.
_PASSES = 3


class Found(NamedTuple):
    """Groups found; what no group of a root exceeds, and where that is only a bound."""

    columns: Columns
    excess: Floats
    unsure: Bools


def search(
    problem: Problem,
    price: Floats,
    floor: float,
    *,
    every: bool = False,
    roots: Indices | None = None,
    nodes: int = 2**62,
    limit: int = MOST_LISTED,
    deadline: float = np.inf,
) -> Found | None:
    """Groups with gain − Σ price > floor, and the excess of each root; see `price_groups`.

    None with more than `limit` members. At the deadline an enumeration (`every`) ends with None,
    pricing with weaker excesses.
    """
    from gammacp.alignment.pricing_kernels import price_groups

    halted = np.zeros(1, np.bool_)
    begin, members, gain, excess, unsure, count = watched(
        lambda: price_groups(
            problem.annotator,
            problem.n_annotators,
            *problem.adjacency,
            price,
            problem.opening,
            floor,
            every,
            _PASSES,
            np.arange(problem.n_units) if roots is None else roots,
            nodes,
            limit,
            halted,
        ),
        lambda: halted.fill(True),
        deadline,
    )
    return None if count < 0 else Found(Columns(begin, members, gain), excess, unsure)
