"""Figures that several experiments share: curves on one page, and units in lanes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gammacp.base.plots import COLOURS, can_plot, figure
from gammacp.bench.curves import Point, by_measure
from gammacp.bench.figures import add_legend, draw_panel, measure_title, shared_bottom
from gammacp.continuum import Continuum

_LINE = 42  # letters below a panel
_HATCHES = ("", "///", "...", "xxx")


def curves_page(
    stem: Path,
    panels: Mapping[str, Sequence[Point]],
    *,
    columns: int = 2,
    about: str = "",
    x: str = "magnitude",
    floor: float = -0.6,
) -> None:
    """Draw a panel per title and a curve per measure, with a note on sets, bands and cut axes.

    `about` describes the sets, by units and density.
    """
    if not can_plot():
        return
    order = list(dict.fromkeys(measure_title(p.measure) for q in panels.values() for p in q))
    panels_of = {
        title: {measure_title(m): curve for m, curve in by_measure(points).items()}
        for title, points in panels.items()
    }
    columns = min(columns, len(panels))
    rows = math.ceil(len(panels) / columns)
    bottom = shared_bottom(panels_of.values(), floor)
    spare, below = rows * columns > len(panels), len(panels) > 1
    width, height = 3.6 * columns + (0 if below else 1.2), 2.7 * rows + (below and not spare)
    with figure(stem, width=width, height=height, rows=rows, columns=columns) as axes:
        grid = [axes] if len(panels) == 1 else list(axes.flat)
        handle_by_label: dict[str, Any] = {}
        for place, (title, curves) in zip(grid, panels_of.items(), strict=False):
            draw_panel(
                place, curves, title, x=x, floor=floor, order=order, bottom=bottom, line=_LINE
            )
            handle_by_label |= {
                text: h for h, text in zip(*place.get_legend_handles_labels(), strict=True)
            }
        for place in grid[len(panels) :]:
            place.set_axis_off()
        every = [p for points in panels.values() for p in points]
        if spare:
            add_legend(
                grid[len(panels)], every, handle_by_label, about=about, loc="center", ncols=2
            )
        elif below:
            add_legend(
                grid[0].figure,
                every,
                handle_by_label,
                about=about,
                loc="outside lower center",
                ncols=4,
            )
        else:
            add_legend(grid[0], every, handle_by_label, about=about)


def error_title(error: str) -> str:
    """Return an error in words: "position + false positive"."""
    return error.replace("+", " + ").replace("-", " ")


def examples_page(
    stem: Path, examples: Mapping[str, Continuum], *, columns: int = 2, width: float = 7.2
) -> None:
    """Draw example continua in lanes, a panel each, with their descriptions as titles."""
    if not can_plot():
        return
    rows = math.ceil(len(examples) / columns)
    tall = max(c.n_annotators for c in examples.values())
    height = rows * (0.55 + 0.22 * tall)
    with figure(stem, width=width, height=height, rows=rows, columns=columns) as axes:
        grid = [axes] if len(examples) == 1 else list(axes.flat)
        for place, (title, c) in zip(grid, examples.items(), strict=False):
            lanes(place, c, title)
        for place in grid[len(examples) :]:
            place.set_axis_off()


def said(title: str, scores: Mapping[str, float]) -> str:
    """Return a title with values: "Figure 22: γ 1.00, κ_d undefined"."""
    parts = (
        f"{measure_title(name)} {value:.2f}".replace("-", "−")
        if value == value
        else f"{measure_title(name)} –"
        for name, value in scores.items()
    )
    return f"{title}: {', '.join(parts)}"


def lanes(axes: Any, c: Continuum, title: str) -> None:
    """Draw the units of each annotator in a lane, categories as colours with their names.

    Units that overlap others of their annotator are drawn thinner, one above the other.
    """
    for lane, name in enumerate(c.annotators):
        rows = c.rows_of(name)
        level = 0
        for i in range(rows.start, rows.stop):
            inside = i > rows.start and c.starts[i] < c.ends[rows.start : i].max()
            level = level + 1 if inside else 0
            code = int(c.category_codes[i])
            axes.barh(
                -lane + 0.22 * level,
                max(c.ends[i] - c.starts[i], 1e-9),
                left=c.starts[i],
                height=0.6 if not level else 0.3,
                color=COLOURS[code % len(COLOURS)] if code >= 0 else "#999999",
                hatch=_HATCHES[code // len(COLOURS) % len(_HATCHES)] if code >= 0 else "",
                edgecolor="white",
                linewidth=0.5,
            )
            if code >= 0 and c.ends[i] - c.starts[i] > 0.03 * (c.bounds[1] - c.bounds[0]):
                middle = (c.starts[i] + c.ends[i]) / 2
                ink = "white" if COLOURS[code % len(COLOURS)] == "#000000" else "black"
                style: dict[str, Any] = {"fontsize": 5, "ha": "center", "va": "center"}
                axes.text(middle, -lane + 0.22 * level, c.categories[code], color=ink, **style)
    axes.set(yticks=[-i for i in range(c.n_annotators)], yticklabels=c.annotators)
    axes.set_title(title, fontsize=7)
    axes.set(ylim=(-c.n_annotators + 0.4, 0.8), xlim=c.bounds)
    axes.tick_params(labelsize=6)
    axes.grid(visible=False)
