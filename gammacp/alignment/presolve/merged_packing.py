"""Packing of merged units: how many times each group is used, with a bound.

The linear relaxation gives the bound. If its solution is not integral, CP-SAT packs the columns
that a better alignment could use.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import LISTED, enumerate_columns
from gammacp.alignment.duals.lp import relax
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.packing.cpsat import best_packing
from gammacp.alignment.packing.highs import highs_bound
from gammacp.alignment.packing.problem import PackingProblem
from gammacp.alignment.presolve.duplicates import Merged
from gammacp.alignment.problem import TieCandidates
from gammacp.base.arrays import Floats, Indices


class MergedPacking(NamedTuple):
    """Packing of the groups of merged units, with upper bounds on its gain.

    Attributes
    ----------
    times
        Number of times that each column of `tie_candidates` is used.
    gain_bound
        Upper bound on Σ gain.
    tie_candidates
        All columns, with their prices.
    unconfirmed_gain_bound
        Upper bound on Σ gain that may rest on CP-SAT alone.
    """

    times: Indices
    gain_bound: float
    tie_candidates: TieCandidates
    unconfirmed_gain_bound: float


def pack_merged(merged: Merged, limits: Limits, deadline: float = np.inf) -> MergedPacking | None:
    """Return the best packing that is found before the deadline.

    Return None if the distinct units have too many groups, or if the deadline comes before their
    linear program is solved.
    """
    problem = merged.problem
    counts = merged.counts
    columns = enumerate_columns(problem, most_members=LISTED)
    if columns is None:
        return None
    try:
        relaxed = relax(problem.n_units, columns, capacity=counts, deadline=deadline)
    except TimeoutError:
        return None
    price, loss = _feasible(columns, relaxed.price)
    gain_bound = float((price * counts).sum())
    unconfirmed = gain_bound
    times = np.floor(relaxed.value + 1e-6).astype(np.int64)
    gap = gain_bound - float(columns.gain @ times)
    tolerance = problem.tolerance * int(counts.sum())
    cost_bound = counts.sum() * problem.opening - gain_bound
    if gap > max(tolerance, limits.gap * cost_bound):
        candidates = np.flatnonzero(loss <= gap + tolerance)
        packing_problem = PackingProblem(columns.select(candidates), counts, problem.opening)
        exactly = replace(limits.until(deadline), gap=0.0)
        packing = best_packing(packing_problem, exactly, hint=times[candidates])
        if columns.gain[candidates] @ packing.times > columns.gain @ times:
            times = np.zeros(columns.number, np.int64)
            times[candidates] = packing.times
        if packing.proven:
            unconfirmed = min(gain_bound, float(columns.gain @ times))
        else:
            unconfirmed = min(gain_bound, packing.bound)
        # CP-SAT's bound counts only as far as HiGHS confirms it.
        confirmed = highs_bound(packing_problem, limits.until(deadline))
        gain_bound = min(gain_bound, max(unconfirmed, confirmed))
    return MergedPacking(times, gain_bound, TieCandidates(columns, price), unconfirmed)


def _feasible(columns: Columns, price: Floats) -> tuple[Floats, Floats]:
    """Return prices raised until no column gains more than its units' prices, and the losses."""
    from gammacp.alignment.kernels.feasible_prices import make_feasible

    price = price.copy()
    return price, make_feasible(price, columns, np.inf)
