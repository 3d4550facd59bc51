"""Registry of predicates on series, which decide claims.

If a file has the values of single annotation sets, a claim is tested on them with paired tests
(`gammacp.bench.trends`), and may remain open if there are too few sets. Otherwise the numbers are
compared without a test.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.bench import trends
from gammacp.bench.ledger.series import Series
from gammacp.registry import Registry


@dataclass(frozen=True)
class ClaimVerdict:
    """Verdict on a claim, with the measured values in words; `open` if the sets are too few."""

    holds: bool
    measured: str
    open: bool = False


Call = Callable[[Series, Series | None, Mapping[str, Any]], ClaimVerdict]


@dataclass(frozen=True)
class Check:
    """A predicate on a series, or on two (`compares`), with the parameters it takes."""

    call: Call
    required: frozenset[str]
    optional: frozenset[str]
    compares: bool


CHECKS: Registry[Check] = Registry("check")


def _register(name: str, *parameters: str, compares: bool = False) -> Callable[[Call], Call]:
    """Register a check under `name`, with its parameters; optional ones end in "?"."""
    optional = frozenset(p[:-1] for p in parameters if p.endswith("?"))
    required = frozenset(p for p in parameters if not p.endswith("?"))

    def enter(call: Call) -> Call:
        CHECKS.register(name, Check(call, required, optional, compares))
        return call

    return enter


@_register("equals", "value", "tolerance?")
def equals(series: Series, _: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that every y is `value` within `tolerance` (default 1e-9); text must be equal."""
    if isinstance(p["value"], str):
        texts = sorted(set(series.text))
        return ClaimVerdict(texts == [p["value"]], ", ".join(texts))
    off = np.abs(series.y - float(p["value"]))
    return ClaimVerdict(bool((off <= p.get("tolerance", 1e-9)).all()), _span(series.y))


