"""Names from files can hold anything; a terminal or a spreadsheet must not obey them."""

import csv
import json
import re
from pathlib import Path

import pytest

import gammacp as gc
from gammacp.continuum import Continuum, Unit
from tests.conftest import Run

NASTY = "\x1b[31mred\u202egnp\x07\x9b2J"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def nasty(tmp_path: Path) -> Path:
    units = [
        Unit(annotator, start, start + 5, category)
        for annotator, shift in ((NASTY, 0), ("B", 1), ("C", 2))
        for start, category in ((shift, NASTY), (20 + shift, "b" if shift else NASTY))
    ]
    path = tmp_path / f"name{NASTY}.json"
    gc.write(Continuum.from_units(units), path)
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ("gamma", "--alignment", "--samples", 5), ("gamma", "--samples", 5, "--json"),
        ("align",), ("align", "--json"), ("measure",), ("measure", "--json"),
        ("compare", "--samples", 5), ("compare", "--samples", 5, "--json"),
        ("compare", "--samples", 5, "--reference", NASTY),
        ("consensus",), ("consensus", "--json"), ("inspect",), ("inspect", "--json"),
        ("gamma", "--exclude", f"{NASTY}!"), ("gamma", "--only", f"{NASTY}!"),
        ("gamma", "--categorial", "interval"), ("compare", "--reference", f"{NASTY}!"),
    ],
    ids=lambda a: " ".join(map(repr, a)),
)  # fmt: skip
def test_nothing_that_a_terminal_obeys_is_printed(
    run: Run, nasty: Path, arguments: tuple[object, ...]
) -> None:
    command, *options = arguments
    result = run(command, nasty, *options)
    assert OBEYED.findall(result.out + result.err) == []
    if "--json" in options:
        json.loads(result.out)
    elif command != "measure":  # which names no annotator
        assert "\\x1b[31m" in result.out + result.err


def test_cells_that_a_spreadsheet_would_run_are_text_in_lists_for_people(
    run: Run, tmp_path: Path
) -> None:
    path, review = tmp_path / "formula.csv", tmp_path / "review.csv"
    path.write_text('A,"=HYPERLINK(""x"")",0,5\nB,y,0,5\n')
    gold = tmp_path / "gold.csv"
    assert run("consensus", path, "--review", review, "--support", 1, "-o", gold).code == 0
    with review.open(encoding="utf-8") as stream:
        (row,) = csv.DictReader(stream)
    assert not any(cell.startswith(("=", "+", "@")) for cell in row.values())
    assert row["tied"].startswith("'=")
