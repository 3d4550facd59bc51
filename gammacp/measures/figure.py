"""Scores as pictures: the value on a line from chance to perfect, with its intervals.

Below stand the parts that it has: the best alignment of γ of one text, γ of each document of a
corpus, or the value of each category.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gammacp.alignment.figure import caption_sentences, lanes_of
from gammacp.base.lane_pictures import lane_panels
from gammacp.base.pictures import Panel, Picture, plain, short_names
from gammacp.base.plots import COLOURS
from gammacp.base.text import counted, sentence, with_commas
from gammacp.errors import DataError
from gammacp.measures.gamma import Gamma, GammaScore
from gammacp.measures.gamma_corpus import CorpusGamma
from gammacp.measures.score import Score

MOST_PARTS = 20
"""Documents or categories of one picture."""
_ROW = 0.22
_AROUND = 0.42
# Longest name beside the line.
_NAME = 22


@dataclass(frozen=True)
class _PictureLine:
    """One line of the picture: a value, an interval, or both."""

    name: str
    value: float | None = None
    interval: tuple[float, float] | None = None
    bold: bool = False


def picture_of(score: Score, width: float) -> Picture:
    """Return the picture of a score.

    Parameters
    ----------
    score
        The score to draw.
    width
        Width of the figure, in inches.

    Raises
    ------
    DataError
        The score is undefined, and so are its parts.
    """
    name = _name_of(score)
    rows = _rows(score, name)
    parts, notes = _parts(score)
    rows += parts
    if not rows:
        why = score.reason or "no category has a value"
        raise DataError(f"there is nothing to draw: {name} is undefined: {why}")
    panels: tuple[Panel, ...] = (
        Panel(_ROW * len(rows) + _AROUND, partial(_draw, rows=rows, chance=bool(_chance(score)))),
    )
    caption = _caption(score, name)
    finish = None
    if isinstance(score, GammaScore) and score.alignment.continuum.n_units:
        lanes, more, add_scale = lane_panels(lanes_of(score.alignment), width)
        panels += lanes
        notes += ["Below, the best alignment.", *caption_sentences(score.alignment)[1:], *more]
        finish = partial(_finish, add_scale=add_scale)
    return Picture(panels, " ".join([*caption, *notes]), finish=finish)


def _finish(figure: Any, axes: list[Any], *, add_scale: Any) -> None:
    """Add the scale of shades to the lanes below the line."""
    add_scale(figure, axes[1:])


def _name_of(score: Score) -> str:
    if isinstance(score, Gamma):
        return "γ"
    return score.signature.partition("|")[0] or "value"


def _chance(score: Score) -> str:
    """Return the chance model whose level is 0; "" if 0 is not the level of chance."""
    return score.chance or score.signature.partition("|chance:")[2].partition("|")[0]


def _rows(score: Score, name: str) -> list[_PictureLine]:
    """Return the value and the intervals of the score."""
    if not score.defined:
        return []
    rows = [_PictureLine(name, score.value, score.interval, bold=True)]
    over = getattr(score, "over", None)
    others = {
        "other documents": score.bootstrap or (over and over.documents),
        "other annotators": over and over.annotators,
        "others on others": over and over.both,
    }
    for label, interval in others.items():
        if interval is not None:
            rows.append(_PictureLine(label, None, (float(interval[0]), float(interval[1]))))
    return rows


def _parts(score: Score) -> tuple[list[_PictureLine], list[str]]:
    """Return the rows of documents or categories, the lowest first, and what is left out."""
    values: Mapping[str, float] = score.by_category
    what = "category"
    if isinstance(score, CorpusGamma):
        values = {name: each.value for name, each in score.scores.items()}
        what = "document"
    defined = {name: value for name, value in values.items() if math.isfinite(value)}
    lowest = sorted(defined, key=lambda name: (defined[name], name))[:MOST_PARTS]
    names, cut_names = short_names(lowest, _NAME)
    rows = [_PictureLine(label, defined[name]) for label, name in zip(names, lowest, strict=True)]
    notes = []
    if len(lowest) < len(defined):
        notes.append(f"Shown are the lowest {len(lowest)} of {with_commas(len(defined))}.")
    if undefined := len(values) - len(defined):
        notes.append(f"{counted(undefined, what)} without a value.")
    if cut_names:
        notes.append(cut_names)
    return rows, notes


def _caption(score: Score, name: str) -> list[str]:
    """Return the value, its intervals, chance, and how much there is, in sentences."""
    words = []
    if score.defined:
        value = f"{name} = {score.value:.3f}"
        if score.interval is not None:
            low, high = score.interval
            value += f" (with unlimited random sets {low:.3f} to {high:.3f})"
        words.append(f"{value}.")
    elif score.reason is not None:
        words.append(f"{name} is undefined: {score.reason}.")
    else:
        words.append(f"{name} by category.")
    if chance := _chance(score):
        samples = getattr(score, "samples", 0)
        drawn = f", {counted(samples, 'random set')}" if samples else ""
        words.append(f"Chance: {chance}{drawn}.")
    counts = []
    for attribute, noun in (("continua", "document"), ("annotators", "annotator")):
        if (number := getattr(score, attribute, None)) is not None:
            counts.append(counted(number, noun))
    if (units := getattr(score, "units", None)) is not None:
        counts.append(counted(units, "unit"))
    if counts:
        words.append(f"{', '.join(counts)}.")
    words += [sentence(note) for note in score.notes]
    return words


def _draw(axes: Any, *, rows: Sequence[_PictureLine], chance: bool) -> None:
    """Draw each row on one scale; its numbers stand at the right."""
    numbers = [v for r in rows for v in (r.value, *(r.interval or ())) if v is not None]
    low = min([-0.05 if chance else 0.0, *(v for v in numbers if math.isfinite(v))])
    right = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": 7.5}
    for place, row in enumerate(rows):
        if row.interval is not None:
            axes.plot(row.interval, [place, place], color=COLOURS[4], linewidth=4.0)
        if row.value is not None:
            size = 6 if row.bold else 4
            axes.plot([row.value], [place], "D" if row.bold else "o", color=COLOURS[0], ms=size)
            text = f"{row.value:.3f}"
        elif row.interval is not None:
            text = f"{row.interval[0]:.3f} to {row.interval[1]:.3f}"
        axes.annotate(f"  {text}".replace("-", "−"), (1, place), **right)
    if chance:
        axes.axvline(0, color="#555555", linewidth=0.8, linestyle="--")
        axes.set_xlabel("0: chance, 1: perfect", fontsize=7.5)
    else:
        axes.set_xlabel("1: perfect", fontsize=7.5)
    axes.set_xlim(low - 0.02, 1.02)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [plain(r.name) if r.bold else r.name for r in rows])
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.tick_params(axis="x", labelsize=7, length=2.5)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
