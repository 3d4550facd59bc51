"""Compiled: what systems and a gold standard have in common, for all pairs of a corpus at once."""

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.kernel import kernel
from gammacp.segmentation.measures.edit_kernels import match_in_order


@kernel
def match_within(
    rows: Indices, offsets: Indices, first: Indices, second: Indices, reach: float
) -> Floats:
    """Count matches of two rows within reach, in order, and sum second − first over them.

    Shape (pairs, 2). As many match as can, and among these matchings the places apart are fewest.
    """
    matches = np.zeros((len(first), 2))
    for p in range(len(first)):
        i = first[p]
        j = second[p]
        a = rows[offsets[i] : offsets[i + 1]].astype(np.float64)
        b = rows[offsets[j] : offsets[j + 1]].astype(np.float64)
        gain = (reach + 1) * (min(len(a), len(b)) + 1)
        _, partner = match_in_order(a, b, gain, 1.0, reach, True)
        for m in range(len(partner)):
            if partner[m] >= 0:
                matches[p, 0] += 1
                matches[p, 1] += b[m] - a[partner[m]]
    return matches


@kernel
def one_way(a: Indices, b: Indices, mass: int) -> tuple[float, float]:
    """Measure how far the segments and boundaries of `a` lie in those of `b`.

    Returns the base units of a's segments that lie in the segment of b they share most with, and
    the median distance of a's boundaries to the nearest of b, −1 where there is none.
    """
    inside = low = j = 0
    for i in range(len(a) + 1):
        if i < len(a):
            high = a[i]
        else:
            high = mass
        while j > 0 and b[j - 1] > low:
            j -= 1
        largest = 0
        while j <= len(b):
            if j:
                start = b[j - 1]
            else:
                start = 0
            if j < len(b):
                end = b[j]
            else:
                end = mass
            largest = max(largest, min(high, end) - max(low, start))
            if end >= high:
                break
            j += 1
        inside = inside + largest
        low = high
    if not len(a) or not len(b):
        return inside, -1.0
    away = np.empty(len(a))
    j = 0
    for i in range(len(a)):
        while j + 1 < len(b) and abs(b[j + 1] - a[i]) <= abs(b[j] - a[i]):
            j += 1
        away[i] = abs(b[j] - a[i])
    return inside, float(np.median(away))


@kernel
def both_ways(
    rows: Indices, offsets: Indices, masses: Indices, first: Indices, second: Indices
) -> Floats:
    """`one_way` of first and second, and of second and first; shape (pairs, 4)."""
    fractions = np.empty((len(first), 4))
    for p in range(len(first)):
        i = first[p]
        j = second[p]
        a = rows[offsets[i] : offsets[i + 1]]
        b = rows[offsets[j] : offsets[j + 1]]
        fractions[p, 0], fractions[p, 1] = one_way(a, b, masses[i])
        fractions[p, 2], fractions[p, 3] = one_way(b, a, masses[i])
    return fractions


def example() -> None:
    """Call both on two rows of one boundary, for what is compiled beforehand."""
    rows = np.array([2, 3])
    offsets = np.array([0, 1, 2])
    mass = np.array([5, 5])
    match_within(rows, offsets, np.array([0]), np.array([1]), 1.0)
    both_ways(rows, offsets, mass, np.array([0]), np.array([1]))
