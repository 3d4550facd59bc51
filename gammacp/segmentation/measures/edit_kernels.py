"""Compiled kernels that match the boundaries of two codings, and compute the cost of edits.

All loops run over boundaries, never over places: the cost of comparing two rows is proportional to
their number of boundaries times the span of a near miss. Both rows have boundaries of one type,
sorted and without duplicates.
"""

from typing import Any

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.kernel import kernel


@kernel
def differing(a: Any, b: Any) -> tuple[Any, Indices]:
    """Return the places where only one row has a boundary, and the row (0 first, 1 second)."""
    places = np.empty(len(a) + len(b), a.dtype)
    sides = np.empty(len(a) + len(b), np.int64)
    i = j = count = 0
    while i < len(a) or j < len(b):
        if j == len(b) or (i < len(a) and a[i] < b[j]):
            places[count] = a[i]
            sides[count] = 0
            count = count + 1
            i = i + 1
        elif i == len(a) or b[j] < a[i]:
            places[count] = b[j]
            sides[count] = 1
            count = count + 1
            j = j + 1
        else:
            i = i + 1
            j = j + 1
    return places[:count], sides[:count]


@kernel
def nearest(places: Indices, sides: Indices, n: int) -> Indices:
    """Return the partner of each difference, or −1 if it has none (2013).

    Nearest pairs are matched first, and those of equal distance from left to right.
    """
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
                partner[start] = end
                partner[end] = start
    return partner


@kernel
def match_in_order(
    a: Floats, b: Floats, gain: float, slope: float, reach: float, traced: bool
) -> tuple[float, Indices]:
    """Return the most that a matching of a with b in order saves, and the partners.

    A pair of boundaries at most `reach` apart saves gain − slope·distance. As this is linear in the
    distance, a matching without crossings is never worse than others. The windows of boundaries of
    a that b can reach only move to the right, so that everything to the left of them is settled. If
    `traced`, the second result holds for each boundary of b its partner in a, or −1; otherwise it
    is empty.
    """
    low = np.empty(len(b), np.int64)
    high = np.empty(len(b), np.int64)
    cells = lo = hi = 0
    for i in range(len(b)):
        while lo < len(a) and a[lo] < b[i] - reach:
            lo += 1
        while hi < len(a) and a[hi] <= b[i] + reach:
            hi += 1
        low[i] = lo
        high[i] = hi
        cells += hi - lo
    saved = np.zeros(len(a) + 1)
    # Choices: 0 leaves the boundary of b alone, 1 matches it with this boundary of a, 2 with an
    # earlier one.
    chosen = np.zeros(cells if traced else 0, np.int8)
    filled = at = 0
    for i in range(len(b)):
        if low[i] == high[i]:
            continue
        for j in range(filled + 1, high[i] + 1):
            saved[j] = saved[filled]
        filled = high[i]
        before = saved[low[i]]
        best = -1.0
        for j in range(low[i], high[i]):
            alone = saved[j + 1]
            matched = before + gain - slope * abs(a[j] - b[i])
            choice = 2
            if alone >= best:
                best = alone
                choice = 0
            if matched > best:
                best = matched
                choice = 1
            before = alone
            saved[j + 1] = best
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
    """Return the boundaries that each row has alone, and the partners in a that make B largest.

    The partners are those of the boundaries of b, −1 if there is none. k pairs, c places apart in
    total, give 1 − B = (D − 2k + w·c/n) / (D + M − k), with D differences and M matches. Such a
    fraction is minimised by a sequence of linear problems (Dinkelbach 1967): if λ is its current
    value, each pair saves 2 − λ − w·distance/n; the matching that saves most gives the next λ,
    until λ no longer falls. Every pair within reach saves something.
    """
    places, sides = differing(a, b)
    first = places[sides == 0]
    second = places[sides == 1]
    count = len(places)
    partner = np.full(len(second), -1)
    worst = 1.0
    while count:
        _, matching = match_in_order(
            first.astype(np.float64),
            second.astype(np.float64),
            2 - worst,
            transposition / n,
            n - 1.0,
            True,
        )
        near = apart = 0
        for i in range(len(matching)):
            if matching[i] >= 0:
                near += 1
                apart += abs(second[i] - first[matching[i]])
        value = (count - 2 * near + transposition * apart / n) / (count + matches - near)
        if value >= worst - 1e-12 and worst < 1:
            break
        partner = matching
        if value >= worst:
            break
        worst = value
    return first, second, partner


