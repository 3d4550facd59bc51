"""Positions of the units of a drawn reference: one function per layout.

Positions start at 0. Each function takes the drawn lengths, shape (n,), and returns the starts and
ends of the units and the end of the continuum. Boundaries that touch are exactly equal, not only up
to rounding.
"""

from enum import StrEnum

import numpy as np

from gammacp.base.arrays import Floats

Placed = tuple[Floats, Floats, float]


class Layout(StrEnum):
    """Arrangements of the units of one annotator."""

    APART = "apart"  # units do not overlap; gaps between, before and after them
    OVERLAPPING = "overlapping"  # gaps may be negative
    COVERING = "covering"  # a segmentation: units tile the continuum without gaps
    FIXED = "fixed"  # pure categorisation: equal units with equal gaps, the same in every draw


def apart(
    lengths: Floats, shortest: Floats, gaps: Floats, least_gap: float, total: float | None
) -> Placed:
    """Place units one after the other, with n + 1 `gaps`: before each unit and at the end.

    With a `total` length of the continuum, the part of the gaps above `least_gap` is scaled to fill
    it. If the gaps cannot shrink enough, the units shrink towards `shortest`.
    """
    if total is not None:
        room = total - least_gap * len(gaps)
        lengths = summing_to(lengths, shortest, min(float(lengths.sum()), room))
        gaps = summing_to(gaps, np.full(len(gaps), least_gap), total - float(lengths.sum()))
    steps = np.stack((gaps[:-1], lengths), axis=1).ravel()
    edges = np.cumsum(steps)
    if total is None:
        end = float(edges[-1] + gaps[-1])
    else:
        end = total
    edges = np.minimum(edges, end)  # rounded sums may pass the end by the last digit
    return edges[::2], edges[1::2], end


def covering(lengths: Floats, shortest: Floats, longest: Floats, total: float | None) -> Placed:
    """Place units so that they tile the continuum; a `total` scales lengths inside their ranges."""
    if total is not None:
        if total < lengths.sum():
            lengths = summing_to(lengths, shortest, total)
        else:
            # Scale what each length lacks of its longest.
            lengths = longest - summing_to(
                longest - lengths, np.zeros(len(lengths)), float(longest.sum()) - total
            )
    ends = np.cumsum(lengths)
    if total is not None:
        ends = np.append(np.minimum(ends[:-1], total), total)
    return np.append(0.0, ends[:-1]), ends, float(ends[-1])


def overlapping(
    lengths: Floats, gaps: Floats, total: float | None, rng: np.random.Generator
) -> Placed:
    """Place units one after the other with gaps that may be negative; `gaps` as for `apart`.

    With a `total`, the sequence is wound around a circle of that length from a random place, so
    that no place of the continuum is preferred. A unit that would extend beyond the end is moved
    back to end there. Without a `total`, the continuum begins with the first unit.
    """
    starts = np.cumsum(gaps[:-1] + lengths) - lengths
    if total is None:
        starts = starts - starts.min() + max(gaps[0], 0.0)
        return starts, starts + lengths, float((starts + lengths).max() + max(gaps[-1], 0.0))
    turn = rng.random() * total
    if float(total).is_integer():
        # Whole numbers stay whole.
        turn = np.floor(turn)
    starts = (starts + turn) % total
    starts = np.minimum(starts, total - lengths)
    return starts, np.minimum(starts + lengths, total), total


def summing_to(values: Floats, least: Floats, total: float) -> Floats:
    """Return the values with their excess over `least` scaled so that they sum to `total`.

    Where all are whole numbers they stay so: running sums are rounded, which keeps the total, and
    every value at or above its whole-numbered least.
    """
    excess = values - least
    spare = total - float(least.sum())
    if excess.sum() > 0:
        share = excess
    else:
        share = np.ones(len(values))
    scaled: Floats = least + share * (spare / share.sum())
    if total % 1 or (values % 1).any() or (least % 1).any():
        return scaled
    sums = np.floor(np.cumsum(scaled) + 0.5)
    sums[-1] = total
    return np.diff(sums, prepend=0.0)
