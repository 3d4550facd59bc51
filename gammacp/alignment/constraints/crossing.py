"""Non-crossing alignments: no two groups in one order by one annotator, in the other by another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gammacp.alignment.constraints.base import Constraint, registered_constraint
from gammacp.base.arrays import Bools, Codes, Indices
from gammacp.continuum import Continuum


@registered_constraint("non-crossing")
@dataclass(frozen=True)
class NonCrossing(Constraint):
    """No two groups cross.

    A unit is before another of its annotator if it starts and ends earlier; of two units of which
    one contains the other, neither is. Two groups cross if one annotator has the first before the
    second, and another the second before the first. It is a constraint on two groups: with two
    annotators the groups then follow one another, with three and more they may go round (the first
    before the second by one annotator, the second before the third by another, and the third before
    the first by a third).

    Splitting a group makes no crossing: what a part crosses, the whole has crossed, and the two
    parts have no annotator in common.
    """

    def allows_both(self, continuum: Continuum, first: Codes, second: Codes) -> Bools:
        """Return which two groups do not cross."""
        starts = np.append(continuum.starts, np.nan)
        ends = np.append(continuum.ends, np.nan)
        # −1 is the last place: comparisons with NaN are false, as an empty unit is nowhere.
        start = starts[first], starts[second]
        end = ends[first], ends[second]
        before = (start[0] < start[1]) & (end[0] < end[1])
        after = (start[0] > start[1]) & (end[0] > end[1])
        return np.asarray(~(before.any(axis=1) & after.any(axis=1)))

    def places(self, continuum: Continuum) -> Indices | None:
        """Return the rows as places if no unit contains another one of its annotator, else None.

        Rows are in order of annotator, then of start: among units of one annotator a smaller row is
        an earlier unit, and units of different annotators are never compared. With a unit inside
        another there is no order of all, and `solve_apart` asks `allows_both` instead.
        """
        place = np.arange(continuum.n_units)
        for a in range(continuum.n_annotators):
            rows = np.flatnonzero(continuum.annotator_codes == a)
            in_turn = np.diff(continuum.starts[rows]) > 0, np.diff(continuum.ends[rows]) > 0
            if not (in_turn[0].all() and in_turn[1].all()):
                return None
        return place
