"""The documentation page on tests and intervals, against all rows of the experiment."""

import csv
from pathlib import Path

from experiments.tests_hold import AGAINST, tables, upper

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "results" / "tests_hold"


def rows(name: str) -> list[dict[str, object]]:
    with (FOUND / name).open(encoding="utf-8", newline="") as file:
        return [{k: _value(k, v) for k, v in row.items()} for row in csv.DictReader(file)]


def _value(key: str, text: str) -> object:
    if key in ("study", "process", "alternative", "over"):
        return text
    if key in ("runs", "parts"):
        return int(text)
    return float(text) if text else None


def test_the_tables_show_the_rows_and_the_page_links_to_them() -> None:
    shown = tables(rows("levels.csv"), rows("coverage.csv"))
    assert shown == (FOUND / "tables.md").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "tests.md").read_text(encoding="utf-8")
    assert "`results/tests_hold/tables.md`" in page


def test_every_level_has_a_thousand_runs_its_limit_and_a_power() -> None:
    levels = rows("levels.csv")
    assert {r["process"] for r in levels if r["study"] == "two corpora"} >= AGAINST.keys()
    for row in levels:
        level, limit, power = (row[k] for k in ("level", "upper", "power"))
        assert int(str(row["runs"])) >= 1000
        assert level is not None or power is not None
        if isinstance(level, float) and isinstance(limit, float):
            assert level < limit < level + 0.03


def test_goals_are_kept_where_the_page_claims_it() -> None:
    """For named clusters, groups and γ over documents, no upper limit is above .07."""
    kept = ("clusters named", "groups", "over documents", "between", "replace, clusters named")
    worst = dict.fromkeys(kept, 0.0)
    for row in rows("levels.csv"):
        if row["study"] in kept and isinstance(row["upper"], float):
            worst[str(row["study"])] = max(worst[str(row["study"])], row["upper"])
    assert max(worst.values()) <= 0.07


def test_the_upper_limit_is_that_of_clopper_and_pearson() -> None:
    """The limit is 10.2 % for 5 in 100, and 1 − .05^(1/100) for 0 in 100."""
    assert round(upper(5, 100), 4) == 0.1023
    assert abs(upper(0, 100) - (1 - 0.05 ** (1 / 100))) < 1e-12
    assert upper(7, 7) == 1.0
