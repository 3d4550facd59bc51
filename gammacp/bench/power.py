"""Power of Welch's test between corpora of sweeps: which magnitudes a measure tells apart.

A *corpus* here is D independent annotation sets (documents) of one magnitude. Means of a measure
over two such corpora are compared. The magnitudes of a sweep share random numbers, which real
corpora do not, so that nothing is paired: only means and variances over sets are used.

References
----------
Welch, B. L. 1947. The generalization of "Student's" problem when several different population
variances are involved. Biometrika 34. The power is that of the noncentral t distribution with
Welch's degrees of freedom (Moser, Stevens & Watts 1989).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats, Indices

_EXACT = 1e-9  # differences and standard errors below are rounding


@dataclass(frozen=True)
class Moments:
    """Mean, variance and defined share of measures at magnitudes; shapes (…, magnitudes).

    Attributes
    ----------
    mean
        Mean of the defined values; NaN where there is none.
    variance
        Variance with n − 1; NaN where fewer than two values are defined.
    defined
        Share of sets with a value.
    """

    mean: Floats
    variance: Floats
    defined: Floats

    @classmethod
    def of(cls, values: Floats) -> Moments:
        """Compute the moments over the first axis of `values`, NaN where undefined."""
        is_defined = ~np.isnan(values)
        n = is_defined.sum(axis=0)
        mean = np.where(is_defined, values, 0.0).sum(axis=0) / np.maximum(n, 1)
        squares = (np.where(is_defined, values - mean, 0.0) ** 2).sum(axis=0)
        return cls(
            np.where(n > 0, mean, np.nan),
            np.where(n > 1, squares / np.maximum(n - 1, 1), np.nan),
            n / max(len(values), 1),
        )


@dataclass(frozen=True)
class PairPower:
    """Power of the test between all pairs of magnitudes i < j, shapes (…, pairs).

    Attributes
    ----------
    right, wrong
        Probability that the corpus with more errors has significantly less agreement, or
        significantly more. Both are 0 if a corpus would have fewer than two defined values.
    testable
        Whether both corpora have two values, on average.
    """

    right: Floats
    wrong: Floats
    testable: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

    @property
    def mean(self) -> Floats:
        """Return the mean power over pairs; NaN where no pair can be tested."""
        power: Floats = self.right.mean(axis=-1)
        return np.where(self.testable.any(axis=-1), power, np.nan)


def pairs_of(n: int) -> tuple[Indices, Indices]:
    """Return all pairs of n magnitudes, the smaller one first."""
    first, second = np.triu_indices(n, 1)
    return first, second


def pair_power(moments: Moments, documents: float, level: float) -> PairPower:
    """Return the power of Welch's two-sided test between corpora of this number of documents.

    Two points without spread that differ are told apart with certainty. If they do not differ,
    either direction has probability level / 2, as for any others with equal means.

    Parameters
    ----------
    moments
        Moments of measures at ascending magnitudes, the last axis.
    documents
        D, the documents of each corpus. A measure that is undefined for some sets has fewer.
    level
        Level of the test, in (0, 1).
    """
    from scipy.special import stdtrit

    i, j = pairs_of(moments.mean.shape[-1])
    count = documents * moments.defined
    testable = (count >= 2 - _EXACT) & ~np.isnan(moments.variance)
    usable = testable[..., i] & testable[..., j]
    squared_error = np.where(testable, moments.variance / np.maximum(count, 1), 0.0)
    freedom = np.maximum(count - 1, 1.0)
    a = squared_error[..., i]
    b = squared_error[..., j]
    drop = np.where(usable, moments.mean[..., i] - moments.mean[..., j], 0.0)
    error = np.sqrt(a + b)
    spread = error > _EXACT
    parts = a**2 / freedom[..., i] + b**2 / freedom[..., j]
    welch = np.where(spread, (a + b) ** 2 / np.where(spread, parts, 1.0), 1.0)
    critical = np.asarray(stdtrit(welch, 1 - level / 2), np.float64)
    effect = np.where(spread, drop / np.where(spread, error, 1.0), 0.0)
    certain = np.where(np.abs(drop) > _EXACT, np.sign(drop), 0.0)
    by_chance = np.where(certain == 0, level / 2, 0.0)
    sharp = [np.where(certain == side, 1.0, by_chance) for side in (1, -1)]
    right = np.where(spread, 1 - _lower_tail(welch, effect, critical), sharp[0])
    wrong = np.where(spread, _lower_tail(welch, effect, -critical), sharp[1])
    return PairPower(np.where(usable, right, 0.0), np.where(usable, wrong, 0.0), usable)


def _lower_tail(freedom: Floats, effect: Floats, t: Floats) -> Floats:
    """Return the distribution function of the noncentral t."""
    from scipy.special import nctdtr

    # scipy returns NaN for values too small for a float (below about 1e-60), which are 0 here.
    tail: Floats = np.nan_to_num(nctdtr(freedom, effect, t), nan=0.0)
    return tail


def pseudo_values(values: Floats, documents: float, level: float) -> Floats:
    """Return jackknife pseudo-values of the mean power, shape (sets, …), one for each set left out.

    Parameters
    ----------
    values
        Shape (sets, …, magnitudes); NaN where undefined.
    documents, level
        As for `pair_power`.
    """
    n = len(values)
    whole = pair_power(Moments.of(values), documents, level).mean
    rows = np.arange(n)
    without = [pair_power(Moments.of(values[rows != k]), documents, level).mean for k in rows]
    # If no pair can be tested without one set, the power of that replicate is 0.
    replicates = np.nan_to_num(np.array(without))
    pseudo: Floats = n * np.nan_to_num(whole) - (n - 1) * replicates
    return pseudo
