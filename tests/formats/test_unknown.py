"""Files of no known format: the error says what they look like."""

import zipfile
from pathlib import Path

import pytest

from gammacp import read_corpus
from gammacp.errors import DataError
from gammacp.formats.reading import collect
from gammacp.formats.registry import FORMATS
from gammacp.formats.source import Source
from gammacp.formats.unknown import looks_like

BIOC = (
    "<?xml version='1.0'?><!DOCTYPE collection SYSTEM 'BioC.dtd'>"
    "<collection><source>x</source></collection>"
)
NOTEBOOK = '{"cells": [], "nbformat": 4}'


@pytest.mark.parametrize(
    ("name", "content", "seen"),
    [
        ("a.xml", BIOC, "XML with <collection>: BioC"),
        ("a.xml", "<!-- by <hand> --><n:recipe xmlns:n='x'/>", "XML with <recipe>"),
        ("a.xml", "<recipe><step></recipe>", "XML with <recipe>, of which it is said"),
        ("a.json", NOTEBOOK, "JSON with the keys cells, nbformat: a Jupyter notebook"),
        (
            "a.json",
            '{"text": "", "denotations": []}',
            "JSON with the keys text, denotations: PubAnnotation",
        ),
        ("a.json", '{"recipe": 1}', "JSON with the keys recipe"),
        ("a.txt", "12|t|A title\n12|a|An abstract\n", "PubTator"),
        ("a.txt", "@UTF8\n@Begin\n", "a CHAT transcript"),
        ("a.txt", "1\n00:00:01,000 --> 00:00:02,000\nHi\n", "subtitles (SubRip)"),
        ("a.dat", b"%PDF-1.7\n", "a PDF"),
        ("a.dat", b"SQLite format 3\0", "an SQLite database"),
        ("a.dat", b"ab\0cd", "a binary file"),
        ("a.dat", "only a text", ""),
    ],
)
def test_what_files_look_like(name: str, content: str | bytes, seen: str) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    found = looks_like(Source(Path(name), "a", "", data))
    assert found.startswith(seen)
    assert bool(found) == bool(seen)


def message(path: Path) -> str:
    [(_, error)] = collect([path]).failures
    return str(error)


def test_the_error_offers_the_formats_of_the_ending_alone(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(BIOC)
    (tmp_path / "a.dat").write_bytes(b"%PDF-1.7\n")
    said = message(tmp_path / "a.xml")
    assert "XML with <collection>: BioC" in said
    assert "`format=`: " in said
    assert sum(f" {name}" in said.partition("`format=`")[2] for name in FORMATS) < 10
    assert message(tmp_path / "a.dat").endswith(
        "Name it with `format=` (gammacp formats lists all)"
    )


def test_bioc_json_is_not_taken_for_label_studio(tmp_path: Path) -> None:
    passage = '{"offset": 0, "text": "x", "annotations": [{"id": "0"}]}'
    text = f'{{"source": "x", "date": "", "key": "", "documents": [{{"passages": [{passage}]}}]}}'
    (tmp_path / "a.json").write_text(text)
    assert "BioC" in message(tmp_path / "a.json")


def test_an_error_of_a_recognised_file_names_its_format(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"id": 1, "data": {"text": "x"}, "annotations": 3}]')
    with pytest.raises(DataError, match=r'"annotations" is missing or .*, as Label Studio JSON'):
        read_corpus(tmp_path / "a.json")


PROJECT = """<?xml version="1.0"?>
<Project xmlns="urn:QDA-XML:project:1.0" name="p"><Users><User guid="u" name="Ann"/></Users>
<CodeBook><Codes><Code guid="c" name="Trust"/></Codes></CodeBook><Sources>
<TextSource guid="s" name="one" plainTextPath="internal://s.txt">
<PlainTextSelection guid="x" startPosition="0" endPosition="4" creatingUser="u">
<Coding guid="y" creatingUser="u"><CodeRef targetGUID="c"/></Coding></PlainTextSelection>
</TextSource></Sources></Project>"""


@pytest.mark.parametrize("folder", ["Sources", "sources"])
@pytest.mark.parametrize("unpacked", [False, True])
def test_texts_of_a_refi_qda_project_are_not_left_out(
    tmp_path: Path, folder: str, unpacked: bool
) -> None:
    path = tmp_path / "p.qdpx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("project.qde", PROJECT)
        archive.writestr(f"{folder}/s.txt", "Some text")
        archive.writestr("notes.txt", "Something else")
    if unpacked:
        zipfile.ZipFile(path).extractall(tmp_path / "p")
        path = tmp_path / "p"
    corpus = read_corpus(path)
    assert corpus["one"].text == "Some text"
    # The note at the top belongs to nothing that was read, and is counted.
    assert [(e.kind, e.count) for e in corpus.left_out] == [("file", 1)]
