"""Crowds and corpora: what is aimed at beside what is measured, and growth.

    python benchmarks/corpora.py FOLDER [--only goals|growth] [--out results/benchmarks]

FOLDER holds `llm-spans/*.csv`, `wmt23-mqm-ende.csv` and `toxic-spans.csv`; what is not there is
said and left out. Each measurement is a process of its own, its workers included: CPU seconds (user
+ system) and peak memory. Start it twice, because kernels, and Python's own bytecode, are compiled
at the first call. Time limits of alignments are kept by the clock of the CPU, so that they mean the
same beside other work; those of commands are wall-clock seconds. Growth is that of γ in documents
(a third of them empty) and of one alignment in annotators, its memory above what the warmed-up
process held. Writes crowds-goals.csv and corpora.csv, row by row.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from alignment import run, script_of

from gammacp.base.csv_files import write_rows

TOXIC, WMT, PEOPLE = "toxic-spans.csv", "wmt23-mqm-ende.csv", "llm-spans"
CHANCE: Sequence[tuple[str, str, tuple[str, ...]]] = tuple(
    ("gamma", WMT, ("--chance", model)) for model in ("cut", "shift", "corpus")
)
DOCUMENTS = (1000, 2000, 4000, 8000, 16_000)
ANNOTATORS, LIMIT = (3, 5, 10, 20, 35, 70, 140, 200), 20
# Goals for alignments: case or files, seconds, largest gap; None demands a proof.
ALIGNED: Sequence[tuple[str, float | None, float]] = (
    ("d2t-*", 5, 0.03),
    ("d2t-*", 60, 0.005),
    ("qualification-*", 5, 0.1),
    ("qualification-*", 120, 0.02),
    ("8x425:1:overlapping", 60, 0.01),
)
# Of commands: name, file, options, CPU seconds, and MB of memory or of the page.
COMMANDS: Sequence[tuple[str, str, tuple[str, ...], float, float | None]] = (
    ("gamma", f"{PEOPLE}/d2t-football_gemma2_0.csv", ("--samples", "30"), 120, None),
    ("gamma", WMT, (), 3, None),
    ("compare", WMT, (), 15, None),
    ("report", WMT, (), 20, 5),
    ("gamma", TOXIC, (), 120, 1024),
)


class Spent(NamedTuple):
    """Resources of a command: CPU seconds, MB of memory, MB of output."""

    seconds: float
    memory: float
    page: float


class Goal(NamedTuple):
    """One figure, and its largest accepted value."""

    work: str
    figure: str
    goal: float
    measured: float

    @property
    def row(self) -> tuple[object, ...]:
        """Return the row of the table."""
        reached = "yes" if self.measured <= self.goal else "no"
        return self.work, self.figure, f"{self.goal:g}", f"{self.measured:.4g}", reached


def measured(command: str, file: Path, options: Sequence[str]) -> Spent:
    """Run a command in a process of its own, and return its resources."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        extra = ["-o", str(page)] if command == "report" else []
        call = [sys.executable, "-m", "gammacp", command, str(file), *options, *extra, "--json"]
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        running = subprocess.Popen(call, env=environment, **nowhere)
        _, status, used = os.wait4(running.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(call)} failed with status {status}")
        size = page.stat().st_size / 1e6 if extra else 0.0
    return Spent(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, size)


def goals(folder: Path) -> Iterator[Goal]:
    """Yield the figures for which there are goals, one after the other."""
    for pattern, seconds, gap in ALIGNED:
        synthetic = ":" in pattern
        cases = [pattern] if synthetic else sorted((folder / PEOPLE).glob(f"{pattern}.csv"))
        for case in cases:
            measurement = aligned(str(case), seconds)
            yield Goal(f"{Path(case).stem}, {seconds:g} s", "gap", gap, measurement["gap"])
    for seed in (1, 2, 3):
        measurement = aligned(f"4x8:{seed}:spot", None)
        yield Goal(f"4 x 8 within .001, draw {seed}, proven", "CPU s", 1, measurement["cpu"])
    for command, name, options, seconds, megabytes in COMMANDS:
        if not (folder / name).exists():
            continue
        work, spent = " ".join((command, name, *options)), measured(command, folder / name, options)
        yield Goal(work, "CPU s", seconds, spent.seconds)
        if megabytes is not None:
            page = command == "report"
            size = spent.page if page else spent.memory
            yield Goal(work, "MB of the page" if page else "MB", megabytes, size)
    yield Goal("gamma 3by100, a random set over its candidate pairs", "ratio", 5, ratio())


