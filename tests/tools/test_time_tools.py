"""ELAN, Praat and RTTM."""

import re
from pathlib import Path

import pytest

from gammacp import Continuum, DataError, Unit, UsageError, read, read_corpus, write
from tests.tools.story import FIXTURES

TIERS = FIXTURES / "tiers.eaf"
# Positions as in the files; the TextGrid has the same annotations before rounding.
MILLISECONDS = [(1006, 1896), (2401, 3422), (3738, 4926), (5294, 5781)]


def spans(c: Continuum) -> list[tuple[str, float, float, str | None]]:
    return [(u.annotator, u.start, u.end, u.category) for u in c]


@pytest.mark.parametrize("ending", ["eaf", "TextGrid"])
def test_the_same_annotations_in_elan_and_praat(ending: str) -> None:
    c = read(FIXTURES / f"MaureenMarvinRobin.{ending}")
    assert c.annotators == ("Marvin", "Maureen", "Robin")
    assert c.offset_unit == ("ms" if ending == "eaf" else "s")
    scale = 1 if ending == "eaf" else 1000
    found = sorted((round(u.start * scale), round(u.end * scale)) for u in c)
    assert found == MILLISECONDS
    assert {u.category for u in c} == {"S"}


def test_tiers_are_annotators_and_slots_are_filled_in() -> None:
    assert spans(read(TIERS)) == [
        ("gesture@Ann", 100, 250, "point"),
        ("gesture@Ann", 250, 400, None),
        ("gesture@Bob", 400, 600, "wave"),
    ]


def test_tier_patterns() -> None:
    assert read(TIERS, tier="gesture@{annotator}").annotators == ("Ann", "Bob")
    assert read(TIERS, tier="gesture@*").annotators == ("Ann", "Bob")
    with pytest.raises(DataError, match=r"no tier fits 'x@\*'\. There are: default, gesture@Ann"):
        read(TIERS, tier="x@*")
    with pytest.raises(UsageError, match="more than once"):
        read(TIERS, tier="{annotator}{annotator}")


def test_symbolic_annotations_divide_their_parent() -> None:
    assert spans(read(TIERS, tier="phase@{annotator}")) == [
        ("Ann", 100, 175, "stroke"),
        ("Ann", 175, 250, "hold"),
    ]


def test_a_file_per_annotator(tmp_path: Path) -> None:
    for who in ("ann", "bob"):
        (tmp_path / who).mkdir()
        write(
            Continuum.from_units([Unit("gesture", 1, 2, who)], offset_unit="ms"),
            tmp_path / who / "talk.eaf",
        )
    c = read(tmp_path, layout="{annotator}/{document}")
    assert spans(c) == [("ann", 1, 2, "ann"), ("bob", 1, 2, "bob")]


