"""BioC, PubTator and PubAnnotation: offsets in the document, and errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from gammacp.errors import DataError
from gammacp.formats import read, read_corpus

XML = """<?xml version="1.0"?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection><source/><date/><key/>
<document><id>7</id>
<passage><offset>0</offset><text>Tricuspid valve.</text></passage>
<passage><offset>18</offset><text>It leaks badly.</text>
<annotation id="1"><infon key="type">Sign</infon>
<location offset="{at}" length="5"/><text>leaks</text></annotation>
<annotation id="2"><infon key="type">Sign</infon><infon key="annotator">Eve</infon>
<location offset="0" length="9"/><location offset="27" length="5"/>
<text>x [...] y</text></annotation>
</passage></document></collection>
"""


def test_offsets_are_those_of_the_document(tmp_path: Path) -> None:
    """The text has two blanks between the passages, which the offsets count."""
    path = tmp_path / "Ann.xml"
    path.write_text(XML.format(at=21))
    found = read_corpus(path)["7"]
    assert found.text == "Tricuspid valve.  It leaks badly."
    rows = [(u.annotator, u.category, u.start, u.end, u.fragments) for u in found]
    assert rows == [
        ("Ann", "Sign", 21, 26, ()),
        ("Eve", "Sign", 0, 32, ((0, 9), (27, 32))),
    ]
    assert {*read(path, discontinuous="split").starts} == {0, 21, 27}


def test_a_file_whose_annotations_name_people_names_no_annotator(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(bioc(infons={"type": "A", "annotator": "Eve"}))
    assert read(path).annotators == ("Eve",)
    path.write_text(bioc())
    assert read(path).annotators == ("export",)


def test_offsets_of_the_passage_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "Ann.xml"
    path.write_text(XML.format(at=3))
    with pytest.raises(DataError, match=r"Ann\.xml:7: annotation 1 of document 7: 'leaks'"):
        read(path)


def bioc(**changes: Any) -> str:
    annotation = {"id": "1", "infons": {"type": "A"}, "text": "b", "locations": [
        {"offset": 2, "length": 1}], **changes}  # fmt: skip
    passage = {"offset": 0, "text": "a b", "annotations": [annotation]}
    return json.dumps({"source": "x", "documents": [{"id": "7", "passages": [passage]}]})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", bioc(locations=[]), "annotation 1 of document 7 has no location"),
        ("a.json", bioc(locations=[{"offset": "2", "length": 1}]), "\"offset\" '2' is not a whole"),
        ("a.json", bioc(text="", locations=[{"offset": 2, "length": 9}]), "lies beyond the text"),
        ("a.xml", XML.replace("<id>7</id>", "").format(at=21), r":4: <document> has no <id>"),
        ("a.xml", XML.replace('BioC.dtd"', "BioC.dtd\" [<!ENTITY a 'b'>]"), r":2: XML has a docu"),
        (
            "a.pubtator",
            "1|t|Aspirin\n1|a|helps\n1\t0\t7\tIbuprofen\tDrug\n",
            ":3: mention: 'Ibupro",
        ),
        ("a.pubtator", "1|t|Aspirin\n1|t|Again\n", r":2: document 1 has two lines \|t\|"),
        ("a.pubtator", "1|t|Aspirin\n2\t0\t7\tAspirin\tDrug\n", ":2: line is of no document"),
        ("a.pubtator", "1|t|Aspirin\n1\t0\n", ":2: line has 2 cells"),
        ("a.pubtator", "1|t|Aspirin\n1\tx\t7\tAspirin\tDrug\n", ":2: position 'x' is not"),
        (
            "a.json",
            '{"text": "ab", "denotations": [{"id": "T1", "span": {"begin": 0}, "obj": "x"}]}',
            "denotation T1: position None is not a number",
        ),
    ],
)
def test_errors_have_a_place_and_a_cause(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_corpus(path)


def test_discontinuous_denotations(tmp_path: Path) -> None:
    path = tmp_path / "Ann.json"
    span = [{"begin": 0, "end": 1}, {"begin": 4, "end": 5}]
    path.write_text(json.dumps({"text": "a b c", "denotations": [{"span": span, "obj": "x"}]}))
    (unit,) = read(path)
    assert (unit.annotator, unit.fragments) == ("Ann", ((0, 1), (4, 5)))
