"""The studies of zero: what a worker process needs to know comes with the study's own module."""

from __future__ import annotations

import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("experiments")
ROOT = Path(__file__).parents[2]
STUDIES = ("zero_continua", "zero_corpora", "zero_segmentations", "zero_trees")


@pytest.mark.parametrize("study", STUDIES)
def test_a_worker_that_gets_the_source_knows_the_measure(study: str) -> None:
    make = import_module(f"experiments.{study}").drawn
    assert make.__module__ == f"experiments.{study}"
    told = (
        "import pickle, sys; pickle.loads(bytes.fromhex(sys.argv[1]));"
        "from gammacp.measures.registry import MEASURES;"
        "assert any(name.startswith('zero-') for name in MEASURES), [*MEASURES]"
    )
    command = [sys.executable, "-c", told, pickle.dumps(make).hex()]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
