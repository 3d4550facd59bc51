"""Statistical tests of the alternative annotator test, and related ones.

Calderon, Reichart & Dror (2025), §3: for each person j and instance i, the candidate wins (W^f = 1)
if it agrees with the others at least as well as j does. Person j wins (W^h = 1) if j agrees with
them at least as well as the candidate does. On a tie both win. With d = W^h − W^f in {−1, 0, 1},
the null hypothesis is E d = ρ_h − ρ_f ≥ ε.
"""

from functools import lru_cache

import numpy as np

from gammacp.base.arrays import Bools, Floats

FEW = 30
"""Smallest number of instances for the paper's t test; below it, only the exact test is used."""

_GRIDS = (201, 41, 41)  # Points of grids; each refines the surroundings of the last one's maximum.


def t_test(n: Floats, total: Floats, squares: Floats, epsilon: float) -> Floats:
    """Return p of the one-sided paired t test of E d ≥ ε, from n, Σ d and Σ d².

    The arrays may have any common shape. If d is constant, it has no variance; p is then 0 if d is
    below ε and otherwise 1. With fewer than two instances p is 1.
    """
    from scipy.special import stdtr

    n = np.asarray(n, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / n
        spread = n * squares - total**2  # whole numbers: exactly 0 where d is constant
        t = (mean - epsilon) * n * np.sqrt((n - 1) / spread)
        p = np.where(spread > 0, stdtr(n - 1, t), np.where(mean < epsilon, 0.0, 1.0))
    return np.asarray(np.where(n < 2, 1.0, p))


def score_statistic(n: Floats, won: Floats, lost: Floats, epsilon: float) -> Floats:
    """Return Tango's (1998) score statistic from the counts of d = 1 (`won`) and d = −1 (`lost`).

    The statistic is Σ d − nε divided by its standard deviation under E d = ε, where P(d = −1) is
    estimated by maximum likelihood under E d = ε. It is 0 if the standard deviation is 0. The
    arrays may have any common shape.
    """
    b = (won + lost) * (1 - epsilon) - 2 * epsilon * (n - won)
    estimate = (b + np.sqrt(b * b + 8 * n * lost * epsilon * (1 - epsilon))) / (4 * n)
    spread = n * (2 * estimate + epsilon * (1 - epsilon))
    excess = won - lost - n * epsilon
    return np.asarray(excess / np.sqrt(np.where(spread > 0, spread, np.inf)))


@lru_cache(maxsize=100_000)
def exact_test(n: int, won: int, lost: int, epsilon: float) -> float:
    """Return p of E d ≥ ε without approximation, from how often d = 1 and d = −1 in n instances.

    This is the exact unconditional test of paired data (Hsueh, Liu & Chen 2001, Biometrics 57): p
    is the probability under E d = ε of a `score_statistic` as small as the observed one, maximised
    over P(d = −1). Instances must be independent and identically distributed. Unlike the
    signed-rank test, it does not assume that d is symmetric.

    >>> round(exact_test(8, 0, 0, 0.2), 5)  # all ties: (1 - .2) ** 8
    0.16777
    """
    from scipy.special import bdtr, gammaln, xlogy

    # For each number k of d = −1, bisection finds `most`, the largest number of d = 1 for which the
    # statistic is as small as the observed one.
    k = np.arange(n + 1.0)
    all_n = np.full(n + 1, float(n))
    observed = score_statistic(all_n, np.array(float(won)), np.array(float(lost)), epsilon) + 1e-9
    most = np.full(n + 1, -1.0)
    beyond = n - k + 1
    while (beyond - most > 1).any():
        middle = np.floor((most + beyond) / 2)
        inside = score_statistic(all_n, middle, k, epsilon) <= observed
        most = np.where(inside, middle, most)
        beyond = np.where(inside, beyond, middle)
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    width = min(n, round(4.5 * n**0.5) + 20)  # more than nine standard deviations
    low = 0.0
    high = (1 - epsilon) / 2
    p = 0.0
    for points in _GRIDS:
        grid = np.linspace(low, high, points)
        losing = grid[:, None]
        near = np.rint(n * losing) + np.arange(-width, width + 1)
        at = np.clip(near, 0, n).astype(int)
        chance = np.exp(ways[at] + xlogy(at, losing) + xlogy(n - at, 1 - losing)) * (near == at)
        winning = np.minimum(1.0, (losing + epsilon) / (1 - losing))
        tails = np.where(most[at] < 0, 0.0, bdtr(np.maximum(most[at], 0), n - at, winning))
        tail_probabilities = (chance * tails).sum(axis=1)
        best = int(tail_probabilities.argmax())
        p = max(p, float(tail_probabilities[best]))
        low = grid[max(best - 1, 0)]
        high = grid[min(best + 1, points - 1)]
    return min(1.0, p)


def both_tests(n: int, won: int, lost: int, epsilon: float) -> float:
    """Return the larger p of the exact test and, from `FEW` instances on, the t test."""
    p = exact_test(n, won, lost, epsilon)
    if n < FEW:
        return p
    size, total, squares = np.array([n, won - lost, won + lost], np.float64)[:, None]
    return max(p, float(t_test(size, total, squares, epsilon)[0]))


def equivalence(n: int, won: int, lost: int, epsilon: float) -> float:
    """Return p of |E d| ≥ ε by two one-sided tests (TOST, Schuirmann 1987)."""
    return max(both_tests(n, won, lost, epsilon), both_tests(n, lost, won, epsilon))


def partial_conjunction(p: Floats, share: float) -> float:
    """Return p of the hypothesis that too few alternatives are true (Benjamini & Heller 2008).

    The hypothesis is that less than a share of the alternatives of several tests is true.

    For m tests with any dependence, it is (m − r + 1) times the rth smallest p, with r = ⌈share·m⌉.

    Parameters
    ----------
    p
        p-values of the tests; NaN is ignored.
    share
        Share of the alternatives, in (0, 1].

    >>> partial_conjunction(np.array([0.04, 0.001, 0.5, np.nan]), 0.5)
    0.08
    """
    sorted_p = np.sort(p[np.isfinite(p)])
    if not len(sorted_p):
        return float("nan")
    rank = int(np.ceil(share * len(sorted_p)))
    return min(1.0, float(sorted_p[rank - 1]) * (len(sorted_p) - rank + 1))


def benjamini_yekutieli(p: Floats, q: float) -> Bools:
    """Return which hypotheses are rejected at a false discovery rate of q, along the last axis.

    The procedure is that of Benjamini & Yekutieli (2001). NaN in `p` is ignored, and not rejected.

    >>> benjamini_yekutieli(np.array([0.001, 0.02, 0.9]), 0.05).tolist()
    [True, False, False]
    """
    m = np.isfinite(p).sum(axis=-1, keepdims=True)
    order = np.argsort(p, axis=-1)
    rank = np.arange(1, p.shape[-1] + 1)
    harmonic = np.concatenate(([1.0], np.cumsum(1.0 / rank)))[m]
    below = np.take_along_axis(p, order, -1) <= rank / np.maximum(m, 1) * (q / harmonic)
    last = np.where(below, rank, 0).max(axis=-1, keepdims=True)
    is_rejected = np.zeros(p.shape, np.bool_)
    np.put_along_axis(is_rejected, order, rank <= last, -1)
    return is_rejected
