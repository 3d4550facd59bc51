"""A compiled function that aligns two sequences of codes."""

import numpy as np

from gammacp.base.arrays import Codes
from gammacp.kernel import kernel


@kernel
def trace(a: Codes, b: Codes) -> Codes:
    """Return the rows of `a` and `b` that Needleman & Wunsch pair, −1 for a gap, in reverse."""
    n = len(a)
    m = len(b)
    score = np.zeros((n + 1, m + 1), np.int32)
    score[:, 0] = -np.arange(n + 1)
    score[0, :] = -np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            met = score[i - 1, j - 1] + (1 if a[i - 1] == b[j - 1] else -1)
            score[i, j] = max(met, score[i - 1, j] - 1, score[i, j - 1] - 1)
    pairs = np.full((n + m, 2), -1, np.int32)
    k = 0
    i = n
    j = m
    while i > 0 or j > 0:
        if i and j and a[i - 1] == b[j - 1]:
            like = 1
        else:
            like = -1
        met = i > 0 and j > 0 and score[i, j] == score[i - 1, j - 1] + like
        up = met or j == 0 or (i > 0 and score[i, j] == score[i - 1, j] - 1)
        if up:
            i -= 1
            pairs[k, 0] = i
        if met or not up:
            j -= 1
            pairs[k, 1] = j
        k += 1
    return pairs[:k]
