"""B: boundary similarity, and precision and recall from the same edits (Fournier 2013).

Where S divides by all places that could carry a boundary, B divides by the boundaries that are
there: additions A, substitutions S, transpositions T and matches M.

With several boundary types a distance between types says how far taking one for another is wrong,
and may say how far leaving one out is (Lai, Li & Zhang 2023: types are more or less confusable, and
more or less identifiable). A near miss is of one type in 2013; here it may also be between types
that can be confused at all (distance below 1), and then costs both, its places and its types.

References
----------
Fournier 2013. Evaluating text segmentation using boundary edit distance. ACL.
Lai, Li & Zhang 2023. Text segmentation similarity revisited: a flexible distance-based approach for
multiple boundary types. SCiL 6. As their `segsimflex` computes it, which takes the cheapest edits
of any reach and then divides by their number; here B itself is made largest within n_t.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.arrays import Floats, Indices, places_within
from gammacp.base.matching import largest_matching
from gammacp.dissimilarity.categorial import Categorial, categorial
from gammacp.segmentation.measures.edits import (
    EditCosts,
    Edits,
    EditSearch,
    Substitution,
    Transposition,
    differences,
    substitutions,
)
from gammacp.segmentation.measures.value import Segmentation, check_comparable

# Name that stands for "no boundary" in a matrix of distances.
NOTHING = ""
# Number of pairs up to which several stretches are matched together.
_AT_ONCE = 200


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
        Function that returns the edits.
    """

    matches: Mapping[str, int]
    full: int
    near: int
    penalty: float
    least: float
    found: Callable[[], Edits] = field(repr=False, compare=False)

    @cached_property
    def edits(self) -> Edits:
        """Compute the list of edits.

        Additions and substitutions come first, then transpositions. Additions are `Substitution`
        objects with None on one side.
        """
        return self.found()

    @property
    def value(self) -> float:
        """B = 1 − (|A| + w_S + w_T)/(|A| + |S| + |T| + |M|); 1 without any boundary."""
        everything = sum(self.matches.values()) + self.full + self.near
        if everything:
            return 1 - self.penalty / everything
        return 1.0


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
        Cost of one type for another, from 0 to 1: "nominal", "ordinal" (types are ranks in declared
        order; `ordinal=A<B<C`), or a CSV file with a matrix of distances, 1 − how confusable two
        types are (Lai, Li & Zhang 2023). A row and column without a name tell what an addition of
        each type costs, 1 − how easily it is missed.
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
    type_costs = TypeCosts.of(categorial, a.types, n_t, weights)

    def list_edits() -> Edits:
        if optimal:
            return _best_edits(a, b, type_costs)
        return _published_edits(a, b, n_t)

    if len(a.types) == 1 and type_costs.alone[0] == 1:
        from gammacp.segmentation.measures.pair_kernels import pair_columns

        counts = pair_columns(a.positions, b.positions, a.mass, n_t, weights.parts, optimal=optimal)
        return _similarity_of_counts(counts, a.types[0], list_edits)
    matches = _matches_by_type(a, b)
    edits = list_edits()
    best = _best_edits(a, b, type_costs)
    everything = sum(matches.values()) + best.full + best.near
    return BoundarySimilarity(
        matches=matches,
        full=edits.full,
        near=edits.near,
        penalty=type_costs.penalty(edits),
        least=type_costs.penalty(best) / everything if everything else 0.0,
        found=list_edits,
    )


