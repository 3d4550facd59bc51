"""The native JSON format: everything that a Continuum or a Corpus holds, without loss.

One object with the key "gammacp" (the version of the format) and either "continuum" or "corpus":

    {"gammacp": 1, "continuum": {"name": "…", "offset_unit": "s", "bounds": [0, 9.5],
     "annotators": ["Ann", "Bob"], "categories": ["a"], "text": null,
     "units": [["Ann", "a", 2, 9], ["Bob", null, 3, 9.5]]}}

Units are rows annotator, category (null: unlabelled), start, end. "bounds", "annotators",
"categories", "name", "offset_unit" and "text" may be left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.files import write_text
from gammacp.formats.positions import LARGEST, written
from gammacp.formats.registry import Format, register
from gammacp.formats.source import Source
from gammacp.left_out import Tally

_VERSION = 1
_KEYS = {"name", "offset_unit", "text", "bounds", "annotators", "categories", "units"}
_START = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"gammacp"\s*:')


def read(source: Source) -> Continuum | Corpus:
    """The continuum or corpus of a native JSON file.

    Raises
    ------
    DataError
        A key is missing or of the wrong kind, or a unit is not four fields in order.

    Notes
    -----
    Positions
        any (stored)
    Annotators
        stored, also those without units
    Category
        stored; null is unlabelled
    Spans
        everything is kept as it is
    """
    root = source.json()
    if not isinstance(root, dict) or "gammacp" not in root:
        raise source.error('JSON has no key "gammacp"', hint="Is it another tool's export?")
    if root["gammacp"] != _VERSION:
        raise source.error(f"version {root['gammacp']!r} of the format is not {_VERSION}")
    tally = Tally(source.place)
    _others(tally, root, {"gammacp", "continuum" if "continuum" in root else "corpus"})
    document: Continuum | Corpus
    try:
        if "continuum" in root:
            entry = _object(root["continuum"], "continuum")
            document = _continuum(entry, source.document, tally)
        else:
            document = _corpus(_object(root.get("corpus"), "corpus"), tally)
    except DataError as error:
        raise error.at(source.place) from None
    return replace(document, left_out=tally.entries())


def _others(tally: Tally, entry: Mapping[str, object], known: set[str]) -> None:
    for key in entry.keys() - known:
        tally.add("key", f"{key} is not part of the format")


def _corpus(corpus: Mapping[str, object], tally: Tally) -> Corpus:
    _others(tally, corpus, {"categories", "continua"})
    continua: dict[str, Continuum] = {}
    for i, entry in enumerate(_list(corpus.get("continua"), "continua")):
        continuum = _continuum(_object(entry, f"continuum {i + 1}"), str(i + 1), tally)
        if continuum.name in continua:
            raise DataError(f"continuum {continuum.name!r} occurs twice")
        continua[continuum.name] = continuum
    return Corpus.from_continua(continua, categories=_names(corpus, "categories"))


def _continuum(entry: Mapping[str, object], default_name: str, tally: Tally) -> Continuum:
    _others(tally, entry, _KEYS)
    rows = _list(entry.get("units"), "units")
    units = [_row(row, i) for i, row in enumerate(rows)]
    text = entry.get("text")
    if not isinstance(text, str | None):
        raise DataError('"text" is not a string')
    bounds = entry.get("bounds")
    return Continuum.from_columns(
        [u[0] for u in units],
        [u[1] for u in units],
        [u[2] for u in units],
        [u[3] for u in units],
        annotators=_names(entry, "annotators"),
        categories=_names(entry, "categories"),
        bounds=None if bounds is None else _pair(bounds),
        name=str(entry.get("name", default_name)),
        offset_unit=str(entry.get("offset_unit", "")),
        text=text,
    )


def _row(row: object, index: int) -> tuple[str, str | None, float, float]:
    if not isinstance(row, list) or len(row) != 4:
        raise DataError(f"unit {index + 1} is not [annotator, category, start, end]")
    annotator, category, start, end = row
    if not isinstance(annotator, str) or not isinstance(category, str | None):
        raise DataError(f"unit {index + 1}: annotator or category is not a string")
    if not (_is_position(start) and _is_position(end)):
        raise DataError(f"unit {index + 1}: start or end is not a number up to 2^53")
    if end < start:
        raise DataError(f"unit {index + 1}: end {end} < start {start}")
    return annotator, category, start, end


def _is_position(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and -LARGEST <= value <= LARGEST  # type: ignore[operator]


def _pair(value: object) -> tuple[float, float]:
    if isinstance(value, list) and len(value) == 2 and all(_is_position(v) for v in value):
        return value[0], value[1]
    raise DataError('"bounds" is not [start, end]')


def _names(entry: Mapping[str, object], key: str) -> list[str] | None:
    if key not in entry:
        return None
    names = _list(entry[key], key)
    if not all(isinstance(n, str) for n in names):
        raise DataError(f'"{key}" is not a list of strings')
    return [str(n) for n in names]


def _list(value: object, what: str) -> list[object]:
    if not isinstance(value, list):
        raise DataError(f'"{what}" is missing or not a list')
    return value


def _object(value: object, what: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise DataError(f'"{what}" is missing or not an object')
    return value


def write(document: Continuum | Corpus, path: Path) -> None:
    """Write a continuum or a corpus; one unit per line."""
    if isinstance(document, Continuum):
        body = f'{{"gammacp": {_VERSION}, "continuum": {_entry(document)}}}\n'
    else:
        entries = ",\n".join(_entry(c) for c in document.values())
        categories = _json(list(document.categories))
        body = (
            f'{{"gammacp": {_VERSION}, "corpus": {{"categories": {categories}, '
            f'"continua": [\n{entries}\n]}}}}\n'
        )
    write_text(path, body)


def _entry(c: Continuum) -> str:
    # ASCII escapes keep lone surrogates, which UTF-8 cannot.
    rows = ",\n".join(
        f"[{_json(u.annotator)}, {_json(u.category)}, {written(u.start)}, {written(u.end)}]"
        for u in c
    )
    lo, hi = c.bounds
    head = {"name": c.name, "offset_unit": c.offset_unit, "text": c.text}
    parts = [f"{_json(key)}: {_json(value)}" for key, value in head.items()]
    parts += [
        f'"bounds": [{written(lo)}, {written(hi)}]',
        f'"annotators": {_json(list(c.annotators))}',
        f'"categories": {_json(list(c.categories))}',
        f'"units": [\n{rows}\n]',
    ]
    return "{" + ", ".join(parts) + "}"


def _json(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _sniff(head: bytes, _path: Path) -> bool:
    return _START.match(head) is not None


FORMAT = register(
    Format(
        name="json",
        title="gammacp JSON",
        extensions=(".json",),
        sniff=_sniff,
        read=read,
        write=write,
        many=True,
        bounds=True,
        text=True,
    )
)
