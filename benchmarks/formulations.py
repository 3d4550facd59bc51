"""Formulations compared: python benchmarks/formulations.py --python PYTHON [--seconds S].

Each formulation of each instance goes to a file, as `gammacp export` writes it, and that to HiGHS
and CP-SAT in a process of its own, which stops after S CPU seconds (`foreign_solver.py`; PYTHON is
one that has highspy and ortools). Our own solvers stand beside them, with the clock of the CPU.
Writes formulations.csv: CPU seconds to the proof, or the gap that is left, and the gap after .1,
.3, 1, 3, … seconds.

pairs            a variable per pair of units, triangles, representatives (`integer_program`)
representatives  asymmetric ones (Campêlo, Campos & Corrêa 2008): y_ur, unit u is in the group whose
                 first unit is r; products of these for the pairs inside
sets             a variable per unitary alignment
… pruned         of what can be in a best alignment only; without it of all pairs, and of all
                 unitary alignments that cost less than their units alone
… level L        CP-SAT's linearization level, 1 elsewhere
… hint           from the greedy algorithm of 2011
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from alignment_case import instance, warm_up
from scipy.sparse import csr_array

import gammacp as gc
from gammacp.alignment import Problem, Solution, build_problem, solve
from gammacp.alignment.solvers.greedy import unitary_alignments_within
from gammacp.dissimilarity import bind
from gammacp.problems.exporting import WRITERS, from_program
from gammacp.problems.integer_program import (
    IntegerProgram,
    cut_weights,
    pair_program,
    set_program,
    whole_program,
)

HERE = Path(__file__).parent
CASES = [
    "alex-paul-suzan",
    "3x20:1:random",
    "5x10:1:random",
    "5x20:1:random",
    "5x30:1:random",
    "8x10:1:random",
    "8x20:1:random",
]
TIMES = (0.1, 0.3, 1, 3, 10, 30)
# Largest number of rows and variables: a solver reads such models in a fraction of its time.
MOST = 300_000


def everything(problem: Problem) -> IntegerProgram | None:
    """Return the program by sets, of all groups that are cheaper than their units alone."""
    n = problem.n_annotators
    try:
        columns_within = unitary_alignments_within(problem, n * problem.delta)
    except gc.DataError:
        return None
    columns = columns_within.select(np.flatnonzero(columns_within.gain > 0))
    return set_program(problem, columns) if columns.number <= MOST else None


def representatives(problem: Problem) -> IntegerProgram | None:
    """Return the asymmetric model: y_vv by unit, y_vr by pair r < v, z_uvr by triangle.

    Σ_r y_vr = 1; of each annotator one at most in the group of r, and only if r represents; z is
    the product of y_ur and y_vr, and where u and v are no pair that is 0.
    """
    units, first, second = problem.n_units, problem.first, problem.second
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    weight = dict(zip(pairs, cut_weights(problem)[0].tolist(), strict=True))
    number = {pair: units + i for i, pair in enumerate(weight)}
    later: dict[int, list[int]] = {r: [] for r in range(units)}
    for r, v in weight:
        later[r].append(v)
    rows: list[tuple[list[int], list[int], float, float]] = []
    for v in range(units):
        mine = [number[r, v] for r in range(v) if (r, v) in number]
        rows.append(([v, *mine], [1] * (len(mine) + 1), 1, 1))
    names = [f"y_{v}_{v}" for v in range(units)] + [f"y_{v}_{r}" for r, v in weight]
    cost = [problem.opening] * units + [-w for w in weight.values()]
    owner = problem.annotator.tolist()
    for r, members in later.items():
        for k in sorted({owner[v] for v in members}):
            inside = [number[r, v] for v in members if owner[v] == k]
            rows.append(([*inside, r], [1] * len(inside) + [-1], -np.inf, 0))
        for u, v in combinations(sorted(members), 2):
            if owner[u] == owner[v]:
                continue
            y, x = number[r, u], number[r, v]
            if (u, v) not in weight:
                rows.append(([y, x], [1, 1], -np.inf, 1))
                continue
            z = len(cost)
            cost.append(-weight[u, v])
            names.append(f"z_{u}_{v}_{r}")
            rows.append(([y, x, z], [1, 1, -1], -np.inf, 1))
            rows += [([z, one], [1, -1], -np.inf, 0) for one in (y, x)]
        if len(rows) > MOST or len(cost) > MOST:
            return None
    return scaled(names, np.array(cost), rows, units * problem.n_annotators)


def scaled(
    names: list[str], cost: Any, rows: list[tuple[list[int], list[int], float, float]], most: int
) -> IntegerProgram:
    begin = np.cumsum([0, *(len(inside) for inside, _, _, _ in rows)])
    inside = np.concatenate([i for i, _, _, _ in rows])
    signs = np.concatenate([s for _, s, _, _ in rows]).astype(float)
    program = whole_program(names, cost, [([(np.zeros(0, int), np.zeros(0, int), 1)], 0, 0)], most)
    return replace(
        program,
        matrix=csr_array((signs, inside, begin), (len(rows), len(names))),
        lower=np.array([lower for _, _, lower, _ in rows], float),
        upper=np.array([upper for _, _, _, upper in rows], float),
    )


def formulations(whole: Problem, pruned: Problem) -> Iterator[tuple[str, IntegerProgram | None]]:
    for name, problem in (("pairs", whole), ("pairs pruned", pruned)):
        yield name, small(pair_program, problem)
    yield "representatives", representatives(whole)
    yield "representatives pruned", representatives(pruned)
    yield "sets", everything(whole)
    yield "sets pruned", small(set_program, pruned)


def small(make: Any, problem: Problem) -> IntegerProgram | None:
    try:
        program: IntegerProgram = make(problem)
    except gc.DataError:
        return None
    return program if max(program.matrix.shape) <= MOST else None


def hint(model: Any, program: IntegerProgram, problem: Problem) -> None:
    """Set every variable of the model by pairs to its value in the greedy alignment."""
    groups = [
        sorted(u for u in g if u >= 0) for g in solve(problem, method="greedy").groups.tolist()
    ]
    true_variables = {f"x_{u}_{v}" for g in groups for u, v in combinations(g, 2)}
    true_variables |= {f"r_{g[0]}" for g in groups} | {"g_" + "_".join(map(str, g)) for g in groups}
    for i, name in enumerate(program.names):
        model.add_hint(model.get_bool_var_from_proto_index(i), name in true_variables)


def foreign(
    options: argparse.Namespace, solver: str, text: str, ending: str, level: int = 1
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model.{ending}"
        path.write_text(text)
        script = str(HERE / "foreign_solver.py")
        command = [options.python, script, solver, str(path), str(options.seconds), str(level)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"status": f"failed: {done.stderr.strip().splitlines()[-1][:80]}"}
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def row(solved: dict[str, Any], scale: float) -> dict[str, Any]:
    """Return times and gaps of a run: (objective − bound)/objective, none without both."""
    gaps = {}
    for at in TIMES:
        trace_so_far = [(o, b) for t, o, b in solved.get("trace", ()) if t <= at]
        best = [o for o, _ in trace_so_far if o is not None]
        most = [b for _, b in trace_so_far if b is not None]
        over = at > solved.get("cpu", 0.0)
        gaps[f"gap {at:g} s"] = "" if over or not best or not most else gap(min(best), max(most))
    cells = {k: solved.get(k) for k in ("status", "cpu")}
    for key in ("objective", "bound"):
        cells[key] = None if solved.get(key) is None else solved[key] / scale
    relative_gap = (
        None
        if None in (cells["objective"], cells["bound"])
        else gap(cells["objective"], cells["bound"])
    )
    return {**cells, "gap": relative_gap, **gaps}


def gap(objective: float, bound: float) -> float:
    return max(0.0, (objective - bound) / max(abs(objective), 1e-300))


def ours(problem: Problem, method: str, seconds: float) -> dict[str, Any]:
    start = time.process_time()
    try:
        solution: Solution = solve(problem, method=method, time_limit=seconds)
    except gc.DataError as error:
        return {"status": f"not run: {error.message}"}
    spent = time.process_time() - start
    status = str(solution.status)
    return {
        "status": status,
        "objective": solution.objective,
        "bound": solution.bound,
        "cpu": spent,
    }


def measured(case: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    continuum = instance(case)
    bound = bind(gc.Combined(), continuum)
    whole = build_problem(continuum, bound, prune=False)
    pruned = build_problem(continuum, bound)
    for method in ("auto", "generation", "enumeration"):
        solved = row(ours(pruned, method, options.seconds), 1.0)
        yield {"formulation": f"method {method}", "solver": "gammacp", **solved}
    for name, program in formulations(whole, pruned):
        if program is None:
            yield {"formulation": name, "status": "too large"}
            continue
        size = {"rows": program.matrix.shape[0], "variables": program.matrix.shape[1]}
        write, _ = WRITERS["mps"]
        about = {"formulation": name, **size}
        solved = foreign(options, "highs", "\n".join(write(program)), "mps")
        yield {**about, "solver": "HiGHS", **row(solved, program.scale)}
        model = from_program(program)
        solved = foreign(options, "cpsat", str(model.proto), "cpsat")
        yield {**about, "solver": "CP-SAT", **row(solved, program.scale)}
        if name not in ("pairs pruned", "sets pruned"):
            continue
        for level in (0, 2):
            solved = foreign(options, "cpsat", str(model.proto), "cpsat", level)
            cells_about = {**about, "formulation": f"{name}, level {level}", "solver": "CP-SAT"}
            yield {**cells_about, **row(solved, program.scale)}
        hint(model, program, whole)
        solved = foreign(options, "cpsat", str(model.proto), "cpsat")
        cells_about = {**about, "formulation": f"{name}, hint", "solver": "CP-SAT"}
        yield {**cells_about, **row(solved, program.scale)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True, help="Python with highspy and ortools")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--cases", nargs="*", default=CASES)
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "benchmarks")
    options = parser.parse_args()
    for n in (3, 8):
        warm_up(n)
    time.monotonic = time.process_time  # limits of our own solvers
    fields = ["case", "formulation", "solver", "rows", "variables", "status", "cpu", "objective"]
    fields += ["bound", "gap", *(f"gap {at:g} s" for at in TIMES)]
    with (options.out / "formulations.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, fields)
        writer.writeheader()
        for case in options.cases:
            for measured_row in measured(case, options):
                cells = {
                    k: f"{v:.6g}" if isinstance(v, float) else v for k, v in measured_row.items()
                }
                writer.writerow({"case": case, **cells})
                stream.flush()
                print({"case": case, **cells}, file=sys.stderr)


if __name__ == "__main__":
    main()
