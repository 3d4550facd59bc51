"""The alignment problem as a graph, and the contract of its solvers.

Units are vertices of an n-partite graph. An edge (u, v) carries w(u, v) = Δ − d(u, v). A group is
a set of units with at most one per annotator whose pairs are all edges; it costs

    cost(G) = opening − Σ_{pairs of G} w,        opening = Δ·C(n, 2) for γ,

which is C(n, 2) times the disorder of the unitary alignment (Mathet et al. 2015, §4.5, eq. 6: every
pair with an empty unit costs Δ). The best alignment is the cheapest partition into groups.
Two groups A, B are worth merging iff Σ_{u∈A, v∈B} w(u, v) + opening ≥ 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from gammacp.alignment.kernels.records import Columns, Graph
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.errors import DataError


class Status(StrEnum):
    """Knowledge about a solution; never a silent heuristic.

    CP-SAT alone proves nothing: what only it calls optimal is `UNCHECKED`, with a bound that does
    not rest on it.
    """

    OPTIMAL = "optimal"
    UNCHECKED = "by CP-SAT, unchecked"
    FEASIBLE = "feasible"


class GroupRules(Protocol):
    """Rules on groups beyond their pairs (`constraints.rules`): a solver keeps them or is refused.

    Groups are rows of units, shape (groups, annotators), −1 where the unit is empty.
    """

    @property
    def hereditary(self) -> bool:
        """Return whether splitting a group breaks none of them."""
        ...

    @property
    def excludes(self) -> bool:
        """Return whether two groups may exclude each other."""
        ...

    @property
    def largest(self) -> int:
        """Return the most units of a group."""
        ...

    @property
    def names(self) -> str:
        """Return the kinds of constraints, for messages."""
        ...

    @property
    def linked_table(self) -> Codes:
        """Return groups of units that must be together."""
        ...

    def keep(self, problem: Problem, columns: Columns) -> Columns:
        """Return those columns that are groups that may be."""
        ...

    def allowed_groups(self, groups: Codes) -> Bools:
        """Return which groups may be."""
        ...

    def allowed_both(self, first: Codes, second: Codes) -> Bools:
        """Return which two groups, beside each other, may be in one alignment."""
        ...

    def excluding(self, groups: Codes, others: Codes | None = None) -> Bools:
        """Return which groups exclude which others, or each other; those that share a unit do."""
        ...

    def order_of_two(self) -> Indices | None:
        """Return places of units if the rule on two groups is that two annotators keep these."""
        ...


@dataclass(frozen=True, eq=False)
class Problem:
    """Graph of units that may be aligned with each other, and what each pair earns.

    Attributes
    ----------
    annotator
        Annotator's code of each unit, ascending, shape (units,).
    n_annotators
        n, those without units included.
    first, second, weight
        Candidate pairs: rows first < second of different annotators and w = Δ − d; shape (pairs,).
        A pair that is not listed is never aligned.
    opening
        Cost of opening a group; Δ·C(n, 2) for γ, (Δ − λ)·C(n, 2) in Dinkelbach's iterations.
    delta
        Δ.
    cover
        Soft γ: each unit in at least one group instead of exactly one.
    rank
        Place of each unit by position (start, end, row); default: the rows' own order. Neighbours
        in rank should be neighbours in the graph, and ties between optima are broken by it.
    rules
        Rules that groups must keep beyond their pairs; None for no rules.
    reuse
        Cost of a unit of a cover for each further group that it is in.
    """

    annotator: Codes
    n_annotators: int
    first: Codes
    second: Codes
    weight: Floats
    opening: float
    delta: float = 1.0
    cover: bool = False
    rank: Codes | None = None
    rules: GroupRules | None = None
    reuse: float = 0.0

    @cached_property
    def ranks(self) -> Codes:
        """`rank`, or its default."""
        if self.rank is None:
            return np.arange(self.n_units, dtype=np.int32)
        return self.rank

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.annotator)

    @property
    def cover_cost(self) -> float | None:
        """Largest price of a unit in a cover, and what covering it again costs beside its price.

        A further group costs a unit `reuse`, so that its share of a group's cost is at least −reuse
        and its price, the opening less that share, at most this. None in a partition.
        """
        if self.cover:
            return self.opening + self.reuse
        return None

    @property
    def highest_price(self) -> float:
        """`cover_cost`; infinite in a partition."""
        if self.cover_cost is None:
            return np.inf
        return self.cover_cost

    @property
    def scale(self) -> float:
        """Unit of tolerances; the opening may be 0 or less in Dinkelbach's iterations."""
        return max(self.opening, self.delta)

    @property
    def tolerance(self) -> float:
        """Costs that differ by less count as equal: 1e-10 of what a group costs at most."""
        return 1e-10 * self.scale

    @property
    def slack(self) -> float:
        """Difference of objective and bound that a proof may leave.

        1e-8 of Δ in the disorder (Σ cost = disorder·C(n, 2)·units/n, opening = Δ·C(n, 2)), or
        `tolerance` per unit if that is more.
        """
        disorder = 1e-8 * self.scale / max(self.n_annotators, 1)
        return max(disorder, self.tolerance) * max(self.n_units, 1)

    @cached_property
    def graph(self) -> Graph:
        """The pairs from both sides, sorted by row and neighbour."""
        from gammacp.alignment.kernels.pairs import adjacency

        rows = adjacency(self.n_units, self.first, self.second, self.weight)
        # Kernels are compiled once for arrays that can be written to, and once for such as cannot.
        annotator = self.annotator.view()
        annotator.flags.writeable = False
        return Graph(annotator, self.n_annotators, *rows)


