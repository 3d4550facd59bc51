"""Models of one problem in CP-SAT: python benchmarks/cpsat_models.py [--part models|knobs|workers].

The best alignment is stated to CP-SAT in seven ways, on several random continua of each size. The
solver has one worker and stops after a number of units of its *deterministic time*, which counts
what it does and reads no clock: with the same version of OR-tools, everybody gets the same table.

labels                 a whole number per unit, the name of its group: x_uv ⇔ s_u = s_v,
                       all different within an annotator
labels, one annotator  the same; the units of the annotator with most units have their names fixed
labels, first units    the same; a group has the name of its first unit, so that no two solutions
                       are the same partition
pairs                  x_uv with triangle inequalities, without names
representatives        is the first unit of v's group r? products for the pairs inside
sets                   is this unitary alignment used? exactly one for each unit
sets behind prices     the same, of the sets alone that lose little under the duals of the linear
                       relaxation; more sets until none that is left out could matter

Writes cpsat-models.csv (sizes, the bound of the linear relaxation, status and gap after each
budget), cpsat-knobs.csv (one thing about the solver or the model changed at a time) and
cpsat-workers.csv (more than one worker, in CPU seconds: several workers race, so that their
deterministic time is not what they take). `--part` writes one of them. docs/formulations.md
explains what came of it.
"""

from __future__ import annotations

import argparse
import csv
import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from alignment_case import instance
from formulations import representatives
from ortools.sat.python import cp_model

import gammacp as gc
from gammacp.alignment import Problem, build_problem, solve
from gammacp.alignment.columns import all_columns
from gammacp.alignment.duals.lp import relax
from gammacp.dissimilarity import bind
from gammacp.problems.exporting import from_program
from gammacp.problems.integer_program import IntegerProgram, pair_program, set_program

HERE = Path(__file__).parent
SIZES = ["3x10", "3x20", "5x6", "8x5"]
# Sizes at which labels are tried; from the second one on, no proof is found.
LABELLED = ("3x10", "3x20")
# Units of deterministic time. One takes two to three seconds of an idle core.
BUDGETS = (0.01, 0.03, 0.1, 0.3, 1.0)
# Factor of costs: objectives are whole numbers, so that costs are multiplied and rounded.
SCALE = 2.0**20
# Of Δ: the least threshold on losses, and the factor by which it is raised (solvers/cpsat.py).
FIRST_LOSS, RAISED = 0.01, 4.0


@dataclass
class Model:
    """A CP-SAT model with its size; `unit` is the factor of its objective."""

    model: Any
    unit: float
    variables: int
    rows: int
    bound: float | None = None


@dataclass
class Run:
    """Result of a run, with costs in the problem's own unit."""

    proven: bool
    cost: float
    bound: float
    units: float
    cpu: float

    @property
    def gap(self) -> float:
        """Return the gap between cost and bound as a share; infinite without an alignment."""
        if self.proven:
            return 0.0
        if not math.isfinite(self.cost):
            return math.inf
        return max(0.0, (self.cost - max(self.bound, 0.0)) / self.cost)


# ---- models ------------------------------------------------------------------------------------


def labels(problem: Problem, breaking: str) -> Model:
    """State the problem by a name of a group per unit; units with equal names share one."""
    model, n = cp_model.CpModel(), problem.n_units
    owner = problem.annotator
    units_by_annotator = [np.flatnonzero(owner == a).tolist() for a in range(problem.n_annotators)]
    fixed = max(units_by_annotator, key=len) if breaking == "one annotator" else []
    highest = [u if breaking == "first units" else n - 1 for u in range(n)]
    name = [model.new_int_var(0, highest[u], f"s_{u}") for u in range(n)]
    for k, u in enumerate(fixed):
        model.add(name[u] == k)
    for units in units_by_annotator:
        model.add_all_different([name[u] for u in units])
    weight = {
        (u, v): w
        for u, v, w in zip(
            problem.first.tolist(), problem.second.tolist(), problem.weight.tolist(), strict=True
        )
    }
    together = {pair: model.new_bool_var(f"x_{pair[0]}_{pair[1]}") for pair in weight}
    rows = len(units_by_annotator) + len(fixed)
    for u, v in combinations(range(n), 2):
        if (u, v) in together:
            model.add(name[u] == name[v]).only_enforce_if(together[u, v])
            model.add(name[u] != name[v]).only_enforce_if(~together[u, v])
            rows += 2
        elif owner[u] != owner[v]:
            model.add(name[u] != name[v])
            rows += 1
    # A unit is the first of its group if it shares that with no earlier one.
    first = [model.new_bool_var(f"r_{v}") for v in range(n)]
    for v in range(n):
        earlier = [x for (_, second), x in together.items() if second == v]
        model.add_bool_or([first[v], *earlier])
        rows += 1
        if breaking == "first units":
            model.add(name[v] == v).only_enforce_if(first[v])
            model.add(name[v] != v).only_enforce_if(~first[v])
            rows += 2
    cost = [round(problem.opening * SCALE)] * n + [-round(w * SCALE) for w in weight.values()]
    terms = [*first, *together.values()]
    model.minimize(cp_model.LinearExpr.weighted_sum(terms, cost))
    return Model(model, SCALE, 2 * n + len(together), rows)


