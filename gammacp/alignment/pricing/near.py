"""Heuristic pricing: groups next to an alignment, and prices projected on what they demand."""

from functools import partial
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import group_of_units
from gammacp.alignment.duals.projection import Support
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Codes, Floats
from gammacp.base.stopping import due, halting

# Of the scale: what a group may lack under prices that count as feasible.
ENOUGH = 1e-6

# Of the scale: a lack that tells that projections lead nowhere.
STALLED = 1e-3

# Rounds of pricing next to the alignment before the master is solved again (20 × 30).
_PROBES = 30


class Projected(NamedTuple):
    """Prices ≥ 0, the pool with the groups found; `near` when no more are found next to it."""

    price: Floats
    pool: Columns
    near: bool


def project_prices(
    problem: Problem,
    groups: Codes,
    pool: Columns,
    price: Floats,
    support: Support,
    deadline: float,
) -> Projected:
    """Prices nearer to feasibility, within the space where each group of the support just pays."""
    from gammacp.alignment.kernels.projection import price_near, project_on_all

    price = price.copy()
    enough = ENOUGH * problem.scale
    group_of = group_of_units(groups, problem.n_units)
    near = False
    near_groups = problem.graph, price, problem.opening, groups, group_of, enough, support
    for _ in range(_PROBES):
        left = halting(partial(project_on_all, price, pool, enough, support), quick=True)
        if left > STALLED * problem.scale or due(deadline):
            break
        found = halting(partial(price_near, *near_groups), deadline)
        pool = pool.join(found)
        if not found.number:
            near = left <= enough
            break
    return Projected(np.maximum(price, 0.0), pool, near)
