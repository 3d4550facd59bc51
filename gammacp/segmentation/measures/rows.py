"""All codings of a corpus as one array of boundaries, and the comparison of all pairs of coders.

Each pair is compared once, in compiled code if there is one boundary type. Values, means and
coefficients are sums over columns of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np

from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.errors import UsageError
from gammacp.segmentation.measures.comparison import CorrectedSimilarity, Criterion, Mode
from gammacp.segmentation.measures.edits import EditSearch
from gammacp.segmentation.measures.value import Segmentation
from gammacp.segmentation.measures.windows import window

# Measures of a pair of codings, with each coder in turn as the reference.
COLUMNS = ("s", "b", "windowdiff", "pk", "ghd", "precision", "recall", "f")


@dataclass(frozen=True, eq=False)
class Rows:
    """The codings of some items, one row each.

    Attributes
    ----------
    item, coder
        Item and coder of each row; shape (rows,).
    masses
        Base units of each row.
    places, offsets
        Places with a boundary, each once, row after row; row r has those from `offsets[r]` to
        before `offsets[r + 1]`.
    held
        Type codes at each place; empty if there is only one type.
    types
        Boundary types.
    """

    item: Indices
    coder: tuple[str, ...]
    masses: Indices
    places: Indices
    offsets: Indices
    held: tuple[tuple[int, ...], ...]
    types: tuple[str, ...]

    @classmethod
    def of(cls, codings: Mapping[str, Mapping[str, Segmentation]], types: tuple[str, ...]) -> Rows:
        """Return the rows of all items, in the order of the items and of their coders."""
        listed = [(i, c, s) for i, coders in enumerate(codings.values()) for c, s in coders.items()]
        parts = [s.places for _, _, s in listed]
        held: list[tuple[int, ...]] = []
        for _, _, s in listed if len(types) > 1 else ():
            starts = np.searchsorted(s.positions, [*s.places, s.mass])
            held += [tuple(s.type_codes[i:j].tolist()) for i, j in pairwise(starts)]
        return cls(
            item=np.array([i for i, _, _ in listed], np.int64),
            coder=tuple(c for _, c, _ in listed),
            masses=np.array([s.mass for _, _, s in listed], np.int64),
            places=np.concatenate([*parts, np.zeros(0, np.int64)]),
            offsets=np.concatenate(([0], np.cumsum([len(p) for p in parts], dtype=np.int64))),
            held=tuple(held),
            types=types,
        )

    @property
    def sizes(self) -> Indices:
        """Return the number of places with a boundary in each row."""
        return np.diff(self.offsets)

    @cached_property
    def boundary_counts(self) -> Indices:
        """Return the number of boundaries of each type in each row, shape (rows, types)."""
        if len(self.types) == 1:
            return self.sizes[:, None]
        codes = np.array([code for held in self.held for code in held], np.int64)
        rows = np.repeat(np.arange(len(self.masses)), self.sizes)
        rows = np.repeat(rows, [len(held) for held in self.held])
        counts = np.zeros((len(self.masses), len(self.types)), np.int64)
        np.add.at(counts, (rows, codes), 1)
        return counts

    @cached_property
    def pairs(self) -> tuple[Indices, Indices]:
        """Return the first and the second row of all pairs of codings of one item."""
        starts = np.searchsorted(self.item, np.arange(self.item.max(initial=-1) + 2))
        row_pairs = [p for i, j in pairwise(starts) for p in combinations(range(i, j), 2)]
        columns = np.array(row_pairs, np.int64).reshape(-1, 2)
        return columns[:, 0].copy(), columns[:, 1].copy()

    @classmethod
    def join(cls, parts: Sequence[Rows]) -> Rows:
        """Concatenate the rows of several corpora with the same types."""
        sizes = np.concatenate([part.sizes for part in parts])
        return replace(
            parts[0],
            item=np.concatenate([part.item for part in parts]),
            coder=tuple(coder for part in parts for coder in part.coder),
            masses=np.concatenate([part.masses for part in parts]),
            places=np.concatenate([part.places for part in parts]),
            offsets=np.concatenate(([0], np.cumsum(sizes))),
            held=tuple(held for part in parts for held in part.held),
        )

    def placing(self, place: Callable[[Indices, int], Iterable[int]]) -> Rows:
        """Return rows of the same items with boundaries of the first type where `place` puts them.

        `place` is called with the places of each row and its mass, and returns new places, sorted.
        """
        bounds = zip(self.offsets, self.offsets[1:], self.masses.tolist(), strict=False)
        rows = [list(place(self.places[i:j], mass)) for i, j, mass in bounds]
        places = np.array([p for row in rows for p in row], np.int64)
        return replace(
            self,
            places=places,
            offsets=np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64))),
            held=((0,),) * len(places) if len(self.types) > 1 else (),
        )

    def segmentation(self, row: int) -> Segmentation:
        """Return the coding of a row."""
        inside = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        places = self.places[inside].tolist()
        positions: dict[str, list[int]] = {name: [] for name in self.types}
        for place, codes in zip(places, self.held[inside] or [(0,)] * len(places), strict=True):
            for code in codes:
                positions[self.types[code]].append(place)
        return Segmentation.from_typed(positions, mass=int(self.masses[row]), types=self.types)

    def shuffle(self, rng: np.random.Generator) -> Rows:
        """Permute the segments of each row, and its boundaries, at random."""
        rows = np.repeat(np.arange(len(self.masses)), self.sizes + 1)
        ends = np.insert(self.places, self.offsets[1:], self.masses)
        last = np.cumsum(self.sizes + 1) - 1
        lengths = np.diff(ends, prepend=0)
        lengths[last[:-1] + 1] = ends[last[:-1] + 1]
        lengths = lengths[np.lexsort((rng.random(len(rows)), rows))]
        reached = np.cumsum(lengths) - np.repeat(
            np.cumsum(self.masses) - self.masses, self.sizes + 1
        )
        held = self.held
        if held:
            owner = np.repeat(np.arange(len(self.masses)), self.sizes)
            held = tuple(held[i] for i in np.lexsort((rng.random(len(owner)), owner)))
        return replace(self, places=np.delete(reached, last), held=held)


@dataclass(frozen=True, eq=False)
class CodingPairs:
    """All pairs of codings of each item, compared; each pair once, the earlier coder first.

    Attributes
    ----------
    rows, comparison, pairs
        Rows, criterion of their comparison, and the first and second row of each pair.
    both, sided
        The columns `BOTH` and `SIDED` of `pair_kernels`, shapes (pairs, 10) and (pairs, 2, 6).
    """

    rows: Rows
    comparison: Criterion
    pairs: tuple[Indices, Indices]
    both: Floats
    sided: Floats

    @cached_property
    def item(self) -> Indices:
        """Return the item of each pair."""
        return self.rows.item[self.pairs[0]]

    @cached_property
    def potential(self) -> Floats:
        """Return PB, the number of potential boundaries, of each pair."""
        places = self.rows.masses[self.pairs[0]] - 1
        return (len(self.rows.types) * places).astype(np.float64)

    def column(self, name: str) -> Floats:
        """Return a column of `pair_kernels.BOTH`."""
        from gammacp.segmentation.measures.pair_kernels import BOTH

        return self.both[:, BOTH.index(name)]

    def parts(self, basis: CorrectedSimilarity) -> tuple[Floats, Floats]:
        """Return the numerator and the denominator of S or B of each pair."""
        if basis is CorrectedSimilarity.S:
            return self.potential - self.column("distance"), self.potential
        total = self.column("matches") + self.column("b_full") + self.column("b_near")
        return total - self.column("b_penalty"), total

    @property
    def misses(self) -> tuple[Floats, Floats]:
        """Return the numbers of full and near misses of each pair, in the edits of S or B."""
        if self.comparison.basis is CorrectedSimilarity.S:
            prefix = ""
        else:
            prefix = "b_"
        return self.column(f"{prefix}full"), self.column(f"{prefix}near")

    @property
    def suboptimal(self) -> Bools:
        """Return the pairs for which the search missed the best edits of S or B."""
        if self.comparison.basis is CorrectedSimilarity.S:
            return self.column("distance") > self.column("least") + 1e-9
        similar, total = self.parts(CorrectedSimilarity.B)
        return 1 - share(similar, total, 1.0) > self.column("b_least") + 1e-9

    @cached_property
    def values(self) -> dict[str, Floats]:
        """Return `COLUMNS` of each pair with either coder as the reference, shape (pairs, 2)."""
        first, second = self.pairs
        sizes = self.rows.boundary_counts.sum(axis=1)
        reference = np.stack((sizes[first], sizes[second]), axis=1)
        near = self.column("b_near")
        agreed = self.column("matches") + near - self.column("b_apart") / self.comparison.n
        # A near miss counts in part; the remaining part is no error (2013).
        missed = reference - (self.column("matches") + near)[:, None]
        hits = np.repeat(agreed[:, None], 2, axis=1)
        windows = self.sided
        similarities = {
            name: np.repeat(share(*self.parts(CorrectedSimilarity(name)), 1.0)[:, None], 2, axis=1)
            for name in CorrectedSimilarity
        }
        return similarities | {
            "windowdiff": 1 - share(windows[..., 1], windows[..., 0], np.nan),
            "pk": 1 - share(windows[..., 3], windows[..., 2], np.nan),
            "ghd": 1 - share(windows[..., 4], windows[..., 5], 0.0),
            "precision": share(hits, hits + missed[:, ::-1], np.nan),
            "recall": share(hits, hits + missed, np.nan),
            "f": share(2 * hits, 2 * hits + missed + missed[:, ::-1], np.nan),
        }


def compare_rows(
    rows: Rows, comparison: Criterion, pairs: tuple[Indices, Indices] | None = None
) -> CodingPairs:
    """Compare all pairs of codings of each item, or the given `pairs` of rows."""
    from gammacp.segmentation.measures.pair_kernels import all_pairs

    if len(rows.types) == 1 and comparison.categorial != "nominal":
        raise UsageError("categorial compares boundary types, but there is only one (see `typed=`)")
    substitution, transposition, te = comparison.costs.parts
    pairs = pairs or rows.pairs
    windows = window(comparison.windows)
    both, sided = all_pairs(
        rows.places,
        rows.offsets,
        rows.masses,
        *pairs,
        comparison.n,
        substitution,
        transposition,
        te,
        comparison.search is EditSearch.OPTIMAL,
        windows.size(rows.masses, rows.sizes + 1) - (comparison.mode is Mode.PUBLISHED),
        windows.padded,
    )
    sided[..., 0] += windows.more * (sided[..., 0] > 0)
    if len(rows.types) > 1:
        codings = [rows.segmentation(row) for row in range(len(rows.masses))]
        for p, (i, j) in enumerate(zip(*pairs, strict=True)):
            both[p] = comparison.columns_of_types(codings[i], codings[j])
    return CodingPairs(rows, comparison, pairs, both, sided)


def share(part: Floats, whole: Floats, empty: float) -> Floats:
    """Return part/whole; `empty` where `whole` is 0."""
    quotients: Floats = np.full(np.shape(whole), empty)
    return np.divide(part, whole, out=quotients, where=whole > 0)
