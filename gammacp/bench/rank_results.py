"""Files that a ranking writes: a table, and a heat map with curves below it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from gammacp.base.csv_files import write_rows
from gammacp.base.pictures import Panel, Picture
from gammacp.base.plots import SHADES, can_plot, figure
from gammacp.base.text import counted
from gammacp.bench.captions import caption_of
from gammacp.bench.curves import Point, by_measure, point_of
from gammacp.bench.figures import add_legend, draw_panel, measure_title, shared_bottom
from gammacp.bench.rank_stores import SweptValues
from gammacp.bench.ranking import ErrorRanks, MeasureRank, Ranking, common_sets
from gammacp.errors import DataError

NAME = "ranks"

_MEASURE_COLUMNS = ("step", "step_at", "ends", "used", "noise", "wrong", "undefined")
_RANK_COLUMNS = ("best_rank", "worst_rank")
_EXTENT_COLUMNS = ("documents", "level", "sets", "left_out", "critical")
_NUISANCE_COLUMNS = ("nuisance", "nuisance_points", "nuisance_beyond")
COLUMNS = (
    *("error", "measure", "told", *_MEASURE_COLUMNS, *_RANK_COLUMNS),
    *(*_EXTENT_COLUMNS, *_NUISANCE_COLUMNS),
)

_ACROSS = 3  # panels of curves side by side
_FLOOR = -0.6
_LINE = 32  # letters below a panel
_CELL_HEIGHT = 0.33
_PANEL_HEIGHT = 2.2
_WIDTH = 7.4
_TITLE = "Which measure sees which error"
# Width beside the cells of the map; widths of a cell with words of usual size, and of any size.
_BESIDE_MAP = 1.5
_WORDS = 0.75
_FEW_WORDS = 0.5
# Width of a letter in the name of an error, in inches.
_LETTER = 0.075


def write_ranking(
    ranking: Ranking, swept: SweptValues, folder: Path, *, figures: bool = True
) -> list[Path]:
    """Write `ranks.csv` and, with matplotlib, `ranks.svg` and `ranks.png`; return the paths.

    Parameters
    ----------
    ranking
        Ranking that is written.
    swept
        Values from which the ranking was made.
    folder
        Folder for the files; created if missing.
    figures
        Whether to draw.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / f"{NAME}.csv"
    write_rows(table, [COLUMNS, *(_row(ranking, e, m) for e in ranking.errors for m in e.measures)])
    if not (figures and can_plot()):
        return [table]
    stem = folder / NAME
    draw_ranking(ranking, _points(ranking, swept), stem, caption_of(swept.configuration))
    return [table, stem.with_suffix(".svg"), stem.with_suffix(".png")]


def _row(ranking: Ranking, error: ErrorRanks, measure: MeasureRank) -> list[object]:
    nuisance = measure.nuisance
    return [
        error.error,
        measure.measure,
        measure.power,
        *(getattr(measure, name) for name in _MEASURE_COLUMNS),
        *(measure.rank or (None, None)),
        *(getattr(ranking, name) for name in _EXTENT_COLUMNS),
        *((None, None, None) if nuisance is None else nuisance.as_dict().values()),
    ]


def _points(ranking: Ranking, swept: SweptValues) -> dict[str, list[Point]]:
    """Return the curves of each error, over the sets that are ranked."""
    common, _ = common_sets(swept.values)
    panels: dict[str, list[Point]] = {}
    for each in ranking.errors:
        names = {m.measure for m in each.measures}
        panels[each.error] = [
            point_of(error, measure, magnitude, [by_set[number] for number in common])
            for (error, measure, magnitude), by_set in sorted(swept.values.items())
            if error == each.error and measure in names
        ]
    return panels


