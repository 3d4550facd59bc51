"""Compiled kernels of the decomposition: components under the active columns, and what joins them.

See `proof.components` for the proof that rests on them.
"""

import numpy as np

from gammacp.alignment.columns import Columns
from gammacp.arrays import Bools, Codes, Floats
from gammacp.kernel import kernel


@kernel
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


@kernel
def activate(
    columns: Columns,
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
    begin, members, _ = columns
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
