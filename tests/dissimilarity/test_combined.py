from dataclasses import dataclass

import numpy as np
import pytest

from gammacp import Combined, Continuum, Unit, UsageError, align
from gammacp.arrays import Floats
from gammacp.dissimilarity import UnitColumns, bind, columns
from gammacp.testing import check_dissimilarity


@dataclass(frozen=True)
class EndsOnly:
    """A dissimilarity with the one method that is required."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return np.asarray(np.abs(u.end - v.end) / 100.0)


@dataclass(frozen=True)
class Broken:
    """Asymmetric."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return np.asarray(np.maximum(u.start - v.start, 0.0) / (u.length + v.length + 1))


def test_parts_add_up() -> None:
    c = Continuum.from_units([Unit("A", 0, 10, "x"), Unit("B", 10, 20, "y")])
    units = columns(c)
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
def test_arguments_that_cannot_be_meant(arguments: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        Combined(**arguments)  # type: ignore[arg-type]


def test_signature() -> None:
    assert Combined().signature == "combined(a:1,b:1,d:1,pos:sporadic,cat:nominal)"
