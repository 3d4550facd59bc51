"""The options `--fail-under`, `--fail-under-lower` and `--ci`, alike in all commands."""

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Run

COMMANDS = [
    ("gamma",),
    ("measure", "-m", "f1-exact"),
    pytest.param(("compare",), marks=pytest.mark.needs("campaign")),
    pytest.param(("segmentation",), marks=pytest.mark.needs("segmentation")),
    pytest.param(("links",), marks=pytest.mark.needs("links")),
    pytest.param(("syntax",), marks=pytest.mark.needs("trees")),
    pytest.param(("calibrate",), marks=pytest.mark.needs("campaign")),
]
WRONG = {
    "nan": "must be a number, not nan",
    "inf": "must be a number, not inf",
    "-inf": "must be a number, not -inf",
    "1.01": "1.01 is above 1, the highest agreement there is",
    "70": "is above 1, the highest agreement there is; 70 % is 0.7",
}
LINE = re.compile(r"::(?P<level>error|warning) (?P<properties>[^:]*)::(?P<text>.*)")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("value", WRONG)
def test_wrong_thresholds_are_refused_before_files_are_read(
    run: Run, command: tuple[str, ...], value: str
) -> None:
    options = ["--fail-under"]
    if command != ("calibrate",):
        options.append("--fail-under-lower")
    for option in options:
        refused = run(*command, "there-is-no-such-file.csv", f"{option}={value}")
        assert refused.code == 2
        assert refused.err.startswith(f"gammacp: {option} ")
        assert WRONG[value] in refused.err
        assert refused.out == ""


def corpus(folder: Path, shares: dict[str, int]) -> Path:
    """Write a document of ten units for each name, with a given number of units at the
    same place.
    """
    folder.mkdir(parents=True)
    for name, same in shares.items():
        rows = [f"Ann,x,{10 * i},{10 * i + 4}" for i in range(10)]
        rows += [f"Bob,x,{10 * i + (i >= same)},{10 * i + 4}" for i in range(10)]
        (folder / name).write_text("\n".join(["annotator,category,start,end", *rows, ""]))
    return folder


def annotations(err: str) -> list[dict[str, str]]:
    """Return the lines that GitHub would take as annotations, decoded as its runner does."""
    found = []
    for line in err.splitlines():
        if not (match := LINE.fullmatch(line)):
            assert not line.startswith("::")
            continue
        properties = dict(entry.split("=", 1) for entry in match["properties"].split(","))
        entry = {"level": match["level"], "text": match["text"], **properties}
        for code, character in ("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","):
            entry = {k: v.replace(code, character) for k, v in entry.items()}
        found.append({k: v.replace("%25", "%") for k, v in entry.items()})
    return found


def test_documents_below_the_threshold_have_a_line_each(run: Run, tmp_path: Path) -> None:
    folder = corpus(tmp_path / "x", {"a.csv": 10, "b,1: 50%.csv": 2, "c.csv": 6})
    arguments = ("measure", folder, "-m", "f1-exact", "--ci", "github")
    # By hand, F₁ is the share of the same places: 1, .2 and .6, and .6 of all.
    failing = run(*arguments, "--fail-under", 0.7)
    assert failing.code == 5
    assert "f1-exact is 0.6000, below 0.7 (2 of 3 documents miss it: " in failing.err
    first, second, whole = annotations(failing.err)
    assert first == {
        "level": "error",
        "file": str(folder / "b,1: 50%.csv"),
        "title": "agreement",
        "text": f"f1-exact of {folder / 'b,1: 50%.csv'} is 0.2000, below 0.7",
    }
    assert second["file"] == str(folder / "c.csv")
    assert "file" not in whole
    assert whole["text"].startswith("f1-exact is 0.6000, below 0.7")
    passing = run(*arguments, "--fail-under", 0.5)
    assert passing.code == 0
    (only,) = annotations(passing.err)
    assert (only["level"], only["file"]) == ("warning", str(folder / "b,1: 50%.csv"))
    assert annotations(run(*arguments).err) == []
    assert "::" not in run(*arguments[:-2], "--fail-under", 0.7).err


def test_paths_are_those_of_the_repository(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = corpus(tmp_path / "repository" / "x", {"a.csv": 2})
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "repository"))
    monkeypatch.chdir(folder)
    failing = run("measure", "a.csv", "-m", "f1-exact", "--fail-under", 0.7, "--ci", "github")
    assert [entry.get("file") for entry in annotations(failing.err)] == ["x/a.csv", None]


