"""Heuristic pricing: groups next to an alignment, and prices projected on what they demand."""

from functools import partial
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import Columns, group_of_units
from gammacp.alignment.duals.projection import Support
from gammacp.alignment.problem import Problem
from gammacp.alignment.tuning import Tuning
from gammacp.arrays import Codes, Floats
from gammacp.stopping import due, halting


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
    tuning: Tuning,
) -> Projected:
    """Prices nearer to feasibility, within the space where each group of the support just pays."""
    from gammacp.alignment.kernels.projection import Step, price_near, project_on_all

    price = price.copy()
    enough = tuning.enough * problem.scale
    step = Step(
        tuning.relaxation, tuning.stalled_projections, tuning.improving_rounds, tuning.neighbours
    )
    group_of = group_of_units(groups, problem.n_units)
    near = False
    near_groups = problem.graph, price, problem.opening, groups, group_of, enough, support, step
    for _ in range(tuning.probes):
        left = project_on_all(price, pool, enough, tuning.projections, support, step)
        if left > tuning.stalled * problem.scale or due(deadline):
            break
        found = halting(partial(price_near, *near_groups), deadline)
        pool = pool.joined(found)
        if not found.number:
            near = left <= enough
            break
    return Projected(np.maximum(price, 0.0), pool, near)
