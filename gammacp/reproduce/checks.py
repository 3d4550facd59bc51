"""What can be claimed of a series, as machine-checked predicates; one registry.

Noise: a difference counts as real beyond `noise` (default 2) standard errors of it; where a file
has no standard errors, every difference counts.
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
    """No step goes up beyond noise, and the last y is below the first."""
    steps, z = _steps(series)
    worst = int(np.argmax(z))
    holds = bool(z.max() <= p.get("noise", 2) and series.y[-1] < series.y[0])
    up = int((steps >= 0).sum())
    where = f"{series.x[worst]:g}→{series.x[worst + 1]:g}"
    return Verdict(
        holds,
        f"{_ends(series)}; {up} of {len(steps)} steps up, largest {steps[worst]:+.3f} "
        f"({z[worst]:.1f} se) at {where}",
    )


@_register("increasing-somewhere")
def increasing_somewhere(series: Series, _: Series | None, p: Mapping[str, Any]) -> Verdict:
    """y rises beyond noise between some x and a later one: it is not strictly decreasing."""
    rise, z, at = 0.0, -np.inf, (0, 0)
    for i in range(len(series.y)):
        for j in range(i + 1, len(series.y)):
            step = series.y[j] - series.y[i]
            score = _z(step, float(np.hypot(series.se[i], series.se[j])))
            if score > z:
                rise, z, at = float(step), score, (i, j)
    where = f"{series.x[at[0]]:g}→{series.x[at[1]]:g}"
    return Verdict(
        bool(rise > 0 and z > p.get("noise", 2)), f"most certain rise {rise:+.3f} at {where}"
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


def _steps(series: Series) -> tuple[Floats, Floats]:
    steps = np.diff(series.y)
    errors = np.hypot(series.se[1:], series.se[:-1])
    return steps, np.array([_z(s, e) for s, e in zip(steps, errors, strict=True)])


def _z(step: float, error: float) -> float:
    if error > 0:
        return float(step / error)
    return float(np.sign(step)) * np.inf if step else 0.0


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