@dataclass(frozen=True, eq=False)
class TypeCosts:
    """Costs of edits by boundary types and weights; each at most 1.

    Attributes
    ----------
    types
        Boundary types.
    apart
        Cost of one type for another at the same place, shape (types, types).
    alone
        Cost of a boundary that the other side lacks, shape (types,).
    place
        Cost of a place that a near miss crosses: w_T/n_t.
    n_t
        A near miss crosses fewer places.
    """

    types: tuple[str, ...]
    apart: Floats
    alone: Floats
    place: float
    n_t: int

    @classmethod
    def of(
        cls, kind: str | Categorial, types: tuple[str, ...], n_t: int, costs: EditCosts
    ) -> TypeCosts:
        """Return the costs for a distance between types.

        A distance that has a name for "no boundary" also gives the costs `alone`.

        Parameters
        ----------
        kind
            As for `boundary_similarity`.
        types
            Boundary types.
        n_t, costs
            As for `boundary_similarity`.
        """
        chosen = categorial(kind)
        alone = np.ones(len(types))
        if NOTHING in getattr(chosen, "categories", ()):
            alone = chosen.distances((*types, NOTHING))[-1, :-1]
        apart = costs.substitution * chosen.distances(types)
        return cls(types, apart, alone, costs.transposition / n_t, n_t)

    def of_pairs(self, x: Indices, y: Indices, crossed: Indices) -> Floats:
        """Return the costs of matching boundaries of types x and y, `crossed` places apart."""
        moved = self.place * crossed * (self.alone[x] + self.alone[y]) / 2
        cost: Floats = np.minimum(1.0, self.apart[x, y] + moved)
        return cost

    def penalty(self, edits: Edits) -> float:
        """Return |A| + w_S + w_T of an edit list."""
        code = {name: k for k, name in enumerate(self.types)}
        total = 0.0
        for edit in edits.substitutions:
            sides = [code[name] for name in (edit.first, edit.second) if name is not None]
            if len(sides) > 1:
                total += self.apart[*sides]
            else:
                total += self.alone[sides[0]]
        x = np.array([code[t.type] for t in edits.transpositions], np.int64)
        y = np.array([code[t.other or t.type] for t in edits.transpositions], np.int64)
        crossed = np.array([t.end - t.start for t in edits.transpositions], np.int64)
        return float(total + self.of_pairs(x, y, crossed).sum())


def _published_edits(a: Segmentation, b: Segmentation, n_t: int) -> Edits:
    """Match boundaries by the rules of 2013.

    Nearest transpositions come first, from left to right. What is left are additions, and
    substitutions of types at the same place. Two places that both have one type replaced by the
    other are not transposed, but left to substitutions.
    """
    unmatched = differences(a, b)
    transpositions = []
    for distance in range(1, n_t):
        for start in unmatched:
            end = start + distance
            if end not in unmatched:
                continue
            codes_at_start = unmatched[start]
            codes_at_end = unmatched[end]
            for code in sorted(
                (codes_at_start[0] & codes_at_end[1]) | (codes_at_start[1] & codes_at_end[0])
            ):
                if all(codes_at_start) and all(codes_at_end):
                    continue
                for side in (*codes_at_start, *codes_at_end):
                    side.discard(code)
                transpositions.append(Transposition(start, end, a.types[code], 2))
    return Edits(
        substitutions=substitutions(unmatched, a.types),
        transpositions=tuple(sorted(transpositions)),
    )


