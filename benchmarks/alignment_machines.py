"""The same bytes on any machine: python benchmarks/alignment_machines.py [--busy N] [FILE …].

Each command runs three times: as it is, beside N processes that keep the processor busy, and with
clocks that run 1,000 times as fast, as on a machine of the far future. What it writes to stdout and
its exit code have to be the same to the byte; a difference is an error.

Commands are `align`, `align --method cpsat` and `gamma` of the data that gammacp ships, of FILEs,
and of continua that are hard: they come close to the budgets that end proofs and ties. Writes
alignment-machines.csv: each command with the hash of its output, its processor time, and what it
was compared with.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alignment_case import instance

HERE = Path(__file__).parent
SHIPPED = ["alex-paul-suzan", "dalton", "figure10", "3by100", "2by1000"]
HARD = ["8x8:1:random", "30x3:1:crowd", "2x200:1:spot"]
# Runs gammacp with clocks FACTOR times as fast.
CHILD = """
import runpy, sys, time

factor = float(sys.argv.pop(1))

def hasten(name):
    read, began = getattr(time, name), getattr(time, name)()
    setattr(time, name, lambda: began + factor * (read() - began))

for name in ("monotonic", "perf_counter", "process_time", "thread_time", "time"):
    hasten(name)
runpy.run_module("gammacp", run_name="__main__", alter_sys=True)
"""
BUSY = "while True: sum(range(100_000))"


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep the processor busy with so many processes."""
    started = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def output(arguments: list[str], factor: float) -> tuple[str, float]:
    """Return exit code, bytes and hash of what a command writes; and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [sys.executable, "-c", CHILD, str(factor), "-q", *arguments]
    environment = os.environ | {"NO_COLOR": "1"}
    ended = subprocess.run(command, capture_output=True, check=False, env=environment)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if ended.returncode:
        print(ended.stderr.decode()[-2000:], file=sys.stderr)
    digest = hashlib.sha256(ended.stdout + str(ended.returncode).encode())
    return f"{ended.returncode} {len(ended.stdout)} {digest.hexdigest()[:16]}", spent


def commands(files: list[str], folder: Path) -> Iterator[list[str]]:
    """Yield the arguments of each command."""
    for name in SHIPPED:
        yield ["align", "--dataset", name, "--json"]
        yield ["gamma", "--dataset", name, "--json"]
    yield ["align", "--dataset", "alex-paul-suzan", "--method", "cpsat", "--json"]
    for case in HARD:
        path = folder / f"{case.replace(':', '-')}.csv"
        rows = [f"{u.annotator},{u.category},{u.start!r},{u.end!r}" for u in instance(case)]
        path.write_text("\n".join(rows) + "\n")
        yield ["align", str(path), "--json"]
        yield ["align", str(path), "--method", "cpsat", "--json"]
    for file in files:
        yield ["align", file, "--json"]
        yield ["gamma", file, "--json"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--busy", type=int, default=6, help="processes that take the processor")
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "benchmarks")
    options = parser.parse_args()
    differing = 0
    path = options.out / "alignment-machines.csv"
    with tempfile.TemporaryDirectory() as folder, path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["command", "output", "cpu", "busy machine", "clocks 1000 times as fast"])
        for arguments in commands(options.files, Path(folder)):
            plain, spent = output(arguments, 1)
            with busy(options.busy):
                beside, _ = output(arguments, 1)
            fast, _ = output(arguments, 1000)
            comparisons = ["same" if other == plain else other for other in (beside, fast)]
            differing += comparisons != ["same", "same"]
            shown = " ".join(Path(a).name for a in arguments)
            writer.writerow([shown, plain, f"{spent:.2f}", *comparisons])
            stream.flush()
            print(shown, plain, *comparisons, flush=True)
    print(f"{differing} commands differ")
    raise SystemExit(differing > 0)


if __name__ == "__main__":
    main()
