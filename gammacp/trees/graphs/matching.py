"""Proven best matching of the nodes of two meaning graphs (exact Smatch), by integer programming.

In the program, x[i, j] is 1 if node i of one graph is matched with node j of the other, and y[e, f]
is 1 if relation e is matched with f. Each node has at most one partner. Every triple that both
graphs then share counts 1 (Cai & Knight 2013, §3).

Their program bounds each pair of relations by y ≤ x. Here one row bounds all f that start in j
together, Σ_f y[e, f] ≤ x[i, j]; ends of relations, and the relations of the other graph, have such
rows, too. At most one f can match e, so that no matching is excluded. The linear relaxation becomes
so tight that its optimum, rounded down, nearly always is the optimum of the program.

Matchings are found by a search that starts at the x of the relaxation, and at random points near
it. A linear assignment maximises what each pair would gain if all others stayed as they are, and is
repeated while that helps; then partners are exchanged. Only if no matching found reaches the
rounded optimum of the relaxation is the program solved by branch and bound, within the time limit.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Status
from gammacp.base.arrays import Floats, Indices
from gammacp.base.stopping import abandoned, clock, due
from gammacp.trees.measures.annotations import MeaningGraph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_MOST_ASSIGNMENTS = 30  # Successive linear assignments from one starting point.
_EXCHANGES_TRIED = 20  # Exchanges of partners that are tried before another estimate.
_STARTING_POINTS = 15
_OVERRUN_SECONDS = 1.0  # HiGHS is given up so long after the deadline.
_SOLVER_TOLERANCE = 1e-6  # Bounds of the solver may be too low by so much.
_INFEASIBLE = 2  # Status of scipy's `milp`.


@dataclass(frozen=True)
class GraphMatching:
    """Matching of the nodes of two graphs, with the number of triples that agree.

    Attributes
    ----------
    partner
        For each node of the first graph its partner in the second one, or −1.
    matched
        Number of triples that agree.
    bound
        Upper bound for the number of triples that agree in any matching; equal to `matched` if that
        is proven to be the largest.
    """

    partner: tuple[int, ...]
    matched: int
    bound: int

    @property
    def status(self) -> Status:
        """Return OPTIMAL if the matching is proven to be the best, otherwise FEASIBLE."""
        if self.matched == self.bound:
            return Status.OPTIMAL
        return Status.FEASIBLE


def best_matching(
    a: MeaningGraph, b: MeaningGraph, *, branches: bool = True, time_limit: float | None = None
) -> GraphMatching:
    """Return the matching of nodes under which most triples of two graphs agree.

    Parameters
    ----------
    a, b
        The graphs.
    branches
        Whether to prove the optimum by branch and bound (scipy's HiGHS) if the linear relaxation
        and a search do not.
    time_limit
        Wall-clock seconds > 0; None for no limit.

    Raises
    ------
    UsageError
        The time limit is not positive.

    >>> top = (0, "top", "top")
    >>> dog, cat = (frozenset({(0, "instance", x), top}) for x in ("dog", "cat"))
    >>> a, b = MeaningGraph(("d",), dog, frozenset()), MeaningGraph(("c",), cat, frozenset())
    >>> best_matching(a, b).matched
    1
    """
    deadline = Limits(time_limit=time_limit).deadline()
    program = _MatchingProgram.of(a, b)
    x = program.climb(np.zeros(len(program.nodes)))
    bound = program.label_bound
    if program.value(x) < bound:
        relaxed, limit = _solve(program, -1, deadline, integral=False)
        bound = math.floor(min(bound, limit + _SOLVER_TOLERANCE))
        x = program.search(x, x if relaxed is None else relaxed, bound, deadline)
    matched = program.value(x)
    if branches and matched < bound and not due(deadline):
        solution, limit = _solve(program, matched, deadline, integral=True)
        if solution is not None:
            x = solution
        bound = math.floor(min(bound, limit + _SOLVER_TOLERANCE))
    matched = program.value(x)
    partner = np.full(a.n_nodes, -1, np.int64)
    i, j = program.nodes[x > 0.5].T
    partner[i] = j
    return GraphMatching(tuple(partner.tolist()), matched, max(matched, bound))


Pair: TypeAlias = tuple[int, int]


class _RelationPair(NamedTuple):
    """Two relations, one of each graph, that agree if their starts and their ends are matched.

    Attributes
    ----------
    first, second
        Numbers of the relations.
    start, end
        Pair of their starts, and pair of their ends.
    """

    first: int
    second: int
    start: Pair
    end: Pair


class _Constraint(NamedTuple):
    """The sum of the variables in `columns` is at most 1, or at most the variable `limit`."""

    columns: tuple[int, ...]
    limit: int | None


@dataclass(frozen=True)
class _MatchingProgram:
    """The integer program: candidate pairs of nodes and of relations, gains and constraints.

    Attributes
    ----------
    shape
        Numbers of nodes of the two graphs.
    nodes, n_shared
        Candidate pairs of nodes, those that can gain anything, shape (x, 2), and for each the
        number of properties that its two nodes share.
    relation_ends
        For each candidate pair of relations, the indices in `nodes` of the pair of their starts and
        of the pair of their ends: shape (y, 2).
    coefficients, limits
        Constraints: coefficients · (x, y) ≤ limits.
    label_bound
        Upper bound of the number of triples that agree: the number of triples with equal labels.
    """

    shape: tuple[int, int]
    nodes: Indices
    n_shared: Indices
    relation_ends: Indices
    coefficients: csr_array
    limits: Floats
    label_bound: int

    @staticmethod
    def of(a: MeaningGraph, b: MeaningGraph) -> _MatchingProgram:
        """Return the program for two graphs.

        Parameters
        ----------
        a, b
            The graphs.
        """
        n_shared = _shared_properties(a, b)
        relation_pairs = _relation_pairs(a, b)
        for pair in relation_pairs:
            n_shared.setdefault(pair.start, 0)
            n_shared.setdefault(pair.end, 0)
        column_of = {pair: x for x, pair in enumerate(sorted(n_shared))}
        constraints = _constraints(column_of, relation_pairs)
        ends = [(column_of[pair.start], column_of[pair.end]) for pair in relation_pairs]
        return _MatchingProgram(
            shape=(a.n_nodes, b.n_nodes),
            nodes=np.array(list(column_of), np.int64).reshape(-1, 2),
            n_shared=np.array([n_shared[pair] for pair in column_of], np.int64),
            relation_ends=np.array(ends, np.int64).reshape(-1, 2),
            coefficients=_matrix(constraints, len(column_of) + len(relation_pairs)),
            limits=np.array([1.0 if c.limit is None else 0.0 for c in constraints]),
            label_bound=(_labels(a) & _labels(b)).total(),
        )

    @property
    def objective(self) -> Floats:
        """Return the coefficients of x and y in the objective."""
        return np.concatenate((self.n_shared, np.ones(len(self.relation_ends))))

    def value(self, x: Floats) -> int:
        """Count the triples that agree under a matching."""
        chosen = x > 0.5
        return int(self.n_shared[chosen].sum() + chosen[self.relation_ends].all(axis=1).sum())

    def marginal_gains(self, x: Floats) -> Floats:
        """Return the gain of each pair of nodes if the pairs of x stay, as a matrix.

        The last row and the last column, which stand for "no node", are 0.
        """
        start, end = self.relation_ends.T
        beside = np.bincount(start, x[end], len(x)) + np.bincount(end, x[start], len(x))
        return self._table(self.n_shared + beside, 0.0)

    def _table(self, values: Floats | Indices, other: float) -> Floats:
        """Arrange values of the candidate pairs as a matrix of nodes.

        The last row and the last column stand for "no node". They, and all pairs that are no
        candidates, get the value `other`.
        """
        table = np.full((self.shape[0] + 1, self.shape[1] + 1), other)
        table[tuple(self.nodes.T)] = values
        return table

    def climb(self, x: Floats) -> Floats:
        """Return a matching found by repeated linear assignment from x, which may be fractional.

        Each assignment maximises the gains that pairs have given the previous one; it ends when
        nothing is gained.
        """
        from scipy.optimize import linear_sum_assignment

        best = np.zeros(len(x))
        most = -1
        for _ in range(_MOST_ASSIGNMENTS):
            chosen = np.zeros(self.shape)
            chosen[linear_sum_assignment(self.marginal_gains(x)[:-1, :-1], maximize=True)] = 1
            x = chosen[tuple(self.nodes.T)]
            if self.value(x) <= most:
                break
            best = x
            most = self.value(x)
        return best

    def exchange(self, x: Floats) -> Floats:
        """Improve a matching by giving a node another partner.

        If that partner has a node already, the two nodes exchange their partners. The gain of every
        such change is estimated, and the most promising ones (`_EXCHANGES_TRIED`) are tried, until
        none of them improves the matching.
        """
        i, j = self.nodes.T
        n, m = self.shape
        column_of = self._table(np.arange(len(x)), -1).astype(np.int64)
        most = self.value(x)
        improved = True
        while improved:
            chosen = np.flatnonzero(x > 0.5)
            partner = np.full(n + 1, m)
            owner = np.full(m + 1, n)
            partner[i[chosen]] = j[chosen]
            owner[j[chosen]] = i[chosen]
            old_partner = partner[i]
            old_owner = owner[j]
            # Node i leaves its old partner for j, and the old owner of j takes the old partner.
            gains = self.marginal_gains(x)
            estimate = (
                gains[i, j]
                - gains[i, old_partner]
                + gains[old_owner, old_partner]
                - gains[old_owner, j]
            )
            estimate[chosen] = -np.inf
            improved = False
            for pair in np.argsort(-estimate, kind="stable")[:_EXCHANGES_TRIED]:
                # Columns are −1 if a node of a pair is "no node", or the pair is no candidate.
                dropped = (
                    column_of[i[pair], old_partner[pair]],
                    column_of[old_owner[pair], j[pair]],
                )
                added = (pair, column_of[old_owner[pair], old_partner[pair]])
                changed = x.copy()
                changed[[column for column in dropped if column >= 0]] = 0
                changed[[column for column in added if column >= 0]] = 1
                improved = self.value(changed) > most
                if improved:
                    x = changed
                    most = self.value(changed)
                    break
        return x

    def search(self, matching: Floats, x: Floats, bound: int, deadline: float) -> Floats:
        """Return the best matching found from x and from random points near it.

        The search ends early when a matching reaches the bound.

        Parameters
        ----------
        matching
            Matching that is already known.
        x
            Point to start from, which may be fractional.
        bound
            Upper bound of the value of a matching.
        deadline
            Time at which to end.
        """
        rng = np.random.default_rng(0)
        best = matching
        start = x
        for _ in range(_STARTING_POINTS):
            climbed = self.exchange(self.climb(start))
            best = max(best, climbed, key=self.value)
            if self.value(best) >= bound or due(deadline):
                break
            start = x + 0.5 * rng.random(len(x))
        return best


def _shared_properties(a: MeaningGraph, b: MeaningGraph) -> dict[Pair, int]:
    """Return the number of common properties of each pair of nodes that have any."""
    nodes_with: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for j, role, value in sorted(b.properties):
        nodes_with[role, value].append(j)
    n_shared: dict[Pair, int] = {}
    for i, role, value in sorted(a.properties):
        for j in nodes_with[role, value]:
            n_shared[i, j] = n_shared.get((i, j), 0) + 1
    return n_shared


def _relation_pairs(a: MeaningGraph, b: MeaningGraph) -> list[_RelationPair]:
    """Return the pairs of relations of one role; a relation to its own start matches only such."""
    second = sorted(b.relations)
    pairs = []
    for e, (i, role, k) in enumerate(sorted(a.relations)):
        for f, (j, other_role, m) in enumerate(second):
            if role == other_role and (i == k) == (j == m):
                pairs.append(_RelationPair(e, f, (i, j), (k, m)))
    return pairs


def _constraints(
    column_of: dict[Pair, int], relation_pairs: list[_RelationPair]
) -> list[_Constraint]:
    """Return the constraints on pairs of nodes (the first columns) and then of relations."""
    columns: defaultdict[tuple[str, int, int | None], list[int]] = defaultdict(list)
    # Each node has at most one partner.
    for (i, j), x in column_of.items():
        columns["first", i, None].append(x)
        columns["second", j, None].append(x)
    # A relation has at most one partner whose start is matched with its start; so for ends.
    for y, pair in enumerate(relation_pairs, len(column_of)):
        start = column_of[pair.start]
        end = column_of[pair.end]
        columns["first start", pair.first, start].append(y)
        columns["second start", pair.second, start].append(y)
        columns["first end", pair.first, end].append(y)
        columns["second end", pair.second, end].append(y)
    constraints = [_Constraint(tuple(c), limit) for (_, _, limit), c in columns.items()]
    # Drop duplicates, which arise from relations with a single candidate.
    return list(dict.fromkeys(constraints))


def _matrix(constraints: list[_Constraint], n_columns: int) -> csr_array:
    """Return the coefficients of the constraints, with limits that are variables subtracted."""
    from scipy.sparse import csr_array

    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for row, constraint in enumerate(constraints):
        if constraint.limit is not None:
            rows.append(row)
            columns.append(constraint.limit)
            values.append(-1.0)
        rows.extend([row] * len(constraint.columns))
        columns.extend(constraint.columns)
        values.extend([1.0] * len(constraint.columns))
    cells = (np.array(values), (np.array(rows, np.int32), np.array(columns, np.int32)))
    return csr_array(cells, shape=(len(constraints), n_columns))


def _labels(graph: MeaningGraph) -> Counter[tuple[str, ...]]:
    return Counter(
        [(role, value) for _, role, value in graph.properties]
        + [(role,) for _, role, _ in graph.relations]
    )


def _solve(
    program: _MatchingProgram, matched: int, deadline: float, *, integral: bool
) -> tuple[Floats | None, float]:
    """Solve the program or its relaxation with scipy's HiGHS; return x and an upper bound.

    Parameters
    ----------
    program
        The program.
    matched
        With `integral`, only solutions with more triples are sought.
    deadline
        Time at which to end.
    integral
        Whether x must be integral. Otherwise the relaxation is solved, and x may be fractional.

    Returns
    -------
    x
        Solution; None if none was found.
    bound
        Upper bound of the number of triples that agree in any matching with more than `matched`.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    objective = program.objective
    n_nodes = len(program.nodes)
    constraints = [LinearConstraint(program.coefficients, -np.inf, program.limits)]
    # With x integral, y is integral by itself.
    integrality = np.zeros(len(objective), np.int64)
    if integral:
        integrality[:n_nodes] = 1
        constraints.append(LinearConstraint(objective[None], matched + 1, np.inf))
    options: Any = {"mip_rel_gap": 0.0}
    if deadline < math.inf:
        options["time_limit"] = max(deadline - clock(), 1e-3)
    result = abandoned(
        lambda: milp(
            -objective,
            integrality=integrality,
            bounds=Bounds(0, 1),
            constraints=constraints,
            options=options,
        ),
        deadline + _OVERRUN_SECONDS,
    )
    if result is None:
        return None, math.inf
    if result.status == _INFEASIBLE:
        # No matching has more than `matched` triples.
        return None, matched
    negative_bound = None
    if integral:
        negative_bound = result.mip_dual_bound
    elif result.status == 0:
        negative_bound = result.fun
    bound = math.inf if negative_bound is None else -negative_bound
    x = None if result.x is None else result.x[:n_nodes]
    return x, bound
