"""Exact pricing: search all groups for those that gain more than their prices, within limits."""

from functools import partial
from typing import NamedTuple

import numpy as np

from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.base.stopping import halting

# Largest number of nodes in the branch and bound of each root while prices are far from feasible.
FEW_NODES = 30

# Largest total number of members of all listed groups.
LISTED_AT_LAST = 10_000_000


class PricedGroups(NamedTuple):
    """Groups found, with an upper bound per root on the excess of gain over prices.

    Attributes
    ----------
    columns
        Groups that were found.
    excess
        Number ≥ 0 for each root that gain − Σ price of its groups does not exceed.
    unsure
        Whether the search of each root was cut off, so that `excess` may not be exact.
    """

    columns: Columns
    excess: Floats
    unsure: Bools


def find_groups(
    problem: Problem,
    price: Floats,
    floor: float,
    *,
    every: bool = False,
    roots: Indices | None = None,
    nodes: int = 2**62,
    limit: int = LISTED_AT_LAST,
    deadline: float = np.inf,
) -> PricedGroups | None:
    """List groups with gain − Σ price > floor, and the excess of each root; see `price_groups`.

    The root of a group is its first unit. With `every`, all such groups are listed, otherwise a few
    of each root; `roots` restricts the search to some units, and `nodes` limits its steps. Return
    None if the groups have more than `limit` members in total. After the deadline, an enumeration
    (`every`) returns None; otherwise the remaining roots get weaker excesses.
    """
    from gammacp.alignment.kernels.pricing import price_groups

    if roots is None:
        roots = np.arange(problem.n_units)
    within = problem.graph, price, problem.opening, floor, every, roots, nodes, limit
    columns, excess, unsure, complete = halting(partial(price_groups, *within), deadline)
    if complete:
        return PricedGroups(columns, excess, unsure)
    return None
