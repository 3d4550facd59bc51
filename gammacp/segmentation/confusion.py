"""What a hypothesis has where the reference has something else, type by type (Fournier 2013)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from gammacp.errors import UsageError
from gammacp.measures.segmentations.boundary import boundary_similarity
from gammacp.measures.segmentations.value import Segmentation

Cell = tuple[str | None, str | None]


@dataclass(frozen=True, kw_only=True)
class ConfusionMatrix:
    """What the hypothesis has where the reference has something else.

    Attributes
    ----------
    cells
        (hypothesis type, reference type) → count; None is "no boundary". A near miss over i places
        counts 1 − i/n_t as a match.
    types
        Boundary types.
    """

    cells: Mapping[Cell, float]
    types: tuple[str, ...]

    def precision(self, name: str | None = None) -> float:
        """Matches over the hypothesis' boundaries, of one type or all (micro-average).

        NaN where the hypothesis has none.

        Parameters
        ----------
        name
            Of a boundary type; None for all together.
        """
        return self._ratio(0, name)

    def recall(self, name: str | None = None) -> float:
        """Matches over the reference's boundaries; NaN where the reference has none.

        Parameters
        ----------
        name
            Of a boundary type; None for all together.
        """
        return self._ratio(1, name)

    def f_measure(self, name: str | None = None, *, beta: float = 1.0) -> float:
        """F_β = (1 + β²)·TP/((1 + β²)·TP + β²·FN + FP), the weighted harmonic mean of P and R.

        0 where only one side has boundaries; NaN where neither has. As published, a near miss is a
        part of a match and no error: alone it gives F = 1. With n_t = 1 there are none.

        Parameters
        ----------
        name
            Of a boundary type; None for all together.
        beta
            Weight of recall against precision, > 0.

        Raises
        ------
        UsageError
            β is not positive.

        >>> masses = Segmentation.from_masses
        >>> confusion_matrix(masses([2, 9]), masses([11])).f_measure()
        0.0
        >>> confusion_matrix(masses([2, 9]), masses([3, 8])).f_measure()
        1.0
        >>> confusion_matrix(masses([2, 9]), masses([3, 8]), n_t=1).f_measure()
        0.0
        """
        if not beta > 0:
            raise UsageError(f"beta = {beta:g} is not positive")
        hits, by_hypothesis = self._counts(0, name)
        _, by_reference = self._counts(1, name)
        weighed = beta**2 * by_reference + by_hypothesis
        return (1 + beta**2) * hits / weighed if weighed else math.nan

    def _ratio(self, side: int, name: str | None) -> float:
        hits, placed = self._counts(side, name)
        return hits / placed if placed else math.nan

    def _counts(self, side: int, name: str | None) -> tuple[float, float]:
        """Matches, and all that one side (0 the hypothesis) has, of one type or all."""
        names = self.types if name is None else (name,)
        for unknown in set(names) - set(self.types):
            raise UsageError(f"boundary type {unknown!r} is unknown: {', '.join(self.types)}")
        hits = sum(self.cells.get((n, n), 0.0) for n in names)
        return hits, sum(count for cell, count in self.cells.items() if cell[side] in names)


def confusion_matrix(
    reference: Segmentation, hypothesis: Segmentation, *, n_t: int = 2
) -> ConfusionMatrix:
    """Boundary confusion matrix (2013): what only the hypothesis has is a false positive.

    Parameters
    ----------
    reference, hypothesis
        Segmentations of one item.
    n_t
        As for `boundary_similarity`.

    >>> masses = Segmentation.from_masses
    >>> matrix = confusion_matrix(masses([2, 3, 6]), masses([5, 6]))
    >>> matrix.precision(), matrix.recall()
    (1.0, 0.5)
    """
    found = boundary_similarity(reference, hypothesis, n_t=n_t)
    cells: dict[Cell, float] = {(n, n): float(count) for n, count in found.matches.items()}
    for near in found.edits.transpositions:
        cells[near.type, near.type] += 1 - (near.end - near.start) / n_t
    for full in found.edits.substitutions:
        cell = (full.second, full.first)
        cells[cell] = cells.get(cell, 0.0) + 1
    return ConfusionMatrix(cells=cells, types=reference.types)
