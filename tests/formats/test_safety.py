"""Pipes, devices, endless cells and active content in files: refused or made harmless."""

import csv
import io
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammacp import DataError, Unit, read
from gammacp.base.csv_files import harmless, rows_of, write_rows
from gammacp.base.files import content_of
from gammacp.base.text import visible
from gammacp.formats import collect


def test_a_pipe_without_a_writer_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A named pipe is given up after a while, and one in a folder is not read at all."""
    monkeypatch.setattr("gammacp.base.files.PATIENCE", 0.1)
    os.mkfifo(tmp_path / "a.csv")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    for name in ("a.csv", "b.csv"):
        with pytest.raises(DataError, match=rf"{name}: nothing came through the pipe .* Save it"):
            read(tmp_path / name)
        with pytest.raises(DataError, match=rf"{name}: is a pipe, not a file\. Save it"):
            content_of(tmp_path / name)
    (tmp_path / "c.csv").write_text("A,x,0,1\nB,x,0,1\n", encoding="utf-8")
    found = collect([tmp_path])
    assert len(found.continua) == 1
    assert [(e.kind, e.count) for e in found.left_out] == [("file", 2)]


def test_a_link_to_a_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to("/dev/zero")
    with pytest.raises(DataError, match="is a device, not a file"):
        read(tmp_path / "a.csv")
    with pytest.raises(DataError, match="is a folder"):
        content_of(tmp_path)
    with pytest.raises(DataError, match=r"file does not exist\. Check the path"):
        content_of(tmp_path / "b.csv")


@pytest.mark.needs("tools")
def test_a_pipe_in_the_place_of_a_text_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "d.ann").write_text("T1\tP 0 3\tAnn\n", encoding="utf-8")
    os.mkfifo(tmp_path / "a" / "d.txt")
    assert read(tmp_path / "a" / "d.ann").n_units == 1


def test_cells_may_have_any_length(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    head = "annotator,category,start,end,text\n"
    file.write_text(f'{head}A,x,0,1,"{"w" * 200_000}"\nB,x,0,1,\n', encoding="utf-8")
    assert list(read(file)) == [Unit("A", 0, 1, "x"), Unit("B", 0, 1, "x")]


@given(st.lists(st.lists(st.text(max_size=6), min_size=2, max_size=4), max_size=5))
def test_rows_are_read_back(rows: list[list[str]]) -> None:
    # Our dialect treats blanks and line ends as the standard library's reader does.
    rows = [[c.replace("\r", "").replace("\0", "").lstrip() for c in row] for row in rows]
    rows = [[c.encode("utf-8", "replace").decode() for c in row] for row in rows]
    with TemporaryDirectory() as folder:
        write_rows(Path(folder) / "a.csv", rows)
        text = (Path(folder) / "a.csv").read_text(encoding="utf-8")
    assert [row for _, row in rows_of(text)] == [r for r in rows if any(map(str.strip, r))]
    assert list(csv.reader(io.StringIO(text, newline=""))) == rows


def test_cells_that_a_spreadsheet_would_run_are_written_as_text(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    row = ["=HYPERLINK(1)", "+x", "-x", "@x", "\tx", "\rx", "-3.5", -3.5, "a=b", None, float("nan")]
    write_rows(file, [row], for_spreadsheets=True)
    with file.open(encoding="utf-8", newline="") as stream:
        assert next(csv.reader(stream)) == [
            *("'=HYPERLINK(1)", "'+x", "'-x", "'@x", "'\tx", "'\rx"),
            *("-3.5", "-3.5", "a=b", "", ""),
        ]
    write_rows(file, [row])
    with file.open(encoding="utf-8", newline="") as stream:
        assert next(csv.reader(stream))[:2] == ["=HYPERLINK(1)", "+x"]


@given(st.text())
def test_no_cell_begins_a_formula(cell: str) -> None:
    done = harmless(cell)
    assert done in (cell, f"'{cell}")
    if done.startswith(("=", "+", "-", "@", "\t", "\r")):
        float(done)


@given(st.text())
def test_visible_text_is_inert(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in shown)
    assert not set(shown) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
    )
    shown.encode()


def test_visible_text_keeps_ordinary_characters() -> None:
    assert visible("Zoë שלום 👩\u200d👩 \u0915\u094d\u200d\u0937") == (
        "Zoë שלום 👩\u200d👩 \u0915\u094d\u200d\u0937"
    )
    assert visible("a\nb\x1b", keep="\n") == "a\nb\\x1b"


def test_errors_show_control_characters(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("A,x,0,1\nB,\u202ex\x1b[2J,3,1\nC,x\n", encoding="utf-8")
    file.rename(tmp_path / "a\u202e.csv")
    with pytest.raises(DataError, match=r"a\\u202e\.csv:2: end 1 < start 3"):
        read(tmp_path / "a\u202e.csv")


def test_a_repeated_key_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    unit = '["A", "x", 0, 1]'
    file.write_text(
        f'{{"gammacp": 1, "continuum": {{"units": [{unit}], "units": []}}}}', encoding="utf-8"
    )
    with pytest.raises(DataError, match="key 'units' occurs twice in one JSON object"):
        read(file)