def test_the_tier_that_elan_always_makes_is_no_annotator_without_units(tmp_path: Path) -> None:
    """This holds whether tiers or file names give the annotator."""
    path = tmp_path / "talk_Ann.eaf"
    write(Continuum.from_units([Unit("gesture", 1, 2, "x")], offset_unit="ms"), path)
    made = '<TIER LINGUISTIC_TYPE_REF="default-lt" TIER_ID="default" />'
    path.write_text(path.read_text(encoding="utf-8").replace("<TIER ", f"{made}<TIER ", 1))
    for options in ({}, {"layout": "{document}_{annotator}"}):
        c = read(path, **options)
        assert [e.reason for e in c.left_out] == ["empty, made by ELAN in every file"]
        assert c.n_units == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('REF2="ts3"', 'REF2="ts9"', r"eaf:13: time slot 'ts9' does not exist"),
        ('VALUE="400"', 'VALUE="40"', r"eaf:12: annotation a1: end 70 < start 100"),
        ('VALUE="400"', 'VALUE="4oo"', r"eaf:7: <TIME_SLOT>: '4oo' is not a whole number"),
        ('VALUE="400"', 'VALU="400"', r"eaf:7: <TIME_SLOT> has an attribute 'TIME_VALU'"),
        ('ID="a5"', 'ID="a1"', r"eaf:20: annotation 'a1' occurs twice, and another one refers"),
        (
            'ANNOTATION_REF="a1"',
            'ANNOTATION_REF="a9"',
            "another annotation refers to 'a9', which has no time",
        ),
        ('"milliseconds"', '"samples"', "TIME_UNITS are 'samples'"),
        ("</TIER>", "", r"eaf:24: XML is broken: mismatched tag"),
        (
            "<ANNOTATION_DOCUMENT",
            "<!DOCTYPE a [<!ENTITY b 'c'>]><ANNOTATION_DOCUMENT",
            "document type",
        ),
    ],
)
def test_bad_elan_files(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = TIERS.read_text(encoding="utf-8")
    file = tmp_path / "a.eaf"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read(file)


def test_the_time_origin_of_the_medium_is_added(tmp_path: Path) -> None:
    """Files of two people begin at different times of one recording."""
    for who, start, origin in (("ann", 2000, 0), ("bob", 1000, 1000)):
        (tmp_path / who).mkdir()
        unit = Unit("gesture", start, start + 500, "nod")
        path = tmp_path / who / "talk.eaf"
        write(Continuum.from_units([unit], offset_unit="ms"), path)
        text = path.read_text(encoding="utf-8")
        medium = f'<HEADER TIME_UNITS="milliseconds"><MEDIA_DESCRIPTOR TIME_ORIGIN="{origin}"/>'
        changed = re.sub("<HEADER [^>]*/>", f"{medium}</HEADER>", text)
        path.write_text(changed, encoding="utf-8")
    c = read(tmp_path, layout="{annotator}/{document}")
    assert spans(c) == [("ann", 2000, 2500, "nod"), ("bob", 2000, 2500, "nod")]


SHORT = """File type = "ooTextFile"
"TextGrid"

0
3.5
<exists>
2
"IntervalTier"
"Ann"
0
3.5
3
0
1
""
1
2.25
"say ""hi""
there" ! a comment "
2.25
3.5
" "
"TextTier"
"Bob"
0
3.5
2
0.5
"click"
.75e0
""
"""
EXPECTED = [
    ("Ann", 1, 2.25, 'say "hi"\nthere'),
    ("Bob", 0.5, 0.5, "click"),
    ("Bob", 0.75, 0.75, None),
]


def test_repeated_ids_without_references(tmp_path: Path) -> None:
    """Every annotation keeps its own time and value, and the repetitions are counted."""
    text = TIERS.read_text(encoding="utf-8")
    file = tmp_path / "a.eaf"
    file.write_text(text, encoding="utf-8")
    once = read(file)
    free = sorted({*re.findall(r'ANNOTATION_ID="(\w+)"', text)} - {
        *re.findall(r'ANNOTATION_REF="(\w+)"', text)})  # fmt: skip
    for key in free[1:]:
        text = text.replace(f'ANNOTATION_ID="{key}"', f'ANNOTATION_ID="{free[0]}"')
    file.write_text(text, encoding="utf-8")
    again = read(file)
    assert spans(again) == spans(once)
    counts = {e.kind: e.count for e in again.left_out if e.kind == "id"}
    assert counts == {"id": len(free) - 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"ooBinaryFile\x08TextGrid\x00\x00\xff\xfe", "a binary file of Praat.* as text file"),
        (b'"Praat chronological TextGrid text file"\n0 2.3   ! Time', "a chronological TextGrid"),
    ],
)
@pytest.mark.parametrize("name", ["a.TextGrid", "a.txt"])
def test_other_files_of_praat_are_reported(
    tmp_path: Path, content: bytes, message: str, name: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read(tmp_path / name)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("kind", ["ooTextFile", "ooTextFile short"])
def test_short_textgrid(tmp_path: Path, encoding: str, kind: str) -> None:
    file = tmp_path / "a.TextGrid"
    file.write_text(SHORT.replace("ooTextFile", kind, 1), encoding=encoding)
    assert spans(read(file)) == EXPECTED


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2.25\n3.5", "2.25\n1.5", r"TextGrid:22: interval 2\.25-1\.5 is out of order"),
        ('"click"', "click", r"TextGrid:30: '\.75e0' where a label is expected"),
        ('\n.75e0\n""\n', "\n", r"TextGrid:29: file ends where a time is expected"),
        ("\n2\n0.5", "\n1\n0.5", r"TextGrid:30: '\.75e0' after the last tier"),
        ('"IntervalTier"', '"PitchTier"', r"TextGrid:8: tier class 'PitchTier' is unknown"),
        ("ooTextFile", "ooBinary", "not a Praat text file"),
        ("<exists>", "<absent>", "has no tiers"),
        ("1\n2.25", "1\n1e999", "xmax of an interval: '1e999' is not a finite number"),
    ],
)
def test_bad_textgrids(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "a.TextGrid"
    assert old in SHORT
    file.write_text(SHORT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read(file)


def test_a_textgrid_cannot_hold_an_unlabelled_unit(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no category, which a TextGrid cannot tell from a gap"):
        write(Continuum.from_units([Unit("A", 1, 2, None)]), tmp_path / "a.TextGrid")
    assert not list(tmp_path.iterdir())


def test_elan_counts_whole_milliseconds(tmp_path: Path) -> None:
    half = Continuum.from_units([Unit("A", 0.5, 2, "x")])
    with pytest.raises(DataError, match=r"0\.5 is not a whole number of milliseconds"):
        write(half, tmp_path / "a.eaf")
    seconds = Continuum.from_units([Unit("A", 0.5, 2, "x")], offset_unit="s")
    write(seconds, tmp_path / "a.eaf")
    assert spans(read(tmp_path / "a.eaf")) == [("A", 500, 2000, "x")]


def test_an_rttm_file_may_hold_several_recordings() -> None:
    corpus = read_corpus(FIXTURES / "rttm")
    # The end 1.1 + 2.2 is read as 3.3, not as 3.3000000000000003.
    assert spans(corpus["one"]) == [
        ("ann", 1.1, 3.3, "a"),
        ("ann", 3, 3.5, "b"),
        ("bob", 1, 3.5, "a"),
        ("bob", 4, 5, None),
    ]
    assert spans(corpus["two"]) == [("ann", 0, 5, "a")]


def test_rttm_with_annotators_in_the_file_field(tmp_path: Path) -> None:
    file = tmp_path / "talk.rttm"
    file.write_text("SPEAKER ann 1 0 2 <NA> <NA> x <NA> <NA>\n", encoding="utf-8")
    assert spans(read(file, file_is="annotator")) == [("ann", 0, 2, "x")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("SPEAKER one 1 0 -2 <NA> <NA> x <NA> <NA>", "duration -2 is negative"),
        ("SPEAKER one 1 0 x <NA> <NA> x <NA> <NA>", "onset or duration 'x' is not a number"),
        ("SPEAKER one 1 0 2 <NA> <NA> x", "line has 8 fields instead of 10"),
        ("SPEKER one 1 0 2 <NA> <NA> x <NA> <NA>", "line type 'SPEKER' is unknown"),
        ("LEXEME one 1 0 2 <NA> <NA> x <NA> <NA>", "file has no SPEAKER line"),
    ],
)
def test_malformed_rttm_is_an_error(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "a.rttm"
    file.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read(file)


def test_a_tier_added_in_elan_has_no_annotator_attribute(tmp_path: Path) -> None:
    path = tmp_path / "talk.eaf"
    write(Continuum.from_units([Unit("Ann", 1, 2, "x")], offset_unit="ms"), path)
    text = path.read_text(encoding="utf-8")
    own = text[text.index("<TIER") : text.index("</TIER>") + len("</TIER>")]
    added = own.replace('ANNOTATOR="Ann" ', "").replace('"Ann"', '"Bob"').replace('"a1"', '"a2"')
    path.write_text(text.replace(own, own + added), encoding="utf-8")
    assert spans(read(path)) == [("Ann", 1, 2, "x"), ("Bob", 1, 2, "x")]
    with pytest.raises(DataError, match=r"tier 'Bob' has no ANNOTATOR.*`layout="):
        read(path, tier="*")
