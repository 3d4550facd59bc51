"""The studies of zero: what a worker process needs to know comes with the study's own module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDIES = ("zero_continua", "zero_corpora", "zero_links", "zero_segmentations", "zero_trees")
# Each in a process of its own, as a worker is: what is imported here would stay for the others.
# What all of them import is there before they part.
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


@pytest.mark.skipif(not (ROOT / "experiments").exists(), reason="needs a checkout")
def test_a_worker_that_gets_the_source_imports_the_study() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TOLD, *STUDIES], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout.split() == [word for study in STUDIES for word in (study, "0")], done.stderr
