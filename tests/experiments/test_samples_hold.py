"""The documentation page on samples, sessions and alarms, against the rows of the experiment."""

import csv
from pathlib import Path

import numpy as np

from experiments._campaigns import Campaign
from experiments.tests_hold import tables
from gammacp.campaign.compare.over_time import changes
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


def test_the_tables_show_the_rows_and_the_page_links_to_them() -> None:
    shown = tables(rows(), [])
    assert shown == (FOUND / "tables.md").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "sampling.md").read_text(encoding="utf-8")
    assert "`results/samples_hold/tables.md`" in page


def test_levels_are_kept_where_the_page_claims_it() -> None:
    """Upper limits for weighted samples, verdicts and pairs are at most .065, from 1000 runs or
    more.
    """
    kept = ("two weighted samples", "replace, weighted", "a pair among alike ones")
    found = [r for r in rows() if r["study"] in kept]
    assert len(found) == 24 + 8 + 8
    assert all(isinstance(r["upper"], float) and r["upper"] <= 0.065 for r in found)
    assert all(int(str(r["runs"])) >= (500 if in_order(r) else 1000) for r in rows())


def in_order(row: dict[str, object]) -> bool:
    return str(row["study"]).startswith("order, ")


def test_sessions_and_changes_over_time_hold_except_where_the_page_says_not() -> None:
    """With 500 runs, a level of .05 is known to ±.02."""
    sessions = [r for r in rows() if r["study"] == "sessions"]
    assert len(sessions) == 9 * 2 * 5
    assert all(float(str(r["upper"])) <= 0.06 for r in sessions)
    fails = {
        "order, γ of all": "neighbours alike",
        "order, anybody": "by a sum",
        "order, change outside its interval": "neighbours alike",
    }
    for study, fail in fails.items():
        mine = [r for r in rows() if r["study"] == study]
        levels = {str(r["process"]): float(str(r["level"])) for r in mine}
        kept = [v for name, v in levels.items() if fail not in name]
        assert len(kept) >= 35
        assert max(kept) <= (0.07 if "interval" in study else 0.06)
        assert max(levels.values()) > 0.1


def test_a_careless_latecomer_makes_nobody_else_change() -> None:
    """The mean change of the other annotators is 0.

    It was .14 before changes took account of who is present.
    """
    careless = Campaign(late=1, careless=3.0)
    g = np.random.default_rng(1)
    found = []
    for _ in range(30):
        sums, which, _ = careless.draw(200, g)
        told = changes(["a", "b", "c", "late"], sums, which)
        found.append([c.change for c in told.annotators[:3]])
    assert abs(float(np.mean(found))) < 0.04


def test_alarms_are_rare_over_all_looks() -> None:
    alarms = [r for r in rows() if r["study"] == "alarm, ever"]
    worst = {str(r["process"]): r["level"] for r in alarms if float(str(r["level"])) > 0.05}
    assert all("much better" in name for name in worst)
    assert max(float(str(r["level"])) for r in alarms) <= 0.081
