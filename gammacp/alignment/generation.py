"""Column generation: the unitary alignments that matter, out of far too many to list.

A master LP over the groups generated so far tells which of them it uses, its support. The prices of
the units then are not the LP's own, an arbitrary corner of a vast face, but are kept where they
are and moved as little as feasibility asks for, within the space where each group of the support
just pays: groups that gain more than their prices are sought near the best alignment, and the
prices projected on what each of them demands (Agmon 1954, Motzkin and Schoenberg 1954). Once none
is found so, or the prices can satisfy no more of them without leaving the support, a branch and
bound over annotators prices all groups, and the master is solved again with what was found.

The certificate. Prices become feasible when the first unit of each group, its root, pays what its
groups lack; no alignment gains more than the sum of feasible prices. So every pricing has a
bound. Once bound and alignment at hand are close, all groups whose loss is within the gap are
enumerated: no better alignment can use another one, and the rest of the proof works on that list.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from gammacp.alignment.groups import Columns, as_groups
from gammacp.alignment.local_search import as_columns, improve, perturbed, shared_prices
from gammacp.alignment.lp import Relaxation, relax
from gammacp.alignment.pricing import MOST_LISTED, search
from gammacp.alignment.problem import Problem, group_costs
from gammacp.alignment.solvers import Limits
from gammacp.alignment.stopping import due, watched
from gammacp.alignment.support import Support, supported
from gammacp.arrays import Codes, Floats, Indices

_MOST_NODES = 5_000_000
_POOL = 8000
_PROBES = 30
_SWEEPS = 300
_TRIES = 4
_LARGE = 50_000
_NODES = 1000
_FEW_NODES = 30
_LEAST_STEP = 1e-3
_LISTED = 300_000
# Seconds for the best packing of the pool.
_SOON = 10.0
# Of `_scale`: what a group may lack after probing, when the gap is close enough to list groups, and
# what tells that probing leads nowhere.
_ENOUGH = 1e-6
_CLOSE = 0.05
_STALLED = 1e-3


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
    """Where the iteration is: `price` to go on from, `center` the feasible prices of `bound`."""

    pool: Columns
    groups: Codes
    gain: float
    price: Floats
    center: Floats
    support: Support
    bound: float = np.inf
    relaxed: float = 0.0
    step: float = 1.0
    near: bool = False
    converged: bool = False


def generate(problem: Problem, limits: Limits, deadline: float) -> Generated:
    """Generate columns until all that could matter are listed, the gap is reached or time is out.

    Ctrl-C ends it too: the best so far with its bound. If alignment and bound meet, the columns
    that an equally good alignment could use are listed.
    """
    groups = improve(problem, deadline=deadline)
    pool = as_columns(problem, groups)
    support, price = supported(
        problem.n_units, pool, np.ones(len(pool)), shared_prices(problem, groups)
    )
    gain = float(pool.gain.sum())
    state = _Iterate(pool, groups, gain, price, price, support, relaxed=gain)
    first = True
    try:
        while True:
            found = len(state.pool)
            state = _approached(problem, state, deadline)
            if first and not state.near and len(problem.first) >= _LARGE:
                state = _perturbed(problem, state, deadline)
            found = len(state.pool) - found
            if first or state.near or found < problem.n_units / 10:
                state = _priced(problem, state, deadline)
            first = False
            if state.converged and not _good_enough(problem, state, limits):
                state = _packed(problem, state, deadline)
            if _good_enough(problem, state, limits) or due(deadline):
                break
            listed = _listed(problem, state, deadline)
            if listed is not None:
                return Generated(listed, state.center, state.groups, state.bound, complete=True)
            if state.converged:
                break
            if not state.near:
                state = _mastered(problem, state, deadline)
    except TimeoutError:
        # What has been found so far, with its bound, is the answer.
        pass
    columns = state.pool
    if state.bound - state.gain <= _slack(problem):
        columns = _within(problem, state, _slack(problem), deadline) or columns
    return Generated(columns, state.center, state.groups, state.bound, complete=False)


def _scale(problem: Problem) -> float:
    """What tolerances refer to; the opening may be 0 or less in Dinkelbach's iterations."""
    return max(problem.opening, problem.delta)


