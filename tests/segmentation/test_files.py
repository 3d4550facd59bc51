"""Codings in files: segeval JSON, TSV and continua, and errors with their line."""

from __future__ import annotations

import json
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gammacp as gc
from gammacp.errors import DataError, UsageError
from gammacp.segmentation import (
    Codings,
    Segmentation,
    codings_from_json,
    codings_from_table,
    from_continuum,
    load_codings,
    read_codings,
    read_groups,
)


def saved(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def masses(codings: Codings) -> dict[str, dict[str, list[int]]]:
    return {
        item: {coder: list(s.masses) for coder, s in coders.items()}
        for item, coders in codings.items()
    }


def test_segeval_json_with_and_without_its_frame(tmp_path: Path) -> None:
    items = {"text": {"1": [2, 3, 6], "2": [5, 6]}}
    framed = saved(
        tmp_path, "framed.json", json.dumps({"segmentation_type": "linear", "items": items})
    )
    bare = saved(tmp_path, "bare.json", json.dumps(items))
    assert masses(read_codings(framed)) == masses(read_codings(bare)) == items


def test_boundary_strings_and_several_types(tmp_path: Path) -> None:
    text = """{"boundary_types": ["major", "minor"], "items": {"t": {
        "a": {"mass": 9, "boundaries": {"minor": [3, 5]}},
        "b": {"mass": 9, "boundaries": {"major": [3]}}}}}"""
    all_codings = codings_from_json(text)
    assert all_codings.types == ("major", "minor")
    assert all_codings["t"]["a"].potential_boundaries == 16
    one_line = saved(tmp_path, "typed.json", text.replace("\n", " "))
    assert read_codings(one_line) == all_codings
    strings = codings_from_json('{"t": {"a": "0100100000", "b": {"mass": 11, "boundaries": [5]}}}')
    assert masses(strings) == {"t": {"a": [2, 3, 6], "b": [5, 6]}}


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("Coder\tMasses", "a\t2\t3\t6\nb\t5\t6"),
        ("Coder,Masses", "a,2,3,6\nb,5,6,"),
        ("Coder,Positions", "a,1,1,2,2,2,3,3,3,3,3,3\nb,x,x,x,x,x,y,y,y,y,y,y"),
        ("Coder\tMass\tBoundaries", "a\t11\t2\t5\nb\t11\t5"),
        ("# a comment\nItem\tCoder\tMasses", "text\ta\t2\t3\t6\n\ntext\tb\t5\t6"),
    ],
)
def test_tables(tmp_path: Path, header: str, rows: str) -> None:
    path = saved(tmp_path, "text.tsv", f"{header}\n{rows}\n")
    assert masses(read_codings(path)) == {"text": {"a": [2, 3, 6], "b": [5, 6]}}


def test_any_continuum_without_gaps(tmp_path: Path) -> None:
    rows = "a,x,0,2\na,x,2,5\na,x,5,11\nb,x,0,5\nb,x,5,11\n"
    path = saved(tmp_path, "text.csv", "annotator,category,start,end\n" + rows)
    (coders,) = masses(read_codings(path)).values()
    assert coders == {"a": [2, 3, 6], "b": [5, 6]}
    gap = saved(tmp_path, "gap.csv", "annotator,category,start,end\na,x,0,2\na,x,3,5\nb,x,0,5\n")
    with pytest.raises(DataError, match="gap between 2 and 3") as error:
        read_codings(gap)
    assert error.value.file == str(gap)


