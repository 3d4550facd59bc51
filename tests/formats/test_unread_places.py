"""Unreachable files of a folder or an archive: none is silently absent."""

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gammacp import DataError
from gammacp.formats import collect
from gammacp.formats.finding import matches
from tests.conftest import Run

HEAD = "document,annotator,category,start,end\n"


def rows(document: str) -> str:
    units = [
        f"{document},{who},x,{10 * i},{10 * i + 5}\n" for i in range(3) for who in ("Ann", "Bob")
    ]
    return HEAD + "".join(units)


def packed(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.fixture
def closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a folder with an inner one that nobody can open, not even root."""
    inner = tmp_path / "bob"
    inner.mkdir()
    (inner / "e.csv").write_text(rows("e"), encoding="utf-8")
    (tmp_path / "d.csv").write_text(rows("d"), encoding="utf-8")

    def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
        def look(path: Any = ".", *more: Any) -> Any:
            if isinstance(path, str | Path) and Path(path) == inner:
                raise PermissionError(13, "Permission denied", os.fspath(inner))
            return function(path, *more)

        return look

    for name in ("scandir", "listdir"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))
    return tmp_path


def test_a_folder_that_cannot_be_opened_is_a_failure(
    closed: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = collect([closed])
    assert list(found.continua) == ["d"]
    ((place, error),) = found.failures
    assert place == str(closed / "bob")
    assert "folder cannot be opened" in str(error)
    result = run("gamma", closed, "--samples", "5")
    assert result.code == 3
    assert "1 of at least 2 documents" in result.err
    monkeypatch.undo()  # as if permissions were mended
    assert set(collect([closed]).continua) == {"d", "e"}


@pytest.mark.parametrize("pattern", ["**/*.csv", "*/*.csv"])
def test_a_glob_does_not_pass_over_a_closed_folder(closed: Path, pattern: str) -> None:
    with pytest.raises(DataError, match=r"bob: folder cannot be opened"):
        matches(closed / pattern)


def test_a_hidden_folder_may_be_closed(closed: Path) -> None:
    (closed / "bob").rename(closed / ".bob")
    assert not collect([closed]).failures


def test_a_link_to_a_file_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    """Tools that keep large files elsewhere leave such links until the files are fetched."""
    (tmp_path / "d.csv").write_text(rows("d"), encoding="utf-8")
    (tmp_path / "e.csv").symlink_to(tmp_path / "objects" / "e")
    (tmp_path / "notes").symlink_to(tmp_path / "objects" / "notes")
    ((place, error),) = collect([tmp_path]).failures
    assert place == str(tmp_path / "e.csv")
    assert "is a link to a file that is not there" in str(error)
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects" / "e").write_text(rows("e"), encoding="utf-8")
    fetched = collect([tmp_path / "d.csv", tmp_path / "e.csv"])
    assert set(fetched.continua) == {"d", "e"}
    assert not fetched.failures


def test_all_files_of_a_nested_archive_are_read(tmp_path: Path) -> None:
    inner = packed({f"{name}.csv": rows(name).encode() for name in ("d", "e")})
    deeper = packed({"inner.zip": inner, "f.csv": rows("f").encode()})
    file = tmp_path / "outer.zip"
    file.write_bytes(packed({"deeper.zip": deeper, "g.csv": rows("g").encode()}))
    found = collect([file])
    assert set(found.continua) == {"d", "e", "f", "g"}
    assert not found.failures


@pytest.mark.needs("tools")
def test_nested_archives_name_annotators_like_folders(tmp_path: Path) -> None:
    """Each annotator packed a folder, whose name is the annotator's."""
    files = dict.fromkeys(("d.ann", "e.ann"), b"T1\tx 0 3\tabc\n")
    file = tmp_path / "all.zip"
    file.write_bytes(packed({f"{who}.zip": packed(files) for who in ("ann", "bob")}))
    found = collect([file])
    assert {name: c.annotators for name, c in found.continua.items()} == {
        "d": ("ann", "bob"),
        "e": ("ann", "bob"),
    }


@pytest.mark.parametrize("damage", ["d1,Cem,x,1,zz\n", "d9"])
def test_a_broken_file_of_an_annotator_withholds_its_documents(
    tmp_path: Path, run: Run, damage: str
) -> None:
    """The files hold one annotator each; without one of them, their documents are not measured."""
    for who in ("Ann", "Bob", "Cem"):
        units = [f"d{d},{who},x,{10 * k},{10 * k + 5}\n" for d in (1, 2, 3) for k in range(4)]
        (tmp_path / f"{who}.csv").write_text(HEAD + "".join(units), encoding="utf-8")
    assert len(collect([tmp_path]).continua) == 3
    with (tmp_path / "Cem.csv").open("a", encoding="utf-8") as file:
        file.write(damage)
    (tmp_path / "own.csv").write_text(rows("own"), encoding="utf-8")
    found = collect([tmp_path])
    assert list(found.continua) == ["own"], "a document of one file is whole"
    ((name, documents),) = found.missing.items()
    assert name.endswith("Cem.csv")
    assert documents == ("d1", "d2", "d3")
    result = run("gamma", tmp_path, "--samples", "5")
    assert result.code == 3
    assert "1 of 4 documents; d1, d2, d3 left out: " in result.err
