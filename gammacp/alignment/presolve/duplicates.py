"""Merge identical units into one with a multiplicity, so that repeated units cost no time.

Units of one annotator with the same position and category are interchangeable. In the problem over
distinct units, each unit may be used as many times as it occurs; `presolve.packing` solves it.
"""

from dataclasses import dataclass, replace

import numpy as np

from gammacp.alignment.candidates import MOST_PAIRS, TooManyPairsError, build_problem
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity


@dataclass(frozen=True, eq=False)
class Merged:
    """A problem over distinct units, each of which stands for one or more identical units.

    Attributes
    ----------
    problem
        Problem over the distinct units.
    order
        Rows of the continuum, sorted so that identical units are adjacent; shape (units,).
    runs
        Start in `order` of the run of each distinct unit, and the end of the last one; shape
        (distinct units + 1,).
    """

    problem: Problem
    order: Indices
    runs: Indices

    @property
    def counts(self) -> Indices:
        """Number of copies of each distinct unit."""
        return np.diff(self.runs)

    @property
    def n_units(self) -> int:
        """Number of units of the continuum."""
        return len(self.order)

    def prices_of_units(self, price: Floats) -> Floats:
        """Return the price of each of the continuum's units, given those of the distinct ones."""
        prices = np.empty(len(self.order))
        prices[self.order] = np.repeat(price, self.counts)
        return prices

    def groups(self, columns: Columns, times: Indices) -> Codes:
        """Return the groups of the continuum's units that a packing of distinct units stands for.

        Column c gives `times[c]` groups; the remaining units are alone. The result is int32, shape
        (groups, annotators): rows of the continuum, −1 where a group has no unit.
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


def runs_of_identical(continuum: Continuum) -> Indices:
    """Return the start of each run of identical units, and the end of the last one.

    Shape (distinct units + 1,).
    """
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
    """Build the problem over distinct units.

    Return None if there are more than `most` distinct units or too many pairs. `order` gives the
    row of the original continuum for each unit of this one.
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
