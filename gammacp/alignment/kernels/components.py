"""Compiled kernels of the decomposition into components (`proof.components`).

They label the components that the active columns connect, and find the columns that must become
active.
"""

import numpy as np

from gammacp.alignment.kernels.records import Columns
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.kernel import late_kernel


@late_kernel
def label_components(columns: Columns, active: Bools, label: Codes) -> None:
    """Label units by the smallest unit of their component under the active columns, in place."""
    begin, members, _ = columns
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


@late_kernel
def activate(
    columns: Columns,
    loss: Floats,
    active: Bools,
    looked: Indices,
    label: Codes,
    least: Floats,
    tolerance: float,
    most: float,
) -> tuple[float, Indices]:
    """Activate columns that lose less than the components that they touch, in place.

    Only the columns in `looked` are considered. A column is due if its loss is less than the sum of
    `least[root]` over the components that it touches. Of these, the ones that lose at most `most`
    become active. Return the smallest loss of the others, ∞ if there are none, and their numbers.
    With a positive tolerance, ties are left out; with a negative one, they are included.
    """
    begin, members, _ = columns
    next_loss = np.inf
    waiting = np.empty(len(looked), np.int64)
    count = 0
    for c in looked:
        if active[c]:
            continue
        together = 0.0
        for p in range(begin[c], begin[c + 1]):
            root = label[members[p]]
            is_repeated = False
            for q in range(begin[c], p):
                if label[members[q]] == root:
                    is_repeated = True
                    break
            if not is_repeated:
                together += least[root]
        if loss[c] < together - tolerance:
            if loss[c] <= most:
                active[c] = True
            else:
                next_loss = min(next_loss, loss[c])
                waiting[count] = c
                count += 1
    return next_loss, waiting[:count].copy()


@late_kernel
def columns_at(n_units: int, columns: Columns) -> tuple[Indices, Codes]:
    """Return the start of each unit's columns in a list, and that list, ascending per unit."""
    begin, members, gain = columns
    start = np.zeros(n_units + 1, np.int64)
    for p in range(len(members)):
        start[members[p] + 1] += 1
    for u in range(n_units):
        start[u + 1] += start[u]
    fill = start[:-1].copy()
    at = np.empty(len(members), np.int32)
    for c in range(len(gain)):
        for p in range(begin[c], begin[c + 1]):
            at[fill[members[p]]] = c
            fill[members[p]] += 1
    return start, at