class Certificate(NamedTuple):
    """Basis for breaking ties: groups with their gains, and the dual prices of the units.

    Prices are ≥ 0 and, but for rounding, no group that is listed gains more than those of its
    units. Of a solution that is optimal, no group that is missing here could be in a best
    alignment, if it is `whole`.
    """

    columns: Columns
    price: Floats
    whole: bool = True


class Effort(NamedTuple):
    """Work of an alignment: the same on any machine, as nothing of it is timed.

    Attributes
    ----------
    work
        Elementary steps of all kernels and solvers, about a billion in a second of one core.
    nodes
        States of search trees, those of CP-SAT and HiGHS included.
    rounds
        Number of times that prices were found anew (linear programs, diffusion, steps of
        relaxations), or columns packed.
    columns_listed, columns_kept
        Groups of two and more units that were listed or generated, and those of them that the last
        stage had to choose from. None where nothing is listed, as for two annotators.
    prices_by
        Name of the stage that the prices of the units come from.
    proved_by
        Name of the stage that closed the proof; None if the alignment is not proven.
    """

    work: int
    nodes: int
    rounds: int
    columns_listed: int | None = None
    columns_kept: int | None = None
    prices_by: str | None = None
    proved_by: str | None = None


class Proof(NamedTuple):
    """Basis of a bound, for whoever checks it (`certificate`).

    Attributes
    ----------
    price
        ≥ 0, of each unit. No group at all gains more than the prices of its units, but for rounding
        and groups that a profitable split beats: Σ (opening − price) is a bound.
    matrix
        Source of the prices, if that is a relaxation: no search could check it.
    delta
        The smaller Δ that it is a proof at, if it is not that of the alignment. Alignments cost no
        less at a larger Δ, so the bound holds there as well.
    pooled
        Whether positions are left out, so that units of one annotator and category are alike.
    """

    price: Floats
    matrix: RelaxedMatrix | None = None
    delta: float | None = None
    pooled: bool = False


