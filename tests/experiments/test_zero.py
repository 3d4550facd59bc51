"""The studies of zero, whose modules worker processes import by themselves."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
STUDIES = (
    "zero_continua",
    "zero_corpora",
    "zero_links",
    "zero_links_given",
    "zero_segmentations",
    "zero_trees",
)
# Each study runs in a process of its own, like a worker, as imports would remain for the next one.
# What all of them import is imported before they fork.
TOLD = """
import os, pickle, sys, traceback
from importlib import import_module
import experiments._zero
from gammacp.measures.registry import MEASURES

def told(study):
    assert not any(name.startswith("zero-") for name in MEASURES), [*MEASURES]
    module = import_module(f"experiments.{study}")
    assert f"experiments.{study}".encode() in pickle.dumps(module.drawn)
    assert any(name.startswith("zero-") for name in MEASURES), [*MEASURES]

for study in sys.argv[1:]:
    if not (child := os.fork()):
        try:
            told(study)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    print(study, os.waitpid(child, 0)[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "experiments").exists(), reason="needs a checkout")
def test_a_worker_that_gets_the_source_imports_the_study() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TOLD, *STUDIES], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout.split() == [word for study in STUDIES for word in (study, "0")], done.stderr


def test_the_zero_of_a_cell_is_a_ratio_of_sums() -> None:
    """By hand, 1 − (1 + 2 + 3)/(2 + 2 + 2) = 0, with deviations −.5, 0, .5 of the mean
    expectation.
    """
    from experiments._zero import zero_of

    many = range(7)
    observed = {3 * k + i: float(i + 1) for k in many for i in range(3)}
    found: Any = {
        ("cell", "m: observed"): {**observed, 99: math.nan},
        ("cell", "m: expected"): {**dict.fromkeys(observed, 2.0), 99: math.nan},
    }
    zero, half = zero_of(found, "cell", "m")
    assert zero == 0
    assert half == pytest.approx(1.96 * math.sqrt(14 * 0.25 / 20) / math.sqrt(21))


def test_a_zero_is_shown_or_left_open() -> None:
    """A zero is shown by two one-sided tests at 5 %: |zero| + 1.645 SE < margin. `±` is 1.96 SE."""
    from experiments.zero_summary import MARGIN, near_zero
    from gammacp.bench.trends import TrendVerdict

    edge = MARGIN * 1.96 / 1.65
    assert near_zero(0.0, 0.98 * edge, 2000, MARGIN).verdict is TrendVerdict.HOLDS
    assert near_zero(0.0, 1.02 * edge, 2000, MARGIN).verdict is TrendVerdict.OPEN
    assert near_zero(-0.006, 0.5 * edge, 2000, MARGIN).verdict is TrendVerdict.OPEN
    assert near_zero(0.02, 0.5 * edge, 2000, MARGIN).verdict is TrendVerdict.FAILS
    assert near_zero(-0.02, 0.5 * edge, 2000, MARGIN).verdict is TrendVerdict.FAILS