@kernel
def window_cost(n: int, boundaries: int, te: bool) -> float:
    """Return te(n, b), or 1 if `te` is False."""
    if te:
        return boundaries - (1 / boundaries) ** (n - 2)
    return 1.0


@kernel
def mirror_windows(a: Indices, b: Indices, mass: int, width: int) -> tuple[Indices, Indices]:
    """Return the windows of one width in which one row is the mirror image of the other.

    Each window is given by its start and the number of boundaries of both rows in it. Only windows
    in which the rows differ are returned, and which have a boundary of the second row at one of
    their ends.
    """
    starts = np.empty(2 * len(b), np.int64)
    counts = np.empty(2 * len(b), np.int64)
    count = opening = closing = ahead = behind = inside = beyond = 0
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
        last = start
        end = start + width - 1
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
            starts[count] = start
            counts[count] = 2 * size
            count += 1
    return starts[:count], counts[:count]


@kernel
def published_windows(a: Indices, b: Indices, mass: int, n: int) -> Indices:
    """Return the windows kept by the search of 2012, §3.3: (start, end, boundaries) each.

    Windows are tried by increasing width from 2, and from left to right within a width. A window
    replaces the windows that it overlaps if it has more boundaries than they have together.
    """
    windows = np.empty((0, 3), np.int64)
    for width in range(2, min(n, mass - 1) + 1):
        starts, counts = mirror_windows(a, b, mass, width)
        stack = np.empty((len(windows) + len(starts), 3), np.int64)
        top = old = 0
        for i in range(len(starts)):
            end = starts[i] + width - 1
            while old < len(windows) and windows[old, 0] <= end:
                for column in range(3):
                    stack[top, column] = windows[old, column]
                top = top + 1
                old = old + 1
            below = top
            held = 0
            while below > 0 and stack[below - 1, 1] >= starts[i]:
                below -= 1
                held += stack[below, 2]
            if below == top or counts[i] > held:
                stack[below, 0] = starts[i]
                stack[below, 1] = end
                stack[below, 2] = counts[i]
                top = below + 1
        while old < len(windows):
            for column in range(3):
                stack[top, column] = windows[old, column]
            top = top + 1
            old = old + 1
        windows = stack[:top]
    return windows


@kernel
def cheapest(
    a: Indices, b: Indices, mass: int, n: int, substitution: float, transposition: float, te: bool
) -> tuple[float, Indices]:
    """Return the least cost of S's edits, and the windows (start, end, boundaries) that achieve it.

    The dynamic program runs from right to left over the differences. Each difference either is a
    full miss, or opens a window that ends at a later difference and undoes all between them.
    """
    places, _ = differing(a, b)
    size = len(places)
    # Number of boundaries of the window that starts at each difference, one row per width; 0 if
    # there is none.
    widths = min(n, mass - 1) - 1
    held = np.zeros((max(widths, 0), size), np.int64)
    for w in range(widths):
        starts, counts = mirror_windows(a, b, mass, w + 2)
        i = 0
        for s in range(len(starts)):
            while i < size and places[i] < starts[s]:
                i += 1
            if i < size and places[i] == starts[s]:
                held[w, i] = counts[s]
    best = np.zeros(size + 1)
    follow = np.zeros(size, np.int64)
    for i in range(size - 1, -1, -1):
        best[i] = substitution + best[i + 1]
        follow[i] = i + 1
        j = i + 1
        while j < size and places[j] - places[i] < n:
            if places[j] - places[i] <= widths:
                count = held[places[j] - places[i] - 1, i]
            else:
                count = 0
            if count:
                cost = (
                    transposition * window_cost(places[j] - places[i] + 1, count, te) + best[j + 1]
                )
                if cost < best[i]:
                    best[i] = cost
                    follow[i] = j + 1
            j += 1
    windows = np.empty((size, 3), np.int64)
    i = top = 0
    while i < size:
        j = follow[i] - 1
        if j > i:
            windows[top, 0] = places[i]
            windows[top, 1] = places[j]
            windows[top, 2] = held[places[j] - places[i] - 1, i]
            top += 1
        i = j + 1
    return best[0], windows[:top]
