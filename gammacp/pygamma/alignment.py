"""Alignments of pygamma-agreement: lists of unitary alignments, which users can also build."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from sortedcontainers import SortedSet

from gammacp.alignment import Alignment as Native
from gammacp.alignment import Status
from gammacp.dissimilarity import bind
from gammacp.measures.gamma_cat import AlignedPairs, aligned_pairs

if TYPE_CHECKING:
    from gammacp.pygamma.continuum import Continuum
    from gammacp.pygamma.dissimilarity import AbstractDissimilarity


class SetPartitionError(Exception):
    """An alignment is not a partition of the units of its continuum."""


@dataclass(eq=False)
class UnitaryAlignment:
    """Pairs of annotator and unit (None for the empty unit), with their disorder once computed."""

    n_tuple: list[tuple[Any, Any]]
    _disorder: float | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        """The first start and the last end of the units."""
        segments = [unit.segment for _, unit in self.n_tuple if unit is not None]
        return min(s.start for s in segments), max(s.end for s in segments)

    @property
    def nb_units(self) -> int:
        """Number of units that are not empty."""
        return sum(unit is not None for _, unit in self.n_tuple)

    @property
    def disorder(self) -> float:
        """Mean dissimilarity of the pairs of units; raises a ValueError before it is computed."""
        if self._disorder is None:
            raise ValueError("Disorder hasn't been computed: call compute_disorder() first")
        return self._disorder

    def compute_disorder(self, dissimilarity: AbstractDissimilarity) -> float:
        """Compute the disorder by `dissimilarity`, divided by the mean number of units."""
        self._disorder = Alignment([self]).compute_disorder(dissimilarity)
        return self._disorder


class Alignment:
    """Unitary alignments, by default a partition of the units of a continuum.

    `bound` and `status` hold the proof of optimality if gammacp found the alignment, else None.
    """

    bound: float | None = None
    status: Status | None = None
    _once = True

    def __init__(
        self,
        unitary_alignments: Iterable[UnitaryAlignment],
        continuum: Continuum | None = None,
        check_validity: bool = False,
        disorder: float | None = None,
    ) -> None:
        """Raise SetPartitionError if `check_validity` is set and the units do not fit."""
        self.unitary_alignments = list(unitary_alignments)
        self.continuum = continuum
        self._disorder = disorder
        self._pairs: tuple[object, AlignedPairs, tuple[str, ...]] | None = None
        if check_validity:
            self.check()

    def __getitem__(self, index: int) -> UnitaryAlignment:
        """Return a unitary alignment."""
        return self.unitary_alignments[index]

    def __iter__(self) -> Iterator[UnitaryAlignment]:
        """Yield the unitary alignments."""
        return iter(self.unitary_alignments)

    def held(self) -> Continuum:
        """Return the continuum; if there is none, make one of the aligned units."""
        from gammacp.pygamma.continuum import Continuum

        if self.continuum is not None:
            return self.continuum
        continuum = Continuum()
        for annotator, unit in {pair for unitary in self for pair in unitary.n_tuple}:
            continuum.add_annotator(annotator)
            if unit is not None:
                continuum.add(annotator, unit.segment, unit.annotation)
        return continuum

    @property
    def annotators(self) -> Any:
        """Names of the annotators, as a SortedSet."""
        return SortedSet(annotator for annotator, _ in self.unitary_alignments[0].n_tuple)

    @property
    def categories(self) -> Any:
        """Return the categories of the continuum, or of the units, as a SortedSet."""
        return self.held().categories

    @property
    def avg_num_annotations_per_annotator(self) -> float:
        """Mean number of units per annotator (x̄) of the continuum, or of the aligned units."""
        return self.held().avg_num_annotations_per_annotator

    @property
    def num_unitary_alignments(self) -> int:
        """Return the number of unitary alignments."""
        return len(self.unitary_alignments)

    @property
    def num_annotators(self) -> int:
        """Return the number of annotators."""
        return len(self.unitary_alignments[0].n_tuple)

    @property
    def disorder(self) -> float:
        """Sum of the disorders of the unitary alignments, divided by x̄."""
        if self._disorder is None:
            total = math.fsum(unitary.disorder for unitary in self)
            self._disorder = total / self.avg_num_annotations_per_annotator
        return self._disorder

    def compute_disorder(self, dissimilarity: AbstractDissimilarity) -> float:
        """Recompute and return the disorder by `dissimilarity`, also of each unitary alignment."""
        disorders = dissimilarity.compute_disorder(self).tolist()
        for unitary, disorder in zip(self, disorders, strict=True):
            unitary._disorder = disorder
        self._disorder = None
        return self.disorder

    def native(self, dissimilarity: AbstractDissimilarity) -> Native:
        """Return the alignment as an object of gammacp, without a proof."""
        held = self.held()
        row = {pair: i for i, pair in enumerate(held)}
        tuples = [sorted(unitary.n_tuple, key=itemgetter(0)) for unitary in self]
        groups = np.array([[row.get(pair, -1) for pair in pairs] for pairs in tuples], np.int32)
        continuum = held.to_gammacp(dissimilarity.categories or ())
        bound = bind(dissimilarity, continuum)
        return Native(continuum, bound, groups, math.nan, 0.0, Status.FEASIBLE, "given")

    def gamma_k_disorder(self, dissimilarity: AbstractDissimilarity, category: Any = None) -> float:
        """Return δ_cat (Mathet 2017) over all aligned pairs, or those with a unit of `category`.

        It is NaN if there is no such pair. Raises a TypeError unless the dissimilarity combines
        positions and categories.
        """
        from gammacp.pygamma.dissimilarity import CombinedCategoricalDissimilarity

        if not isinstance(dissimilarity, CombinedCategoricalDissimilarity):
            raise TypeError("Gamma-k and gamma-cat need CombinedCategoricalDissimilarity")
        if self._pairs is None or self._pairs[0] is not dissimilarity:
            alignment = self.native(dissimilarity)
            parts = replace(dissimilarity.to_combined(), alpha=1.0, beta=1.0).bind(
                alignment.continuum
            )
            pairs = aligned_pairs(alignment.continuum, alignment.groups, parts)
            self._pairs = dissimilarity, pairs, alignment.continuum.categories
        _, pairs, names = self._pairs
        if category is not None and str(category) not in names:
            return math.nan
        return pairs.disorder(None if category is None else names.index(str(category)))

    def check(self, continuum: Continuum | None = None) -> None:
        """Raise SetPartitionError unless every unit of the continuum occurs exactly once."""
        if continuum is None:
            against = self.continuum
        else:
            against = continuum
        if against is None:
            raise ValueError("No continuum was set")
        if len({len(unitary.n_tuple) for unitary in self}) > 1:
            raise ValueError("Unitary alignments do not have the same number of annotators")
        counts = Counter(
            pair for unitary in self for pair in unitary.n_tuple if pair[1] is not None
        )
        wrong = [pair for pair in against if not counts[pair]]
        wrong += [pair for pair, count in counts.items() if count > 1 and self._once]
        if wrong:
            shown = ", ".join(f"{annotator}->{unit}" for annotator, unit in wrong)
            raise SetPartitionError(f"{shown}: not exactly once in the unitary alignments")


class SoftAlignment(Alignment):
    """Unitary alignments in which each unit occurs at least once."""

    _once = False
