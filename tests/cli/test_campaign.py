"""A campaign.toml in the place of files, for every command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gammacp.base.signature import parse
from tests.conftest import Run

ROWS = """{0},N,0,10
{0},V,{1},30
{0},N,40,5{1}
"""
FAST = ("--samples", 10, "--json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "export").mkdir()
    for document in range(4):
        rows = [ROWS.format(who, (document + who) % 4) for who in (1, 2, 3)]
        (tmp_path / "export" / f"d{document}.csv").write_text("".join(rows))
    (tmp_path / "campaign.toml").write_text(
        'paths = ["export"]\nexclude = ["3"]\n[rename]\n1 = "Ann"\n2 = "Bob"\n'
        '[rounds]\nfirst = ["d[01]"]\nrest = ["d2", "d3"]\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_campaign_file_equals_its_options(run: Run) -> None:
    options = ("--exclude", "3", "--rename", "1=Ann", "--rename", "2=Bob")
    one = json.loads(run("gamma", "campaign.toml", *FAST).out)["corpus"]
    other = json.loads(run("gamma", "export", *options, *FAST).out)["corpus"]
    (selected, plain) = (dict(parse(g["signature"]).selection) for g in (one, other))
    assert len(*selected.pop("campaign")) == 8
    assert selected == plain
    del one["signature"], other["signature"]
    assert one == other


@pytest.mark.usefixtures("folder")
def test_options_override_the_campaign_file(run: Run) -> None:
    found = run("inspect", "campaign.toml", "--exclude", "Bob", "--round", "first", "--json").out
    names = [document["annotators"] for document in json.loads(found)["results"]]
    assert names == [{"Ann": 3, "3": 3}] * 2


@pytest.mark.usefixtures("folder")
def test_rounds_are_compared_with_each_other(run: Run) -> None:
    options = ("--by", "document", "--no-interval", "--jobs", 1)
    names = run(
        "compare", "campaign.toml", "--round", "first", "--against", "rest", *options, *FAST
    )
    files = run(
        "compare", "export/d0.csv", "export/d1.csv",
        "--against", "export/d2.csv", "--against", "export/d3.csv",
        "--exclude", "3", *options, *FAST,
    )  # fmt: skip
    one, other = (json.loads(found.out)["against"] for found in (names, files))
    assert one["difference"] == pytest.approx(other["difference"])
    assert one["gamma"] == pytest.approx(other["gamma"])


def test_segmentation_and_trees_take_the_keys_they_know(run: Run, folder: Path) -> None:
    (folder / "not.toml").write_text('paths = ["export"]\ndissimilarity = "combined"\n')
    for command in ("segmentation", "syntax"):
        result = run(command, "not.toml")
        assert result.code == 3
        assert "not.toml:2: dissimilarity does not apply here: " in result.err
        assert "Write a file without it for this command" in result.err
    (folder / "whole.csv").write_text("a,x,0,3\na,x,3,9\nb,x,0,4\nb,x,4,9\n")
    (folder / "own.toml").write_text('paths = ["whole.csv"]\n')
    plain = run("segmentation", "whole.csv", "--json")
    by_file = run("segmentation", "own.toml", "--json").out
    assert re.sub(r"\|sel:campaign=\w{8}", "", by_file) == plain.out


def test_init_writes_a_file_and_never_overwrites_one(run: Run, folder: Path) -> None:
    before = (folder / "campaign.toml").read_text()
    refused = run("init", "export")
    assert refused.code == 2
    assert "campaign.toml exists already; overwrite it with --force" in refused.err
    assert (folder / "campaign.toml").read_text() == before
    assert run("init", "export", "-o", "new.toml", "--exclude", "3", "--rename", "1=Ann").code == 0
    (a, b) = (
        {name: r["annotators"] for name, r in enumerate(json.loads(found.out)["results"])}
        for found in (
            run("inspect", "new.toml", "--json"),
            run("inspect", "export", "--exclude", "3", "--rename", "1=Ann", "--json"),
        )
    )
    assert a == b
    assert run("init", "campaign.toml", "-o", "other.toml").code == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["gamma", "campaign.toml", "--round", "x"], 3, "toml:6: round 'x' is unknown"),
        (["gamma", "export", "--round", "x"], 2, "--round x needs a campaign.toml"),
        (["gamma", "campaign.toml", "export"], 2, "give a campaign.toml alone"),
        (["gamma", "export", "--rename", "1=2"], 3, "would be '2'"),
        (["gamma", "export", "--rename", "9=2"], 3, "annotator '9' does not occur"),
        (["gamma", "export", "--rename", "9"], 2, "--rename '9' is not OLD=NEW"),
        (["gamma", "none.toml"], 3, "none.toml: file does not exist"),
        (["init", "export", "-o", "n.toml", "--only", "x"], 3, "category 'x' does not occur"),
    ],
)
def test_bad_input(run: Run, args: list[str], code: int, message: str) -> None:
    result = run(*args)
    assert (result.code, message in result.err) == (code, True), result.err


@pytest.mark.usefixtures("folder")
def test_documents_can_be_named_beside_files_and_rounds(run: Run) -> None:
    def documents(*options: object) -> set[str]:
        found = json.loads(run("inspect", *options, "--json").out)["results"]
        return {Path(document["file"]).stem for document in found}

    assert documents("export", "--document", "d1,d3") == {"d1", "d3"}
    assert documents("export", "--document", "d[0-2]") == {"d0", "d1", "d2"}
    assert documents("campaign.toml", "--round", "rest", "--document", "*3") == {"d3"}
    gone = run("align", "campaign.toml", "--round", "rest", "--document", "d1")
    assert gone.code == 3
    assert "document 'd1' does not occur. There are: d2, d3" in gone.err
    one = json.loads(run("gamma", "export", "--document", "d2", *FAST).out)["results"][0]
    assert dict(parse(one["signature"]).selection)["document"] == ("d2",)
    assert "Choose one with --document" in run("align", "export").err


ERRORS = """annotator,category,start,end,severity
Ann,Style/Awkward,0,4,Major
Ann,Fluency/Grammar,6,9,Minor
Bob,Style/Wordy,0,4,Minor
Bob,Fluency/Grammar,6,9,Minor
Cid,Style/Wordy,0,4,Minor
Cid,Fluency/Grammar,6,9,Minor
"""
MINE = '[category]\ntype = "tree"\n[features.severity]\norder = ["Minor", "Major"]\n'


@pytest.fixture
def errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a campaign that sets a dissimilarity, and one that does not."""
    (tmp_path / "a.csv").write_text(ERRORS)
    (tmp_path / "mine.toml").write_text(MINE)
    (tmp_path / "plain.toml").write_text('paths = ["a.csv"]\n')
    (tmp_path / "campaign.toml").write_text('paths = ["a.csv"]\ndissimilarity = "mine.toml"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("errors")
@pytest.mark.parametrize(
    "command",
    [
        ["gamma", "--samples", 3],
        ["align"],
        ["measure", "-m", "gamma", "-m", "alpha", "-m", "ser", "--samples", 3],
        ["compare", "--samples", 3, "--no-interval"],
        ["consensus"],
        ["replace", "--candidate", "Bob", "--score", "disorder"],
        ["watch", "--once", "--samples", 3],
    ],
)
def test_every_command_uses_the_dissimilarity_of_the_campaign(run: Run, command: list[str]) -> None:
    name, *options = command

    def said(campaign: str, *more: str) -> str:
        history = ("--history", f"{campaign}.watch") if name == "watch" else ()
        outcome = run(name, campaign, *options, *more, *history, "--json")
        assert outcome.code == 0, outcome.err
        return re.sub(r'campaign=\w{8}|"time": "[^"]*"', "", outcome.out)

    named = said("plain.toml", "--dissimilarity", "mine.toml")
    assert said("campaign.toml") == named != said("plain.toml")


def test_a_dissimilarity_on_the_command_line_overrides_and_says_so(run: Run, errors: Path) -> None:
    outcome = run("align", "campaign.toml", "--beta", 2, "--json")
    assert "campaign.toml: the command line replaces its dissimilarity mine.toml" in outcome.err
    assert outcome.out == run("align", "plain.toml", "--beta", 2, "--json").out
    (errors / "campaign.toml").write_text('paths = ["a.csv"]\ndissimilarity = "mine"\n')
    outcome = run("align", "campaign.toml")
    assert (outcome.code, "campaign.toml:2: " in outcome.err) == (3, True)
    assert "Give a TOML file" in outcome.err
