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

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gammacp.base.arguments import one_of, whole
from gammacp.segmentation.measures.value import Segmentation, check_comparable


class Window(NamedTuple):
    """Parameters of one of the variants of WindowDiff.

    Attributes
    ----------
    size
        Function that returns k from arrays of masses and of numbers of segments.
    padded
        Whether k empty base units are put before and after the item.
    more
        Number of windows in the denominator in addition to those that are counted.
    """

    size: Callable[[Any, Any], Any]
    padded: bool = False
    more: int = 0


def _half_up(mass: Any, segments: Any) -> Any:
    # Use integers, as halves must not depend on rounding: ⌊N/(2s) + ½⌋ = ⌊(N + s)/(2s)⌋.
    return np.maximum(2, (mass + segments) // (2 * segments))


def _half_even(mass: Any, segments: Any) -> Any:
    return np.maximum(2, np.rint(mass / (2 * segments)).astype(np.int64))


def _half_nltk(mass: Any, segments: Any) -> Any:
    return np.rint((mass - 1) / (2 * np.maximum(segments - 1, 1))).astype(np.int64)


WINDOWS = {
    "2002": Window(_half_up),
    "lamprier": Window(_half_up, padded=True),
    "nltk": Window(_half_nltk),
    "segeval": Window(_half_even),
    "segeval-lamprier": Window(_half_even, padded=True, more=1),
}


def window(name: str) -> Window:
    """Return the WindowDiff of this name; raise UsageError if there is none."""
    return WINDOWS[one_of("windowdiff", name, WINDOWS)]


def window_size(reference: Segmentation) -> int:
    """Return k = max(2, ⌊N/(2·segments) + ½⌋): half the mean segment of the reference, halves up.

    >>> window_size(Segmentation.from_masses([5, 6]))  # 11/4 = 2.75
    3
    """
    return int(_half_up(reference.mass, reference.n_segments))


def window_diff(
    reference: Segmentation,
    hypothesis: Segmentation,
    *,
    k: int | None = None,
    padded: bool = False,
    variant: str = "2002",
) -> float:
    """Return WindowDiff: the share of windows with different boundary counts (2012, eq. 1).

    Parameters
    ----------
    reference, hypothesis
        Segmentations of one item; the reference gives the default of k.
    k
        Potential boundaries a window spans, at least 1; default `window_size(reference)`.
    padded
        Lamprier et al.: k empty base units are put before and after the item, so that each
        boundary is in exactly k windows. There are then N + k windows.
    variant
        Rule for k, padding and denominator where they are not given: 2002 (Pevzner & Hearst),
        lamprier (2007), nltk (k of its P_k), segeval, segeval-lamprier (docs/windowdiff.md).

    Raises
    ------
    UsageError
        The variant is unknown, or k is no whole number ≥ 1.

    Returns
    -------
    The error in [0, 1]; NaN where the item is too short for a window (N ≤ k, not padded), or nltk's
    k is 0.

    >>> ref, hyp = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])
    >>> round(window_diff(ref, hyp), 4)  # 2/9
    0.2222
    """
    chosen = window(variant)
    if k is None:
        k = int(chosen.size(reference.mass, reference.n_segments))
        if k < 1:
            return math.nan
    return _errors(reference, hypothesis, k, padded or chosen.padded, chosen.more)[0]


def pk(
    reference: Segmentation, hypothesis: Segmentation, *, k: int | None = None, padded: bool = False
) -> float:
    """Return P_k: the share of windows whose ends only one coder has in the same segment.

    Parameters and result are those of `window_diff`.

    >>> ref, hyp = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([1, 1, 3, 1, 5])
    >>> round(pk(ref, hyp), 4)  # 1/9
    0.1111
    """
    return _errors(reference, hypothesis, k, padded)[1]


class WindowCounts(NamedTuple):
    """Numbers of windows over two segmentations, and of wrong ones.

    Attributes
    ----------
    windows
        Number of windows; 0 where the item is too short for one.
    unequal, parted
        Numbers of windows with unequal numbers of boundaries, and of windows that are empty on one
        side only.
    size
        Potential boundaries that a window spans.
    """

    windows: int
    unequal: int
    parted: int
    size: int


def windows_of(
    reference: Segmentation,
    hypothesis: Segmentation,
    *,
    k: int | None = None,
    padded: bool = False,
    more: int = 0,
) -> WindowCounts:
    """Count the windows over two segmentations.

    Parameters
    ----------
    reference, hypothesis, k, padded
        As for `window_diff`.
    more
        Field `more` of `Window`.
    """
    from gammacp.segmentation.measures.pair_kernels import window_errors

    check_comparable(reference, hypothesis)
    if k is None:
        k = window_size(reference)
    else:
        k = whole("window size k", k, 1)
    first, last = (-k, reference.mass) if padded else (0, reference.mass - k)
    unequal, parted = window_errors(reference.places, hypothesis.places, k, first, last)
    return WindowCounts(max(0, last - first + more), unequal, parted, k)


def _errors(
    reference: Segmentation, hypothesis: Segmentation, k: int | None, padded: bool, more: int = 0
) -> tuple[float, float]:
    """Return WindowDiff and P_k."""
    counts = windows_of(reference, hypothesis, k=k, padded=padded, more=more)
    if not counts.windows:
        return math.nan, math.nan
    return counts.unequal / counts.windows, counts.parted / counts.windows
