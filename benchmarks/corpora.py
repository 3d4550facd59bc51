"""Corpora of short documents: CPU seconds and memory of commands, and growth in documents.

    python benchmarks/corpora.py FOLDER [--growth 16000] [--out results/benchmarks]

FOLDER holds `wmt23-mqm-ende.csv` and `toxic-spans.csv`. Each command is a process of its own, its
workers included; start it twice, because kernels compile at the first call.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gammacp.csv_files import write_rows

TOXIC, WMT = "toxic-spans.csv", "wmt23-mqm-ende.csv"
COMMANDS: Sequence[tuple[str, str, tuple[str, ...]]] = (
    ("gamma", WMT, ()),
    *(("gamma", WMT, ("--chance", model)) for model in ("cut", "shift", "corpus")),
    ("compare", WMT, ()),
    ("report", WMT, ()),
    ("gamma", TOXIC, ()),
)


def measured(command: str, file: Path, options: Sequence[str]) -> tuple[float, float]:
    """CPU seconds and MB of one process."""
    with tempfile.TemporaryDirectory() as folder:
        extra = ["-o", f"{folder}/page.html"] if command == "report" else []
        call = [sys.executable, "-m", "gammacp", command, str(file), *options, *extra, "--json"]
        running = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(running.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(call)} failed with status {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def synthetic(path: Path, documents: int) -> None:
    """Three of ten annotators per document, each with some two units of 3 to 15 characters."""
    rng = np.random.default_rng(documents)
    rows: list[tuple[object, ...]] = [("continuum", "annotator", "category", "start", "end")]
    for d in range(documents):
        seeds = rng.integers(0, 200, size=rng.poisson(2.5))
        for a in rng.choice(10, 3, replace=False):
            kept = seeds[rng.random(len(seeds)) < 0.8] + rng.integers(-3, 4)
            rows += [(d, f"a{a}", "abc"[s % 3], s + 3, s + 3 + 3 + s % 12) for s in kept]
            if not len(kept):
                rows.append((d, f"a{a}", "", "", ""))
    write_rows(path, rows)


def main() -> None:
    """Measure what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--growth", type=int, default=16_000, help="documents at the most")
    parser.add_argument("--out", type=Path, default=Path("results/benchmarks"))
    given = parser.parse_args()
    rows: list[tuple[object, ...]] = []
    for command, name, options in COMMANDS:
        rows.append(
            (" ".join((command, name, *options)), *measured(command, given.folder / name, options))
        )
        print(*rows[-1], flush=True)
    with tempfile.TemporaryDirectory() as folder:
        sizes = [s for s in (1000, 2000, 4000, 8000, 16_000) if s <= given.growth]
        for size in sizes:
            file = Path(folder) / f"{size}.csv"
            synthetic(file, size)
            rows.append((f"gamma, {size} documents", *measured("gamma", file, ())))
            print(*rows[-1], flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    shown = [(what, f"{seconds:.1f}", f"{mb:.0f}") for what, seconds, mb in rows]
    write_rows(given.out / "corpora.csv", [("work", "cpu_seconds", "mb"), *shown])


if __name__ == "__main__":
    main()
