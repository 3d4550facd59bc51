"""Tables of units: Parquet, Feather, Arrow IPC, and objects with `__arrow_c_stream__`."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gammacp as gc
from gammacp import Continuum, Corpus, DataError, Unit, UsageError
from gammacp.continuum.document_table import DocumentTable
from gammacp.continuum.label import features_of, to_label
from gammacp.continuum.links import KINDS, Link
from gammacp.continuum.shapes import box, outline
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


def test_order_of_rows_and_type_of_names_do_not_matter() -> None:
    shuffled = table().take([4, 2, 0, 3, 1])
    assert dict(gc.read_table(shuffled)) == expected()
    encoded = table()
    for name in ("document", "annotator", "category"):
        column = encoded[name].combine_chunks().dictionary_encode()
        encoded = encoded.set_column(encoded.schema.get_field_index(name), name, column)
    assert dict(gc.read_table(encoded)) == expected()
    # A dictionary may hold names that occur in no row.
    assert "d2" not in gc.read_table(encoded.slice(0, 2))


def test_a_table_gives_what_csv_gives(tmp_path: Path) -> None:
    corpus = gc.read_table(table())
    assert isinstance(corpus, Corpus)
    for name in ("c.csv", "c.parquet", "c.arrow"):
        gc.write(corpus, tmp_path / name)
        assert dict(gc.read_corpus(tmp_path / name)) == expected()


def test_documents_are_made_on_demand() -> None:
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


@pytest.mark.parametrize("tool", ["polars", "duckdb"])
def test_tables_of_other_tools_are_read_through_their_arrow_stream(tool: str) -> None:
    """Polars and DuckDB hand over documents, a continuum, and rows that are refused."""
    other: Any = pytest.importorskip(tool)
    rows = table()

    def hand_over(source: Any) -> Any:
        if tool == "polars":
            return other.from_arrow(source)
        return other.connect().from_arrow(source).order("ALL")

    assert dict(gc.read_table(hand_over(rows))) == expected()
    one = rows.filter(pa.compute.equal(rows["document"], "d1")).drop(["document"])
    assert list(gc.read_table(hand_over(one))) == list(expected()["d1"])
    assert list(Continuum.from_frame(hand_over(one))) == list(expected()["d1"])
    with pytest.raises(DataError, match="has end 0 < start 1"):
        gc.read_table(hand_over(table(end=[9, 9, 5, 0, None])))


def test_writing_keeps_fragments_features_bounds_units_and_empty_annotators(tmp_path: Path) -> None:
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
        ({"end": [9, None, 5, 4, None]}, "row 2 of row group 1 has only a start or only an end"),
        ({"end": [9, 9, float("inf"), 4, None]}, "row 1 of row group 2 has an infinite position"),
        ({"end": [9, 9, 2.0**54, 4, None]}, "row 1 of row group 2 has a position beyond 2\\^53"),
        ({"category": [None] * 4 + ["x"]}, "row 1 of row group 3 has a category, but no start"),
        ({"start": ["a", "b", "c", "d", "e"]}, "column 'start' has string, not numbers"),
        ({"category": [[1]] * 5}, "column 'category' has list<.*>, not names"),
        ({"annotator": [True] * 5}, "column 'annotator' has bool, not names"),
        ({"Label": ["x"] * 5}, None),
        ({"coder": ["x"] * 5}, None),
        ({"fragments": [[[2, 3], [4, 8]], *[None] * 4]}, "row 1 of row group 1: fragments reach"),
        ({"fragments": [[2, 3], *[None] * 4]}, "row 1 of row group 1: fragments are not pairs"),
        ({"bounds_start": [0] * 5, "bounds_end": [9, 8, 9, 9, 9]}, "row 2 .*other bounds"),
        (
            {"y0": [1, 5, 2, 2, None], "y1": [3, 4, 3, 3, None]},
            "row 2 of row group 1: a box reaches",
        ),
        (
            {"y0": [1, 5, 2, 2, None], "y1": [3, None, 3, 3, None]},
            "row 2 .* group 1: a box reaches",
        ),
        (
            {"y0": [1, 5, 2, None, None], "y1": [3, 9, 3, None, None]},
            "row 2 .* group 2 is on one axis",
        ),
        ({"y0": ["a"] * 5, "y1": [1] * 5}, "column 'y0' has string, not numbers"),
        ({"shape": ["{", *[None] * 4]}, "row 1 of row group 1: shape is not JSON"),
        (
            {"shape": [*[None] * 2, '{"box": [[0, 5], [1, 2]]}', *[None] * 2]},
            "shape reaches from 0",
        ),
        (
            {"shape": [*[None] * 4, '{"box": [[0, 5], [1, 2]]}']},
            "row 1 of row group 3: shape reaches",
        ),
        ({"shape": [{"ball": [[1, 2]]}] * 5}, "row 1 .*'ball' is not a kind of shape"),
        ({"bounds_start": [3] * 5, "bounds_end": [9] * 5}, "outside the bounds"),
    ],
)
def test_bad_rows_are_named_by_file_and_row_group(
    tmp_path: Path, columns: dict[str, Any], said: str | None
) -> None:
    path = tmp_path / "bad.parquet"
    pq.write_table(table(**columns), path, row_group_size=2)
    if said is None:  # an alias beside the column's own name is an unused column
        other = next(iter(columns))
        assert [str(e) for e in collect([path]).left_out] == [f"1 column: {other} is not used"]
        return
    with pytest.raises(DataError, match=said) as caught:
        gc.read_corpus(path)
    assert caught.value.file == str(path)


names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=4)
edges = st.tuples(*[st.integers(0, 160).map(lambda n: n / 16)] * 2).map(sorted)
points = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=4)


@st.composite
def rich(draw: st.DrawFn) -> Continuum:
    """Draw units with fragments or shapes or neither, features of two kinds, and links."""
    kind = draw(st.sampled_from(["plain", "fragments", "box", "volume", "outlines"]))
    units = []
    for k in range(draw(st.integers(0, 6))):
        label = to_label(draw(names), {"sure": draw(st.none() | names), "session": draw(names)})
        who, (low, high), shape, parts = draw(st.sampled_from("AB")), draw(edges), None, ()
        if kind in ("box", "volume"):
            further = [draw(edges) for _ in range(1 + (kind == "volume"))]
            shape = box((low, high), *further)[1]
        elif kind == "outlines":
            which = draw(st.sampled_from(["point", "polyline", "box"]))
            rings = [draw(points) * 2]
            (low, high), shape = (
                box((low, high), draw(edges)) if which == "box" else outline(which, rings)
            )
        elif kind == "fragments" and draw(st.booleans()):
            low, high, parts = low, high + 3, ((low, low + 1), (high + 2, high + 3))
        units.append(Unit(who, low, high, label, parts, shape, f"u{k}" if k % 4 else "u0"))
    own = {(u.annotator, u.id): u for u in units}
    mine = {who: sorted(i for a, i in own if a == who) for who in "AB"}
    links = [
        Link(who, draw(names), *draw(st.permutations(ids))[:2], draw(st.sampled_from(KINDS)))
        for who, ids in mine.items()
        if len(ids) > 1
        for _ in range(draw(st.integers(0, 2)))
    ]
    return Continuum.from_units(
        own.values() if links else [replace(u, id="") for u in own.values()], links=links
    )


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
@settings(max_examples=20, deadline=None)
@given(corpus=st.dictionaries(names.filter(lambda n: n[0] not in "#\"'"), rich(), min_size=1))
def test_shapes_links_and_sessions_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, ending: str, corpus: dict[str, Continuum]
) -> None:
    whole = Corpus.from_continua(corpus)
    path = tmp_path_factory.mktemp("c") / f"c.{ending}"
    gc.write(whole, path)
    back = collect([path], features=[f for f in ("sure", "session") if f in _features(whole)])
    for name, c in whole.items():
        found = back.continua[name]
        # Units without links are written without ids.
        same = [*c] if c.links else [replace(u, id="") for u in c]
        assert sorted(found, key=repr) == sorted(same, key=repr)
        assert sorted(found.links, key=repr) == sorted(c.links, key=repr)
        assert found.annotators == c.annotators


def _features(corpus: Corpus) -> set[str]:
    return {f for name in corpus.categories for f in features_of(name)}


def test_sessions_come_from_a_column(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "units.parquet"
    rows = {"annotator": ["A", "A", "B", "B"] * 3, "session": [1, 2, 1, 2] * 3}
    starts = [0, 1, 1, 0, 10, 10, 12, 10, 20, 21, 20, 22]
    rows |= {"start": starts, "end": [s + 5 for s in starts], "category": ["x", "y"] * 6}
    pq.write_table(pa.table(rows | {"document": ["d"] * 12}), path)
    by_session = ("--session", "session", "--samples", 10, "--json")
    said = json.loads(run("compare", path, *by_session).out)["sessions"]
    pq.write_table(pa.table(rows | {"document": ["d"] * 12}).drop_columns("session"), path)
    gc.write(gc.read_table(pa.table(rows), features=["session"]), tmp_path / "units.csv")
    csv = json.loads(run("compare", tmp_path / "units.csv", *by_session).out)
    assert said == csv["sessions"]
    assert said["all"]["documents"] == 1


def shaped(**columns: Any) -> Any:
    rows = {"annotator": ["A", "B"], "x0": [0, 1], "x1": [5, 6], **columns}
    return pa.table(rows)


def test_boxes_may_be_intervals_or_left_out(tmp_path: Path) -> None:
    path = tmp_path / "boxes.parquet"
    triangle = {"box": None, "polygon": [[[1, 2], [6, 2], [6, 9]]]}
    shapes = [{"box": [[0, 5], [1, 2]], "polygon": None}, triangle]
    pq.write_table(shaped(shape=shapes), path)
    found = gc.read(path)
    assert [u.shape.kind for u in found] == ["box", "polygon"]
    boxed = collect([path], shapes="box").continua
    assert [u.shape.extents for c in boxed.values() for u in c] == [((1.0, 2.0),), ((2.0, 9.0),)]
    bare = collect([path], shapes="no")
    assert [u.shape for c in bare.continua.values() for u in c] == [None, None]
    assert "1 column: shape is not used" in map(str, bare.left_out)
    pq.write_table(shaped(y0=[1, 2], y1=[3, 4], z0=[0, 0], z1=[1, 2]), path)
    assert [u.shape.extents for u in gc.read(path)] == [((1, 3), (0, 1)), ((2, 4), (0, 2))]
    assert gc.read_table(shaped(ymin=[1, 2], ymax=[3, 4])).axes == 2


LINKED = {
    "document": ["d1", "d1", "d2"],
    "annotator": ["A", "A", "A"],
    "start": [0, 6, 0],
    "end": [5, 9, 4],
    "unit": [1, 2, 1],
}


def test_links_are_beside_their_units_or_in_a_table_of_their_own(tmp_path: Path) -> None:
    units, beside = pa.table(LINKED), tmp_path / "c.links.parquet"
    links = pa.table(
        {"document": ["d1", "d1"], "annotator": ["A"] * 2, "type": ["r"] * 2}
        | {"source": [1, 1], "target": [2, 7]}
    )
    pq.write_table(units, tmp_path / "c.parquet")
    pq.write_table(links, beside)
    for found in (gc.read_corpus(tmp_path), gc.read_table(units, links=links)):
        assert found["d1"].links == (Link("A", "r", "1", "2"),)
        assert [u.id for u in found["d1"]] == ["1", "2"]
        assert not found["d2"].links
        assert any("1 link" in str(e) for e in found.left_out)
    beside.unlink()
    assert not gc.read_corpus(tmp_path)["d1"].links


@pytest.mark.parametrize(
    ("links", "units", "said"),
    [
        ({"type": [None]}, {}, "links.parquet.*row 1 of row group 1 has no type"),
        ({"kind": ["loop"]}, {}, "links.parquet.*row 1 of row group 1: kind 'loop'"),
        ({"document": ["d9"]}, {}, "links in document 'd9'"),
        ({"source": [[1]]}, {}, "links.parquet.*column 'source' has list"),
        ({}, {"unit": [1, 1, 2], "start": [0, 6, 0]}, "document 'd1': two units by A have the id"),
    ],
)
def test_bad_links_are_named(
    tmp_path: Path, links: dict[str, Any], units: dict[str, Any], said: str
) -> None:
    whole = {"document": ["d1"], "annotator": ["A"], "type": ["r"], "source": [1], "target": [1]}
    pq.write_table(pa.table(LINKED | units), tmp_path / "c.parquet")
    pq.write_table(pa.table(whole | links), tmp_path / "c.links.parquet")
    with pytest.raises(DataError, match=said):
        gc.read_corpus(tmp_path / "c.parquet")
    pq.write_table(pa.table({"annotator": ["A"]}), tmp_path / "c.links.parquet")
    with pytest.raises(DataError, match=r"links\.parquet: there is no column 'type'"):
        gc.read_corpus(tmp_path / "c.parquet")
    (tmp_path / "c.links.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"links\.parquet: file is damaged"):
        gc.read_corpus(tmp_path / "c.parquet")


def test_a_missing_column_and_a_damaged_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.parquet"
    pq.write_table(table().drop_columns("end"), path)
    with pytest.raises(DataError, match="there is no column for end"):
        gc.read_corpus(path)
    pq.write_table(table(), path)
    whole = path.read_bytes()
    for broken in (whole[: len(whole) // 2], whole[:40] + bytes(60) + whole[100:]):
        path.write_bytes(broken)
        with pytest.raises(DataError, match=r"file is damaged: .*[^.]\. Write it again$"):
            gc.read_corpus(path)


@pytest.mark.parametrize(
    ("first", "last"), [(0, 20), pytest.param(20, 3000, marks=pytest.mark.slow)]
)
def test_no_damaged_file_crashes_the_process(tmp_path: Path, first: int, last: int) -> None:
    """A process of its own reads the damaged files; its last line shows where it crashed."""
    script = Path(__file__).with_name("arrow_fuzz.py")
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, script, tmp_path, str(first), str(last)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(root)},
        check=False,
    )
    last_line = done.stdout.splitlines()[-1]
    assert (last_line, done.returncode, done.stderr) == ("all read", 0, "")


def test_two_columns_of_one_name_are_refused_by_the_reader() -> None:
    rows = [pa.array(["a", "b"]), pa.array([1, 2]), pa.array([3, 4]), pa.array([5, 6])]
    twice = pa.Table.from_arrays(rows, names=["annotator", "start", "end", "end"])
    with pytest.raises(DataError, match="data frame has 2 columns 'end'"):
        gc.Continuum.from_frame(twice)
    other = pa.Table.from_arrays(
        [*rows[:3], *rows[2:]], names=["annotator", "start", "end", "x", "x"]
    )
    assert [(u.start, u.end) for u in gc.Continuum.from_frame(other)] == [(1, 3), (2, 4)]


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


def test_a_document_in_two_partitions_is_named_with_file_and_row_group(tmp_path: Path) -> None:
    """The error names the row in each file at which the annotator begins; other documents
    are read.
    """
    first = _partition(tmp_path / "units", 1, "d3", "d1")
    second = _partition(tmp_path / "units", 2, "d2", "d4", "d1")
    found = collect([tmp_path / "units"])
    assert [*found.continua] == ["d3", "d2", "d4"]
    ((document, error),) = found.failures
    assert document == "d1"
    # A document has nine rows, three of Bob before three of Ann; a row group has seven rows.
    assert error.message == (
        "annotator 'Ann' occurs in two files of document 'd1' "
        f"({first}: row 6 of row group 2, {second}: row 1 of row group 4)"
    )
    made = pq.read_table(first).append_column("what", pa.array(["x"] * 18))
    fixed = tmp_path / "units" / "annotator=Bob" / "b.feather"
    fixed.parent.mkdir()
    feather.write_feather(made.drop_columns(["annotator", "category"]), fixed)
    assert f"{fixed}: row 1 of batch 1" in str(dict(collect([tmp_path / "units"]).failures)["d3"])


def _partition(folder: Path, number: int, *documents: str, **columns: object) -> Path:
    """Write a part of a partitioned folder with three units of Ann and Bob in each document."""
    path = folder / f"day={number}" / "part-0.parquet"
    path.parent.mkdir(parents=True)
    rows = [
        {
            "document": d,
            "annotator": a,
            "category": f"c{number}",
            "start": 9.5 * k,
            "end": 9 * k + 8,
        }
        for d in documents
        for a in ("Bob", "Ann", f"only {number}")
        for k in range(3)
    ]
    made = pa.Table.from_pylist([{**row, **columns} for row in rows])
    pq.write_table(made, path, row_group_size=7)
    return path


def test_a_partitioned_folder_stays_columns(tmp_path: Path) -> None:
    _partition(tmp_path / "units", 1, "d3", "d1")
    _partition(tmp_path / "units", 2, "d2", "d4", note="not read")
    found = collect([tmp_path / "units"])
    assert isinstance(found.continua, DocumentTable)
    assert sum(entry.count for entry in found.left_out) == 1
    alone = {
        **gc.read_corpus(tmp_path / "units" / "day=1"),
        **gc.read_corpus(tmp_path / "units" / "day=2"),
    }
    assert {n: [*c] for n, c in found.continua.items()} == {n: [*c] for n, c in alone.items()}
    assert [c.annotators for c in found.continua.values()] == [c.annotators for c in alone.values()]
    assert found.continua["d1"].categories == found.continua["d4"].categories == ("c1", "c2")
    assert found.formats["d4"] == "arrow"


def test_a_document_in_two_partitions_is_named_and_not_counted_twice(tmp_path: Path) -> None:
    first = _partition(tmp_path, 1, "d1", "d2")
    second = _partition(tmp_path, 2, "d2", "d3")
    found = collect([tmp_path])
    assert [*found.continua] == ["d1", "d3"]
    ((name, error),) = found.failures
    assert name == "d2"
    assert str(first) in error.message
    assert str(second) in error.message


def test_partitions_of_another_schema_or_without_content_are_named(tmp_path: Path) -> None:
    _partition(tmp_path, 1, "d1", "d2")
    other = _partition(tmp_path, 2, "d3", start="9")
    empty = _partition(tmp_path, 3, "d4")
    empty.write_bytes(b"")
    found = collect([tmp_path])
    assert [*found.continua] == ["d1", "d2"]
    said = {name: str(error) for name, error in found.failures}
    assert "column 'start' has string, not numbers" in said[str(other)]
    assert "file is empty" in said[str(empty)]


def test_convert_writes_tables_of_the_same_gamma(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = []
    for d in range(6):
        for a in "ABC":
            starts = rng.integers(0, 90, 5)
            rows += [f"d{d},{a},{rng.choice(['x', 'y'])},{s},{s + 7}" for s in starts]
    text = "\n".join(["document,annotator,category,start,end", *rows])
    (tmp_path / "c.csv").write_text(text, encoding="utf-8")
    run("convert", tmp_path / "c.csv", tmp_path / "c.parquet")
    said = [
        json.loads(run("gamma", tmp_path / f"c.{e}", "--samples", 30, "--json").out)
        for e in ("csv", "parquet")
    ]
    assert said[0]["results"] == said[1]["results"]
    assert said[0]["corpus"] == said[1]["corpus"]
