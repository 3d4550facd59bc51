"""Figures of a sweep: one per error with all measures, one per measure with all errors.

Style and files are those of `gammacp.plots`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gammacp.bench.table import Point, by_error, by_measure
from gammacp.plots import COLOURS, DASHES, MARKERS, figure

_MARKED = 10  # markers on a curve, about
_FLOOR = -1.25  # curves may fall without end (SER): the rest is cut off, and said

_NAMES = {
    "gamma": "γ",
    "gamma-cat": "γ$_{cat}$",
    "gamma-k": "γ$_k$",
    "soft-gamma": "soft γ",
    "u-alpha": "$_u$α",
    "u-alpha-2013": "$_u$α (2013)",
    "binary-u-alpha": "$_{|u}$α",
    "cu-alpha": "$_{c|u}$α",
    "ku-alpha": "$_{(k)u}$α",
    "kappa-d": "κ$_d$",
    "alpha": "α",
    "kappa": "κ",
    "ser": "1 − SER",
    "windowdiff": "1 − WD",
    "pk": "1 − P$_k$",
    "ghd": "1 − GHD",
    "s": "S",
    "b": "B",
    "alpha-plain": "α$_{plain}$",
    "alpha-diff": "α$_{diff}$",
    "alpha-norm": "α$_{norm}$",
    "las": "LAS",
    "jaccard": "Jaccard",
}


def measure_title(name: str) -> str:
    """A measure's name as papers write it.

    >>> measure_title("ku-alpha[verb]")
    '$_{(k)u}$α, verb'
    """
    family, bracket, category = name.partition("[")
    title = _NAMES.get(family, family)
    return f"{title}, {category.removesuffix(']')}" if bracket else title


def plot_errors(points: Sequence[Point], folder: Path) -> list[Path]:
    """`<error>.svg` and `<error>.png` for each error; returns the paths."""
    written: list[Path] = []
    for error, group in by_error(points).items():
        curves = by_measure(group)
        written += _plot(
            {measure_title(name): curve for name, curve in curves.items()},
            folder / error,
            title=f"Error: {error.replace('+', ' + ')}",
        )
    return written


def plot_measures(points: Sequence[Point], folder: Path) -> list[Path]:
    """`measure-<name>.svg` and `.png` for each measure, with all errors; returns the paths."""
    written: list[Path] = []
    for measure, group in by_measure(points).items():
        written += _plot(
            {error.replace("+", " + "): curve for error, curve in by_error(group).items()},
            folder / f"measure-{_file_name(measure)}",
            title=f"Measure: {measure_title(measure)}",
        )
    return written


def _file_name(measure: str) -> str:
    return "".join(c if c.isalnum() or c in "-_+.[]" else "_" for c in measure)


def _plot(curves: dict[str, list[Point]], stem: Path, *, title: str) -> list[Path]:
    """One pair of axes with a curve per entry, as SVG and PNG."""
    with figure(stem) as axes:
        for i, (label, curve) in enumerate(curves.items()):
            draw_curve(axes, i, label, curve, among=len(curves))
        _dress(axes, [p.mean for curve in curves.values() for p in curve], title)
    return [stem.with_name(stem.name + suffix) for suffix in (".svg", ".png")]


def draw_curve(axes: Any, index: int, label: str, curve: list[Point], *, among: int = 1) -> None:
    """A curve of means with the 95 % confidence band of each mean; `among` so many others."""
    x = [p.magnitude for p in curve]
    mean = [p.mean for p in curve]
    colour = COLOURS[index % len(COLOURS)]
    # Curves that coincide (at 1, say) stay visible: dashes let the one below through, and each
    # has its markers at points of its own.
    every = max(1, min(among, len(x) // 4), math.ceil(len(x) / _MARKED))
    axes.plot(
        x,
        mean,
        label=label,
        color=colour,
        marker=MARKERS[index % len(MARKERS)],
        linestyle=DASHES[index % len(DASHES)],
        markevery=(index % every, every),
        markeredgewidth=0,
        zorder=3 + index / 100,
    )
    # The band is the 95 % confidence interval of the mean, not the spread of single sets.
    half = [1.96 * p.sd / math.sqrt(p.sets - p.undefined) if p.sd == p.sd else 0 for p in curve]
    low = [m - h for m, h in zip(mean, half, strict=True)]
    high = [m + h for m, h in zip(mean, half, strict=True)]
    axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)


def _dress(axes: Any, means: list[float], title: str) -> None:
    defined = [m for m in means if not math.isnan(m)]
    lowest = min(defined, default=0.0)
    bottom = max(min(-0.05, lowest - 0.05), _FLOOR)
    axes.set(xlim=(0, 1), ylim=(bottom, 1.04), xlabel="magnitude", ylabel="agreement")
    axes.axhline(0, color="#555555", linewidth=0.8, zorder=2)
    axes.set_title(title)
    if lowest < _FLOOR:
        note = f"curves go on down to {lowest:.2g}"
        axes.text(0.99, 0.01, note, transform=axes.transAxes, ha="right", va="bottom", fontsize=7)
    if not defined:
        axes.text(0.5, 0.5, "undefined throughout", transform=axes.transAxes, ha="center")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.6)
