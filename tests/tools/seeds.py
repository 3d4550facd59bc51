"""Sound files of every format, from which damaged ones are made."""

import shutil
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from gammacp import Continuum, Corpus, Unit, UsageError, read, write
from gammacp.base.record_tables import Column, Table
from gammacp.campaign.review_list import write_review
from gammacp.continuum import Label
from tests.fuzzing import Seed
from tests.shapes.databases import lidc
from tests.tools.story import FIXTURES


def _seed(what: str, inside: str = "", **options: tuple[Any, ...]) -> Seed:
    asked = ({name: value} for name, values in options.items() for value in values)
    return Seed(what, f"{what}/{inside}" if inside else what, ({}, *asked))


_PIECES = ("cover", "split")

_SHAPES = ("keep", "box", "no")

SEEDS = {
    "audacity": _seed("audacity", "ann/dawn.labels.txt", shapes=_SHAPES),
    "argilla": _seed("argilla.json", predictions=("yes",), include=("unfinished",)),
    "arrow": _seed("story.parquet", discontinuous=_PIECES),
    "bids": _seed("bids", "bob/sub-01_task-x_events.tsv", feature=("response_time",)),
    "boris": _seed("story.boris", category=("subject+modifiers",), annotator=("observer",)),
    "boris table": _seed("boris-tabular.tsv", category=("subject",), annotator=("observer",)),
    "brat": _seed("brat", "bob/story.ann", discontinuous=_PIECES, features=(["Confidence"],)),
    "brat parts": _seed("parts", "ann/story.ann", discontinuous=_PIECES),
    "brat text": _seed("brat", "bob/story.txt"),
    "chat": _seed("chat", "ann/talk.cha", category=("text", "spa")),
    "cas json": _seed("cas", "story/bob.json", feature=("value",), features=(["value"],)),
    "cas xmi": _seed("cas", "story/ann.xmi", feature=("value",), features=(["value"],)),
    "catma": _seed("catma", "collections/C_bob/annotations/bob_0.json", discontinuous=_PIECES),
    "catma-tei": _seed("catma-tei", "story/annotationcollections/bob.xml", discontinuous=_PIECES),
    "coco": _seed("coco.json", shapes=_SHAPES, rater=("annotator",)),
    "conll": _seed("conll", "ann/story.conll", feature=("2",)),
    "coreference": _seed("coreference", "ann/story.conll", discontinuous=_PIECES),
    "csv": _seed("made.csv"),
    "csv header": _seed("rich.csv", features=(["sure"],), discontinuous=_PIECES),
    "cvat": _seed("cvat", "bob/annotations.xml", shapes=_SHAPES),
    "doccano": _seed("doccano", "ann.jsonl"),
    "elan": _seed("tiers.eaf", tier=("{annotator}", "*-{annotator}")),
    "factgenie": _seed("factgenie.jsonl"),
    "elan-table": _seed("elan-tiers.txt", tier=("a*",)),
    "exmaralda": _seed("talk.exb", tier=("{annotator}",)),
    "excel": _seed("story.xlsx", sheet=("Blatt1",)),
    "bioc": _seed("story-bioc.xml", discontinuous=_PIECES, feature=("type",)),
    "glozz": _seed("story.aa"),
    "jams": _seed("story.jams", layer=("segment_open",)),
    "json": _seed("made.json"),
    "json rich": _seed("rich.json", discontinuous=_PIECES),
    "label-studio": _seed(
        "label-studio.json", predictions=("yes",), labels=("join",), features=(["sentiment"],)
    ),
    "labelbuddy": _seed("labelbuddy", "ann.jsonl", document=("key",)),
    "mqm": _seed("mqm.tsv", side=("source", "target"), category=("severity",)),
    "mu-shroom": _seed("mu-shroom", "bob.jsonl", labels=("soft",), least=("0.5",)),
    "potato": _seed("potato", "ann/annotated_instances.jsonl", discontinuous=_PIECES),
    "potato state": _seed("potato-state", "ann/user_state.json", include=("unfinished",)),
    "prodigy": _seed("prodigy.jsonl"),
    "pubannotation": _seed("pubannotation.json", discontinuous=_PIECES),
    "pubtator": _seed("pubtator", "ann.pubtator"),
    "pylidc": _seed("lidc.sqlite", shapes=("box", "keep"), features=(["malignancy"],)),
    "raven": _seed("raven", "bob/dawn.selections.txt", shapes=_SHAPES),
    "refi-qda": _seed("refi-qda", "project.qde"),
    "review-list": _seed("made.xlsx"),
    "rttm": _seed("rttm", "ann/all.rttm", file_is=("document",)),
    "rs3": _seed("rs3", "ann/story.rs3"),
    "segeval": _seed("segeval.json"),
    "segmentation-table": _seed("segments.tsv"),
    "textgrid": _seed("MaureenMarvinRobin.TextGrid", tier=("{annotator}",)),
    "voc": _seed("voc", "ann/park.xml", shapes=_SHAPES),
    "web-annotation": _seed("web-annotation.jsonld", discontinuous=_PIECES),
    "webanno": _seed("webanno", "story/ann.tsv", feature=("value",), features=(["value"],)),
    "webanno slots": _seed("slots.tsv", layer=("x.Frame",), features=(["links", "links.target"],)),
    "zip": _seed("project.zip"),
}

