"""Heuristic pricing: groups next to an alignment, and prices projected on what they demand."""

from functools import partial
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import Columns, group_of_units
from gammacp.alignment.duals.projection import Support
from gammacp.alignment.problem import Problem
from gammacp.arrays import Codes, Floats
from gammacp.stopping import due, halting

# Of the scale: what a group may lack under prices that count as feasible.
ENOUGH = 1e-6

# Of the scale: a lack that tells that projections lead nowhere.
STALLED = 1e-3

# Rounds of pricing next to the alignment before the master is solved again (20 × 30).
_PROBES = 30
# Passes on all columns' half-spaces at the most; ten more are made if the last ten brought the
# largest lack below this share. How far beyond a half-space's face prices are moved: at 1 passes do
# not end, at 2 they oscillate.
_PROJECTIONS = 300
_STALLED_PROJECTIONS = 0.8
_RELAXATION = 1.3
# Rounds over the annotators when a group near the alignment is improved, and neighbours of a unit
# above which it is left to exact pricing (a square matrix is filled).
_IMPROVING_ROUNDS = 6
_NEIGHBOURS = 1500


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
    from gammacp.alignment.kernels.projection import Step, price_near, project_on_all

    price = price.copy()
    enough = ENOUGH * problem.scale
    step = Step(_RELAXATION, _STALLED_PROJECTIONS, _IMPROVING_ROUNDS, _NEIGHBOURS)
    group_of = group_of_units(groups, problem.n_units)
    near = False
    near_groups = problem.graph, price, problem.opening, groups, group_of, enough, support, step
    for _ in range(_PROBES):
        left = project_on_all(price, pool, enough, _PROJECTIONS, support, step)
        if left > STALLED * problem.scale or due(deadline):
            break
        found = halting(partial(price_near, *near_groups), deadline)
        pool = pool.joined(found)
        if not found.number:
            near = left <= enough
            break
    return Projected(np.maximum(price, 0.0), pool, near)