def aligned(case: str, seconds: float | None) -> dict[str, float]:
    """Run one alignment, timed by the clock of the CPU."""
    limit = [] if seconds is None else [str(seconds), "cpu"]
    measurement = run([*script_of("alignment_case.py"), case, "align", *limit], 6000)
    if "gap" not in measurement or (seconds is None and measurement["status"] != "optimal"):
        raise SystemExit(f"{case}: {measurement['status']}")
    return {k: v for k, v in measurement.items() if isinstance(v, float)}


def ratio() -> float:
    """CPU seconds of γ per random set, in times of finding the candidate pairs of one."""
    measurement = run([*script_of("alignment_case.py"), "3by100", "sets"], 6000)
    return float(str(measurement["ratio"]))


def synthetic(path: Path, documents: int) -> None:
    """Write documents with three of ten annotators, each with about two units or none.

    Units have 3 to 15 characters. In a third of the documents, nobody marks anything.
    """
    rng = np.random.default_rng(documents)
    rows: list[tuple[object, ...]] = [("document", "annotator", "category", "start", "end")]
    for d in range(documents):
        seeds = rng.integers(0, 200, size=rng.poisson(2.5) * (rng.random() < 0.72))
        for a in rng.choice(10, 3, replace=False):
            places = seeds[rng.random(len(seeds)) < 0.8] + rng.integers(-3, 4)
            rows += [(d, f"a{a}", "abc"[s % 3], s + 3, s + 3 + 3 + s % 12) for s in places]
            if not len(places):
                rows.append((d, f"a{a}", "", "", ""))
    write_rows(path, rows)


def growing(folder: Path) -> Iterator[tuple[object, ...]]:
    """Yield alignments of more and more annotators, γ of more documents, other chance models."""
    for number in ANNOTATORS:
        measurement = aligned(f"{number}x10:1:crowd", LIMIT)
        work = f"alignment, {number} annotators with 10 spans, limit {LIMIT} s"
        yield (
            work,
            f"{measurement['cpu']:.3g}",
            f"{measurement['memory']:.0f}",
            f"{measurement['gap']:.2g}",
        )
    with tempfile.TemporaryDirectory() as temporary:
        for size in DOCUMENTS:
            file = Path(temporary) / f"{size}.csv"
            synthetic(file, size)
            yield _shown(f"gamma, {size} documents", measured("gamma", file, ()))
    for command, name, options in CHANCE if (folder / WMT).exists() else ():
        spent = measured(command, folder / name, options)
        yield _shown(" ".join((command, name, *options)), spent)


def _shown(work: str, spent: Spent) -> tuple[object, ...]:
    return work, f"{spent.seconds:.1f}", f"{spent.memory:.0f}", ""


def main() -> None:
    """Measure what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=("goals", "growth"))
    parser.add_argument("--out", type=Path, default=Path("results/benchmarks"))
    arguments = parser.parse_args()
    for name in (PEOPLE, WMT, TOXIC):
        if not (arguments.folder / name).exists():
            print(f"{name} is not in {arguments.folder}: left out", file=sys.stderr)
    tables: dict[str, tuple[str, Callable[[Path], Iterator[tuple[object, ...]]], tuple[str, ...]]]
    tables = {
        "goals": (
            "crowds-goals.csv",
            lambda folder: (goal.row for goal in goals(folder)),
            ("work", "figure", "goal", "measured", "reached"),
        ),
        "growth": ("corpora.csv", growing, ("work", "cpu_seconds", "mb", "gap")),
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    for file, table, head in [tables[arguments.only]] if arguments.only else tables.values():
        rows: list[tuple[object, ...]] = [head]
        for row in table(arguments.folder):
            rows.append(row)
            print(*row, sep="\t", flush=True)
            # Write row by row, so that an interrupted run keeps its results.
            write_rows(arguments.out / file, rows)


if __name__ == "__main__":
    main()
