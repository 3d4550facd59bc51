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
    """Proof status of a solution: whether it is known to be the best.

    CP-SAT's word alone is no proof: a solution that only CP-SAT calls optimal is `UNCHECKED`, and
    its bound does not depend on CP-SAT.
    """

    OPTIMAL = "optimal"
    UNCHECKED = "by CP-SAT, unchecked"
    FEASIBLE = "feasible"


class GroupRules(Protocol):
    """Rules on groups beyond their pairs, as solvers see them (implemented in `constraints.rules`).

    A solver that cannot keep them is refused. Groups are rows of units, shape (groups, annotators),
    −1 where the unit is empty.
    """

    @property
    def hereditary(self) -> bool:
        """Return whether splitting a group never breaks a rule."""
        ...

    @property
    def excludes(self) -> bool:
        """Return whether two groups may exclude each other."""
        ...

    @property
    def largest(self) -> int:
        """Return the largest number of units in a group."""
        ...

    @property
    def names(self) -> str:
        """Return the kinds of constraints, for messages."""
        ...

    @property
    def linked_table(self) -> Codes:
        """Return the sets of units that must be in one group, as groups."""
        ...

    def keep(self, problem: Problem, columns: Columns) -> Columns:
        """Return the columns whose groups are allowed."""
        ...

    def allowed_groups(self, groups: Codes) -> Bools:
        """Return which groups are allowed."""
        ...

    def allowed_both(self, first: Codes, second: Codes) -> Bools:
        """Return for each row whether its group in `first` may be with that in `second`."""
        ...

    def excluding(self, groups: Codes, others: Codes | None = None) -> Bools:
        """Return a matrix of which groups exclude which others; sharing a unit excludes, too."""
        ...

    def order_of_two(self) -> Indices | None:
        """Return the rank of each unit if pairs only have to follow this order; otherwise None."""
        ...


@dataclass(frozen=True, eq=False)
class Problem:
    """Graph of units that may be aligned with each other, and what each pair earns.

    Attributes
    ----------
    annotator
        Annotator's code of each unit, ascending, shape (units,).
    n_annotators
        Number n of annotators, including those without units.
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
        Rank of each unit by position (start, end, row); by default, the order of the rows. Units
        that are close in rank should be close in the graph. Ties between optima are broken by it.
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
        """`rank`, or the order of the rows by default."""
        if self.rank is None:
            return np.arange(self.n_units, dtype=np.int32)
        return self.rank

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.annotator)

    @property
    def cover_cost(self) -> float | None:
        """Largest price that a unit of a cover needs: opening + `reuse`; None in a partition.

        Each further group that a unit is in costs `reuse`. So the unit's share of the cost of a
        group is at least −`reuse`, and its price, the opening minus that share, is at most
        opening + `reuse`.
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
        """Difference below which costs count as equal: 1e-10 of `scale`."""
        return 1e-10 * self.scale

    @property
    def slack(self) -> float:
        """Largest difference of objective and bound at which a solution counts as proven.

        1e-8 of Δ in the disorder (Σ cost = disorder·C(n, 2)·units/n, opening = Δ·C(n, 2)), or
        `tolerance` per unit if that is more.
        """
        disorder = 1e-8 * self.scale / max(self.n_annotators, 1)
        return max(disorder, self.tolerance) * max(self.n_units, 1)

    @cached_property
    def graph(self) -> Graph:
        """Adjacency of the units: each pair from both sides, sorted by row and neighbour."""
        from gammacp.alignment.kernels.pairs import adjacency

        rows = adjacency(self.n_units, self.first, self.second, self.weight)
        # Read-only at all times, as kernels are compiled separately for writable arrays.
        annotator = self.annotator.view()
        annotator.flags.writeable = False
        return Graph(annotator, self.n_annotators, *rows)


class TieCandidates(NamedTuple):
    """Groups that the best alignments can use, with dual prices of the units, to break ties.

    Prices are ≥ 0 and, up to rounding, no listed group gains more than the prices of its units.
    If the solution is optimal and the list is `complete`, it contains every group that a best
    alignment could use.
    """

    columns: Columns
    price: Floats
    complete: bool = True


