"""Many identical units: merged into one with a multiplicity, so that density is not size.

All units of one annotator with the same places and category are interchangeable. The problem
over distinct units has capacities instead of ones. Its linear relaxation gives the bound; where
its solution is not whole, CP-SAT packs the columns that a better alignment could use.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gammacp.alignment.candidates import MOST_PAIRS, TooManyPairsError, build_problem
from gammacp.alignment.columns import LISTED, Columns, enumerate_columns
from gammacp.alignment.duals.lp import relax
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Certificate, Problem
from gammacp.alignment.solvers.packing import Model, best_packing, highs_bound
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity


@dataclass(frozen=True, eq=False)
class Merged:
    """A problem over distinct units, each of which is there several times.

    Attributes
    ----------
    problem
        Over the distinct units.
    order
        Rows of the continuum, those of one distinct unit in a run; shape (units,).
    runs
        Where each run begins, and the end; shape (distinct units + 1,).
    """

    problem: Problem
    order: Indices
    runs: Indices

    @property
    def counts(self) -> Indices:
        """How often each distinct unit is there."""
        return np.diff(self.runs)

    def groups(self, columns: Columns, times: Indices) -> Codes:
        """Each column as many times as it is taken, and the units left alone.

        int32 (groups, annotators): rows of the continuum, −1 empty.
        """
        following = self.runs[:-1].copy()
        problem = self.problem
        parts = []
        for c in np.flatnonzero(times):
            groups = np.full((times[c], problem.n_annotators), -1, np.int32)
            for unit in columns.members[columns.begin[c] : columns.begin[c + 1]]:
                rows = self.order[following[unit] + np.arange(times[c])]
                groups[:, problem.annotator[unit]] = rows
                following[unit] += times[c]
            parts.append(groups)
        for unit, (lo, hi) in enumerate(zip(following, self.runs[1:], strict=True)):
            groups = np.full((hi - lo, problem.n_annotators), -1, np.int32)
            groups[:, problem.annotator[unit]] = self.order[lo:hi]
            parts.append(groups)
        return np.concatenate(parts)


class Packed(NamedTuple):
    """How often each of the certificate's columns is taken, and a bound on Σ gain.

    `told` is a bound that CP-SAT alone gives.
    """

    times: Indices
    bound: float
    certificate: Certificate
    told: float


def runs_of_identical(continuum: Continuum) -> Indices:
    """Where each run of identical units begins, and the end; shape (distinct units + 1,)."""
    new = np.ones(continuum.n_units + 1, np.bool_)
    columns = continuum.starts, continuum.ends, continuum.category_codes, continuum.annotator_codes
    new[1:-1] = False
    for column in columns:
        new[1:-1] |= column[1:] != column[:-1]
    if continuum.inside is not None:
        new[1:-1] |= continuum.inside[1:] != continuum.inside[:-1]
    return np.flatnonzero(new)


def merge_identical(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    order: Indices,
    *,
    most: float,
    most_pairs: int = MOST_PAIRS,
    deadline: float = np.inf,
) -> Merged | None:
    """The problem of at most so many distinct units; None if there are more, or too many pairs.

    `order` are the rows that the continuum's units are of.
    """
    runs = runs_of_identical(continuum)
    if len(runs) - 1 > most:
        return None
    rows = runs[:-1]
    distinct = replace(
        continuum,
        starts=continuum.starts[rows],
        ends=continuum.ends[rows],
        annotator_codes=continuum.annotator_codes[rows],
        category_codes=continuum.category_codes[rows],
        breaks=None if continuum.breaks is None else continuum.breaks[rows],
        shapes=None if continuum.shapes is None else continuum.shapes[rows],
        ids=None,
    )
    try:
        problem = build_problem(distinct, dissimilarity, most_pairs=most_pairs, deadline=deadline)
    except TooManyPairsError:
        return None
    return Merged(problem, order, runs)


def pack(merged: Merged, limits: Limits, deadline: float = np.inf) -> Packed | None:
    """The best packing that is found until then.

    None if the distinct units already have too many groups, or no time is left for their LP.
    """
    problem, counts = merged.problem, merged.counts
    columns = enumerate_columns(problem, most_members=LISTED)
    if columns is None:
        return None
    try:
        relaxed = relax(problem.n_units, columns, capacity=counts, deadline=deadline)
    except TimeoutError:
        return None
    price, loss = _feasible(columns, relaxed.price)
    told = most = float((price * counts).sum())
    times = np.floor(relaxed.value + 1e-6).astype(np.int64)
    lacking = most - float(columns.gain @ times)
    allowed = problem.tolerance * int(counts.sum())
    if lacking > max(allowed, limits.gap * (counts.sum() * problem.opening - most)):
        kept = np.flatnonzero(loss <= lacking + allowed)
        model = Model(columns.select(kept), counts, problem.opening)
        soon = replace(limits.until(deadline), gap=0.0)
        found = best_packing(model, soon, hint=times[kept])
        if columns.gain[kept] @ found.times > columns.gain @ times:
            times = np.zeros(columns.number, np.int64)
            times[kept] = found.times
        told = min(most, found.bound if not found.proven else float(columns.gain @ times))
        # What CP-SAT says counts as far as HiGHS says it too.
        most = min(most, max(told, highs_bound(model, limits.until(deadline))))
    return Packed(times, most, Certificate(columns, price), told)


def _feasible(columns: Columns, price: Floats) -> tuple[Floats, Floats]:
    from gammacp.alignment.kernels.duals import make_feasible

    price = price.copy()
    return price, make_feasible(price, columns, np.inf)