def of_program(program: IntegerProgram | None) -> Model:
    """Turn a linear program in 0 and 1 into a model, with the bound of its relaxation."""
    assert program is not None
    rows, variables = program.matrix.shape
    return Model(from_program(program), program.scale, variables, rows, relaxed(program))


def relaxed(program: IntegerProgram) -> float:
    """Return the optimum of the linear relaxation, in the problem's own unit."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    solution = milp(
        program.cost,
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(program.matrix, program.lower, program.upper),
    )
    return float(solution.fun) / program.scale


MODELS: dict[str, Callable[[Problem], Model]] = {
    "labels": lambda problem: labels(problem, ""),
    "labels, one annotator": lambda problem: labels(problem, "one annotator"),
    "labels, first units": lambda problem: labels(problem, "first units"),
    "pairs": lambda problem: of_program(pair_program(problem)),
    "representatives": lambda problem: of_program(representatives(problem)),
    "sets": lambda problem: of_program(set_program(problem)),
}


# ---- runs --------------------------------------------------------------------------------------


def run(model: Model, budget: float | None = None, **parameters: Any) -> Run:
    """Solve a model within a budget in units of deterministic time."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if budget is not None:
        solver.parameters.max_deterministic_time = budget
    for name, value in parameters.items():
        setattr(solver.parameters, name, value)
    began = time.process_time()
    status = solver.solve(model.model)
    cpu = time.process_time() - began
    has_solution = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    cost = solver.objective_value / model.unit if has_solution else math.inf
    bound = solver.best_objective_bound / model.unit
    return Run(status == cp_model.OPTIMAL, cost, bound, solver.deterministic_time, cpu)


@dataclass
class Priced:
    """Run of `sets behind prices`: sets listed, packed last, and models solved."""

    run: Run
    listed: int
    packed: int
    rounds: int
    bound: float


def behind_prices(problem: Problem, budget: float) -> Priced:
    """Pack the sets that lose no more than τ; raise τ until it is what the packing loses."""
    columns = all_columns(problem)
    began = time.process_time()
    price = relax(problem.n_units, columns).price
    losses = columns.losses(price)
    bound = problem.n_units * problem.opening - float(price.sum())
    units, rounds, threshold = 0.0, 0, FIRST_LOSS * problem.scale
    while True:
        priced_columns = columns.select(np.flatnonzero(losses <= threshold + 1e-9))
        program = set_program(problem, priced_columns)
        packed = run(Model(from_program(program), program.scale, 0, 0), budget - units)
        units, rounds = units + packed.units, rounds + 1
        lost = packed.cost - bound
        if not packed.proven or lost <= threshold + 1e-6:
            break
        threshold = min(lost, RAISED * threshold)
    cpu = time.process_time() - began
    least = packed.bound if packed.proven else bound
    packing = Run(packed.proven, packed.cost, least, units, cpu)
    return Priced(packing, columns.number, priced_columns.number, rounds, bound)


def problem_of(size: str, seed: int) -> Problem:
    continuum = instance(f"{size}:{seed}:random")
    return build_problem(continuum, bind(gc.Combined(), continuum))


def model_rows(size: str, seed: int) -> Iterator[dict[str, Any]]:
    """Solve every model of one continuum, with ever larger budgets until it is proven."""
    problem = problem_of(size, seed)
    best = solve(problem).objective
    about = {"size": size, "seed": seed, "optimum": best}
    for name, make in MODELS.items():
        if name.startswith("labels") and size not in LABELLED:
            continue
        built = make(problem)
        sizes = {"variables": built.variables, "rows": built.rows}
        gap_of_relaxation = None if built.bound is None else max(0.0, 1 - built.bound / best)
        gaps: dict[str, float] = {}
        solved = None
        for budget in BUDGETS:
            if solved is None or not solved.proven:
                solved = run(built, budget)
            gaps[f"gap at {budget:g}"] = solved.gap
        assert solved is not None
        check(solved, best)
        ended = {"proven": solved.proven, "units": solved.units, "cpu": solved.cpu}
        yield {**about, "model": name, **sizes, "relaxation": gap_of_relaxation, **ended, **gaps}
    priced = behind_prices(problem, BUDGETS[-1])
    check(priced.run, best)
    gaps = {
        f"gap at {budget:g}": 0.0 if priced.run.units <= budget else math.inf for budget in BUDGETS
    }
    yield {
        **about,
        "model": "sets behind prices",
        "variables": priced.packed,
        "rows": problem.n_units,
        "relaxation": max(0.0, 1 - priced.bound / best),
        "proven": priced.run.proven,
        "units": priced.run.units,
        "cpu": priced.run.cpu,
        "listed": priced.listed,
        "rounds": priced.rounds,
        **gaps,
    }


