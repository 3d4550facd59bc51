"""Independence of the machine's speed: clocks a thousand times as fast change no bit."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from gammacp import Combined, Continuum, align
from gammacp.alignment.limits import Ties
from gammacp.alignment.presolve.presolve import Presolve
from gammacp.base.stopping import GIGA, budget, counting, due, spend

# A child process whose clocks run a thousand times as fast aligns CASE, without a time limit.
CHILD = """
import sys, time

factor, case = 1000.0, sys.argv[1]

def hasten(name):
    read, began = getattr(time, name), getattr(time, name)()
    setattr(time, name, lambda: began + factor * (read() - began))

for name in ("monotonic", "perf_counter", "process_time", "thread_time", "time"):
    hasten(name)

from tests.alignment.test_clocks import aligned

print(aligned(case))
"""


def places(
    n: int, units: int, apart: float, spread: float, categories: int, seed: int = 1
) -> Continuum:
    """Return units of length 5 to 12 at places `apart` from each other, with normal noise of
    `spread`.
    """
    rng = np.random.default_rng(seed)
    starts = apart * np.tile(np.arange(units), n) + rng.normal(0, spread, n * units)
    ends = starts + (rng.uniform(5, 12, n * units) if apart else 10.0)
    kinds = rng.integers(0, categories, n * units)
    names = tuple(f"A{i:02}" for i in range(n))
    annotators = np.repeat(np.arange(n), units)
    return Continuum.from_codes(names, tuple("abcd"), starts, ends, annotators, kinds)


def alike() -> Continuum:
    """Return seven annotators with the same three units of one label, so that ties abound."""
    units = np.arange(21)
    starts = 10.0 * (units % 3)
    kinds = np.zeros(21, np.int64)
    return Continuum.from_codes(tuple("ABCDEFG"), ("a",), starts, starts + 5, units // 3, kinds)


UNMERGED = Presolve(merged=0.0)
CASES: dict[str, Any] = {
    "turns of thirty": lambda: (places(30, 3, 10.0, 2.0, 2), {}),
    "turns of thirty-five": lambda: (places(35, 6, 6.0, 2.0, 3), {}),
    "one spot": lambda: (places(4, 8, 0.0, 0.0003, 2), {}),
    "one large spot": lambda: (places(12, 20, 0.0, 0.0003, 2), {}),
    "ties without an end": lambda: (
        alike(),
        {"dissimilarity": Combined(alpha=0), "tuning": [UNMERGED, Ties(steps=GIGA // 10)]},
    ),
    "little in common": lambda: (places(12, 20, 10.0, 10.0, 4), {}),
    "cpsat": lambda: (places(5, 20, 10.0, 10.0, 4), {"method": "cpsat"}),
}
SLOW = (
    "ties without an end",
    "turns of thirty-five",
    "one spot",
    "one large spot",
    "little in common",
    "cpsat",
)


def aligned(case: str) -> str:
    """Return everything that is found in a case, with the effort."""
    continuum, solving = CASES[case]()
    found = align(continuum, **solving)
    return str([*map(repr, found.as_dict().values()), found.groups.tolist(), found.effort])


@pytest.mark.parametrize(
    "case", [pytest.param(c, marks=pytest.mark.slow if c in SLOW else ()) for c in CASES]
)
def test_clocks_a_thousand_times_as_fast_change_nothing(case: str) -> None:
    command = [sys.executable, "-c", CHILD, case]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{aligned(case)}\n"
    assert "Effort(work=" in done.stdout


def test_a_budget_ends_within_another_one() -> None:
    with counting() as work, budget(10):
        with budget(100):
            spend(5)
            assert not due()
            assert work.steps_left == 5
            spend(5)
            assert due()
            with budget(1, beyond=True):
                assert not due()
        assert due()
    assert not due()


def test_work_is_counted_and_the_same_each_time() -> None:
    continuum = places(5, 8, 10.0, 5.0, 2)
    first, again = (align(continuum).effort for _ in range(2))
    assert first is not None
    assert first == again
    assert first.work > 0
    assert first.rounds > 0
