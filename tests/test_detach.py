"""The core without any subject: it can be imported, its commands run, and missing parts are named.

`.ci/detach` does the same for each subject, with the remaining tests. The test is slow, as every
command is a process; `.ci/run` runs it.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_core_runs_without_any_subject():
    told = subprocess.run(
        [sys.executable, ROOT / ".ci" / "detach", "all", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert "0 failures" in told.stdout
