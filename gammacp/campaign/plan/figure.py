"""Draw plans: half-width or power against the number of documents, with the goal."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, TypeAlias

from gammacp.base.pictures import Panel, Picture
from gammacp.base.plots import COLOURS, DASHES, MARKERS, WIDTH
from gammacp.base.text import counted
from gammacp.campaign.plan.advice import Design, Plan, number_of
from gammacp.errors import DataError

MOST_CURVES = 7
"""Largest number of curves in the picture."""
_HEIGHT = 2.1
_ROW = 0.2
_AROUND = 0.4
_Curves: TypeAlias = dict[int, list[tuple[float, float]]]


def picture_of(plan: Plan, width: float) -> Picture:
    """Return the picture of a plan.

    Parameters
    ----------
    plan
        The plan to draw.
    width
        Width of the figure, in inches.

    Raises
    ------
    DataError
        No curve has a point.
    """
    numbers = sorted({int(point["annotators"] or 0) for point in plan.curve})
    # If curves are left out, the one of the cheapest design is drawn nevertheless.
    ordered = sorted(numbers, key=lambda m: (m != plan.best.annotators, m))
    drawn = sorted(ordered[:MOST_CURVES])
    curves = {m: points for m in drawn if (points := _points(plan, m))}
    if not curves:
        raise DataError("there is no curve to draw: nothing is known of any number of documents")
    caption = _caption(plan, curves, left_out=len(numbers) - len(drawn))
    height = _HEIGHT * min(1.3, max(1.0, width / WIDTH))
    ends = _ends(plan, curves)
    panels = (
        Panel(height, partial(_draw_curves, plan=plan, curves=curves, ends=ends)),
        Panel(
            _ROW * len(curves) + _AROUND,
            partial(_draw_designs, plan=plan, curves=curves, ends=ends),
        ),
    )
    return Picture(panels, caption)


def _points(plan: Plan, annotators: int) -> list[tuple[float, float]]:
    """Return the curve for a number of `annotators`: pairs of documents and half-width or power."""
    key = "power"
    if plan.goal.half_width is not None:
        key = "half_width"
    points = []
    for point in plan.curve:
        value = point[key]
        if point["annotators"] == annotators and value is not None and math.isfinite(value):
            points.append((float(point["documents"] or 0), float(value)))
    return sorted(points)


def _aim(plan: Plan) -> float:
    """Return the half-width or power that is the goal."""
    from gammacp.inference.detecting import FOUND

    if plan.goal.half_width is not None:
        return plan.goal.half_width
    if plan.goal.difference is not None:
        return FOUND
    return 0.8


def _caption(plan: Plan, curves: _Curves, *, left_out: int) -> str:
    pilot = plan.pilot
    words = [f"Goal: {plan.goal.in_words(pilot.gamma)}. Below: how many documents reach it."]
    for design in plan.designs:
        if design.annotators in curves:
            words.append(f"{counted(design.annotators, 'annotator')} each: {_documents(design)}.")
    if any(d.documents_range for d in plan.designs if d.annotators in curves):
        words.append("Bars: what the number may be, as pilots of this size differ (80 %).")
    if plan.piloted:
        words.append(
            f"From a pilot of {counted(pilot.documents, 'document')}, γ = {pilot.gamma:.3f}."
        )
    else:
        words.append(f"From a reference model, at γ = {pilot.gamma:.3f}.")
    chance = plan.signature.partition("|chance:")[2].partition("|")[0]
    if chance:
        words.append(f"Chance: {chance}.")
    if left_out:
        words.append(f"{counted(left_out, 'curve')} left out.")
    return " ".join(words)


def _documents(design: Design) -> str:
    if not math.isfinite(design.documents):
        return "no number up to 2,000 documents"
    if design.documents_range is not None:
        return f"{design.documents:.0f} documents ({number_of(design)})"
    return f"{design.documents:.0f} documents"


def _draw_curves(axes: Any, *, plan: Plan, curves: _Curves, ends: tuple[float, float]) -> None:
    from matplotlib.ticker import MaxNLocator

    aim = _aim(plan)
    axes.axhline(aim, color="#555555", linewidth=0.9, linestyle="--", zorder=1)
    axes.annotate(
        f"goal {aim:g}",
        (1, aim),
        (-2, 2),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=7.5,
    )
    for place, (annotators, points) in enumerate(curves.items()):
        axes.plot(
            *zip(*points, strict=True),
            color=COLOURS[place],
            marker=MARKERS[place],
            linestyle=DASHES[place % len(DASHES)],
            label=counted(annotators, "annotator"),
            zorder=2,
        )
    _scale_documents(axes, ends)
    axes.tick_params(axis="x", labelbottom=False)
    if plan.goal.half_width is not None:
        axes.set_ylabel("half-width of γ", fontsize=8)
        axes.set_ylim(bottom=0)
    else:
        axes.set_ylabel("power", fontsize=8)
        axes.set_ylim(0, 1.03)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
    axes.legend(title="per document", title_fontsize=8, fontsize=7.5)


def _draw_designs(axes: Any, *, plan: Plan, curves: _Curves, ends: tuple[float, float]) -> None:
    """Draw the number of documents that reaches the goal, and its range, for each design."""
    designs = {design.annotators: design for design in plan.designs}
    for place, annotators in enumerate(curves):
        design = designs[annotators]
        if not math.isfinite(design.documents):
            axes.annotate(
                "not reached", (0.5, place), xycoords=("axes fraction", "data"),
                ha="center", va="center", fontsize=7.5,
            )  # fmt: skip
            continue
        if design.documents_range is not None:
            low, high = design.documents_range
            span = [low, min(high, ends[1])]
            (line,) = axes.plot(span, [place, place], color=COLOURS[place], linewidth=4, alpha=0.5)
            line.set_gid("range")
        (mark,) = axes.plot(
            [design.documents], [place], MARKERS[place], color=COLOURS[place], ms=6, mec="black"
        )
        mark.set_gid("design")
    _scale_documents(axes, ends)
    axes.set_ylim(len(curves) - 0.5, -0.5)
    axes.set_yticks(range(len(curves)), [counted(m, "annotator") for m in curves])
    axes.tick_params(axis="y", length=0, labelsize=7.5)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("documents", fontsize=8)


def _ends(plan: Plan, curves: _Curves) -> tuple[float, float]:
    """Return the limits of the axis of documents, within which everything drawn lies."""
    every = [x for points in curves.values() for x, _ in points]
    for design in plan.designs:
        if design.annotators in curves:
            every += [design.documents, *(design.documents_range or ())]
    finite = [x for x in every if math.isfinite(x) and x > 0]
    return 0.9 * min(finite), 1.12 * max(finite)


def _scale_documents(axes: Any, ends: tuple[float, float]) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    decades = range(math.floor(math.log10(ends[0])), math.ceil(math.log10(ends[1])) + 1)
    ticks = [k * 10.0**decade for decade in decades for k in (1, 2, 5)]
    axes.set_xticks([t for t in ticks if ends[0] <= t <= ends[1]])
    axes.set_xlim(*ends)
    axes.tick_params(axis="x", labelsize=7.5, which="both")
    axes.tick_params(axis="y", labelsize=7.5)
