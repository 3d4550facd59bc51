"""S: the share of potential boundaries that no edit touches (Fournier & Inkpen 2012, eq. 4)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from gammacp.arguments import whole
from gammacp.measures.segmentations.choices import EditSearch
from gammacp.measures.segmentations.edits import EditCosts, Edits
from gammacp.measures.segmentations.transpositions import optimal_edits, published_edits
from gammacp.measures.segmentations.value import Segmentation, check_comparable

_TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True)
class Similarity:
    """S of two segmentations, with the edits behind it.

    Attributes
    ----------
    distance
        d: cost of the edits, in potential boundaries.
    potential_boundaries
        PB = t·(mass − 1).
    optimal_distance
        Cost of the cheapest edits; below `distance` where the published search misses them.
    found
        Gives the edits.
    """

    distance: float
    potential_boundaries: int
    optimal_distance: float
    found: Callable[[], Edits] = field(repr=False, compare=False)

    @cached_property
    def edits(self) -> Edits:
        """Full and near misses, listed when they are asked for."""
        return self.found()

    @property
    def value(self) -> float:
        """S = (PB − d)/PB; 1 for an item of one base unit, where nothing can differ."""
        if self.potential_boundaries == 0:
            return 1.0
        return (self.potential_boundaries - self.distance) / self.potential_boundaries

    @property
    def warning(self) -> str | None:
        """Why the value is lower than it need be; None where it is not."""
        if self.distance <= self.optimal_distance + _TOLERANCE:
            return None
        return (
            f"the published search finds edits that cost {self.distance:g}, "
            f"the cheapest cost {self.optimal_distance:g}"
        )


def segmentation_similarity(
    a: Segmentation,
    b: Segmentation,
    *,
    n: int = 2,
    costs: EditCosts | None = None,
    search: EditSearch | str = EditSearch.PUBLISHED,
) -> Similarity:
    """S (2012, eq. 4): symmetric, 1 iff equal, 0 for a boundary everywhere against none.

    Parameters
    ----------
    a, b
        Segmentations of one item.
    n
        Potential boundaries that a transposition may span; 2 by default, 1 for none.
    costs
        w_sub, w_trp and whether te weights transpositions; default 1, 1, yes.
    search
        `published` (2012, §3.3) or `optimal`. With n ≥ 3 the published search can take a window
        that costs more than what it saves, and S can fall below 0; `warning` tells.

    >>> s1 = Segmentation.from_masses([1, 2, 2, 3, 3, 1, 2])
    >>> s2 = Segmentation.from_masses([1, 2, 1, 2, 6, 2])
    >>> s = segmentation_similarity(s1, s2)
    >>> s.edits.full, s.edits.near, round(s.value, 4)  # 9/13
    (3, 1, 0.6923)
    """
    check_comparable(a, b)
    n, costs, search = whole("n", n, 1), costs or EditCosts(), EditSearch(search)

    def list_edits() -> Edits:
        if search is EditSearch.OPTIMAL:
            return optimal_edits(a, b, n=n, costs=costs)
        return published_edits(a, b, n=n)

    if len(a.types) == 1:
        from gammacp.measures.segmentations.pair_kernels import of_pair

        optimal = search is EditSearch.OPTIMAL
        found = of_pair(a.positions, b.positions, a.mass, n, costs.parts, optimal=optimal)
        distance, least = found["distance"], found["least"]
    else:
        distance, least = costs.of(list_edits()), costs.of(optimal_edits(a, b, n=n, costs=costs))
    return Similarity(
        distance=distance,
        potential_boundaries=a.potential_boundaries,
        optimal_distance=least,
        found=list_edits,
    )
