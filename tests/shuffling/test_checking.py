"""The checker of error types: built-in errors pass, and broken ones are named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from gammacp.continuum.fragments import column
from gammacp.testing import check_error
from shuffling import ERRORS, Category, ErrorType, FalsePositive, Position, Units


@pytest.mark.parametrize("name", ERRORS)
def test_built_in_errors_pass(name: str) -> None:
    check_error(ERRORS[name](), keeps=("segmentation",))


@pytest.mark.parametrize(
    "error",
    [
        Position(overlap=True),
        Position(factor=0),
        FalsePositive(overlap=False),
        Category(overlap=True),
    ],
)
def test_variants_of_errors_pass(error: ErrorType) -> None:
    check_error(error)
    if isinstance(error, (Category, Position)):
        check_error(error, keeps=("count",))


@dataclass(frozen=True, kw_only=True)
class Broken:
    """Error type that misbehaves in a given way."""

    name: ClassVar[str] = "broken"
    summary: ClassVar[str] = "for tests"
    source: ClassVar[str] = "none"

    way: str = ""

    def apply(
        self, units: Units, magnitude: float, setting: Any, rng: np.random.Generator
    ) -> Units:
        starts, ends, codes = units.starts + 0.0, units.ends + 0.0, units.codes + 0
        if self.way == "always":
            return Units(starts[1:], ends[1:], codes[1:])
        if self.way == "one piece":
            return Units(starts, ends, codes)
        if not magnitude or not len(units):
            return units
        if self.way == "gaps":
            return Units(starts, ends, codes, column((2.0, 1000.0) for _ in ends))
        if self.way == "in place":
            units.starts[0] += 1
        elif self.way == "own randomness":
            starts[0] -= np.random.default_rng().random() * starts[0]
        elif self.way == "shared randomness":
            np.random.random()  # noqa: NPY002
        elif self.way == "outside":
            ends[-1] = setting.bounds[1] + 1
        elif self.way == "backwards":
            starts, ends = ends, starts
        elif self.way == "NaN":
            starts[0] = np.nan
        elif self.way == "category":
            codes[0] = 7
        elif self.way == "unsorted":
            starts, ends, codes = starts[::-1], ends[::-1], codes[::-1]
        elif self.way == "uneven":
            codes = codes[1:]
        elif self.way == "fraction":
            ends = ends - rng.random(len(ends)) * units.lengths
        elif self.way == "fails":
            raise ValueError("a fault")
        return Units(starts, ends, codes)


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ("always", r"magnitude 0, layout apart, .*: is not 0 at magnitude 0: 12 units and 11"),
        ("one piece", "is not 0 at magnitude 0: fragments of units change"),
        ("gaps", r"unit \d+–\d+, category -?\d, has fragments outside it"),
        ("in place", "changes the units that it is given"),
        ("own randomness", r"the same random stream gives other units: \S+–\S+, category"),
        ("shared randomness", "draws from NumPy's shared stream"),
        ("outside", r"unit \d+–\d+, category -?\d, leaves the bounds 0–\d+"),
        ("backwards", "ends before it starts"),
        ("NaN", "unit nan–"),
        ("category", "category 7, is unknown"),
        ("unsorted", "units are not sorted"),
        ("uneven", r"columns of \[12, 12, 11\] units"),
        ("fraction", r"whole positions: unit \S+ .*is not whole"),
        ("fails", r"12 units: ValueError\('a fault'\)"),
    ],
)
def test_a_broken_error_type_is_named(way: str, told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        check_error(Broken(way=way))


def test_an_incomplete_declaration_is_named() -> None:
    class NoDataclass:
        name, summary, source = "loose", "for tests", "none"

        def apply(self, units: Units, *_: Any) -> Units:
            return units

    with pytest.raises(AssertionError, match="loose: is not a frozen dataclass"):
        check_error(NoDataclass())  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="applies to none"):
        check_error(Position(overlap=False), models=())


def test_claims_of_an_error_type_are_checked() -> None:
    with pytest.raises(AssertionError, match="12 units become"):
        check_error(ERRORS["merge"](), keeps=("count",))
    with pytest.raises(AssertionError, match="units overlap that did not"):
        check_error(Position(overlap=True), keeps=("apart",))
    with pytest.raises(AssertionError, match="gap or overlap in a segmentation"):
        check_error(Position(overlap=True), keeps=("segmentation",))
