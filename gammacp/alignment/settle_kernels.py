"""Compiled kernels that settle an alignment component by component, without any solver.

Prices y ≥ 0 of the units that no column beats (Σ y over its units ≥ its gain) turn the problem
into losses: a column loses Σ y − gain ≥ 0, a unit left alone loses its price, and in a cover a
unit loses opening − y each further time it is covered. An alignment gains Σ y − Σ losses, so the
best one loses least. See `settle` for how the parts are proven.

Units are numbered by position here, so that the columns of a component stay in a narrow window
and the set of covered units fits one 64-bit word beside the first uncovered unit.
"""

from __future__ import annotations

import numpy as np

from gammacp.arrays import Bools, Codes, Floats, Indices
from gammacp.kernel import kernel

_TABLE = 1 << 17


@kernel
def join(begin: Indices, members: Codes, active: Bools, label: Codes) -> None:
    """Label units by the smallest unit of their component under the active columns, in place."""
    for u in range(len(label)):
        label[u] = u
    for c in range(len(active)):
        if not active[c]:
            continue
        first = members[begin[c]]
        for p in range(begin[c] + 1, begin[c + 1]):
            a = first
            while label[a] != a:
                label[a] = label[label[a]]
                a = label[a]
            b = members[p]
            while label[b] != b:
                label[b] = label[label[b]]
                b = label[b]
            if a < b:
                label[b] = a
            elif b < a:
                label[a] = b
    for u in range(len(label)):
        label[u] = label[label[u]]


@kernel
def widen(
    begin: Indices,
    members: Codes,
    loss: Floats,
    active: Bools,
    label: Codes,
    least: Floats,
    tolerance: float,
    most: float,
) -> float:
    """Activate columns that lose less than the components they touch do together, in place.

    Only those that lose at most `most`; returns the smallest loss of one that was left out for
    that, ∞ if none was. `least[root]` is the loss of a component. A positive tolerance leaves
    ties out, a negative one takes them in.
    """
    left = np.inf
    for c in range(len(active)):
        if active[c]:
            continue
        together = 0.0
        for p in range(begin[c], begin[c + 1]):
            root = label[members[p]]
            seen = False
            for q in range(begin[c], p):
                if label[members[q]] == root:
                    seen = True
                    break
            if not seen:
                together += least[root]
        if loss[c] < together - tolerance:
            if loss[c] <= most:
                active[c] = True
            else:
                left = min(left, loss[c])
    return left


