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
from gammacp.alignment.presolve.duplicates import Merged
from gammacp.alignment.problem import Certificate
from gammacp.alignment.solvers.packing import Model, best_packing, highs_bound
from gammacp.base.arrays import Floats, Indices


class Packed(NamedTuple):
    """Number of times that each of the certificate's columns is used, and a bound on Σ gain.

    `trusted_gain` is the bound on Σ gain if CP-SAT is trusted.
    """

    times: Indices
    bound: float
    certificate: Certificate
    trusted_gain: float


def pack(merged: Merged, limits: Limits, deadline: float = np.inf) -> Packed | None:
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
    trusted_gain = most = float((price * counts).sum())
    times = np.floor(relaxed.value + 1e-6).astype(np.int64)
    lacking = most - float(columns.gain @ times)
    allowed = problem.tolerance * int(counts.sum())
    if lacking > max(allowed, limits.gap * (counts.sum() * problem.opening - most)):
        candidates = np.flatnonzero(loss <= lacking + allowed)
        model = Model(columns.select(candidates), counts, problem.opening)
        soon = replace(limits.until(deadline), gap=0.0)
        packing = best_packing(model, soon, hint=times[candidates])
        if columns.gain[candidates] @ packing.times > columns.gain @ times:
            times = np.zeros(columns.number, np.int64)
            times[candidates] = packing.times
        trusted_gain = min(
            most, packing.bound if not packing.proven else float(columns.gain @ times)
        )
        # CP-SAT's bound counts only as far as HiGHS confirms it.
        most = min(most, max(trusted_gain, highs_bound(model, limits.until(deadline))))
    return Packed(times, most, Certificate(columns, price), trusted_gain)


def _feasible(columns: Columns, price: Floats) -> tuple[Floats, Floats]:
    from gammacp.alignment.kernels.duals import make_feasible

    price = price.copy()
    return price, make_feasible(price, columns, np.inf)
