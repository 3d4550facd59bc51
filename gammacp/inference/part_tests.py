"""Test γ as a ratio of sums over parts: one γ, the difference of two, or many annotators.

Write θ = Σ o / Σ e = 1 − γ, with the observed disorder o and the expected disorder e of each part
(document or cluster of documents). The influence of part i is θ minus θ without part i, exactly

    g_i = (o_i − θ·e_i) / (Σ e − e_i).

Σ g² is the jackknife variance without its factor (n − 1)/n; omitting this factor is safer when
there are few parts. If the spread of a part grows with e, Satterthwaite's degrees of freedom are
(Σ e²)² / Σ e⁴ − 1, which is n − 1 for parts of equal size. The parts of a single text are not
independent. The first four cosine transforms of their residuals along the expected disorder are
used in their place, with four degrees of freedom (Müller 2014, "HAC corrections for strongly
autocorrelated time series").

Two γ are equal if the difference of the two θ is 0, or equivalently if their log ratio is 0. If one
side is skewed, one of these two tests rejects too easily; the direction of the skew determines
which. Therefore the larger of the two standard errors is used, with the smaller degrees of freedom.
The standard error of the log ratio is converted to the scale of the difference by the logarithmic
mean of the two θ. In addition, p is never smaller than the p-value of Hall's t. The measured levels
of the tests are in docs/tests.md (`experiments/tests_hold.py`).

The interval of one γ over documents is based on t with the variance Σ g². It inverts Hall's
transformation, which corrects t for the skew of the g (Hall 1992, "On the removal of skewness by
transformation").

All functions take arrays whose last axis runs over parts, so that simulations can test many data
sets at once with the same functions that users call.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from gammacp.base.arrays import Floats, Indices

T = TypeVar("T", bound=Any)

FEWEST_PARTS = 5
"""Documents or clusters of each side below which there is no p."""
FEWEST_ALIGNMENTS = 30
"""Unitary alignments of one text below which there is no p, and no interval."""
COSINES = 4
STRETCHES = 12
"""Number of stretches into which a text is cut to compare its annotators with each other."""
RECOMBINATIONS = 9999
FEWEST_ANNOTATORS = 3
"""Number of annotators in each group below which normalised xRR has no p."""
_NO_VARIANCE = 1e-24
_NO_SKEW = 1e-6


@dataclass(frozen=True, eq=False)
class Parts:
    """θ = 1 − γ with the influence of each part on it.

    Attributes
    ----------
    ratio
        θ = 1 − γ, shape (…).
    influences
        Influence of each part on θ, shape (…, parts); the sum of the squares is θ's variance.
    df
        Degrees of freedom of that variance, shape (…).
    third
        Third moment of θ, which is Σ influences³ corrected for few parts, shape (…); 0 if unknown.
    """

    ratio: Floats
    influences: Floats
    df: Floats
    third: Floats

    @property
    def variance(self) -> Floats:
        """Return the variance of θ, shape (…)."""
        return np.asarray((self.influences**2).sum(axis=-1))


def independent_parts(observed: Floats, expected: Floats) -> Parts:
    """Return θ and the influences of independent parts: documents, or clusters of them.

    Parameters
    ----------
    observed, expected
        Disorders, shape (…, parts); expected ≥ 0.

    >>> independent_parts(np.array([1.0, 3.0]), np.array([4.0, 4.0])).influences.tolist()
    [-0.25, 0.25]
    """
    total = expected.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = observed.sum(axis=-1, keepdims=True) / total
        # In place, as each array of a large corpus takes megabytes.
        influences = ratio * expected
        np.subtract(observed, influences, out=influences)
        influences /= total - expected
        squares = (expected / total) ** 2
        df = squares.sum(axis=-1) ** 2 / (squares**2).sum(axis=-1) - 1
    return Parts(ratio[..., 0], influences, np.maximum(1.0, df), _third_moment(influences))


def parts_in_order(observed: Floats, expected: Floats) -> Parts:
    """Return θ and four influences for the ordered parts of one text, which may be correlated.

    Each influence is the sum of the parts' residuals weighted by a cosine along the text.

    Parameters
    ----------
    observed, expected
        As for `independent_parts`, in the order of the text.
    """
    total = expected.sum(axis=-1, keepdims=True)
    ratio = observed.sum(axis=-1, keepdims=True) / total
    share = expected / total
    place = np.cumsum(share, axis=-1) - share / 2
    rest = (observed - ratio * expected) / total
    waves = [np.cos(np.pi * k * place) * rest for k in range(1, COSINES + 1)]
    influences = math.sqrt(2 / COSINES) * np.stack([w.sum(axis=-1) for w in waves], axis=-1)
    none = np.zeros(ratio.shape[:-1])
    return Parts(ratio[..., 0], influences, none + float(COSINES), none)


def _third_moment(influences: Floats) -> Floats:
    n = influences.shape[-1]
    if n > 2:
        few = math.sqrt(n * (n - 1)) / (n - 2)
    else:
        few = 0.0
    # Products, as numpy's power is slow and its last bit depends on the processor.
    cubes = influences * influences * influences
    return np.asarray(few * cubes.sum(axis=-1))


def interval_over_documents(
    observed: Floats, expected: Floats, *, error: float = 0.0, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of γ for these annotators over documents like these.

    The ends have shape (…) each and are at most 1. The documents, or clusters of them, must be
    independent of each other. Their influences g have the skew b = Σ g³/(Σ g²)^1.5, corrected for
    few parts. Student's interval would be θ ± t·√(Σ g²); here t is replaced by
    (∛(1 + b·(t − b/6)) − 1)·3/b. The degrees of freedom are Satterthwaite's for a variance that
    grows with e^1.5. This is a compromise: the variance grows with e if units vary independently,
    and with e² if each document has its own level of agreement. If one part has all of e, the lower
    end is −∞.

    Parameters
    ----------
    observed, expected
        Disorders, shape (…, parts); expected ≥ 0, at least three parts.
    error
        Relative standard error of the expected disorder, from random sets.
    confidence
        Nominal coverage, in (0, 1).

    >>> low, high = interval_over_documents(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.full(5, 8.0))
    >>> round(float(low), 3), round(float(high), 3)
    (0.351, 0.899)
    """
    from scipy.special import stdtrit

    parts = independent_parts(observed, expected)
    with np.errstate(invalid="ignore", divide="ignore"):
        total = expected.sum(axis=-1)
        shares = expected / total[..., None]
        squares = (shares * np.sqrt(shares)).sum(axis=-1) ** 2
        cubes = (shares * shares * shares).sum(axis=-1)
        part_variance = parts.variance
        variance = parts.variance + (parts.ratio * error) ** 2
        df = np.maximum(1.0, squares / cubes - 1) * (variance / part_variance) ** 2
        skew = parts.third / variance**1.5
        t = -stdtrit(df, (1 - confidence) / 2)
        moves = [np.sqrt(variance) * _with_skew(side, skew) for side in (t, -t)]
    gamma = 1 - parts.ratio
    up, down = (np.where(variance < _NO_VARIANCE, 0.0, m) for m in moves)
    low = np.where(np.isnan(down), -math.inf, np.minimum(gamma + down, gamma))
    return low, np.where(np.isnan(up), 1.0, np.minimum(1.0, np.maximum(gamma + up, gamma)))