@kernel
def search_components(
    begin: Indices,
    members: Codes,
    loss: Floats,
    second: Floats,
    alone: Floats,
    over: Floats,
    cover: bool,
    active: Bools,
    label: Codes,
    known: Codes,
    least: Floats,
    chosen: Bools,
    canonical: bool,
    tolerance: float,
    node_limit: int,
) -> Indices:
    """Least loss of each component that has changed; the roots of those that are too hard.

    Parameters
    ----------
    loss, second
        Of each column; `second` (Σ d_cat) decides ties in canonical mode, after the number of
        groups; then the order of the columns does.
    alone, over
        Loss of a unit left alone, and of each further covering (covers only).
    known
        Active columns per root when it was last searched (−1: never); kept up to date.
    least, chosen
        Results in place: loss per root, and which columns the best solution takes. In canonical
        mode `least` is the optimum on entry, and only solutions within the tolerance count.
    """
    n = len(label)
    m = len(active)
    # Units and active columns of each component, by counting sort.
    unit_start = np.zeros(n + 1, np.int64)
    for u in range(n):
        unit_start[label[u] + 1] += 1
    column_count = np.zeros(n, np.int32)
    n_active = 0
    per_unit = np.zeros(n + 1, np.int64)
    for c in range(m):
        if active[c]:
            n_active += 1
            column_count[label[members[begin[c]]]] += 1
            if cover:
                for p in range(begin[c], begin[c + 1]):
                    per_unit[members[p] + 1] += 1
            else:
                lowest = members[begin[c]]
                for p in range(begin[c] + 1, begin[c + 1]):
                    lowest = min(lowest, members[p])
                per_unit[lowest + 1] += 1
    for u in range(n):
        unit_start[u + 1] += unit_start[u]
        per_unit[u + 1] += per_unit[u]
    unit_of = np.empty(n, np.int32)
    place = np.empty(n, np.int32)
    fill = unit_start[:-1].copy()
    for u in range(n):
        root = label[u]
        place[u] = fill[root] - unit_start[root]
        unit_of[fill[root]] = u
        fill[root] += 1
    # Columns to try at each unit: those that begin there (in a cover: those that contain it).
    options = np.empty(per_unit[n], np.int64)
    narrow = np.zeros(m, np.bool_)
    bits = np.zeros(m, np.uint64)
    fill = per_unit[:-1].copy()
    for c in range(m):
        if not active[c]:
            continue
        lowest = members[begin[c]]
        highest = lowest
        for p in range(begin[c], begin[c + 1]):
            lowest = min(lowest, members[p])
            highest = max(highest, members[p])
            if cover:
                options[fill[members[p]]] = c
                fill[members[p]] += 1
        if not cover:
            options[fill[lowest]] = c
            fill[lowest] += 1
        narrow[c] = place[highest] - place[lowest] < 64
        if narrow[c]:
            for p in range(begin[c], begin[c + 1]):
                bits[c] |= np.uint64(1) << np.uint64(place[members[p]] - place[lowest])
    hard = np.empty(n, np.int64)
    n_hard = 0
    # Visited states (first uncovered unit, covered ones after it), stamped by component.
    table_stamp = np.zeros(1, np.int32)
    table_first = np.zeros(1, np.int32)
    table_mask = np.zeros(1, np.uint64)
    table_loss = np.zeros(1, np.float64)
    table_groups = np.zeros(1, np.int32)
    table_second = np.zeros(1, np.float64)
    one = np.uint64(1)
    zero = np.uint64(0)
    depth_limit = 0
    for root in range(n):
        depth_limit = max(depth_limit, unit_start[root + 1] - unit_start[root])
    first_at = np.empty(depth_limit + 2, np.int64)
    mask_at = np.empty(depth_limit + 2, np.uint64)
    loss_at = np.empty(depth_limit + 2, np.float64)
    second_at = np.empty(depth_limit + 2, np.float64)
    option_at = np.empty(depth_limit + 2, np.int64)
    taken_at = np.empty(depth_limit + 2, np.int64)
    best_taken = np.empty(depth_limit + 2, np.int64)
    for root in range(n):
        lo = unit_start[root]
        size = unit_start[root + 1] - lo
        if size == 0:
            continue
        if known[root] == column_count[root]:
            continue
        known[root] = column_count[root]
        if size == 1:
            least[root] = alone[root]
            continue
        too_wide = False
        for i in range(lo, lo + size):
            u = unit_of[i]
            for o in range(per_unit[u], per_unit[u + 1]):
                if not narrow[options[o]]:
                    too_wide = True
                if not canonical:
                    chosen[options[o]] = False
        if too_wide:
            hard[n_hard] = root
            n_hard += 1
            continue
        if size > 6 and len(table_stamp) == 1:
            table_stamp = np.full(_TABLE, -1, np.int32)
            table_first = np.empty(_TABLE, np.int32)
            table_mask = np.empty(_TABLE, np.uint64)
            table_loss = np.empty(_TABLE, np.float64)
            table_groups = np.empty(_TABLE, np.int32)
            table_second = np.empty(_TABLE, np.float64)
        remember = size > 6
        stored = 0
        best = least[root] + tolerance if canonical else np.inf
        best_groups = 1 << 30
        best_second = np.inf
        best_depth = -1
        nodes = 0
        depth = 0
        first_at[0] = 0
        mask_at[0] = zero
        loss_at[0] = 0.0
        second_at[0] = 0.0
        option_at[0] = per_unit[unit_of[lo]]
        while depth >= 0:
            f = first_at[depth]
            u = unit_of[lo + f]
            mask = mask_at[depth]
            o = option_at[depth]
            option_at[depth] += 1
            if o > per_unit[u + 1]:
                depth -= 1
                continue
            if o == per_unit[u + 1]:
                c = -1
                lost = loss_at[depth] + alone[u]
                next_mask = mask | one
                other = second_at[depth]
            else:
                c = options[o]
                lost = loss_at[depth] + loss[c]
                other = second_at[depth] + second[c]
                if cover:
                    next_mask = mask
                    for p in range(begin[c], begin[c + 1]):
                        i = place[members[p]]
                        if i < f or (mask >> np.uint64(i - f)) & one:
                            lost += over[members[p]]
                        else:
                            next_mask |= one << np.uint64(i - f)
                else:
                    if mask & bits[c]:
                        continue
                    next_mask = mask | bits[c]
            if canonical:
                if lost > best:
                    continue
            elif lost >= best - tolerance:
                continue
            nodes += 1
            if nodes > node_limit:
                break
            g = f
            while next_mask & one:
                next_mask >>= one
                g += 1
            taken_at[depth] = c
            groups = depth + 1
            if g >= size:
                if canonical:
                    if groups > best_groups or (
                        groups == best_groups and other >= best_second - tolerance
                    ):
                        continue
                else:
                    best = lost
                best_groups = groups
                best_second = other
                best_depth = groups
                for i in range(groups):
                    best_taken[i] = taken_at[i]
                if not canonical and best <= tolerance:
                    break
                continue
            if remember:
                slot = (
                    (next_mask ^ (next_mask >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
                    + np.uint64(g) * np.uint64(0xC2B2AE3D27D4EB4F)
                ) >> np.uint64(47)
                at = np.int64(slot)
                room = True
                while table_stamp[at] == root and not (
                    table_first[at] == g and table_mask[at] == next_mask
                ):
                    at = (at + 1) % _TABLE
                if table_stamp[at] == root:
                    if canonical:
                        if lost >= table_loss[at] - tolerance and (
                            table_groups[at] < groups
                            or (
                                table_groups[at] == groups and table_second[at] <= other + tolerance
                            )
                        ):
                            continue
                    elif lost >= table_loss[at]:
                        continue
                elif stored < _TABLE // 2:
                    stored += 1
                    table_stamp[at] = root
                    table_first[at] = g
                    table_mask[at] = next_mask
                else:
                    room = False
                if room:
                    table_loss[at] = lost
                    table_groups[at] = groups
                    table_second[at] = other
            depth += 1
            first_at[depth] = g
            mask_at[depth] = next_mask
            loss_at[depth] = lost
            second_at[depth] = other
            option_at[depth] = per_unit[unit_of[lo + g]]
        if nodes > node_limit or best_depth < 0:
            hard[n_hard] = root
            n_hard += 1
            if best_depth < 0:
                continue
        if not canonical:
            least[root] = best
        for i in range(lo, lo + size):
            for o in range(per_unit[unit_of[i]], per_unit[unit_of[i] + 1]):
                chosen[options[o]] = False
        for i in range(best_depth):
            if best_taken[i] >= 0:
                chosen[best_taken[i]] = True
    return hard[:n_hard]
