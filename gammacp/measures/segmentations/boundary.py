"""B: boundary similarity, and precision and recall from the same edits (Fournier 2013).

Where S divides by all places that could carry a boundary, B divides by the boundaries that are
there: additions A, substitutions S, transpositions T and matches M.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from gammacp.arguments import whole
from gammacp.measures.segmentations.boundary_edits import TypeCosts, best_edits, published_edits
from gammacp.measures.segmentations.choices import EditSearch
from gammacp.measures.segmentations.edits import EditCosts, Edits, differences
from gammacp.measures.segmentations.value import Segmentation, check_comparable

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

    def list_edits() -> Edits:
        return best_edits(a, b, of_types) if optimal else published_edits(a, b, n_t)

    if len(a.types) == 1 and of_types.alone[0] == 1:
        from gammacp.measures.segmentations.pair_kernels import of_pair

        found = of_pair(a.positions, b.positions, a.mass, n_t, weights.parts, optimal=optimal)
        return BoundarySimilarity(
            matches={a.types[0]: int(found["matches"])},
            full=int(found["b_full"]),
            near=int(found["b_near"]),
            penalty=found["b_penalty"],
            least=found["b_least"],
            found=list_edits,
        )
    missed = [code for one, _ in differences(a, b).values() for code in one]
    matches = {n: len(a.of_type(n)) - missed.count(code) for code, n in enumerate(a.types)}
    edits, best = list_edits(), best_edits(a, b, of_types)
    everything = sum(matches.values()) + best.full + best.near
    return BoundarySimilarity(
        matches=matches,
        full=edits.full,
        near=edits.near,
        penalty=of_types.penalty(edits),
        least=of_types.penalty(best) / everything if everything else 0.0,
        found=list_edits,
    )
