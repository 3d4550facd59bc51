"""Costs of sweeps: overhead, speed-up, large stores, workers' start.

    python benchmarks/bench.py overhead|speedup|rows|startup|memory [...]

Shares of processor time are printed where wall-clock time would measure the neighbours' load.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from gammacp.bench.export import export_cells
from gammacp.bench.runner import run
from gammacp.bench.source import Shuffled
from gammacp.bench.status import status
from gammacp.bench.store import Store
from gammacp.bench.sweep import PAPER_MEASURES, Cell, Sweep
from gammacp.bench.work import compute
from gammacp.pools import open_pool

FAST = PAPER_MEASURES[1:]


def processor_seconds() -> float:
    """Return the CPU seconds of this process and of its terminated workers."""
    usage, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return usage.ru_utime + usage.ru_stime + children.ru_utime + children.ru_stime


def swept(sweep: Sweep, executor: str, jobs: int, folder: Path) -> tuple[float, float, float]:
    """Run a sweep; return wall seconds, processor seconds, and those inside cells."""
    path = folder / f"{executor}-{jobs}-{time.monotonic_ns()}.sqlite"
    wall, processor = time.perf_counter(), processor_seconds()
    with Store.writing(path) as store:
        with open_pool(executor, jobs) as pool:
            run(sweep, store, pool)
        (inside,) = store.database.execute("SELECT sum(seconds) FROM cells").fetchone()
    return time.perf_counter() - wall, processor_seconds() - processor, inside


def overhead(folder: Path) -> None:
    """Measure the cost of store, executor and parent, as a share of the cells' own cost."""
    for name, measures, sets in (
        ("paper's measures", PAPER_MEASURES, 96),
        ("without γ", FAST, 120),
    ):
        sweep = Sweep(source=Shuffled(), errors=("split",), measures=measures, sets=sets)
        warm = replace(sweep, sets=1)
        for executor, jobs in (("serial", 1), ("processes", 2)):
            # Measure the cost of a run without cells: start of workers, imports, kernels.
            _, start, began = swept(warm, executor, jobs, folder)
            wall, total, inside = swept(sweep, executor, jobs, folder)
            share = (total - (start - began) - inside) / inside
            print(
                f"{name}, {sweep.n_cells} cells, {executor} {jobs}: {wall:.1f} s, cells "
                f"{inside:.1f} s processor time, overhead {100 * share:.1f} %, "
                f"{1e6 * (total - (start - began) - inside) / sweep.n_cells:.0f} µs per cell"
            )


def speedup(folder: Path) -> None:
    """Measure wall-clock time with one and with two processes, interleaved, three times."""
    sweep = Sweep(source=Shuffled(), errors=("split",), measures=("gamma",), sets=24)
    ratios = []
    for _ in range(3):
        one, _, _ = swept(sweep, "serial", 1, folder)
        two, _, _ = swept(sweep, "processes", 2, folder)
        ratios.append(one / two)
        print(f"serial {one:.1f} s, two processes {two:.1f} s: {one / two:.2f}×")
    print(f"median {sorted(ratios)[1]:.2f}×")


def rows(folder: Path) -> None:
    """Measure opening, status and export of a store of a million cells."""
    sweep = Sweep(source=Shuffled(), errors=("split", "position"), sets=4762)
    path = folder / "rows.sqlite"
    with Store.writing(path) as store:
        experiment = store.begin(sweep)
        run_number = store.begin_run(experiment)
        began = time.perf_counter()
        batch: list[Cell] = []
        for task in sweep.tasks():
            place = f"|seed:{hash(task) & 0xFFFFFFFF}|"
            batch += [
                Cell(task.error, task.magnitude, task.set_number, name, task.set_number / 7919,
                     status="optimal", samples=30, seconds=0.1,
                     signature=name + (place if name == "gamma" else "") + "x" * 80)
                for name in task.measures
            ]  # fmt: skip
            if task.magnitude == 1:
                store.add(experiment, batch, run=run_number)
                batch = []
        print(f"{sweep.n_cells} cells written in {time.perf_counter() - began:.1f} s")
    size = path.stat().st_size
    print(f"store: {size / 1e6:.0f} MB, {size / sweep.n_cells:.0f} bytes per cell")
    with Store.reading(path) as store:
        for name, work in (
            ("opening once more", lambda: Store.reading(path).close()),
            ("status", lambda: status(store)),
            ("export CSV", lambda: export_cells(store, folder / "cells.csv")),
            ("export Parquet", lambda: export_cells(store, folder / "cells.parquet")),
        ):
            began, cpu = time.perf_counter(), time.process_time()
            work()
            took = time.perf_counter() - began
            print(f"{name}: {took:.2f} s ({time.process_time() - cpu:.2f} s processor time)")


def startup(folder: Path) -> None:
    """Measure the time from the start to the first cell of a worker."""
    del folder
    sweep = Sweep(source=Shuffled(), errors=("split",))
    task = next(sweep.tasks())
    for _ in range(3):
        with open_pool("processes", 1) as pool:
            for what in ("first cells of a worker", "the same again"):
                began = time.perf_counter()
                pool.executor.submit(compute, sweep, (task,)).result()
                print(f"{what}: {time.perf_counter() - began:.2f} s")


def resident() -> tuple[float, float]:
    """Return the memory in MB of this process and of its largest worker (Linux)."""
    process = Path("/proc/self")
    pages = [int((process / "statm").read_text().split()[1])]
    children = [c for t in process.glob("task/*/children") for c in t.read_text().split()]
    for child in children:
        with suppress(OSError):
            pages.append(int(Path(f"/proc/{child}/statm").read_text().split()[1]))
    sizes = [n * resource.getpagesize() / 1e6 for n in pages]
    return sizes[0], max(sizes[1:], default=0.0)


def memory(folder: Path) -> None:
    """Measure the resident memory of parent and workers at tenths of long sweeps."""
    for name, measures, sets in (("without γ", FAST, 600), ("γ", ("gamma",), 60)):
        sweep = Sweep(source=Shuffled(), errors=("split",), measures=measures, sets=sets)
        tenths: dict[int, tuple[float, float]] = {}

        def note(done: int, total: int, tenths: dict[int, tuple[float, float]] = tenths) -> None:
            tenths.setdefault(10 * done // total, resident())

        with (
            Store.writing(folder / f"{name}.sqlite") as store,
            open_pool("processes", 2) as pool,
        ):
            run(sweep, store, pool, progress=note)
        print(f"{name}, {sweep.n_cells} cells: MB of parent, largest worker at each tenth")
        print("  " + "  ".join(f"{p:.0f}, {w:.0f}" for p, w in tenths.values()))


PARTS = {
    "overhead": overhead,
    "speedup": speedup,
    "rows": rows,
    "startup": startup,
    "memory": memory,
}

if __name__ == "__main__":
    for part in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as temporary:
            PARTS[part](Path(temporary))
