"""Category errors: units are confused with other categories (2015, §6.3.1 "Category").

The papers' matrices are not published; these forms keep the prevalence, are the identity at
magnitude 0 and independent of the true category at magnitude 1.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.errors import DataError, UsageError
from shuffling.registry import register
from shuffling.setting import Setting, Units


@register
@dataclass(frozen=True, kw_only=True)
class Category:
    """Each labelled unit's category is redrawn from its row of a transition matrix M(m).

    - Without overlap of categories: M(m) = (1 − m²)·I + m²·P, P = rows of prevalence. Cohen's κ
      between two annotators tends to (1 − m²)² as the units grow.
    - With overlap: M(m) = (1 − m)·I + m³·P + (m − m³)·O, O = row-normalised closeness: at small
      magnitudes a unit is confused with close categories first.

    Unlabelled units stay unlabelled.

    Attributes
    ----------
    overlap
        Whether the second matrix is used.
    closeness
        For the second: a symmetric matrix ≥ 0 with a positive diagonal, in the order of the
        reference's categories; None (default): 1 − |rank difference|/K in declared order, K
        categories.
    keep_prevalence
        Whether O is balanced (its closeness scaled on both sides) so that it keeps the prevalence
        as I and P do; False: rows are divided by their sum and nothing else.
    """

    name: ClassVar[str] = "category"
    summary: ClassVar[str] = "units get a wrong category"
    source: ClassVar[str] = "Mathet, Widlöcher & Métivier 2015, §6.3.1; matrices: gammacp"

    overlap: bool = False
    closeness: tuple[tuple[float, ...], ...] | None = None
    keep_prevalence: bool = True

    def matrix(self, magnitude: float, prevalence: Floats) -> Floats:
        """M(m), shape (categories, categories); entry (c, k): probability that c becomes k.

        >>> Category().matrix(0.5, np.array([0.75, 0.25]))
        array([[0.9375, 0.0625],
               [0.1875, 0.8125]])

        Parameters
        ----------
        magnitude
            m, in [0, 1].
        prevalence
            Prevalence of the categories, shape (categories,), summing to 1.
        """
        changed, chance = self._shares(magnitude)
        if self.overlap:
            close = self._confusion(prevalence)
        else:
            close = np.zeros(())
        mixed: Floats = (
            (1 - changed) * np.eye(len(prevalence))
            + chance * prevalence
            + (changed - chance) * close
        )
        return mixed

    def _shares(self, magnitude: float) -> tuple[float, float]:
        """Return how much of M(m) is not I, and how much of it is P."""
        if self.overlap:
            return magnitude, magnitude**3
        return magnitude**2, magnitude**2

    def _confusion(self, prevalence: Floats) -> Floats:
        n = len(prevalence)
        if self.closeness is None:
            rank = np.arange(n)
            close = 1 - np.abs(rank[:, None] - rank) / n
        else:
            close = _check_closeness(self.closeness, n)
        if not self.keep_prevalence:
            rows: Floats = close / close.sum(axis=1, keepdims=True)
            return rows
        return _balance(close, prevalence)

    def apply(
        self, units: Units, magnitude: float, setting: Setting, rng: np.random.Generator
    ) -> Units:
        """Return the units with redrawn categories.

        Raises UsageError where the closeness does not fit the categories.
        """
        labelled = units.codes >= 0
        if not labelled.any() or magnitude == 0:
            return units
        # A unit's first number says whether and how it is redrawn, the second what it becomes: what
        # has changed at one magnitude has at every greater one.
        changed, chance = self._shares(magnitude)
        part, u = rng.random((len(units), 2)).T
        prevalence = setting.prevalence
        codes = units.codes.copy()
        if self.overlap:
            close = labelled & (chance <= part) & (part < changed)
            codes[close] = _draw_columns(self._confusion(prevalence)[codes[close]], u[close])
        anything = labelled & (part < chance)
        codes[anything] = _draw_columns(prevalence[None], u[anything])
        return Units.sort(units.starts, units.ends, codes, units.breaks)


def _draw_columns(rows: Floats, u: Floats) -> Indices:
    """Return a column of each row of probabilities (or of the one row)."""
    sums = np.cumsum(rows, axis=1)
    columns: Indices = (sums[:, :-1] <= (u * sums[:, -1])[:, None]).sum(axis=1)
    return columns


def _check_closeness(closeness: tuple[tuple[float, ...], ...], n: int) -> Floats:
    if len(closeness) != n or any(len(row) != n for row in closeness):
        raise UsageError(f"category: closeness is not a {n} × {n} matrix, for {n} categories")
    close = np.array(closeness, np.float64)
    if not (np.isfinite(close).all() and (close >= 0).all() and (close == close.T).all()):
        raise UsageError("category: closeness is not symmetric, finite and >= 0")
    if (np.diag(close) <= 0).any():
        raise UsageError("category: closeness of a category with itself is not positive")
    return close


def _balance(close: Floats, prevalence: Floats) -> Floats:
    """Rows sum to 1 and prevalence·O = prevalence, O proportional to closeness up to scaling.

    Symmetric Sinkhorn: with v = (closeness·v)⁻¹·prevalence the flow v_c·closeness·v_k has
    the prevalence as both its margins.
    """
    used = prevalence > 0
    share = prevalence[used]
    inner = close[np.ix_(used, used)]
    v = np.sqrt(share / inner.sum(axis=1))
    for _ in range(10_000):
        ratio = share / (v * (inner @ v))
        if np.abs(ratio - 1).max() < 1e-13:
            break
        v = v * np.sqrt(ratio)
    else:
        raise DataError("category: closeness cannot be balanced so that it keeps the prevalence")
    # A category of prevalence 0 may still occur in a reference: it is left for close ones.
    spread = np.where(used, 1.0, 0.0)
    spread[used] = v
    confusion: Floats = close * spread
    confusion /= confusion.sum(axis=1, keepdims=True)
    return confusion
