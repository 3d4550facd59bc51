from dataclasses import dataclass

import numpy as np
import pytest

from gammacp import Combined, Continuum, Unit, UsageError, align
from gammacp.base.arrays import Floats
from gammacp.dissimilarity import UnitColumns, bind, unit_columns
from gammacp.testing import check_dissimilarity


@dataclass(frozen=True)
class EndsOnly:
    """Dissimilarity with only the required method."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return np.asarray(np.abs(u.end - v.end) / 100.0)


@dataclass(frozen=True)
class Broken:
    """Dissimilarity that is not symmetric."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return np.asarray(np.maximum(u.start - v.start, 0.0) / (u.length + v.length + 1))


def test_parts_add_up() -> None:
    c = Continuum.from_units([Unit("A", 0, 10, "x"), Unit("B", 10, 20, "y")])
    units = unit_columns(c)
    d = bind(Combined(alpha=3, beta=2, delta=5), c)
    assert float(d.pairwise(units[0], units[1])) == pytest.approx(3 * 5 + 2 * 5)


def test_a_new_dissimilarity_needs_only_pairwise() -> None:
    c = Continuum.from_units([Unit("A", 0, 10, "x"), Unit("B", 10, 20, "y")])
    a = align(c, EndsOnly())
    assert a.disorder == pytest.approx(0.1)
    with pytest.raises(AssertionError, match="EndsOnly is 0 for different units"):
        check_dissimilarity(EndsOnly())
    with pytest.raises(AssertionError, match="Broken is not symmetric"):
        check_dissimilarity(Broken())


def test_a_new_positional_part() -> None:
    c = Continuum.from_units([Unit("A", 0, 10, "x"), Unit("B", 10, 20, "x")])
    a = align(c, Combined(positional=EndsOnly(), delta=2))  # type: ignore[arg-type]
    assert a.disorder == pytest.approx(0.2)


@pytest.mark.parametrize(
    "arguments",
    [
        {"alpha": -1},
        {"beta": np.nan},
        {"alpha": 0, "beta": 0},
        {"delta": 0},
        {"delta": np.inf},
        {"f_cat": "cube"},
    ],
)
def test_impossible_arguments_are_refused(arguments: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        Combined(**arguments)  # type: ignore[arg-type]


def test_signature() -> None:
    assert Combined().signature == "combined(a:1,b:1,d:1,pos:sporadic,cat:nominal)"


@dataclass(frozen=True)
class Sometimes:
    """Dissimilarity that is NaN between one pair of places."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        d = np.abs(u.start - v.start) + np.abs(u.end - v.end) + (u.category != v.category)
        odd = np.minimum(u.start, v.start) + np.maximum(u.start, v.start) * 1000 == 40_000
        return np.where(odd, np.nan, d)


@dataclass(frozen=True)
class OneWay:
    """Dissimilarity that is larger from an earlier unit to a later one than back."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        d = np.abs(u.start - v.start) + np.abs(u.end - v.end) + (u.category != v.category)
        return np.where(u.start < v.start, 2 * d, d)


def test_a_broken_promise_names_the_units_and_the_values() -> None:
    with pytest.raises(AssertionError, match=r"is NaN .*: d\(\[0, .*\[40, .*\) = nan"):
        check_dissimilarity(Sometimes(), invariant=())
    with pytest.raises(AssertionError, match=r"not symmetric: d\(.*\) = \S+, the other way round"):
        check_dissimilarity(OneWay(), invariant=())


def test_a_bounded_dissimilarity_has_a_remark() -> None:
    with pytest.warns(UserWarning, match="no pair is ever ruled out"):
        check_dissimilarity(Combined(alpha=0))


def test_smallest_weights_and_deltas() -> None:
    c = Continuum.from_units([Unit("A", 0, 10, "x"), Unit("B", 1, 10, "x")])
    assert align(c, Combined(alpha=1e-320)).disorder == pytest.approx(0, abs=1e-300)
    with pytest.raises(UsageError, match="delta 1e-320 is too small to compute with"):
        align(c, Combined(delta=1e-320))


@pytest.mark.parametrize("wrong", [3, "combined", object(), Combined, EndsOnly])
def test_objects_that_are_no_dissimilarity_are_refused(wrong: object) -> None:
    c = Continuum.from_units([Unit("A", 0, 10, "x"), Unit("B", 1, 10, "x")])
    with pytest.raises(UsageError, match=r"is no dissimilarity|is a class"):
        align(c, wrong)
