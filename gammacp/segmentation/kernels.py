"""Compiled: what two rows of boundaries of one type have in common, and all pairs of a corpus.

Everything walks over boundaries, never over places: the cost of a pair is that of its boundaries,
times the places that a near miss may span. Rows are sorted and hold a place once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gammacp.arrays import Floats, Indices
from gammacp.kernel import kernel

# Columns of `all_pairs`: what is the same from both sides, and what depends on the reference.
# d and its least, of S; |M|, |A| + |S|, |T|, Σ of places crossed, w of B, and the least of 1 − B;
# the share of a reader's segment that the other side lacks, for either side.
BOTH = (
    *("full", "near", "distance", "least"),
    *("matches", "b_full", "b_near", "b_apart", "b_penalty", "b_least"),
    *("lost_first", "lost_second"),
)
SIDED = ("wd_windows", "wd_errors", "pk_windows", "pk_errors", "ghd", "ghd_largest")


@kernel
def differing(a: Any, b: Any) -> tuple[Any, Indices]:
    """Where only one row has a boundary, and which (0 the first, 1 the second); any numbers."""
    places = np.empty(len(a) + len(b), a.dtype)
    sides = np.empty(len(a) + len(b), np.int64)
    i = j = count = 0
    while i < len(a) or j < len(b):
        if j == len(b) or (i < len(a) and a[i] < b[j]):
            places[count], sides[count] = a[i], 0
            count, i = count + 1, i + 1
        elif i == len(a) or b[j] < a[i]:
            places[count], sides[count] = b[j], 1
            count, j = count + 1, j + 1
        else:
            i, j = i + 1, j + 1
    return places[:count], sides[:count]


@kernel
def nearest(places: Indices, sides: Indices, n: int) -> Indices:
    """The partner of each difference, −1 without: nearest first, from left to right (2013)."""
    partner = np.full(len(places), -1)
    for distance in range(1, n):
        end = 0
        for start in range(len(places)):
            while end < len(places) and places[end] < places[start] + distance:
                end += 1
            if end == len(places):
                break
            fits = places[end] == places[start] + distance and sides[end] != sides[start]
            if fits and partner[start] < 0 and partner[end] < 0:
                partner[start], partner[end] = end, start
    return partner


@kernel
def uncrossed(
    a: Floats, b: Floats, gain: float, slope: float, reach: float, traced: bool
) -> tuple[float, Indices]:
    """The most that matching a with b in order saves: gain − slope·distance a pair within reach.

    Where the cost is linear in the distance, a matching without crossings is never worse. Windows
    over a only move to the right, so that what lies left of them is settled. `traced` tells the
    partner in a of each of b (−1 without); it is not told otherwise.
    """
    low, high = np.empty(len(b), np.int64), np.empty(len(b), np.int64)
    cells = lo = hi = 0
    for i in range(len(b)):
        while lo < len(a) and a[lo] < b[i] - reach:
            lo += 1
        while hi < len(a) and a[hi] <= b[i] + reach:
            hi += 1
        low[i], high[i] = lo, hi
        cells += hi - lo
    saved = np.zeros(len(a) + 1)
    # 0: b's boundary is left alone, 1: matched with this one of a, 2: with an earlier one.
    chosen = np.zeros(cells if traced else 0, np.int8)
    filled = at = 0
    for i in range(len(b)):
        if low[i] == high[i]:
            continue
        for j in range(filled + 1, high[i] + 1):
            saved[j] = saved[filled]
        filled = high[i]
        before, best = saved[low[i]], -1.0
        for j in range(low[i], high[i]):
            alone, matched = saved[j + 1], before + gain - slope * abs(a[j] - b[i])
            choice = 2
            if alone >= best:
                best, choice = alone, 0
            if matched > best:
                best, choice = matched, 1
            before, saved[j + 1] = alone, best
            if traced:
                chosen[at] = choice
                at += 1
    partner = np.full(len(b) if traced else 0, -1)
    if traced:
        j = filled - 1
        for i in range(len(b) - 1, -1, -1):
            at -= high[i] - low[i]
            j = min(j, high[i] - 1)
            while j >= low[i] and chosen[at + j - low[i]] == 2:
                j -= 1
            if j >= low[i] and chosen[at + j - low[i]] == 1:
                partner[i] = j
                j -= 1
    return saved[filled], partner


@kernel
def best_partners(
    a: Indices, b: Indices, n: int, matches: int, transposition: float
) -> tuple[Indices, Indices, Indices]:
    """What each row has alone, and the partners in a of those of b that make B largest.

    1 − B is a fraction: k pairs that cross c places in all give (D − 2k + w·c/n)/(D + M − k). With
    λ in its place, each pair saves 2 − λ − w·distance/n; the matching that saves most gives the
    next λ, until none is smaller (Dinkelbach 1967). Every pair within reach saves something.
    """
    places, sides = differing(a, b)
    first, second = places[sides == 0], places[sides == 1]
    count = len(places)
    partner = np.full(len(second), -1)
    worst = 1.0
    while count:
        _, found = uncrossed(
            first.astype(np.float64),
            second.astype(np.float64),
            2 - worst,
            transposition / n,
            n - 1.0,
            True,
        )
        near = apart = 0
        for i in range(len(found)):
            if found[i] >= 0:
                near += 1
                apart += abs(second[i] - first[found[i]])
        value = (count - 2 * near + transposition * apart / n) / (count + matches - near)
        if value >= worst - 1e-12 and worst < 1:
            break
        partner = found
        if value >= worst:
            break
        worst = value
    return first, second, partner


@kernel
def _cost(n: int, boundaries: int, te: bool) -> float:
    return boundaries - (1 / boundaries) ** (n - 2) if te else 1.0


@kernel
def mirrored(a: Indices, b: Indices, mass: int, width: int) -> tuple[Indices, Indices]:
    """Starts of the windows of a width where one row is the mirror image of the other.

    The rows differ in them, and the second has a boundary at one of their ends. With the starts
    comes how many boundaries of both rows there are.
    """
    starts, counts = np.empty(2 * len(b), np.int64), np.empty(2 * len(b), np.int64)
    found = opening = closing = ahead = behind = inside = beyond = 0
    last = 0
    while opening < len(b) or closing < len(b):
        if closing == len(b) or (opening < len(b) and b[opening] <= b[closing] - width + 1):
            start = b[opening]
            opening += 1
        else:
            start = b[closing] - width + 1
            closing += 1
        if start <= last or start + width > mass:
            continue
        last, end = start, start + width - 1
        while ahead < len(a) and a[ahead] < start:
            ahead += 1
        while behind < len(a) and a[behind] <= end:
            behind += 1
        while inside < len(b) and b[inside] < start:
            inside += 1
        while beyond < len(b) and b[beyond] <= end:
            beyond += 1
        size = behind - ahead
        if size != beyond - inside:
            continue
        alike = True
        reverse = True
        for t in range(size):
            reverse = reverse and a[ahead + t] + b[beyond - 1 - t] == start + end
            alike = alike and a[ahead + t] == b[inside + t]
        if reverse and not alike:
            starts[found], counts[found] = start, 2 * size
            found += 1
    return starts[:found], counts[:found]


@kernel
def published(a: Indices, b: Indices, mass: int, n: int) -> Indices:
    """Windows (start, end, boundaries) that the search of 2012, §3.3 keeps, shape (windows, 3).

    Widths from 2 up, each from left to right; a window takes the place of those it overlaps if it
    has more boundaries than they have together.
    """
    kept = np.empty((0, 3), np.int64)
    for width in range(2, min(n, mass - 1) + 1):
        starts, counts = mirrored(a, b, mass, width)
        stack = np.empty((len(kept) + len(starts), 3), np.int64)
        top = old = 0
        for i in range(len(starts)):
            end = starts[i] + width - 1
            while old < len(kept) and kept[old, 0] <= end:
                stack[top] = kept[old]
                top, old = top + 1, old + 1
            below, held = top, 0
            while below > 0 and stack[below - 1, 1] >= starts[i]:
                below -= 1
                held += stack[below, 2]
            if below == top or counts[i] > held:
                stack[below, 0], stack[below, 1], stack[below, 2] = starts[i], end, counts[i]
                top = below + 1
        while old < len(kept):
            stack[top] = kept[old]
            top, old = top + 1, old + 1
        kept = stack[:top]
    return kept


@kernel
def cheapest(
    a: Indices, b: Indices, mass: int, n: int, substitution: float, transposition: float, te: bool
) -> tuple[float, Indices]:
    """The least cost of S's edits, and the windows (start, end, boundaries) behind it.

    From right to left over the differences: each is a full miss, or opens a window that ends at a
    later one and undoes all between.
    """
    places, _ = differing(a, b)
    size = len(places)
    # The windows by the difference that they start at, one row per width.
    widths = min(n, mass - 1) - 1
    held = np.zeros((max(widths, 0), size), np.int64)
    for w in range(widths):
        starts, counts = mirrored(a, b, mass, w + 2)
        i = 0
        for s in range(len(starts)):
            while i < size and places[i] < starts[s]:
                i += 1
            if i < size and places[i] == starts[s]:
                held[w, i] = counts[s]
    best, follow = np.zeros(size + 1), np.zeros(size, np.int64)
    for i in range(size - 1, -1, -1):
        best[i], follow[i] = substitution + best[i + 1], i + 1
        j = i + 1
        while j < size and places[j] - places[i] < n:
            count = held[places[j] - places[i] - 1, i] if places[j] - places[i] <= widths else 0
            if count:
                cost = transposition * _cost(places[j] - places[i] + 1, count, te) + best[j + 1]
                if cost < best[i]:
                    best[i], follow[i] = cost, j + 1
            j += 1
    windows = np.empty((size, 3), np.int64)
    i = top = 0
    while i < size:
        j = follow[i] - 1
        if j > i:
            windows[top, 0], windows[top, 1] = places[i], places[j]
            windows[top, 2] = held[places[j] - places[i] - 1, i]
            top += 1
        i = j + 1
    return best[0], windows[:top]


@kernel
def window_errors(a: Indices, b: Indices, k: int, first: int, last: int) -> tuple[int, int]:
    """Windows from `first` to before `last` that hold unequally many, and of which one is empty.

    Window i holds the boundaries p with i < p ≤ i + k: from one p or p − k to the next, all do
    alike.
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
def lost_shares(a: Indices, b: Indices, mass: int) -> tuple[float, float]:
    """Mean share of a base unit's segment that its segment on the other side lacks, for a and b."""
    first = second = 0.0
    i = j = start = 0
    while start < mass:
        left = a[i - 1] if i else 0
        right = a[i] if i < len(a) else mass
        low = b[j - 1] if j else 0
        high = b[j] if j < len(b) else mass
        end = min(right, high)
        piece = end - start
        first += piece * (right - left - piece) / (right - left)
        second += piece * (high - low - piece) / (high - low)
        i += right == end
        j += high == end
        start = end
    return first / mass, second / mass


