"""Comparisons as pictures: a matrix of pairs, and bars of what each annotator does differently."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from gammacp.base.arrays import Indices
from gammacp.base.pictures import Panel, Picture, short_names
from gammacp.base.plots import SHADES
from gammacp.base.text import counted, with_commas
from gammacp.campaign import charges
from gammacp.campaign.compare.comparison import Comparison
from gammacp.campaign.compare.pairs import PairMatrix
from gammacp.errors import DataError

MOST_ANNOTATORS = 24
"""Largest number of annotators in the matrix."""
# Inches: size of a cell, least size of a cell with a number, and margin around the cells.
_CELL = 0.36
_NUMBERED = 0.25
_AROUND = 0.15
# Width of a letter in inches, and most letters of a name under a column.
_LETTER = 0.066
_COLUMN = 12
_NAMES = 2.0
# Level of the tests: significant pairs have a star.
_LEVEL = 0.05
# Least darkness of a cell on which text is white.
_DARK = 0.55


def picture_of(comparison: Comparison, width: float) -> Picture:
    """Return the picture of a comparison: the matrix of pairs, and bars of kinds of differences.

    Parameters
    ----------
    comparison
        The comparison to draw.
    width
        Width of the figure, in inches.

    Raises
    ------
    DataError
        There are neither several pairs nor kinds of differences to draw.
    """
    panels: list[Panel] = []
    words = []
    pairs = comparison.pairs
    if len(pairs.agreements) > 1:
        rows = _chosen(pairs)
        cell = min(_CELL, (width - _NAMES) / len(rows))
        columns, _ = short_names([pairs.annotators[k] for k in rows], _COLUMN)
        tall = cell * (len(rows) - 1) + _AROUND + _LETTER * max(map(len, columns))
        panels.append(Panel(tall, partial(_draw_matrix, pairs=pairs, rows=rows, cell=cell)))
        words += _about_pairs(pairs, len(rows))
    words += _about_all(comparison)
    kinds = comparison.kinds
    missing = comparison.refused.get("kind", "")
    if kinds is not None:
        bars = charges.charges_of(kinds)
        if bars.rows:
            panel, more = charges.panel_of(bars, width)
            panels.append(panel)
            words += [f"{bars.title}.", bars.caption, *more]
        else:
            missing = "the annotators agree on everything"
    if not panels:
        raise DataError(
            f"there is no difference to draw: {missing or 'there is one pair of annotators'}",
            hint="Without a figure, the tables are printed",
        )
    if missing:
        words.append(f"No bars: {missing}.")
    return Picture(tuple(panels), " ".join(words))


def _chosen(pairs: PairMatrix) -> Indices:
    """Return the rows of the annotators to draw: if there are too many, those who agree least."""
    means = np.array([pairs.mean_with_others(name) for name in pairs.annotators])
    if len(means) <= MOST_ANNOTATORS:
        return np.arange(len(means))
    return np.sort(np.argsort(means, kind="stable")[:MOST_ANNOTATORS])


def _about_pairs(pairs: PairMatrix, shown: int) -> list[str]:
    words = ["γ of each pair of annotators on the documents of both; the darker, the less."]
    if shown < len(pairs.annotators):
        words.append(
            f"Shown are the {shown} of {len(pairs.annotators)} annotators who agree least with "
            "others."
        )
    if pairs.left_out:
        compared = with_commas(len(pairs.agreements))
        words.append(
            f"Only the {compared} pairs with most documents in common are compared; "
            f"{with_commas(pairs.left_out)} others share documents, too."
        )
    if any(not math.isfinite(agreement.value) for agreement in pairs.agreements.values()):
        words.append("×: no value.")
    if any(test.p_holm <= _LEVEL for test in pairs.tests.values()):
        words.append("*: differs from the other pairs (p ≤ .05 by Holm).")
    _, cut_names = short_names(pairs.annotators)
    return [*words, *([cut_names] if cut_names else [])]


def _about_all(comparison: Comparison) -> list[str]:
    """Return sentences on the overall γ, its interval, the chance model and the data's size."""
    overall = comparison.overall
    words = f"γ of all: {overall.value:.3f}"
    spread = comparison.bootstrap
    if spread is not None and math.isfinite(spread.low) and math.isfinite(spread.high):
        words += (
            f" ({spread.confidence:.0%} interval over {spread.kind} {spread.low:.3f} to "
            f"{spread.high:.3f})"
        )
    elif spread is not None and spread.reason:
        words += f" (no interval: {spread.reason})"
    people = len({a for c in overall.computed.values() for a in c.alignment.continuum.annotators})
    units = sum(score.units for score in overall.computed.values())
    return [
        f"{words}. Chance: {overall.chance}, {counted(overall.score.samples, 'random set')}.",
        f"{counted(len(overall.computed), 'document')}, {counted(people, 'annotator')}, "
        f"{counted(units, 'unit')}.",
    ]


def _draw_matrix(axes: Any, *, pairs: PairMatrix, rows: Indices, cell: float) -> None:
    """Draw the pairs below the diagonal; a pair without a value has a cross."""
    values = pairs.values[np.ix_(rows, rows)]
    n = len(rows)
    below = np.tril(np.ones((n, n), np.bool_), -1)
    shown = np.where(below, values, np.nan)[1:, :-1]
    lowest = float(np.nanmin(shown)) if np.isfinite(shown).any() else 0.0
    low = min(0.5, math.floor(10 * lowest) / 10)
    image = axes.imshow(shown, cmap=f"{SHADES}_r", vmin=low, vmax=1.15, aspect="equal")
    names = [pairs.annotators[k] for k in rows]
    labels, _ = short_names(names)
    columns, _ = short_names(names, _COLUMN)
    turned = _LETTER * max(map(len, columns)) > 0.9 * cell
    axes.set_yticks(range(n - 1), labels[1:])
    axes.set_xticks(range(n - 1), columns[:-1], rotation=90 if turned else 0)
    axes.tick_params(length=0, labelsize=8 if cell >= _NUMBERED else 6.5)
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)
    for row, column in zip(*np.nonzero(below[1:, :-1]), strict=True):
        value = shown[row, column]
        pair = names[column], names[row + 1]
        text = _number(value, pairs, pair) if cell >= _NUMBERED or math.isnan(value) else ""
        dark = (1.15 - value) / (1.15 - low) > _DARK
        axes.text(
            column,
            row,
            text,
            ha="center",
            va="center",
            fontsize=7.5 if cell >= _NUMBERED else 5,
            color="white" if dark else "black",
        )
    bar = axes.figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02, shrink=0.9, panchor=(0, 1))
    bar.ax.set_ylim(low, 1)
    bar.ax.tick_params(labelsize=6.5, length=2)
    bar.outline.set_linewidth(0.4)
    bar.set_label("γ", fontsize=8)


def _number(value: float, pairs: PairMatrix, pair: tuple[str, str]) -> str:
    if math.isnan(value):
        return "×"
    test = pairs.tests.get(pair) or pairs.tests.get(pair[::-1])
    star = "*" if test is not None and test.p_holm <= _LEVEL else ""
    return f"{value:.2f}".replace("0.", ".").replace("-", "−") + star
