"""Measures that slide a window over two segmentations: WindowDiff and P_k.

Conventions
-----------
A window spans k potential boundaries: window i, 0 ≤ i < N − k, holds those with i < p ≤ i + k. The
number of boundaries in it changes only where a boundary enters or leaves, so windows are counted
in stretches: the cost is O(b log b) for b boundaries, whatever the mass. Both functions return the
*error*, 0 for identical segmentations; agreement is 1 minus it. Boundary types do not count.

References
----------
Beeferman, Berger & Lafferty 1999 (P_k); Pevzner & Hearst 2002 (WindowDiff); Lamprier et al. 2007
(padding); Fournier & Inkpen 2012, eq. 1.
"""

from __future__ import annotations

import math

import numpy as np

from gammacp.arguments import whole
from gammacp.arrays import Bools, Indices
from gammacp.segmentation.value import Segmentation, check_comparable


def window_size(reference: Segmentation) -> int:
    """k = max(2, ⌊N/(2·segments) + ½⌋): half the mean segment of the reference, halves up.

    >>> window_size(Segmentation.from_masses([5, 6]))  # 11/4 = 2.75
    3
    """
    # In whole numbers, since a half must not depend on rounding: ⌊N/(2s) + ½⌋ = ⌊(N + s)/(2s)⌋.
    segments = reference.n_segments
    return max(2, (reference.mass + segments) // (2 * segments))


def window_diff(
    reference: Segmentation,
    hypothesis: Segmentation,
    *,
    k: int | None = None,
    padded: bool = False,
) -> float:
    """WindowDiff: the share of windows in which the numbers of boundaries differ (2012, eq. 1).

    Parameters
    ----------
    reference, hypothesis
        Segmentations of one item; the reference gives the default of k.
    k
        Potential boundaries a window spans, at least 1; default `window_size(reference)`.
    padded
        Lamprier et al.: k empty base units are put before and after the item, so that each
        boundary is in exactly k windows. There are then N + k windows.

    Returns
    -------
    The error in [0, 1]; NaN where the item is too short for a window (N ≤ k, not padded).

    >>> ref, hyp = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])
    >>> round(window_diff(ref, hyp), 4)  # 2/9
    0.2222
    """
    check_comparable(reference, hypothesis)
    k = _checked(k, reference)
    starts, lengths = _stretches(reference, hypothesis, k, padded)
    differ = _inside(reference.places, starts, k) != _inside(hypothesis.places, starts, k)
    return _share(differ, lengths)


def pk(
    reference: Segmentation,
    hypothesis: Segmentation,
    *,
    k: int | None = None,
    padded: bool = False,
) -> float:
    """P_k: the share of windows whose ends are in one segment for one coder and not the other.

    Parameters and result as for `window_diff`.

    >>> ref, hyp = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([1, 1, 3, 1, 5])
    >>> round(pk(ref, hyp), 4)  # 1/9
    0.1111
    """
    check_comparable(reference, hypothesis)
    k = _checked(k, reference)
    starts, lengths = _stretches(reference, hypothesis, k, padded)
    in_reference = _inside(reference.places, starts, k) > 0
    in_hypothesis = _inside(hypothesis.places, starts, k) > 0
    return _share(in_reference != in_hypothesis, lengths)


def _checked(k: int | None, reference: Segmentation) -> int:
    if k is None:
        return window_size(reference)
    return whole("window size k", k, 1)


def _stretches(a: Segmentation, b: Segmentation, k: int, padded: bool) -> tuple[Indices, Indices]:
    """First window and length of each run of windows that hold the same boundaries."""
    first, last = (-k, a.mass) if padded else (0, a.mass - k)
    places = np.concatenate((a.places, b.places))
    # Boundary p enters with window p − k and has left with window p.
    changes = np.unique(np.concatenate((places - k, places, [first])))
    starts = changes[(changes >= first) & (changes < last)]
    return starts, np.diff(np.append(starts, last)) if last > first else starts


def _inside(places: Indices, starts: Indices, k: int) -> Indices:
    last = np.searchsorted(places, starts + k, side="right")
    return last - np.searchsorted(places, starts, side="right")


def _share(errors: Bools, lengths: Indices) -> float:
    windows = int(lengths.sum())
    return int(lengths[errors].sum()) / windows if windows > 0 else math.nan
