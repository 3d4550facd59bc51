"""Compiled kernels that count all quantities of pairs of codings, for a whole corpus at once."""

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.kernel import kernel
from gammacp.segmentation.measures.edit_kernels import (
    best_partners,
    cheapest,
    differing,
    match_in_order,
    nearest,
    published_windows,
    window_cost,
)

# Columns of `all_pairs`: symmetric ones, and those that depend on which row is the reference. The
# symmetric ones are, for S, the numbers of full and near misses, d and its least value; for B, |M|,
# |A| + |S|, |T|, the sum of places crossed, w, and the least value of 1 − B.
BOTH = (
    *("full", "near", "distance", "least"),
    *("matches", "b_full", "b_near", "b_apart", "b_penalty", "b_least"),
)
SIDED = ("wd_windows", "wd_errors", "pk_windows", "pk_errors", "ghd", "ghd_largest")


@kernel
def window_errors(a: Indices, b: Indices, k: int, first: int, last: int) -> tuple[int, int]:
    """Count the windows with unequal numbers of boundaries, and those empty on one side only.

    Windows start from `first` to before `last`; window i holds the boundaries p with i < p ≤ i + k.
    Its contents only change where i passes some p or p − k, so that all windows between two such
    places are counted together.
    """
    unequal = parted = 0
    a_low = a_high = b_low = b_high = 0
    at = first
    while at < last:
        while a_low < len(a) and a[a_low] <= at:
            a_low += 1
        while a_high < len(a) and a[a_high] <= at + k:
            a_high += 1
        while b_low < len(b) and b[b_low] <= at:
            b_low += 1
        while b_high < len(b) and b[b_high] <= at + k:
            b_high += 1
        until = last
        if a_low < len(a):
            until = min(until, a[a_low])
        if a_high < len(a):
            until = min(until, a[a_high] - k)
        if b_low < len(b):
            until = min(until, b[b_low])
        if b_high < len(b):
            until = min(until, b[b_high] - k)
        if a_high - a_low != b_high - b_low:
            unequal += until - at
        if (a_high > a_low) != (b_high > b_low):
            parted += until - at
        at = until
    return unequal, parted


@kernel
def hamming(a: Floats, b: Floats, insertion: float, deletion: float, shift: float) -> float:
    """Return the generalised Hamming distance (GHD) from b to a.

    Boundaries that both rows have are not edited: by the triangle inequality, no shift is cheaper.
    """
    places, sides = differing(a, b)
    first = places[sides == 0]
    second = places[sides == 1]
    apart = insertion + deletion
    if shift == 0:
        reach = np.inf
    else:
        reach = apart / shift
    saved, _ = match_in_order(first, second, apart, shift, reach, False)
    return max(0.0, insertion * len(first) + deletion * len(second) - saved)


