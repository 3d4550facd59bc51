"""The commands inspect, convert and formats."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gammacp import Unit, read, read_corpus
from gammacp.formats import FORMATS
from tests.tools.story import FIXTURES, UNITS

Run = Callable[..., Any]


def test_inspect_counts(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(
        "# bounds: 0 10\nAnn,x,0,2\nAnn,x,0,2\nAnn,X,4,4\nBob,,1.5,3\nCid,,,\n", encoding="utf-8"
    )
    outcome = run("inspect", file, "--json")
    assert outcome.code == 0
    (found,) = json.loads(outcome.out)["results"]
    assert found["annotators"] == {"Ann": 3, "Bob": 1, "Cid": 0}
    assert found["categories"]["x"] == {"units": 2, "prevalence": 2 / 3}
    assert found["bounds"] == [0, 10]
    assert found["gaps"] == {"Ann": 2, "Bob": 2, "Cid": 1}
    assert found["coverage"] == pytest.approx({"Ann": 0.2, "Bob": 0.15, "Cid": 0})
    assert found["overlaps"] == {"Ann": 1, "Bob": 0, "Cid": 0}
    assert found["duplicates"] == {"Ann": 1, "Bob": 0, "Cid": 0}
    assert (found["units"], found["unlabelled"], found["zero_length"]) == (4, 1, 1)
    assert found["lengths"] == {"minimum": 0, "median": 1.75, "mean": 1.375, "maximum": 2}
    assert not found["whole_numbers"]
    text = " ".join(found["warnings"])
    for part in (
        "Cid has no units",
        "Ann has 1 unit overlapping",
        "Ann has 1 unit repeating",
        "1 unit of zero length",
        "1 unit of 4 without a category",
        "not all whole numbers",
        "categories 'X', 'x' differ only in case",
    ):
        assert part in text


def test_inspect_prints_the_counts(run: Run) -> None:
    outcome = run("inspect", FIXTURES / "brat")
    assert outcome.code == 0
    for part in ("story", "brat", "6, 1 unlabelled", "ann", "bob", "PER"):
        assert part in outcome.out


def test_one_bad_file_does_not_stop_the_others(run: Run, tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text("A,x,1,2\nB,x,1,2\n", encoding="utf-8")
    (tmp_path / "bad.csv").write_text("A,x,2,1\n", encoding="utf-8")
    outcome = run("inspect", tmp_path, "--json")
    assert outcome.code == 3
    assert "bad.csv:1: end 1 < start 2" in outcome.err
    document = json.loads(outcome.out)
    assert [Path(r["file"]).name for r in document["results"]] == ["good.csv"]
    assert [Path(f["file"]).name for f in document["failures"]] == ["bad.csv"]


def test_existing_labels_are_listed_once(run: Run) -> None:
    found = run("inspect", "--dataset", "alex-paul-suzan", "--only", "Z")
    assert found.err.endswith("category 'Z' does not occur. There are: 1, 2, 3, 4, 5, 6, 7\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["inspect"], 2, "give files, or a dataset"),
        (["inspect", "none.csv"], 3, "none.csv: file does not exist"),
        (["inspect", "none.csv", "nor.csv"], 3, "none of 2 files could be read"),
        (["inspect", "--dataset", "figur10"], 2, "did you mean 'figure10'"),
        (["inspect", "--dataset", "dalton", "--only", "Z"], 3, "category 'Z' does not occur"),
        (["inspect", "--dataset", "dalton", "--exclude", "Z"], 3, "annotator 'Z' does not occur"),
        (["inspect", "--dataset", "dalton", "--map", "A"], 2, "--map 'A' is not OLD=NEW"),
        (["inspect", "--dataset", "dalton", "--bounds", "3"], 2, "--bounds is not START:END"),
        (["inspect", "--dataset", "dalton", "--bounds", "3:4"], 3, "outside the bounds 3:4"),
        (["inspect", FIXTURES / "brat", "--option", "x=1"], 2, "option 'x' is not one of any"),
        (["inspect", FIXTURES / "tiers.eaf", "--tier", "x"], 3, "no tier fits 'x'"),
        (["inspect", FIXTURES / "cas", "--layer", "x"], 3, "layer 'x' does not occur. There are"),
        (["inspect", FIXTURES / "README.md"], 3, "format is not recognised"),
        (["convert"], 2, "give the files to read, then the file to write"),
        (["convert", "--dataset", "dalton", "x.aa"], 2, "does not say which format to write"),
        (["convert", "--dataset", "dalton", "x", "--to", "glozz"], 2, "'glozz' is only read"),
    ],
)
def test_errors_are_one_line(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[object],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run(*arguments)
    assert outcome.code == code
    assert outcome.out == ""
    last = outcome.err.strip().splitlines()[-1]
    assert last.startswith("gammacp: ")
    assert message in last


def test_selection(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    outcome = run(
        "convert", FIXTURES / "brat", out, "--map", "PER=WHO", "--map", "LOC=WHERE",
        "--only", "WHO", "--exclude", "bob", "--annotators", "cid,dan", "--bounds", "0:39",
    )  # fmt: skip
    assert outcome.code == 0
    assert outcome.out == ""
    c = read(out)
    assert [replace(u, id="") for u in c] == [Unit("ann", 0, 3, "WHO"), Unit("ann", 8, 11, "WHO")]
    assert c.annotators == ("ann", "cid", "dan")
    assert c.bounds == (0, 39)


@pytest.mark.parametrize("ending", ["csv", "json", "rttm", "eaf"])
def test_convert(run: Run, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"out.{ending}"
    outcome = run("convert", FIXTURES / "brat", out)
    assert outcome.code == 0
    assert "6 units, 1 continuum" in outcome.err
    assert ("the text is not kept" in outcome.err) == (ending != "json")
    assert [replace(u, id="") for u in read(out)] == UNITS


def test_convert_reports_losses(run: Run, tmp_path: Path) -> None:
    outcome = run("convert", "--dataset", "dalton", "--bounds", "0:99", tmp_path / "out.rttm")
    assert outcome.code == 0
    assert "bounds 0:99 are not kept" in outcome.err


def test_convert_many_into_one(run: Run, tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "rttm", tmp_path / "rttm")
    outcome = run("convert", tmp_path / "rttm", tmp_path / "all.csv")
    assert outcome.code == 0
    assert list(read_corpus(tmp_path / "all.csv")) == ["one", "two"]


def test_formats_lists_the_registry(run: Run) -> None:
    found = json.loads(run("formats", "--json").out)["formats"]
    assert [f["name"] for f in found] == list(FORMATS)
    assert [f["name"] for f in found if f["writes"]] == [n for n, f in FORMATS.items() if f.writer]
    table = run("formats").out
    assert all(name in table for name in FORMATS)
    assert max(map(len, table.splitlines())) <= 80


def test_formats_describes_one(run: Run) -> None:
    told = run("formats", "cas", "elan").out
    assert told.startswith("UIMA CAS XMI and JSON (INCEpTION) (cas): .xmi .json .xml\n")
    assert (
        "Options for reading: `--layer`, `--feature`, `[features.NAME]`, `--option fillers=`."
        in told
    )
    assert "ELAN (elan): .eaf" in told
    assert all(line[:1] != " " for line in told.splitlines())  # in a pipe no line is broken
    assert [f["name"] for f in json.loads(run("formats", "elan", "--json").out)["formats"]] == [
        "elan"
    ]
    unknown = run("formats", "eln")
    assert (unknown.code, unknown.out) == (2, "")
    assert "did you mean 'elan'?" in unknown.err


def test_inspect_and_convert_report_notes(run: Run, tmp_path: Path) -> None:
    rows = "# a comment\nannotator,category,start,end,note\nA,x,0,1,\nB,x,0,1,\n"
    (tmp_path / "b.csv").write_text(rows, encoding="utf-8")
    file = str(tmp_path / "b.csv")
    document = json.loads(run("inspect", file, "--json").out)
    assert document["left_out"][0] == {
        "file": file,
        "kind": "column",
        "count": 1,
        "reason": "note is not used",
    }
    assert "left out: 1 column: note is not used" in run("inspect", file).out
    done = run("convert", file, str(tmp_path / "c.json"))
    assert "left out: 1 line: comment" in done.err


def test_control_characters_are_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("A\x1b[2J,x\u202ey,0,1\nB,x,0,1\n", encoding="utf-8")
    out = run("inspect", str(tmp_path / "b.csv")).out
    assert "A\\x1b[2J" in out
    assert "x\\u202ey" in out
    assert "\x1b" not in out
    (tmp_path / "b.csv").write_text("A\x1b[2J\nB\n", encoding="utf-8")
    failed = run("inspect", str(tmp_path / "b\x1b.csv"))
    assert failed.code == 3
    assert "b\\x1b.csv: file does not exist" in failed.err
