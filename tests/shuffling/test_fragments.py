"""Errors on units of several fragments, which they keep together."""

import numpy as np
import pytest

from gammacp import Continuum, DataError, Unit
from shuffling import shuffle
from shuffling.fitting import fit
from shuffling.setting import Units
from shuffling.split import Split

CUT = ((100, 110), (130, 140), (160, 200))


@pytest.fixture
def reference() -> Continuum:
    units = [Unit("R", 100, 200, "x", CUT), Unit("R", 300, 340, "y"), Unit("R", 400, 460, "x")]
    return Continuum.from_units(units, bounds=(0, 600))


@pytest.mark.parametrize(
    "error", ["position", "category", "false-negative", "false-positive", "split", "merge"]
)
def test_nothing_changes_at_magnitude_0(error: str, reference: Continuum) -> None:
    made = shuffle(reference, error, 0.0, 2)
    for name in made.annotators:
        own = [(u.start, u.end, u.fragments) for u in made if u.annotator == name]
        assert own == [(u.start, u.end, u.fragments) for u in reference]


def test_positions_move_inner_fragments_in_proportion(reference: Continuum) -> None:
    made = shuffle(reference, "position", 0.1, 40, seed=1)
    broken = [u for u in made if u.fragments]
    assert len(broken) == 40
    for u in broken:
        inside = [edge for f in u.fragments for edge in f][1:-1]
        expected = [u.start + share * u.length for share in (0.1, 0.3, 0.4, 0.6)]
        assert inside == pytest.approx(expected, abs=0.5)
        assert all(edge == int(edge) for edge in inside)


def test_boundaries_that_leave_no_room_close_gaps() -> None:
    column = np.empty(1, object)
    column[0] = (10.0, 11.0, 12.0, 30.0)
    units = Units(np.array([0.0]), np.array([40.0]), np.array([0], np.int32), column)
    made = units.stretched(np.array([0.0]), np.array([4.0]), integer=True)
    assert made.breaks is not None
    assert made.breaks.tolist() == [(1.0, 3.0)]
    assert units.stretched(np.array([0.0]), np.array([1.0]), integer=True).breaks is None


def test_splits_give_fragments_to_their_side(reference: Continuum) -> None:
    made = shuffle(reference, Split(factor=2), 1.0, 5, seed=3)
    for name in made.annotators:
        own = sorted(
            f
            for u in made
            if u.annotator == name
            for f in u.fragments or ((u.start, u.end),)
            if u.end <= 200
        )
        covered = {p for s, e in own for p in range(int(s), int(e))}
        assert covered == {p for s, e in CUT for p in range(s, e)}
        assert sum(e - s for s, e in own) == len(covered)


def test_merges_close_gaps_and_new_units_have_one_fragment(reference: Continuum) -> None:
    merged = shuffle(reference, "merge", 1.0, 1)
    assert [(u.start, u.end, u.fragments) for u in merged] == [(100, 460, ())]
    more = shuffle(reference, "false-positive", 1.0, 1)
    assert (len(more), more.n_broken) == (6, 1)
    with pytest.raises(DataError, match=r"cannot be kept apart.*overlap=true"):
        shuffle(reference, "false-positive:overlap=false", 1.0, 1)


def test_no_model_is_learnt_from_fragments(reference: Continuum) -> None:
    with pytest.raises(DataError, match="units of several fragments are not supported"):
        fit(reference)
