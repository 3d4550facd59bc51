"""Compiled kernel: global alignment of two sequences of codes (Needleman & Wunsch 1970)."""

import numpy as np

from gammacp.base.arrays import Codes
from gammacp.kernel import kernel


@kernel
def align_sequences(a: Codes, b: Codes) -> Codes:
    """Return the pairs of indices of a best alignment, the last pair first.

    The result has shape (pairs, 2); −1 is a gap. A pair of equal codes scores 1, a pair of
    different codes and a gap −1. Of equally good alignments, from the end on, the one with a pair
    is taken, then the one with a gap in `b`.
    """
    n = len(a)
    m = len(b)
    score = np.zeros((n + 1, m + 1), np.int32)
    score[:, 0] = -np.arange(n + 1)
    score[0, :] = -np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            with_pair = score[i - 1, j - 1] + _similarity(a[i - 1], b[j - 1])
            score[i, j] = max(with_pair, score[i - 1, j] - 1, score[i, j - 1] - 1)
    pairs = np.full((n + m, 2), -1, np.int32)
    k = 0
    i = n
    j = m
    while i > 0 or j > 0:
        is_pair = False
        if i > 0 and j > 0:
            is_pair = score[i, j] == score[i - 1, j - 1] + _similarity(a[i - 1], b[j - 1])
        is_gap_in_b = not is_pair and i > 0 and (j == 0 or score[i, j] == score[i - 1, j] - 1)
        if is_pair or is_gap_in_b:
            i -= 1
            pairs[k, 0] = i
        if not is_gap_in_b:
            j -= 1
            pairs[k, 1] = j
        k += 1
    return pairs[:k]


@kernel
def _similarity(a: int, b: int) -> int:
    """Return the score of a pair of codes."""
    if a == b:
        return 1
    return -1
