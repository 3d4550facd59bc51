"""Test that parts of a file unknown to its reader are an error where they could hold units."""

import re
from pathlib import Path

import pytest

from gammacp import DataError
from gammacp.formats import collect
from tests.tools.seeds import SEEDS, seeded

# By format: a name that is misspelled everywhere in the file, and the resulting error.
MISSPELLED = {
    "elan": ("ANNOTATION", "cannot be in <TIER>"),
    "glozz": ("unit", "cannot be in <annotations>"),
    "voc": ("object", "has a box, but is no <object>"),
    "refi-qda": ("PlainTextSelection", "is coded, but is no selection of text"),
    "mu-shroom": ("hard_labels", "record has no hard_labels"),
}
# Likewise, but the misspelled name holds the category, which every unit must have.
UNNAMED = {
    "cvat": ("label", "has no attribute 'label'"),
    "voc": ("name", "object of park has no name"),
}
EMPTY = ("audacity", "bids", "raven")
BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf \n")


@pytest.mark.parametrize(
    ("target", "name", "message"),
    [(target, *case) for cases in (MISSPELLED, UNNAMED) for target, case in cases.items()],
)
def test_misspelled_names_are_errors(tmp_path: Path, target: str, name: str, message: str) -> None:
    folder, seed = seeded(tmp_path / "formats"), SEEDS[target]
    file = folder / seed.file
    changed = re.sub(rf"\b{name}\b", f"x{name[::-1]}", file.read_text(encoding="utf-8"))
    file.write_text(changed, encoding="utf-8")
    ((_, error),) = collect([folder / seed.what]).failures
    assert message in str(error)


@pytest.mark.parametrize("mark", BOMS)
@pytest.mark.parametrize("target", EMPTY)
def test_a_file_with_only_a_byte_order_mark_is_empty(
    tmp_path: Path, target: str, mark: bytes
) -> None:
    folder, seed = seeded(tmp_path / "formats"), SEEDS[target]
    (folder / seed.file).write_bytes(mark)
    ((_, error),) = collect([folder / seed.what], format=target).failures
    assert "file is empty" in str(error)


@pytest.mark.parametrize("end", ["\v", "\x85", "\u2028"])
@pytest.mark.parametrize("target", ["bids", "raven", "webanno", "webanno slots"])
def test_other_separators_do_not_end_lines(tmp_path: Path, target: str, end: str) -> None:
    """The file is refused.

    If it were read as one line, it would be a header alone, of an annotator who found nothing.
    """
    folder, seed = seeded(tmp_path / "formats"), SEEDS[target]
    file = folder / seed.file
    content = file.read_text(encoding="utf-8").replace("\n", end)
    file.write_text(content, encoding="utf-8")
    try:
        found = collect([folder / seed.what])
    except DataError:
        return
    assert found.failures


def test_line_ends_converted_twice_change_nothing(tmp_path: Path) -> None:
    folder, seed = seeded(tmp_path / "formats"), SEEDS["audacity"]
    before = collect([folder / seed.what]).continua
    file = folder / seed.file
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\r\n"))
    after = collect([folder / seed.what]).continua
    assert {name: [*c] for name, c in after.items()} == {name: [*c] for name, c in before.items()}


def test_concatenated_tables_are_an_error(tmp_path: Path) -> None:
    """Otherwise the second header would be read as a row by an annotator called "rater"."""
    folder, seed = seeded(tmp_path / "formats"), SEEDS["mqm"]
    file = folder / seed.file
    file.write_bytes(2 * file.read_bytes())
    ((_, error),) = collect([folder / seed.what]).failures
    assert "the header is there again" in str(error)


@pytest.mark.parametrize("content", ["# a comment\n", "#1\tAnnotatorNotes T1\tunsure\n"])
def test_a_brat_file_with_notes_alone_is_an_error(tmp_path: Path, content: str) -> None:
    folder, seed = seeded(tmp_path / "formats"), SEEDS["brat"]
    (folder / seed.file).write_text(content, encoding="utf-8")
    ((_, error),) = collect([folder / seed.what]).failures
    assert "notes alone" in str(error)


@pytest.mark.needs("links")
def test_a_relation_without_a_parent_is_an_error(tmp_path: Path) -> None:
    folder, seed = seeded(tmp_path / "formats"), SEEDS["rs3"]
    file = folder / seed.file
    changed = re.sub(r'parent="\d+" (?=relname="sequence")', "", file.read_text(encoding="utf-8"))
    file.write_text(changed, encoding="utf-8")
    ((_, error),) = collect([folder / seed.what]).failures
    assert "has the relation 'sequence', but no parent" in str(error)
