import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from experiments.mathet2015_fig23 import order_by_magnitude
from experiments.mathet2015_table2 import met
from gammacp.bench.ledger.checks import CHECKS
from gammacp.bench.ledger.series import Series


def series(*y: float, sets: int = 0, noise: float = 0.01) -> Series:
    """Return a curve, with `sets` sets around it if there are any."""
    x = np.arange(len(y)) / max(len(y) - 1, 1)
    drawn = np.random.default_rng(0).normal(y, noise, (sets, len(y)))
    return Series(x, np.array(y), tuple(map(str, y)), drawn if sets else None)


NAN = math.nan
CASES: list[tuple[str, Series, Series | None, Mapping[str, Any], bool]] = [
    ("equals", series(0.3), None, {"value": 0.3}, True),
    ("equals", series(0.3), None, {"value": 0.31}, False),
    ("equals", series(0.3), None, {"value": 0.31, "tolerance": 0.02}, True),
    ("equals", Series(np.zeros(1), np.full(1, NAN), ("B4",)), None, {"value": "B4"}, True),
    ("equals", Series(np.zeros(1), np.full(1, NAN), ("B5",)), None, {"value": "B4"}, False),
    ("between", series(0.1, 0.2), None, {"low": 0.1, "high": 0.2}, True),
    ("between", series(0.1, NAN), None, {"low": 0, "high": 1}, False),
    ("all-below", series(0.1, 0.2), None, {"value": 0.15}, False),
    ("all-below", series(0.1, 0.12), None, {"value": 0.15}, True),
    ("all-above", series(0.1, 0.2), None, {"value": 0.0}, True),
    ("all-above", series(0.1, -0.2), None, {"value": 0.0}, False),
    ("some-below", series(0.1, -0.2), None, {"value": 0.0}, True),
    ("some-below", series(0.1, 0.2), None, {"value": 0.0}, False),
    ("some-above", series(0.1, 0.4), None, {"value": 0.3}, True),
    ("some-above", series(0.1, 0.2), None, {"value": 0.3}, False),
    ("decreasing", series(1, 0.5, 0.2), None, {}, True),
    ("decreasing", series(1, 0.5, 0.6, 0.2), None, {}, False),
    ("decreasing", series(1, 1, 1), None, {}, False),
    ("not-decreasing", series(1, 0.5, 0.6, 0.2), None, {}, True),
    ("not-decreasing", series(1, 0.5, 0.2), None, {}, False),
    ("linear", series(1, 0.8, 0.6, 0.4), None, {}, True),
    ("linear", series(1, 0.2, 0.1, 0.0), None, {}, False),
    ("crosses", series(1, 0.5, -0.5), None, {"value": 0, "low": 0.7, "high": 0.8}, True),
    ("crosses", series(1, 0.5, -0.5), None, {"value": 0, "low": 0.0, "high": 0.1}, False),
    ("crosses", series(1, 0.5, 0.4), None, {"value": 0, "low": 0.0, "high": 1}, False),
    ("close-to", series(1, 0.5), series(1.01, 0.5), {"tolerance": 0.02}, True),
    ("close-to", series(1, 0.5), series(1.1, 0.5), {"tolerance": 0.02}, False),
    ("less-than", series(0.1, 0.5), series(0.2, 0.6), {}, True),
    ("less-than", series(0.1, 0.7), series(0.2, 0.6), {}, False),
    ("less-than", series(NAN), series(NAN), {}, False),
    ("increasing", series(0.1, 0.5), None, {}, True),
    ("increasing", series(0.2, 0.2), None, {}, False),
    ("spans", series(0, 0.4, 1), None, {"low": 0, "high": 1}, True),
    ("spans", series(0.2, 0.4, 1), None, {"low": 0, "high": 1, "tolerance": 0.1}, False),
    ("least", series(0.1), series(0.3, 0.1, 0.2), {}, True),
    ("least", series(0.1), series(0.1, 0.1, 0.2), {}, False),
    ("greatest", series(0.3), series(0.3, 0.1, 0.2), {}, True),
    ("greatest", series(0.2), series(0.3, 0.1, 0.2), {}, False),
    ("undefined", series(NAN, NAN), None, {}, True),
    ("undefined", series(NAN, 0.2), None, {}, False),
]