_SLOTS = r"""#FORMAT=WebAnno TSV 3.3
#T_SP=x.Frame|kind|ROLE_x.Frame:links_x.FrameLink|x.Role
#T_CH=x.Coref|referenceType|referenceRelation
#T_RL=x.Dep|kind|BT_x.Frame


#Text=Ann met\tBob
1-1	0-3	Ann	a\|b[1]|c[2]	p1;p2|_	1-2;1-3[3]|_	x->1	*->1	_	_
1-2	4-7	met	a\|b[1]	p1;p2	1-2;1-3[3]	y->1	*->2	subj	1-1[1_0]
1-3	8-11	Bob	e\\[3]	*	1-1	_	_	_	_
1-3.1	8-9	B	_	_	_	_	_	_	_
"""

_HEADER = """# bounds: 0 50 one
# offset unit: s
continuum,annotator,category,start,end,sure,fragments
one,Ann,a,2,9,yes,2 4;6 9
one,Bob,"b,c",3,9.5,,
two,Bob,,3,3,no,
two,Ann,,,,,
"""


def seeded(folder: Path) -> Path:
    """Write the files of `SEEDS` into a folder: the fixtures, and files of our writers."""
    shutil.copytree(FIXTURES, folder)
    made = read(FIXTURES / "MaureenMarvinRobin.eaf")
    for name in ("made.csv", "made.json"):
        write(made, folder / name)
    a, b = Label("a", {"sure": "yes"}), Label(None, {"sure": "no"})
    rich = {
        "one": Continuum.from_units([Unit("Ann", 0, 9, a, ((0, 3), (5, 9))), Unit("Bob", 2, 4, b)]),
        "two": Continuum.from_units([Unit("Bob", 0.5, 0.5)], bounds=(0, 1), offset_unit="s"),
    }
    write(Corpus.from_continua(rich), folder / "rich.json")
    parts = Unit("ann", 0, 9, "x", ((0, 3), (5, 9)))
    write(Continuum.from_units([parts], name="story"), folder / "parts", format="brat")
    lidc(folder / "lidc.sqlite")
    (folder / "rich.csv").write_text(_HEADER, encoding="utf-8")
    (folder / "slots.tsv").write_text(_SLOTS, encoding="utf-8")
    with suppress(UsageError):  # Without openpyxl this file cannot be written.
        _write_list(folder / "made.xlsx")
    with zipfile.ZipFile(folder / "project.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("ann.xmi", "bob.json"):
            archive.write(folder / "cas" / "story" / name, f"annotation/story/{name}")
    return folder


def _write_list(path: Path) -> None:
    columns = [Column(name, name) for name in ("start", "end", "category", "kept")]
    sides = {"start": 0, "end": 3, "category": "x"}
    rows = [{"file": "d", **sides, "kept": kept, "units": {"Ann": sides}} for kept in ("yes", "no")]
    gold = Continuum.from_units([Unit("consensus", 0, 3, "x")], text="abcde", bounds=(0, 5))
    write_review(path, Table(tuple(columns), rows), {"d": gold})
