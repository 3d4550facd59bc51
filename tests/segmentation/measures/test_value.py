"""The Segmentation value: all conversions, and invalid input."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError
from gammacp.segmentation import Segmentation, from_continuum, inner_boundaries
from tests.segmentation.measures.oracles import segmentation_of_sets, sets_of


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_all_forms_give_the_same_value(masses: list[int]) -> None:
    s = Segmentation.from_masses(masses)
    assert s.masses == tuple(masses)
    assert s.n_segments == len(masses)
    assert s.n_boundaries == len(masses) - 1
    assert Segmentation.from_string(s.to_string()) == s
    assert segmentation_of_sets(sets_of(s), types=["1"]) == s
    labels = [i for i, mass in enumerate(masses) for _ in range(mass)]
    assert Segmentation.from_labels(labels) == s
    assert Segmentation.from_positions(s.positions.tolist(), mass=sum(masses)) == s
    assert hash(Segmentation.from_string(s.to_string())) == hash(s)


def test_several_types() -> None:
    s = Segmentation.from_typed({"minor": [3, 7], "major": [3]}, mass=9)
    assert s.types == ("major", "minor")
    assert s.potential_boundaries == 16
    assert s.n_boundaries == 3
    assert s.masses == (3, 4, 2)
    assert s.of_type("minor").tolist() == [3, 7]
    assert sets_of(s)[2] == {"major", "minor"}
    wider = s.with_types(["minor", "none", "major"])
    assert wider.potential_boundaries == 24
    assert sets_of(wider) == sets_of(s)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Segmentation.from_masses([]), "no segment"),
        (lambda: Segmentation.from_masses([3, 0]), "mass 0 is not positive"),
        (lambda: Segmentation.from_masses([3, -2]), "mass -2 is not positive"),
        (lambda: Segmentation.from_masses([3.5]), "not a whole number"),  # type: ignore[list-item]
        (lambda: Segmentation.from_masses([True]), "not a whole number"),
        (lambda: Segmentation.from_positions([3], mass=3), "outside 1 to 2"),
        (lambda: Segmentation.from_positions([0], mass=3), "outside 1 to 2"),
        (lambda: Segmentation.from_positions([1, 1], mass=3), "given twice"),
        (lambda: Segmentation.from_positions([1], mass=0), "mass 0"),
        (lambda: Segmentation.from_typed({"x": [1]}, mass=3, types=["y"]), "'x' is unknown"),
        (lambda: Segmentation.from_typed({}, mass=3, types=[]), "no boundary types"),
        (lambda: Segmentation.from_typed({}, mass=3, types=["y", "y"]), "twice"),
        (lambda: Segmentation.from_string("01x"), "2 characters"),
        (lambda: Segmentation.from_labels([]), "no base unit"),
        (lambda: Segmentation.from_masses([10**30]), r"beyond 2\^53"),
        (lambda: Segmentation.from_positions([1], mass=10**30), r"beyond 2\^53"),
        (lambda: Segmentation.from_positions([10**30], mass=3), "outside 1 to 2"),
    ],
)
def test_invalid_input_is_refused(build: Callable[[], Segmentation], message: str) -> None:
    with pytest.raises(DataError, match=message):
        build()


def tiled(**by_annotator: list[float]) -> Continuum:
    return Continuum.from_units(
        Unit(name, start, end, "x")
        for name, edges in by_annotator.items()
        for start, end in pairwise(edges)
    )


def test_a_continuum_may_begin_anywhere() -> None:
    segmentations = from_continuum(tiled(ann=[100, 102, 105, 111], bob=[100, 105, 111]))
    assert segmentations["ann"].masses == (2, 3, 6)
    assert segmentations["bob"].masses == (5, 6)


def test_a_continuum_that_is_no_segmentation() -> None:
    gap = Continuum.from_units([Unit("a", 0, 4), Unit("a", 5, 9), Unit("b", 0, 9)])
    with pytest.raises(DataError, match="gap between 4 and 5 in the units of a"):
        from_continuum(gap)
    with pytest.raises(DataError, match="not a whole number"):
        from_continuum(tiled(a=[0, 1.5, 3], b=[0, 3]))
    assert inner_boundaries(tiled(a=[0, 1.5, 3], b=[0, 3]))["a"].tolist() == [1.5]
    with pytest.raises(DataError, match="unit 2-2 of a has no length"):
        from_continuum(tiled(a=[0, 2, 2, 3], b=[0, 3]))