class Effort(NamedTuple):
    """Amount of work for an alignment, in counts that do not depend on the machine.

    Attributes
    ----------
    work
        Elementary steps of all kernels and solvers; one core does about a billion per second.
    nodes
        Nodes of search trees, including those of CP-SAT and HiGHS.
    rounds
        Number of times that prices were computed (linear programs, diffusion, steps of
        relaxations) or columns were packed.
    columns_listed, columns_kept
        Number of groups of two or more units that were listed or generated, and number that the
        last stage had to choose from. None if no groups are listed, as with two annotators.
    prices_by
        Name of the stage that computed the prices of the units.
    proved_by
        Name of the stage that completed the proof; None if the alignment is not proven.
    """

    work: int
    nodes: int
    rounds: int
    columns_listed: int | None = None
    columns_kept: int | None = None
    prices_by: str | None = None
    proved_by: str | None = None


class Proof(NamedTuple):
    """Evidence for a bound, which a checker can verify (`certificate`).

    Attributes
    ----------
    price
        Price ≥ 0 of each unit. No group gains more than the prices of its units, except by rounding
        and except groups whose parts are cheaper, so that Σ (opening − price) is a lower bound.
    matrix
        Matrix of the semidefinite relaxation, if the prices are derived from one: a search could
        not check them.
    delta
        Smaller Δ for which the proof holds, if it is not that of the alignment. Alignments cost no
        less at a larger Δ, so the bound holds there as well.
    pooled
        Whether the proof ignores positions, so that units of one annotator and category are alike.
    """

    price: Floats
    matrix: RelaxedMatrix | None = None
    delta: float | None = None
    pooled: bool = False


class RelaxedMatrix(NamedTuple):
    """Dual solution of the semidefinite relaxation, in units of the opening.

    Attributes
    ----------
    units
        Units in the relaxation, ascending; matchings bound what the other pairs earn.
    matrix
        Symmetric matrix, positive semidefinite once a small number is added to its diagonal. It has
        an additional first row, the border; the other rows are those of the units.
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
    """Groups of an alignment, with their cost and a bound.

    Attributes
    ----------
    groups
        int32, shape (groups, annotators): rows of units, −1 where the unit is empty.
    objective
        Σ cost(G), in double precision from the weights.
    bound
        Lower bound on the cost of any alignment; equal to the objective if it is proven.
    status
        `optimal` when objective − bound is within the problem's `slack`; otherwise `feasible`, or
        `by CP-SAT, unchecked`.
    tie_candidates
        Groups among which ties are broken, from solvers that have prices.
    proof
        Prices that no group's gain exceeds, from solvers that have them.
    first
        Whether ties are broken: the solution is the first of all best ones (see `ties`).
    """

    groups: Codes
    objective: float
    bound: float
    status: Status
    tie_candidates: TieCandidates | None = None
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
    """Return cost(G) of each group, ∞ if a pair is no edge; shape (groups,)."""
    from gammacp.alignment.kernels.pairs import group_weights

    weights = group_weights(groups, problem.graph)
    return np.asarray(problem.opening - weights)


def total_cost(problem: Problem, groups: Codes) -> float:
    """Return Σ cost(G), plus `reuse` for each further group that a unit is in."""
    total = float(group_costs(problem, groups).sum())
    if not problem.reuse:
        return total
    again = int((groups >= 0).sum()) - problem.n_units
    return total + problem.reuse * again


def solution(
    problem: Problem,
    groups: Codes,
    bound: float,
    tie_candidates: TieCandidates | None = None,
    proof: Proof | None = None,
    unconfirmed_bound: float = -np.inf,
) -> Solution:
    """Return a solution with its objective computed from the groups; optimal if the bound meets it.

    `bound` may exceed the objective by rounding, and is then reduced to it. `unconfirmed_bound` is
    a bound that may rest on CP-SAT alone.
    """
    objective = total_cost(problem, groups)
    if problem.opening >= problem.delta * problem.n_annotators * (problem.n_annotators - 1) / 2:
        bound = max(bound, 0.0)  # No group costs less than nothing: w ≤ Δ.
    return solution_from_objective(
        groups, objective, bound, problem.slack, tie_candidates, proof, unconfirmed_bound
    )


def solution_from_objective(
    groups: Codes,
    objective: float,
    bound: float,
    slack: float,
    tie_candidates: TieCandidates | None,
    proof: Proof | None,
    unconfirmed_bound: float = -np.inf,
) -> Solution:
    """Return a solution with this objective; optimal if the bound is within the slack of it."""
    proven = bound >= objective - slack
    if unconfirmed_bound >= objective - slack:
        open_status = Status.UNCHECKED
    else:
        open_status = Status.FEASIBLE
    return Solution(
        groups,
        objective,
        objective if proven else bound,
        Status.OPTIMAL if proven else open_status,
        tie_candidates,
        proof=proof,
    )
