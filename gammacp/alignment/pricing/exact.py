"""Groups by their reduced cost, with limits of number and time."""

from functools import partial
from typing import NamedTuple

import numpy as np

from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.base.stopping import halting

# Nodes of the branch and bound of each root while prices are far off.
FEW_NODES = 30

# Members of all groups that are listed at the most.
LISTED_AT_LAST = 10_000_000


class Found(NamedTuple):
    """Groups found; by root what none gains beyond its prices (≥ 0), and where that is a bound."""

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
    limit: int = LISTED_AT_LAST,
    deadline: float = np.inf,
) -> Found | None:
    """List groups with gain − Σ price > floor, and the excess of each root; see `price_groups`.

    None with more than `limit` members. At the deadline an
    enumeration (`every`) ends with None, pricing with weaker excesses.
    """
    from gammacp.alignment.kernels.pricing import price_groups

    if roots is None:
        roots = np.arange(problem.n_units)
    within = problem.graph, price, problem.opening, floor, every, roots, nodes, limit
    found, excess, unsure, whole = halting(partial(price_groups, *within), deadline)
    if whole:
        return Found(found, excess, unsure)
    return None
