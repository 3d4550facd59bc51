"""What can be claimed of a series, as machine-checked predicates; one registry.

Noise: a value counts as beyond another when it is so by `noise` (default 2) standard errors, a
curve as rising when noise alone would hardly make it rise so much; where a file has no standard
errors, every difference counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.arrays import Floats
from gammacp.registry import Registry
from gammacp.reproduce.series import Series


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds, and what was measured, in words."""

    holds: bool
    measured: str


_DRAWS = 1000

Check = Callable[[Series, Series | None, Mapping[str, Any]], Verdict]
CHECKS: Registry[Check] = Registry("check")


def _register(name: str) -> Callable[[Check], Check]:
    return lambda check: CHECKS.register(name, check)


@_register("equals")
def equals(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """Every y is `value` within `tolerance` (default 1e-9); text is compared as it is."""
    if isinstance(p["value"], str):
        found = sorted(set(series.text))
        return Verdict(found == [p["value"]], ", ".join(found))
    off = np.abs(series.y - float(p["value"]))
    return Verdict(bool((off <= p.get("tolerance", 1e-9)).all()), _span(series.y))


@_register("between")
def between(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """Every y lies in [low, high]."""
    inside = (series.y >= p["low"]) & (series.y <= p["high"])
    return Verdict(bool(inside.all()), _span(series.y))


@_register("all-below")
def all_below(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """No y is above `value` beyond noise."""
    return Verdict(bool((series.y <= p["value"] + _margin(series.se, p)).all()), _span(series.y))


@_register("all-above")
def all_above(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """No y is below `value` beyond noise."""
    return Verdict(bool((series.y >= p["value"] - _margin(series.se, p)).all()), _span(series.y))


@_register("some-below")
def some_below(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """Some y is below `value` beyond noise."""
    return Verdict(bool((series.y < p["value"] - _margin(series.se, p)).any()), _span(series.y))


@_register("some-above")
def some_above(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """Some y is above `value` beyond noise."""
    return Verdict(bool((series.y > p["value"] + _margin(series.se, p)).any()), _span(series.y))


@_register("decreasing")
def decreasing(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """y fits a decreasing curve (p ≥ `level`, default 0.01) and ends below its start."""
    chance = _chance_of_rises(series)
    steps = np.diff(series.y)
    up, largest = int((steps > 0).sum()), int(np.argmax(steps))
    where = f"{series.x[largest]:g}→{series.x[largest + 1]:g}"
    return Verdict(
        bool(chance >= p.get("level", 0.01) and series.y[-1] < series.y[0]),
        f"{_ends(series)}; {up} of {len(steps)} steps up, largest {steps[largest]:+.3f} "
        f"at {where}; p {chance:.2f}",
    )


@_register("increasing-somewhere")
def increasing_somewhere(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """y is not compatible with a decreasing curve (p < `level`, default 0.01)."""
    chance = _chance_of_rises(series)
    steps = np.diff(series.y)
    up = int((steps > 0).sum())
    return Verdict(
        chance < p.get("level", 0.01),
        f"{up} of {len(steps)} steps up, largest {steps.max():+.3f}; p {chance:.2f}",
    )


@_register("linear")
def linear(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """The squared correlation of x and y is at least `value` (default 0.98)."""
    r = float(np.corrcoef(series.x, series.y)[0, 1]) if np.ptp(series.y) > 0 else 1.0
    return Verdict(r * r >= p.get("value", 0.98), f"R² {r * r:.4f}, {_ends(series)}")


@_register("crosses")
def crosses(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """y falls through `value` for the first time at an x in [low, high]."""
    under = np.flatnonzero(series.y < p["value"])
    if not len(under) or under[0] == 0:
        return Verdict(False, f"never crosses {p['value']:g}; {_span(series.y)}")
    i = int(under[0])
    share = (series.y[i - 1] - p["value"]) / (series.y[i - 1] - series.y[i])
    at = float(series.x[i - 1] + share * (series.x[i] - series.x[i - 1]))
    return Verdict(p["low"] <= at <= p["high"], f"crosses {p['value']:g} at {at:.3f}")


@_register("close-to")
def close_to(series: Series, other: Series | None, p: Mapping[str, Any]) -> Verdict:
    """|y − y of `other`| ≤ `tolerance` at every common x."""
    gap = series.y - _matched(series, other)
    worst = float(np.nanmax(np.abs(gap)))
    return Verdict(worst <= p["tolerance"], f"largest difference {worst:.4f}")


@_register("less-than")
def less_than(series: Series, other: Series | None, p: Mapping[str, Any]) -> Verdict:
    """y < y of `other` (times `factor`, default 1) at every common x."""
    second = _matched(series, other) * p.get("factor", 1)
    both = ~(np.isnan(series.y) | np.isnan(second))
    holds = bool(both.any() and (series.y[both] < second[both]).all())
    return Verdict(holds, f"{_span(series.y)} against {_span(second)}")


@_register("undefined")
def undefined(series: Series, _: Series | None, __: Mapping[str, Any]) -> Verdict:
    """No y is there."""
    missing = int(np.isnan(series.y).sum())
    return Verdict(missing == len(series.y), f"{missing} of {len(series.y)} undefined")


def _chance_of_rises(series: Series) -> float:
    """How often noise alone departs as far from a decreasing curve as y does.

    The distance is the weighted sum of squares to the best decreasing fit (isotonic regression);
    its distribution under noise is simulated around that fit. Without standard errors any rise
    counts.
    """
    from scipy.optimize import isotonic_regression

    least = 1e-9
    se = np.maximum(np.nan_to_num(series.se), least)

    def distance(y: Floats) -> tuple[float, Floats]:
        fit = isotonic_regression(y, weights=se**-2, increasing=False).x
        return float((((y - fit) / se) ** 2).sum()), fit

    observed, fit = distance(series.y)
    if observed <= least:
        return 1.0
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((_DRAWS, len(fit))) * np.where(se > least, se, 0.0)
    return sum(distance(fit + e)[0] >= observed for e in noise) / _DRAWS


def _margin(se: Floats, p: Mapping[str, Any]) -> Floats:
    return np.asarray(np.nan_to_num(se) * p.get("noise", 2))


def _matched(series: Series, other: Series | None) -> Floats:
    assert other is not None
    found = {round(x, 9): y for x, y in zip(other.x, other.y, strict=True)}
    return np.array([found.get(round(x, 9), np.nan) for x in series.x])


def _span(y: Floats) -> str:
    known = y[~np.isnan(y)]
    if not len(known):
        return "no value"
    low, high = float(known.min()), float(known.max())
    return f"{low:.6g}" if low == high else f"{low:.4g} to {high:.4g}"


def _ends(series: Series) -> str:
    return f"from {series.y[0]:.3f} to {series.y[-1]:.3f}"
