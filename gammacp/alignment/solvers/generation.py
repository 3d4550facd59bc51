"""Solver `generation`: column generation, for problems with too many groups to list.

The restricted master problem is a linear program over the groups generated so far. Its solution
uses some of them, the *support*. The prices of the units are not the LP's own duals, which are an
arbitrary corner of a large face. Instead, the current prices are moved as little as possible, such
that each group of the support gains exactly the prices of its units. Groups that gain more than
their prices are sought near the best alignment, and the prices are projected onto the constraint of
each of them (Agmon 1954, Motzkin and Schoenberg 1954). Once no more groups are found in this way,
or the prices cannot satisfy them without leaving the support, a branch and bound over annotators
searches all groups, and the master problem is solved again with the groups that it finds.

Every such search also gives a bound. The *root* of a group is its first unit. If the price of each
root is raised by the largest excess of its groups, no group gains more than the prices of its
units, and no alignment gains more than their sum. Once this bound is close to the best alignment,
all groups whose loss is within the gap are enumerated. A better alignment can contain no other
groups, so that the rest of the proof needs only this list.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from gammacp.alignment.columns import to_columns, to_groups
from gammacp.alignment.duals.lp import Relaxation, relax
from gammacp.alignment.duals.projection import SupportProjection, shared_prices, support_of
from gammacp.alignment.duals.semidefinite import Semidefinite
from gammacp.alignment.heuristics.annealing import (
    FIRST_TEMPERATURES,
    MOVES,
    ROUNDED_TEMPERATURES,
    Schedule,
    anneal_once,
    table_fits,
)
from gammacp.alignment.heuristics.local_search import improve, resize
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import CROWD, Limits, Stage, Ties
from gammacp.alignment.packing.cpsat import best_packing
from gammacp.alignment.packing.problem import PackingProblem
from gammacp.alignment.pricing.exact import FEW_NODES, LISTED_AT_LAST, find_groups
from gammacp.alignment.pricing.near import ENOUGH, STALLED, project_prices
from gammacp.alignment.problem import (
    Problem,
    Proof,
    RelaxedMatrix,
    Solution,
    TieCandidates,
    total_cost,
)
from gammacp.alignment.proof.unit_bound import solution_with_unit_bound
from gammacp.alignment.reporting import report_bounds
from gammacp.alignment.solvers.enumeration import solve_listed
from gammacp.alignment.solvers.registry import registered
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import GIGA, budget, current_work, due, note

# Number of candidate pairs from which column generation starts with annealing (20 × 30, but not
# 10 × 30), and from which a crowd is relaxed without column generation first.
SEARCHED_PAIRS = 50_000

# Value of a column in the master's solution that counts as used.
_USED = 1e-6
# Gap, as a share of the scale, below which all groups that could still matter are listed; and the
# total number of their members above which the iteration continues first.
_CLOSE = 0.05
_LISTED_WHEN_CLOSE = 300_000
# Least weight of the old prices in a step; below it, the master's own prices are used.
_LEAST_STEP = 1e-3
# Largest number of nodes in the search of one root; its bound is then left as it is (27 × 20
# random).
_MOST_NODES = 5_000_000
# Steps for listing the groups of equally good alignments if the bound is that of a crowd or leaves
# a gap (35 × 73 would take minutes); and steps of CP-SAT if the master's solution is fractional.
_RIVALS = GIGA // 5
_PACKING = 10 * GIGA


@dataclass(frozen=True)
class Generation(Stage):
    """Tuning of column generation.

    Attributes
    ----------
    crowd
        Least number of annotators that counts as a crowd.
    trial
        Number of steps after which a trial on a long continuum ends, if groups near the alignment
        still gain more than their prices.
    proof
        Largest number of steps without a time limit.
    pool
        Number of columns of the master problem above which those that lose most are dropped, so
        that GLOP stays fast (20 × 30).
    nodes
        Largest number of nodes in the branch and bound of each root once prices have been projected
        successfully.
    listed
        Largest total number of members of the listed groups once prices have converged.
    """

    crowd: int = CROWD
    trial: float = 3 * GIGA
    proof: float = 100 * GIGA
    pool: int = 8000
    nodes: int = 1000
    listed: int = LISTED_AT_LAST


@dataclass(frozen=True, eq=False)
class Generated:
    """Result of column generation so far, from which a solver can continue.

    Attributes
    ----------
    columns
        Groups generated so far; if `complete`, all groups that an alignment better than `groups`
        could use.
    price
        Feasible prices: no group gains more than the prices of its units.
    groups
        The best alignment so far.
    gain
        Gain of `groups`.
    gain_bound
        Upper bound on the gain of any alignment: Σ price.
    complete
        Whether `columns` contains all groups that a better alignment could use.
    matrix
        Matrix from which the prices are derived, if they are those of a semidefinite relaxation.
    """

    columns: Columns
    price: Floats
    groups: Codes
    gain: float
    gain_bound: float
    complete: bool = False
    matrix: RelaxedMatrix | None = None

    def close(self, problem: Problem, limits: Limits, slack: float) -> bool:
        """Return whether the gap is within the slack, or within the gap that the limits allow."""
        cost = problem.n_units * problem.opening - self.gain
        return self.gain_bound - self.gain <= max(limits.gap * abs(cost), slack)


@dataclass(frozen=True, eq=False, kw_only=True)
class GenerationState(Generated):
    """State of the iteration.

    Attributes
    ----------
    trial
        Current prices, which need not be feasible.
    support
        Groups that the solution of the master problem uses.
    relaxed
        Gain of the solution of the master problem.
    step
        Weight of the trial prices against the master's own. It is halved while the master makes no
        progress.
    near
        Whether no group near the alignment gains more than its trial prices.
    converged
        Whether no group at all does, up to a small tolerance.
    """

    trial: Floats
    support: SupportProjection
    relaxed: float = 0.0
    step: float = 1.0
    near: bool = False
    converged: bool = False


@registered("generation", "column generation, then a proof by components", presolved=True)
def solve_generation(problem: Problem, limits: Limits) -> Solution:
    """Generate groups until all that could matter are listed, then find the best alignment."""
    deadline = limits.deadline()
    with budget(limits.steps(limits.of(Generation).proof)):
        generated = generate(problem, limits, deadline)
    return conclude(problem, generated, limits, deadline)


def conclude(problem: Problem, generated: Generated, limits: Limits, deadline: float) -> Solution:
    """Return the best alignment of the generated groups; proven if they are complete."""
    bound = problem.n_units * problem.opening - generated.gain_bound
    proof = Proof(generated.price, generated.matrix)
    if not generated.complete:
        if generated.matrix is None:
            by = "column generation"
        else:
            by = "semidefinite relaxation"
        note(columns_listed=generated.columns.number, prices_by=by, proved_by="prices")
        columns, complete = _rivals(problem, generated, limits, deadline)
        tie_candidates = TieCandidates(columns, generated.price, complete)
        return solution_with_unit_bound(problem, generated.groups, bound, tie_candidates, proof)
    listed = generated.columns
    remaining = limits.until(deadline)
    return solve_listed(problem, listed, remaining, generated.groups, bound, proof)


def generate(
    problem: Problem,
    limits: Limits,
    deadline: float,
    earlier: Generated | None = None,
    *,
    trying: bool = False,
) -> Generated:
    """Generate columns until all that could matter are listed, the gap is small, or time is up.

    After Ctrl-C, the result is the best alignment so far with its bound. `earlier` is an earlier
    result to continue from. With `trying`, the search ends after `Generation.trial` steps if groups
    near the alignment still gain more than their prices.
    """
    tuning = limits.of(Generation)
    began = current_work().steps
    few = problem.n_units <= limits.of(Semidefinite).largest
    large = len(problem.first) >= SEARCHED_PAIRS and few
    state = _start(problem, earlier, deadline)
    first = True
    total = problem.n_units * problem.opening
    # Each round
    # 1. moves the prices so that they pay for groups near the alignment,
    # 2. in the first round of a large problem, improves the alignment by annealing,
    # 3. searches all groups, if those near the alignment are paid for or few were new,
    # 4. packs the columns exactly once prices have converged,
    # 5. lists all groups that could still matter, if they are few, and ends,
    # 6. and otherwise solves the linear program over the columns, for new prices.
    try:
        while True:
            current_work().rounds += 1
            n_before = state.columns.number
            state = _project(problem, state, deadline)
            if first and not state.near and large:
                state = _improve_alignment(problem, state, deadline, limits)
            n_new = state.columns.number - n_before
            if first or state.near or n_new < problem.n_units / 10:
                state = price_columns(problem, state, deadline, tuning.nodes)
            first = False
            report_bounds(total - state.gain, total - state.gain_bound)
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
    problem: Problem, generated: Generated, limits: Limits, deadline: float
) -> tuple[Columns, bool]:
    """List groups that an equally good alignment could use, and whether the list is complete.

    The list is complete if the alignment is proven, time is left and the groups are few. If the
    bound is that of a crowd, or leaves a gap beyond rounding, only a short attempt is made: under
    such prices nearly every group has little loss.
    """
    gap = max(generated.gain_bound - generated.gain, 0.0)
    slack = _slack(problem)
    if gap > problem.slack or due(deadline):
        return generated.columns, False
    tuning = limits.of(Generation)
    loose = gap > slack or problem.n_annotators >= tuning.crowd
    with budget(_RIVALS if loose else limits.of(Ties).steps):
        pricing = find_groups(
            problem,
            generated.price,
            -gap - slack,
            every=True,
            nodes=2**62 if gap <= slack else tuning.nodes,
            limit=tuning.listed,
            deadline=deadline,
        )
    if pricing is None:
        return generated.columns, False
    complete = not pricing.unsure.any()
    return pricing.columns if complete else generated.columns.join(pricing.columns), complete


def _start(problem: Problem, earlier: Generated | None, deadline: float) -> GenerationState:
    if earlier is None:
        groups = improve(problem, None, deadline)
    else:
        groups = earlier.groups
    columns = to_columns(problem, groups)
    gain = float(columns.gain.sum())
    if earlier is None:
        start = shared_prices(problem, groups)
    else:
        start = earlier.price
    support, price = support_of(problem.n_units, columns, np.ones(columns.number), start, _USED)
    return GenerationState(
        columns=columns if earlier is None else columns.join(earlier.columns),
        price=price if earlier is None else start,
        groups=groups,
        gain=gain,
        gain_bound=np.inf if earlier is None else earlier.gain_bound,
        matrix=None if earlier is None else earlier.matrix,
        trial=price,
        support=support,
        relaxed=gain,
    )


def _slack(problem: Problem) -> float:
    return problem.tolerance * problem.n_units


def _project(problem: Problem, state: GenerationState, deadline: float) -> GenerationState:
    """Move the trial prices towards feasibility; add the groups that required it.

    Nothing is done for a cover, whose prices also have an upper limit, or once the prices are the
    master's own.
    """
    if problem.cover or state.step == 0.0:
        return replace(state, near=False)
    price, columns, near = project_prices(
        problem, state.groups, state.columns, state.trial, state.support, deadline
    )
    return replace(state, trial=price, columns=columns, near=near)


def _improve_alignment(
    problem: Problem, state: GenerationState, deadline: float, limits: Limits
) -> GenerationState:
    """Improve the alignment by local search and annealing, and make its groups the support."""
    state = _better(problem, state, resize(problem, state.groups, deadline))
    state = _annealed(problem, state, deadline, FIRST_TEMPERATURES, limits.seed)
    columns = to_columns(problem, state.groups)
    used = np.ones(columns.number)
    support, price = support_of(problem.n_units, columns, used, state.trial, _USED)
    state = replace(state, support=support, trial=price, relaxed=state.gain)
    return _project(problem, state, deadline)


def _annealed(
    problem: Problem,
    state: GenerationState,
    deadline: float,
    temperatures: Iterable[float],
    seed: int,
) -> GenerationState:
    """Anneal the alignment at each of these temperatures, and keep the result if it is better."""
    groups = state.groups
    if not table_fits(problem, groups):
        temperatures = ()
    for temperature in temperatures:
        schedule = Schedule(temperature, MOVES, (seed % 2**64, 0))
        groups = anneal_once(problem, groups, schedule, deadline)
    return _better(problem, state, groups)


def _solve_master(
    problem: Problem, state: GenerationState, deadline: float, limits: Limits, *, mending: bool
) -> GenerationState:
    """Solve the master problem: update the support, the prices and perhaps the alignment.

    Rounding the solution may give a better alignment; with `mending`, that one is annealed.
    """
    relaxed = relax(problem.n_units, state.columns, problem.cover_cost, deadline=deadline)
    total = float(relaxed.price.sum())
    columns = state.columns
    value = relaxed.value
    # Without progress, prices move towards the master's own, which are feasible for all its
    # columns; and no column is dropped, so that none can be generated again and again.
    progress = total > state.relaxed + 1e-9 * problem.scale
    total = max(total, state.relaxed)
    if progress:
        state = replace(state, columns=trim(columns, relaxed, limits.of(Generation).pool))
    gain = state.gain
    state = _round(problem, state, columns, value, deadline)
    if mending and state.gain > gain:
        state = _annealed(problem, state, deadline, ROUNDED_TEMPERATURES, limits.seed)
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


def trim(columns: Columns, relaxed: Relaxation, most_columns: int) -> Columns:
    """Drop the columns that lose most under the master's prices, if there are many.

    Columns in the master's solution are kept. Without them its value could fall, and the iteration
    could cycle.
    """
    used = relaxed.value > 0
    most = max(most_columns, 2 * int(used.sum()))
    if columns.number <= most:
        return columns
    rank = np.where(used, -np.inf, columns.losses(relaxed.price))
    return columns.select(np.sort(np.argpartition(rank, most // 2)[: most // 2]))


def price_columns(
    problem: Problem, state: GenerationState, deadline: float, nearby: int
) -> GenerationState:
    """Search all groups for those that gain more than their prices; update the bound.

    `nearby` is the largest number of nodes per root if the trial prices are feasible near the
    alignment. If no group exceeds its prices by much, but the search of some roots was cut off,
    those are searched again with ten times as many nodes, until the deadline.
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
        pricing = find_groups(
            problem,
            price,
            0.1 * problem.tolerance,
            roots=roots,
            nodes=nodes,
            deadline=deadline,
        )
        if pricing is None:
            return state
        excess[roots] = np.minimum(pricing.excess[roots], excess[roots])
        feasible = _feasible(problem, price, excess)
        bound = float(feasible.sum())
        if bound < state.gain_bound:
            state = replace(state, gain_bound=bound, price=feasible, matrix=None)
        state = replace(state, columns=state.columns.join(pricing.columns))
        lacking = -pricing.columns.losses(price).min(initial=0.0) / problem.scale
        roots = np.flatnonzero(pricing.unsure)
        if lacking > STALLED or not len(roots) or nodes >= _MOST_NODES or due(deadline):
            return replace(state, converged=lacking <= ENOUGH and (state.near or state.step == 0.0))
        nodes *= 10


