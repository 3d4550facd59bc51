"""Variance components of disorder: documents, annotators, both together, categories (a G-study).

In each document, a pair of annotators has a relative disorder z = o/e, its observed disorder as a
share of the expected one (see `populations`). It is modelled as a sum of random effects,

    z = 1 − γ + document + (a + b)/2 + (a in document + b in document)/2 + category + rest,

where a and b are the effects of the two annotators: an effect is what a pair of two such annotators
would add. The variance of the rest decreases with e. The components are estimated by setting sums
of squares equal to their expectations (Henderson 1953, method I). The sums are weighted by e, and
taken by document, annotator, annotator in document, category and cell. Designs may be incomplete.
If everybody annotates everything with equal e, the components are those of the analysis of variance
of a diallel (Griffing 1956, method 4) with documents as environments. The intervals are
approximately those of Williams (1962): χ² for the part of a sum of squares beyond noise.

From these components follows the variance that γ would have with other numbers of documents and
annotators (a D-study):

    variance = document/D + annotator/A + annotator in document/(D·n) + rest/(D·n(n − 1)/2).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.errors import DataError

DOCUMENT, ANNOTATOR, BOTH, CATEGORY, REST = (
    "document", "annotator", "annotator × document", "category", "rest",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class VarianceComponent:
    """One variance component of relative disorder.

    Attributes
    ----------
    variance
        The estimate. It can be below 0; then the data show no such variance.
    interval
        95 % interval, cut off at 0.
    df
        Degrees of freedom of the estimate.
    holds
        Names of the components that cannot be separated from this one, and are included in it.
    """

    variance: float
    interval: tuple[float, float]
    df: float
    holds: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class VarianceComponents:
    """The components by name, and the mean of z, which is 1 − γ."""

    parts: Mapping[str, VarianceComponent]
    mean: float

    def as_dict(self) -> dict[str, Any]:
        """Return a record per component."""
        return {name: {**vars(c), "holds": list(c.holds)} for name, c in self.parts.items()}

    def error(self, documents: int, annotators: int, people: int | None = None) -> float:
        """Return the standard error of γ over documents and annotators, for a planned design.

        Parameters
        ----------
        documents, annotators
            Number of documents, and number of annotators of each document.
        people
            Total number of annotators; None if everybody annotates everything.
        """
        pairs = annotators * (annotators - 1) / 2
        sizes = {
            DOCUMENT: documents,
            ANNOTATOR: people or annotators,
            BOTH: documents * annotators,
            REST: documents * pairs,
        }
        return math.sqrt(
            sum(max(0.0, c.variance) / sizes[n] for n, c in self.parts.items() if n in sizes)
        )

    def in_words(self) -> str:
        """Describe each component as a standard deviation with its interval, largest first."""
        ordered = sorted(self.parts.items(), key=lambda part: -part[1].variance)
        listed = []
        for name, c in ordered:
            low, high = map(math.sqrt, c.interval)
            if c.holds:
                held = f", with {' and '.join(c.holds)}"
            else:
                held = ""
            value = math.sqrt(max(0.0, c.variance))
            listed.append(f"{name}{held} {value:.2f} ({low:.2f} to {high:.2f})")
        return (
            f"The disorder of pairs is on average {self.mean:.2f} of that by chance. Standard "
            f"deviations (95% confidence): {'; '.join(listed)}."
        )


def estimate_components(
    document: Sequence[int] | Indices,
    pair: Sequence[tuple[int, int]] | Indices,
    observed: Sequence[float] | Floats,
    expected: Sequence[float] | Floats,
    *,
    category: Sequence[int] | Indices | None = None,
) -> VarianceComponents:
    """Return the components of relative disorder.

    Parameters
    ----------
    document
        The document of each cell, numbers from 0; shape (cells,).
    pair
        The two annotators of each cell; shape (cells, 2).
    observed, expected
        What each cell adds to the observed and to the expected sum. Cells with an expectation of 0
        are left out.
    category
        Category of each cell, numbers from 0; None if cells are not divided by category.

    Raises
    ------
    DataError
        There are fewer than two documents, or no component can be separated from others.
    """
    e = np.asarray(expected, np.float64)
    is_positive = e > 0
    e, z = e[is_positive], np.asarray(observed, np.float64)[is_positive] / e[is_positive]
    where = np.asarray(document)[is_positive]
    people = np.asarray(pair)[is_positive]
    if len(np.unique(where)) < 2:
        raise DataError("variance components need at least two documents")
    number = np.arange(len(e))
    width = int(people.max()) + 1
    lots: dict[str, tuple[Indices, Indices]] = {
        DOCUMENT: (number, where),
        ANNOTATOR: (np.repeat(number, 2), people.ravel()),
        BOTH: (np.repeat(number, 2), (where[:, None] * width + people).ravel()),
    }
    if category is not None:
        lots[CATEGORY] = (number, np.asarray(category)[is_positive])
    lots[REST] = (number, number)
    forms = _Forms(lots, e / e.mean())
    plain = _Forms(lots, np.ones(len(e)))
    holds = dict[str, tuple[str, ...]]()
    names = [*lots]
    for dropped, holder in ((REST, BOTH), (BOTH, REST), (DOCUMENT, REST), (ANNOTATOR, REST)):
        if plain.can_separate(names):
            break
        names = [n for n in lots if n != dropped and (n in names or n == REST)]
        if holder in names:
            holds = {holder: (*holds.get(holder, ()), dropped)}
        else:
            holds = {}
    if not plain.can_separate(names):
        raise DataError("the effects of documents and annotators cannot be separated")
    return forms.estimate(z, names, holds)


class _Forms:
    """Sums of squares by each factor, and what each component adds to the expectation of each."""

    def __init__(self, lots: Mapping[str, tuple[Indices, Indices]], weights: Floats) -> None:
        """Build a sparse matrix for each factor, which says the level or levels of every cell."""
        from scipy.sparse import csr_array

        size, self.weights = len(weights), weights
        levels = {n: np.unique(level, return_inverse=True)[1] for n, (_, level) in lots.items()}
        self._rows = {"": csr_array(np.ones((1, size)))}
        effects = {}
        for name, (cells, _) in lots.items():
            level = levels[name]
            ones = np.ones(len(cells))
            self._rows[name] = csr_array((ones, (level, cells)), shape=(level.max() + 1, size))
            if name == REST:
                half = weights**-0.5
            else:
                half = ones * size / len(cells)
            effects[name] = csr_array((half, (cells, level)), shape=(size, level.max() + 1))
        self.sums = {n: rows @ weights for n, rows in self._rows.items()}
        self.table: dict[str, dict[str, float]] = {}
        for g, rows in self._rows.items():
            self.table[g] = {"": float(self.sums[g].sum())}
            for name, effect in effects.items():
                reach: Any = (rows * weights) @ effect
                self.table[g][name] = float((reach.power(2).sum(axis=1) / self.sums[g]).sum())

    def _system(self, names: Sequence[str]) -> Floats:
        return np.array([[self.table[g][k] for k in ("", *names)] for g in ("", *names)])

    def can_separate(self, names: Sequence[str]) -> bool:
        """Return whether these components can be separated."""
        system = self._system(names)
        return int(np.linalg.matrix_rank(system / system.max(axis=1, keepdims=True))) == len(system)

    def estimate(
        self, z: Floats, names: Sequence[str], holds: Mapping[str, tuple[str, ...]]
    ) -> VarianceComponents:
        """Estimate the components by setting the sums of squares equal to their expectations."""
        squares = np.array(
            [
                float(((self._rows[g] @ (self.weights * z)) ** 2 / self.sums[g]).sum())
                for g in ("", *names)
            ]
        )
        system = self._system(names)
        estimates = np.linalg.solve(system, squares)
        # Remove the mean from all sums of squares, and documents and annotators from the sum for
        # annotators in documents. Sums over both annotators of a pair count every cell twice; the
        # ratios of `once` allow for that.
        once = system[:, 0] / system[0, 0]
        squares = squares - once * squares[0]
        system = system - once[:, None] * system[0]
        parts: dict[str, VarianceComponent] = {}
        for i, name in enumerate(names, 1):
            square = squares[i]
            coefficient = system[i, i]
            if name == BOTH:
                below = [k for k, n in enumerate(names, 1) if n in (DOCUMENT, ANNOTATOR)]
                square = square - sum(once[i] / once[k] * squares[k] for k in below)
                coefficient = coefficient - sum(once[i] / once[k] * system[k, i] for k in below)
            shares = self.sums[name] / self.sums[name].sum()
            df = 1 / float((shares**2).sum()) - 1
            if name in (BOTH, REST):
                df -= math.fsum(c.df for c in parts.values())
            if name == REST:
                noisy_value = estimates[i]
            else:
                noisy_value = square / coefficient
            parts[name] = _part(
                float(estimates[i]), float(noisy_value), max(1.0, df), holds.get(name, ())
            )
        return VarianceComponents(parts=parts, mean=float(self.weights @ z / self.weights.sum()))


def _part(value: float, noisy_value: float, df: float, holds: tuple[str, ...]) -> VarianceComponent:
    """Return a component with its interval.

    `value` is the estimate, and `noisy_value` the estimate with the noise of the means of levels.
    """
    from scipy.special import gammaincinv

    # With unequal weights, it may be below the estimate.
    noisy_value = max(noisy_value, value, 0.0)
    noise = noisy_value - value
    ends = [
        max(0.0, noisy_value * df / (2 * float(gammaincinv(df / 2, p))) - noise)
        for p in (0.975, 0.025)
    ]
    return VarianceComponent(variance=value, interval=(ends[0], ends[1]), df=df, holds=holds)
