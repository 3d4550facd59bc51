"""Test how EXMARaLDA files and ELAN's tab-delimited text are read; times and tiers are set
by hand.
"""

from pathlib import Path

import pytest

from gammacp.errors import DataError
from gammacp.formats import read

EXB = """<?xml version="1.0" encoding="UTF-8"?>
<basic-transcription><head/><basic-body><common-timeline>
<tli id="T0" time="1.0"/><tli id="T1"/><tli id="T2"/><tli id="T3" time="4.0"/><tli id="T4"/>
</common-timeline>
<tier id="TIE0" speaker="A" category="v" type="t" display-name="Ann [v]">
<event start="T0" end="T1">hello </event><event start="T1" end="T3"> </event></tier>
<tier id="TIE1" speaker="B" category="v" type="t" display-name="Bob [v]">
<event start="T2" end="T3">yes</event></tier>
<tier id="TIE2" speaker="B" category="sup" type="a" display-name="Bob [v]"/>
</basic-body></basic-transcription>
"""


def test_points_without_a_time_lie_between_their_neighbours(tmp_path: Path) -> None:
    """T1 and T2, between times 1 and 4, are at 2 and 3; tiers of one name are called by
    their ids.
    """
    path = tmp_path / "a.exb"
    path.write_text(EXB)
    found = read(path)
    assert [(u.annotator, u.category, u.start, u.end) for u in found] == [
        ("Ann [v]", "hello", 1, 2),
        ("Ann [v]", None, 2, 4),
        ("TIE1", "yes", 3, 4),
    ]
    assert found.annotators == ("Ann [v]", "TIE1", "TIE2")
    chosen = read(path, tier="{annotator} [v]")
    assert chosen.annotators == ("Ann",)
    assert [(x.kind, x.count) for x in chosen.left_out] == [("event", 1)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('end="T3">yes', 'end="T4">yes', ":8: point 'T4' has no time"),
        ('end="T3">yes', 'end="T9">yes', ":8: point 'T9' of the timeline does not exist"),
        ('time="4.0"', 'time="four"', ":3: time 'four' is not a number"),
        ('id="T2"', 'id="T1"', "an id of the timeline occurs twice"),
        ('time="1.0"', 'time="9.0"', ":6: event 'hello'"),
    ],
)
def test_malformed_transcriptions_are_errors(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    path = tmp_path / "a.exb"
    path.write_text(EXB.replace(old, new))
    with pytest.raises(DataError, match=message):
        read(path)


@pytest.mark.parametrize(
    ("name", "table"),
    [
        (
            "a.txt",
            '"#file:///C:/x.eaf"\nTier\tBegin Time - hh:mm:ss.ms\tBegin Time - ss.msec\t'
            "End Time - hh:mm:ss.ms\tEnd Time - ss.msec\tAnnotation\n"
            "Ann\t00:00:01.000\t1.0\t00:00:02.500\t2.5\tnod\n"
            "Bob\t00:00:01.000\t1.0\t00:00:02.000\t2.0\t\n",
        ),
        (
            "a.txt",
            "Ann\tA.\t00:00:01.000\t1.0\t00:00:02.500\t2.5\t00:00:01.500\t1.5\tnod\n"
            "Bob\t\t00:00:01.000\t1.0\t00:00:02.000\t2.0\t00:00:01.000\t1.0\t\n",
        ),
        (
            "a.csv",
            "Begin Time - msec;End Time - msec;Tier;Value\n1000;2500;Ann;nod\n1000;2000;Bob;\n",
        ),
    ],
)
def test_tables_exported_by_elan_are_read(tmp_path: Path, name: str, table: str) -> None:
    (tmp_path / name).write_text(table)
    found = read(tmp_path / name)
    assert [(u.annotator, u.category, u.start, u.end) for u in found] == [
        ("Ann", "nod", 1, 2.5),
        ("Bob", None, 1, 2),
    ]
    assert found.offset_unit == "s"
    assert read(tmp_path / name, tier="A*").annotators == ("Ann",)


def test_a_table_may_have_a_column_for_each_tier(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Begin Time - ss.msec,End Time - ss.msec,Ann,Bob\n1,2.5,nod,\n1,2,,x y\n")
    rows = [(u.annotator, u.category, u.start, u.end) for u in read(path)]
    assert rows == [("Ann", "nod", 1, 2.5), ("Bob", "x y", 1, 2)]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("Begin Time - ss.msec\tTier\tValue\n1\tA\tx\n", ":1: header has no begin and end"),
        ("Tier\tBegin Time - ss.msec\tEnd Time - ss.msec\tValue\nA\t1\ty\tx\n", ":2: time 'y'"),
        ("A\t\t00:00:01.000\t00:00:02.000\tx\nB\t\t00:00:01.000\t1\tx\n", ":2: line has no begin"),
        ("Tier\tBegin Time - ss.msec\tEnd Time - ss.msec\tValue\nA\t3\t1\tx\n", ":2: .*end 1 < s"),
    ],
)
def test_malformed_tables_are_errors(tmp_path: Path, table: str, message: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(table)
    with pytest.raises(DataError, match=message):
        read(path, format="elan-table")
