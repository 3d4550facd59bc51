"""Exit codes of partial reading, for every command that reads."""

import json
from pathlib import Path

import pytest

from tests.cli import test_unknown_options
from tests.conftest import Run

SENTENCE = "5 of 6 documents; doc-3 left out: "
PLACE = "doc-3.ann:2: "
TEXT = "a word or two and some more of them here"
EXTRA = {
    "align": ["--document", "doc-1"],
    "export": ["--document", "doc-1", "--to", "lp"],
    "replace": ["--candidate", "ann", "--min-documents", "1"],
    "plan": ["--half-width", "0.2", "--samples", "3"],
    "unnamed": ["--readers", "3"],
    "calibrate": ["--samples", "3", "--sets", "3", "--error", "category"],
    "gamma": ["--samples", "3"],
    "measure": ["-m", "ser"],
    "compare": ["--samples", "3", "--bootstrap", "0", "--no-leave-one-out"],
    "report": ["--samples", "3", "--bootstrap", "0", "--no-leave-one-out"],
    "links": ["--samples", "3"],
    "consensus": ["--splits", "0"],
    "segmentation": [],
    "watch": ["--once", "--samples", "3"],
}
# Commands that read other kinds of data have tests of their own.
ELSEWHERE = {"syntax"}


def damaged(folder: Path) -> Path:
    """Write six documents by three annotators in brat's files, one of which is broken, and return
    the folder.
    """
    starts = {"ann": (0, 12, 20), "bob": (0, 13, 22), "cem": (1, 12, 26)}
    for annotator, places in starts.items():
        (folder / annotator).mkdir(parents=True)
        for number in range(1, 7):
            lines = [
                f"T{i}\t{'AB'[(i + number) % 2]} {at} {at + i}\t{TEXT[at : at + i]}\n"
                for i, at in enumerate(places, 1)
            ]
            lines.append("R1\tafter Arg1:T2 Arg2:T1\n")
            (folder / annotator / f"doc-{number}.ann").write_text("".join(lines))
            (folder / annotator / f"doc-{number}.txt").write_text(TEXT)
    (folder / "bob" / "doc-3.ann").write_text(f"T1\tA 0 1\t{TEXT[0]}\nT2\tB 13\n")
    return folder


def reading_commands() -> dict[str, bool]:
    """Return the commands that read files, each with whether it prints JSON."""
    options = {
        " ".join(words): {o for p in command.params for o in p.opts}
        for words, command in test_unknown_options.COMMANDS.items()
    }
    return {name: "--json" in own for name, own in options.items() if "--allow-unread" in own}


COMMANDS = reading_commands()


@pytest.mark.usefixtures("little_is_simulated")
@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ELSEWHERE])
def test_every_command_names_what_is_missing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if command == "plan":
        # The results of the simulation do not matter here.
        monkeypatch.setattr("gammacp.campaign.plan.spread.Simulation.magnitude", lambda *_: 0.3)
        monkeypatch.setattr("gammacp.campaign.plan.spread.MOST_DOCUMENTS", 5)
    folder = damaged(tmp_path / "x")
    if command == "segmentation":
        whole_texts(folder)
    arguments = [command, folder, *EXTRA.get(command, [])]
    if command == "convert":
        arguments.append(tmp_path / "out.csv")
    result = run(*arguments)
    assert result.code == 3, result.err
    assert PLACE in result.err
    assert SENTENCE in result.err
    if result.out:
        assert result.out.startswith(SENTENCE)
    if command == "report":
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert SENTENCE in page
    if command == "init":
        arguments.append("--force")
    allowed = run(*arguments, "--allow-unread")
    assert allowed.code == 0, allowed.err
    assert SENTENCE in allowed.err
    if COMMANDS[command]:
        result = run(*arguments, "--json")
        assert result.code == 3
        (failure,) = json.loads(result.out)["failures"]
        assert failure["documents"] == ["doc-3"]
        assert failure["file"].endswith("doc-3.ann")
        assert failure["line"] == 2
        assert failure["message"]


def whole_texts(folder: Path) -> None:
    """Make the units cover the texts, as segments do."""
    for file in folder.rglob("doc-[12456].ann"):
        cut = 10 + len(file.parent.name)
        parts = ((0, cut), (cut, len(TEXT)))
        lines = [f"T{i}\tA {s} {e}\t{TEXT[s:e]}\n" for i, (s, e) in enumerate(parts, 1)]
        file.write_text("".join(lines))


def test_unread_files_come_before_a_threshold(run: Run, tmp_path: Path) -> None:
    folder = damaged(tmp_path / "x")
    result = run("gamma", folder, "--samples", "10", "--fail-under", "1")
    assert result.code == 3
    assert "below 1" in result.err
    allowed = run("gamma", folder, "--samples", "10", "--fail-under", "1", "--allow-unread")
    assert allowed.code == 5


def test_unread_files_of_the_other_round_count_too(run: Run, tmp_path: Path) -> None:
    for name in ("x", "y"):
        damaged(tmp_path / name)
    (tmp_path / "x" / "bob" / "doc-3.ann").write_text(f"T1\tA 0 1\t{TEXT[0]}\n")
    given = ["--samples", "10", "--bootstrap", "0", "--no-leave-one-out"]
    arguments = ["compare", tmp_path / "x", "--against", tmp_path / "y", *given]
    result = run(*arguments, "--json")
    assert result.code == 3
    (failure,) = json.loads(result.out)["failures"]
    assert "y/bob" in failure["file"]


