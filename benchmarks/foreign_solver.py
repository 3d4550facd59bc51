"""A solver that is not ours on a file of `gammacp export`: python THIS SOLVER FILE SECONDS [LEVEL].

SOLVER is `highs` (highspy; MPS or LP), `scip` (pyscipopt; MPS, LP or OPB) or `cpsat` (ortools; the
file of `--to cpsat`, with its hints; LEVEL is its linearization level). It stops after as many CPU
seconds, and prints status, objective, bound, CPU seconds without reading, and both on the way:
[[CPU seconds, objective, bound], …]. Python is one that has these three packages, another than
gammacp's: highspy and ortools cannot share a process with each other.
"""

import json
import math
import sys
import threading
import time
from pathlib import Path
from typing import Any

Trace = list[tuple[float, float | None, float | None]]


class Clock:
    """CPU seconds since the file was read."""

    def __init__(self) -> None:
        self.began = time.process_time()
        self.trace: Trace = []

    def now(self) -> float:
        return time.process_time() - self.began

    def note(self, objective: float | None, bound: float | None) -> None:
        numbers = [v if v is not None and abs(v) < 1e19 else None for v in (objective, bound)]
        self.trace.append((round(self.now(), 3), numbers[0], numbers[1]))


def highs(path: str, limit: float, _: int) -> tuple[str, Trace]:
    import highspy

    model = highspy.Highs()
    model.setOptionValue("log_to_console", False)
    model.setOptionValue("threads", 1)
    model.setOptionValue("mip_rel_gap", 0.0)
    model.setOptionValue("mip_abs_gap", 0.4)  # objectives are whole numbers
    if model.readModel(path) != highspy.HighsStatus.kOk:
        raise SystemExit(f"HiGHS cannot read {path}")
    clock = Clock()

    def note(event: Any) -> None:
        clock.note(event.data_out.mip_primal_bound, event.data_out.mip_dual_bound)

    def stop(event: Any) -> None:
        if clock.now() > limit:
            event.interrupt()

    model.cbMipLogging += note
    for event in (model.cbMipInterrupt, model.cbSimplexInterrupt, model.cbIpmInterrupt):
        event += stop
    model.run()
    info = model.getInfo()
    is_optimal = model.getModelStatus() == highspy.HighsModelStatus.kOptimal
    clock.note(info.objective_function_value, info.mip_dual_bound)
    return "optimal" if is_optimal else "feasible", clock.trace


def scip(path: str, limit: float, _: int) -> tuple[str, Trace]:
    from pyscipopt import Model

    model = Model()
    model.hideOutput()
    model.readProblem(path)
    model.setParam("timing/clocktype", 1)
    model.setParam("limits/time", limit)
    clock = Clock()
    model.optimize()
    clock.note(model.getObjVal() if model.getNSols() else None, model.getDualbound())
    return "optimal" if model.getStatus() == "optimal" else "feasible", clock.trace


def cpsat(path: str, limit: float, level: int) -> tuple[str, Trace]:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    if not model.proto.parse_text_format(Path(path).read_text()):
        raise SystemExit(f"CP-SAT cannot read {path}")
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = level
    clock, ended = Clock(), threading.Event()
    best_and_bound: list[float | None] = [None, None]

    class Note(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            best_and_bound[:] = self.objective_value, self.best_objective_bound
            clock.note(*best_and_bound)

    def bound(value: float) -> None:
        best_and_bound[1] = value
        clock.note(*best_and_bound)

    def watch() -> None:
        while not ended.wait(0.02):
            if clock.now() > limit:
                solver.stop_search()

    solver.best_bound_callback = bound
    threading.Thread(target=watch, daemon=True).start()
    status = solver.solve(model, Note())
    ended.set()
    has_solution = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    clock.note(solver.objective_value if has_solution else None, solver.best_objective_bound)
    return "optimal" if status == cp_model.OPTIMAL else "feasible", clock.trace


def main() -> None:
    name, path, limit = sys.argv[1], sys.argv[2], float(sys.argv[3])
    level = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    status, trace = {"highs": highs, "scip": scip, "cpsat": cpsat}[name](path, limit, level)
    seconds, objective, bound = trace[-1]
    if objective is None or math.isnan(objective):
        status = "none"
    record = {"status": status, "objective": objective, "bound": bound, "cpu": seconds}
    print(json.dumps({**record, "trace": trace}))


if __name__ == "__main__":
    main()