@kernel
def half_segment(mass: int, boundaries: int) -> int:
    """Return k = max(2, ⌊N/(2·segments) + ½⌋), in integers to avoid rounding errors."""
    segments = boundaries + 1
    return max(2, (mass + segments) // (2 * segments))


@kernel
def _fill_sided(
    a: Indices, b: Indices, mass: int, span: int, padded: bool, columns: Floats
) -> None:
    """Compute the columns `SIDED`, with a as the reference."""
    k = half_segment(mass, len(a))
    columns[2] = max(0, mass - k)
    unequal, parted = window_errors(a, b, k, 0, mass - k)
    columns[3] = parted
    first, last = (-span, mass) if padded else (0, mass - span)
    if span != k or padded:
        unequal, _ = window_errors(a, b, span, first, last)
    columns[0], columns[1] = max(0, last - first) if span > 0 else 0, unequal
    mean = mass / (len(a) + 1)
    columns[4] = hamming(a.astype(np.float64), b.astype(np.float64), mean, mean, 2.0)
    columns[5] = mean * (len(a) + len(b))


@kernel
def _fill_both(
    a: Indices,
    b: Indices,
    mass: int,
    n: int,
    substitution: float,
    transposition: float,
    te: bool,
    optimal: bool,
    columns: Floats,
) -> None:
    """Compute the columns `BOTH`."""
    places, sides = differing(a, b)
    count = len(places)
    matches = (len(a) + len(b) - count) // 2
    partner = nearest(places, sides, n)
    near = apart = 0
    for i in range(count):
        if partner[i] > i:
            near += 1
            apart += places[partner[i]] - places[i]
    simple = n <= 2 and transposition <= 2 * substitution
    if simple:
        columns[0] = count - 2 * near
        columns[1] = near
        columns[2] = columns[3] = substitution * columns[0] + transposition * near
    else:
        least, windows = cheapest(a, b, mass, n, substitution, transposition, te)
        if not optimal:
            windows = published_windows(a, b, mass, n)
        unmatched = count
        cost = 0.0
        at = 0
        for w in range(len(windows)):
            while at < count and places[at] < windows[w, 0]:
                at += 1
            while at < count and places[at] <= windows[w, 1]:
                at = at + 1
                unmatched = unmatched - 1
            width = windows[w, 1] - windows[w, 0] + 1
            cost += transposition * window_cost(width, windows[w, 2], te)
        columns[0], columns[1] = unmatched, len(windows)
        columns[2] = cost + substitution * unmatched
        columns[3] = least
    value = count - 2 * near + transposition * apart / n
    total = count + matches - near
    if total:
        least = value / total
    else:
        least = 0.0
    if n > 2 and count:
        first, second, partners = best_partners(a, b, n, matches, transposition)
        k = c = 0
        for i in range(len(partners)):
            if partners[i] >= 0:
                k = k + 1
                c = c + abs(second[i] - first[partners[i]])
        least = (count - 2 * k + transposition * c / n) / (count + matches - k)
        if optimal:
            near = k
            apart = c
    columns[4] = matches
    columns[5] = count - 2 * near
    columns[6] = near
    columns[7] = apart
    columns[8] = count - 2 * near + transposition * apart / n
    columns[9] = least


@kernel
def all_pairs(
    rows: Indices,
    offsets: Indices,
    masses: Indices,
    first: Indices,
    second: Indices,
    n: int,
    substitution: float,
    transposition: float,
    te: bool,
    optimal: bool,
    spans: Indices,
    padded: bool,
) -> tuple[Floats, Floats]:
    """Return the columns `BOTH`, (pairs, 10), and `SIDED` with first and second as the reference.

    Parameters
    ----------
    rows, offsets, masses
        Boundaries of all codings in sequence, the offset at which those of each coding begin, and
        the mass of each coding.
    first, second
        Numbers of the two codings of each pair.
    spans, padded
        Width of the windows of WindowDiff with each row as the reference, and whether the items are
        padded by this width.
    """
    both = np.empty((len(first), 10))
    sided = np.empty((len(first), 2, 6))
    for p in range(len(first)):
        i = first[p]
        j = second[p]
        a = rows[offsets[i] : offsets[i + 1]]
        b = rows[offsets[j] : offsets[j + 1]]
        mass = masses[i]
        _fill_both(a, b, mass, n, substitution, transposition, te, optimal, both[p])
        _fill_sided(a, b, mass, spans[i], padded, sided[p, 0])
        _fill_sided(b, a, mass, spans[j], padded, sided[p, 1])
    return both, sided


def pair_columns(
    a: Indices, b: Indices, mass: int, n: int, weights: tuple[float, float, bool], *, optimal: bool
) -> dict[str, float]:
    """Return the columns `BOTH` of one pair by name.

    `weights` are those of substitutions and transpositions, and whether to use te.
    """
    offsets = np.array([0, len(a), len(a) + len(b)])
    masses = np.array([mass, mass])
    first = np.array([0])
    second = np.array([1])
    rows = np.concatenate((a, b))
    both, _ = all_pairs(rows, offsets, masses, first, second, n, *weights, optimal, masses, False)
    return dict(zip(BOTH, both[0].tolist(), strict=True))