def _slack(problem: Problem) -> float:
    return problem.tolerance * problem.n_units


def _good_enough(problem: Problem, state: _Iterate, limits: Limits) -> bool:
    cost = problem.n_units * problem.opening - state.gain
    gap = state.bound - state.gain
    return gap <= max(limits.gap * abs(cost), _slack(problem))


def _approached(problem: Problem, state: _Iterate, deadline: float) -> _Iterate:
    """Prices nearer to feasibility, and the groups that they were moved by.

    Not in a cover, whose prices also have an upper end, nor for the master's own prices.
    """
    from gammacp.alignment.projection_kernels import probe, sweep

    if problem.cover or state.step == 0.0:
        return replace(state, near=False)
    price, pool = state.price.copy(), state.pool
    enough = _ENOUGH * _scale(problem)
    group_of = np.empty(problem.n_units, np.int32)
    rows, annotators = np.nonzero(state.groups >= 0)
    group_of[state.groups[rows, annotators]] = rows
    halted = np.zeros(1, np.bool_)
    near = False
    for _ in range(_PROBES):
        left = sweep(price, pool.begin, pool.members, pool.gain, enough, _SWEEPS, state.support)
        if left > _STALLED * _scale(problem) or due(deadline):
            break
        begin, members, gain = watched(
            lambda: probe(
                problem.annotator,
                problem.n_annotators,
                *problem.adjacency,
                price,
                problem.opening,
                state.groups,
                group_of,
                enough,
                halted,
                state.support,
            ),
            lambda: halted.fill(True),
            deadline,
        )
        pool = _joined(pool, Columns(begin, members, gain))
        if not len(gain):
            near = left <= enough
            break
    return replace(state, price=np.maximum(price, 0.0), pool=pool, near=near)


def _perturbed(problem: Problem, state: _Iterate, deadline: float) -> _Iterate:
    """From a better alignment, its groups the support."""
    tries = _TRIES * len(state.groups)
    state = _better(problem, state, perturbed(problem, state.groups, tries, deadline))
    pool = as_columns(problem, state.groups)
    support, price = supported(problem.n_units, pool, np.ones(len(pool)), state.price)
    return _approached(
        problem, replace(state, support=support, price=price, relaxed=state.gain), deadline
    )


def _mastered(problem: Problem, state: _Iterate, deadline: float) -> _Iterate:
    """The master solved again: its support, and a better alignment if there is one in it."""
    cover_cost = problem.opening if problem.cover else None
    relaxed = relax(problem.n_units, state.pool, cover_cost, deadline=deadline)
    total = float(relaxed.price.sum())
    columns, value = state.pool, relaxed.value
    # Without progress, towards the master's own prices, which all its columns accept, and with all
    # columns, so that none comes back for ever.
    progress = total > state.relaxed + 1e-9 * _scale(problem)
    total = max(total, state.relaxed)
    if progress:
        state = replace(state, pool=_trimmed(columns, relaxed))
    state = _rounded(problem, state, columns, value, deadline)
    step = 1.0 if progress else state.step / 2 if state.step > _LEAST_STEP else 0.0
    if problem.cover:
        # Smoothing (Wentges 1997).
        share = min(step, 0.5)
        price = share * state.center + (1 - share) * relaxed.price
        return replace(state, price=price, relaxed=total, step=step)
    price = step * state.price + (1 - step) * relaxed.price
    support, price = supported(problem.n_units, columns, value, price)
    return replace(state, support=support, price=price, relaxed=total, step=step)


