"""Best packing of columns by OR-tools' CP-SAT.

The claims of CP-SAT are not trusted alone: callers confirm them by another search or by HiGHS
(`highs_bound`).

CP-SAT needs integer costs. Gains are scaled such that their sum stays below 2⁵⁰, and the bound
allows for the rounding of every column that a solution could use.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gammacp.alignment.limits import Limits
from gammacp.alignment.packing.problem import Packing, PackingProblem
from gammacp.alignment.problem import Status
from gammacp.base.arrays import Floats, Indices
from gammacp.base.stopping import GIGA, UNLIMITED, current_work, spend, watched

# Largest sum of integer costs, and largest single integer cost.
_LARGEST_SUM = 2.0**50
_LARGEST_COST = 2.0**40
# Smaller than any cost; avoids a division by 0.
_TINY = 1e-200
# Steps of work charged per unit of CP-SAT's deterministic time, which takes two to three seconds.
_STEPS_OF_CPSAT_TIME = 2.5 * GIGA


@dataclass(eq=False)
class Program:
    """A CP-SAT model with its variables.

    Attributes
    ----------
    model
        The model of CP-SAT.
    times
        Variable of each column: the number of times that it is used.
    units
        Units that are in some column.
    capacity
        Number of groups that each of these units may be in.
    covering
        For each of these units, the variables of the columns that contain it.
    alone_variables
        In a cover, for each of these units a variable that is 1 if it is left alone.
    """

    model: Any
    times: list[Any]
    units: Indices
    capacity: list[int]
    covering: list[list[Any]] = field(default_factory=list)
    alone_variables: list[Any] = field(default_factory=list)

    @cached_property
    def alone(self) -> list[Any]:
        """Number of times that each unit is left alone: an expression, in a cover a variable."""
        if self.alone_variables:
            return self.alone_variables
        pairs = zip(self.capacity, self.covering, strict=True)
        return [capacity - sum(variables) for capacity, variables in pairs]


def best_packing(
    problem: PackingProblem,
    limits: Limits,
    *,
    hint: Indices | None = None,
    slack: float = 0.0,
) -> Packing:
    """Maximize Σ gain, minus the cost of covering units more than once.

    The search may end once the bound is within `slack` of the gain. It starts from `hint`, the
    number of uses of each column.
    """
    columns = problem.columns
    cover = problem.cover
    if not columns.number:
        return Packing(np.zeros(0, np.int64), 0.0, True)
    program = build_program(problem)
    total_capacity = int(problem.capacity[program.units].sum())
    # In a cover, charge the opening for each use of a unit, also for leaving it alone. One charge
    # per unit is free: `shift` adds it back to the bound below.
    value = columns.gain - (columns.sizes * problem.opening if cover else 0.0)
    integers, scale = to_integers(value, total_capacity, least_largest=problem.opening)
    terms = list(program.times)
    coefficients = integers.tolist()
    if cover:
        terms += program.alone
        coefficients += [-round(problem.opening * scale)] * len(program.alone)
    if hint is not None:
        for variable, hinted in zip(program.times, hint.tolist(), strict=True):
            program.model.add_hint(variable, hinted)
    program.model.maximize(weighted_sum(terms, coefficients))
    solver, status = run_cpsat(program, limits, absolute_gap_limit=slack * scale)
    if status is None:
        # Without a solution, the bound is that of all columns, each as often as possible.
        gains = np.maximum(columns.gain * problem.most_uses, 0)
        return Packing(np.zeros(columns.number, np.int64), float(gains.sum()), False)
    times = np.array([solver.value(x) for x in program.times], np.int64)
    # Each group of a best packing was rounded by at most half a step. It has no more groups than
    # the units have capacity: in a cover no group costs less than 0, so one whose units are all in
    # other groups can be dropped.
    rounding = 0.5 * (total_capacity + 1) / scale
    if cover:
        shift = len(program.units) * problem.opening
    else:
        shift = 0.0
    bound = solver.best_objective_bound / scale + shift + rounding
    searched_exactly = limits.gap == 0 and slack == 0
    return Packing(times, bound, status is Status.OPTIMAL and searched_exactly)


def build_program(problem: PackingProblem) -> Program:
    """Build the CP-SAT model: a variable for each column, and a constraint for each unit."""
    from ortools.sat.python import cp_model

    columns, units = problem.columns.compress()
    model = cp_model.CpModel()
    most_uses = problem.most_uses.tolist()
    times = [model.new_int_var(0, k, "") if k > 1 else model.new_bool_var("") for k in most_uses]
    # The columns of unit i are column_of[ends[i]:ends[i + 1]].
    order = np.argsort(columns.members, kind="stable")
    column_of = columns.column_of[order]
    ends = np.searchsorted(columns.members[order], np.arange(len(units) + 1))
    program = Program(model, times, units, problem.capacity[units].tolist())
    for i, capacity in enumerate(program.capacity):
        variables = [times[c] for c in column_of[ends[i] : ends[i + 1]]]
        program.covering.append(variables)
        if problem.cover:
            alone = model.new_bool_var("")
            model.add_at_least_one([*variables, alone])
            program.alone_variables.append(alone)
        elif len(variables) > 1:
            if capacity == 1:
                model.add_at_most_one(variables)
            else:
                model.add(sum(variables) <= capacity)
    return program


def weighted_sum(terms: list[Any], coefficients: list[int]) -> Any:
    """Return Σ coefficient·term as an expression of CP-SAT."""
    from ortools.sat.python import cp_model

    return cp_model.LinearExpr.weighted_sum(terms, coefficients)


def run_cpsat(
    program: Program, limits: Limits, *, absolute_gap_limit: float | None = None
) -> tuple[Any, Status | None]:
    """Run CP-SAT; return the solver and the status of its solution, None if it has none."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2
    solver.parameters.random_seed = limits.seed % 2**31
    solver.parameters.relative_gap_limit = limits.gap
    if absolute_gap_limit is not None:
        solver.parameters.absolute_gap_limit = absolute_gap_limit
    if limits.time_limit is not None:
        solver.parameters.max_time_in_seconds = limits.time_limit
    # CP-SAT's own signal handler would hide Ctrl-C from the rest of the program.
    solver.parameters.catch_sigint_signal = False
    work = current_work()
    if work.steps_left < UNLIMITED:
        solver.parameters.max_deterministic_time = work.steps_left / _STEPS_OF_CPSAT_TIME
    status = watched(lambda: solver.solve(program.model), solver.stop_search, limits.deadline())
    spend(solver.deterministic_time * _STEPS_OF_CPSAT_TIME)
    work.nodes += solver.num_branches
    statuses = {cp_model.OPTIMAL: Status.OPTIMAL, cp_model.FEASIBLE: Status.FEASIBLE}
    return solver, statuses.get(status)


def to_integers(
    values: Floats, total_capacity: int, *, least_largest: float = 0.0
) -> tuple[Indices, float]:
    """Return values as integers, and the power of two by which they were multiplied.

    The largest absolute value is taken to be at least `least_largest`.
    """
    largest = max(float(np.abs(values).max(initial=0.0)), least_largest, _TINY)
    scale = 2.0 ** np.floor(np.log2(largest_scale(total_capacity) / largest))
    return np.rint(values * scale).astype(np.int64), float(scale)


def largest_scale(total_capacity: int) -> float:
    """Return the factor on costs of 1 with which neither one of them nor their sum gets too large.

    Parameters
    ----------
    total_capacity
        Largest number of groups in a packing.
    """
    return min(_LARGEST_SUM / (total_capacity + 1), _LARGEST_COST)
