"""Heuristic pricing: search for groups similar to those of an alignment.

Prices are feasible if no group gains more than its units' prices. Two steps take turns: prices are
projected onto the constraints of all groups in the pool, and groups next to the alignment that
still gain more are added to the pool, until none are found or the projection stalls.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import group_of_units
from gammacp.alignment.duals.projection import SupportProjection
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Codes, Floats
from gammacp.base.stopping import due, halting

# Largest violation, as a share of the scale, up to which prices count as feasible.
ENOUGH = 1e-6

# Violation, as a share of the scale, above which no further projections are made.
STALLED = 1e-3

# Number of rounds of pricing next to the alignment before the master is solved again (20 × 30).
_PROBES = 30


class Projected(NamedTuple):
    """Prices ≥ 0 and the enlarged pool; `near` tells that no more groups were found nearby."""

    price: Floats
    pool: Columns
    near: bool


def project_prices(
    problem: Problem,
    groups: Codes,
    pool: Columns,
    price: Floats,
    support: SupportProjection,
    deadline: float,
) -> Projected:
    """Move prices towards feasibility; each group of the support still pays exactly its gain."""
    from gammacp.alignment.kernels.projection import price_near, project_on_all

    price = price.copy()
    enough = ENOUGH * problem.scale
    group_of = group_of_units(groups, problem.n_units)
    near = False
    near_groups = problem.graph, price, problem.opening, groups, group_of, enough, support
    for _ in range(_PROBES):
        lacking = halting(partial(project_on_all, price, pool, enough, support), quick=True)
        if lacking > STALLED * problem.scale or due(deadline):
            break
        new_groups = halting(partial(price_near, *near_groups), deadline)
        pool = pool.join(new_groups)
        if not new_groups.number:
            near = lacking <= enough
            break
    return Projected(np.maximum(price, 0.0), pool, near)