def _trimmed(columns: Columns, relaxed: Relaxation) -> Columns:
    """Without those that lose most under the master's prices, once there are many.

    Those that it uses are kept: without them its value could fall, and come back for ever.
    """
    used = relaxed.value > 0
    most = max(_POOL, 2 * int(used.sum()))
    if len(columns) <= most:
        return columns
    rank = np.where(used, -np.inf, _losses(columns, relaxed.price))
    return columns.select(np.sort(np.argpartition(rank, most // 2)[: most // 2]))


def _priced(problem: Problem, state: _Iterate, deadline: float) -> _Iterate:
    """The bound that the prices at hand give, and groups that still gain more than theirs.

    While none is found that lacks much but roots are left unsure, those are searched deeper.
    """
    # A unit alone gains nothing, so that no price may be below 0.
    price = np.clip(state.price, 0.0, problem.opening if problem.cover else np.inf)
    roots: Indices = np.arange(problem.n_units)
    excess = np.full(problem.n_units, np.inf)
    nodes = _NODES if state.near else _FEW_NODES
    while True:
        found = search(
            problem, price, 0.1 * problem.tolerance, roots=roots, nodes=nodes, deadline=deadline
        )
        if found is None:
            return state
        excess[roots] = np.minimum(found.excess[roots], excess[roots])
        feasible = _feasible(problem, price, excess)
        bound = float(feasible.sum())
        if bound < state.bound:
            state = replace(state, bound=bound, center=feasible)
        state = replace(state, pool=_joined(state.pool, found.columns))
        lacking = -_losses(found.columns, price).min(initial=0.0) / _scale(problem)
        roots = np.flatnonzero(found.unsure)
        if lacking > _STALLED or not len(roots) or nodes >= _MOST_NODES or due(deadline):
            return replace(
                state, converged=lacking <= _ENOUGH and (state.near or state.step == 0.0)
            )
        nodes *= 10


def _feasible(problem: Problem, price: Floats, excess: Floats) -> Floats:
    """Prices that no group beats: each root pays what its groups lack.

    In a cover prices end at the opening, where a group costs nothing more, so that every unit pays
    what the worst group lacks, up to there.
    """
    if problem.cover:
        return np.asarray(np.minimum(price + excess.max(initial=0.0), problem.opening))
    return np.asarray(price + excess)


def _listed(problem: Problem, state: _Iterate, deadline: float) -> Columns | None:
    gap = state.bound - state.gain
    if gap > _CLOSE * _scale(problem) and not state.converged:
        return None
    return _within(problem, state, gap + problem.tolerance, deadline)


def _within(problem: Problem, state: _Iterate, gap: float, deadline: float) -> Columns | None:
    """All groups that lose no more than the gap; None if they are too many."""
    limit = MOST_LISTED if state.converged else _LISTED
    found = search(problem, state.center, -gap, every=True, limit=limit, deadline=deadline)
    return None if found is None else found.columns


def _packed(problem: Problem, state: _Iterate, deadline: float) -> _Iterate:
    """The best alignment of the columns that could be in a better one, if that is found soon.

    The master's solution is fractional then, and rounding it loses most of the gap.
    """
    from gammacp.alignment.cpsat import best_packing

    gap = state.bound - state.gain
    near = state.pool.select(np.flatnonzero(_losses(state.pool, state.center) <= gap))
    left = max(deadline - time.monotonic(), 0.01)
    limits = Limits(time_limit=min(left, _SOON))
    found = best_packing(problem.opening, near, limits, cover=problem.cover)
    return _better(problem, state, as_groups(problem, near, found.chosen))


def _rounded(
    problem: Problem, state: _Iterate, columns: Columns, value: Floats, deadline: float
) -> _Iterate:
    """The master's solution as an alignment, polished, if it is better than the one at hand."""
    if problem.cover:
        groups = as_groups(problem, columns, np.flatnonzero(value > 0.5))
    else:
        from gammacp.alignment.greedy_kernels import take_disjoint

        order = np.argsort(-value, kind="stable").astype(np.int64)
        order = order[value[order] > 0.01]
        taken = take_disjoint(problem.n_units, columns.begin, columns.members, order)
        groups = improve(problem, as_groups(problem, columns, taken), deadline)
    return _better(problem, state, groups)


def _better(problem: Problem, state: _Iterate, groups: Codes) -> _Iterate:
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
