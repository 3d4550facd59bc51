"""Drawing of units on lanes, groups of units joined and shaded by what they cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from gammacp.base.arrays import Codes, Floats
from gammacp.base.lanes import LEVELS, LaneRow, Lanes, choose_lanes, levels_of, rows_of, texts_of
from gammacp.base.pictures import Panel, plain, short_names
from gammacp.base.plots import SHADES
from gammacp.base.text import counted

# Inches: of a lane, of what stands around the lanes of a row, and of all rows of a picture.
_LANE = 0.25
_AROUND = 0.42
_TALLEST = 8.0
# Inches that names and the scale of shades take.
_BESIDE = 1.35
# Part of a lane that units fill.
_FILLED = 0.72
# Points of a label.
_SIZE = 6.5
# Share of a row that a unit without length is drawn with.
_POINT = 0.004
_DASHED: Any = (0, (2.2, 1.2))
# Shades from the lightest one that is seen on white to the darkest.
_LIGHTEST = 0.16
_DARKEST = 0.92
_DARK = 0.55


@dataclass(frozen=True)
class _Drawing:
    """Lanes with the properties that every row needs to draw its units."""

    lanes: Lanes
    names: list[str]
    level: Codes
    levels: Codes
    shade: Floats
    texts: list[str]
    width: float


def lane_panels(
    lanes: Lanes, width: float
) -> tuple[tuple[Panel, ...], list[str], Callable[[Any, list[Any]], None]]:
    """Return the rows of a picture, sentences about what is left out, and its scale of shades.

    Parameters
    ----------
    lanes
        At least one unit.
    width
        Width of the figure, in inches.
    """
    chosen, notes = choose_lanes(lanes)
    level, levels = levels_of(chosen)
    tall = _LANE * float(_lane_heights(levels).sum()) + _AROUND
    inside = max(0.5, width - _BESIDE)
    rows, more = rows_of(chosen, inside, max(1, int(_TALLEST / tall)))
    notes += more
    texts, more = texts_of(chosen, rows, inside)
    notes += more
    names, cut_names = short_names(chosen.names)
    notes += [cut_names] * bool(cut_names)
    points = int((chosen.start == chosen.end).sum())
    if points:
        notes.append(f"{counted(points, 'unit')} of length 0 drawn as a line.")
    shade = _shades(chosen)
    drawing = _Drawing(chosen, names, level, levels, shade, texts, inside)
    panels = tuple(Panel(tall, partial(_draw_row, drawing=drawing, row=row)) for row in rows)
    return panels, notes, partial(_add_scale, lanes=chosen)


def _shades(lanes: Lanes) -> Floats:
    """Return, for each unit, the cost of the most expensive group that contains it."""
    shade = np.zeros(len(lanes.lane))
    for column in lanes.groups.T:
        has_unit = column >= 0
        np.maximum.at(shade, column[has_unit], lanes.cost[has_unit])
    return shade


def _colours(lanes: Lanes, costs: Floats) -> Any:
    """Return a colour for each cost, shape (costs, 4)."""
    import matplotlib as mpl

    return mpl.colormaps[SHADES](_depth(lanes, costs))


def _depth(lanes: Lanes, costs: Floats) -> Floats:
    share = np.clip(costs / (lanes.scale[1] or 1.0), 0, 1)
    return np.asarray(_LIGHTEST + (_DARKEST - _LIGHTEST) * share)


def _draw_row(axes: Any, *, drawing: _Drawing, row: LaneRow) -> None:
    lanes = drawing.lanes
    span = (row.high - row.low) or 1.0
    heights = _lane_heights(drawing.levels)
    tops = np.concatenate([[0.0], np.cumsum(heights)])
    part = (heights * _FILLED / drawing.levels)[lanes.lane]
    gap = ((1 - _FILLED) / 2 * heights)[lanes.lane]
    top = tops[lanes.lane] + gap + part * drawing.level
    bottom = top + 0.94 * part
    for lane, (a, b) in enumerate(pairwise(tops)):
        if lane % 2 == 0:
            axes.axhspan(a, b, color="#f4f4f4", linewidth=0, zorder=0)
    _draw_joints(axes, drawing, row, top, bottom)
    _draw_units(axes, drawing, row, top, bottom)
    around = 0.01 * span if row.high > row.low else 0.5
    axes.set_xlim(row.low - around, row.high + around)
    axes.set_ylim(tops[-1], 0)
    axes.set_yticks((tops[:-1] + tops[1:]) / 2, drawing.names)
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.tick_params(axis="x", labelsize=7, length=2.5)
    axes.ticklabel_format(axis="x", style="plain", useOffset=False)
    axes.locator_params(axis="x", nbins=max(2, int(drawing.width * 1.6)))
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)
    if lanes.offset_unit:
        axes.annotate(
            plain(lanes.offset_unit),
            (1, 0),
            (3, -3),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=7,
            va="top",
        )


def _edges(lanes: Lanes, row: LaneRow, units: Any) -> tuple[Floats, Floats]:
    """Return the start and end with which units are drawn; units without length are widened."""
    least = _POINT * ((row.high - row.low) or 1.0)
    start = lanes.start[units]
    short = np.maximum(least - (lanes.end[units] - start), 0) / 2
    return start - short, lanes.end[units] + short


def _draw_joints(axes: Any, drawing: _Drawing, row: LaneRow, top: Floats, bottom: Floats) -> None:
    """Draw a band from each unit to the next one of its group, going down."""
    from matplotlib.collections import LineCollection, PolyCollection

    lanes = drawing.lanes
    bands = []
    costs = []
    for group in row.groups.tolist():
        members = [k for k in lanes.groups[group].tolist() if k >= 0]
        for one, other in pairwise(members):
            (a, c), (b, d) = _edges(lanes, row, np.array([one, other]))
            bands.append([(a, bottom[one]), (b, bottom[one]), (d, top[other]), (c, top[other])])
            costs.append(lanes.cost[group])
    if not bands:
        return
    faces = _colours(lanes, np.array(costs))
    collection = PolyCollection(bands, facecolors=faces, linewidths=0, alpha=0.55, zorder=1)
    collection.set_gid("joints")
    axes.add_collection(collection, autolim=False)
    sides = [side for a, b, d, c in bands for side in ((a, c), (b, d))]
    axes.add_collection(
        LineCollection(sides, colors="#777777", linewidths=0.4, zorder=1.5), autolim=False
    )


def _draw_units(axes: Any, drawing: _Drawing, row: LaneRow, top: Floats, bottom: Floats) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    lanes = drawing.lanes
    low, high = _edges(lanes, row, row.units)
    faces = _colours(lanes, drawing.shade[row.units])
    faces[lanes.hollow[row.units]] = 1.0
    boxes = []
    colours = []
    dashes: list[Any] = []
    threads = []
    points = []
    for k, unit in enumerate(row.units.tolist()):
        if lanes.hollow[unit] and lanes.start[unit] == lanes.end[unit]:
            # The dashes of an outline without width would fill each other.
            points.append([(lanes.start[unit], top[unit]), (lanes.start[unit], bottom[unit])])
            continue
        pieces = lanes.pieces.get(unit, ((low[k], high[k]),))
        for a, b in pieces:
            corners = [(a, top[unit]), (b, top[unit]), (b, bottom[unit]), (a, bottom[unit])]
            boxes.append(corners)
            colours.append(faces[k])
            dashes.append(_DASHED if lanes.hollow[unit] else "solid")
        if len(pieces) > 1:
            middle = (top[unit] + bottom[unit]) / 2
            threads.append([(low[k], middle), (high[k], middle)])
    collection = PolyCollection(
        boxes, facecolors=colours, edgecolors="#222222", linewidths=0.7, linestyles=dashes, zorder=3
    )
    collection.set_gid("units")
    axes.add_collection(collection, autolim=False)
    if points:
        lines = LineCollection(
            points, colors="#222222", linewidths=1.0, linestyles=[_DASHED], zorder=3
        )
        lines.set_gid("points")
        axes.add_collection(lines, autolim=False)
    if threads:
        lines = LineCollection(threads, colors="#222222", linewidths=0.7, zorder=2)
        axes.add_collection(lines, autolim=False)
    dark = (_depth(lanes, drawing.shade) > _DARK) & ~lanes.hollow
    for unit in row.units.tolist():
        if not drawing.texts[unit]:
            continue
        left = max(lanes.start[unit], row.low)
        right = min(lanes.end[unit], row.high)
        axes.text(
            (left + right) / 2,
            (top[unit] + bottom[unit]) / 2,
            drawing.texts[unit],
            ha="center",
            va="center_baseline",
            fontsize=_SIZE,
            color="white" if dark[unit] else "black",
            clip_on=True,
            zorder=4,
        )


def _add_scale(figure: Any, axes: list[Any], *, lanes: Lanes) -> None:
    """Add the scale of shades at the right."""
    import matplotlib as mpl
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    shades = mpl.colormaps[SHADES](np.linspace(_LIGHTEST, _DARKEST, 128))
    mapped = ScalarMappable(Normalize(0, lanes.scale[1] or 1.0), ListedColormap(shades))
    bar = figure.colorbar(mapped, ax=axes, fraction=0.025, pad=0.012, aspect=30, shrink=0.9)
    bar.outline.set_linewidth(0.4)
    bar.ax.tick_params(labelsize=6.5, length=2)
    bar.locator = mpl.ticker.MaxNLocator(nbins=3, steps=[1, 2, 5, 10])
    bar.update_ticks()
    bar.set_label(lanes.scale[0], fontsize=7)


def _lane_heights(levels: Codes) -> Floats:
    """Return the height of each lane, as a multiple of that of a plain one."""
    return 1 + 0.55 * (np.minimum(levels, LEVELS) - 1)
