"""CHAT transcripts: utterances with times, by hand."""

from pathlib import Path

import pytest

from gammacp.errors import DataError, UsageError
from gammacp.formats import read

CHA = (
    "\ufeff@UTF8\n@Begin\n@Languages:\teng\n"
    "@Participants:\tCHI Adam Target_Child ,\n\tMOT Mother\n@New Episode\n"
    "*CHI:\t&-um cookie [/]\n\tcookie ! \x15100_400\x15\n"
    "%spa:\t$RFI\n\t$X\n%gpx:\tpoints\n"
    '*MOT:\tno \x15%snd:"tape 1"_500_700\x15 , later . \x15800_900-\x15\n'
    '*MOT:\tlook \x15%pic:"cat.jpg"\x15 .\n'
    "*CHI:\t0 . \x151000_1000\x15\n@End\n"
)


def written(tmp_path: Path, text: str) -> Path:
    """Write a transcript of Eve and return its path."""
    path = tmp_path / "Eve" / "talk.cha"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_utterances_with_times(tmp_path: Path) -> None:
    """Two time marks of one utterance give one unit, and the gap between them is counted."""
    found = read(written(tmp_path, CHA))
    assert [(u.annotator, u.category, u.start, u.end) for u in found] == [
        ("Eve", "CHI", 100, 400),
        ("Eve", "MOT", 500, 900),
        ("Eve", "CHI", 1000, 1000),
    ]
    assert found.offset_unit == "ms"
    assert sorted((x.kind, x.count) for x in found.left_out) == [
        ("gap", 1),
        ("tier", 1),
        ("tier", 1),
        ("utterance", 1),
    ]


@pytest.mark.parametrize(
    ("category", "labels"),
    [
        ("text", ["&-um cookie [/] cookie !", "no , later .", "0 ."]),
        ("spa", ["$RFI $X", None, None]),
        ("%gpx", ["points", None, None]),
    ],
)
def test_categories_can_be_chosen(tmp_path: Path, category: str, labels: list[str | None]) -> None:
    found = read(written(tmp_path, CHA), category=category)
    assert [u.category for u in found] == labels


def test_a_missing_tier_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'cod'; there are: speaker, text, spa, gpx"):
        read(written(tmp_path, CHA), category="cod")


def test_transcripts_are_recognised_by_content(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text(CHA, encoding="utf-8")
    assert len(read(tmp_path / "talk.txt")) == 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("*MOT:\tlook", "*FAT:\tlook", ":13: speaker 'FAT' is not among @Participants"),
        ("*MOT:\tlook", "look", ":13: line is no header, utterance or dependent tier: 'look"),
        ("100_400\x15", "100_400", ":7: bullet has no end"),
        ("100_400", "100-400", ":7: bullet '100-400' has no times"),
        ("100_400", "500_400", ":7: utterance of CHI: end 400 < start 500"),
        ("100_400", "100_99999999999999999999", ":7: time"),
        ("@New Episode", "%com:\tx", ":6: tier %com is of no utterance"),
        ("@End\n", "", "transcript has no @End"),
        ("@Begin\n", "", "transcript has no @Begin"),
    ],
)
def test_bad_transcripts(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(written(tmp_path, CHA.replace(old, new)))
