"""Everyday tables: columns by name, durations, clock times and decimal commas."""

import datetime
from pathlib import Path
from typing import Any

import pytest

import gammacp as gc
from gammacp import Continuum, Unit
from gammacp.base.frames import exact_sum, places_of_roles, unit_of_columns
from gammacp.errors import DataError, UsageError
from gammacp.formats import read, read_corpus
from gammacp.formats.written_positions import WrittenPositions

SHAKES = [("Ann", "nod", 2.5, 3.25), ("Ann", "shake", 5, 5.6), ("Bob", "nod", 2.5, 3.25)]


def rows_of(found: Any) -> list[tuple]:
    return sorted((u.annotator, u.category or "", u.start, u.end) for u in found)


@pytest.mark.parametrize(
    "table",
    [
        "annotator,category,onset,offset\nAnn,nod,2.5,3.25\nAnn,shake,5,5.6\nBob,nod,2.5,3.25\n",
        "rater,code,begin,stop\nAnn,nod,2.5,3.25\nAnn,shake,5,5.6\nBob,nod,2.5,3.25\n",
        "annotator,tag,onset,duration\nAnn,nod,2.5,.75\nAnn,shake,5,0.6\nBob,nod,2.5,0.75\n",
        "worker_id,label,start_s,end_s\nAnn,nod,2.5,3.25\nAnn,shake,5,5.6\nBob,nod,2.5,3.25\n",
        "coder,label,offset,length\nAnn,nod,2.5,0.75\nAnn,shake,5,0.6\nBob,nod,2.5,.75\n",
        "Kodierer;Kategorie;Anfang;Ende\nAnn;nod;2,5;3,25\nAnn;shake;5;5,6\nBob;nod;2,5;3,25\n",
        "Kodierer;Kategorie;Beginn;Dauer\nAnn;nod;2,5;0,75\nAnn;shake;5;0,6\nBob;nod;2,5;0,75\n",
        "annotateur;catégorie;début;fin\nAnn;nod;2,5;3,25\nAnn;shake;5;5,6\nBob;nod;2,5;3,25\n",
        "anotadora;código;inicio;fin\nAnn;nod;2,5;3,25\nAnn;shake;5;5,6\nBob;nod;2,5;3,25\n",
        "annotator\tcategory\tstart\tend\nAnn\tnod\t00:00:02.500\t00:00:03.25\n"
        "Ann\tshake\t0:00:05\t0:00:05,6\nBob\tnod\t00:02.5\t00:03.25\n",
        "annotator,category,start,duration\nAnn,nod,0:00:02.5,0:00:00.75\n"
        "Ann,shake,0:00:05,0:00:00.6\nBob,nod,0:00:02.5,0:00:00.75\n",
    ],
)
def test_everyday_tables_are_read(tmp_path: Path, table: str) -> None:
    """Eleven spellings of one table are read alike.

    5 and .6 are 5.6, not the binary sum 5.6 + 4e-16.
    """
    path = tmp_path / "a.csv"
    path.write_text(table, encoding="utf-8")
    assert rows_of(read(path)) == SHAKES


def test_columns_are_chosen_by_name_in_every_kind_of_table(tmp_path: Path) -> None:
    header = ["who", "Code", "category", "from", "to"]
    rows = [["Ann", "nod", "k1", 2, 3], ["Bob", "shake", "k2", 2, 4]]
    columns = {"annotator": "who", "category": "code", "start": "from", "end": "to"}
    truth = [("Ann", "nod", 2, 3), ("Bob", "shake", 2, 4)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [header, *rows]))
    found = read(path, columns=columns)
    assert rows_of(found) == truth
    assert found.selection[0].startswith("columns=annotator")
    assert [(x.kind, x.reason) for x in found.left_out] == [("column", "category is not used")]
    frame = {name: [row[i] for row in rows] for i, name in enumerate(header)}
    assert rows_of(Continuum.from_frame(frame, columns=columns)) == truth
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [header, *rows]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert rows_of(read(tmp_path / "a.xlsx", columns=columns)) == truth
    pa = pytest.importorskip("pyarrow")
    table = pa.table(frame)
    assert rows_of(gc.read_table(table, columns=columns)) == truth
    from pyarrow import feather, parquet

    parquet.write_table(table, tmp_path / "a.parquet")
    feather.write_feather(table, tmp_path / "a.feather")
    for name in ("a.parquet", "a.feather"):
        assert rows_of(read(tmp_path / name, columns=columns)) == truth


