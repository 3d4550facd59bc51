"""Damaged and hostile files of every format, from seeds: what readers and sniffers must survive."""

import copy
import io
import json
import random
import re
import shutil
import signal
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any
from xml.sax.saxutils import escape

from gammacp import Continuum, Corpus, DataError, Unit, UsageError, read, write
from gammacp.base.record_tables import Column, Table
from gammacp.campaign.review_list import write_review
from gammacp.continuum import Label
from gammacp.formats import FORMATS, collect
from gammacp.formats.boundary import unforeseen_raised
from tests.shapes.databases import lidc
from tests.tools.story import FIXTURES

Damage = Callable[[bytes, random.Random, list[bytes]], bytes]


@dataclass(frozen=True)
class Seed:
    """What is read, which of its files is damaged, and what the reader may be asked for."""

    what: str
    file: str
    options: tuple[Mapping[str, Any], ...] = ({},)


def _seed(what: str, inside: str = "", **options: tuple[Any, ...]) -> Seed:
    asked = ({name: value} for name, values in options.items() for value in values)
    return Seed(what, f"{what}/{inside}" if inside else what, ({}, *asked))


_PIECES = ("cover", "split")
_SHAPES = ("keep", "box", "no")
SEEDS = {
    "audacity": _seed("audacity", "ann/dawn.labels.txt", shapes=_SHAPES),
    "arrow": _seed("story.parquet", discontinuous=_PIECES),
    "bids": _seed("bids", "bob/sub-01_task-x_events.tsv", feature=("response_time",)),
    "boris": _seed("story.boris", category=("subject+modifiers",), annotator=("observer",)),
    "boris table": _seed("boris-tabular.tsv", category=("subject",), annotator=("observer",)),
    "brat": _seed("brat", "bob/story.ann", discontinuous=_PIECES, features=(["Confidence"],)),
    "brat parts": _seed("parts", "ann/story.ann", discontinuous=_PIECES),
    "brat text": _seed("brat", "bob/story.txt"),
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
    "glozz": _seed("story.aa"),
    "jams": _seed("story.jams", layer=("segment_open",)),
    "json": _seed("made.json"),
    "json rich": _seed("rich.json", discontinuous=_PIECES),
    "label-studio": _seed(
        "label-studio.json", predictions=("yes",), labels=("join",), features=(["sentiment"],)
    ),
    "mqm": _seed("mqm.tsv", side=("source", "target"), category=("severity",)),
    "mu-shroom": _seed("mu-shroom", "bob.jsonl", labels=("soft",), least=("0.5",)),
    "prodigy": _seed("prodigy.jsonl"),
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
"""By format, and where it has several kinds of files by the kind."""

# What stumbles in text: blanks that are none, marks, line ends of other alphabets, halves of pairs,
# what ends or begins something in one of the formats, numbers without end, names without end.
_ODD = [
    *("\u00a0", "\n\u00a0\n", "\ufeff", "\u2028", "\x85", "\x1c", "\0", "\u202e", "😊", "e\u0301"),
    *('"', "'", "\\", "\t", "\r", "\n\n", "#", "[", "]", "{", "}", "(", ")", "<", ">", "&", "&#0;"),
    *(";", "|", ",", "::", "->", "_", "*", "-", "../", "%s", "{0}", "[1]", "-1", "1e400", "1e308"),
    *("9" * 400, "9" * 5000, "9007199254740993", "NaN", "-Infinity", "१", "0x1f", "1_000"),
    "1" * 40 + "x",
    *("", " " * 300, "\n" * 300, "a" * 300, "/a" * 300, "null", "[]", "{}", "# bounds: 1 2\n"),
    *("[" * 3000, "[" * 3000 + "]" * 3000, "<a>" * 1500 + "</a>" * 1500, '{"a":' * 2000, "(" * 999),
]  # fmt: skip
_HALF = "\ud800".encode("utf-8", "surrogatepass")
_VALUES: list[Any] = [
    *(None, True, False, "", "x", "x" * 300, "\ud800", "\u00a0", "1", "-1", "a/../b", 0, -1, 0.5),
    *(10**400, 2**53 + 1, 1e308, float("nan"), float("inf"), [], [1], [[1]], [None], [{}], ["x"]),
    *({}, {"id": [1]}, {"a": {"b": 1}}, [0, 1], [1, 0, "x"], {"start": 1, "end": 0}),
]  # fmt: skip
_TOKEN = re.compile(rb'[^\s,;:"<>=\[\]{}()|/]+')


_NESTED: Any = []
for _ in range(450):
    _NESTED = [_NESTED]
_VALUES += [_NESTED]


def flipped(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """Bits are."""
    damaged = bytearray(content)
    for _ in range(r.randint(1, 4)):
        damaged[r.randrange(len(damaged))] ^= 1 << r.randrange(8)
    return bytes(damaged)


def truncated(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """The end is missing."""
    return content[: r.randrange(len(content))]


def cut(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """A piece is missing."""
    start = r.randrange(len(content))
    return content[:start] + content[start + r.randint(1, 40) :]


def repeated(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """A piece, or some lines, are there again."""
    lines = content.splitlines(keepends=True)
    if r.random() < 0.5 and len(lines) > 2:
        at = r.randrange(len(lines))
        return b"".join([*lines[: at + 1], *lines[r.randrange(at + 1) :]])
    start = r.randrange(len(content))
    return content[: start + r.randint(1, 40)] + content[start:]


def filled(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """Random bytes are between."""
    start = r.randrange(len(content))
    return content[:start] + r.randbytes(3) + content[start:]


def spliced(content: bytes, r: random.Random, others: list[bytes]) -> bytes:
    """A piece of another file is inside."""
    other = r.choice(others)
    start, end = sorted(r.randrange(len(other) + 1) for _ in range(2))
    at, to = sorted(r.randrange(len(content) + 1) for _ in range(2))
    return content[:at] + other[start:end] + content[r.choice((at, to)) :]


def odd(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """Something odd is between, or in the place of a word or a number."""
    piece = r.choice([*(x.encode() for x in _ODD), _HALF])
    places = list(_TOKEN.finditer(content))
    if places and r.random() < 0.7:
        place = r.choice(places)
        return content[: place.start()] + piece + content[place.end() :]
    at = r.randrange(len(content) + 1)
    return content[:at] + piece + content[at:]


def recoded(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """It is of another encoding."""
    coding = r.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32", "latin-1"])
    return content.decode("utf-8", "replace").encode(coding, "replace")


def pumped(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """A character is there again and again, and then one that does not fit."""
    at = r.randrange(len(content))
    return content[:at] + content[at : at + 1] * r.choice((40, 60_000)) + b"x" + content[at:]


def exchanged(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """A word or a number is in the place of another one."""
    places = list(_TOKEN.finditer(content))
    if not places:
        return content
    here, there = r.choice(places), r.choice(places)
    return content[: here.start()] + there[0] + content[here.end() :]


def replaced(content: bytes, r: random.Random, others: list[bytes]) -> bytes:
    """A value of JSON or an attribute of XML is another one, or a part of it is not there."""
    attributes = [*re.finditer(rb'\s[\w:.]{1,40}="([^"]{0,4000})"', content)]
    if content.lstrip().startswith(b"<") and attributes:
        return _other_element(content, r, attributes)
    lines = content.split(b"\n")
    for begin, end in ((0, len(lines)), (at := r.randrange(len(lines)), at + 1)):
        with suppress(ValueError, RecursionError):
            root = json.loads(b"\n".join(lines[begin:end]))
            for _ in range(r.choice((1, 1, 2))):
                root = _changed(root, r)
            made = json.dumps(root, ensure_ascii=False, indent=r.choice((None, 1)))
            middle = made.encode("utf-8", "surrogatepass")
            return b"\n".join([*lines[:begin], middle, *lines[end:]])
    return odd(content, r, others)


def _other_element(content: bytes, r: random.Random, attributes: list[re.Match[bytes]]) -> bytes:
    value = escape(r.choice(_ODD[:-5]).replace("\0", "")).replace('"', "'").encode()
    leaves = [*re.finditer(rb"<(\w{1,40})[^<>]{0,400}(?:/>|>[^<]{0,400}</\1>)", content)]
    if r.random() < 0.6 or not leaves:
        place = r.choice(attributes)
        start, end = place.span(r.choice((0, 1, 1, 1)))
        return content[:start] + (value if start > place.start() else b"") + content[end:]
    place, depth = r.choice(leaves), r.choice((1, 60, 1500))
    kinds = [b"", 2 * place[0], value, b"<a>" * depth + place[0] + b"</a>" * depth]
    return content[: place.start()] + r.choice(kinds) + content[place.end() :]


def _changed(root: Any, r: random.Random) -> Any:
    places = list(_places(root))
    if not places:
        return r.choice(_VALUES)
    holder, key = r.choice(places)
    if isinstance(holder, dict) and r.random() < 0.2:
        holder[r.choice(["", "x", "id", "label", "text"])] = holder.pop(key)
    elif r.random() < 0.2:
        del holder[key]
    else:
        other, there = r.choice(places)
        holder[key] = copy.deepcopy(r.choice([*_VALUES, *[other[there]] * 5]))
    return root


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        yield value, key
        yield from _places(value[key])


def packed(content: bytes, r: random.Random, others: list[bytes]) -> bytes:
    """A file inside is damaged, or has another name; no archive gets something odd."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return odd(content, r, others)
    out = io.BytesIO()
    with (
        suppress(zipfile.BadZipFile),
        zipfile.ZipFile(io.BytesIO(content)) as before,
        zipfile.ZipFile(out, "w") as after,
    ):
        names = before.namelist()
        chosen = r.choice(names)
        for name in names:
            data, now = before.read(name), name
            if name == chosen and r.random() < 0.2:
                now = name + r.choice(["/", "x" * 300, ".zip", "\u00a0.json", "/../a.csv"])
            elif name == chosen and data:
                data = r.choice(DAMAGES[:-1])(data, r, others)
            after.writestr(now, data)
    return out.getvalue()


DAMAGES: list[Damage] = [
    *(flipped, truncated, cut, repeated, filled, spliced, odd, odd, exchanged, exchanged, recoded),
    *(pumped, replaced, replaced, replaced, replaced, packed),
]  # fmt: skip
ENDINGS = sorted({ending for _, entry in FORMATS.items() for ending in entry.extensions} | {".zip"})


class TooLongError(BaseException):
    """A reader took more processor time than it may: nothing in it catches this."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Within, more processor time than that is a `TooLongError`, and so is waiting for ever."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError(f"more than {seconds:g} s")

    kinds = {signal.ITIMER_PROF: signal.SIGPROF, signal.ITIMER_REAL: signal.SIGALRM}
    before = {number: signal.signal(number, end) for number in kinds.values()}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 60 * seconds)
    try:
        yield
    finally:
        for timer in kinds:
            signal.setitimer(timer, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


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
    """A folder in which `SEEDS` are: the fixtures, and what our writers make of one of them."""
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
    with suppress(UsageError):  # Without openpyxl there is no such file.
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


def read_one(what: Path, options: Mapping[str, Any]) -> None:
    """Read it as an export; what is found is sound, or told."""
    try:
        found = collect([what], **options)
    except (DataError, UsageError):
        return
    for continuum in found.continua.values():
        assert (continuum.ends >= continuum.starts).all()
        if continuum.text is not None and continuum.offset_unit == "characters":
            assert continuum.bounds[0] >= 0
            assert continuum.bounds[1] <= len(continuum.text)


@dataclass
class Fuzzing:
    """Damaged files of the seeds in a folder, one after the other, and what came of each."""

    folder: Path
    seeds: Mapping[str, Seed] = field(default_factory=lambda: SEEDS)
    seconds: float = 5.0
    check: Callable[[Path, Mapping[str, Any]], None] = read_one

    def __post_init__(self) -> None:
        """Look at the whole files once."""
        self.seeds = {n: s for n, s in self.seeds.items() if (self.folder / s.file).exists()}
        self.whole = {n: (self.folder / s.file).read_bytes() for n, s in self.seeds.items()}
        self.others = list(self.whole.values())

    def attempt(self, name: str, number: int) -> None:
        """Read a damaged file: a DataError or a sound continuum, within the time, or it raises."""
        seed, r = self.seeds[name], random.Random(f"{name} {number}")
        damage = DAMAGES[number % len(DAMAGES)]
        if self.whole[name].startswith(b"PK") and r.random() < 0.8:
            damage = packed
        damaged = damage(self.whole[name], r, self.others)
        if damaged and r.random() < 0.3:
            damaged = r.choice(DAMAGES[:-1])(damaged, r, self.others)
        file, what = self.folder / seed.file, self.folder / seed.what
        options = r.choice(seed.options)
        if alone := r.random() < 0.2:
            what = file = self.folder / f"alone{r.choice(ENDINGS)}"
            options = {}
        try:
            file.write_bytes(damaged)
            with at_most(self.seconds), unforeseen_raised():
                self.check(what, options)
        except Exception as error:
            error.add_note(f"{name} {number} {options} {file}")
            raise
        finally:
            if alone:
                file.unlink()
            else:
                file.write_bytes(self.whole[name])
