"""Packing of columns by OR-tools' CP-SAT: the best packing, and the first of several best ones.

The claims of CP-SAT are not trusted alone: callers confirm them by another search or by HiGHS
(`highs_bound`).

CP-SAT needs integer costs. Gains are scaled such that their sum stays below 2⁵⁰, and the bound
allows for the rounding of every column that a solution could use.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Status
from gammacp.base.arrays import Floats, Indices
from gammacp.base.stopping import GIGA, UNLIMITED, abandoned, current_work, due, spend, watched

_LARGEST = 2.0**50
_STEPS = 2.0**40
_DIGITS = 40
# Seconds that HiGHS may overrun its time limit before it is abandoned.
_PATIENCE = 0.5
# Largest number of nodes of HiGHS when it has to confirm a bound of CP-SAT, and total number of
# members above which it is not used, since its root node alone would take minutes.
_SECOND_OPINION = 500
_ASKED = 200_000
# Steps that one unit of CP-SAT's deterministic time counts for (two to three seconds), and steps of
# HiGHS per node and member of a column.
_STEPS_OF_A_UNIT = 2.5 * GIGA
_STEPS_OF_A_MEMBER = 200


class Packing(NamedTuple):
    """Number of uses of each column, an upper bound on Σ gain, and whether it is proven."""

    times: Indices
    bound: float
    proven: bool


@dataclass(frozen=True, eq=False)
class Model:
    """Columns to be packed; each unit in at most `capacity` of them, in a cover in at least one.

    Attributes
    ----------
    columns
        Columns to choose from; units that are in none of them are ignored.
    capacity
        Number of groups that each unit may be in, shape (units,); 1 in a cover, where units may be
        in more.
    opening
        Cost of each further covering of a unit.
    """

    columns: Columns
    capacity: Indices
    opening: float
    cover: bool = False


@dataclass(eq=False)
class _Program:
    """A CP-SAT model with its variables: `times` per column, `single` per unit in a cover.

    `units` are the units that are in some column. `covered[i]` lists the variables of the columns
    that contain `units[i]`, and `room[i]` is the number of columns that it may be in.
    """

    model: Any
    times: list[Any]
    units: Indices
    room: list[int]
    covered: list[list[Any]] = field(default_factory=list)
    single: list[Any] = field(default_factory=list)

    @cached_property
    def alone(self) -> list[Any]:
        """Number of times that each unit is left alone: an expression, in a cover a variable."""
        if self.single:
            return self.single
        pairs = zip(self.room, self.covered, strict=True)
        return [room - sum(inside) for room, inside in pairs]


def best_packing(
    packing: Model, limits: Limits, *, hint: Indices | None = None, slack: float = 0.0
) -> Packing:
    """Maximize Σ gain, minus the cost of covering units more than once.

    The search may end once the bound is within `slack` of the gain. `hint` is a packing to start
    from.
    """
    columns = packing.columns
    cover = packing.cover
    if not columns.number:
        return Packing(np.zeros(0, np.int64), 0.0, True)
    program = _program(packing)
    n_units = int(packing.capacity[program.units].sum())
    value = columns.gain - (columns.sizes * packing.opening if cover else 0.0)
    scaled, scale = _scale(value, packing.opening, n_units)
    terms = list(program.times)
    coefficients = scaled.tolist()
    if cover:
        terms += program.alone
        coefficients += [-round(packing.opening * scale)] * len(program.alone)
    if hint is not None:
        for variable, hinted in zip(program.times, hint.tolist(), strict=True):
            program.model.add_hint(variable, hinted)
    program.model.maximize(_sum(terms, coefficients))
    solver, status = _solve(program, limits, absolute_gap_limit=slack * scale)
    if status is None:
        most = columns.gain * _most_times(packing)
        return Packing(np.zeros(columns.number, np.int64), float(np.maximum(most, 0).sum()), False)
    times = np.array([solver.value(x) for x in program.times], np.int64)
    # Each column that is taken was rounded by at most half a step.
    rounding = 0.5 * (n_units + 1) / scale
    if cover:
        shift = len(program.units) * packing.opening
    else:
        shift = 0.0
    bound = solver.best_objective_bound / scale + shift + rounding
    return Packing(times, bound, status is Status.OPTIMAL and limits.gap == slack == 0)


def highs_packing(
    packing: Model, limits: Limits, *, most_nodes: int | None = None, presolve: bool = True
) -> Packing | None:
    """Find the best packing with scipy's HiGHS; None if it returns no bound.

    If there are rows other than those of units, its presolve may print to stdout: use
    `presolve=False` then.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csc_array, eye_array, hstack

    deadline = limits.deadline()
    columns = packing.columns
    opening = packing.opening
    room = packing.capacity
    n = len(room)
    m = columns.number
    cost = np.append(columns.sizes * opening - columns.gain, np.full(n, opening))
    # HiGHS proves the objective up to an absolute 1e-6. Costs are scaled such that this is less
    # than the problem's own tolerance.
    unit = 2.0 ** float(16 - np.frexp(max(opening, float(np.abs(cost).max()) / 64, 1e-200))[1])
    groups = csc_array((np.ones(len(columns.members)), columns.members, columns.begin), (n, m))
    options: Any = {"mip_rel_gap": limits.gap or 1e-12, "presolve": presolve}
    if limits.time_limit is not None:
        options["time_limit"] = limits.time_limit
    if most_nodes is not None:
        options["node_limit"] = most_nodes
    inside = csc_array(hstack((groups, eye_array(n))))
    # HiGHS may overrun its time limit within a step, and ignores Ctrl-C.
    result = abandoned(
        lambda: milp(
            cost * unit,
            integrality=np.ones(m + n, np.int64),
            bounds=Bounds(0, np.append(_most_times(packing), room)),
            constraints=LinearConstraint(inside, room, np.inf if packing.cover else room),
            options=options,
        ),
        deadline + _PATIENCE,
    )
    if result is None:
        return None
    n_nodes = int(getattr(result, "mip_node_count", None) or 0)
    current_work().nodes += n_nodes
    spend(_STEPS_OF_A_MEMBER * len(columns.members) * (10 + n_nodes))
    if result.mip_dual_bound is None:
        return None
    # If HiGHS reports an optimum, its bound is that optimum up to 1e-6.
    proven = result.status == 0 and not limits.gap
    least = float(result.mip_dual_bound) / unit + (1e-6 / unit if proven else 0.0)
    if result.x is None:
        times = np.zeros(m)
    else:
        times = np.rint(result.x[:m])
    return Packing(times.astype(np.int64), float(room.sum()) * opening - least, proven)