def test_arrow_reads_durations_and_clock_times() -> None:
    pa = pytest.importorskip("pyarrow")
    who = {"annotator": ["Ann", "Bob"], "label": ["x", "y"]}
    timed = pa.table({**who, "start": ["0:01:02.5", "00:02"], "end": ["0:01:03", "00:03"]})
    with pytest.raises(DataError, match=r"row 2: start '00:02' may be hh:mm or mm:ss"):
        gc.read_table(timed)
    found = gc.read_table(pa.table({**who, "onset": [0.1, 5], "duration": [0.2, 0.0]}))
    assert rows_of(found) == [("Ann", "x", 0.1, 0.3), ("Bob", "y", 5, 5)]
    timed = pa.table({**who, "start": ["0:01:02.5", "0:00:02"], "end": ["0:01:03", "0:00:03"]})
    found = gc.read_table(timed)
    assert (rows_of(found), found.offset_unit) == (
        [("Ann", "x", 62.5, 63), ("Bob", "y", 2, 3)], "s"
    )  # fmt: skip


def test_a_sheet_may_have_cells_with_times(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["annotator", "label", "start", "end", "note"])
    start, end = datetime.time(0, 0, 2, 500_000), datetime.timedelta(hours=25)
    book.active.append(["Ann", "x", start, end, None])
    book.active.append(["Bob", None, "0:00:01", "0:00:02", "late"])
    book.save(tmp_path / "a.xlsx")
    found = read(tmp_path / "a.xlsx")
    assert rows_of(found) == [("Ann", "x", 2.5, 90_000), ("Bob", "", 1, 2)]
    assert found.offset_unit == "s"
    with pytest.raises(DataError, match=r"there is no sheet 'b'\. The sheets are: Sheet"):
        read(tmp_path / "a.xlsx", sheet="b")