def check(solved: Run, best: float) -> None:
    """Check a proven result against the optimum of our own solvers."""
    rounding = 1e-3 * max(1.0, best)
    if solved.proven and abs(solved.cost - best) > rounding:
        raise SystemExit(f"a model proves {solved.cost}, the optimum is {best}")
    if solved.bound > best + rounding:
        raise SystemExit(f"a model bounds by {solved.bound}, the optimum is {best}")


# ---- knobs -------------------------------------------------------------------------------------

KNOBS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "linearization 0": {"linearization_level": 0},
    "linearization 2": {"linearization_level": 2},
    "no symmetry": {"symmetry_level": 0},
    "symmetry 4": {"symmetry_level": 4},
    "no presolve": {"cp_model_presolve": False},
    "core search": {"optimize_with_core": True},
}
# Models, and sizes at which each is proven within the budget.
KNOB_CASES = {
    "labels": "3x10",
    "labels, first units": "3x10",
    "pairs": "3x10",
    "representatives": "3x20",
    "sets": "5x6",
}
KNOB_BUDGET = 0.3


def knob_rows(model: str, size: str, seed: int) -> Iterator[dict[str, Any]]:
    """Solve one model with one thing changed at a time."""
    problem = problem_of(size, seed)
    best = solve(problem)
    about = {"model": model, "size": size, "seed": seed}
    for knob, parameters in KNOBS.items():
        solved = run(MODELS[model](problem), KNOB_BUDGET, **parameters)
        yield {**about, "knob": knob, **ended(solved)}
    greedy = solve(problem, method="greedy").groups
    for knob, groups in (("greedy hint", greedy), ("hint of the optimum", best.groups)):
        built = MODELS[model](problem)
        hint(built.model, groups.tolist())
        yield {**about, "knob": knob, **ended(run(built, KNOB_BUDGET))}
    built = MODELS[model](problem)
    # Costs in the program are rounded, by less than 1 for each pair or group.
    least = math.floor(sets_bound(problem) * built.unit) - built.variables
    objective = built.model.proto.objective
    terms = [built.model.get_int_var_from_proto_index(i) for i in objective.vars]
    cost = cp_model.LinearExpr.weighted_sum(terms, list(objective.coeffs))
    built.model.add(cost >= least)
    yield {**about, "knob": "bound of the prices", **ended(run(built, KNOB_BUDGET))}


def ended(solved: Run) -> dict[str, Any]:
    return {"proven": solved.proven, "units": solved.units, "cpu": solved.cpu, "gap": solved.gap}


def sets_bound(problem: Problem) -> float:
    """Return the bound of the linear relaxation by sets."""
    price = relax(problem.n_units, all_columns(problem)).price
    return problem.n_units * problem.opening - float(price.sum())


def hint(model: Any, groups: list[list[int]]) -> None:
    """Set every variable to its value in an alignment; variables are identified by name."""
    members = [sorted(u for u in group if u >= 0) for group in groups]
    first = {u: inside[0] for inside in members for u in inside}
    group_keys = {tuple(inside) for inside in members}
    for i, variable in enumerate(model.proto.variables):
        kind, *rest = variable.name.split("_")
        units = [int(u) for u in rest]
        names = [first[u] for u in units]
        values = {
            "s": names[0],  # its group has the name of the first unit
            "r": int(names[0] == units[0]),  # it is the first one
            "x": int(len(set(names)) == 1),  # they share a group
            "y": int(names[0] == units[-1]),  # the first one of its group is that unit
            "z": int(names[0] == names[-2:][0] == units[-1]),  # and of another unit's, too
            "g": int(tuple(units) in group_keys),  # the group is used
        }
        model.add_hint(model.get_int_var_from_proto_index(i), values[kind])


# ---- workers -----------------------------------------------------------------------------------


