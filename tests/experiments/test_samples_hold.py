"""The page on samples, sessions and alarms shows the rows of the experiment, and keeps its word."""

import csv
from pathlib import Path

from experiments.tests_hold import tables
from tests.experiments.test_tests_hold import ROOT

FOUND = ROOT / "results" / "samples_hold"
TEXTS = ("study", "process", "alternative")


def rows() -> list[dict[str, object]]:
    with (Path(FOUND) / "levels.csv").open(encoding="utf-8", newline="") as file:
        return [
            {
                k: v if k in TEXTS else int(v) if k == "runs" else float(v) if v else None
                for k, v in row.items()
            }
            for row in csv.DictReader(file)
        ]


def test_the_tables_are_those_of_the_rows_and_the_page_leads_there() -> None:
    shown = tables(rows(), [])
    assert shown == (FOUND / "tables.md").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "sampling.md").read_text(encoding="utf-8")
    assert "`results/samples_hold/tables.md`" in page


def test_levels_are_kept_where_the_page_says_so() -> None:
    """Weighted samples, verdicts, pairs: the upper limit is at most .065, of 1000 runs and more."""
    kept = ("two weighted samples", "replace, weighted", "a pair among alike ones")
    found = [r for r in rows() if r["study"] in kept]
    assert len(found) == 24 + 8 + 8
    assert all(isinstance(r["upper"], float) and r["upper"] <= 0.065 for r in found)
    assert all(int(str(r["runs"])) >= 1000 for r in rows())


def test_alarms_are_rare_over_all_looks() -> None:
    alarms = [r for r in rows() if r["study"] == "alarm, ever"]
    worst = {str(r["process"]): r["level"] for r in alarms if float(str(r["level"])) > 0.05}
    assert all("much better" in name for name in worst)
    assert max(float(str(r["level"])) for r in alarms) <= 0.081