def test_files_are_joined_by_item(tmp_path: Path) -> None:
    people = saved(tmp_path, "people.json", '{"text": {"a": [2, 3], "b": [5]}}')
    machine = saved(tmp_path, "machine.tsv", "Item\tCoder\tMasses\ntext\tauto\t1\t4\n")
    assert set(read_codings([people, machine])["text"]) == {"a", "b", "auto"}
    with pytest.raises(DataError, match="annotator 'a' occurs in two files of document 'text'"):
        read_codings([people, saved(tmp_path, "again.json", people.read_text())])


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"t": {\n "a": [2, 0],\n "b": [2]}}', 2, "item 't', coder 'a': mass 0 is not positive"),
        ('{"t": {\n "a": [2],\n "b": [-2]}}', 3, "mass -2 is not positive"),
        ('{"t": {"a": [2.5]}}', 1, "mass 2.5 is not a whole number"),
        ('{"t": {"a": ["2"]}}', 1, "'2' is not a whole number"),
        ('{"t": {"a": []}}', 1, "no segment"),
        ('{"t": {"a": 7}}', 1, "7 is not a segmentation"),
        ('{"t": {"a": {"mass": 3, "boundaries": {"x": 1}}}}', 1, "'x' are not a list"),
        (
            '{"boundary_types": ["x"], '
            '"items": {"t": {"a": {"mass": 3, "boundaries": {"y": [1]}}}}}',
            1,
            "boundary type 'y' is unknown",
        ),
        ('{"boundary_types": "x", "items": {}}', None, "not a list of names"),
        ('{"t": {\n"a": [2,]}}', 2, "JSON is broken"),
        ('{"t": [1, 2]}', None, "item 't' is not a JSON object"),
        ("[1, 2]", None, "JSON is not"),
        ('{"items": {}}', None, "there is no item"),
        ('{"items": {"t": {}}}', None, "item 't' has no coder"),
        ('{"segmentation_type": "tree", "items": {}}', None, "segmentation type 'tree'"),
        ('{"t": {"a": [2], "a": [1, 1]}}', None, "key 'a' occurs twice"),
        ('{"t": {"a": [2], "b": [3]}}', None, "item 't' has mass 2 for a and 3 for b"),
        ('{"items": {"t": {"a": [2]}}, "groups": [["t", 1]]}', None, "groups are not [[item"),
        ('{"items": {"t": {"a": [2]}}, "groups": [["x"]]}', None, "an item 'x' that nobody coded"),
        ('{"items": {"t": {"a": [2]}}, "anonymous_coders": 1}', None, "neither true nor false"),
    ],
)
def test_bad_json(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    path = saved(tmp_path, "bad.json", text)
    with pytest.raises(DataError) as error:
        read_codings(path)
    assert message in error.value.message
    assert (str(error.value.file), error.value.line) == (str(path), line)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("Coder\tMasses\na\t2\tx", 2, "'x' is not a whole number"),
        ("Coder\tMasses\na\t2\nb\t2\t-1", 3, "mass -1 is not positive"),
        ("Coder\tMasses\na\t2\na\t2", 3, "coder 'a' has two segmentations"),
        ("Coder\tMasses\na", 2, "no segment"),
        ("Coder\tMasses\n\t2", 2, "no item or no coder"),
        ("Coder\tMass\tBoundaries\na\t5\t5", 2, "boundary 5 is outside 1 to 4"),
        ("Coder\tMass\tBoundaries\na", 2, "no mass"),
        ('Coder\tMasses\na\t2\n"b\t2', 3, "row cannot be read: unexpected end of data"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = saved(tmp_path, "bad.tsv", text)
    with pytest.raises(DataError) as error:
        read_codings(path)
    assert message in error.value.message
    assert (str(error.value.file), error.value.line) == (str(path), line)


def test_unknown_files_names_and_headers_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read_codings(tmp_path / "nowhere.json")
    with pytest.raises(UsageError, match="dataset 'x' is unknown"):
        load_codings("x")
    with pytest.raises(DataError, match="header 'who what' is not known"):
        codings_from_table("who\twhat\n", item="t")
    with pytest.raises(DataError, match="there is no row"):
        codings_from_table("# nothing\n", item="t")


def test_shipped_codings() -> None:
    assert list(load_codings("moonstone")) == [
        "ch1", "ch3", "ch4", "ch11", "ch2", "ch5", "ch8", "ch10",
    ]  # fmt: skip
    assert load_codings("hearst1997")["stargazer"]["5"].masses == (3, 2, 4, 3, 5, 4)


def test_groups_in_files(tmp_path: Path) -> None:
    text = """{"anonymous_coders": true, "groups": [["s", "t"], ["u"]],
        "items": {"s": {"a": [2]}, "t": {"a": [2]}, "u": {"a": [2]}}}"""
    codings = read_codings(saved(tmp_path, "declared.json", text))
    assert [g.items for g in codings.groups()] == [("s", "t"), ("u",)]
    assert codings.anonymous
    # Groups of several files are joined; those of a file of groups replace them.
    other = saved(tmp_path, "other.json", '{"items": {"v": {"b": [2]}}, "groups": [["v"]]}')
    both = read_codings([tmp_path / "declared.json", other])
    assert [g.items for g in both.groups()] == [("s", "t"), ("u",), ("v",)]
    for name, content in (("bare", '[["s"], ["t", "u"]]'), ("framed", '{"groups": [["s"]]}')):
        groups = read_groups(saved(tmp_path, f"{name}.json", content))
        assert codings.with_groups(groups).groups()[0].items == ("s",)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[1]", None, "groups are not [[item, …], …]"),
        ("{}", None, "groups are not [[item, …], …]"),
        ("[\n[", 2, "JSON is broken"),
    ],
)
def test_bad_groups(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    path = saved(tmp_path, "groups.json", text)
    with pytest.raises(DataError) as error:
        read_groups(path)
    assert message in error.value.message
    assert (str(error.value.file), error.value.line) == (str(path), line)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_json_of_any_codings_is_read(data: st.DataObject) -> None:
    types = data.draw(st.sampled_from(["x", "xy"]))
    names = st.text(min_size=1, max_size=4)
    items = {}
    for item in data.draw(st.sets(names, min_size=1, max_size=3)):
        mass = data.draw(st.integers(2, 12))
        places = st.sets(st.integers(1, mass - 1))
        items[item] = {
            coder: Segmentation.from_typed(
                {t: data.draw(places) for t in types}, mass=mass, types=types
            )
            for coder in data.draw(st.sets(names, min_size=1, max_size=3))
        }
    codings = Codings.of(items)
    as_text = {
        item: {
            coder: list(s.masses)
            if types == "x"
            else {"mass": s.mass, "boundaries": {t: s.of_type(t).tolist() for t in types}}
            for coder, s in coders.items()
        }
        for item, coders in codings.items()
    }
    framed = {"boundary_types": list(types), "items": as_text}
    if types == "x":  # masses have no types
        assert masses(codings_from_json(json.dumps({"items": as_text}))) == masses(codings)
    else:
        assert codings_from_json(json.dumps(framed)) == codings


def test_wide_tables(tmp_path: Path) -> None:
    labels = "Item,Unit,a,b,c\nx,1,s,s,\nx,2,s,t,\nx,3,t,t,\ny,1,q,q,q\n"
    codings = codings_from_table(labels, item="-")
    assert {c: s.masses for c, s in codings["x"].items()} == {"a": (2, 1), "b": (1, 2)}
    assert list(codings["y"]) == ["a", "b", "c"]
    marks = "After\ta\tb\n1\t1\t0\n2\t\t1\n3\t1\t0\n"
    again = codings_from_table(marks, item="t")
    assert {c: s.masses for c, s in again["t"].items()} == {"a": (1, 2), "b": (2, 1)}
    (tmp_path / "t.tsv").write_text(marks)
    assert read_codings(tmp_path / "t.tsv")["t"] == again["t"]
    assert gc.read(tmp_path / "t.tsv").annotators == ("a", "b")
    for text, what in (
        ("After,a\n1,0\n2,x\n", "'x' of a is not 0 or 1"),
        ("Unit,a,b\n1,s,s\n2,,s\n", "'' of a is not the label"),
        ("Unit,a\n1,s,t\n", "2 cells for 1 coders"),
        ("Unit,a,a\n1,s,s\n", "column 'a' occurs 2 times"),
    ):
        with pytest.raises(DataError, match=what):
            codings_from_table(text, item="t")


@pytest.mark.parametrize("header", ["Token,a,b,c", ",a,b,c", "Sentence,Ann,Ben", "word;x;y;z"])
def test_a_wide_table_without_a_known_header_gets_advice(tmp_path: Path, header: str) -> None:
    rows = "".join(f"{k}{',s' * header.count(',')}\n" for k in "xyz")
    path = saved(tmp_path, "t.csv", f"{header}\n{rows}")
    with pytest.raises(
        DataError, match=r"t\.csv:1: header .* or Unit .* or After .*, then the cod"
    ):
        read_codings(path)
    # Following the advice, to call the first column Unit, works.
    if "," in header:
        saved(tmp_path, "t.csv", "Unit" + header[header.index(",") :] + "\n" + rows)
        assert {len(s.masses) for s in read_codings(path)["t"].values()} == {1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("annotator,begin,end,category\na,0,x,\n", "2: end 'x' is not a number"),
        ("a,b,0,5,9\n", "1: row has 5 columns"),
        ("annotator,end,category\na,5,x\n", "1: there is no column for start"),
    ],
)
def test_a_table_of_units_gets_its_own_message(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_codings(saved(tmp_path, "t.csv", text))


def test_options_of_formats(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("annotator,start,end,category\na,0,2,\na,2,5,\nb,0,5,\n")
    assert read_codings(path, format="csv")["x"]["a"].masses == (2, 3)
    with pytest.raises(UsageError, match="layer"):
        read_codings(path, layer="Segments")
    path.write_text("Coder,Masses\na,2,3\nb,5\n")
    with pytest.raises(UsageError, match="option 'tier' is not one of segmentation-table"):
        read_codings(path, tier="x")


RECORDING = """annotator,start,end,category
gold,0,10.04,\ngold,10.04,25.5,\ngold,25.5,40,
sys,0,10.5,\nsys,10.5,22.49,\nsys,22.49,30,\nsys,30,40,
"""


def test_real_positions_are_rounded_to_a_unit(tmp_path: Path) -> None:
    path = saved(tmp_path, "song.csv", RECORDING)
    codings = read_codings(path, unit=0.1)["song"]
    assert {c: s.positions.tolist() for c, s in codings.items()} == {
        "gold": [100, 255], "sys": [105, 225, 300]
    }  # fmt: skip
    assert codings["gold"].mass == 400
    with pytest.raises(DataError, match="say `unit=`"):
        read_codings(path)
    with pytest.raises(DataError, match=r"25\.5 of gold coincides .* base units of 20"):
        read_codings(path, unit=20)
    with pytest.raises(UsageError, match="unit 0 is not positive"):
        read_codings(path, unit=0)


cuts = st.lists(st.integers(1, 39), min_size=1, max_size=8, unique=True).map(sorted)


@settings(max_examples=60, deadline=None)
@given(by_coder=st.tuples(cuts, cuts), unit=st.sampled_from([0.01, 1.0, 40.0]), data=st.data())
def test_a_gap_that_rounding_closes_is_none(
    by_coder: tuple[list[int], list[int]], unit: float, data: st.DataObject
) -> None:
    """Codings are the same if ends and starts are moved by less than a quarter of a base unit."""
    rows = []
    for coder, inner in zip("AB", by_coder, strict=True):
        edges = [0, *inner, 40]
        for start, end in pairwise(edges):
            off = data.draw(st.tuples(*[st.floats(-0.24, 0.24)] * 2))
            rows.append(gc.Unit(coder, (start + off[0]) * unit, (end + off[1]) * unit, None))
    segmentations = from_continuum(gc.Continuum.from_units(rows), unit=unit)
    for coder, inner in zip("AB", by_coder, strict=True):
        assert segmentations[coder].positions.tolist() == inner
        assert segmentations[coder].mass == 40


@pytest.mark.parametrize("end", [10.000001, 9.999999, 10.499999, 10.500001])
def test_a_gap_of_a_microsecond_is_none(end: float) -> None:
    """This holds also if the two sides of the gap are rounded to different places."""
    units = [("A", 0, end), ("A", end + 1e-6, 20), ("B", 0, 12), ("B", 12, 20)]
    c = gc.Continuum.from_units([gc.Unit(a, low, high, None) for a, low, high in units])
    assert from_continuum(c, unit=1)["A"].positions.tolist() == [int(end + 0.5)]


@pytest.mark.parametrize("gap", [1.0, -1.0, 0.6])
def test_a_gap_that_rounding_leaves_is_an_error(gap: float) -> None:
    units = [("A", 0, 10), ("A", 10 + gap, 20), ("B", 0, 12), ("B", 12, 20)]
    c = gc.Continuum.from_units([gc.Unit(a, low, high, None) for a, low, high in units])
    with pytest.raises(DataError, match=r"gap between 10 and|overlap between 10 and"):
        from_continuum(c, unit=1)


def test_parts_that_readers_leave_out_are_recorded(tmp_path: Path) -> None:
    text = "annotator,start,end,category,mood\na,0,2,,x\na,2,5,,y\nb,0,5,,z\n"
    saved(tmp_path, "x.csv", text)
    saved(tmp_path, "z.csv", text)
    saved(tmp_path, "t.tsv", "Coder\tMasses\na\t2\t3\nb\t5\n")
    saved(tmp_path, "notes.docx", "-")
    saved(tmp_path, "other.json", '{"name": "x"}')
    with zipfile.ZipFile(tmp_path / "more.zip", "w") as archive:
        archive.writestr("q.csv", text)
        archive.writestr("read.me", "-")
    codings = read_codings(tmp_path)
    lost = {(Path(e.file).name, e.kind): e.count for e in codings.left_out}
    assert lost == {
        (tmp_path.name, "file"): 1, ("x.csv", "column"): 1, ("z.csv", "column"): 1,
        ("more.zip", "file"): 1, ("more.zip!q.csv", "column"): 1,
    }  # fmt: skip
    assert set(codings) == {"x", "z", "t", "more"}
    assert codings.renamed({"x": "y"}).without(["b"]).left_out == codings.left_out


def test_comments_of_a_table_are_counted(tmp_path: Path) -> None:
    """A coder whose name begins with # looks like a comment, and the count shows that a row is
    missing.
    """
    table = "# by hand\nCoder\tMasses\nAnn\t2\t3\n#Bob\t1\t4\nCeo\t5\n"
    codings = read_codings(saved(tmp_path, "t.tsv", table))
    assert [(x.kind, x.reason, x.count) for x in codings.left_out] == [("line", "comment", 2)]
    as_units = gc.read_corpus(tmp_path / "t.tsv").left_out
    assert [(x.kind, x.reason, x.count) for x in as_units] == [("line", "comment", 2)]


def test_other_separators_do_not_end_the_lines_of_a_table(tmp_path: Path) -> None:
    table = "Unit,Ann,Bob\nintro\u2028one,1,1\ntwo,1,2\n"
    codings = read_codings(saved(tmp_path, "t.csv", table))
    assert masses(codings) == {"t": {"Ann": [2], "Bob": [1, 1]}}