def _best_edits(a: Segmentation, b: Segmentation, costs: TypeCosts) -> Edits:
    """Return the edits that make B largest, with equal boundaries matched.

    1 − B is the cost of the edits divided by the number of edits and matches. Such a fraction is
    minimised by a sequence of linear problems (Dinkelbach 1967). If λ is its current value,
    matching two boundaries saves their cost as additions, less the cost of the pair, less λ. The
    matching that saves most gives the next λ, until λ no longer falls.
    """
    size = len(a.types)
    one, other = (s.positions * size + s.type_codes for s in (a, b))
    matches = len(np.intersect1d(one, other))
    (p, x), (q, y) = (
        np.divmod(np.setdiff1d(codes, other_codes), size)
        for codes, other_codes in ((one, other), (other, one))
    )
    low = np.searchsorted(q, p - costs.n_t, side="right")
    counts = np.searchsorted(q, p + costs.n_t, side="left") - low
    i = np.repeat(np.arange(len(p)), counts)
    j = places_within(counts) + np.repeat(low, counts)
    crossed = np.abs(p[i] - q[j])
    alike = (crossed == 0) | (costs.apart[x[i], y[j]] < 1)
    i = i[alike]
    j = j[alike]
    crossed = crossed[alike]
    saved = costs.alone[x[i]] + costs.alone[y[j]] - costs.of_pairs(x[i], y[j], crossed)
    everything = costs.alone[x].sum() + costs.alone[y].sum()
    number = len(p) + len(q) + matches
    chosen = np.zeros(0, np.int64)
    worst = everything / max(number, 1)
    while len(i):
        matching = _best_matching(i, j, saved - worst)
        value = (everything - saved[matching].sum()) / (number - len(matching))
        if value >= worst - 1e-12:
            break
        chosen = matching
        worst = value
    names = a.types
    near = []
    full = []
    for k in chosen.tolist():
        first_boundary = (int(p[i[k]]), names[x[i[k]]])
        second_boundary = (int(q[j[k]]), names[y[j[k]]])
        if first_boundary[0] == second_boundary[0]:
            full.append(Substitution(first_boundary[0], first_boundary[1], second_boundary[1]))
        else:
            start, end = sorted((first_boundary[0], second_boundary[0]))
            if first_boundary[1] == second_boundary[1]:
                changed = None
            else:
                changed = second_boundary[1]
            near.append(Transposition(start, end, first_boundary[1], 2, changed))
    for k in np.setdiff1d(np.arange(len(p)), i[chosen]).tolist():
        full.append(Substitution(int(p[k]), names[x[k]], None))
    for k in np.setdiff1d(np.arange(len(q)), j[chosen]).tolist():
        full.append(Substitution(int(q[k]), None, names[y[k]]))
    full.sort(key=lambda edit: edit.position)
    near.sort(key=lambda edit: edit[:3])
    return Edits(substitutions=tuple(full), transpositions=tuple(near))


def _best_matching(i: Indices, j: Indices, saved: Floats) -> Indices:
    """Return the numbers of the sorted pairs (i, j) in the matching that saves most.

    Only neighbours can be paired, so that the pairs fall into independent stretches. They are
    solved in small groups, as the time of a solver grows with the square of its input.
    """
    paying = np.flatnonzero(saved > 1e-12)
    i = i[paying]
    j = j[paying]
    saved = saved[paying]
    ahead = np.minimum.accumulate(j[::-1])[::-1][1:]
    cuts = np.flatnonzero((i[1:] > i[:-1]) & (np.maximum.accumulate(j)[:-1] < ahead)) + 1
    edges = [0]
    for cut in cuts.tolist():
        if cut - edges[-1] >= _AT_ONCE:
            edges.append(cut)
    matchings = [
        largest_matching(i[a:b], j[a:b], saved[a:b]) + a for a, b in pairwise([*edges, len(i)])
    ]
    best_pairs: Indices = paying[np.concatenate(matchings)]
    return best_pairs


def _similarity_of_counts(
    counts: Mapping[str, float], kind: str, list_edits: Callable[[], Edits]
) -> BoundarySimilarity:
    """Return B from the counts of `pair_kernels.pair_columns`, for boundaries of one type."""
    return BoundarySimilarity(
        matches={kind: int(counts["matches"])},
        full=int(counts["b_full"]),
        near=int(counts["b_near"]),
        penalty=counts["b_penalty"],
        least=counts["b_least"],
        found=list_edits,
    )


def _matches_by_type(a: Segmentation, b: Segmentation) -> dict[str, int]:
    """Return how many boundaries of each type are in both segmentations."""
    missed = [code for one, _ in differences(a, b).values() for code in one]
    return {n: len(a.of_type(n)) - missed.count(code) for code, n in enumerate(a.types)}
