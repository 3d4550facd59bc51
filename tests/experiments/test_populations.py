"""The documentation page on populations, which shows the measured rows."""

import csv
from pathlib import Path

from experiments.populations import cell, tables

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "results" / "populations"
NUMBERS = {"documents": int, "runs": int, "coverage": float, "width": float, "none": float}


def test_the_page_shows_the_rows() -> None:
    with (FOUND / "coverage.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            {k: NUMBERS[k](v or "nan") if k in NUMBERS else v for k, v in row.items()}
            for row in csv.DictReader(file)
        ]
    page = (ROOT / "docs" / "populations.md").read_text(encoding="utf-8")
    shown = [*tables(rows)]
    for table in (shown[0], shown[2]):
        head, _, *designs = table.splitlines()
        told = page[page.index(head) :].split("\n\n")[0].splitlines()[2:]
        assert len(told) == 3
        assert {*told} <= {*designs}
    assert "\n\n".join(shown) + "\n" == (FOUND / "tables.md").read_text(encoding="utf-8")
    both = [
        float(r["coverage"])
        for r in rows
        if r["over"] == "both"
        and int(r["documents"]) >= 10
        and r["process"] not in ("one in seven careless", "two schools")
    ]
    assert min(both) > 0.87
    assert len(both) == 240
    assert max(both) < 0.995
    assert sum(c > 0.98 for c in both) == 16


def test_a_cell_is_run() -> None:
    rows = cell("annotators differ by .2", "3 of 6", 8, 5)
    assert [r["over"] for r in rows] == ["documents, annotators new", "annotators", "both"]