def hall_moves(
    influences: Floats, variance: float, df: float, confidence: float
) -> tuple[float, float]:
    """Return the distances from a value to the upper and lower end of its interval by Hall's t.

    The distance to the lower end is negative. A distance is NaN if it cannot be computed.

    Parameters
    ----------
    influences
        Influence of each part on 1 − value: the value without the part minus the value.
    variance
        Variance of the value.
    df
        Degrees of freedom.
    confidence
        Nominal coverage, in (0, 1).
    """
    from scipy.special import stdtrit

    error = math.sqrt(variance)
    t = -stdtrit(df, (1 - confidence) / 2)
    skew = _third_moment(influences) / error**3
    up, down = (float(error * _with_skew(np.asarray(side), skew)) for side in (t, -t))
    return up, down


def _with_skew(t: Floats, skew: Floats) -> Floats:
    """Invert Hall's transformation: return the x for which x + b·x²/3 + b²·x³/27 + b/6 = t."""
    b = np.where(np.abs(skew) < _NO_SKEW, _NO_SKEW, skew)
    return (np.cbrt(1 + b * (t - b / 6)) - 1) * 3 / b


@dataclass(frozen=True, eq=False)
class GammaDifference:
    """The difference of two γ; shape (…) each.

    Attributes
    ----------
    value, error, df
        The difference with its standard error and degrees of freedom. The standard error may be
        that of the log ratio, if this is the larger one.
    spread, skew
        The standard error of the plain difference, and its skew (0 if unknown), for Hall's t.
    """

    value: Floats
    error: Floats
    df: Floats
    spread: Floats | float = 1.0
    skew: Floats | float = 0.0

    @property
    def p(self) -> Floats:
        """Return the two-sided p-value of the hypothesis of no difference.

        It is the p-value of Student's t or, if the parts are skewed, the larger of those of
        Student's and Hall's t.
        """
        from scipy.special import stdtr

        plain = 2 * GammaDifference(np.abs(self.value), self.error, self.df).p_of_more
        with np.errstate(invalid="ignore", divide="ignore"):
            t = self.value / self.spread
            b = np.asarray(self.skew)
            hall = 2 * stdtr(self.df, -np.abs(t + b * t**2 / 3 + b**2 * t**3 / 27 + b / 6))
        return np.asarray(np.where(b == 0, plain, np.fmax(plain, hall)))

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return the interval of all differences that the test would not reject.

        Parameters
        ----------
        confidence
            In (0, 1).
        """
        from scipy.special import stdtrit

        half = self.half_width(confidence)
        t = np.asarray(-stdtrit(self.df, (1 - confidence) / 2), np.float64)
        b = np.asarray(self.skew, np.float64)
        moves = [np.asarray(self.spread) * _with_skew(side, b) for side in (t, -t)]
        up, down = (np.where(b == 0, 0.0, np.nan_to_num(m)) for m in moves)
        return self.value - np.maximum(half, up), self.value + np.maximum(half, -down)

    @property
    def p_of_more(self) -> Floats:
        """Return the one-sided p of a difference of at most 0, against a positive difference."""
        from scipy.special import stdtr

        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(stdtr(self.df, -self.value / self.error))

    def half_width(self, confidence: float = 0.95) -> Floats:
        """Return half the width of the interval.

        Parameters
        ----------
        confidence
            In (0, 1).
        """
        from scipy.special import stdtrit

        return np.asarray(-stdtrit(self.df, (1 - confidence) / 2) * self.error)


def difference(
    first: Parts, second: Parts, errors: tuple[float, float] = (0.0, 0.0)
) -> GammaDifference:
    """Return γ of the first side minus γ of the second, for sides with different parts.

    Parameters
    ----------
    first, second
        The two sides.
    errors
        Relative standard errors of the two expected disorders.

    >>> one = independent_parts(np.array([1.0, 3.0, 2.0]), np.full(3, 8.0))
    >>> two = independent_parts(np.array([3.0, 5.0, 4.0]), np.full(3, 8.0))
    >>> float(difference(one, two).value), float(difference(one, two).df)
    (0.25, 2.9411764705882355)
    """
    plain: Floats = np.zeros(())
    third = first.third - second.third
    relative = plain
    variance = plain
    own_relative = plain
    with np.errstate(invalid="ignore", divide="ignore"):
        for side, error in zip((first, second), errors, strict=True):
            v = side.variance
            r = v / side.ratio**2
            plain = plain + v + (side.ratio * error) ** 2
            relative = relative + r + error**2
            variance = variance + v**2 / side.df
            own_relative = own_relative + r**2 / side.df
        df = np.fmin(plain**2 / variance, relative**2 / own_relative)
    return _larger(first.ratio, second.ratio, plain, relative, df, third)


def paired_difference(first: Parts, second: Parts, error: Floats | float = 0.0) -> GammaDifference:
    """Return γ of the first side minus γ of the second, for sides with the same parts.

    Parameters
    ----------
    first, second
        The two sides, with the same documents or clusters in the same order.
    error
        Relative standard error of the two expected disorders together.
    """
    a = first.ratio
    b = second.ratio
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = first.influences / a[..., None] - second.influences / b[..., None]
    relative = (apart**2).sum(axis=-1) + error**2
    between = first.influences - second.influences
    plain = (between**2).sum(axis=-1) + a * b * error**2
    third = _third_moment(between)
    return _larger(a, b, plain, relative, np.minimum(first.df, second.df), third)


def _larger(
    a: Floats, b: Floats, plain: Floats, relative: Floats, df: Floats, third: Floats
) -> GammaDifference:
    """Return the difference b − a with the larger standard error of the plain and the log scale.

    The standard error of the log ratio is undefined if a θ is 0; then the plain one is used.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = np.abs(a - b) < 1e-9 * (a + b)
        mean = np.where(alike, (a + b) / 2, (a - b) / np.log(a / b))
        error = np.fmax(np.sqrt(plain), mean * np.sqrt(relative))
        # γ is 1 − θ, so its skew has the opposite sign.
        skew = np.where(plain > _NO_VARIANCE, -third / plain**1.5, 0.0)
    # Parts that are all alike have no spread; remove what rounding errors leave of it.
    error = np.where(error < 1e-12, 0.0, error)
    return GammaDifference(np.where(alike, 0.0, b - a), error, df, np.sqrt(plain), skew)