def test_a_file_per_annotator_needs_no_column_of_annotators(tmp_path: Path) -> None:
    for who in ("Ann", "Bob"):
        (tmp_path / who).mkdir()
        (tmp_path / who / "d.csv").write_text("label,onset,duration\nnod,2,1\n")
    found = read_corpus(tmp_path, layout="{annotator}/{document}")
    assert rows_of(found["d"]) == [("Ann", "nod", 2, 3), ("Bob", "nod", 2, 3)]
    with pytest.raises(
        DataError, match=r"no column for annotator.*layout='{annotator}/{document}'"
    ):
        read(tmp_path / "Ann" / "d.csv")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            "wer,was,von,bis\nAnn,x,1,2\n",
            r"a\.csv:1: there is no column for annotator, start or end; known are none, unknown "
            r"are 'wer', 'was', 'von', 'bis'\. Say .*`columns=annotator=NAME,start=NAME,end=NAME`",
        ),
        (
            "coder,code,s0,end\nAnn,x,1,2\n",
            r"known are 'coder' \(annotator\), 'code' \(category\), 'end' \(end\), unknown are 's",
        ),
        ("annotator;category;start;end\nA;x;1,5;2\nB;x;1.5;2\n", r":3: start '1.5' is .* commas"),
        ("annotator;category;start;end\nA;x;1.5;2\nB;x;1,5;2\n", r":3: .* line 2, which have dec"),
        ("annotator;category;start;end\nA;x;1.234,5;2\n", r":2: start '1.234,5' is not a number"),
        ("annotator\tcategory\tstart\tend\nA\tx\t1,5\t2\n", r":2: start '1,5' .* decimal point"),
        ("annotator,category,start,end\nA,x,0:00:01,5\n", r":2: end '5' is written otherwise"),
        ("annotator,category,start,end\nA,x,1,2\nA,x,0:00:01,0:00:05\n", r":3: start '0:00:01' is"),
        ("annotator,category,start,end\nA,x,0:61:01,0:62:00\n", r":2: start '0:61:01' is not a t"),
        ("annotator,category,start,duration\nA,x,3,-1\n", r":2: duration -1 < 0"),
        ("annotator,category,start,duration\nA,x,3,\n", r":2: duration '' is not a number"),
        ("# offset unit: ms\nannotator,start,end\nA,0:00:01,0:00:02\n", r"offset unit is 'ms'"),
        ("annotator,Code,tag2,start,end,Etikett\nA,a,b,1,2,c\n", r"category: 'Code', 'E"),
    ],
)  # fmt: skip
def test_bad_tables_are_named_with_place_and_cause(
    tmp_path: Path, table: str, message: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(table, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read(path)


def test_missing_columns_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("who,x0,x1\nAnn,1,2\n")
    with pytest.raises(
        DataError, match=r"a\.csv:1: column 'wer' does not exist. The columns are: "
    ):
        read(path, columns={"annotator": "wer"})
    with pytest.raises(UsageError, match="columns 'begin' is unknown"):
        read(path, columns={"begin": "x0"})
    with pytest.raises(UsageError, match="an end and a duration"):
        read(path, columns={"end": "x0", "duration": "x1"})


def test_tables_that_were_understood_before_are_read_alike() -> None:
    """New column names give a role only if no other column has it."""
    assert places_of_roles(["label", "code", "annotator", "start", "end", "duration"]) == {
        "annotator": [2], "category": [0], "start": [3], "end": [4]
    }  # fmt: skip
    assert places_of_roles(["offset", "onset", "duration", "coder"])["end"] == [0]


@pytest.mark.parametrize(
    ("names", "unit"),
    [(["Start (ms)", "End [ms]"], "ms"), (["start_s", "dur sec"], "s"), (["start", "end"], ""),
     (["start_s", "end_ms"], ""), (["s", "ms"], "")],
)  # fmt: skip
def test_units_of_positions_are_read_from_column_names(names: list[str], unit: str) -> None:
    assert unit_of_columns(names) == unit


def test_sums_are_those_of_decimals() -> None:
    assert exact_sum(0.1, 0.2) == 0.3
    assert exact_sum(5, 0.6) == 5.6
    assert WrittenPositions(commas=True).number("-0:00:01.5", 1) == -1.5


def test_the_command_line_and_a_campaign_name_columns(tmp_path: Path, run: Any) -> None:
    (tmp_path / "a.csv").write_text("who,Mark,s,e\nAnn,x,1,2\nBob,x,1,2\n")
    said = "annotator=who,start=s", "end=e"
    assert run("gamma", tmp_path / "a.csv", "--columns", said[0], "--columns", said[1],
               "--columns=category=Mark", "--samples", 20, "--json").code == 0  # fmt: skip
    (tmp_path / "campaign.toml").write_text(
        'paths = ["a.csv"]\n[columns]\nannotator = "who"\nstart = "s"\nend = "e"\n'
        'category = "Mark"\n'
    )
    assert run("inspect", tmp_path / "campaign.toml").code == 0
    refused = run("inspect", tmp_path / "a.csv", "--columns", "start")
    assert refused.code == 2
    assert "--columns 'start' is not ROLE=COLUMN" in refused.err


def test_a_table_has_an_offset_unit(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("annotator,label,Start (ms),End (ms)\nAnn,x,1,2\n")
    found = read(path)
    assert [*found] == [Unit("Ann", 1, 2, "x")]
    assert found.offset_unit == "ms"
