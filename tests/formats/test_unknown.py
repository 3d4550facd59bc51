"""Errors on files of no known format, which describe what the files look like."""

from pathlib import Path

import pytest

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
        (
            "a.xml",
            "<annotations><track id='0'/></annotations>",
            "XML with <annotations>: CVAT for v",
        ),
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
def test_the_error_says_what_a_file_looks_like(name: str, content: str | bytes, seen: str) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    found = looks_like(Source(Path(name), "a", "", data))
    assert found.startswith(seen)
    assert bool(found) == bool(seen)


def message(path: Path) -> str:
    [(_, error)] = collect([path]).failures
    return str(error)


def test_the_error_offers_only_formats_of_the_ending(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(NOTEBOOK)
    (tmp_path / "a.dat").write_bytes(b"%PDF-1.7\n")
    said = message(tmp_path / "a.json")
    assert "cells, nbformat: a Jupyter notebook" in said
    offered = said.partition("`format=`: ")[2].split(", ")
    assert offered == [name for name, entry in FORMATS.items() if ".json" in entry.extensions]
    assert message(tmp_path / "a.dat").endswith(
        "Name it with `format=` (gammacp formats lists all)"
    )


def test_bioc_json_is_not_taken_for_label_studio(tmp_path: Path) -> None:
    """BioC and Label Studio are both JSON with annotations; the error is that of BioC's reader."""
    passage = '{"offset": 0, "text": "x", "annotations": [{"id": "0"}]}'
    text = f'{{"source": "x", "date": "", "key": "", "documents": [{{"passages": [{passage}]}}]}}'
    (tmp_path / "a.json").write_text(text)
    assert "document has no id" in message(tmp_path / "a.json")