def test_a_truncated_export_beside_others_gives_no_agreement(run: Run, tmp_path: Path) -> None:
    """If one of doccano's files is cut off, all documents may lack an annotator, so γ is
    an error.
    """
    record = {"id": 1, "text": TEXT, "label": [[0, 1, "A"]]}
    for name in ("ann", "bob", "cem"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    (tmp_path / "dan.jsonl").write_text(json.dumps(record)[:30], encoding="utf-8")
    (tmp_path / "other.csv").write_text("Ann,x,0,4\nBob,x,0,4\nAnn,y,6,9\nBob,y,6,9\n")
    result = run("gamma", tmp_path, "--samples", "10", "--json", "--fail-under", "0.5")
    assert result.code == 3
    (failure,) = json.loads(result.out)["failures"]
    assert failure["documents"] == ["1"]


def test_trees(run: Run, tmp_path: Path) -> None:
    row = "{}\tw\tw\tX\t_\t_\t{}\tdep\t_\t_\n"
    for annotator in ("ann", "bob"):
        (tmp_path / annotator).mkdir()
        for number in (1, 2):
            rows = "".join(row.format(i, i - 1) for i in range(1, 4))
            (tmp_path / annotator / f"d{number}.conllu").write_text(rows + "\n")
    (tmp_path / "bob" / "d2.conllu").write_bytes(b"1\tw\xff\n")
    result = run("syntax", tmp_path, "--json")
    assert result.code == 3
    (failure,) = json.loads(result.out)["failures"]
    assert failure["documents"] == ["d2"]
    assert "1 of 2 documents; d2 left out" in result.err
    assert run("syntax", tmp_path, "--allow-unread").code == 0


def test_excluding_a_person_may_change_the_chance_model(run: Run, tmp_path: Path) -> None:
    """Two documents are too few to permute three annotators and enough for two, and a note
    says so.
    """
    rows = [
        f"{document},{annotator},{'xy'[k % 2]},{k * 10 + shift},{k * 10 + 6}\n"
        for document in ("a", "b")
        for shift, annotator in enumerate(("Ann", "Bob", "Cem"))
        for k in range(8)
    ]
    file = tmp_path / "e.csv"
    file.write_text("document,annotator,category,start,end\n" + "".join(rows), encoding="utf-8")
    sentence = "Without Cem the default chance model is documents instead of cut"
    arguments = ["gamma", file, "--samples", "10", "--exclude", "Cem"]
    result = run(*arguments, "--json")
    assert sentence in result.err
    assert sentence in json.loads(result.out)["doubt"]
    assert sentence not in run(*arguments, "--chance", "cut").err
    assert sentence not in run("inspect", file, "--exclude", "Cem").err


@pytest.mark.parametrize(
    ("selection", "beginning"),
    [
        (["--document", "a,b"], "Of these documents alone"),
        (["--annotators", "D,E,F"], "With D, E, F"),
        (["--read-until", "Ann=77", "--bounds", "0:90"], "With annotators who did not finish"),
        (["--document", "a,b", "--map", "x=y"], "Of these documents alone"),
        (["--document", "a,b", "--exclude", "Cem", "--annotators", "D"], "After this selection"),
    ],
)
def test_other_selections_may_change_the_chance_model(
    run: Run, tmp_path: Path, selection: list[str], beginning: str
) -> None:
    rows = [
        f"{document},{annotator},{'xy'[k % 2]},{k * 10 + shift},{k * 10 + 6}\n"
        for document in "abcd"
        for shift, annotator in enumerate(("Ann", "Bob", "Cem"))
        for k in range(8)
    ]
    file = tmp_path / "e.csv"
    file.write_text("document,annotator,category,start,end\n" + "".join(rows), encoding="utf-8")
    sentence = f"{beginning} the default chance model is cut instead of documents"
    result = run("gamma", file, "--samples", "5", "--json", *selection)
    assert sentence in " ".join(result.err.split())
    assert sentence in json.loads(result.out)["doubt"]
    kept = run("gamma", file, "--samples", "5", "--json", "--document", "a,b,c")
    assert "doubt" not in json.loads(kept.out)


def test_convert_takes_its_target_as_an_option(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "pandas.csv"
    file.write_text(",document,annotator,category,start,end\n0,d,Ann,x,0,4\n1,d,Bob,x,0,5\n")
    result = run("convert", file, "-o", tmp_path / "out.json")
    assert result.code == 0
    assert (tmp_path / "out.json").is_file()
    assert "left out" not in result.err, "the numbers of rows are no column"


def test_a_named_format_beats_the_ending(run: Run, tmp_path: Path) -> None:
    for annotator in ("ann", "bob"):
        (tmp_path / annotator).mkdir()
        (tmp_path / annotator / "d.txt").write_text("a O\nb B-X\nc I-X\n", encoding="utf-8")
    result = run("measure", tmp_path, "--format", "conll", "-m", "ser", "--json")
    (found,) = json.loads(result.out)["results"]
    assert found["measures"]["ser"]["value"] == 1
