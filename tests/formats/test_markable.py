"""Stretches of markable text: files, command line, campaign.toml, JSON, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gammacp as gc
from gammacp import Continuum, Unit
from gammacp.continuum.declaring import declare_bounds
from gammacp.continuum.markable import declare_markable, pauses_in_words, units_in_pauses
from gammacp.continuum.selecting import keep_annotators
from gammacp.errors import DataError
from tests.conftest import Run

ROWS = "Ann,x,0,4\nAnn,y,6,9\nAnn,y,32,34\nAnn,y,38,44\nBob,x,0,4\nBob,y,6,8\nBob,y,40,43\n"
STRETCHES = "document,start,end\na,30,50\na,0,10\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(ROWS)
    (tmp_path / "stretches.csv").write_text(STRETCHES)
    return tmp_path


def two() -> Continuum:
    return Continuum.from_units([Unit("Ann", 2, 9, "x"), Unit("Bob", 33, 40, "x")])


def test_command_line_campaign_and_json_agree(run: Run, here: Path) -> None:
    options = ("--samples", "60", "--json")
    given = json.loads(run("gamma", "a.csv", "--markable", "stretches.csv", *options).out)
    (here / "campaign.toml").write_text('paths = ["a.csv"]\nmarkable = "stretches.csv"\n')
    file = json.loads(run("gamma", "campaign.toml", *options).out)
    assert run("convert", "a.csv", "b.json", "--markable", "stretches.csv").code == 0
    stored = json.loads(run("gamma", "b.json", *options).out)
    values = [found["results"][0]["gamma"] for found in (given, file, stored)]
    assert values[0] == values[1] == values[2]
    made = given["results"][0]["signature"]
    assert "chance:cut(markable=2)|" in made
    assert "sel:markable=" in made
    without = json.loads(run("gamma", "a.csv", *options).out)
    assert values[0] != without["results"][0]["gamma"]
    again = gc.read("b.json")
    assert isinstance(again, Continuum)
    assert (again.markable, again.bounds) == (((0.0, 10.0), (30.0, 50.0)), (0.0, 50.0))


def test_declared_stretches_are_kept_and_trivial_ones_dropped() -> None:
    c = two().with_markable([(30, 50), (0, 5), (5, 10)])
    assert (c.markable, c.bounds) == (((0.0, 10.0), (30.0, 50.0)), (0.0, 50.0))
    assert c != declare_bounds(two(), (0, 50))
    assert keep_annotators(c, ["Bob"]).markable == c.markable
    assert c.with_markable([(0, 10), (30, 50)]) is c
    whole = two().with_markable([(0, 50)])
    assert (whole.markable, whole.bounds) == ((), (0.0, 50.0))
    assert two().with_markable([]).selection == ()
    assert c.with_markable([]).markable == ()


@pytest.mark.parametrize(
    ("stretches", "bounds", "message"),
    [
        ([(0, 10), (9, 40)], None, "stretch 9-40 overlaps 0-10"),
        ([(10, 0)], None, "stretch 10-0 ends before it begins"),
        ([(3, 3)], None, "stretch 3-3 is empty"),
        ([(0, float("inf"))], None, "stretch 0-inf is not finite"),
        ([(0, 10), (30, 60)], (0, 50), "stretch 30-60 lies outside the document, 0 to 50"),
        ([(10, 32)], None, "2 of 2 units lie in pauses, outside all stretches"),
    ],
)
def test_impossible_stretches_are_refused_with_advice(
    stretches: list[tuple[float, float]], bounds: tuple[float, float] | None, message: str
) -> None:
    c = two() if bounds is None else declare_bounds(two(), bounds)
    with pytest.raises(DataError, match=message) as error:
        declare_markable(c, stretches)
    assert error.value.hint


def test_units_of_several_fragments_are_refused() -> None:
    pieces = Unit("Ann", 2, 9, "x", ((2, 4), (6, 9)))
    c = Continuum.from_units([pieces, Unit("Bob", 33, 40, "x")])
    with pytest.raises(DataError, match="several fragments cannot be moved around pauses"):
        c.with_markable([(0, 10), (30, 50)])


def test_units_in_pauses_are_counted_and_reported() -> None:
    """By hand, 12–18 lies in the pause 10–30, 25–31 and 8–12 partly, and 10–10 touches it."""
    rows = [(2, 9), (12, 18), (25, 31), (8, 12), (9, 33), (10, 10), (30, 50), (20, 20)]
    c = Continuum.from_units([Unit("Ann", s, e) for s, e in rows]).with_markable(
        [(0, 10), (30, 50)]
    )
    whole, partly = units_in_pauses(c)
    assert [(c.starts[i], c.ends[i]) for i in whole] == [(12, 18), (20, 20)]
    assert partly == 2
    assert pauses_in_words(c) == (
        "2 units lie in a pause, where nothing can be marked (Ann 12-18, Ann 20-20): chance has "
        "them elsewhere",
        "2 units begin or end in a pause: chance has the part that lies outside",
    )


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("document,start,end\na,0,10\na,50,30\n", "s.csv:3: stretch 50-30 ends before it begins"),
        ("document,start,end\na,30,50\na,0,31\n", "s.csv:2: stretch 30-50 overlaps 0-31"),
        ("document,start,end\na,0,10\nz,0,9\n", "s.csv:3: document 'z' does not occur"),
        ("document,start,end\na,x,10\n", "s.csv:2: "),
        ("document,begin\na,3\n", "s.csv"),
        ("document,start,end\n", "s.csv: the file has no stretches"),
        ("document,start,end\na,100,110\na,9,30\n", "units lie in pauses"),
    ],
)
def test_an_invalid_file_is_reported_with_its_line(run: Run, text: str, said: str) -> None:
    Path("s.csv").write_text(text)
    done = run("gamma", "a.csv", "--markable", "s.csv")
    assert (done.code, said in done.err) == (3, True), done.err


def test_every_document_needs_its_stretches(run: Run, here: Path) -> None:
    (here / "b.csv").write_text(ROWS)
    missing = run("gamma", "a.csv", "b.csv", "--markable", "stretches.csv")
    assert (missing.code, "stretches.csv: no stretch for b" in missing.err) == (3, True)
    # The file may also have documents that were read but not selected.
    (here / "both.csv").write_text(STRETCHES + "b,0,10\nb,30,45\n")
    few = ("--samples", "60")
    selected = run("gamma", "a.csv", "b.csv", "--document", "a", "--markable", "both.csv", *few)
    assert selected.code == 0
    (here / "none.csv").write_text("start,end\n0,10\n30,50\n")
    assert run("gamma", "a.csv", "--markable", "none.csv", *few).code == 0
    unclear = run("gamma", "a.csv", "b.csv", "--markable", "none.csv")
    assert "none.csv:2: stretches have no document, and there are 2 documents" in unclear.err
    outside = run("gamma", "a.csv", "--bounds", "0:45", "--markable", "stretches.csv")
    assert "stretches.csv:2: stretch 30-50 lies outside the document, 0 to 45" in outside.err


def test_a_corpus_has_chance_within_documents_and_a_note(run: Run, here: Path) -> None:
    names = ("a", "b", "c")
    for name in names:
        (here / f"{name}.csv").write_text(ROWS)
    rows = "".join(f"{name},0,10\n{name},30,50\n" for name in names)
    (here / "all.csv").write_text(f"document,start,end\n{rows}")
    files = [f"{name}.csv" for name in names]
    done = run("gamma", *files, "--markable", "all.csv", "--samples", "30")
    assert "With pauses the default chance model is cut instead of documents" in done.err
    assert "chance:cut(markable=2)|" in done.err
    refused = run("gamma", *files, "--markable", "all.csv", "--chance", "documents")
    assert "cannot model pauses" in refused.out + refused.err


@pytest.mark.usefixtures("here")
def test_files_and_commands_that_cannot_hold_stretches_refuse(run: Run) -> None:
    for out, said in (("b.csv", True), ("b.json", False)):
        err = run("convert", "a.csv", out, "--markable", "stretches.csv").err
        assert ("give --markable when reading it" in err) == said
    refused = run("segmentation", "--dataset", "hearst1997", "--markable", "stretches.csv")
    assert (refused.code, "--markable does not apply here" in refused.err) == (2, True)
    moved = run("gamma", "b.json", "--positions", "Ann: end+1")
    assert "does not move stretches that can be marked" in moved.err
    told = run("calibrate", "b.json", "--samples", "10", "--sets", "3", "--error", "position")
    assert "nothing can be marked in pauses" in " ".join((told.out + told.err).split())


def test_left_out_units_do_not_move_the_end_of_the_document(run: Run, here: Path) -> None:
    """Without its short units, a document only seems to end before its stretches."""
    (here / "a.csv").write_text("Ann,x,0,1\nAnn,y,1,9\nBob,x,2,9\nBob,y,32,40\nAnn,x,33,41\n")
    for chosen in (("--min-length", "2"), ("--only", "y"), ("--exclude", "Ann")):
        given = ("--markable", "stretches.csv", *chosen)
        found = run("convert", "a.csv", f"b{chosen[0]}.json", *given)
        assert found.code == 0, found.err
        again = gc.read(f"b{chosen[0]}.json")
        assert isinstance(again, Continuum)
        assert (again.markable, again.bounds) == (((0.0, 10.0), (30.0, 50.0)), (0.0, 50.0))
    found = run("convert", "a.csv", "c.json", "--markable", "stretches.csv", "--bounds", "0:45")
    assert found.code == 3
    assert "stretches.csv:2: stretch 30-50 lies outside the document, 0 to 45" in found.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start;end\n0;10\n30;50\n", None),
        ("start,start,end\n0,1,2\n", "s.csv:1: the column 'start' is there twice"),
        ("doc,start,end\na,0,10\nb,0,10\n", "the column document says of which document"),
    ],
)
def test_tables_of_spreadsheets(run: Run, here: Path, text: str, message: str | None) -> None:
    (here / "s.csv").write_text(text)
    found = run("convert", "a.csv", "b.json", "--markable", "s.csv")
    assert found.code == (0 if message is None else 3)
    assert (message or "") in found.err


def test_advice_about_json_names_the_file_and_no_option(run: Run, here: Path) -> None:
    run("convert", "a.csv", "b.json", "--markable", "stretches.csv")
    text = (here / "b.json").read_text().replace('"bounds": [0, 50]', '"bounds": [0, 45]')
    (here / "b.json").write_text(text)
    found = run("gamma", "b.json")
    assert found.code == 3
    assert "b.json: stretch 30-50 lies outside the document, 0 to 45" in found.err
    assert 'Correct "markable", or "bounds", in the file' in found.err