def worker_rows(model: str, size: str, seed: int) -> Iterator[dict[str, Any]]:
    """Solve with more workers, each with another strategy: CPU seconds of all together."""
    problem = problem_of(size, seed)
    for workers in (1, 2, 4, 8):
        solved = run(MODELS[model](problem), num_workers=workers)
        about = {"model": model, "size": size, "seed": seed, "workers": workers}
        yield {**about, "proven": solved.proven, "cpu": solved.cpu, "gap": solved.gap}


# ---- tables ------------------------------------------------------------------------------------


def write(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    """Write rows as they come, so that the table is complete up to here at any time."""
    writer = None
    with path.open("w", newline="") as stream:
        for row in rows:
            if writer is None:
                writer = csv.DictWriter(stream, [*row, *EXTRA[path.name]])
                writer.writeheader()
            writer.writerow({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()})
            stream.flush()


EXTRA: dict[str, list[str]] = {
    "cpsat-models.csv": ["listed", "rounds"],
    "cpsat-knobs.csv": [],
    "cpsat-workers.csv": [],
}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def median_of(rows: list[dict[str, str]], key: str) -> float:
    return statistics.median(float(row[key]) for row in rows)


def print_tables(folder: Path) -> None:
    """Print the tables of docs/formulations.md from what was measured."""
    rows = read(folder / "cpsat-models.csv")
    for size in dict.fromkeys(row["size"] for row in rows):
        print(f"\n{size}: variables, rows, left by the relaxation, proven, units, gaps")
        for model in dict.fromkeys(row["model"] for row in rows):
            rows_of_model = [row for row in rows if (row["size"], row["model"]) == (size, model)]
            if not rows_of_model:
                continue
            relaxation = [row for row in rows_of_model if row["relaxation"]]
            gap_of_relaxation = f"{median_of(relaxation, 'relaxation'):.2%}" if relaxation else ""
            proven = sum(row["proven"] == "True" for row in rows_of_model)
            gaps = [f"{median_of(rows_of_model, f'gap at {budget:g}'):.0%}" for budget in BUDGETS]
            numbers = [f"{median_of(rows_of_model, key):.0f}" for key in ("variables", "rows")]
            units = f"{median_of(rows_of_model, 'units'):.2g}"
            cells = [
                model,
                *numbers,
                gap_of_relaxation,
                f"{proven} of {len(rows_of_model)}",
                units,
                *gaps,
            ]
            print("| " + " | ".join(cells) + " |")
    rows = read(folder / "cpsat-knobs.csv")
    print("\nknobs: units, of as many as it is")
    for knob in dict.fromkeys(row["knob"] for row in rows):
        cells = [knob]
        for model in KNOB_CASES:
            rows_of_model = [row for row in rows if (row["knob"], row["model"]) == (knob, model)]
            proven = sum(row["proven"] == "True" for row in rows_of_model)
            open_ones = (
                "" if proven == len(rows_of_model) else f" ({proven} of {len(rows_of_model)})"
            )
            cells.append(
                f"{median_of(rows_of_model, 'units'):.2g}{open_ones}" if rows_of_model else ""
            )
        print("| " + " | ".join(cells) + " |")
    rows = read(folder / "cpsat-workers.csv")
    print("\nworkers: CPU seconds")
    for model, size in dict.fromkeys((row["model"], row["size"]) for row in rows):
        cells = [f"{model}, {size}"]
        for workers in ("1", "2", "4", "8"):
            rows_of_model = [
                row for row in rows if (row["model"], row["workers"]) == (model, workers)
            ]
            cells.append(f"{median_of(rows_of_model, 'cpu'):.2g}")
        print("| " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=["models", "knobs", "workers"])
    parser.add_argument("--continua", type=int, default=5, help="of each size")
    parser.add_argument("--sizes", nargs="*", default=SIZES)
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "benchmarks")
    parser.add_argument("--tables", action="store_true", help="print what was measured before")
    options = parser.parse_args()
    if options.tables:
        print_tables(options.out)
        return
    seeds = range(1, options.continua + 1)
    parts: dict[str, Iterator[dict[str, Any]]] = {
        "models": (row for size in options.sizes for s in seeds for row in model_rows(size, s)),
        "knobs": (
            row
            for model, size in KNOB_CASES.items()
            for s in seeds
            for row in knob_rows(model, size, s)
        ),
        "workers": (
            row
            for model, size in (("representatives", "3x20"), ("sets", "5x6"))
            for s in seeds
            for row in worker_rows(model, size, s)
        ),
    }
    for part, rows in parts.items():
        if options.part in (None, part):
            write(options.out / f"cpsat-{part}.csv", rows)


if __name__ == "__main__":
    main()
