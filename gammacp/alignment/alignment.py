"""`Alignment`: groups of a continuum with their costs, as objects, graph and table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.alignment.problem import Effort, Proof, Status
from gammacp.base.arrays import Codes, Floats
from gammacp.base.lazy import Plotted
from gammacp.base.record_tables import record_of
from gammacp.continuum import Continuum, Unit
from gammacp.dissimilarity.base import BoundDissimilarity, UnitColumns, unit_columns

if TYPE_CHECKING:
    import networkx
    from pandas import DataFrame

    from gammacp.base.pictures import Picture


# Share of the disorder that a proof may leave open without a note.
OPEN_SHARE = 1e-4


@dataclass(frozen=True, slots=True)
class UnitaryAlignment:
    """Group of at most one unit per annotator, with the mean disorder of its pairs (2015, §4.5).

    `units` maps each annotator's name to a unit, or to None for the empty unit.
    """

    disorder: float
    units: Mapping[str, Unit | None]


@dataclass(frozen=True, eq=False)
class Alignment(Plotted):
    """The best alignment that was found, proven to be the best (`status`) or with a bound.

    Attributes
    ----------
    groups
        int32, shape (unitary alignments, annotators): rows of the continuum's units, −1 empty.
    disorder
        Sum of the disorders of the unitary alignments, divided by x̄.
    bound
        Proven lower bound of the disorder of any alignment; equal to `disorder` when `status` is
        optimal.
    method
        The solver's name.
    cover
        Whether a unit may be in several unitary alignments (soft γ).
    tolerance
        Smallest difference of costs that the proof can tell apart.
    first
        Whether the alignment is known to be the first of all that have this disorder. The order
        (see `align`) depends neither on the solver nor on names. If false, an equally good
        alignment may come before this one.
    proof
        Prices that prove the bound, as `certificate` writes them. None if there are no prices, and
        for small documents of a corpus, whose proof `certificate` finds again.
    effort
        Work that the search took; None if several documents were aligned together.
    constraints
        Rules that the alignment had to keep; the bound holds for alignments that keep them.
    reuse
        Share of (n − 1)·Δ that a unit of a cover costs in each further unitary alignment.
    """

    continuum: Continuum
    dissimilarity: BoundDissimilarity
    groups: Codes
    disorder: float
    bound: float
    status: Status
    method: str
    cover: bool = False
    first: bool = False
    tolerance: float = 0.0
    proof: Proof | None = None
    effort: Effort | None = None
    constraints: tuple[Any, ...] = ()
    reuse: float = 0.0

    def __len__(self) -> int:
        """Return the number of unitary alignments."""
        return len(self.groups)

    def __eq__(self, other: object) -> bool:
        """Return whether groups, continuum, cost and proof are the same."""
        if not isinstance(other, Alignment):
            return NotImplemented
        return (
            self.as_dict() == other.as_dict()
            and (self.cover, self.reuse) == (other.cover, other.reuse)
            and self.dissimilarity.delta == other.dissimilarity.delta
            and self.continuum == other.continuum
            and np.array_equal(self.groups, other.groups)
        )

    def __hash__(self) -> int:
        """Return a hash that is consistent with `==`."""
        return hash((self.disorder, self.bound, self.groups.tobytes()))

    def __repr__(self) -> str:
        """Return the disorder, status and size in one line."""
        return (
            f"Alignment({len(self)} unitary alignments, disorder {self.disorder:.6g}, "
            f"{self.status}, bound {self.bound:.6g})"
        )

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("alignment", self)

    def _picture(self, width: float) -> Picture:
        """Draw a lane per annotator, with the units of each unitary alignment joined."""
        from gammacp.alignment.figure import picture_of

        return picture_of(self, width)

    @property
    def gap(self) -> float:
        """Relative gap (disorder − bound) / disorder; 0 if the alignment is proven."""
        if self.disorder > 0:
            return (self.disorder - self.bound) / self.disorder
        return 0.0

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences about what the proof leaves open; none for the first best alignment."""
        if self.status is Status.UNCHECKED:
            return ("the best alignment by CP-SAT alone, which nothing else could check",)
        if self.status is not Status.OPTIMAL:
            return ("not proven to be the best alignment",)
        notes: tuple[str, ...] = ()
        if self.disorder > 0 and self.tolerance > OPEN_SHARE * self.disorder:
            share = self.tolerance / self.disorder
            notes = (f"proven to within {share:.2g} of the disorder, which is far below Δ",)
        if not self.first and self.constraints:
            notes += (
                "another alignment that keeps the constraints may be as good: ties are not broken",
            )
        elif not self.first:
            notes += (
                "another alignment may be as good: ties are not broken in the time, or too many",
            )
        return notes

    @property
    def is_certifiable(self) -> bool:
        """True if a certificate can prove the bound; constraints may prevent that.

        No checker knows constraints yet. So with constraints the bound can be certified only if the
        alignment that keeps them is also the best one without them.
        """
        return not self.constraints or self.proof is not None

    def as_dict(self) -> dict[str, Any]:
        """Return the alignment as the JSON object of its certificate."""
        record = record_of(self, "disorder bound status method first tolerance")
        if self.constraints:
            record["constraints"] = [str(each) for each in self.constraints]
            if not self.is_certifiable:
                record["certificate"] = "none"
        return record

    @cached_property
    def pair_costs(self) -> Floats:
        """Return d of every pair of annotators in every group, shape (groups, C(n, 2)).

        Pairs are in the order of `numpy.triu_indices`. The cost is Δ if a unit is empty.
        """
        return self.costs_of(self.groups)

    def costs_of(self, groups: Codes) -> Floats:
        """Return d of every pair of annotators in the given groups, like `pair_costs`.

        Parameters
        ----------
        groups
            Rows of units, shape (groups, annotators), −1 where the unit is empty.
        """
        return costs_of_pairs(groups, unit_columns(self.continuum), self.dissimilarity)

    @cached_property
    def disorders(self) -> Floats:
        """Disorder of each unitary alignment, shape (groups,)."""
        return np.asarray(self.pair_costs.mean(axis=1))

    @cached_property
    def unitary_alignments(self) -> tuple[UnitaryAlignment, ...]:
        """The groups as objects, in order of their position in the continuum."""
        names = self.continuum.annotators
        return tuple(
            UnitaryAlignment(
                float(disorder),
                {
                    name: None if row < 0 else self.continuum.unit(int(row))
                    for name, row in zip(names, group, strict=True)
                },
            )
            for disorder, group in zip(self.disorders, self.groups, strict=True)
        )

    def to_frame(self) -> DataFrame:
        """Return a pandas table: a row per unit, with its unitary alignment and that disorder."""
        from pandas import DataFrame

        rows = [
            (g, unitary.disorder, unit.annotator, unit.category, unit.start, unit.end)
            for g, unitary in enumerate(self.unitary_alignments)
            for unit in unitary.units.values()
            if unit is not None
        ]
        names = ["unitary_alignment", "disorder", "annotator", "category", "start", "end"]
        return DataFrame(rows, columns=names)

    def to_networkx(self) -> networkx.Graph[int]:
        """Return a graph: units (annotator, category, start, end), aligned pairs (weight d)."""
        import networkx

        graph: networkx.Graph[int] = networkx.Graph(disorder=self.disorder, bound=self.bound)
        for row, unit in enumerate(self.continuum):
            graph.add_node(row, **record_of(unit, "annotator category start end"))
        i, j = np.triu_indices(self.continuum.n_annotators, 1)
        for g, group in enumerate(self.groups):
            for p, (u, v) in enumerate(zip(group[i].tolist(), group[j].tolist(), strict=True)):
                if u >= 0 and v >= 0:
                    d = float(self.pair_costs[g, p])
                    graph.add_edge(u, v, dissimilarity=d, unitary_alignment=g)
        return graph


def costs_of_pairs(groups: Codes, units: UnitColumns, dissimilarity: BoundDissimilarity) -> Floats:
    """Return d of every pair in every group, Δ where a unit is empty; shape (groups, C(n, 2)).

    Parameters
    ----------
    groups
        Rows of `units`, shape (groups, annotators), −1 where the unit is empty.
    units
        Units of one continuum, or of several, one after the other.
    dissimilarity
        Dissimilarity that is bound to their continuum or corpus.
    """
    i, j = np.triu_indices(groups.shape[1], 1)
    first = groups[:, i]
    second = groups[:, j]
    both = (first >= 0) & (second >= 0)
    costs = np.full(first.shape, dissimilarity.delta, np.float64)
    costs[both] = dissimilarity.pairwise(units[first[both]], units[second[both]])
    return costs
