"""Sufficient statistics of one item: everything that the coefficients need of it.

They are computed once per item; pooling, groups and bootstrap only add them up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from gammacp.errors import DataError, UsageError
from gammacp.segmentation.boundary import boundary_similarity
from gammacp.segmentation.choices import Basis, EditSearch, Mode
from gammacp.segmentation.edits import EditCosts
from gammacp.segmentation.similarity import segmentation_similarity
from gammacp.segmentation.value import Segmentation
from gammacp.segmentation.windows import window_diff, window_size


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How two segmentations are compared.

    Attributes
    ----------
    basis
        S or B.
    n
        n of S, n_t of B.
    costs, search
        Weights and edit search of S. B knows only the transposition and substitution weights and
        the published search.
    mode
        Decides whether a coder's boundaries or segments count, and how WindowDiff is cut.
    """

    basis: Basis = Basis.S
    n: int = 2
    costs: EditCosts = field(default_factory=EditCosts)
    search: EditSearch = EditSearch.PUBLISHED
    mode: Mode = Mode.EQUATIONS

    def __post_init__(self) -> None:
        """Check what cannot be combined."""
        if self.basis is Basis.B and self.search is EditSearch.OPTIMAL:
            raise UsageError("edit 'optimal' is an edit of S; B has the published search only")


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two coders of an item compared: similarity, full and near misses."""

    similarity: float
    full: int
    near: int
    suboptimal: bool


@dataclass(frozen=True, kw_only=True)
class ItemStatistics:
    """One item, all its coders.

    Attributes
    ----------
    mass, types
        Base units; number of boundary types.
    placed
        Per coder and type how often it was chosen: boundaries, or in published mode segments.
    pairs
        Unordered pairs of coders.
    windowdiff
        1 − WindowDiff of ordered pairs (reference, hypothesis).
    """

    mass: int
    types: int
    placed: Mapping[str, tuple[int, ...]]
    pairs: Mapping[tuple[str, str], Pair]
    windowdiff: Mapping[tuple[str, str], float]

    @property
    def coders(self) -> tuple[str, ...]:
        """Coders in order."""
        return tuple(self.placed)

    @property
    def boundaries(self) -> int:
        """|b|: what all coders placed."""
        return sum(map(sum, self.placed.values()))

    @property
    def full(self) -> int:
        """Full misses of all pairs."""
        return sum(p.full for p in self.pairs.values())

    @property
    def near(self) -> int:
        """Near misses of all pairs."""
        return sum(p.near for p in self.pairs.values())

    @property
    def suboptimal(self) -> int:
        """Pairs for which the edit search found more than the cheapest edits."""
        return sum(p.suboptimal for p in self.pairs.values())


def item_statistics(
    item: str, coders: Mapping[str, Segmentation], comparison: Comparison
) -> ItemStatistics:
    """Compare all coders of an item; one coder alone is a DataError.

    Parameters
    ----------
    item
        Its name, for messages.
    coders
        Coder → segmentation.
    comparison
        Which similarity, and its weights.
    """
    if len(coders) < 2:
        raise DataError(
            f"item {item!r} is coded by {next(iter(coders), 'nobody')} only",
            hint="Agreement needs two coders of each item",
        )
    first = next(iter(coders.values()))
    segments = int(comparison.mode is Mode.PUBLISHED)
    return ItemStatistics(
        mass=first.mass,
        types=len(first.types),
        placed={
            coder: tuple(len(s.of_type(t)) + segments for t in s.types)
            for coder, s in coders.items()
        },
        pairs={
            (a, b): _compare(coders[a], coders[b], comparison) for a, b in combinations(coders, 2)
        },
        windowdiff={
            (a, b): 1 - coder_window_diff(coders[a], coders[b], comparison.mode)
            for a, b in permutations(coders, 2)
        },
    )


class Spread(NamedTuple):
    """Mean and population standard deviation of the defined values, and how many are undefined.

    Mean and sd are NaN where no value is defined.
    """

    mean: float
    sd: float
    undefined: int = 0


def spread(values: Iterable[float]) -> Spread:
    """The spread of values, NaN standing for an undefined one.

    >>> spread([0.5, 1.0, math.nan])
    Spread(mean=0.75, sd=0.25, undefined=1)
    """
    listed = list(values)
    defined = [v for v in listed if not math.isnan(v)]
    if not defined:
        return Spread(math.nan, math.nan, len(listed))
    return Spread(float(np.mean(defined)), float(np.std(defined)), len(listed) - len(defined))


def _compare(a: Segmentation, b: Segmentation, comparison: Comparison) -> Pair:
    if comparison.basis is Basis.B:
        found = boundary_similarity(
            a,
            b,
            n_t=comparison.n,
            substitution=comparison.costs.substitution,
            transposition=comparison.costs.transposition,
        )
        edits = found.edits
        return Pair(similarity=found.value, full=edits.full, near=edits.near, suboptimal=False)
    s = segmentation_similarity(
        a, b, n=comparison.n, costs=comparison.costs, search=comparison.search
    )
    return Pair(
        similarity=s.value,
        full=s.edits.full,
        near=s.edits.near,
        suboptimal=s.warning is not None,
    )


def coder_window_diff(reference: Segmentation, hypothesis: Segmentation, mode: Mode) -> float:
    """WindowDiff, in mode `published` with the windows of the published values.

    Those slide windows of k base units, which span k − 1 potential boundaries.
    """
    k = window_size(reference)
    return window_diff(reference, hypothesis, k=k - (mode is Mode.PUBLISHED))
