"""Exports of labelbuddy: texts, checksums and positions in bytes, by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from gammacp import read_corpus
from gammacp.errors import DataError

# The checksum is that of md5sum; é has two bytes, the emoji four.
TEXT = "Zoé met 😊 Bob"
CHECKSUM = "09c5496dbf87bbefcce53528203cd2d3"
ZOE = {"label_name": "PER", "start_char": 0, "end_char": 3, "start_byte": 0, "end_byte": 4}
BOB = {"label_name": "PER", "start_byte": 14, "end_byte": 17, "extra_data": "friend"}
DOCUMENT: dict[str, Any] = {
    "text": TEXT,
    "metadata": {"id": "d1"},
    "utf8_text_md5_checksum": CHECKSUM,
    "annotations": [ZOE, BOB],
}


def written(folder: Path, name: str, *records: dict[str, Any]) -> Path:
    """Write a file of JSON lines and return its path."""
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_annotators_of_one_text_are_joined_by_its_checksum(tmp_path: Path) -> None:
    """The second file has no texts, as labelbuddy can export annotations alone."""
    written(tmp_path, "ann.jsonl", DOCUMENT)
    alone = {"utf8_text_md5_checksum": CHECKSUM, "metadata": {"id": "d1"}, "annotations": [ZOE]}
    other = {"utf8_text_md5_checksum": "0" * 32, "metadata": {"id": "d2"}, "annotations": []}
    (tmp_path / "bob.json").write_text(json.dumps([alone, other]))
    found = read_corpus(tmp_path)
    assert list(found) == [CHECKSUM, "0" * 32]
    first = found[CHECKSUM]
    assert [(u.annotator, u.category, u.start, u.end) for u in first] == [
        ("ann", "PER", 0, 3),
        ("ann", "PER", 10, 13),
        ("bob", "PER", 0, 3),
    ]
    assert found["0" * 32].annotators == ("bob",)
    assert [(x.kind, x.count) for x in found.left_out] == [("extra data", 1)]
    assert list(read_corpus(tmp_path, document="id")) == ["d1", "d2"]


def test_annotators_may_be_named_in_the_file(tmp_path: Path) -> None:
    mine = DOCUMENT | {"annotator_name": "Ann", "annotations": [ZOE | {"selected_text": "Zoé"}]}
    yours = DOCUMENT | {"annotations": [BOB | {"annotator_name": "Bob"}]}
    found = read_corpus(written(tmp_path, "all.jsonl", mine, yours))
    assert [(u.annotator, u.start, u.end) for u in found[CHECKSUM]] == [
        ("Ann", 0, 3),
        ("Bob", 10, 13),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"annotations": None}, ':2: "annotations" is missing or not a list of objects'),
        ({"utf8_text_md5_checksum": "1" * 32}, ":2: checksum 1+ is not that of the text"),
        (
            {"annotations": [ZOE | {"start_byte": 2}]},
            ":2: annotation 1 of .*: start_char 0 does not match",
        ),
        ({"annotations": [BOB | {"start_byte": 3}]}, ":2: annotation 1 of .* byte 3 lies inside"),
        ({"annotations": [BOB | {"end_byte": 99}]}, ":2: annotation 1 of .* byte 99 does not lie"),
        ({"annotations": [{"label_name": "X", "start_char": 1}]}, ":2: .*has no end_char"),
        ({"annotations": [{"start_char": 5, "end_char": 4}]}, ":2: annotation 1 of .* end 4 < s"),
        ({"annotations": [{"start_char": 5, "end_char": 40}]}, ":2: .* end 40 lies beyond"),
        ({"annotations": [ZOE | {"selected_text": "Bob!"}]}, ":2: .*'Bob!' is not what the text"),
        ({"text": None, "utf8_text_md5_checksum": None}, ":2: document has neither a text nor"),
        ({"annotator_name": "Zed"}, ":2: Zed annotated .* twice"),
    ],
)
def test_bad_files(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = written(tmp_path, "ann.jsonl", DOCUMENT | {"annotator_name": "Zed"}, DOCUMENT | change)
    with pytest.raises(DataError, match=message):
        read_corpus(path)


def test_offsets_may_be_trusted(tmp_path: Path) -> None:
    wrong = {"utf8_text_md5_checksum": "1" * 32, "annotations": [ZOE | {"start_byte": 2}]}
    path = written(tmp_path, "ann.jsonl", DOCUMENT | wrong)
    assert [(u.start, u.end) for u in read_corpus(path, offsets="trust")["1" * 32]] == [(0, 3)]


def test_metadata_without_a_name(tmp_path: Path) -> None:
    path = written(tmp_path, "ann.jsonl", DOCUMENT)
    with pytest.raises(DataError, match="metadata has no 'doi'"):
        read_corpus(path, document="doi")