LINE = tuple(np.linspace(1, 0, 11))
HALF = (*LINE[:6], *[LINE[5]] * 5)
BENT = tuple(np.linspace(1, 0, 11) ** 4)
BUMP = (*LINE[:8], 0.5, *LINE[9:])
SETS: list[tuple[str, tuple[float, ...], Mapping[str, Any], bool]] = [
    ("between", LINE[:3], {"low": 0.7, "high": 1.1}, True),
    ("between", LINE[:3], {"low": 0.85, "high": 1.1}, False),
    ("all-below", LINE[5:], {"value": 0.6}, True),
    ("all-below", LINE, {"value": 0.6}, False),
    ("all-above", LINE, {"value": -0.1}, True),
    ("all-above", LINE, {"value": 0.1}, False),
    ("some-below", LINE, {"value": 0.1}, True),
    ("some-below", LINE, {"value": -0.1}, False),
    ("some-above", LINE, {"value": 0.9}, True),
    ("some-above", LINE, {"value": 1.1}, False),
    ("decreasing", LINE, {}, True),
    ("decreasing", HALF, {}, False),
    ("decreasing", BUMP, {}, False),
    ("not-decreasing", HALF, {}, True),
    ("not-decreasing", LINE, {}, False),
    ("linear", LINE, {}, True),
    ("linear", BENT, {}, False),
    ("crosses", LINE, {"value": 0.45, "low": 0.5, "high": 0.6}, True),
    ("crosses", LINE, {"value": 0.45, "low": 0.7, "high": 0.8}, False),
]


@pytest.mark.parametrize(("check", "curve", "parameters", "holds"), SETS)
def test_checks_on_single_sets(
    check: str, curve: tuple[float, ...], parameters: Mapping[str, Any], holds: bool
) -> None:
    verdict = CHECKS[check].call(series(*curve, sets=20), None, parameters)
    assert (verdict.holds, verdict.open) == (holds, False)


def test_pairs_of_curves_are_compared_set_by_set() -> None:
    rng = np.random.default_rng(0)
    common = rng.normal(0, 1, (10, 11))
    x, y = np.linspace(0, 1, 11), np.zeros(11)
    first = Series(x, y, ("",) * 11, common)
    second = Series(x, y, ("",) * 11, common + 0.1 + rng.normal(0, 0.01, (10, 11)))
    assert CHECKS["less-than"].call(first, second, {}).holds
    assert not CHECKS["less-than"].call(second, first, {}).holds
    assert CHECKS["close-to"].call(first, second, {"tolerance": 0.2}).holds
    assert not CHECKS["close-to"].call(first, second, {"tolerance": 0.05}).holds


def test_too_few_sets_leave_a_claim_open() -> None:
    verdict = CHECKS["decreasing"].call(series(*LINE, sets=3, noise=1.0), None, {})
    assert (verdict.holds, verdict.open) == (False, True)


@pytest.mark.parametrize(("check", "first", "other", "parameters", "holds"), CASES)
def test_checks_hold_or_fail_as_expected(
    check: str, first: Series, other: Series | None, parameters: Mapping[str, Any], holds: bool
) -> None:
    verdict = CHECKS[check].call(first, other, parameters)
    assert verdict.holds is holds
    assert verdict.measured


def test_every_check_is_tested_both_ways() -> None:
    seen = {(name, holds) for name, _, _, _, holds in CASES}
    assert seen == {(name, holds) for name in CHECKS for holds in (True, False)}


def test_requirements_of_measures_combine_registry_and_probe() -> None:
    """A requirement counts as met only if neither the registry nor the probe says no.

    Exact F₁, for example, is near 0 at random without any correction for chance.
    """
    assert met({"registry": "no", "probe": "yes"}) == "no"
    assert met({"registry": "yes", "probe": "no"}) == "no"
    assert met({"registry": None, "probe": "partly"}) == "partly"


def test_units_keep_their_order_only_under_small_shifts() -> None:
    """The number of units is constant at all magnitudes (figure 23), but large shifts swap
    units.
    """
    rows = order_by_magnitude(4)
    assert all(row["share_same_number"] == 1 for row in rows)
    assert rows[0]["share_same_order"] == 1
    assert rows[-1]["share_same_order"] < 0.5
