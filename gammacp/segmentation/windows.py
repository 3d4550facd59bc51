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

from gammacp.arguments import whole
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
    return _errors(reference, hypothesis, k, padded)[0]


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
    return _errors(reference, hypothesis, k, padded)[1]


def _errors(
    reference: Segmentation, hypothesis: Segmentation, k: int | None, padded: bool
) -> tuple[float, float]:
    """WindowDiff and P_k."""
    from gammacp.segmentation.kernels import window_errors

    check_comparable(reference, hypothesis)
    k = window_size(reference) if k is None else whole("window size k", k, 1)
    first, last = (-k, reference.mass) if padded else (0, reference.mass - k)
    unequal, parted = window_errors(reference.places, hypothesis.places, k, first, last)
    windows = last - first
    return (unequal / windows, parted / windows) if windows > 0 else (math.nan, math.nan)
