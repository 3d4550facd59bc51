"""Compiled kernels that price units by diffusion: column by column, offers are evened out.

Each column splits its gain into shares, one for each of its members: its offers to them. A unit's
price is the highest offer that it gets, at least 0. So prices pay every column, whatever the shares
are. One step takes one column. It sets its offer to each member to the best offer of the other
columns there, plus an equal part of the gain that then remains or is lacking. Σ price never rises
(min-sum diffusion; Werner 2007, "A linear programming approach to max-sum problem", IEEE TPAMI
29(7)). Of each unit, only the two best offers need to be known.
"""

import numpy as np

from gammacp.alignment.kernels.records import Columns
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.kernel import kernel, late_kernel


@late_kernel
def diffuse(n_units: int, columns: Columns, order: Codes, share: Floats, passes: int) -> Floats:
    """Pass over the columns of `order` forwards and backwards, changing shares; return the prices.

    Each component makes all its passes before the next one, while its units are in the CPU's cache.
    The result is bit for bit the same, because a component depends on its own shares alone. A
    component ends early after a pass in which no share moves: further passes would do the same.
    """
    begin, members, gain = columns
    start, offers = _offers_by_unit(n_units, columns, order)
    best = np.zeros(n_units, np.float64)
    next_best = np.zeros(n_units, np.float64)
    best_at = np.full(n_units, -1, np.int32)
    next_at = np.full(n_units, -1, np.int32)
    for u in range(n_units):
        _two_best(u, start, offers, share, best, best_at, next_best, next_at)
    ordered, ends = _by_component(n_units, columns, order)
    low = 0
    for high in ends:
        for done in range(passes):
            moved = False
            for i in range(low, high):
                if done % 2 == 0:
                    c = ordered[i]
                else:
                    c = ordered[high - 1 - (i - low)]
                rest = gain[c]
                for p in range(begin[c], begin[c + 1]):
                    u = members[p]
                    if best_at[u] == p:
                        rest -= next_best[u]
                    else:
                        rest -= best[u]
                rest /= begin[c + 1] - begin[c]
                for p in range(begin[c], begin[c + 1]):
                    u = members[p]
                    if best_at[u] == p:
                        other = next_best[u]
                    else:
                        other = best[u]
                    moved = moved or share[p] != other + rest
                    share[p] = other + rest
                    if best_at[u] == p:
                        if rest >= 0.0:
                            best[u] = share[p]
                            continue
                    elif rest > 0.0:
                        next_best[u] = best[u]
                        next_at[u] = best_at[u]
                        best[u] = share[p]
                        best_at[u] = p
                        continue
                    elif next_at[u] != p:
                        if share[p] > next_best[u]:
                            next_best[u] = share[p]
                            next_at[u] = p
                        continue
                    elif share[p] >= next_best[u]:
                        next_best[u] = share[p]
                        continue
                    _two_best(u, start, offers, share, best, best_at, next_best, next_at)
            if not moved:
                break
        low = high
    return best


@kernel
def _offers_by_unit(n_units: int, columns: Columns, order: Codes) -> tuple[Indices, Codes]:
    """Return where each unit's offers begin in a list, and that list of places in `members`."""
    begin, members, _ = columns
    start = np.zeros(n_units + 1, np.int64)
    for c in order:
        for p in range(begin[c], begin[c + 1]):
            start[members[p] + 1] += 1
    for u in range(n_units):
        start[u + 1] += start[u]
    fill = start[:-1].copy()
    offers = np.empty(start[n_units], np.int32)
    for c in order:
        for p in range(begin[c], begin[c + 1]):
            offers[fill[members[p]]] = p
            fill[members[p]] += 1
    return start, offers


@kernel
def _by_component(n_units: int, columns: Columns, order: Codes) -> tuple[Codes, Indices]:
    """Sort columns by the first unit of their component; return them and where each one ends.

    Within a component the columns keep the order of `order`.
    """
    begin, members, _ = columns
    root = np.empty(n_units, np.int32)
    for u in range(n_units):
        root[u] = u
    for c in order:
        a = _root(root, members[begin[c]])
        for p in range(begin[c] + 1, begin[c + 1]):
            b = _root(root, members[p])
            if b < a:
                a, b = b, a
            root[b] = a
    first = np.zeros(n_units + 1, np.int64)
    for c in order:
        first[_root(root, members[begin[c]]) + 1] += 1
    ends = np.empty(n_units, np.int64)
    count = 0
    for u in range(n_units):
        some = first[u + 1] > 0
        first[u + 1] += first[u]
        if some:
            ends[count] = first[u + 1]
            count += 1
    ordered = np.empty(len(order), np.int32)
    for c in order:
        u = _root(root, members[begin[c]])
        ordered[first[u]] = c
        first[u] += 1
    return ordered, ends[:count]


@kernel
def _root(root: Codes, unit: int) -> int:
    """Return the first unit of a unit's component, and shorten the path to it."""
    while root[unit] != unit:
        root[unit] = root[root[unit]]
        unit = root[unit]
    return unit


@kernel
def _two_best(
    u: int,
    start: Indices,
    offers: Codes,
    share: Floats,
    best: Floats,
    best_at: Codes,
    next_best: Floats,
    next_at: Codes,
) -> None:
    """Write the two best offers to unit u (at least 0) and their places, in place."""
    best[u] = next_best[u] = 0.0
    best_at[u] = next_at[u] = -1
    for q in range(start[u], start[u + 1]):
        p = offers[q]
        if share[p] > best[u]:
            next_best[u] = best[u]
            next_at[u] = best_at[u]
            best[u] = share[p]
            best_at[u] = p
        elif share[p] > next_best[u]:
            next_best[u] = share[p]
            next_at[u] = p


@late_kernel
def readmit(columns: Columns, price: Floats, least: float, is_kept: Bools, share: Floats) -> int:
    """Set `is_kept` for columns that the prices fail to pay by over `least`; return their number.

    Each of their members' shares becomes its price plus an equal part of what is lacking.
    """
    begin, members, gain = columns
    count = 0
    for c in range(len(gain)):
        if is_kept[c]:
            continue
        lacking = gain[c]
        for p in range(begin[c], begin[c + 1]):
            lacking -= price[members[p]]
        if lacking > least:
            is_kept[c] = True
            count += 1
            for p in range(begin[c], begin[c + 1]):
                share[p] = price[members[p]] + lacking / (begin[c + 1] - begin[c])
    return count
