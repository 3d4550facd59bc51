"""Archives whose members share names, none of which disappears silently."""

import json
import zipfile
from pathlib import Path

import pytest

import gammacp as gc
from gammacp.formats import finding
from gammacp.formats.registry import FORMATS
from tests.conftest import Run

_ANN, _BOB = "Ann,a,0,4\nAnn,b,5,9\n", "Bob,a,0,4\nBob,b,6,9\n"
_HEAD = "annotator,category,start,end\n"


def zipped(path: Path, *files: tuple[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files:
            archive.writestr(name, content)
    return path


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("second", ["talk.csv", "./talk.csv"])
def test_different_files_of_one_name_are_named_and_not_read(
    run: Run, tmp_path: Path, second: str
) -> None:
    both = _HEAD + _ANN + _BOB
    talks = (("talk.csv", both), (second, both.replace("9", "8")), ("other.csv", both))
    path = zipped(tmp_path / "a.zip", *talks)
    outcome = run("gamma", path, "--samples", "5", "--json")
    assert outcome.code == 3
    answer = json.loads(outcome.out)
    (failure,) = answer["failures"]
    assert failure["file"].endswith("a.zip!talk.csv")
    assert failure["message"].startswith("archive holds 2 different files of this name")
    assert [Path(row["file"]).name for row in answer["results"]] == ["a.zip!other.csv"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_copies_of_a_file_are_counted(run: Run, tmp_path: Path) -> None:
    both = _HEAD + _ANN + _BOB
    path = zipped(tmp_path / "a.zip", ("talk.csv", both), ("talk.csv", both), ("talk.csv", both))
    outcome = run("inspect", path, "--json")
    assert outcome.code == 0, outcome.err
    (entry,) = json.loads(outcome.out)["left_out"]
    assert (entry["count"], entry["kind"]) == (2, "file")
    assert entry["reason"] == "a copy of another file of this name in the archive"


def test_files_of_nested_archives_keep_their_names_if_one_would_hide_another(
    tmp_path: Path,
) -> None:
    """A nested archive with one file gives it its name, as for INCEpTION; several keep their own
    names.
    """
    several = zipped(tmp_path / "in.zip", ("one.csv", _HEAD + _ANN), ("two.csv", _HEAD + _BOB))
    path = zipped(tmp_path / "a.zip", ("round.zip", several.read_bytes()))
    found = gc.read_corpus(path)
    assert {name: c.annotators for name, c in found.items()} == {"one": ("Ann",), "two": ("Bob",)}
    alone = zipped(tmp_path / "in.zip", ("one.csv", _HEAD + _ANN))
    path = zipped(tmp_path / "b.zip", ("round.zip", alone.read_bytes()))
    assert set(gc.read_corpus(path)) == {"one"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_nested_archives_of_one_name_keep_their_files(tmp_path: Path) -> None:
    one = zipped(tmp_path / "one.zip", ("one.csv", _HEAD + _ANN)).read_bytes()
    two = zipped(tmp_path / "two.zip", ("two.csv", _HEAD + _BOB)).read_bytes()
    path = zipped(tmp_path / "a.zip", ("round.zip", one), ("round.zip", two))
    assert set(gc.read_corpus(path)) == {"one", "two"}


def test_formats_are_listed_once_for_all_members(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Formats are listed once, not for each member.

    Asking every format about every member took seconds for an archive of 20 000.
    """
    files = [(f"m{number}.xyz", "x") for number in range(300)]
    path = zipped(tmp_path / "a.zip", *files, ("talk.csv", _HEAD + _ANN + _BOB))
    listed = []
    items = FORMATS.items

    def counted() -> object:
        listed.append(1)
        return items()

    monkeypatch.setattr(FORMATS, "items", counted)
    search = finding.find([path])
    assert len(search.sources) == 1
    assert search.left_out[0].count == 300
    assert len(listed) < 6
