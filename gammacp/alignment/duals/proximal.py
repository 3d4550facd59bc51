"""Shares of costs of long continua: the linear relaxation, solved by proximal steps.

With thousands of units, the duals of the master problem jump from corner to corner, and a good
bound comes only at the end. Here, prices come from the proximal point method (Rockafellar 1976).
The next prices y

    minimise  step·Σ y + ½ ‖y − before‖²  with y ≥ 0 and y(G) ≥ gain(G) for all groups so far.

This is solved approximately by Hildreth's (1957) passes over the groups. The multipliers of the
groups, divided by the step, converge to the solution of the master problem. Exact pricing then adds
the groups that still gain more than their prices. Raising the price of each root by the largest
excess of its groups makes the prices feasible, which gives a bound.
"""

from collections.abc import Iterator
from functools import partial
from itertools import count

import numpy as np

from gammacp.alignment.columns import to_columns
from gammacp.alignment.duals.nested import CostShares
from gammacp.alignment.duals.projection import shared_prices
from gammacp.alignment.duals.semidefinite import safe_sum
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.pricing.exact import FEW_NODES, find_groups
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import current_work, due, halting

# Step of the prices, as a share of the opening (8 × 425; with .1 it takes half as much time again);
# change of multipliers, as a share of the opening, below which passes end; and largest number of
# passes over the groups in each step.
_STEP = 0.3
_SETTLED = 3e-5
_SETTLING = 60
# Number of steps per bound. In between, only roots whose groups exceeded their prices are searched.
_PRICED_WHOLE = 3


def proximal_steps(
    problem: Problem, groups: Codes, deadline: float = np.inf
) -> Iterator[CostShares]:
    """Yield better and better shares until the deadline.

    Parameters
    ----------
    problem
        A problem that is not a cover and has an opening > 0.
    groups
        A good alignment. At first, its groups gain exactly their units' prices.
    """
    from gammacp.alignment.kernels.projection import settle

    units = np.arange(problem.n_units + 1)
    pool = Columns(units, units[:-1].astype(np.int32), np.zeros(problem.n_units))
    pool = pool.join(to_columns(problem, groups))
    multiplier = np.zeros(pool.number)
    price = shared_prices(problem, groups)
    step_length = _STEP * problem.opening
    everywhere: Indices = np.arange(problem.n_units)
    exceeding = everywhere
    for round_number in count():
        paid = np.bincount(pool.members, np.repeat(multiplier, pool.sizes), problem.n_units)
        price = price - step_length + paid
        current_work().rounds += 1
        settled = price, pool, multiplier, _SETTLING, _SETTLED * problem.opening
        halting(partial(settle, *settled), quick=True)
        nonnegative = np.maximum(price, 0.0)
        # Between two bounds, only roots whose groups exceeded their prices are searched.
        is_whole = round_number % _PRICED_WHOLE == 0
        pricing = find_groups(
            problem,
            nonnegative,
            0.1 * problem.tolerance,
            roots=everywhere if is_whole else exceeding,
            nodes=FEW_NODES,
            deadline=deadline,
        )
        if pricing is None or due(deadline):
            return
        if is_whole:
            share = problem.opening - nonnegative - pricing.excess
            values = pair_values(problem, pool, multiplier / step_length)
            yield CostShares(share, safe_sum(share), problem.n_annotators, values)
            exceeding = np.flatnonzero(pricing.excess > problem.tolerance)
        pool = pool.join(pricing.columns)
        multiplier = np.concatenate((multiplier, np.zeros(pricing.columns.number)))


def pair_values(problem: Problem, columns: Columns, value: Floats) -> Floats:
    """Return for each candidate pair the sum of the values of columns that contain both units."""
    from scipy.sparse import csr_array

    used = np.flatnonzero(value > 0)
    held = columns.select(used)
    shape = (held.number, problem.n_units)
    ones = np.ones(len(held.members))
    member = csr_array((ones, held.members, held.begin), shape=shape)
    weighed = csr_array((np.repeat(value[used], held.sizes), held.members, held.begin), shape=shape)
    return np.asarray((member.T @ weighed).tocsr()[problem.first, problem.second]).ravel()
