"""Back-end `generation`: the unitary alignments that matter, out of far too many to list.

Column generation. A restricted master LP over the groups generated so far tells which of them it
uses, its support. The prices of the units then are not the LP's own, an arbitrary corner of a vast
face, but are kept where they are and moved as little as feasibility asks for, within the space
where each group of the support just pays: groups that gain more than their prices are sought near
the best alignment, and the prices projected on what each of them demands (Agmon 1954, Motzkin and
Schoenberg 1954). Once none is found so, or the prices can satisfy no more of them without leaving
the support, a branch and bound over annotators prices all groups, and the master is solved again
with what was found.

The certificate. Prices become feasible when the first unit of each group, its root, pays what its
groups lack; no alignment gains more than the sum of feasible prices. So every pricing has a
bound. Once bound and alignment at hand are close, all groups whose loss is within the gap are
enumerated: no better alignment can use another one, and the rest of the proof works on that list.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from gammacp.alignment.columns import to_columns, to_groups
from gammacp.alignment.duals.lp import Relaxation, relax
from gammacp.alignment.duals.projection import Support, shared_prices, support_of
from gammacp.alignment.duals.semidefinite import Semidefinite
from gammacp.alignment.heuristics.annealing import HEATS, MOVES, Schedule, anneal_once, fits
from gammacp.alignment.heuristics.local_search import improve, resize
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import CROWD, Limits, Stage, Ties
from gammacp.alignment.pricing.exact import FEW_NODES, LISTED_AT_LAST, search
from gammacp.alignment.pricing.near import ENOUGH, STALLED, project_prices
from gammacp.alignment.problem import (
    Certificate,
    Problem,
    Proof,
    RelaxedMatrix,
    Solution,
    total_cost,
)
from gammacp.alignment.proof.unit_bound import least_bounded
from gammacp.alignment.reporting import tell
from gammacp.alignment.solvers.enumeration import solve_listed
from gammacp.alignment.solvers.packing import Model, best_packing
from gammacp.alignment.solvers.registry import registered
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import GIGA, budget, current_work, due, note

# Candidate pairs from which on columns begin with annealing (20 × 30, not 10 × 30), and from which
# on a crowd is relaxed at once.
SEARCHED_PAIRS = 50_000

# Value of a column in the master's solution that counts as used.
_USED = 1e-6
# Of the scale: gap at which all groups that could still matter are listed, and their members above
# which the iteration goes on first.
_CLOSE = 0.05
_LISTED_WHEN_CLOSE = 300_000
# Share of the old prices below which the master's own are used.
_LEAST_STEP = 1e-3
# Nodes of one root at the very most; its bound is then left as it is (27 × 20 random).
_MOST_NODES = 5_000_000
# Steps for the list of groups that are as good by a crowd's bound, or one with a gap (35 × 73
# would take minutes); and of CP-SAT for the pool of a fractional master.
_RIVALS = GIGA // 5
_PACKING = 10 * GIGA


@dataclass(frozen=True)
class Generation(Stage):
    """Tuning of column generation.

    Attributes
    ----------
    crowd
        Annotators from which on a set counts as a crowd.
    trial
        Steps for which columns of long continua are tried while groups next to the alignment beat
        their prices.
    proof
        Steps in which columns must come to a proof without a time limit.
    pool
        Columns of the master above which those that lose most are dropped, so that GLOP stays fast
        (20 × 30).
    nodes
        Nodes of the branch and bound of each root when prices are near.
    listed
        Members of all groups that are listed once prices have converged.
    """

    crowd: int = CROWD
    trial: float = 3 * GIGA
    proof: float = 100 * GIGA
    pool: int = 8000
    nodes: int = 1000
    listed: int = LISTED_AT_LAST


@dataclass(frozen=True, eq=False)
class Generated:
    """Result of column generation so far, for whoever goes on from there.

    Attributes
    ----------
    columns
        All groups that an alignment better than `groups` could use (when `complete`), or that an
        equally good one could (when the bound is met).
    price
        Prices that no group beats.
    groups
        The best alignment so far.
    gain
        Gain of `groups`.
    most_gain
        No alignment gains more: Σ price.
    complete
        Whether `columns` are all that a better alignment could use.
    matrix
        Basis of the prices, where they are those of a relaxation.
    """

    columns: Columns
    price: Floats
    groups: Codes
    gain: float
    most_gain: float
    complete: bool = False
    matrix: RelaxedMatrix | None = None

    def close(self, problem: Problem, limits: Limits, slack: float) -> bool:
        """Return whether the gap is small enough."""
        cost = problem.n_units * problem.opening - self.gain
        return self.most_gain - self.gain <= max(limits.gap * abs(cost), slack)


@dataclass(frozen=True, eq=False, kw_only=True)
class GenerationState(Generated):
    """State of the iteration.

    Attributes
    ----------
    trial
        Prices to go on from, which some groups may beat.
    support
        The groups that the master uses.
    relaxed
        Gain of the master.
    step
        Share of the trial prices that is kept once the master makes no more progress.
    near
        No group next to the alignment beats the trial prices.
    converged
        No group at all does.
    """

    trial: Floats
    support: Support
    relaxed: float = 0.0
    step: float = 1.0
    near: bool = False
    converged: bool = False


@registered("generation", "column generation, then a proof by components", presolved=True)
def solve_generation(problem: Problem, limits: Limits) -> Solution:
    """Generate groups until all that could matter are listed, then prove the best out of them."""
    deadline = limits.deadline()
    with budget(limits.steps(limits.of(Generation).proof)):
        generated = generate(problem, limits, deadline)
    return conclude(problem, generated, limits, deadline)


def conclude(problem: Problem, generated: Generated, limits: Limits, deadline: float) -> Solution:
    """Return the best alignment of what was generated, proven where that is complete."""
    bound = problem.n_units * problem.opening - generated.most_gain
    proof = Proof(generated.price, generated.matrix)
    if not generated.complete:
        if generated.matrix is None:
            by = "column generation"
        else:
            by = "semidefinite relaxation"
        note(columns_listed=generated.columns.number, prices_by=by, proved_by="prices")
        columns, whole = _rivals(problem, generated, limits, deadline)
        certificate = Certificate(columns, generated.price, whole)
        return least_bounded(problem, generated.groups, bound, certificate, proof)
    listed = generated.columns
    remaining = limits.until(deadline)
    return solve_listed(problem, listed, remaining, generated.groups, bound, proof)


def generate(
    problem: Problem,
    limits: Limits,
    deadline: float,
    known: Generated | None = None,
    *,
    trying: bool = False,
) -> Generated:
    """Generate columns until all that could matter are listed, the gap is reached or time is out.

    Ctrl-C ends it too: the best so far with its bound. If alignment and bound meet, the columns
    that an equally good alignment could use are listed. It goes on from what is `known`.
    `trying` ends it after the `trial` steps while groups next to the alignment beat its prices.
    """
    tuning = limits.of(Generation)
    began = current_work().steps
    few = problem.n_units <= limits.of(Semidefinite).most
    large = len(problem.first) >= SEARCHED_PAIRS and few
    state = _start(problem, known, deadline)
    first = True
    total = problem.n_units * problem.opening
    try:
        while True:
            current_work().rounds += 1
            n_before = state.columns.number
            state = _project(problem, state, deadline)
            if first and not state.near and large:
                state = _search(problem, state, deadline, limits)
            n_before = state.columns.number - n_before
            if first or state.near or n_before < problem.n_units / 10:
                state = price_columns(problem, state, deadline, tuning.nodes)
            first = False
            tell(total - state.gain, total - state.most_gain)
            if state.converged and not state.close(problem, limits, _slack(problem)):
                state = _pack(problem, state, deadline)
            if state.close(problem, limits, _slack(problem)) or due(deadline):
                break
            if trying and not state.near and current_work().steps - began > tuning.trial:
                break
            listed = _columns_in_gap(problem, state, deadline, tuning.listed)
            if listed is not None:
                return replace(state, columns=listed, complete=True)
            if state.converged:
                break
            if not state.near:
                state = _solve_master(problem, state, deadline, limits, mending=large)
    except TimeoutError:
        # What has been found so far, with its bound, is the answer.
        pass
    return state


def _rivals(
    problem: Problem, known: Generated, limits: Limits, deadline: float
) -> tuple[Columns, bool]:
    """List groups that an equally good alignment could use; tell whether these are all of them.

    They are all where it is proven, time is left and they are few. A proof by the relaxation of a
    crowd, or whose gap is more than rounding, is worth a moment only: its prices pay nearly every
    group.
    """
    gap = max(known.most_gain - known.gain, 0.0)
    slack = _slack(problem)
    if gap > problem.slack or due(deadline):
        return known.columns, False
    tuning = limits.of(Generation)
    loose = gap > slack or problem.n_annotators >= tuning.crowd
    with budget(_RIVALS if loose else limits.of(Ties).steps):
        found = search(
            problem,
            known.price,
            -gap - slack,
            every=True,
            nodes=2**62 if gap <= slack else tuning.nodes,
            limit=tuning.listed,
            deadline=deadline,
        )
    if found is None:
        return known.columns, False
    whole = not found.unsure.any()
    return found.columns if whole else known.columns.join(found.columns), whole


def _start(problem: Problem, known: Generated | None, deadline: float) -> GenerationState:
    if known is None:
        groups = improve(problem, None, deadline)
    else:
        groups = known.groups
    pool = to_columns(problem, groups)
    gain = float(pool.gain.sum())
    if known is None:
        start = shared_prices(problem, groups)
    else:
        start = known.price
    support, price = support_of(problem.n_units, pool, np.ones(pool.number), start, _USED)
    return GenerationState(
        columns=pool if known is None else pool.join(known.columns),
        price=price if known is None else start,
        groups=groups,
        gain=gain,
        most_gain=np.inf if known is None else known.most_gain,
        matrix=None if known is None else known.matrix,
        trial=price,
        support=support,
        relaxed=gain,
    )


def _slack(problem: Problem) -> float:
    return problem.tolerance * problem.n_units


def _project(problem: Problem, state: GenerationState, deadline: float) -> GenerationState:
    """Prices nearer to feasibility, and the groups that they were moved by.

    Not in a cover, whose prices also have an upper end, nor for the master's own prices.
    """
    if problem.cover or state.step == 0.0:
        return replace(state, near=False)
    price, pool, near = project_prices(
        problem, state.groups, state.columns, state.trial, state.support, deadline
    )
    return replace(state, trial=price, columns=pool, near=near)


def _search(
    problem: Problem, state: GenerationState, deadline: float, limits: Limits
) -> GenerationState:
    """Go on from a better alignment, whose groups are the support."""
    state = _better(problem, state, resize(problem, state.groups, deadline))
    state = _annealed(problem, state, deadline, HEATS[:2], limits.seed)
    pool = to_columns(problem, state.groups)
    support, price = support_of(problem.n_units, pool, np.ones(pool.number), state.trial, _USED)
    state = replace(state, support=support, trial=price, relaxed=state.gain)
    return _project(problem, state, deadline)


def _annealed(
    problem: Problem, state: GenerationState, deadline: float, heats: Iterable[float], seed: int
) -> GenerationState:
    """Go on from the alignment that annealing at each of these temperatures comes to."""
    groups = state.groups
    for heat in heats if fits(problem, groups) else ():
        groups = anneal_once(problem, groups, Schedule(heat, MOVES, (seed % 2**64, 0)), deadline)
    return _better(problem, state, groups)


def _solve_master(
    problem: Problem, state: GenerationState, deadline: float, limits: Limits, *, mending: bool
) -> GenerationState:
    """Return the master solved again: its support, and a better alignment if there is one in it.

    With `mending` that is annealed.
    """
    relaxed = relax(problem.n_units, state.columns, problem.cover_cost, deadline=deadline)
    total = float(relaxed.price.sum())
    columns = state.columns
    value = relaxed.value
    # Without progress, towards the master's own prices, which all its columns accept, and with all
    # columns, so that none comes back for ever.
    progress = total > state.relaxed + 1e-9 * problem.scale
    total = max(total, state.relaxed)
    if progress:
        state = replace(state, columns=trim(columns, relaxed, limits.of(Generation).pool))
    gain = state.gain
    state = _round(problem, state, columns, value, deadline)
    if mending and state.gain > gain:
        state = _annealed(problem, state, deadline, HEATS[-2:-1], limits.seed)
    if progress:
        step = 1.0
    elif state.step > _LEAST_STEP:
        step = state.step / 2
    else:
        step = 0.0
    if problem.cover:
        # Smoothing (Wentges 1997).
        share = min(step, 0.5)
        price = share * state.price + (1 - share) * relaxed.price
        return replace(state, trial=price, relaxed=total, step=step)
    price = step * state.trial + (1 - step) * relaxed.price
    support, price = support_of(problem.n_units, columns, value, price, _USED)
    return replace(state, support=support, trial=price, relaxed=total, step=step)


def trim(columns: Columns, relaxed: Relaxation, pool: int) -> Columns:
    """Without those that lose most under the master's prices, once there are many.

    Those that it uses are kept: without them its value could fall, and come back for ever.
    """
    used = relaxed.value > 0
    most = max(pool, 2 * int(used.sum()))
    if columns.number <= most:
        return columns
    rank = np.where(used, -np.inf, columns.losses(relaxed.price))
    return columns.select(np.sort(np.argpartition(rank, most // 2)[: most // 2]))


def price_columns(
    problem: Problem, state: GenerationState, deadline: float, nearby: int
) -> GenerationState:
    """Return the bound that the prices at hand give, and groups that still gain more than theirs.

    `nearby` is how many nodes of each root are searched next to the alignment.
    While none is found that lacks much but roots are left unsure, those are searched deeper, until
    due: a deeper search takes up to ten times as long.
    """
    # A unit alone gains nothing, so that no price may be below 0.
    price = np.clip(state.trial, 0.0, problem.highest_price)
    roots: Indices = np.arange(problem.n_units)
    excess = np.full(problem.n_units, np.inf)
    if state.near:
        nodes = nearby
    else:
        nodes = FEW_NODES
    while True:
        found = search(
            problem,
            price,
            0.1 * problem.tolerance,
            roots=roots,
            nodes=nodes,
            deadline=deadline,
        )
        if found is None:
            return state
        excess[roots] = np.minimum(found.excess[roots], excess[roots])
        feasible = _feasible(problem, price, excess)
        bound = float(feasible.sum())
        if bound < state.most_gain:
            state = replace(state, most_gain=bound, price=feasible, matrix=None)
        state = replace(state, columns=state.columns.join(found.columns))
        lacking = -found.columns.losses(price).min(initial=0.0) / problem.scale
        roots = np.flatnonzero(found.unsure)
        if lacking > STALLED or not len(roots) or nodes >= _MOST_NODES or due(deadline):
            return replace(state, converged=lacking <= ENOUGH and (state.near or state.step == 0.0))
        nodes *= 10


def _feasible(problem: Problem, price: Floats, excess: Floats) -> Floats:
    """Prices that no group beats: each root pays what its groups lack.

    In a cover prices end where a group costs nothing more (`cover_cost`), so that every unit pays
    what the worst group lacks, up to there.
    """
    if problem.cover:
        return np.asarray(np.minimum(price + excess.max(initial=0.0), problem.highest_price))
    return np.asarray(price + excess)


def _columns_in_gap(
    problem: Problem, state: GenerationState, deadline: float, at_last: int
) -> Columns | None:
    """All groups that lose no more than the gap; None if it is too wide, or they are too many."""
    gap = state.most_gain - state.gain
    if gap > _CLOSE * problem.scale and not state.converged:
        return None
    if state.converged:
        limit = at_last
    else:
        limit = _LISTED_WHEN_CLOSE
    least = -gap - problem.tolerance
    found = search(problem, state.price, least, every=True, limit=limit, deadline=deadline)
    if found is None:
        return None
    return found.columns


def _pack(problem: Problem, state: GenerationState, deadline: float) -> GenerationState:
    """Find the best alignment of the columns that could be in a better one, if that is quick.

    The master's solution is fractional then, and rounding it loses most of the gap.
    """
    gap = state.most_gain - state.gain
    near = state.columns.select(np.flatnonzero(state.columns.losses(state.price) <= gap))
    ones = np.ones(problem.n_units, np.int64)
    with budget(_PACKING):
        packing = Model(near, ones, problem.opening + problem.reuse, problem.cover)
        packed = best_packing(packing, Limits().until(deadline))
    return _better(problem, state, to_groups(problem, near.select(np.flatnonzero(packed.times))))


def _round(
    problem: Problem, state: GenerationState, columns: Columns, value: Floats, deadline: float
) -> GenerationState:
    """Return the master's solution as an alignment, polished, if it is the better one."""
    if problem.cover:
        groups = to_groups(problem, columns.select(np.flatnonzero(value > 0.5)))
    else:
        from gammacp.alignment.kernels.greedy import take_disjoint

        order = np.argsort(-value, kind="stable").astype(np.int64)
        order = order[value[order] > 0.01]
        disjoint = take_disjoint(problem.n_units, columns, order)
        groups = improve(problem, to_groups(problem, columns.select(disjoint)), deadline)
    return _better(problem, state, groups)


def _better(problem: Problem, state: GenerationState, groups: Codes) -> GenerationState:
    gain = problem.n_units * problem.opening - total_cost(problem, groups)
    if gain <= state.gain + problem.tolerance:
        return state
    return replace(
        state, groups=groups, gain=gain, columns=state.columns.join(to_columns(problem, groups))
    )
