"""Recognised files: the names in their errors, and the files that belong to them."""

import zipfile
from pathlib import Path

import pytest

from gammacp import read_corpus
from gammacp.errors import DataError


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
    # The note at the top belongs to no file that was read, and is counted.
    assert [(e.kind, e.count) for e in corpus.left_out] == [("file", 1)]