class RelaxedMatrix(NamedTuple):
    """Basis of shares of a semidefinite relaxation, in units of the opening.

    Attributes
    ----------
    units
        Units that are relaxed, ascending; pairs of the others are paid by matchings.
    matrix
        Symmetric, positive semidefinite once a little is added to the diagonal; its first row is
        beside the units' own.
    border
        Factor of the first row.
    rows
        Multipliers of each unit's inequality with each annotator, shape (units, annotators).
    triangles, multiplier
        Rows of `units`, apex first, and their multipliers.
    """

    units: Indices
    matrix: Floats
    border: float
    rows: Floats
    triangles: Codes
    multiplier: Floats


@dataclass(frozen=True, eq=False)
class Solution:
    """Groups with what is known about them.

    Attributes
    ----------
    groups
        int32, shape (groups, annotators): rows of units, −1 where the unit is empty.
    objective
        Σ cost(G), in double precision from the weights.
    bound
        No alignment costs less; equal to the objective when it is proven.
    status
        `optimal` when objective − bound is within the problem's `slack`; otherwise `feasible`, or
        `by CP-SAT, unchecked`.
    certificate
        Groups and prices, from back-ends that have them; ties are broken with it.
    proof
        Prices that no group at all beats, from back-ends that have them.
    first
        Whether ties are broken: the solution is the first of all that are as good (`ties`).
    """

    groups: Codes
    objective: float
    bound: float
    status: Status
    certificate: Certificate | None = None
    first: bool = False
    proof: Proof | None = None

    @property
    def gap(self) -> float:
        """(objective − bound) / |objective|; 0 when proven."""
        if self.status is Status.OPTIMAL:
            return 0.0
        return (self.objective - self.bound) / max(abs(self.objective), 1e-300)


def no_alignment(problem: Problem) -> DataError:
    """Return the error for a problem whose rules no alignment keeps.

    Parameters
    ----------
    problem
        A problem with `rules`.
    """
    names = "" if problem.rules is None else problem.rules.names
    return DataError(
        f"no alignment keeps {names} on these {problem.n_units} units",
        hint="Leave one of the constraints out",
    )


def group_costs(problem: Problem, groups: Codes) -> Floats:
    """cost(G) of each group; ∞ where a pair is no edge. Shape (groups,)."""
    from gammacp.alignment.kernels.pairs import group_weights

    weights = group_weights(groups, problem.graph)
    return np.asarray(problem.opening - weights)


def total_cost(problem: Problem, groups: Codes) -> float:
    """Σ cost(G), and what units in several groups pay."""
    total = float(group_costs(problem, groups).sum())
    if not problem.reuse:
        return total
    again = int((groups >= 0).sum()) - problem.n_units
    return total + problem.reuse * again


def solution(
    problem: Problem,
    groups: Codes,
    bound: float,
    certificate: Certificate | None = None,
    proof: Proof | None = None,
    told: float = -np.inf,
) -> Solution:
    """Return the solution with its objective recomputed; optimal if the bound meets it.

    `bound` may lie above the objective by rounding; it is cut to it. `told` is a bound for which
    there is CP-SAT's word only.
    """
    objective = total_cost(problem, groups)
    if problem.opening >= problem.delta * problem.n_annotators * (problem.n_annotators - 1) / 2:
        bound = max(bound, 0.0)  # No group costs less than nothing: w ≤ Δ.
    return judged(groups, objective, bound, problem.slack, certificate, proof, told)


def judged(
    groups: Codes,
    objective: float,
    bound: float,
    slack: float,
    certificate: Certificate | None,
    proof: Proof | None,
    told: float = -np.inf,
) -> Solution:
    """Return the solution of that objective; optimal if the bound meets it but for the slack."""
    proven = bound >= objective - slack
    if told >= objective - slack:
        open_status = Status.UNCHECKED
    else:
        open_status = Status.FEASIBLE
    return Solution(
        groups,
        objective,
        objective if proven else bound,
        Status.OPTIMAL if proven else open_status,
        certificate,
        proof=proof,
    )