def _feasible(problem: Problem, price: Floats, excess: Floats) -> Floats:
    """Return feasible prices: raise the price of each root by the excess of its groups.

    In a cover, prices have an upper limit (`highest_price`), so that the root alone might not
    suffice. There, every price is raised by the largest excess, up to that limit.
    """
    if problem.cover:
        return np.asarray(np.minimum(price + excess.max(initial=0.0), problem.highest_price))
    return np.asarray(price + excess)


def _columns_in_gap(
    problem: Problem, state: GenerationState, deadline: float, at_last: int
) -> Columns | None:
    """List all groups that lose at most the gap; None if it is too wide or they are too many."""
    gap = state.gain_bound - state.gain
    if gap > _CLOSE * problem.scale and not state.converged:
        return None
    if state.converged:
        limit = at_last
    else:
        limit = _LISTED_WHEN_CLOSE
    floor = -gap - problem.tolerance
    pricing = find_groups(problem, state.price, floor, every=True, limit=limit, deadline=deadline)
    if pricing is None:
        return None
    return pricing.columns


def _pack(problem: Problem, state: GenerationState, deadline: float) -> GenerationState:
    """Search for the best alignment of the columns that a better one could use, for some time.

    This is done if prices have converged and the gap remains: the master's solution is then
    fractional, and rounding it loses most of the gap.
    """
    gap = state.gain_bound - state.gain
    near = state.columns.select(np.flatnonzero(state.columns.losses(state.price) <= gap))
    ones = np.ones(problem.n_units, np.int64)
    with budget(_PACKING):
        packing_problem = PackingProblem(near, ones, problem.opening + problem.reuse, problem.cover)
        packing = best_packing(packing_problem, Limits().until(deadline))
    return _better(problem, state, to_groups(problem, near.select(np.flatnonzero(packing.times))))


def _round(
    problem: Problem, state: GenerationState, columns: Columns, value: Floats, deadline: float
) -> GenerationState:
    """Round the master's solution to an alignment, improve it, and keep it if it is better."""
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
