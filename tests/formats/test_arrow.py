"""Tables of units: Parquet, Feather, Arrow IPC, and whatever has `__arrow_c_stream__`."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, DataError, Unit, UsageError
from gammacp.continuum.document_table import DocumentTable
from gammacp.formats import collect
from tests.conftest import Run

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")

ROWS: dict[str, list[Any]] = {
    "document": ["d1", "d1", "d2", "d2", "d2"],
    "annotator": ["Ann", "Bob", "Bob", "Ann", "Zoe"],
    "category": ["a", None, "b", "a", None],
    "start": [2, 3, 1, 1, None],
    "end": [9, 9, 5, 4, None],
}


def expected() -> dict[str, Continuum]:
    one = Continuum.from_units([Unit("Ann", 2, 9, "a"), Unit("Bob", 3, 9)], name="d1")
    units = [Unit("Bob", 1, 5, "b"), Unit("Ann", 1, 4, "a")]
    two = Continuum.from_units(units, annotators=["Ann", "Bob", "Zoe"], name="d2")
    return dict(Corpus.from_continua({"d1": one, "d2": two}))


def table(**columns: Any) -> Any:
    return pa.table(ROWS | columns)


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow", "arrows"])
def test_pyarrows_own_files_are_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"units.{ending}"
    if ending == "parquet":
        pq.write_table(table(), path, row_group_size=2)
    elif ending == "feather":
        feather.write_feather(table(), path)
    else:
        new = pa.ipc.new_file if ending == "arrow" else pa.ipc.new_stream
        with new(path, table().schema) as writer:
            writer.write_table(table(), max_chunksize=2)
    found = gc.read_corpus(path)
    assert dict(found) == expected()
    assert {name: c.annotators for name, c in found.items()}["d2"] == ("Ann", "Bob", "Zoe")


def test_rows_in_any_order_and_names_of_any_kind_give_the_same() -> None:
    shuffled = table().take([4, 2, 0, 3, 1])
    assert dict(gc.read_table(shuffled)) == expected()
    encoded = table()
    for name in ("document", "annotator", "category"):
        column = encoded[name].combine_chunks().dictionary_encode()
        encoded = encoded.set_column(encoded.schema.get_field_index(name), name, column)
    assert dict(gc.read_table(encoded)) == expected()
    # A dictionary may have names that no row has.
    assert "d2" not in gc.read_table(encoded.slice(0, 2))


def test_it_is_what_csv_gives(tmp_path: Path) -> None:
    corpus = gc.read_table(table())
    assert isinstance(corpus, Corpus)
    for name in ("c.csv", "c.parquet", "c.arrow"):
        gc.write(corpus, tmp_path / name)
        assert dict(gc.read_corpus(tmp_path / name)) == expected()


def test_documents_are_made_when_they_are_looked_up() -> None:
    corpus = gc.read_table(table())
    assert isinstance(corpus, Corpus)
    assert isinstance(corpus.continua, DocumentTable)
    assert [*corpus] == ["d1", "d2"]
    assert corpus["d1"] is not corpus["d1"]


def test_a_table_without_documents_is_a_continuum() -> None:
    one = gc.read_table(table().select(["annotator", "category", "start", "end"]).slice(0, 2))
    assert isinstance(one, Continuum)
    assert list(one) == list(expected()["d1"])
    assert list(Continuum.from_frame(table().slice(0, 2))) == list(one)
    pandas = pytest.importorskip("pandas")
    assert dict(gc.read_table(pandas.DataFrame(ROWS))) == expected()
    with pytest.raises(UsageError, match="no __arrow_c_stream__"):
        gc.read_table([1, 2])


def test_writing_keeps_fragments_features_bounds_units_and_the_empty(tmp_path: Path) -> None:
    rich = Continuum.from_frame(
        {
            "annotator": ["A", "B"],
            "category": ["x", None],
            "sure": ["yes", None],
            "start": [0, 2.5],
            "end": [15, 4],
            "fragments": [[(0, 5), (10, 15)], None],
        },
        features=["sure"],
        annotators=["Z"],
        bounds=(-1, 20),
        offset_unit="s",
    )
    corpus = Corpus.from_continua(
        {"rich": rich, "empty": Continuum.from_units([], offset_unit="s")}
    )
    for name in ("c.parquet", "c.arrow"):
        gc.write(corpus, tmp_path / name)
        found = collect([tmp_path / name], features=["sure"]).continua
        assert list(found["rich"]) == list(rich)
        assert found["rich"].annotators == ("A", "B", "Z")
        assert found["rich"].bounds == (-1, 20)
        assert found["rich"].offset_unit == "s"
        assert found["empty"].annotators == ()
    for how in ("cover", "split"):
        again = collect([tmp_path / "c.parquet"], discontinuous=how).continua["rich"]
        assert again.breaks is None
    assert again.n_units == 3


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"end": [9, 9, 5, 0, None]}, "row 2 of row group 2 has end 0 < start 1"),
        ({"annotator": ["Ann", " ", "B", "B", "Z"]}, "row 2 of row group 1 has no annotator"),
        ({"document": ["d", "d", "d", None, "d"]}, "row 2 of row group 2 has no document"),
        ({"end": [9, None, 5, 4, None]}, "row 2 of row group 1 has one position of two"),
        ({"end": [9, 9, float("inf"), 4, None]}, "row 1 of row group 2 has an infinite position"),
        ({"end": [9, 9, 2.0**54, 4, None]}, "row 1 of row group 2 has a position beyond 2\\^53"),
        ({"category": [None] * 4 + ["x"]}, "row 1 of row group 3 has a category, but no start"),
        ({"start": ["a", "b", "c", "d", "e"]}, "column 'start' is string, not numbers"),
        ({"category": [[1]] * 5}, "column 'category' is list<.*>, not names"),
        ({"annotator": [True] * 5}, "column 'annotator' is bool, not names"),
        ({"Label": ["x"] * 5}, None),
        ({"coder": ["x"] * 5}, None),
        ({"fragments": [[[2, 3], [4, 8]], *[None] * 4]}, "row 1 of row group 1: fragments reach"),
        ({"fragments": [[2, 3], *[None] * 4]}, "row 1 of row group 1: fragments are not pairs"),
        ({"bounds_start": [0] * 5, "bounds_end": [9, 8, 9, 9, 9]}, "row 2 .*other bounds"),
        ({"bounds_start": [3] * 5, "bounds_end": [9] * 5}, "outside the bounds"),
    ],
)
def test_bad_rows_are_named_by_file_and_row_group(
    tmp_path: Path, columns: dict[str, Any], said: str | None
) -> None:
    path = tmp_path / "bad.parquet"
    pq.write_table(table(**columns), path, row_group_size=2)
    if said is None:  # an alias beside the column's own name is another column
        other = next(iter(columns))
        assert [str(e) for e in collect([path]).left_out] == [
            f"1 column: {other} is none of those that are read"
        ]
        return
    with pytest.raises(DataError, match=said) as caught:
        gc.read_corpus(path)
    assert caught.value.file == str(path)


def test_a_column_that_is_missing_and_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.parquet"
    pq.write_table(table().drop_columns("end"), path)
    with pytest.raises(DataError, match="there is no column 'end'"):
        gc.read_corpus(path)
    pq.write_table(table(), path)
    whole = path.read_bytes()
    for broken in (whole[: len(whole) // 2], whole[:40] + bytes(60) + whole[100:]):
        path.write_bytes(broken)
        with pytest.raises(DataError, match="file is damaged"):
            gc.read_corpus(path)


def test_partitioned_folders_are_one_corpus(tmp_path: Path) -> None:
    for who in ("Ann", "Bob", "Zoe"):
        folder = tmp_path / "units" / f"annotator={who}"
        folder.mkdir(parents=True)
        mine = table().filter(pa.compute.equal(table()["annotator"], who))
        pq.write_table(mine.drop_columns("annotator"), folder / "part-0.parquet")
    assert dict(gc.read_corpus(tmp_path / "units")) == expected()
    pq.write_table(table().slice(0, 1), tmp_path / "units" / "again.parquet")
    found = collect([tmp_path / "units"])
    assert [(name, "'Ann' occurs in two files" in str(e)) for name, e in found.failures] == [
        ("d1", True)
    ]
    assert [*found.continua] == ["d2"]


def test_convert_writes_it_and_gamma_is_the_same(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = []
    for d in range(6):
        for a in "ABC":
            starts = rng.integers(0, 90, 5)
            rows += [f"d{d},{a},{rng.choice(['x', 'y'])},{s},{s + 7}" for s in starts]
    text = "\n".join(["document,annotator,category,start,end", *rows])
    (tmp_path / "c.csv").write_text(text, encoding="utf-8")
    run("convert", tmp_path / "c.csv", tmp_path / "c.parquet")
    said = [json.loads(run("gamma", tmp_path / f"c.{e}", "--json").out) for e in ("csv", "parquet")]
    assert said[0]["results"] == said[1]["results"]
    assert said[0]["corpus"] == said[1]["corpus"]
