"""Mutation testing of alignment, chance and measures: which small faults would the tests miss?

    python benchmarks/mutants.py run alignment --mutants 120 --stages direct [--processes 2]
    python benchmarks/mutants.py run alignment --mutants 120 --survivors
    python benchmarks/mutants.py run alignment --mutants 120 --survivors --tests tests/alignment
    python benchmarks/mutants.py report

Mutants (`mutants_operators`) are drawn at random with a fixed seed. Each is written into a copy of
the checkout, with the compiled kernels that it could change removed, and tests run there in stages:
`direct`, the package's own tests that take less than a second; `wider`, its other tests and those
of what is built on it; `timed`, tests with a wall-clock limit, which may fail for other reasons.
Within a stage the fastest go first, and the first failure ends the run. A test that takes far more
processor time than without a mutant counts as a time-out. Without a mutant everything must pass.

Results are appended to a file of JSON lines (`--out`), the last line about a mutant counts; what is
there already is not run again.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from mutants_operators import Mutant, drawn

ROOT = Path(__file__).resolve().parents[1]
STAGES = ("direct", "wider", "timed")
TESTS = {
    "alignment": {
        "direct": ["tests/alignment"],
        "wider": [
            "tests/measures/test_gamma.py",
            "tests/measures/test_gamma_cat.py",
            "tests/campaign/consensus",
            "tests/campaign/compare",
            "tests/papers/test_unitizing.py",
        ],
        "timed": ["tests/alignment/test_stopping.py"],
    },
    "chance": {
        "direct": ["tests/chance"],
        "wider": ["tests/measures/test_gamma.py", "tests/campaign/compare"],
        "timed": [],
    },
    "measures": {
        "direct": ["tests/measures"],
        "wider": [
            "tests/papers",
            "tests/campaign/compare",
            "tests/cli/test_measures_command.py",
            "tests/cli/test_unitizing_figures.py",
            "tests/syntax/test_tree_alpha.py",
        ],
        "timed": [],
    },
}
# Imported once, before the mutants' processes are forked.
HEAVY = ("numba", "networkx", "scipy.optimize", "scipy.sparse.csgraph", "scipy.stats", "pandas")
MEMORY = 8 << 30
SLOW = 1.0

Tests = dict[str, list[str]]
Seconds = dict[str, float]


class Staged:
    """Pytest plugin: the order of the tests, their limits, and what came of them."""

    def __init__(self, tests: Tests, wanted: list[str], seconds: Seconds, out: Path) -> None:
        self.tests, self.wanted, self.seconds, self.out = tests, wanted, seconds, out
        self.found: dict[str, Any] = {"seconds": {}, "failed": None, "running": None}

    def _stage(self, test: str) -> int:
        inside = [
            i
            for i, name in enumerate(STAGES)
            if any(test.startswith(path) for path in self.tests.get(name, ()))
        ]
        stage = max(inside, default=0)
        return max(stage, 1) if self.seconds.get(test, 0.0) > SLOW else stage

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items.sort(key=lambda item: (self._stage(item.nodeid), self.seconds.get(item.nodeid, 0.0)))
        items[:] = [item for item in items if STAGES[self._stage(item.nodeid)] in self.wanted]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.found["running"] = nodeid
        self._write()
        # Kernels that the mutant touched are compiled within the first test that needs them.
        limit = 60 + 10 * self.seconds.get(nodeid, 20.0)
        signal.setitimer(signal.ITIMER_PROF, limit)
        signal.setitimer(signal.ITIMER_REAL, 10 * limit)

    def pytest_runtest_logreport(self, report: Any) -> None:
        seconds = self.found["seconds"]
        seconds[report.nodeid] = seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed and self.found["failed"] is None:
            self.found["failed"] = report.nodeid
            self.found["message"] = str(report.longrepr).strip().splitlines()[-1][-200:]

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and self.found["failed"] is None:
            self.found["failed"] = f"{report.nodeid} (import)"

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.found["exit"] = int(exitstatus)
        if self.found["failed"]:
            self.found["stage"] = STAGES[self._stage(self.found["failed"])]
        self._write()

    def _write(self) -> None:
        self.out.write_text(json.dumps(self.found))


def forked(tree: Path, tests: Tests, wanted: list[str], seconds: Seconds) -> int:
    """The id of a process that runs the tests in `tree`; it leaves `tree`/found.json."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.setsid()
        os.chdir(tree)
        log = os.open(tree / "log.txt", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(log, 1)
        os.dup2(log, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # "CI": Hypothesis draws the same examples each time and sets no deadline.
        os.environ.update(PYTHONPATH=str(tree), CI="1", NO_COLOR="1")
        sys.path[:] = [str(tree), *(p for p in sys.path if Path(p).resolve() not in _own_paths())]
        # Workers that tests spawn would import this program.
        sys.modules["__main__"] = ModuleType("__main__")
        import pytest

        plugin = Staged(tests, wanted, seconds, tree / "found.json")
        paths = [path for name in STAGES for path in tests.get(name, ())]
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts="]
        marks = ["-m", "not slow", "--strict-markers", "--import-mode=importlib"]
        code = int(pytest.main([*options, *marks, *paths], plugins=[plugin]))
    finally:
        os._exit(code)


def _own_paths() -> tuple[Path, ...]:
    return ROOT, ROOT / "benchmarks"


def outcome(tree: Path, status: int) -> dict[str, Any]:
    """What a process left and how it ended, as `result`, `stage` and `test`."""
    file = tree / "found.json"
    found = json.loads(file.read_text()) if file.exists() else {}
    if os.WIFSIGNALED(status):
        timed_out = os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGALRM)
        result = "time-out" if timed_out else f"signal {os.WTERMSIG(status)}"
        return {"result": result, "stage": "direct", "test": found.get("running")}
    if os.WEXITSTATUS(status) == 0 and found.get("exit") == 0:
        return {"result": "survived", "stage": None, "test": None}
    keys = {"stage": found.get("stage", "direct"), "message": found.get("message")}
    return {"result": "killed", "test": found.get("failed") or "import of the package", **keys}


def waited(child: int) -> int:
    status = os.waitpid(child, 0)[1]
    _end_group(child)
    return status


def _end_group(child: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def copied(tree: Path) -> Path:
    """The checkout as it is, without version control and caches."""
    shutil.rmtree(tree, ignore_errors=True)
    skipped = shutil.ignore_patterns(".*_cache", "__pycache__", ".git", ".hypothesis", "found.json")
    shutil.copytree(ROOT, tree, ignore=skipped, symlinks=True)
    return tree


def baseline(folder: Path, tests: Tests) -> Seconds:
    """Wall-clock seconds per test without a mutant; leaves a copy with all kernels compiled."""
    tree = copied(folder / "pristine")
    seconds: Seconds = {}
    for turn in ("compiling", "timing"):
        status = waited(forked(tree, tests, list(STAGES), seconds))
        if outcome(tree, status)["result"] != "survived":
            sys.exit(f"without a mutant ({turn}) tests fail: see {tree / 'log.txt'}")
        seconds = json.loads((tree / "found.json").read_text())["seconds"]
    print(f"baseline: {len(seconds)} tests, {sum(seconds.values()):.0f} s")
    return seconds


def apply(mutant: Mutant, pristine: Path, tree: Path, imports: dict[str, set[str]]) -> None:
    """The package anew, with the mutant, without the compiled kernels of whoever imports it."""
    shutil.rmtree(tree / "gammacp")
    shutil.copytree(pristine / "gammacp", tree / "gammacp")
    (tree / "found.json").unlink(missing_ok=True)
    file = tree / mutant.path
    file.write_bytes(mutant.applied(file.read_bytes()))
    for path in _importers(mutant.path, imports):
        module = tree / path
        for compiled in (module.parent / "__pycache__").glob(f"{module.stem}.*.nb[ic]"):
            compiled.unlink()


def imported(tree: Path) -> dict[str, set[str]]:
    """What each module of the package imports from, by its path."""
    found = {}
    for file in (tree / "gammacp").rglob("*.py"):
        nodes = [n for n in ast.walk(ast.parse(file.read_bytes())) if isinstance(n, ast.ImportFrom)]
        found[file.relative_to(tree).as_posix()] = {n.module or "" for n in nodes}
    return found


def _importers(path: str, imports: dict[str, set[str]]) -> set[str]:
    """The module and all that import it, directly or through others: numba looks at one file."""
    found = {path}
    while True:
        names = {file.removesuffix(".py").replace("/", ".") for file in found}
        more = {file for file, used in imports.items() if used & names} | found
        if more == found:
            return found
        found = more


def run(args: argparse.Namespace) -> None:
    for name in HEAVY:
        import_module(name)
    tests, wanted = TESTS[args.package], args.stages
    if args.tests:
        tests, wanted = {"direct": args.tests}, list(STAGES)
    done = results(args.out)
    chosen = drawn(ROOT, f"gammacp/{args.package}", args.seed)
    if args.survivors:
        chosen = [m for m in chosen if done.get(m.identity, {}).get("result") == "survived"]
    else:
        chosen = [m for m in chosen[: args.mutants] if m.identity not in done]
    if args.mutant:
        chosen = [m for m in chosen if any(part in m.identity for part in args.mutant)]
    folder = args.work / args.package
    folder.mkdir(parents=True, exist_ok=True)
    seconds = baseline(folder, tests)
    imports = imported(folder / "pristine")
    free = [copied(folder / f"tree{i}") for i in range(args.processes)]
    running: dict[int, tuple[Mutant, Path, float]] = {}
    while chosen or running:
        while chosen and free:
            mutant, tree = chosen.pop(0), free.pop()
            apply(mutant, folder / "pristine", tree, imports)
            running[forked(tree, tests, wanted, seconds)] = (mutant, tree, time.monotonic())
        child, status = os.waitpid(-1, 0)
        _end_group(child)
        mutant, tree, began = running.pop(child)
        free.append(tree)
        line = {
            "mutant": mutant.identity,
            "package": args.package,
            "stages": args.tests or wanted,
            **outcome(tree, status),
            "seconds": round(time.monotonic() - began, 1),
        }
        if args.tests and line["result"] == "survived":
            print(f"{line['mutant']}: survives these tests")
            continue
        with args.out.open("a") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
        print(f"{line['seconds']:6.1f} s  {line['result']:9} {line['mutant']}  [{line['test']}]")


def results(file: Path) -> dict[str, dict[str, Any]]:
    """The last line about each mutant."""
    if not file.exists():
        return {}
    return {line["mutant"]: line for line in map(json.loads, file.read_text().splitlines())}


def report(args: argparse.Namespace) -> None:
    lines = list(results(args.out).values())
    for package in TESTS:
        of = [line for line in lines if line["package"] == package]
        counts = collections.Counter(
            line["result"] if line["result"] != "killed" else f"killed, {line['stage']}"
            for line in of
        )
        print(f"{package}: {len(of)} mutants, " + ", ".join(f"{n} {k}" for k, n in counts.items()))
    for line in lines:
        if line["result"] == "survived":
            print("survived", line["mutant"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    runner = commands.add_parser("run")
    runner.add_argument("package", choices=TESTS)
    runner.add_argument("--mutants", type=int, default=100)
    runner.add_argument("--seed", type=int, default=0)
    runner.add_argument("--processes", type=int, default=1)
    runner.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    runner.add_argument("--survivors", action="store_true", help="run what survived again")
    runner.add_argument("--tests", nargs="+", help="these tests only; survivors are not recorded")
    runner.add_argument("--mutant", nargs="+", help="only mutants whose name has one of these")
    runner.add_argument(
        "--work", type=Path, default=Path(tempfile.gettempdir()) / "gammacp-mutants"
    )
    runner.set_defaults(command=run)
    reporter = commands.add_parser("report")
    reporter.set_defaults(command=report)
    for command in (runner, reporter):
        command.add_argument("--out", type=Path, default=Path("mutants.jsonl"))
    args = parser.parse_args()
    args.command(args)


if __name__ == "__main__":
    main()