def gain(
    full: Parts, rest: Parts, errors: tuple[Floats | float, Floats | float] = (0.0, 0.0)
) -> GammaDifference:
    """Return γ without one annotator minus γ of all, on the same stretches or documents.

    Parameters
    ----------
    full, rest
        Parts of all annotators, and of all but one, in the same order.
    errors
        Relative standard errors of the two expected disorders.
    """
    spread = ((full.influences - rest.influences) ** 2).sum(axis=-1)
    spread = spread + (full.ratio * errors[0]) ** 2 + (rest.ratio * errors[1]) ** 2
    error = np.sqrt(spread)
    value = full.ratio - rest.ratio
    # A difference of rounding is none.
    value = np.where(np.abs(value) < 1e-9 * (full.ratio + rest.ratio), 0.0, value)
    return GammaDifference(value, np.where(error < 1e-12, 0.0, error), rest.df)


def cluster_sums(values: Floats, clusters: Indices) -> Floats:
    """Return the sums over the parts of each cluster, shape (…, clusters).

    Parameters
    ----------
    values
        Values of each part, shape (…, parts).
    clusters
        Number of each part's cluster, from 0, shape (parts,). Clusters are independent.

    >>> cluster_sums(np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1])).tolist()
    [2.0, 5.0]
    """
    sums = np.zeros((*values.shape[:-1], int(clusters.max()) + 1))
    np.add.at(sums.T, clusters, values.T)
    return sums


