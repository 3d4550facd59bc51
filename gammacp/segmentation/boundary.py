"""B: boundary similarity, and precision and recall from the same edits (Fournier 2013).

Where S divides by all places that could carry a boundary, B divides by the boundaries that are
there: additions A, substitutions S, transpositions T and matches M.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from gammacp.arguments import whole
from gammacp.errors import UsageError
from gammacp.segmentation.boundary_edits import TypeCosts, best_edits, published_edits
from gammacp.segmentation.choices import EditSearch
from gammacp.segmentation.edits import EditCosts, Edits, differences
from gammacp.segmentation.value import Segmentation, check_comparable

if TYPE_CHECKING:
    from gammacp.dissimilarity.categorial import Categorial

Cell = tuple[str | None, str | None]


@dataclass(frozen=True, kw_only=True)
class BoundarySimilarity:
    """B of two segmentations, with its edits.

    Attributes
    ----------
    matches
        |M|: boundaries that both have, per type.
    full, near
        |A| + |S| and |T|.
    penalty
        |A| + w_S + w_T.
    least
        The least that 1 − B can be with these operations; the published search may miss it.
    found
        Gives the edits.
    """

    matches: Mapping[str, int]
    full: int
    near: int
    penalty: float
    least: float
    found: Callable[[], Edits] = field(repr=False, compare=False)

    @cached_property
    def edits(self) -> Edits:
        """Additions and substitutions (as `Substitution`, an addition has None on one side), and
        transpositions; listed when they are asked for.
        """
        return self.found()

    @property
    def value(self) -> float:
        """B = 1 − (|A| + w_S + w_T)/(|A| + |S| + |T| + |M|); 1 without any boundary."""
        everything = sum(self.matches.values()) + self.full + self.near
        return 1 - self.penalty / everything if everything else 1.0


def boundary_similarity(
    a: Segmentation,
    b: Segmentation,
    *,
    n_t: int = 2,
    costs: EditCosts | None = None,
    categorial: str | Categorial = "nominal",
    search: EditSearch | str = EditSearch.PUBLISHED,
) -> BoundarySimilarity:
    """B (2013): symmetric, 1 iff equal.

    Parameters
    ----------
    a, b
        Segmentations of one item.
    n_t
        A boundary may be transposed over fewer than n_t places; over i places it costs i/n_t.
    costs
        Further weights in [0, 1] of w_S and w_T; an addition costs 1. B has no te.
    categorial
        What one type for another costs, from 0 to 1: "nominal", "ordinal" (types are ranks in
        declared order; `ordinal=A<B<C`), or a CSV file with a matrix of distances, 1 − how
        confusable two types are (Lai, Li & Zhang 2023). A row and column without a name tell what
        an addition of each type costs, 1 − how easily it is missed.
    search
        `published`: nearest transpositions first, from left to right. With n_t = 2 and one type no
        others make B larger; otherwise B can be too low, and another one from right to left.
        `optimal`: equal boundaries match, and the rest such that B is largest, the same in both
        directions. Near misses then may be between types that are less than 1 apart.

    Raises
    ------
    DataError
        The matrix cannot be read, or lacks a type.

    >>> masses = Segmentation.from_masses
    >>> boundary_similarity(masses([2, 3, 6]), masses([5, 6])).value
    0.5
    >>> boundary_similarity(masses([2, 3, 6]), masses([2, 2, 7])).value
    0.75
    """
    check_comparable(a, b)
    n_t = whole("n_t", n_t, 1)
    weights = costs or EditCosts()
    optimal = EditSearch(search) is EditSearch.OPTIMAL
    of_types = TypeCosts.of(categorial, a.types, n_t, weights)

    def listed() -> Edits:
        return best_edits(a, b, of_types) if optimal else published_edits(a, b, n_t)

    if len(a.types) == 1 and of_types.alone[0] == 1:
        from gammacp.segmentation.pair_kernels import of_pair

        found = of_pair(a.positions, b.positions, a.mass, n_t, weights.parts, optimal=optimal)
        return BoundarySimilarity(
            matches={a.types[0]: int(found["matches"])},
            full=int(found["b_full"]),
            near=int(found["b_near"]),
            penalty=found["b_penalty"],
            least=found["b_least"],
            found=listed,
        )
    missed = [code for one, _ in differences(a, b).values() for code in one]
    matches = {n: len(a.of_type(n)) - missed.count(code) for code, n in enumerate(a.types)}
    edits, best = listed(), best_edits(a, b, of_types)
    everything = sum(matches.values()) + best.full + best.near
    return BoundarySimilarity(
        matches=matches,
        full=edits.full,
        near=edits.near,
        penalty=of_types.penalty(edits),
        least=of_types.penalty(best) / everything if everything else 0.0,
        found=listed,
    )


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
