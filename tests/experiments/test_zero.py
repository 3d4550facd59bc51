"""The studies of zero: what a worker process needs to know comes with the study's own module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDIES = ("zero_continua", "zero_corpora", "zero_links", "zero_segmentations", "zero_trees")
# In a process of its own, as a worker is: what is imported here would stay for the other tests.
TOLD = """
import pickle
from importlib import import_module
made = pickle.dumps(import_module("experiments.{study}").drawn)
assert b"experiments.{study}" in made, made
import experiments.{study} as study
from gammacp.measures.registry import MEASURES
assert any(name.startswith("zero-") for name in MEASURES), [*MEASURES]
"""


@pytest.mark.skipif(not (ROOT / "experiments").exists(), reason="needs a checkout")
@pytest.mark.parametrize("study", STUDIES)
def test_a_worker_that_gets_the_source_imports_the_study(study: str) -> None:
    told = [sys.executable, "-c", TOLD.format(study=study)]
    assert subprocess.run(told, cwd=ROOT, check=False).returncode == 0
