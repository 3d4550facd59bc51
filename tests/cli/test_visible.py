"""Control characters in names from files: neither a terminal nor a spreadsheet may obey them."""

import csv
import json
import re
from pathlib import Path

import pytest

import gammacp as gc
from gammacp import verify
from gammacp.base.toml_files import read_toml, toml_key, toml_value
from gammacp.cli.progress import ProgressLine
from gammacp.continuum import Continuum, Unit
from shuffling.model_file import read_model
from tests.conftest import Run

NASTY = "\x1b[31mred\u202egnp\x07\x9b2J"
NAMELESS = {"measure", "segmentation", "links", "syntax", "plan"}  # their results contain no names
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
        ("calibrate", "--error", NASTY),
        ("segmentation",), ("links",), ("syntax",), ("plan",), ("replace", "--candidate", NASTY),
        ("gamma", "--format", NASTY), ("gamma", "--map", f"{NASTY}={NASTY}"), ("gamma", NASTY),
    ],
    ids=lambda a: " ".join(map(repr, a)),
)  # fmt: skip
def test_no_control_characters_are_printed(
    run: Run, nasty: Path, arguments: tuple[object, ...]
) -> None:
    command, *options = arguments
    result = run(command, nasty, *options)
    assert OBEYED.findall(result.out + result.err) == []
    if "--json" in options:
        json.loads(result.out)
    elif command not in NAMELESS:
        assert "\\x1b[31m" in result.out + result.err


def test_a_model_shows_its_names_and_is_read_back(run: Run, nasty: Path) -> None:
    """A printed model escapes control characters as TOML does, so that it is read back
    unchanged.
    """
    result = run("shuffle", "--learn", nasty, "--print-model")
    assert OBEYED.findall(result.out + result.err) == []
    assert "\\u001b[31m" in result.out
    path = nasty.with_name("model.toml")
    path.write_text(result.out, encoding="utf-8")
    assert {c.name for c in read_model(path).categories} == {NASTY, "b"}


def test_a_campaign_file_with_control_characters_is_shown_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "campaign.toml"
    path.write_text(f"[map]\n{toml_key(NASTY)} = {toml_value(NASTY)}\n", encoding="utf-8")
    assert OBEYED.findall(path.read_text(encoding="utf-8")) == []
    assert read_toml(path)[0] == {"map": {NASTY: NASTY}}


def test_the_standalone_verifier_escapes_names_of_files(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / f"{NASTY}.json"
    path.write_text("{}")
    assert verify.main([str(path), f"{path}.gone"]) == 3
    shown = capsys.readouterr()
    assert OBEYED.findall(shown.out + shown.err) == []
    assert shown.err.count(r"\x1b[31mred\u202egnp\x07\x9b2J") >= 2


def test_progress_escapes_names(capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine(NASTY)
    line.last_printed = -1e9
    line._show(f"1 of 2 {NASTY}")
    assert OBEYED.findall(capsys.readouterr().err) == []


def test_cells_that_a_spreadsheet_would_run_are_text_in_review_lists(
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
