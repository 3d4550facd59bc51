"""Figures 14–22 of Mathet, Widlöcher & Métivier (2015), §6.1, on the command line.

The figures show no coordinates; the layouts in tests/fixtures/unitizing give all published numbers.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run

FIGURES = Path(__file__).parents[1] / "fixtures" / "unitizing"
Measured = Callable[..., dict[str, dict[str, float]]]


@pytest.fixture
def measured(run: Run) -> Measured:
    def measure(figure: str, *names: str, **options: str) -> dict[str, dict[str, float]]:
        flags = [text for key, value in options.items() for text in (f"--{key}", value)]
        file = FIGURES / f"figure_{figure}.csv"
        sampled = ["--samples", "30"] if any(name.startswith("gamma") for name in names) else []
        outcome = run("measure", file, "-m", ",".join(names), *sampled, "--json", *flags)
        assert outcome.code == 0, outcome.err
        measures = json.loads(outcome.out)["results"][0]["measures"]
        assert isinstance(measures, dict)
        return measures

    return measure


def test_figure_14(measured: Measured) -> None:
    found = measured("14", "u-alpha-2013", "cu-alpha", metric="interval")
    assert round(found["u-alpha-2013"]["observed"], 3) == 3.145
    assert round(found["u-alpha-2013"]["expected"], 3) == 5.286
    assert round(found["u-alpha-2013"]["value"], 3) == 0.405
    assert round(found["cu-alpha"]["value"], 3) == 0.744


def test_figure_15_right(measured: Measured) -> None:
    found = measured("15_right", "u-alpha-2013", "gamma")
    assert round(found["u-alpha-2013"]["value"], 2) == -0.34
    # Without categories, no unit is misplaced.
    assert measured("15_right", "gamma", beta="0")["gamma"]["value"] == 1


def test_figure_16(measured: Measured) -> None:
    found = measured("16", "gamma-cat", "cu-alpha")
    assert found["gamma-cat"]["value"] == 1
    assert found["cu-alpha"]["value"] < 1


def test_figure_17(measured: Measured) -> None:
    long, short = (measured(f"17_{size}", "u-alpha-2013", "gamma") for size in ("long", "short"))
    ratio = long["u-alpha-2013"]["observed"] / short["u-alpha-2013"]["observed"]
    assert ratio == pytest.approx(50)
    # γ counts unaligned units, whatever their length: twice the disorder before the division by x̄.
    assert (long["gamma"]["observed"] * 0.5, short["gamma"]["observed"] * 1) == (1, 2)


@pytest.mark.parametrize(("parts", "observed"), [(1, 36), (2, 18), (3, 12), (4, 9), (6, 6)])
def test_figure_18(measured: Measured, parts: int, observed: float) -> None:
    assert measured(f"18_{parts}", "u-alpha-2013")["u-alpha-2013"]["observed"] == observed


def test_figure_19(measured: Measured) -> None:
    found = measured("19", "u-alpha-2013", "gamma")
    assert found["u-alpha-2013"]["observed"] == 0
    assert found["gamma"]["observed"] > 0


def test_figure_20(measured: Measured) -> None:
    small, large = (measured(f"20_{size}", "u-alpha-2013", "gamma") for size in ("small", "large"))
    ratio = large["u-alpha-2013"]["observed"] / small["u-alpha-2013"]["observed"]
    assert ratio == pytest.approx(9)
    assert large["gamma"]["observed"] == pytest.approx(small["gamma"]["observed"])


def test_figure_21(measured: Measured) -> None:
    shifted, same = (measured(f"21{part}", "u-alpha-2013", "gamma") for part in "ab")
    assert round(shifted["u-alpha-2013"]["value"], 3) == 0.107
    assert round(same["u-alpha-2013"]["value"], 3) == -0.287
    # "γ provides a better agreement in the second case" (§6.1.7)
    assert same["gamma"]["observed"] < shifted["gamma"]["observed"]


def test_figure_22(measured: Measured) -> None:
    found = measured("22", "gamma", "cu-alpha", "u-alpha")
    assert found["gamma"]["value"] == 1
    assert found["cu-alpha"]["value"] < 1
    assert found["u-alpha"]["value"] is None
    assert found["u-alpha"]["reason"] == "unit 10-20 of A overlaps unit 0-30 of A"


def test_coefficient_of_kappa_d(measured: Measured) -> None:
    values = {
        name: measured("14", "kappa-d", coefficient=name)["kappa-d"]["value"]
        for name in ("fleiss", "cohen", "alpha")
    }
    assert len(set(values.values())) == 3