@_register("between", "low", "high")
def between(series: Series, _: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that every y lies in [low, high]."""
    if series.values is not None:
        middle = (p["low"] + p["high"]) / 2
        margin = (p["high"] - p["low"]) / 2
        return _verdict_of(trends.near(series.values, middle, margin=margin, magnitudes=series.x))
    inside = (series.y >= p["low"]) & (series.y <= p["high"])
    return ClaimVerdict(bool(inside.all()), _span(series.y))


@_register("all-below", "value")
def all_below(series: Series, _: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that no y is above `value`."""
    if series.values is not None:
        return _verdict_of(trends.below(series.values, p["value"], magnitudes=series.x))
    return ClaimVerdict(bool((series.y <= p["value"]).all()), _span(series.y))


@_register("all-above", "value")
def all_above(series: Series, _: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that no y is below `value`."""
    return _negated(all_below(series.turned(), None, {"value": -p["value"]}), series)


@_register("some-below", "value")
def some_below(series: Series, _: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that some y is below `value`."""
    if series.values is not None:
        above = trends.below(-series.values, -p["value"], magnitudes=series.x)
        return _verdict_of(above.negate())
    return ClaimVerdict(bool((series.y < p["value"]).any()), _span(series.y))


@_register("some-above", "value")
def some_above(series: Series, _: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that some y is above `value`."""
    return _negated(some_below(series.turned(), None, {"value": -p["value"]}), series)


@_register("decreasing", "window?", "flat?")
def decreasing(series: Series, _: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that y falls over every `window` of x (`trends.falls`), or with every step."""
    if series.values is not None:
        return _verdict_of(trends.falls(series.values, series.x, **p))
    steps = np.diff(series.y)
    # A step from or to an undefined value counts as not falling.
    up = int((~(steps < 0)).sum())
    return ClaimVerdict(not up, f"{_ends(series)}; {up} of {len(steps)} steps do not fall")


@_register("increasing")
def increasing(series: Series, _: Series | None, __: Mapping[str, Any]) -> ClaimVerdict:
    """Test that y rises with every step."""
    turned = Series(series.x, -series.y, series.text)
    return replace(decreasing(turned, None, {}), measured=_ends(series))


@_register("not-decreasing")
def not_decreasing(series: Series, _: Series | None, __: Mapping[str, Any]) -> ClaimVerdict:
    """Test that y rises somewhere, or is flat over a quarter of [0, 1]."""
    if series.values is not None:
        return _verdict_of(trends.falls(series.values, series.x).negate())
    return ClaimVerdict(bool((np.diff(series.y) >= 0).any()), _ends(series))


@_register("linear", "value?", "tolerance?")
def linear(series: Series, _: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that y is close to a line, within `tolerance` (default .1) of the range of the line.

    Without sets, test that the squared correlation of x and y is at least `value` (default 0.98).
    """
    if series.values is not None:
        tolerance = p.get("tolerance", 0.1)
        return _verdict_of(trends.linear(series.values, series.x, tolerance=tolerance))
    r = 0.0
    if np.ptp(series.y) > 0:
        r = float(np.corrcoef(series.x, series.y)[0, 1])
    return ClaimVerdict(r * r >= p.get("value", 0.98), f"R² {r * r:.4f}, {_ends(series)}")


@_register("crosses", "value", "low", "high")
def crosses(series: Series, _: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that y falls through `value` at an x in [low, high]; with sets, that it stays below."""
    if series.values is not None:
        slack = p["high"] - p["low"]
        return _verdict_of(
            trends.below_from(series.values, series.x, p["value"], p["high"], slack=slack)
        )
    under = np.flatnonzero(series.y < p["value"])
    if not len(under) or under[0] == 0:
        return ClaimVerdict(False, f"never crosses {p['value']:g}; {_span(series.y)}")
    i = int(under[0])
    share = (series.y[i - 1] - p["value"]) / (series.y[i - 1] - series.y[i])
    at = float(series.x[i - 1] + share * (series.x[i] - series.x[i - 1]))
    return ClaimVerdict(p["low"] <= at <= p["high"], f"crosses {p['value']:g} at {at:.3f}")


@_register("close-to", "tolerance", compares=True)
def close_to(series: Series, other: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that y differs from that of `other` by at most `tolerance` at every common x."""
    if series.values is not None and other is not None and other.values is not None:
        return _verdict_of(
            trends.near(series.values, other.values, margin=p["tolerance"], magnitudes=series.x)
        )
    gap = series.y - _other_y(series, other)
    worst = float(np.nanmax(np.abs(gap)))
    return ClaimVerdict(worst <= p["tolerance"], f"largest difference {worst:.4f}")


@_register("less-than", "factor?", compares=True)
def less_than(series: Series, other: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that y is below y of `other` times `factor` (default 1) at every common x."""
    if series.values is not None and other is not None and other.values is not None:
        target = other.values * p.get("factor", 1)
        return _verdict_of(trends.below(series.values, target, magnitudes=series.x))
    second = _other_y(series, other) * p.get("factor", 1)
    both = ~(np.isnan(series.y) | np.isnan(second))
    holds = bool(both.any() and (series.y[both] < second[both]).all())
    return ClaimVerdict(holds, f"{_span(series.y)} against {_span(second)}")


@_register("spans", "low", "high", "tolerance?")
def spans(series: Series, _: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that the least y is `low` and the largest `high`, within `tolerance` (1e-9)."""
    if series.values is not None:
        margin = p.get("tolerance", 1e-9)
        at = (int(np.argmin(series.y)), p["low"]), (int(np.argmax(series.y)), p["high"])
        return _verdict_of(trends.every(*(_near(series, i, y, margin) for i, y in at)))
    ends = np.array([np.min(series.y) - p["low"], np.max(series.y) - p["high"]])
    return ClaimVerdict(bool((np.abs(ends) <= p.get("tolerance", 1e-9)).all()), _span(series.y))


@_register("least", compares=True)
def least(series: Series, other: Series | None, _: Mapping[str, Any]) -> ClaimVerdict:
    """Test that every y is below all y of `other`, which contains the series, outside it."""
    assert other is not None
    rest = list(other.y)
    for y in series.y:
        rest.remove(y)
    return ClaimVerdict(
        bool(np.max(series.y) < np.min(rest)), f"{_span(series.y)} of {_span(other.y)}"
    )


@_register("greatest", compares=True)
def greatest(series: Series, other: Series | None, p: Mapping[str, Any]) -> ClaimVerdict:
    """Test that every y is above all y of `other`, which contains the series, outside it."""
    assert other is not None
    turned = least(series.turned(), other.turned(), p)
    return replace(turned, measured=f"{_span(series.y)} of {_span(other.y)}")


@_register("undefined")
def undefined(series: Series, _: Series | None, __: Mapping[str, Any]) -> ClaimVerdict:
    """Test that every y is undefined."""
    missing = int(np.isnan(series.y).sum())
    return ClaimVerdict(missing == len(series.y), f"{missing} of {len(series.y)} undefined")


def _near(series: Series, point: int, target: float, margin: float) -> trends.Trend:
    """Test whether one point of a series lies within `margin` of `target`."""
    column = slice(point, point + 1)
    assert series.values is not None
    return trends.near(series.values[:, column], target, margin=margin, magnitudes=series.x[column])


def _verdict_of(trend: trends.Trend) -> ClaimVerdict:
    """Return the verdict of a trend as a `ClaimVerdict` of the ledger."""
    verdict = trend.verdict
    return ClaimVerdict(
        verdict is trends.TrendVerdict.HOLDS, str(trend), verdict is trends.TrendVerdict.OPEN
    )


def _negated(verdict: ClaimVerdict, series: Series) -> ClaimVerdict:
    """Return a verdict on −y that reports the values of y."""
    if series.values is not None:
        return verdict
    return replace(verdict, measured=_span(series.y))


def _other_y(series: Series, other: Series | None) -> Floats:
    assert other is not None
    y_by_x = {round(x, 9): y for x, y in zip(other.x, other.y, strict=True)}
    return np.array([y_by_x.get(round(x, 9), np.nan) for x in series.x])


def _span(y: Floats) -> str:
    defined_y = y[~np.isnan(y)]
    if not len(defined_y):
        return "no value"
    low, high = float(defined_y.min()), float(defined_y.max())
    if low == high:
        return f"{low:.6g}"
    return f"{low:.4g} to {high:.4g}"


def _ends(series: Series) -> str:
    return f"from {series.y[0]:.3f} to {series.y[-1]:.3f}"