@kernel
def hamming(a: Floats, b: Floats, insertion: float, deletion: float, shift: float) -> float:
    """GHD from b to a. What both have stays: by the triangle inequality no shift beats that."""
    places, sides = differing(a, b)
    first, second = places[sides == 0], places[sides == 1]
    apart = insertion + deletion
    reach = np.inf if shift == 0 else apart / shift
    saved, _ = uncrossed(first, second, apart, shift, reach, False)
    return max(0.0, insertion * len(first) + deletion * len(second) - saved)


@kernel
def half_segment(mass: int, boundaries: int) -> int:
    """k = max(2, ⌊N/(2·segments) + ½⌋), in whole numbers: a half must not depend on rounding."""
    segments = boundaries + 1
    return max(2, (mass + segments) // (2 * segments))


@kernel
def _sided(a: Indices, b: Indices, mass: int, span: int, padded: bool, found: Floats) -> None:
    """The columns `SIDED` with a as the reference."""
    k = half_segment(mass, len(a))
    found[2] = max(0, mass - k)
    unequal, parted = window_errors(a, b, k, 0, mass - k)
    found[3] = parted
    first, last = (-span, mass) if padded else (0, mass - span)
    if span != k or padded:
        unequal, _ = window_errors(a, b, span, first, last)
    found[0], found[1] = max(0, last - first) if span > 0 else 0, unequal
    mean = mass / (len(a) + 1)
    found[4] = hamming(a.astype(np.float64), b.astype(np.float64), mean, mean, 2.0)
    found[5] = mean * (len(a) + len(b))


@kernel
def _both(
    a: Indices,
    b: Indices,
    mass: int,
    n: int,
    substitution: float,
    transposition: float,
    te: bool,
    optimal: bool,
    found: Floats,
) -> None:
    """The columns `BOTH`."""
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
        found[0], found[1] = count - 2 * near, near
        found[2] = found[3] = substitution * found[0] + transposition * near
    else:
        least, windows = cheapest(a, b, mass, n, substitution, transposition, te)
        if not optimal:
            windows = published(a, b, mass, n)
        left, cost = count, 0.0
        at = 0
        for w in range(len(windows)):
            while at < count and places[at] < windows[w, 0]:
                at += 1
            while at < count and places[at] <= windows[w, 1]:
                at, left = at + 1, left - 1
            width = windows[w, 1] - windows[w, 0] + 1
            cost += transposition * _cost(width, windows[w, 2], te)
        found[0], found[1] = left, len(windows)
        found[2], found[3] = cost + substitution * left, least
    value = count - 2 * near + transposition * apart / n
    total = count + matches - near
    least = value / total if total else 0.0
    if n > 2 and count:
        first, second, partners = best_partners(a, b, n, matches, transposition)
        k = c = 0
        for i in range(len(partners)):
            if partners[i] >= 0:
                k, c = k + 1, c + abs(second[i] - first[partners[i]])
        least = (count - 2 * k + transposition * c / n) / (count + matches - k)
        if optimal:
            near, apart = k, c
    found[4], found[5], found[6], found[7] = matches, count - 2 * near, near, apart
    found[8] = count - 2 * near + transposition * apart / n
    found[9] = least
    found[10], found[11] = lost_shares(a, b, mass)


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
    """The columns `BOTH`, (pairs, 12), and `SIDED` with first and second as the reference.

    Parameters
    ----------
    rows, offsets, masses
        Boundaries of all codings one after the other, where each begins, and the mass of each.
    first, second
        The two codings of each pair.
    spans, padded
        Places that a window of WindowDiff spans, with each row as the reference, and whether the
        items are padded by as many.
    """
    both, sided = np.empty((len(first), 12)), np.empty((len(first), 2, 6))
    for p in range(len(first)):
        i, j = first[p], second[p]
        a, b = rows[offsets[i] : offsets[i + 1]], rows[offsets[j] : offsets[j + 1]]
        mass = masses[i]
        _both(a, b, mass, n, substitution, transposition, te, optimal, both[p])
        _sided(a, b, mass, spans[i], padded, sided[p, 0])
        _sided(b, a, mass, spans[j], padded, sided[p, 1])
    return both, sided


@kernel
def tolerated(
    rows: Indices, offsets: Indices, first: Indices, second: Indices, reach: float
) -> Floats:
    """How many of two rows match within reach, in order, and the sum of second − first of these.

    Shape (pairs, 2). As many match as can, and among these matchings the places apart are fewest.
    """
    found = np.zeros((len(first), 2))
    for p in range(len(first)):
        i, j = first[p], second[p]
        a = rows[offsets[i] : offsets[i + 1]].astype(np.float64)
        b = rows[offsets[j] : offsets[j + 1]].astype(np.float64)
        gain = (reach + 1) * (min(len(a), len(b)) + 1)
        _, partner = uncrossed(a, b, gain, 1.0, reach, True)
        for m in range(len(partner)):
            if partner[m] >= 0:
                found[p, 0] += 1
                found[p, 1] += b[m] - a[partner[m]]
    return found


def of_pair(
    a: Indices,
    b: Indices,
    mass: int,
    n: int,
    weights: tuple[float, float, bool],
    *,
    optimal: bool,
) -> dict[str, float]:
    """The columns `BOTH` of one pair; `weights` of substitutions and transpositions, and te."""
    offsets = np.array([0, len(a), len(a) + len(b)])
    masses, first, second = np.array([mass, mass]), np.array([0]), np.array([1])
    rows = np.concatenate((a, b))
    both, _ = all_pairs(rows, offsets, masses, first, second, n, *weights, optimal, masses, False)
    return dict(zip(BOTH, both[0].tolist(), strict=True))
