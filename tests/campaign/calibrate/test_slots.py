"""Tests of unit slots and boundary slots on units placed by hand."""

from __future__ import annotations

import numpy as np

from gammacp.campaign.calibrate.boundary_slots import ABSENT, PRESENT, UNKNOWN
from gammacp.campaign.calibrate.coverings import covered_units, parts_by_covering_unit
from gammacp.campaign.calibrate.slots import regroup_by_place, slots_of
from gammacp.continuum import Continuum, Unit

Spans = list[tuple[float, float]]


def continuum(**spans: Spans) -> Continuum:
    units = [Unit(who, s, e, "x") for who, pairs in spans.items() for s, e in pairs]
    return Continuum.from_units(units, annotators=list(spans))


def groups(*rows: tuple[int, ...]) -> np.ndarray:
    return np.array(rows, np.int32)


def test_units_side_by_side_are_divided_and_join_the_group_at_their_place() -> None:
    """Row 2 was aligned with an addition beside it, although rows 0 and 1 lie at its place."""
    c = continuum(A=[(0, 10)], B=[(1, 11)], C=[(0, 9)], D=[(9, 20)])
    regrouped = regroup_by_place(c, groups((0, 1, -1, -1), (-1, -1, 2, 3)))
    assert sorted(regrouped.tolist()) == [[-1, -1, -1, 3], [0, 1, 2, -1]]


def test_a_covering_unit_needs_parts_side_by_side_over_half_of_it() -> None:
    """Those of C extend over 9 of 22 of A's unit, and over 9 of 10 of B's first one."""
    c = continuum(A=[(0, 22)], B=[(0, 10), (12, 22)], C=[(0, 4), (5, 9)])
    alone = np.diag([0, 1, 3]).astype(np.int32)
    alone[~np.eye(3, dtype=bool)] = -1
    covered = covered_units(c, alone)
    assert covered[0] == [1, 2, 3, 4]
    assert parts_by_covering_unit(c, covered) == {0: [1, 2], 1: [3, 4]}


def test_a_unit_with_another_partner_is_not_covered() -> None:
    """The second unit of B lies in the first one of A, but is aligned with A's second one."""
    c = continuum(A=[(0, 22), (12, 24)], B=[(0, 10), (12, 22)])
    assert covered_units(c, groups((0, 2), (1, 3)))[0] == [2]


def test_states_at_a_boundary() -> None:
    """A and B have the boundary, C joins it, D has a unit on one side only."""
    c = continuum(A=[(0, 10), (12, 22)], B=[(0, 10), (11, 22)], C=[(0, 22)], D=[(0, 10)])
    slots = slots_of(c, groups((0, 2, 4, 5), (1, 3, -1, -1)))
    assert slots.boundaries.tolist() == [[PRESENT, PRESENT, ABSENT, UNKNOWN]]
    # C's joined unit is no miss at the second place, and has no boundaries to compare.
    assert slots.units.tolist() == [[0, 2, 4, 5]]
    assert slots.is_comparable.tolist() == [False] * 5 + [True]


def test_boundaries_of_one_annotator_are_never_one_slot() -> None:
    """A's short unit has boundaries on both sides; B's boundary is nearer to the first."""
    c = continuum(A=[(0, 10), (10, 12), (12, 22)], B=[(0, 10.5), (10.5, 22)])
    singles = np.full((5, 2), -1, np.int32)
    singles[:3, 0] = [0, 1, 2]
    singles[3:, 1] = [3, 4]
    boundaries = slots_of(c, singles).boundaries.tolist()
    assert all(row.count(PRESENT) <= 2 for row in boundaries)
