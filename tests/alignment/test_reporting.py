"""Progress reports: objective and bound of a crowd while it is aligned."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from gammacp.alignment import align
from gammacp.alignment.reporting import listening, report_bounds
from gammacp.cli.progress import ProgressLine
from tests.alignment.crowds import crowd
from tests.conftest import Run


@pytest.mark.slow
def test_progress_of_a_crowd_never_contradicts_itself():
    told: list[tuple[float, float]] = []
    with listening(lambda objective, bound: told.append((objective, bound))):
        align(crowd(4, 30, 60, 4), gap=0.3)
    assert told
    assert all(bound <= objective + 1e-6 for objective, bound in told)
    assert [o for o, _ in told] == sorted((o for o, _ in told), reverse=True)


def test_progress_needs_no_listener():
    report_bounds(1.0, 0.5)


def test_a_log_gets_a_line_after_half_a_minute(capsys):
    line = ProgressLine("random sets")
    line.tell_bounds(2.0, 1.0)
    assert capsys.readouterr().err == ""
    line.start -= 40
    line.last_printed -= 40
    line.tell_bounds(2.0, 1.9)
    assert "gap 5.00%" in capsys.readouterr().err


def test_a_trace_ends_at_the_alignment_and_names_the_prover(run: Run, tmp_path: Path) -> None:
    options = ["align", "--dataset", "3by100", "--method", "cpsat", "--json", "--trace"]
    found = json.loads(run(*options, tmp_path / "curve.csv").out)
    assert found["prices_by"] == "GLOP"
    assert found["proved_by"] in ("prices", "components")
    assert found["columns_kept"] <= found["columns_listed"]
    assert found["rounds"] > 1
    with (tmp_path / "curve.csv").open() as stream:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(stream)]
    assert rows[-1] == {
        "work": found["work"],
        "best": found["disorder"],
        "bound": found["bound"],
    }
    assert len(rows) > 1
    assert all(row["bound"] <= found["disorder"] * (1 + 1e-9) for row in rows)
    assert all(row["best"] >= found["disorder"] * (1 - 1e-9) for row in rows)
    assert [row["work"] for row in rows] == sorted(row["work"] for row in rows)
