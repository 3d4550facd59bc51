"""Compiled kernel: the heaviest chain of pairs, for two annotators whose pairs keep their order."""

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.kernel import late_kernel


@late_kernel
def heaviest_chain(second: Indices, gain: Floats) -> Indices:
    """Return the heaviest chain: pairs in the given order whose `second` strictly ascends.

    `second` is ≥ 0. A tree of prefix maxima (Fenwick 1994) holds the chain of largest Σ gain that
    ends at or before each place.
    """
    most = 0
    for p in range(len(second)):
        most = max(most, second[p] + 1)
    best = np.zeros(most + 1, np.float64)
    last = np.full(most + 1, -1, np.int64)
    before = np.full(len(second), -1, np.int64)
    end = -1
    largest = 0.0
    for p in range(len(second)):
        total = 0.0
        i = second[p]
        while i > 0:
            if best[i] > total:
                total = best[i]
                before[p] = last[i]
            i -= i & -i
        total += gain[p]
        if total > largest:
            largest = total
            end = p
        i = second[p] + 1
        while i <= most:
            if total > best[i]:
                best[i] = total
                last[i] = p
            i += i & -i
    length = 0
    p = end
    while p >= 0:
        length += 1
        p = before[p]
    chain = np.empty(length, np.int64)
    p = end
    while p >= 0:
        length -= 1
        chain[length] = p
        p = before[p]
    return chain
