"""Test whether the documents of a corpus differ in γ by more than chance.

The unitary alignments of a document each deviate from the γ of all documents. If all documents had
the same γ, the mean deviation of a document would vary as means of so many deviations do; the
F-test of a one-way analysis of variance compares both variances. Deviations are skewed, and a unit
that lies far away is two unitary alignments without a counterpart, so that the level is measured
and not exact: it is in docs/verdict.md (`benchmarks/named_here.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gammacp.inference.contributions import Contributions


def p_of_equal_documents(documents: Sequence[Contributions]) -> float:
    """Return the p-value of the hypothesis that all documents have the same γ.

    It is NaN if there are fewer than two documents, or if no document has two unitary alignments.

    Parameters
    ----------
    documents
        Contributions of each document, one part per unitary alignment.

    >>> import numpy as np
    >>> apart = [Contributions(np.array([x, x + 0.1]), np.ones(2), "") for x in (0.0, 0.1, 0.6)]
    >>> round(p_of_equal_documents(apart), 4)
    0.0066
    """
    from scipy.special import fdtrc

    number = len(documents)
    total = sum(len(each) for each in documents)
    if number < 2 or total <= number:
        return math.nan
    observed = math.fsum(float(each.observed.sum()) for each in documents)
    expected = math.fsum(float(each.expected.sum()) for each in documents)
    between = 0.0
    within = 0.0
    for each in documents:
        deviations = each.observed - observed / expected * each.expected
        mean = float(deviations.mean())
        between += len(each) * mean**2
        within += float(((deviations - mean) ** 2).sum())
    if not within > 0:
        return math.nan
    ratio = (between / (number - 1)) / (within / (total - number))
    return float(fdtrc(number - 1, total - number, ratio))
