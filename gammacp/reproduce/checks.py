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
_FLAT = 1e-9  # of the range of y: a fall over a quarter of x that is none

Call = Callable[[Series, Series | None, Mapping[str, Any]], Verdict]


@dataclass(frozen=True)
class Check:
    """A predicate on a series, or on two (`compares`), with the parameters it takes."""

    call: Call
    required: frozenset[str]
    optional: frozenset[str]
    compares: bool


CHECKS: Registry[Check] = Registry("check")


def _register(name: str, *parameters: str, compares: bool = False) -> Callable[[Call], Call]:
    """Under `name`, with its parameters; those that may be left out end in "?"."""
    optional = frozenset(p[:-1] for p in parameters if p.endswith("?"))
    required = frozenset(p for p in parameters if not p.endswith("?"))

    def enter(call: Call) -> Call:
        CHECKS.register(name, Check(call, required, optional, compares))
        return call

    return enter


@_register("equals", "value", "tolerance?")
def equals(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """Every y is `value` within `tolerance` (default 1e-9); text is compared as it is."""
    if isinstance(p["value"], str):
        found = sorted(set(series.text))
        return Verdict(found == [p["value"]], ", ".join(found))
    off = np.abs(series.y - float(p["value"]))
    return Verdict(bool((off <= p.get("tolerance", 1e-9)).all()), _span(series.y))


@_register("between", "low", "high")
def between(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """Every y lies in [low, high]."""
    inside = (series.y >= p["low"]) & (series.y <= p["high"])
    return Verdict(bool(inside.all()), _span(series.y))


@_register("all-below", "value", "noise?")
def all_below(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """No y is above `value` beyond noise."""
    return Verdict(bool((series.y <= p["value"] + _margin(series.se, p)).all()), _span(series.y))


@_register("all-above", "value", "noise?")
def all_above(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """No y is below `value` beyond noise."""
    return Verdict(bool((series.y >= p["value"] - _margin(series.se, p)).all()), _span(series.y))


@_register("some-below", "value", "noise?")
def some_below(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """Some y is below `value` beyond noise."""
    return Verdict(bool((series.y < p["value"] - _margin(series.se, p)).any()), _span(series.y))


@_register("some-above", "value", "noise?")
def some_above(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """Some y is above `value` beyond noise."""
    return Verdict(bool((series.y > p["value"] + _margin(series.se, p)).any()), _span(series.y))


@_register("decreasing", "level?")
def decreasing(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """y fits a decreasing curve (p ≥ `level`, default 0.01) that falls over every quarter of x."""
    chance = _chance_of_rises(series)
    steps = np.diff(series.y)
    up, largest = int((steps > 0).sum()), int(np.argmax(steps))
    where = f"{series.x[largest]:g}→{series.x[largest + 1]:g}"
    return Verdict(
        bool(chance >= p.get("level", 0.01) and _least_fall(series) > _FLAT),
        f"{_ends(series)}; {up} of {len(steps)} steps up, largest {steps[largest]:+.3f} "
        f"at {where}; p {chance:.2f}",
    )


@_register("increasing", "level?")
def increasing(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """y fits an increasing curve, and ends above its start."""
    return decreasing(Series(series.x, -series.y, series.se, series.text), None, p)


@_register("increasing-somewhere", "level?")
def increasing_somewhere(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """y is not compatible with a decreasing curve (p < `level`, default 0.01)."""
    chance = _chance_of_rises(series)
    steps = np.diff(series.y)
    up = int((steps > 0).sum())
    return Verdict(
        chance < p.get("level", 0.01),
        f"{up} of {len(steps)} steps up, largest {steps.max():+.3f}; p {chance:.2f}",
    )


@_register("linear", "value?")
def linear(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """The squared correlation of x and y is at least `value` (default 0.98)."""
    r = float(np.corrcoef(series.x, series.y)[0, 1]) if np.ptp(series.y) > 0 else 0.0
    return Verdict(r * r >= p.get("value", 0.98), f"R² {r * r:.4f}, {_ends(series)}")


@_register("crosses", "value", "low", "high")
def crosses(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """y falls through `value` for the first time at an x in [low, high]."""
    under = np.flatnonzero(series.y < p["value"])
    if not len(under) or under[0] == 0:
        return Verdict(False, f"never crosses {p['value']:g}; {_span(series.y)}")
    i = int(under[0])
    share = (series.y[i - 1] - p["value"]) / (series.y[i - 1] - series.y[i])
    at = float(series.x[i - 1] + share * (series.x[i] - series.x[i - 1]))
    return Verdict(p["low"] <= at <= p["high"], f"crosses {p['value']:g} at {at:.3f}")


@_register("close-to", "tolerance", compares=True)
def close_to(series: Series, other: Series | None, p: Mapping[str, Any]) -> Verdict:
    """|y − y of `other`| ≤ `tolerance` at every common x."""
    gap = series.y - _matched(series, other)
    worst = float(np.nanmax(np.abs(gap)))
    return Verdict(worst <= p["tolerance"], f"largest difference {worst:.4f}")


@_register("less-than", "factor?", compares=True)
def less_than(series: Series, other: Series | None, p: Mapping[str, Any]) -> Verdict:
    """y < y of `other` (times `factor`, default 1) at every common x."""
    second = _matched(series, other) * p.get("factor", 1)
    both = ~(np.isnan(series.y) | np.isnan(second))
    holds = bool(both.any() and (series.y[both] < second[both]).all())
    return Verdict(holds, f"{_span(series.y)} against {_span(second)}")


@_register("spans", "low", "high", "tolerance?")
def spans(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """The least y is `low` and the largest `high`, each within `tolerance` (default 1e-9)."""
    ends = np.array([np.min(series.y) - p["low"], np.max(series.y) - p["high"]])
    return Verdict(bool((np.abs(ends) <= p.get("tolerance", 1e-9)).all()), _span(series.y))


@_register("least", compares=True)
def least(series: Series, other: Series | None, _: Mapping[str, Any]) -> Verdict:
    """Every y is below every y of `other`, its own apart."""
    assert other is not None
    rest = _without(other, series)
    return Verdict(bool(np.max(series.y) < np.min(rest)), f"{_span(series.y)} of {_span(rest)}")


@_register("greatest", compares=True)
def greatest(series: Series, other: Series | None, _: Mapping[str, Any]) -> Verdict:
    """Every y is above every y of `other`, its own apart."""
    assert other is not None
    rest = _without(other, series)
    return Verdict(bool(np.min(series.y) > np.max(rest)), f"{_span(series.y)} of {_span(rest)}")


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


def _least_fall(series: Series) -> float:
    """The least fall over a quarter of x or more, as a share of the range of y."""
    width = 0.25 * np.ptp(series.x) - 1e-9
    i, j = np.nonzero(width <= np.subtract.outer(series.x, series.x).T)
    return float((series.y[i] - series.y[j]).min() / max(np.ptp(series.y), 1e-300))


def _margin(se: Floats, p: Mapping[str, Any]) -> Floats:
    return np.asarray(np.nan_to_num(se) * p.get("noise", 2))


def _matched(series: Series, other: Series | None) -> Floats:
    assert other is not None
    found = {round(x, 9): y for x, y in zip(other.x, other.y, strict=True)}
    return np.array([found.get(round(x, 9), np.nan) for x in series.x])


def _without(other: Series, own: Series) -> Floats:
    """The values of `other` without those of `own`, each of which is taken out once."""
    rest = list(other.y)
    for y in own.y:
        rest.remove(y)
    return np.array(rest)


def _span(y: Floats) -> str:
    known = y[~np.isnan(y)]
    if not len(known):
        return "no value"
    low, high = float(known.min()), float(known.max())
    return f"{low:.6g}" if low == high else f"{low:.4g} to {high:.4g}"


def _ends(series: Series) -> str:
    return f"from {series.y[0]:.3f} to {series.y[-1]:.3f}"
