"""The documentation page on verdicts, against all rows of the experiment."""

import csv
from pathlib import Path

from experiments.verdicts import tables

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "results" / "verdicts"


def rows() -> list[dict[str, object]]:
    numbers = {"runs": int, "false": float, "upper": float}
    with (FOUND / "rates.csv").open(encoding="utf-8", newline="") as file:
        return [{k: numbers.get(k, str)(v) for k, v in r.items()} for r in csv.DictReader(file)]


def test_the_tables_show_the_rows_and_the_page_links_to_them() -> None:
    shown = tables(rows())
    assert shown == (FOUND / "tables.md").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "verdict.md").read_text(encoding="utf-8")
    assert "`results/verdicts/tables.md`" in page


def test_false_verdicts_are_as_rare_as_the_page_says() -> None:
    """At most 6 % of verdicts are false, except for processes that the page names."""
    named = ("spells",)
    for row in rows():
        if not any(name in str(row["process"]) for name in named):
            assert float(str(row["false"])) <= 0.06, row
