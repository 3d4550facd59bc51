"""Codings at a glance: who agrees with the others in which item, and how many share a boundary."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gammacp.base import plots
from gammacp.errors import DataError
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.measures.comparison import Criterion
from gammacp.segmentation.pairwise import pairwise

LARGEST = 40
"""Items that one figure shows."""


def plot_codings(
    codings: Codings, stem: Path, *, comparison: Criterion | None = None
) -> tuple[str, ...]:
    """Write `STEM.png` and `STEM.svg`: agreement by item and coder, boundaries along each item.

    Left, each coder's mean S or B with the item's other coders; right, at each boundary the share
    of the item's coders who placed it.

    Parameters
    ----------
    codings
        Items with at least two coders are shown, `LARGEST` of them: those with the least agreement.
    stem
        Path of the files without their endings.
    comparison
        S or B, and its weights.

    Returns
    -------
    What the figure leaves out, in words.

    Raises
    ------
    DataError
        No item has two coders.
    UsageError
        Matplotlib is not installed.
    """
    comparison = comparison or Criterion()
    rows = pairwise(codings, comparison=comparison)
    if not rows:
        raise DataError("no item has two coders, so there is nothing to draw")
    coders = codings.coders
    values: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        values_of_item = values.setdefault(row.item, {})
        values_of_item.setdefault(row.reference, []).append(row.values[comparison.basis.value])
    means = {
        item: [
            float(np.mean(values_by_coder[c])) if c in values_by_coder else math.nan for c in coders
        ]
        for item, values_by_coder in values.items()
    }
    worst = sorted(means, key=lambda item: float(np.nanmean(means[item])))[:LARGEST]
    shown = [item for item in means if item in worst]
    if comparison.basis.value == "s":
        name = "S"
    else:
        name = "B"
    with plots.figure(stem, width=7.2, height=1.2 + 0.26 * len(shown), columns=2) as (
        heat_axes,
        strength_axes,
    ):
        _heat(heat_axes, [means[item] for item in shown], shown, coders, name)
        _strengths(strength_axes, codings, shown)
    if len(shown) == len(means):
        return ()
    return (f"the figure shows the {LARGEST} of {len(means)} items with the least agreement",)


def _heat(
    axes: Any,
    means: Sequence[Sequence[float]],
    items: Sequence[str],
    coders: Sequence[str],
    name: str,
) -> None:
    image = axes.imshow(np.array(means), cmap="cividis", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(coders)), coders, rotation=90 if len(coders) > 6 else 0)
    axes.set_yticks(range(len(items)), items)
    axes.grid(False)
    axes.set_title(f"mean {name} with the other coders")
    axes.figure.colorbar(image, ax=axes, shrink=0.8)


def _strengths(axes: Any, codings: Codings, items: Sequence[str]) -> None:
    for n, item in enumerate(items):
        segmentations = list(codings[item].values())
        mass = segmentations[0].mass
        positions = np.concatenate([s.places for s in segmentations])
        places, times = np.unique(positions, return_counts=True)
        axes.vlines(places / mass, n + 0.4, n + 0.4 - 0.8 * times / len(segmentations), lw=1.2)
        axes.hlines(n + 0.4, 0, 1, color="#999999", lw=0.5)
    axes.set_ylim(len(items) - 0.5, -0.5)
    axes.set_yticks([])
    axes.grid(False)
    axes.set_xlim(0, 1)
    axes.set_xlabel("place in the item")
    axes.set_title("share of coders at each boundary")
