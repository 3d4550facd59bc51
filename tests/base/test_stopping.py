"""Deadlines and Ctrl-C: the best alignment so far comes with its bound, and soon."""

import os
import re
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gammacp import Combined, Continuum, align, gamma
from gammacp.alignment import Solution, Status, best_groups
from gammacp.alignment.limits import Limits
from gammacp.alignment.presolve.presolve import Presolved
from gammacp.base.stopping import abandoned, clock, due, interruptible, standstill, watched
from gammacp.datasets import load
from gammacp.dissimilarity import bind


def crowded(n_annotators: int, n_units: int, step: float) -> Continuum:
    """Return units of length 4 to 14 every `step`, with noise of deviation 12 for each
    annotator.
    """
    rng = np.random.default_rng(0)
    size = n_annotators * n_units
    starts = np.tile(np.arange(n_units) * step, n_annotators) + rng.normal(0, 12, size)
    return Continuum.from_codes(
        tuple(f"A{i:02}" for i in range(n_annotators)),
        tuple("abcd"),
        starts,
        starts + rng.uniform(4, 14, size),
        np.repeat(np.arange(n_annotators), n_units),
        rng.integers(0, 4, size),
    )


class Clock:
    """Clock that stands still for a number of looks, and then jumps beyond any limit."""

    def __init__(self, looks: int) -> None:
        self.looks, self.late = looks, 0

    def __call__(self) -> float:
        self.looks -= 1
        self.late += self.looks < 0
        return 0.0 if self.looks >= 0 else 1e9 * self.late


