"""The checker `check_format`: every format passes, and broken ones are found."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gammacp import Continuum, Unit, read_corpus
from gammacp.formats import FORMATS
from gammacp.formats.registry import registered as registered_format
from gammacp.formats.source import Source
from gammacp.testing import check_format
from gammacp.tools import rttm
from tests.shapes.images import CALLS, COCO, CVAT, VOC
from tests.tools.story import FIXTURES, TOKENS, UNITS

SEGMENTS = [
    Unit("ann", 0, 2),
    Unit("ann", 2, 5),
    Unit("ann", 5, 6),
    Unit("bob", 0, 5),
    Unit("bob", 5, 6),
]
DOUBLED = [*UNITS, *UNITS]
LABELLED = [replace(u, category=u.category or "PRO") for u in UNITS]
# In these files, "New York" is marked as "New" and "York".
BROKEN = [
    replace(u, fragments=((17, 20), (21, 25))) if (u.start, u.end) == (17, 25) else u
    for u in LABELLED
]
TALK = [
    Unit("ann", 0.5, 1.5, "greet"),
    Unit("ann", 1.5, 2.5, "ask"),
    Unit("bob", 0.5, 2.5, "greet"),
]
BARE = [replace(u, category=None) for u in UNITS]


def scaled(by: float) -> list[Unit]:
    return [replace(u, start=u.start / by, end=u.end / by) for u in UNITS]


# Example file, units, and numbers of parts that are no units by kind, counted by hand in the files.
EXAMPLES: dict[str, tuple[str, list[Unit] | None, dict[str, int]]] = {
    "audacity": ("audacity", CALLS, {}),
    "argilla": ("argilla.json", UNITS, {"suggestion": 1, "answer": 2, "response": 1}),
    "arrow": ("story.parquet", UNITS, {}),
    "bids": ("bids", None, {"event": 2, "column": 2}),
    "bioc": ("story-bioc.xml", UNITS, {"infon": 6, "relation": 1}),
    "boris": (
        "story.boris",
        [
            Unit("first", 1.5, 4.25, "walk"),
            Unit("first", 2, 2, "jump"),
            Unit("second", 1.25, 2.5, "walk"),
        ],
        {"value": 7, "event": 1},
    ),
    "brat": ("brat", UNITS, {"attribute": 2, "note": 1}),
    "cas": ("cas", UNITS, {"annotation": 6}),
    "catma": ("catma", BROKEN, {"value": 6, "file": 5, "page": 2}),
    "catma-tei": ("catma-tei", BROKEN, {"value": 1, "file": 1}),
    "chat": (
        "chat",
        [
            Unit("ann", 0, 1500, "CHI"),
            Unit("ann", 1500, 2500, "MOT"),
            Unit("bob", 0, 1400, "CHI"),
        ],
        {"utterance": 2, "tier": 3},
    ),
    "coco": ("coco.json", COCO, {"keypoints": 1}),
    "conll": ("conll", TOKENS, {"column": 2}),
    "cvat": ("cvat", CVAT, {"attribute": 1, "ellipse": 1, "box": 1, "tag": 1}),
    "coreference": (
        "coreference",
        [
            Unit(a, i, i + 1)
            for a, i in (("ann", 0), ("ann", 2), ("ann", 3), ("bob", 0), ("bob", 3))
        ],
        {},
    ),
    "doccano": ("doccano", UNITS, {}),
    "elan": ("tiers.eaf", None, {"tier": 1, "annotation": 2}),
    "elan-table": ("elan-tiers.txt", TALK, {"line": 1, "column": 1}),
    "exmaralda": ("talk.exb", TALK, {}),
    "excel": ("story.xlsx", UNITS, {"sheet": 1}),
    "factgenie": ("factgenie.jsonl", LABELLED, {"flag": 2}),
    "glozz": (
        "story.aa",
        [*UNITS[:-1], Unit("bob", 28, 32, "PRO")],
        {"unit": 1, "value": 2, "relation": 1},
    ),
    "jams": ("story.jams", scaled(8), {}),
    "label-studio": ("label-studio.json", DOUBLED, {"annotation": 2, "region": 1}),
    "labelbuddy": ("labelbuddy", UNITS, {"extra data": 1}),
    "mqm": ("mqm.tsv", UNITS[:5], {"error": 2}),
    "mu-shroom": ("mu-shroom", BARE, {"label": 6}),
    "potato": ("potato", UNITS, {"label": 1}),
    "prodigy": ("prodigy.jsonl", UNITS, {"task": 2}),
    "pubannotation": ("pubannotation.json", UNITS, {"relation": 1}),
    "pubtator": ("pubtator", UNITS, {"concept": 6, "relation": 1}),
    "raven": ("raven", CALLS, {"row": 1}),
    "refi-qda": ("refi-qda", LABELLED, {"selection": 1, "source": 1}),
    "rs3": (
        "rs3",
        [
            *(Unit("ann", *ends) for ends in ((0, 13), (14, 27), (28, 39))),
            *(Unit("bob", *ends) for ends in ((0, 27), (28, 39))),
        ],
        {"group": 1},
    ),
    "rttm": ("rttm", None, {"line": 2}),
    "segeval": ("segeval.json", None, {}),
    "segmentation-table": ("segments.tsv", SEGMENTS, {}),
    "textgrid": ("MaureenMarvinRobin.TextGrid", None, {"interval": 7}),
    "voc": ("voc", VOC, {}),
    "web-annotation": ("web-annotation.jsonld", UNITS, {"body": 5}),
    "webanno": ("webanno", UNITS, {}),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_formats_pass_their_checker(name: str) -> None:
    example, units, left_out = EXAMPLES[name]
    path = FIXTURES / example
    expected = units or [u for c in read_corpus(path).values() for u in c]
    check_format(name, path, expected, left_out=left_out)


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_our_own_formats_pass_their_checker(tmp_path: Path, ending: str) -> None:
    contents = {
        "csv": "Ann,a,2,9\nBob,,3,9\n",
        "json": '{"gammacp": 1, "continuum": {"units": [["Ann", "a", 2, 9], ["Bob", null, 3, 9]]}}',
    }
    refused: dict[str, dict[str | bytes, int | None]] = {
        "csv": {"Ann,a,2,9\nBob,a,9,3\n": 2, "Ann,a,2\n": 1, b"Ann,a,2,9\nBob,\xff,2,9\n": 2},
        "json": {'{"gammacp": 1,\n}': 2, '{"gammacp": 1, "continuum": {}}': None},
    }
    file = tmp_path / f"a.{ending}"
    file.write_text(contents[ending], encoding="utf-8")
    units = [Unit("Ann", 2, 9, "a"), Unit("Bob", 3, 9, None)]
    check_format(ending, file, units, refused=refused[ending])


def test_every_format_is_checked() -> None:
    checked = {*EXAMPLES, "csv", "json", "pylidc", "review-list", "spacy"}
    assert checked == set(FORMATS), "give EXAMPLES a small file of each"


def _read(source: Source) -> Continuum:
    lines = source.text().splitlines()
    units = [Unit("A", *map(float, x.split())) for x in lines if re.fullmatch(r"\d+ \d+", x)]
    return Continuum.from_units([*units, Unit("B", 0, 1)], name=source.document)


def _write(document: Continuum, path: Path) -> None:
    path.write_text("".join(f"{u.start:.0f} {u.end:.0f}\n" for u in document if u.annotator == "A"))


def _register(
    extensions: tuple[str, ...] = (".broken",),
    sniff: Any = lambda _, path: path.suffix == ".broken",
    read: Any = _read,
    **changes: Any,
) -> None:
    conventions = {"offset_unit": "any", "annotators": "A and B", "category": "none"}
    registered_format(
        "broken", "broken", extensions, sniff, read, policy="none", **conventions, **changes
    )


@pytest.fixture
def registered() -> Iterator[Any]:
    yield _register
    FORMATS.unregister("broken")


def _raises(source: Source) -> Continuum:
    if source.text().count("\n") < 2:
        raise KeyError("no second line")
    return _read(source)


@pytest.mark.parametrize(
    ("changes", "left_out", "broken"),
    [
        ({}, {"line": 1}, "leaves out {} instead of {'line': 1}"),
        ({"sniff": lambda *_: False}, {}, "fails on its example"),
        ({"read": _raises}, {}, "raises KeyError on its example with damage"),
        ({"write": _write}, {}, "cannot read what it wrote"),
    ],
)
def test_broken_formats_are_found(
    tmp_path: Path, registered: Any, changes: Any, left_out: dict[str, int], broken: str
) -> None:
    registered(**changes)
    file = tmp_path / "a.broken"
    file.write_text("0 3\nno unit\n4 5\n", encoding="utf-8")
    units = [Unit("A", 0, 3), Unit("A", 4, 5), Unit("B", 0, 1)]
    with pytest.raises(AssertionError, match=f"format 'broken' {broken}"):
        check_format("broken", file, units, left_out=left_out)


def test_milliseconds_written_as_seconds_are_found(tmp_path: Path, registered: Any) -> None:
    def write_as_they_are(document: Continuum, path: Path) -> None:
        rttm.write(document.with_about(offset_unit=""), path)

    layout = "{annotator}/{document}"
    registered(read=lambda source: rttm.read(source), write=write_as_they_are, layout=layout)
    file = tmp_path / "Ann" / "a.broken"
    file.parent.mkdir()
    file.write_text("SPEAKER a 1 0.5 1 <NA> <NA> x <NA> <NA>\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"writes \{.*'Ann', 0.0, 0.003"):
        check_format("broken", file, [Unit("Ann", 0.5, 1.5, "x")])


def test_errors_must_have_the_declared_line(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("Ann,a,2,9\n", encoding="utf-8")
    units = [Unit("Ann", 2, 9, "a")]
    with pytest.raises(AssertionError, match="in line 2, not 1"):
        check_format("csv", file, units, refused={"Ann,a,2,9\nBob,a,9,3\n": 1})
    with pytest.raises(AssertionError, match="accepts"):
        check_format("csv", file, units, refused={"Ann,a,2,9\n": 1})
    with pytest.raises(AssertionError, match="does not read"):
        check_format("csv", file, [*units, *units])
    with pytest.raises(AssertionError, match="which is not there"):
        check_format("csv", file, [])


def test_formats_of_extensions_take_precedence(tmp_path: Path, registered: Any) -> None:
    registered(sniff=lambda head, _: head.startswith(b"0 3"), extensions=(".csv",))
    (tmp_path / "a.csv").write_text("0 3\n4 5\n", encoding="utf-8")
    assert read_corpus(tmp_path / "a.csv")["a"].n_units == 3
