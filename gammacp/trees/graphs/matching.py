"""The best matching of the nodes of two graphs, proven: an integer linear program.

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
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Status
from gammacp.base.arrays import Floats, Indices
from gammacp.base.stopping import abandoned, clock, due
from gammacp.trees.measures.annotations import MeaningGraph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Limits of the search: successive assignments, exchanges that are tried at a time, starting points.
_STEPS = 30
_TRIED = 20
_STARTS = 15
_PATIENCE = 1.0
_CLOSE = 1e-6


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
        """Return whether the matching is proven to be the best."""
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
        Whether to branch (scipy's HiGHS) where the linear relaxation and a search leave anything
        open.
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
    bound = program.simple
    if program.value(x) < bound:
        relaxed, limit = _solve(program, -1, deadline, whole=False)
        bound = math.floor(min(bound, limit + _CLOSE))
        x = program.search(x if relaxed is None else relaxed, bound, deadline)
    if branches and (matched := program.value(x)) < bound and not due(deadline):
        solution, limit = _solve(program, matched, deadline, whole=True)
        if solution is not None:
            x = solution
        bound = math.floor(min(bound, limit + _CLOSE))
    matched = program.value(x)
    partner = np.full(a.n_nodes, -1, np.int64)
    i, j = program.nodes[x > 0.5].T
    partner[i] = j
    return GraphMatching(tuple(partner.tolist()), matched, max(matched, bound))


@dataclass(frozen=True)
class _MatchingProgram:
    """The integer program: candidate pairs of nodes and of relations, gains and constraints.

    Attributes
    ----------
    shape
        Numbers of nodes of the two graphs.
    nodes, gain
        Candidate pairs of nodes, those that can gain anything, shape (x, 2), and for each the
        number of properties that its two nodes share.
    ends
        For each candidate pair of relations, the indices in `nodes` of the pair of their starts and
        of the pair of their ends: shape (y, 2).
    rows, most
        Constraints: rows · (x, y) ≤ most.
    simple
        Simple upper bound: the number of triples with equal labels.
    """

    shape: tuple[int, int]
    nodes: Indices
    gain: Indices
    ends: Indices
    rows: csr_array
    most: Floats
    simple: int

    @staticmethod
    def of(a: MeaningGraph, b: MeaningGraph) -> _MatchingProgram:
        """Return the program for two graphs."""
        from scipy.sparse import csr_array

        gains: dict[tuple[int, int], int] = {}
        holders: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for j, *property_of_node in sorted(b.properties):
            holders[property_of_node[0], property_of_node[1]].append(j)
        for i, *property_of_node in sorted(a.properties):
            for j in holders[property_of_node[0], property_of_node[1]]:
                gains[i, j] = gains.get((i, j), 0) + 1
        first = sorted(a.relations)
        second = sorted(b.relations)
        both = [
            (e, f, (i, j), (k, m))
            for e, (i, role, k) in enumerate(first)
            for f, (j, other, m) in enumerate(second)
            if role == other and (i == k) == (j == m)
        ]
        for _, _, start, end in both:
            gains.setdefault(start, 0)
            gains.setdefault(end, 0)
        place = {pair: x for x, pair in enumerate(sorted(gains))}
        sums: defaultdict[tuple[str, int, int], list[int]] = defaultdict(list)
        for (i, j), x in place.items():
            sums["first", i, -1].append(x)
            sums["second", j, -1].append(x)
        for y, (e, f, start, end) in enumerate(both, len(place)):
            for which, pair in (("start", place[start]), ("end", place[end])):
                sums[f"first {which}", e, pair].append(y)
                sums[f"second {which}", f, pair].append(y)
        # Drop duplicate rows, which arise from relations with a single candidate.
        rows = list(dict.fromkeys((pair, *columns) for (_, _, pair), columns in sums.items()))
        cells = [(r, c, -1.0 if k == 0 else 1.0) for r, row in enumerate(rows)
                 for k, c in enumerate(row) if c >= 0]  # fmt: skip
        r, c, weight = np.array(cells).reshape(-1, 3).T
        shape = (len(rows), len(place) + len(both))
        ends = [(place[start], place[end]) for _, _, start, end in both]
        return _MatchingProgram(
            (a.n_nodes, b.n_nodes),
            np.array(list(place), np.int64).reshape(-1, 2),
            np.array([gains[pair] for pair in place], np.int64),
            np.array(ends, np.int64).reshape(-1, 2),
            csr_array((weight, (r.astype(np.int32), c.astype(np.int32))), shape=shape),
            np.array([float(row[0] < 0) for row in rows]),
            (_labels(a) & _labels(b)).total(),
        )

    @property
    def objective(self) -> Floats:
        """Return the coefficients of x and y in the objective."""
        return np.concatenate((self.gain, np.ones(len(self.ends))))

    def value(self, x: Floats) -> int:
        """Count the triples that agree under a matching."""
        chosen = x > 0.5
        return int(self.gain[chosen].sum() + chosen[self.ends].all(axis=1).sum())

    def worth(self, x: Floats) -> Floats:
        """Return the gain of each pair of nodes if the pairs of x stay, as a matrix.

        The last row and the last column, which stand for "no node", are 0.
        """
        start, end = self.ends.T
        beside = np.bincount(start, x[end], len(x)) + np.bincount(end, x[start], len(x))
        return self._table(self.gain + beside, 0.0)

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

        Each assignment maximises the gains beside the pairs of the one before; it ends when nothing
        is gained.
        """
        from scipy.optimize import linear_sum_assignment

        best = np.zeros(len(x))
        most = -1
        for _ in range(_STEPS):
            chosen = np.zeros(self.shape)
            chosen[linear_sum_assignment(self.worth(x)[:-1, :-1], maximize=True)] = 1
            x = chosen[tuple(self.nodes.T)]
            if self.value(x) <= most:
                break
            best = x
            most = self.value(x)
        return best

    def exchange(self, x: Floats) -> Floats:
        """Improve a matching by giving a node another partner.

        If that partner has a node already, the two nodes exchange their partners. The gain of every
        such change is estimated, and the `_TRIED` most promising ones are tried, until none of them
        improves the matching.
        """
        (i, j), (n, m) = self.nodes.T, self.shape
        place = self._table(np.arange(len(x)), -1).astype(np.int64)
        most = self.value(x)
        improved = True
        while improved:
            chosen = np.flatnonzero(x > 0.5)
            partner = np.full(n + 1, m)
            owner = np.full(m + 1, n)
            partner[i[chosen]] = j[chosen]
            owner[j[chosen]] = i[chosen]
            worth = self.worth(x)
            old_partner = partner[i]
            rival = owner[j]
            gain = worth[i, j] - worth[i, old_partner] + worth[rival, old_partner] - worth[rival, j]
            gain[chosen] = -np.inf
            improved = False
            for pair in np.argsort(-gain, kind="stable")[:_TRIED]:
                other = x.copy()
                other[
                    [
                        p
                        for p in (place[i[pair], old_partner[pair]], place[rival[pair], j[pair]])
                        if p >= 0
                    ]
                ] = 0
                other[[p for p in (pair, place[rival[pair], old_partner[pair]]) if p >= 0]] = 1
                if improved := self.value(other) > most:
                    x = other
                    most = self.value(other)
                    break
        return x

    def search(self, x: Floats, bound: int, deadline: float) -> Floats:
        """Return the best matching found from x and from random points near it.

        The search ends early when a matching reaches the bound.
        """
        random = np.random.default_rng(0)
        best = self.climb(np.zeros(len(x)))
        near = x
        for _ in range(_STARTS):
            climbed = self.exchange(self.climb(near))
            best = max(best, climbed, key=self.value)
            if self.value(best) >= bound or due(deadline):
                break
            near = x + 0.5 * random.random(len(x))
        return best