@pytest.mark.parametrize(
    ("n_annotators", "n_units", "step"),
    [pytest.param(20, 30, 10.0, marks=pytest.mark.slow), (6, 400, 0.1)],
)
@pytest.mark.parametrize("looks", [10])
def test_a_time_limit_is_kept(
    n_annotators: int, n_units: int, step: float, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the limit, few further looks at the clock are taken.

    Native calls are watched with a look every 0.05 s; all others look once.
    """
    continuum = crowded(n_annotators, n_units, step)
    bound = bind(Combined(), continuum)
    best_groups(crowded(3, 5, step), bound, time_limit=0.5)  # kernels are compiled
    clock = Clock(looks)
    monkeypatch.setattr(time, "monotonic", clock)
    found = best_groups(continuum, bound, time_limit=1.5)
    assert 0 < clock.late < 400
    assert 0 < found.bound <= found.disorder
    assert found.status is Status.FEASIBLE
    assert sorted(found.groups[found.groups >= 0].tolist()) == list(range(continuum.n_units))


# Compute γ while every kernel seems to take a thousand seconds to compile or to load.
COLD = """
import time
from numba.core.dispatcher import Dispatcher

waited, compile = 0.0, Dispatcher.compile
monotonic, process_time = time.monotonic, time.process_time

def slowly(self, signature):
    global waited
    waited += 1000.0
    return compile(self, signature)

Dispatcher.compile = slowly
time.monotonic = lambda: monotonic() + waited
time.process_time = lambda: process_time() + waited

from gammacp import gamma
from gammacp.datasets import load

found = gamma(load("alex-paul-suzan"), time_limit=60, samples=10)
print(waited > 0, found.status, repr(found.value))
"""


def test_compilation_does_not_count_towards_a_time_limit() -> None:
    """A first run, which compiles, gives the same result as later runs."""
    done = subprocess.run([sys.executable, "-c", COLD], capture_output=True, text=True, check=True)
    value = gamma(load("alex-paul-suzan"), samples=10).value
    assert done.stdout.split() == ["True", "optimal", repr(value)]


@pytest.mark.slow
def test_the_same_command_cold_and_warm(tmp_path: Path) -> None:
    """A run with an empty cache of kernels prints the same as a run with compiled ones.

    Compiling takes half a minute of processor time.
    """
    command = "gamma --dataset alex-paul-suzan --time-limit 2 --json"
    cold, warm = (
        subprocess.run(
            [sys.executable, "-m", "gammacp", *command.split()],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        ).stdout
        for _ in range(2)
    )
    assert '"status": "optimal"' in cold
    assert cold == warm


def test_the_clock_stands_still_while_code_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    began = clock()
    with standstill():
        now[0] += 50
        with standstill():
            now[0] += 50
        assert clock() == pytest.approx(began)
        assert not due(began + 1)
    now[0] += 2
    assert clock() == pytest.approx(began + 2)
    assert due(began + 1)


# Run the command line; a file appears once groups are priced.
TELLING = """
import runpy, sys
from pathlib import Path
from gammacp.alignment.solvers import generation

pricing, priced = Path(sys.argv.pop(1)), generation.price_columns

def told(*args):
    pricing.touch()
    return priced(*args)

generation.price_columns = told
runpy.run_module("gammacp", run_name="__main__")
"""


def test_interrupt_ends_with_the_best_so_far(tmp_path: Path) -> None:
    continuum = crowded(14, 22, 10.0)
    file = tmp_path / "hard.csv"
    rows = zip(
        continuum.annotator_codes, continuum.category_codes, continuum.starts, continuum.ends,
        strict=True,
    )  # fmt: skip
    file.write_text("".join(f"A{a:02},{'abcd'[c]},{s},{e}\n" for a, c, s, e in rows))
    pricing = tmp_path / "pricing"
    with subprocess.Popen(
        [sys.executable, "-c", TELLING, str(pricing), "align", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    ) as process:
        while not pricing.exists() and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    found = re.search(r"disorder ([\d.]+), feasible, bound ([\d.]+)", out)
    assert found is not None, out
    assert 0 < float(found[2]) <= float(found[1])
    assert "interrupted" in err
    assert "Traceback" not in err


def test_a_second_interrupt_is_an_exception() -> None:
    with interruptible() as interrupted:
        assert not due()
        signal.raise_signal(signal.SIGINT)
        assert interrupted.is_set()
        assert due()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert not due()


def test_a_watched_call_is_halted() -> None:
    halted: list[bool] = []

    def call() -> str:
        while not halted:
            time.sleep(0.01)
        return "halted"

    assert watched(call, lambda: halted.append(True), clock() + 0.1) == "halted"
    with pytest.raises(ZeroDivisionError):
        watched(lambda: 1 // 0, lambda: None, clock() + 10)


def test_a_call_that_cannot_be_halted_is_left_alone() -> None:
    assert abandoned(lambda: time.sleep(60), clock() + 0.1) is None
    assert abandoned(lambda: "done", clock() + 60) == "done"
    with pytest.raises(ZeroDivisionError):
        abandoned(lambda: 1 // 0, clock() + 60)
    with interruptible():
        signal.raise_signal(signal.SIGINT)
        assert abandoned(lambda: time.sleep(60)) is None


@pytest.mark.parametrize("method", ["auto", "milp", "cpsat", "bipartite"])
def test_after_an_interrupt_every_exact_back_end_has_an_alignment(method: str) -> None:
    n = 2 if method == "bipartite" else 4
    continuum = crowded(n, 40 if n == 4 else 3000, 8.0)
    bound = bind(Combined(), continuum)
    with interruptible():
        signal.raise_signal(signal.SIGINT)
        found = best_groups(continuum, bound, method=method)
    assert sorted(found.groups[found.groups >= 0].tolist()) == list(range(continuum.n_units))
    assert 0 <= found.bound <= found.disorder


def test_the_time_limit_includes_the_tie_break(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tie-break gets the remaining time, not another time limit."""
    continuum = crowded(3, 8, 10.0)
    asked: list[float] = []

    def break_ties(_continuum: Any, _bound: Any, found: Presolved, limits: Limits) -> Solution:
        assert limits.time_limit is not None
        asked.append(limits.time_limit)
        return found.solution

    monkeypatch.setattr(import_module("gammacp.alignment.align"), "break_ties", break_ties)
    align(continuum, time_limit=100)
    assert len(asked) == 1
    assert 0 < asked[0] < 100
    align(continuum, time_limit=1e-9)
    assert len(asked) == 1
