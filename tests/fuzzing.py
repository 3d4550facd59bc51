"""Damaged and hostile files of every format, made from seeds."""

import copy
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from gammacp import DataError, UsageError
from gammacp.formats import FORMATS, collect
from gammacp.formats.boundary import unforeseen_raised
from tests.limits import at_most

Damage = Callable[[bytes, random.Random, list[bytes]], bytes]


@dataclass(frozen=True)
class Seed:
    """Path that is read, its file that is damaged, and options of the reader."""

    what: str
    file: str
    options: tuple[Mapping[str, Any], ...] = ({},)


# Text that trips readers: unusual blanks, byte order marks, foreign line ends, half surrogate
# pairs, delimiters of the formats, endless numbers and endless names.
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
    """Flip some bits."""
    damaged = bytearray(content)
    for _ in range(r.randint(1, 4)):
        damaged[r.randrange(len(damaged))] ^= 1 << r.randrange(8)
    return bytes(damaged)


def truncated(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """Cut off the end."""
    return content[: r.randrange(len(content))]


def cut(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """Cut out a piece."""
    start = r.randrange(len(content))
    return content[:start] + content[start + r.randint(1, 40) :]


def repeated(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """Repeat a piece or some lines."""
    lines = content.splitlines(keepends=True)
    if r.random() < 0.5 and len(lines) > 2:
        at = r.randrange(len(lines))
        return b"".join([*lines[: at + 1], *lines[r.randrange(at + 1) :]])
    start = r.randrange(len(content))
    return content[: start + r.randint(1, 40)] + content[start:]


def filled(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """Insert random bytes."""
    start = r.randrange(len(content))
    return content[:start] + r.randbytes(3) + content[start:]


def spliced(content: bytes, r: random.Random, others: list[bytes]) -> bytes:
    """Insert a piece of another file."""
    other = r.choice(others)
    start, end = sorted(r.randrange(len(other) + 1) for _ in range(2))
    at, to = sorted(r.randrange(len(content) + 1) for _ in range(2))
    return content[:at] + other[start:end] + content[r.choice((at, to)) :]


def odd(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """Insert something odd, or put it in the place of a word or a number."""
    piece = r.choice([*(x.encode() for x in _ODD), _HALF])
    places = list(_TOKEN.finditer(content))
    if places and r.random() < 0.7:
        place = r.choice(places)
        return content[: place.start()] + piece + content[place.end() :]
    at = r.randrange(len(content) + 1)
    return content[:at] + piece + content[at:]


def recoded(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """Change the encoding."""
    coding = r.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32", "latin-1"])
    return content.decode("utf-8", "replace").encode(coding, "replace")


def pumped(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """Repeat a character very often, followed by one that does not fit."""
    at = r.randrange(len(content))
    return content[:at] + content[at : at + 1] * r.choice((40, 60_000)) + b"x" + content[at:]


def exchanged(content: bytes, r: random.Random, _others: list[bytes]) -> bytes:
    """Put a word or a number in the place of another one."""
    places = list(_TOKEN.finditer(content))
    if not places:
        return content
    here, there = r.choice(places), r.choice(places)
    return content[: here.start()] + there[0] + content[here.end() :]


def replaced(content: bytes, r: random.Random, others: list[bytes]) -> bytes:
    """Change or remove a value of JSON or an attribute of XML."""
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
    """Damage or rename a file in an archive; in a file that is no archive, insert something odd."""
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


def read_one(what: Path, options: Mapping[str, Any]) -> None:
    """Read an export, and check that it gives sound continua or an expected error."""
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
    """Runs over damaged files of the seeds in a folder."""

    folder: Path
    seeds: Mapping[str, Seed]
    seconds: float = 5.0
    check: Callable[[Path, Mapping[str, Any]], None] = read_one

    def __post_init__(self) -> None:
        """Read the undamaged files once."""
        self.seeds = {n: s for n, s in self.seeds.items() if (self.folder / s.file).exists()}
        self.whole = {n: (self.folder / s.file).read_bytes() for n, s in self.seeds.items()}
        self.others = list(self.whole.values())

    def attempt(self, name: str, number: int) -> None:
        """Read a damaged file in time: a sound continuum or a DataError, or raise an exception."""
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