def _labels(graph: MeaningGraph) -> Counter[tuple[str, ...]]:
    return Counter(
        [(role, value) for _, role, value in graph.properties]
        + [(role,) for _, role, _ in graph.relations]
    )


def _solve(
    program: _MatchingProgram, matched: int, deadline: float, *, whole: bool
) -> tuple[Floats | None, float]:
    """Solve the program or its relaxation with scipy's HiGHS; return x and an upper bound.

    With `whole`, x is integral and only solutions with more than `matched` triples are sought. x is
    None if no solution was found.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    gain = program.objective
    n = len(program.nodes)
    constraints = [LinearConstraint(program.rows, -np.inf, program.most)]
    if whole:
        constraints.append(LinearConstraint(gain[None], matched + 1, np.inf))
    options: Any = {"mip_rel_gap": 0.0}
    if deadline < math.inf:
        options["time_limit"] = max(deadline - clock(), 1e-3)
    result = abandoned(
        lambda: milp(
            -gain,
            integrality=(np.arange(len(gain)) < n * whole).astype(np.int64),
            bounds=Bounds(0, 1),
            constraints=constraints,
            options=options,
        ),
        deadline + _PATIENCE,
    )
    if result is None:
        return None, math.inf
    if result.status == 2:
        return None, matched
    if whole:
        bound = result.mip_dual_bound
    elif result.status == 0:
        bound = result.fun
    else:
        bound = None
    return (None if result.x is None else result.x[:n]), math.inf if bound is None else -bound