def draw_ranking(
    ranking: Ranking, curves: Mapping[str, Sequence[Point]], stem: Path, about: str = ""
) -> None:
    """Draw the heat map of measures and errors, with the curves of each error below.

    Parameters
    ----------
    ranking
        Ranking to draw.
    curves
        Points by error.
    stem
        Path of the files without their endings.
    about
        Description of the annotation sets.
    """
    order = _order(ranking)
    rows = math.ceil(len(curves) / _ACROSS)
    map_height = 1.1 + _CELL_HEIGHT * len(order)
    full = len(curves) % _ACROSS == 0
    height = map_height + _PANEL_HEIGHT * rows + full * (0.5 + 0.2 * math.ceil(len(order) / 5))
    with figure(stem, width=_WIDTH, height=height) as first:
        canvas = first.figure
        first.remove()
        ratios = [map_height, *[_PANEL_HEIGHT] * rows]
        grid = canvas.add_gridspec(1 + rows, _ACROSS, height_ratios=ratios)
        _draw_map(canvas.add_subplot(grid[0, :]), ranking, order, about)
        titles = [measure_title(name) for name in order]
        every = [point for points in curves.values() for point in points]
        bottom = shared_bottom([{error: points} for error, points in curves.items()], _FLOOR)
        handles: dict[str, Any] = {}
        for place, (error, points) in enumerate(curves.items()):
            axes = canvas.add_subplot(grid[1 + place // _ACROSS, place % _ACROSS])
            shown = {measure_title(m): curve for m, curve in by_measure(points).items()}
            if place % _ACROSS == 0:
                label = "agreement"
            else:
                label = ""
            draw_panel(
                axes,
                shown,
                error_title(error),
                y=label,
                floor=_FLOOR,
                order=titles,
                bottom=bottom,
                line=_LINE,
            )
            legend = zip(*axes.get_legend_handles_labels(), strict=True)
            handles |= {text: handle for handle, text in legend}
        handles = {text: handles[text] for text in titles if text in handles}
        spare = rows * _ACROSS - len(curves)
        if spare:
            corner = canvas.add_subplot(grid[rows, _ACROSS - spare])
            corner.set_axis_off()
            add_legend(corner, every, handles, loc="upper left", ncols=1 + spare // 2)
        else:
            add_legend(canvas, every, handles, loc="outside lower center", ncols=5)


def error_title(error: str) -> str:
    """Return an error in words: "position + false positive"."""
    return error.replace("+", " + ").replace("-", " ")


def _order(ranking: Ranking) -> list[str]:
    """Return the measures by their mean power over errors; missing values count as 0."""
    number = len(ranking.errors)
    power_by_measure: dict[str, list[float]] = {}
    for error in ranking.errors:
        for each in error.measures:
            power_by_measure.setdefault(each.measure, []).append(each.power or 0.0)
    return sorted(power_by_measure, key=lambda name: -sum(power_by_measure[name]) / number)


def picture_of(ranking: Ranking, width: float) -> Picture:
    """Return the heat map of a ranking.

    Parameters
    ----------
    ranking
        Ranking to draw.
    width
        Width of the figure, in inches.

    Raises
    ------
    DataError
        No measure has a rank.
    """
    order = _order(ranking)
    if not order:
        raise DataError("there is nothing to draw: no measure has a rank")
    inches = width - _BESIDE_MAP
    longest = max(len(each.error) for each in ranking.errors)
    panel = Panel(
        0.2 + _CELL_HEIGHT * len(order) + _LETTER * longest,
        partial(_draw_cells, ranking=ranking, order=order, inches=inches),
    )
    caption = (
        f"{_TITLE}: D = {counted(ranking.documents, 'document')}, {counted(ranking.sets, 'set')}."
    )
    if inches / max(1, len(ranking.errors)) >= _FEW_WORDS:
        caption += f" {_cells_in_words(ranking)}."
    else:
        caption += " The darker, the larger the mean power with which magnitudes are told apart."
    if ranking.left_out:
        caption += f" {counted(ranking.left_out, 'set')} left out, as some curve lacks them."
    return Picture((panel,), caption)


def _draw_map(axes: Any, ranking: Ranking, order: Sequence[str], about: str) -> None:
    _draw_cells(axes, ranking=ranking, order=order)
    axes.set_title(
        f"{_TITLE}: D = {ranking.documents} documents, "
        f"{ranking.sets} sets" + (f"; {about}" if about else "")
    )
    axes.set_xlabel(_cells_in_words(ranking), fontsize=7.5)


def _cells_in_words(ranking: Ranking) -> str:
    return (
        "In each cell: step of magnitude that is told with power .8 (–: not even 0 from 1); "
        f"rank, intervals holding together at {1 - ranking.level:.0%}"
    )


def _draw_cells(
    axes: Any, *, ranking: Ranking, order: Sequence[str], inches: float = math.inf
) -> None:
    """Draw power as shades.

    Steps and ranks are written into the cells if there is room.
    """
    rank_by_cell = {(e.error, m.measure): m for e in ranking.errors for m in e.measures}
    errors = [e.error for e in ranking.errors]
    shades = [[_power(rank_by_cell.get((error, measure))) for error in errors] for measure in order]
    room = inches / max(1, len(errors))
    size = 7.5 if room >= _WORDS else 6.0
    image = axes.imshow(shades, cmap=SHADES, vmin=0, vmax=1.25, aspect="auto")
    for row, measure in enumerate(order):
        for column, error in enumerate(errors):
            each = rank_by_cell.get((error, measure))
            dark = _power(each) > 0.7
            axes.text(
                column,
                row,
                _cell(each) if room >= _FEW_WORDS else "",
                ha="center",
                va="center",
                fontsize=size,
                color="white" if dark else "black",
            )
    turned = room < _WORDS
    axes.set_xticks(
        range(len(errors)),
        [error_title(e) for e in errors],
        rotation=90 if turned else 0,
    )
    axes.set_yticks(range(len(order)), [measure_title(m) for m in order])
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.grid(visible=False)
    # White lines between cells.
    axes.set_xticks([k - 0.5 for k in range(1, len(errors))], minor=True)
    axes.set_yticks([k - 0.5 for k in range(1, len(order))], minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    bar = axes.figure.colorbar(image, ax=axes, fraction=0.03, pad=0.01, boundaries=_shades())
    bar.set_label("told (mean power)", fontsize=8)
    bar.set_ticks([0, 0.25, 0.5, 0.75, 1])
    bar.outline.set_visible(False)


def _shades() -> list[float]:
    return [k / 100 for k in range(101)]


def _power(each: MeasureRank | None) -> float:
    if each is None or each.power is None:
        return math.nan
    return each.power


def _cell(each: MeasureRank | None) -> str:
    if each is None:
        return "not computed"
    if each.rank is None:
        return "undefined"
    best, worst = each.rank
    if each.step is None:
        step = "–"
    else:
        step = f"{each.step:g}".replace("0.", ".")
    if best == worst:
        return f"{step};  {best}"
    return f"{step};  {best}–{worst}"
