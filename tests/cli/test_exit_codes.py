import os
import subprocess
import sys
from pathlib import Path

import pytest

from gammacp.cli.options.settings import SolvingFlags
from gammacp.errors import UnprovenError
from gammacp.measures.score import undefined
from tests.conftest import Run


def test_a_closed_pipe_is_no_failure() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "gammacp", "solvers"], stdout=pipe, stderr=subprocess.PIPE
        )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("names", ["", ",", " , "])
def test_a_list_without_any_measure_is_wrong_usage(run: Run, tmp_path: Path, names: str) -> None:
    path = tmp_path / "two.csv"
    path.write_text("A,x,1,2\nB,x,1,2\n")
    result = run("measure", path, "-m", names)
    assert (result.code, result.out) == (2, "")
    assert "no measure is named" in result.err


def test_a_file_without_any_value_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "overlap.csv"
    path.write_text("A,x,0,10\nA,y,5,15\nB,x,0,10\n")
    result = run("measure", path, "-m", "u-alpha")
    assert result.code == 3
    assert f"gammacp: {path}: no measure has a value" in result.err


def test_too_little_memory_is_a_failure_without_a_traceback(run: Run) -> None:
    result = run("segmentation", "--dataset", "moonstone", "--bootstrap", 10**15)
    assert (result.code, result.out) == (1, "")
    assert "not enough memory" in result.err
    assert "Traceback" not in result.err


def test_values_without_alignments_need_no_proof() -> None:
    solving = SolvingFlags(require_optimal=True)
    for proven in ((), (None,), ("optimal",), (None, "optimal")):
        solving.check_proven(*proven)
    with pytest.raises(UnprovenError):
        solving.check_proven("optimal", None, "feasible")
    # A score of a measure without alignments has no status.
    solving.check_proven(undefined("no unit").status)
