import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from gammacp.reproduce.checks import CHECKS
from gammacp.reproduce.series import Series


def series(*y: float, se: float = 0.0) -> Series:
    x = np.arange(len(y), dtype=float) / 10
    return Series(x, np.array(y), np.full(len(y), se), tuple(str(v) for v in y))


NAN = math.nan
CASES: list[tuple[str, Series, Series | None, Mapping[str, Any], bool]] = [
    ("equals", series(0.3), None, {"value": 0.3}, True),
    ("equals", series(0.3), None, {"value": 0.31}, False),
    ("equals", series(0.3), None, {"value": 0.31, "tolerance": 0.02}, True),
    (
        "equals",
        Series(np.zeros(1), np.full(1, NAN), np.zeros(1), ("B4",)),
        None,
        {"value": "B4"},
        True,
    ),
    (
        "equals",
        Series(np.zeros(1), np.full(1, NAN), np.zeros(1), ("B5",)),
        None,
        {"value": "B4"},
        False,
    ),
    ("between", series(0.1, 0.2), None, {"low": 0.1, "high": 0.2}, True),
    ("between", series(0.1, NAN), None, {"low": 0, "high": 1}, False),
    ("all-below", series(0.1, 0.2), None, {"value": 0.15}, False),
    ("all-below", series(0.1, 0.2, se=0.1), None, {"value": 0.15}, True),
    ("all-above", series(0.1, 0.2), None, {"value": 0.0}, True),
    ("all-above", series(0.1, -0.2), None, {"value": 0.0}, False),
    ("some-below", series(0.1, -0.2), None, {"value": 0.0}, True),
    ("some-below", series(0.1, -0.2, se=0.2), None, {"value": 0.0}, False),
    ("some-above", series(0.1, 0.4), None, {"value": 0.3}, True),
    ("some-above", series(0.1, 0.2), None, {"value": 0.3}, False),
    ("decreasing", series(1, 0.5, 0.2), None, {}, True),
    ("decreasing", series(1, 0.5, 0.6, 0.2), None, {}, False),
    ("decreasing", series(1, 0.9, 0.7, 0.5, 0.51, 0.4, 0.3, 0.2, 0, se=0.01), None, {}, True),
    ("decreasing", series(1, 0.9, 0.7, 0.5, 0.5, 0.5, 0.5, 0.2, 0, se=0.01), None, {}, False),
    ("decreasing", series(1, 1, 1), None, {}, False),
    ("increasing-somewhere", series(1, 0.5, 0.6, 0.2), None, {}, True),
    ("increasing-somewhere", series(1, 0.5, 0.51, se=0.1), None, {}, False),
    ("increasing-somewhere", series(1, 0.5, 0.2), None, {}, False),
    ("linear", series(1, 0.8, 0.6, 0.4), None, {}, True),
    ("linear", series(1, 0.2, 0.1, 0.0), None, {}, False),
    ("crosses", series(1, 0.5, -0.5), None, {"value": 0, "low": 0.14, "high": 0.16}, True),
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


@pytest.mark.parametrize(("check", "first", "other", "parameters", "holds"), CASES)
def test_checks(
    check: str, first: Series, other: Series | None, parameters: Mapping[str, Any], holds: bool
) -> None:
    verdict = CHECKS[check].call(first, other, parameters)
    assert verdict.holds is holds
    assert verdict.measured


def test_every_check_is_tested_both_ways() -> None:
    seen = {(name, holds) for name, _, _, _, holds in CASES}
    assert seen == {(name, holds) for name in CHECKS for holds in (True, False)}