def highs_bound(packing: Model, limits: Limits, *, presolve: bool = True) -> float:
    """Return an upper bound on the gain of packings by HiGHS, or ∞ if none is found quickly."""
    columns, units = packing.columns.compress()
    if len(columns.members) > _ASKED:
        return np.inf
    inside = replace(packing, columns=columns, capacity=packing.capacity[units])
    packed = highs_packing(
        inside, replace(limits, gap=0.0), most_nodes=_SECOND_OPINION, presolve=presolve
    )
    if packed is None:
        return np.inf
    return packed.bound


class Ranking(NamedTuple):
    """Criteria that rank packings: loss, then number of groups, Σ `second`, and order of columns.

    Losses are those of columns (`loss`), of units alone (`alone`) and of each further covering of a
    unit (`over`). `optimum` is the least total loss; packings that lose up to `slack` more are
    equally good.
    """

    loss: Floats
    alone: Floats
    over: Floats
    second: Floats
    optimum: float
    slack: float


def first_packing(packing: Model, ranking: Ranking, limits: Limits) -> Indices | None:
    """Return how often each column is taken in the first of the best packings; None once due.

    Lexicographic optimization by a sequence of integer programs, each of which keeps the optima of
    the previous ones as constraints. The total loss is bounded by the optimum; then the number of
    groups is minimized, then Σ `second`. Finally, the columns are used as often as possible in
    their order; columns are combined to weights of up to 40 binary digits at a time.
    """
    deadline = limits.deadline()
    program = _program(packing)
    model = program.model
    _bound_loss(packing, program, ranking)
    counted = [*program.times, *program.alone]
    least = _least(program, counted, [1] * len(counted), limits.until(deadline))
    if least is None:
        return None
    model.add(sum(counted) <= least)
    if ranking.second.any():
        n_units = int(packing.capacity[program.units].sum())
        second = _scale(ranking.second, 0.0, n_units)[0].tolist()
        least = _least(program, program.times, second, limits.until(deadline))
        if least is None:
            return None
        # Each group that is taken was rounded by at most half a step.
        model.add(_sum(program.times, second) <= least + n_units)
    return _lexicographic_times(packing, program, limits, deadline)


def _lexicographic_times(
    packing: Model, program: _Program, limits: Limits, deadline: float
) -> Indices | None:
    """Use the first column as often as possible, then the second, and so on; None once due."""
    most = _most_times(packing)
    times = np.zeros(len(most), np.int64)
    block = np.cumsum(np.log2(most + 1)) // _DIGITS
    for rows in (np.flatnonzero(block == b) for b in np.unique(block)):
        variables = [program.times[c] for c in rows]
        weight = np.append(np.cumprod((most[rows[1:]] + 1)[::-1])[::-1], 1)
        program.model.maximize(_sum(variables, weight.tolist()))
        if due(deadline):
            return None
        solver, status = _solve(program, limits.until(deadline))
        if status is not Status.OPTIMAL:
            return None
        for c, variable in zip(rows, variables, strict=True):
            times[c] = solver.value(variable)
            program.model.add(variable == times[c])
    return times


