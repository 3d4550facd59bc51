"""The best matching of the nodes of two graphs, proven: an integer linear program.

x[i, j] says that node i of one graph is node j of the other, y[e, f] that relation e is f. Each
node has at most one partner; every triple that both have then counts 1 (Cai & Knight 2013, §3).
Where their program has y ≤ x for each pair of relations, here all f that start in j share one row,
Σ_f y[e, f] ≤ x[i, j], and so for ends and for the other graph: at most one f can be e, so that
nothing is lost, and the linear relaxation is so tight that its whole part nearly always is the
optimum.

Matchings come from the relaxation's x, and from places near it, by linear assignments, each of what
a pair would gain beside the pairs of the one before, and by exchanging partners. Only where none
has as many triples as the whole part of the relaxation do branches decide, in the time there is.
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

# Of searching: assignments in a row, exchanges tried, starts.
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
        Triples that agree.
    bound
        No matching has more; `matched` where that is proven.
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
    program = _Program.of(a, b)
    x = program.climb(np.zeros(len(program.nodes)))
    bound = program.simple
    if program.value(x) < bound:
        relaxed, limit = _solve(program, -1, deadline, whole=False)
        bound = math.floor(min(bound, limit + _CLOSE))
        x = program.search(x if relaxed is None else relaxed, bound, deadline)
    if branches and (matched := program.value(x)) < bound and not due(deadline):
        found, limit = _solve(program, matched, deadline, whole=True)
        if found is not None:
            x = found
        bound = math.floor(min(bound, limit + _CLOSE))
    matched = program.value(x)
    partner = np.full(a.n_nodes, -1, np.int64)
    i, j = program.nodes[x > 0.5].T
    partner[i] = j
    return GraphMatching(tuple(partner.tolist()), matched, max(matched, bound))


@dataclass(frozen=True)
class _Program:
    """Candidate pairs of nodes and of relations, what they gain, and the rows that bind them.

    Attributes
    ----------
    shape
        Nodes of the two graphs.
    nodes, gain
        Pairs of nodes that can gain anything, shape (x, 2), and their common properties.
    ends
        The places in `nodes` of the starts and the ends of pairs of relations: shape (y, 2).
    rows, most
        Σ rows · (x, y) ≤ most.
    simple
        No more triples have equal labels.
    """

    shape: tuple[int, int]
    nodes: Indices
    gain: Indices
    ends: Indices
    rows: csr_array
    most: Floats
    simple: int

    @staticmethod
    def of(a: MeaningGraph, b: MeaningGraph) -> _Program:
        """Return the program of two graphs."""
        from scipy.sparse import csr_array

        gains: dict[tuple[int, int], int] = {}
        holders: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for j, *said in sorted(b.properties):
            holders[said[0], said[1]].append(j)
        for i, *said in sorted(a.properties):
            for j in holders[said[0], said[1]]:
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
        # Equal rows come from relations without a rival.
        rows = list(dict.fromkeys((pair, *columns) for (_, _, pair), columns in sums.items()))
        cells = [(r, c, -1.0 if k == 0 else 1.0) for r, row in enumerate(rows)
                 for k, c in enumerate(row) if c >= 0]  # fmt: skip
        r, c, weight = np.array(cells).reshape(-1, 3).T
        shape = (len(rows), len(place) + len(both))
        ends = [(place[start], place[end]) for _, _, start, end in both]
        return _Program(
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
        """Return the gains of x and y."""
        return np.concatenate((self.gain, np.ones(len(self.ends))))

    def value(self, x: Floats) -> int:
        """Count the triples that agree under a matching."""
        chosen = x > 0.5
        return int(self.gain[chosen].sum() + chosen[self.ends].all(axis=1).sum())

    def worth(self, x: Floats) -> Floats:
        """Return the gain of each pair of nodes beside those of x; 0 in a last row and column."""
        start, end = self.ends.T
        beside = np.bincount(start, x[end], len(x)) + np.bincount(end, x[start], len(x))
        return self._table(self.gain + beside, 0.0)

    def _table(self, values: Floats | Indices, other: float) -> Floats:
        """Values of the candidate pairs as a matrix with a row and a column for no node."""
        found = np.full((self.shape[0] + 1, self.shape[1] + 1), other)
        found[tuple(self.nodes.T)] = values
        return found

    def climb(self, x: Floats) -> Floats:
        """Return a matching from shares of pairs, by assignments while they gain."""
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
        """Find a matching in which no node gains by another partner, with whom it changes its own.

        What a change gains is estimated for all, and tried for the `_TRIED` best ones.
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
            left = partner[i]
            rival = owner[j]
            gain = worth[i, j] - worth[i, left] + worth[rival, left] - worth[rival, j]
            gain[chosen] = -np.inf
            improved = False
            for pair in np.argsort(-gain, kind="stable")[:_TRIED]:
                other = x.copy()
                other[
                    [p for p in (place[i[pair], left[pair]], place[rival[pair], j[pair]]) if p >= 0]
                ] = 0
                other[[p for p in (pair, place[rival[pair], left[pair]]) if p >= 0]] = 1
                if improved := self.value(other) > most:
                    x = other
                    most = self.value(other)
                    break
        return x

    def search(self, x: Floats, bound: int, deadline: float) -> Floats:
        """Return the best of matchings from x and from places near it; ends at the bound."""
        random = np.random.default_rng(0)
        best = self.climb(np.zeros(len(x)))
        near = x
        for _ in range(_STARTS):
            found = self.exchange(self.climb(near))
            best = max(best, found, key=self.value)
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
    program: _Program, matched: int, deadline: float, *, whole: bool
) -> tuple[Floats | None, float]:
    """Return scipy's HiGHS; `whole`: in whole numbers, better than `matched`."""
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
