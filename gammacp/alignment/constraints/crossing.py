"""Non-crossing alignments: two groups never follow each other in opposite orders."""

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

    A unit is before another unit of the same annotator if it both starts and ends earlier. If one
    of them contains the other, neither is before the other. Two groups cross if, for one annotator,
    the first group's unit is before the second's, and for another annotator after it. This is a
    condition on two groups at a time. With two annotators all groups can then be put in one order.
    With three or more there may be a circle: a first group before a second for one annotator, the
    second before a third for another, and the third before the first for yet another.

    Splitting a group adds no crossing: a group that crosses a part also crossed the whole, and the
    two parts have no annotator in common.
    """

    def allows_both(self, continuum: Continuum, first: Codes, second: Codes) -> Bools:
        """Return which pairs of groups do not cross."""
        starts = np.append(continuum.starts, np.nan)
        ends = np.append(continuum.ends, np.nan)
        # An empty unit (−1) reads the NaN at the end: it is nowhere, and every comparison is false.
        start = starts[first], starts[second]
        end = ends[first], ends[second]
        before = (start[0] < start[1]) & (end[0] < end[1])
        after = (start[0] > start[1]) & (end[0] > end[1])
        return np.asarray(~(before.any(axis=1) & after.any(axis=1)))

    def places(self, continuum: Continuum) -> Indices | None:
        """Return each unit's rank if no unit contains another of its annotator, else None.

        The rows themselves are the ranks: they are in order of annotator, then of start, and only
        units of the same annotator are compared. If a unit contains another, they are not ordered,
        and `solve_with_exclusions` calls `allows_both` instead.
        """
        rank = np.arange(continuum.n_units)
        for a in range(continuum.n_annotators):
            rows = np.flatnonzero(continuum.annotator_codes == a)
            in_turn = np.diff(continuum.starts[rows]) > 0, np.diff(continuum.ends[rows]) > 0
            if not (in_turn[0].all() and in_turn[1].all()):
                return None
        return rank