def _program(packing: Model) -> _Program:
    from ortools.sat.python import cp_model

    local, units = packing.columns.compress()
    model = cp_model.CpModel()
    most = _most_times(packing).tolist()
    times = [model.new_int_var(0, k, "") if k > 1 else model.new_bool_var("") for k in most]
    order = np.argsort(local.members, kind="stable")
    column_of = local.column_of[order]
    ends = np.searchsorted(local.members[order], np.arange(len(units) + 1))
    program = _Program(model, times, units, packing.capacity[units].tolist())
    for i, room in enumerate(program.room):
        inside = [times[c] for c in column_of[ends[i] : ends[i + 1]]]
        program.covered.append(inside)
        if packing.cover:
            single = model.new_bool_var("")
            model.add_at_least_one([*inside, single])
            program.single.append(single)
            continue
        if len(inside) > 1:
            if room == 1:
                model.add_at_most_one(inside)
            else:
                model.add(sum(inside) <= room)
    return program


def _most_times(packing: Model) -> Indices:
    """Return the largest number of times that each column can be used."""
    columns = packing.columns
    if not columns.number:
        return np.zeros(0, np.int64)
    return np.minimum.reduceat(packing.capacity[columns.members], columns.begin[:-1])


def _bound_loss(packing: Model, program: _Program, ranking: Ranking) -> None:
    """Add the constraint that the loss is at most that of the best packing, plus the slack."""
    units = program.units
    price = ranking.alone[units]
    over = ranking.over[units]
    largest = max(float(np.abs(ranking.loss).max(initial=0.0)), float(price.max(initial=0.0)))
    largest = max(largest, float(over.max(initial=0.0)))
    if largest == 0:
        return
    n = int(packing.capacity[units].sum())
    scale = float(min(_LARGEST / (n + 1), _STEPS) / max(largest, 1e-200))
    whole = np.rint(np.concatenate((ranking.loss, price)) * scale).astype(np.int64).tolist()
    total = _sum([*program.times, *program.alone], whole)
    if packing.cover:
        again = np.rint(over * scale).astype(np.int64).tolist()
        for inside, single, cost in zip(program.covered, program.alone, again, strict=True):
            total += cost * (sum(inside) + single - 1)
    # No total is larger than this, however much slack there is.
    most = min((ranking.optimum + ranking.slack) * scale, 2.0**61)
    program.model.add(total <= int(most) + n + 1)


def _least(
    program: _Program, terms: list[Any], coefficients: list[int], limits: Limits
) -> int | None:
    program.model.minimize(_sum(terms, coefficients))
    solver, status = _solve(program, limits)
    return round(solver.objective_value) if status is Status.OPTIMAL else None


def _sum(terms: list[Any], coefficients: list[int]) -> Any:
    from ortools.sat.python import cp_model

    return cp_model.LinearExpr.weighted_sum(terms, coefficients)


def _solve(program: _Program, limits: Limits, **more: float) -> tuple[Any, Status | None]:
    """Run CP-SAT; return the solver and the status of its solution, None if it has none."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2
    solver.parameters.random_seed = limits.seed % 2**31
    solver.parameters.relative_gap_limit = limits.gap
    if limits.time_limit is not None:
        solver.parameters.max_time_in_seconds = limits.time_limit
    # CP-SAT's own signal handler would hide Ctrl-C from the rest of the program.
    solver.parameters.catch_sigint_signal = False
    for name, value in more.items():
        setattr(solver.parameters, name, value)
    work = current_work()
    if work.steps_left < UNLIMITED:
        solver.parameters.max_deterministic_time = work.steps_left / _STEPS_OF_A_UNIT
    status = watched(lambda: solver.solve(program.model), solver.stop_search, limits.deadline())
    spend(solver.deterministic_time * _STEPS_OF_A_UNIT)
    work.nodes += solver.num_branches
    statuses = {cp_model.OPTIMAL: Status.OPTIMAL, cp_model.FEASIBLE: Status.FEASIBLE}
    return solver, statuses.get(status)


def _scale(value: Floats, opening: float, n_units: int) -> tuple[Indices, float]:
    largest = max(float(np.abs(value).max(initial=0.0)), opening, 1e-200)
    scale = 2.0 ** np.floor(np.log2(min(_LARGEST / (n_units + 1), _STEPS) / largest))
    return np.rint(value * scale).astype(np.int64), float(scale)