def test_documents_of_one_file_are_shown_beside_it(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "all.csv"
    rows = "d1,A,x,0,5\nd1,B,x,0,5\nd2,A,x,0,5\nd2,B,x,1,5\n"
    file.write_text(f"document,annotator,category,start,end\n{rows}")
    failing = run("measure", file, "-m", "f1-exact", "--fail-under", 0.7, "--ci", "github")
    first, _ = annotations(failing.err)
    assert first["file"] == str(file)
    assert first["text"] == "f1-exact of d2 is 0.0000, below 0.7"


def test_files_that_cannot_be_read_are_shown_with_their_line(run: Run, tmp_path: Path) -> None:
    folder = corpus(tmp_path / "x", {"a.csv": 10, "b.csv": 10})
    with (folder / "b.csv").open("a") as stream:
        stream.write("Bob,x,9,3\n")
    failing = run("measure", folder, "-m", "f1-exact", "--ci", "github")
    assert failing.code == 3
    unread, whole = annotations(failing.err)
    assert (unread["level"], unread["file"], unread["line"]) == (
        "error",
        str(folder / "b.csv"),
        "22",
    )
    assert "3 < " in unread["text"] or "9" in unread["text"]
    assert "--allow-unread" in whole["text"]
    alone = run("measure", folder / "b.csv", "-m", "f1-exact", "--ci", "github")
    (only,) = annotations(alone.err)
    assert (only["file"], only["line"]) == (str(folder / "b.csv"), "22")


def test_documents_beyond_the_limit_of_annotations_are_counted(run: Run, tmp_path: Path) -> None:
    folder = corpus(tmp_path / "x", {f"{i:02}.csv": i % 7 for i in range(12)})
    failing = run("measure", folder, "-m", "f1-exact", "--fail-under", 0.7, "--ci", "github")
    shown = annotations(failing.err)
    # GitHub shows ten annotations of a step: eight documents, the whole, and the step's own.
    assert len(shown) == 9
    values = [float(re.findall(r"is (\d\.\d+)", entry["text"])[0]) for entry in shown[:-1]]
    assert values == [0, 0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.3]
    assert "4 more documents are below 0.7" in failing.err


def test_the_lower_end_of_a_measure(run: Run, tmp_path: Path) -> None:
    folder = corpus(tmp_path / "x", {f"{i}.csv": same for i, same in enumerate((9, 8, 9, 7, 9, 8))})
    arguments = ("measure", folder, "-m", "f1-exact")
    found = json.loads(run(*arguments, "--json").out)["corpus"]["measures"]["f1-exact"]
    low, high = found["interval"]
    assert low < found["value"] < high
    assert run(*arguments, "--fail-under-lower", low - 0.001).code == 0
    below = run(*arguments, "--fail-under-lower", low + 0.001)
    assert below.code == 5
    assert f"over documents is {low:.4f}, below" in below.err
    one = run("measure", folder / "0.csv", "-m", "f1-exact", "--fail-under-lower", 0.1)
    assert one.code == 5
    assert "undefined: one document has no interval over documents" in one.err


def test_undefined_values_fail(run: Run, tmp_path: Path) -> None:
    folder = corpus(tmp_path / "x", {"a.csv": 10})
    (folder / "b.csv").write_text("annotator,category,start,end\nAnn,x,0,4\n")
    failing = run("gamma", folder, "--samples", 10, "--fail-under", 0.5, "--ci", "github")
    entry = annotations(failing.err)[0]
    assert entry["file"] == str(folder / "b.csv")
    assert "is undefined: " in entry["text"]
    alone = run("measure", folder / "b.csv", "-m", "f1-exact", "--fail-under", 0.5)
    assert alone.code == 3  # no measure has a value at all


@pytest.mark.needs("segmentation")
def test_segmentations(run: Run) -> None:
    arguments = ("segmentation", "--dataset", "moonstone")
    # Fournier & Inkpen (2012): π* of all groups together is .87 to two digits.
    assert run(*arguments, "--fail-under", 0.86).code == 0
    failing = run(*arguments, "--fail-under", 0.88, "--ci", "github")
    assert failing.code == 5
    assert all(entry["level"] == "error" for entry in annotations(failing.err))
    assert "give --bootstrap N" in run(*arguments, "--fail-under-lower", 0.5).err
    drawn = (*arguments, "--bootstrap", 50)
    low, _ = json.loads(run(*drawn, "--json").out)["corpus"]["bootstrap"]["pi_s"]
    assert run(*drawn, "--fail-under-lower", low - 0.01).code == 0
    assert run(*drawn, "--fail-under-lower", low + 0.01).code == 5


@pytest.mark.needs("segmentation")
def test_segmentations_against_a_reference(run: Run) -> None:
    arguments = ("segmentation", "--dataset", "moonstone", "--bootstrap", 10)
    several = run(*arguments, "--reference", "A1", "--fail-under", 0.1)
    assert several.code in (2, 3)
    assert several.out == ""


@pytest.mark.needs("links")
def test_links_name_the_command_that_has_an_interval(run: Run) -> None:
    refused = run("links", "there-is-no-such-file.csv", "--fail-under-lower", 0.5)
    assert refused.code == 2
    assert "gammacp measure -m gamma-link" in refused.err


def test_thresholds_are_for_one_measure(run: Run) -> None:
    refused = run("measure", "x.csv", "-m", "f1-exact,ser", "--fail-under-lower", 0.5)
    assert refused.code == 2
    assert "is for one measure" in refused.err
