"""Mutation testing with cosmic-ray: which small faults in a module would its tests miss?

    python benchmarks/mutants.py gammacp/alignment/kernels/pairs.py tests/alignment/test_problem.py
    python benchmarks/mutants.py gammacp/chance tests/chance --mutants 60 --seed 1

A sample of cosmic-ray's mutants of a module or package is tried in a copy of the checkout, one
after the other. Kernels run as plain Python there (NUMBA_DISABLE_JIT): a compiled one would be
taken from the cache of another that calls it. The tests must pass without a mutant; survivors are
printed with their change. cosmic-ray has no sample of its own, so mutants beyond it are taken out
of its session.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_CONFIG = """
[cosmic-ray]
module-path = "{module}"
timeout = {timeout}
excluded-modules = []
test-command = "{python} -m pytest -x -q -n 0 -p no:cacheprovider {tests}"
[cosmic-ray.distributor]
name = "local"
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("module", help="file or folder to mutate")
    parser.add_argument("tests", nargs="+", help="tests that should notice")
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=120, help="seconds for the tests")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "copy"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True)
        tests = " ".join(args.tests)
        values = {"timeout": args.timeout, "python": sys.executable, "tests": tests}
        (copy / "mutants.toml").write_text(_CONFIG.format(module=args.module, **values))
        print(f"{sample(copy, args.mutants, args.seed)} mutants in all")
        ray(copy, "--verbosity", "WARNING", "baseline", "mutants.toml")
        ray(copy, "exec", "mutants.toml", "mutants.sqlite")
        report = ["cr-report", "--show-diff", "--surviving-only", "mutants.sqlite"]
        subprocess.run(report, cwd=copy, env=environment(copy), check=True)
    return 0


def environment(copy: Path) -> dict[str, str]:
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": tools, "PYTHONPATH": str(copy), "NUMBA_DISABLE_JIT": "1"}


def ray(copy: Path, *arguments: str) -> None:
    subprocess.run(["cosmic-ray", *arguments], cwd=copy, env=environment(copy), check=True)


def sample(copy: Path, size: int, seed: int) -> int:
    """Begin a session of `size` random mutants; returns how many there are."""
    ray(copy, "init", "mutants.toml", "mutants.sqlite")
    with sqlite3.connect(copy / "mutants.sqlite") as session:
        specs = "SELECT job_id FROM mutation_specs ORDER BY module_path, operator_name, occurrence"
        every = [row[0] for row in session.execute(specs)]
        chosen_jobs = set(random.Random(seed).sample(every, min(size, len(every))))
        for table in ("mutation_specs", "work_items"):
            gone = [(job,) for job in every if job not in chosen_jobs]
            session.executemany(f"DELETE FROM {table} WHERE job_id = ?", gone)
    return len(every)


if __name__ == "__main__":
    sys.exit(main())