def change_in_order(
    values: Floats, weights: Floats, places: Floats, clusters: Indices | None = None
) -> GammaDifference:
    """Return the rise of a weighted regression line from place 0 to place 1.

    The standard error does not assume equal variances: it is approximately the jackknife's over
    parts (HC3; MacKinnon & White 1985), with (Σ w)² / Σ w² − 2 degrees of freedom.

    Parameters
    ----------
    values, weights
        Values and weights of each part, in any order; shape (…, parts).
    places
        Places of the parts; shape (parts,).
    clusters
        Number of each part's cluster, from 0, shape (parts,); None if all parts are independent.

    >>> found = change_in_order(np.array([1.0, 3, 2, 4]), np.ones(4), np.arange(4) / 3)
    >>> float(found.value), float(found.df)
    (2.4, 2.0)
    """
    share = weights / weights.sum(axis=-1, keepdims=True)
    x = places - (share * places).sum(axis=-1, keepdims=True)
    square = (share * x**2).sum(axis=-1, keepdims=True)
    rise = (share * x * values).sum(axis=-1, keepdims=True) / square
    residuals = values - (share * values).sum(axis=-1, keepdims=True) - rise * x
    influences = share * x * residuals / (1 - share * (1 + x**2 / square)) / square
    if clusters is not None:
        influences, share = (cluster_sums(x, clusters) for x in (influences, share))
    error = np.sqrt((influences**2).sum(axis=-1))
    error = np.where(error < 1e-12, 0.0, error)
    df = np.maximum(1.0, 1 / (share**2).sum(axis=-1) - 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        skew = np.where(error > 0, _third_moment(influences) / error**3, 0.0)
    return GammaDifference(rise[..., 0], error, df, error, skew)


def holm(p: Floats) -> Floats:
    """Return p-values after Holm's correction (1979) along the last axis; NaN stays NaN.

    Parameters
    ----------
    p
        Shape (…, tests).

    >>> holm(np.array([0.01, 0.04, math.nan, 0.03])).round(3).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    order = np.argsort(p, axis=-1)
    n_defined = np.isfinite(p).sum(axis=-1, keepdims=True)
    times = np.maximum(n_defined - np.arange(p.shape[-1]), 1)
    corrected = np.maximum.accumulate(np.take_along_axis(p, order, -1) * times, axis=-1)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(corrected, 1.0), -1)
    return adjusted


def with_holm(tests: Iterable[T], p: str = "p") -> tuple[T, ...]:
    """Return test results with `p_holm` set to p after Holm's correction for all of them.

    Parameters
    ----------
    tests
        Instances of a dataclass with a field `p_holm`.
    p
        Name of the field that contains p.
    """
    rows = list(tests)
    corrected = holm(np.array([getattr(row, p) for row in rows])).tolist()
    return tuple(replace(row, p_holm=q) for row, q in zip(rows, corrected, strict=True))


def below_the_rest(
    observed: Floats, expected: Floats, errors: Floats | float = 0.0
) -> GammaDifference:
    """Test how far each row's γ lies below that of all other rows, on the row's own parts.

    Parameters
    ----------
    observed, expected
        Sums of each row in each part, shape (…, rows, parts). The expected sum is 0 where a row has
        no data in a part.
    errors
        Relative standard errors of the expected sums, shape (…, rows). The rows may share a sample,
        so that their errors are correlated.

    Returns
    -------
    GammaDifference
        Differences, shape (…, rows); NaN for a row with fewer than `FEWEST_PARTS` parts, and for a
        row whose parts have no spread.

    >>> observed = np.array([[4.0, 5, 4, 6, 5, 4], [2, 3, 1, 2, 2, 3], [2, 1, 2, 3, 2, 1]])
    >>> found = below_the_rest(observed, np.full((3, 6), 9.0))
    >>> found.value.round(3).tolist(), holm(found.p).round(4).tolist()
    ([0.296, -0.12, -0.176], [0.0006, 0.1163, 0.0544])
    """
    totals = [x.sum(axis=-2, keepdims=True) for x in (observed, expected)]
    rest_o = totals[0] - observed
    rest_e = totals[1] - expected
    comparable = (expected > 0) & (rest_e > 1e-9 * totals[1])
    row, rest = (
        independent_parts(*(np.where(comparable, x, 0.0) for x in side))
        for side in ((observed, expected), (rest_o, rest_e))
    )
    weight = expected.sum(axis=-1)
    unsure = weight * errors
    with np.errstate(invalid="ignore", divide="ignore"):
        of_rest = unsure.sum(axis=-1, keepdims=True) - unsure
        of_rest = of_rest / (weight.sum(axis=-1, keepdims=True) - weight)
    difference_test = paired_difference(rest, row, np.hypot(errors, of_rest))
    tested = (comparable.sum(axis=-1) >= FEWEST_PARTS) & (difference_test.error > 0)
    return GammaDifference(
        np.where(tested, difference_test.value, math.nan),
        difference_test.error,
        difference_test.df,
        difference_test.spread,
        difference_test.skew,
    )


def exchanged(observed: Floats, sets: Sequence[Floats], seed: int = 0) -> tuple[float, float]:
    """Return p of the disorder of documents against random sets, and the smallest possible p.

    Under the hypothesis of chance, the annotation of a document is exchangeable with each of the
    document's random sets. A recombination chooses, for each document, its own annotation or one of
    its random sets. p is the share of recombinations, including the data themselves, whose summed
    disorder is at most that of the data. The test is exact for any number of documents and sets, at
    least one of each. All recombinations are counted if there are few of them, otherwise
    `RECOMBINATIONS` random ones.

    Parameters
    ----------
    observed
        Weighted disorder of each document, shape (documents,).
    sets
        Weighted disorders of the random sets of each document.
    seed
        Seed of the random recombinations.

    >>> exchanged(np.array([1.0]), [np.array([2.0, 3.0, 0.5])])
    (0.5, 0.25)
    """
    rows = [np.append(o, s) for o, s in zip(observed, sets, strict=True)]
    most = sum(observed) * (1 + 1e-12)
    ways = math.prod(map(len, rows))
    if ways <= RECOMBINATIONS:
        sums = np.zeros(1)
        for row in rows:
            sums = np.add.outer(sums, row).ravel()
        return int((sums <= most).sum()) / ways, 1 / ways
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0xE8C4,)))
    drawn = np.zeros(RECOMBINATIONS)
    for row in rows:
        drawn += row[rng.integers(len(row), size=RECOMBINATIONS)]
    return (1 + int((drawn <= most).sum())) / (RECOMBINATIONS + 1), 1 / (RECOMBINATIONS + 1)
