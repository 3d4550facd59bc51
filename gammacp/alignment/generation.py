"""Column generation: the unitary alignments that matter, out of far too many to list.

A master LP over the groups generated so far prices the units; a branch and bound over annotators
finds groups that gain more than their units' prices; they join the master. Prices are smoothed
between the master's and the best so far (Wentges 1997), which keeps them from oscillating.

The certificate. Prices become feasible when the first unit of each group, its root, pays what its
groups lack; no alignment gains more than the sum of feasible prices. So every iteration has a
bound. Once bound and alignment at hand are close, all groups whose loss is within the gap are
enumerated: no better alignment can use another one, and the rest of the proof works on that list.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gammacp.alignment.groups import Columns, as_groups
from gammacp.alignment.local_search import as_columns, improve, shared_prices
from gammacp.alignment.lp import relax
from gammacp.alignment.problem import Problem, group_costs
from gammacp.alignment.solvers import Limits
from gammacp.alignment.stopping import due, watched
from gammacp.arrays import Codes, Floats

_PER_ROOT = 30
_MOST_NODES = 5_000_000
_MOST_LISTED = 10_000_000
_POOL = 30_000
_WORK = 3e8


@dataclass(frozen=True, eq=False)
class Generated:
    """What is left of the problem.

    Attributes
    ----------
    columns
        All groups that an alignment better than `groups` could use (when `complete`), or that an
        equally good one could (when the bound is met).
    price
        Prices that no group beats.
    groups
        The best alignment so far.
    bound
        No alignment gains more.
    """

    columns: Columns
    price: Floats
    groups: Codes
    bound: float
    complete: bool


@dataclass(frozen=True, eq=False)
class _Iterate:
    pool: Columns
    groups: Codes
    gain: float
    center: Floats
    bound: float
    smoothing: float = 0.5
    nodes: int = 50_000
    listed: int = 300_000
    converged: bool = False


def generate(problem: Problem, limits: Limits, deadline: float) -> Generated:
    """Generate columns until all that could matter are listed, the gap is reached or time is out.

    Ctrl-C ends it too: the best so far with its bound. If alignment and bound meet, the columns
    that an equally good alignment could use are listed.
    """
    groups = improve(problem)
    first = as_columns(problem, groups)
    center = shared_prices(problem, groups)
    state = _Iterate(first, groups, float(first.gain.sum()), center, np.inf, nodes=_nodes(problem))
    try:
        state = _priced(problem, state, center, deadline)
        while not _good_enough(problem, state, limits) and not due(deadline):
            listed = _listed(problem, state, deadline)
            if listed is not None:
                return Generated(listed, state.center, state.groups, state.bound, complete=True)
            if state.converged:
                break
            state = _iterated(problem, state, deadline)
    except (KeyboardInterrupt, TimeoutError):
        # What has been found so far, with its bound, is the answer.
        pass
    tight = None
    if state.bound - state.gain <= _slack(problem):
        tight = search(
            problem, state.center, -_slack(problem), limit=state.listed, deadline=deadline
        )[0]
    columns = state.pool if tight is None else tight
    return Generated(columns, state.center, state.groups, state.bound, complete=False)


def _slack(problem: Problem) -> float:
    return problem.tolerance * problem.n_units


def _nodes(problem: Problem) -> int:
    """Nodes per root that keep one pass of pricing to about a second."""
    return int(np.clip(_WORK / max(len(problem.first), 1), 20, 50_000))


def _good_enough(problem: Problem, state: _Iterate, limits: Limits) -> bool:
    cost = problem.n_units * problem.opening - state.gain
    gap = state.bound - state.gain
    return gap <= max(limits.gap * abs(cost), _slack(problem))


def _iterated(problem: Problem, state: _Iterate, deadline: float) -> _Iterate:
    cover_cost = problem.opening if problem.cover else None
    relaxed = relax(problem.n_units, state.pool, cover_cost, deadline=deadline)
    state = _rounded(problem, state, relaxed.value)
    state = _trimmed(state, relaxed.price)
    mixed = state.smoothing * state.center + (1 - state.smoothing) * relaxed.price
    size = len(state.pool)
    after = _priced(problem, state, mixed, deadline)
    new = after.pool.select(np.arange(size, len(after.pool)))
    if (_losses(new, relaxed.price) < -1e-9 * problem.opening).any():
        return replace(after, smoothing=0.5)
    # Nothing new for the master: come closer to its own prices, then search deeper and list more.
    if state.smoothing:
        return replace(after, smoothing=state.smoothing / 2 if state.smoothing > 0.1 else 0.0)
    if state.nodes < _MOST_NODES:
        return replace(after, nodes=10 * state.nodes, listed=min(10 * state.listed, _MOST_LISTED))
    return replace(after, listed=_MOST_LISTED, converged=True)


def _trimmed(state: _Iterate, price: Floats) -> _Iterate:
    """Without the columns that lose most, once there are many."""
    if len(state.pool) <= _POOL:
        return state
    losses = _losses(state.pool, price)
    kept = np.sort(np.argpartition(losses, _POOL // 2)[: _POOL // 2])
    return replace(state, pool=state.pool.select(kept))


def _priced(problem: Problem, state: _Iterate, price: Floats, deadline: float) -> _Iterate:
    if problem.cover:
        price = np.minimum(price, problem.opening)
    found, excess = search(
        problem,
        price,
        1e-9 * problem.opening,
        fraction=0.3,
        nodes=state.nodes,
        limit=_MOST_LISTED,
        deadline=deadline,
    )
    feasible = _feasible(problem, price, np.maximum(excess, 0.0))
    state = replace(state, pool=_joined(state.pool, found))
    bound = float(feasible.sum())
    return state if bound >= state.bound else replace(state, bound=bound, center=feasible)


def _feasible(problem: Problem, price: Floats, excess: Floats) -> Floats:
    """Prices that no group beats: each root pays what its groups lack.

    In a cover prices end at the opening, where a group costs nothing more, so that every unit pays
    what the worst group lacks, up to there.
    """
    if problem.cover:
        return np.asarray(np.minimum(price + excess.max(initial=0.0), problem.opening))
    return np.asarray(price + excess)


def search(
    problem: Problem,
    price: Floats,
    floor: float,
    *,
    fraction: float = -1.0,
    nodes: int = 2**62,
    limit: int = 300_000,
    deadline: float = np.inf,
) -> tuple[Columns | None, Floats]:
    """Groups with gain − Σ price > floor, and the excess of each root; see `price_groups`.

    At the deadline an enumeration (fraction < 0) ends with None, pricing with weaker excesses.
    """
    from gammacp.alignment.pricing_kernels import price_groups

    halted = np.zeros(1, np.bool_)
    begin, members, gain, excess, count = watched(
        lambda: price_groups(
            problem.annotator,
            problem.n_annotators,
            *problem.adjacency,
            price,
            problem.opening,
            floor,
            fraction,
            _PER_ROOT,
            nodes,
            limit,
            halted,
        ),
        lambda: halted.fill(True),
        deadline,
    )
    return (None if count < 0 else Columns(begin, members, gain)), excess


def _listed(problem: Problem, state: _Iterate, deadline: float) -> Columns | None:
    gap = state.bound - state.gain
    if gap > 3.0 * problem.opening and not state.converged:
        return None
    columns, _ = search(
        problem, state.center, -gap - problem.tolerance, limit=state.listed, deadline=deadline
    )
    return columns


def _rounded(problem: Problem, state: _Iterate, value: Floats) -> _Iterate:
    """The master's solution as an alignment, polished, if it is better than the one at hand."""
    if problem.cover:
        groups = as_groups(problem, state.pool, np.flatnonzero(value > 0.5))
    else:
        from gammacp.alignment.greedy_kernels import take_disjoint

        order = np.argsort(-value, kind="stable").astype(np.int64)
        order = order[value[order] > 0.01]
        taken = take_disjoint(problem.n_units, state.pool.begin, state.pool.members, order)
        groups = improve(problem, as_groups(problem, state.pool, taken))
    gain = problem.n_units * problem.opening - float(group_costs(problem, groups).sum())
    if gain <= state.gain + problem.tolerance:
        return state
    return replace(
        state, groups=groups, gain=gain, pool=_joined(state.pool, as_columns(problem, groups))
    )


def _losses(columns: Columns, price: Floats) -> Floats:
    if not len(columns):
        return np.zeros(0)
    return np.asarray(np.add.reduceat(price[columns.members], columns.begin[:-1]) - columns.gain)


def _joined(a: Columns, b: Columns | None) -> Columns:
    if b is None or not len(b):
        return a
    begin = np.concatenate((a.begin, b.begin[1:] + a.begin[-1]))
    return Columns(begin, np.concatenate((a.members, b.members)), np.concatenate((a.gain, b.gain)))
