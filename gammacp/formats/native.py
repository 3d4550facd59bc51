"""The native JSON format: everything that a Continuum or a Corpus holds, without loss.

One object with the key "gammacp" (the version of the format) and either "continuum" or "corpus":

    {"gammacp": 1, "continuum": {"name": "…", "offset_unit": "s", "bounds": [0, 9.5],
     "annotators": ["Ann", "Bob"], "categories": ["a"], "text": null,
     "units": [["Ann", "a", 2, 9], ["Bob", null, 3, 9.5]]}}

Units are rows annotator, category (null: unlabelled), start, end, and where the unit has some an
object of features by name and a list [[start, end], …] of its fragments, or its shape:
{"box": [[x0, x1], [y0, y1]]}, {"polygon": [[[x, y], …], …]}, and "point", "polyline" and "stack"
likewise. "bounds", "annotators",
"categories", "name", "offset_unit" and "text" may be left out; among "categories", labels with
features are [category, features]. "read_until" has, by annotator, how far somebody read who did not
finish, "markable" the stretches [[start, end], …] in which something can be marked, "grid" the
length of a place that all boundaries lie on, or a list of places, "unnamed" how many readers
without names the annotators are.

Where units have ids, "ids" lists them, one per unit ("" for none), and "links" are rows annotator,
type, source, target and, but for directed ones, "undirected" or "chain".
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StrictFloat, StrictInt, StrictStr

from gammacp.base.files import write_text
from gammacp.base.left_out import Tally
from gammacp.base.validation import validated
from gammacp.continuum import Continuum, Corpus, Label, Link, Unit
from gammacp.continuum.anonymous import declare_unnamed_readers, unnamed_readers
from gammacp.continuum.grid import Grid
from gammacp.continuum.label import category_of, features_of, to_label
from gammacp.continuum.links import DIRECTED, KINDS
from gammacp.continuum.shapes import from_json
from gammacp.errors import DataError
from gammacp.formats.positions import LARGEST, as_text
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import in_pieces, with_left_out, with_shapes

_VERSION = 1
_START = re.compile(rb'\s*\{\s*"gammacp"\s*:')
_Position = Annotated[StrictFloat | StrictInt, Field(ge=-LARGEST, le=LARGEST)]


_Features = dict[StrictStr, StrictStr]
_Fragments = list[tuple[_Position, _Position]]
_Shape = dict[StrictStr, list[Any]]
_Label = StrictStr | tuple[StrictStr | None, dict[StrictStr, StrictStr]]


class _Continuum(BaseModel, extra="allow"):
    name: StrictStr | None = None
    offset_unit: StrictStr = ""
    text: StrictStr | None = None
    bounds: tuple[_Position, _Position] | None = None
    read_until: dict[StrictStr, _Position] | None = None
    grid: Annotated[float, Field(gt=0)] | list[tuple[_Position, _Position]] | None = None
    markable: list[tuple[_Position, _Position]] | None = None
    unnamed: Annotated[int, Field(ge=0)] = 0
    annotators: Annotated[list[StrictStr], Field(fail_fast=True)] | None = None
    categories: Annotated[list[_Label], Field(fail_fast=True)] | None = None
    # `fail_fast`, because messages on each of a million bad units would exhaust the memory.
    units: Annotated[
        list[
            tuple[StrictStr, StrictStr | None, _Position, _Position]
            | tuple[
                StrictStr, StrictStr | None, _Position, _Position, _Features | _Fragments | _Shape
            ]
            | tuple[
                StrictStr, StrictStr | None, _Position, _Position, _Features, _Fragments | _Shape
            ]
        ],
        Field(fail_fast=True),
    ]
    ids: Annotated[list[StrictStr], Field(fail_fast=True)] | None = None
    links: Annotated[
        list[
            tuple[StrictStr, StrictStr, StrictStr, StrictStr]
            | tuple[StrictStr, StrictStr, StrictStr, StrictStr, Literal["undirected", "chain"]]
        ],
        Field(fail_fast=True),
    ] = []

    def build(self, name: str) -> Continuum:
        more: list[dict[str, Any]] = [{_kind(x): x for x in row[4:]} for row in self.units]
        inside: list[Any] = [m.get("fragments", ()) for m in more]
        features: list[Any] = [m.get("features", {}) for m in more]
        shapes_by_row = [from_json(m["shape"]) if "shape" in m else None for m in more]
        for row, placed in zip(self.units, shapes_by_row, strict=True):
            if placed is not None and placed[0] != tuple(row[2:4]):
                raise DataError(f"shape of unit {row[2]:.15g}-{row[3]:.15g} has other ends")
        rows = [
            (r[0], to_label(r[1], f), *r[2:4]) for r, f in zip(self.units, features, strict=True)
        ]
        columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
        declared = self.model_dump(exclude={"units", "unnamed", *(self.model_extra or ())})
        declared["categories"] = _labels(self.categories)
        declared["grid"] = _grid(self.grid)
        declared["links"] = [Link(*row) for row in self.links]
        if self.ids is not None and len(self.ids) != len(rows):
            raise DataError(f"there are {len(self.ids)} ids for {len(rows)} units")
        if self.markable and self.bounds is not None:
            _check_stretches(self.markable, self.bounds)
        continuum = Continuum.from_columns(
            *columns,
            fragments=inside if any(inside) else None,
            shapes=[p and p[1] for p in shapes_by_row] if any(shapes_by_row) else None,
            **{**declared, "name": name if self.name is None else self.name},
        )
        return declare_unnamed_readers(continuum, self.unnamed)


def _check_stretches(stretches: list[tuple[float, float]], bounds: tuple[float, float]) -> None:
    """Raise an error for a stretch that lies outside the bounds in the file."""
    from gammacp.continuum.markable import find_wrong_stretch

    if wrong := find_wrong_stretch(stretches, bounds):
        raise DataError(wrong.message, hint='Correct "markable", or "bounds", in the file')


def _kind(entry: Any) -> str:
    """Return the kind of an optional field, which follows the first four."""
    if isinstance(entry, list):
        return "fragments"
    if any(isinstance(value, list) for value in entry.values()):
        return "shape"
    return "features"


class _Corpus(BaseModel, extra="allow"):
    categories: list[_Label] | None = None
    continua: Annotated[list[_Continuum], Field(fail_fast=True)]


class _File(BaseModel, extra="allow"):
    gammacp: int
    continuum: _Continuum | None = None
    corpus: _Corpus | None = None


def read(
    source: Source, *, discontinuous: str = "keep", shapes: str = "keep"
) -> Continuum | Corpus:
    """Return the continuum or corpus of a native JSON file.

    Parameters
    ----------
    discontinuous
        "keep": units of several fragments are as they are; "cover": each is of one piece, from its
        first start to its last end; "split": each fragment is a unit.
    shapes
        "keep", "box" (the box around each) or "no" (the extent on the first axis alone).

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
        stored, with features; null is unlabelled
    Spans
        everything is kept as it is (`--option discontinuous=cover`: a unit of several fragments
        becomes one piece; `split`: one unit per fragment; `--option shapes=box`: the box around
        each shape; `no`: no shapes)
    """
    root = source.json()
    if not isinstance(root, dict) or "gammacp" not in root:
        raise source.error('JSON has no key "gammacp"', hint="Leave out `format=json`")
    if root["gammacp"] != _VERSION:
        raise source.error(f"gammacp reads version {_VERSION} of JSON, not {root['gammacp']!r}")
    with source.place_errors():
        file = validated(_File, root)
        if (file.continuum is None) == (file.corpus is None):
            raise source.error('JSON needs exactly one of the keys "continuum" and "corpus"')
        document = _document(file, source.document)
    tally = Tally(source.place)
    inside = [file.continuum] if file.corpus is None else [file.corpus, *file.corpus.continua]
    for entry in (file, *inside):
        for key in entry.model_extra or () if entry else ():
            tally.add("key", f"{key} is not part of the format")
    document = with_left_out(document, tally.entries())
    return with_shapes(in_pieces(document, discontinuous, source.place), shapes, source.place)


def _document(file: _File, name: str) -> Continuum | Corpus:
    if file.corpus is None:
        assert file.continuum is not None
        return file.continuum.build(name)
    continua: dict[str, Continuum] = {}
    for number, entry in enumerate(file.corpus.continua, 1):
        continuum = entry.build(str(number))
        if continuum.name in continua:
            raise DataError(f"continuum {continuum.name!r} occurs twice")
        continua[continuum.name] = continuum
    return Corpus.from_continua(continua, categories=_labels(file.corpus.categories))


def _grid(written: float | list[tuple[float, float]] | None) -> Grid | None:
    if not isinstance(written, list):
        if written:
            return Grid("places", written)
        return None
    return Grid("places", 0.0, tuple(s for s, _ in written), tuple(e for _, e in written))


def _labels(entries: list[_Label] | None) -> list[str] | None:
    if entries is None:
        return None
    return [x if isinstance(x, str) else Label(*x) for x in entries]


def write(document: Continuum | Corpus, path: Path) -> None:
    """Write a continuum or a corpus; one unit per line."""
    if isinstance(document, Continuum):
        body = f'{{"gammacp": {_VERSION}, "continuum": {_entry(document)}}}\n'
    else:
        entries = ",\n".join(_entry(c) for c in document.values())
        categories = _json(_labels_as_json(document.categories))
        body = (
            f'{{"gammacp": {_VERSION}, "corpus": {{"categories": {categories}, '
            f'"continua": [\n{entries}\n]}}}}\n'
        )
    write_text(path, body)


def _entry(c: Continuum) -> str:
    # ASCII escapes keep lone surrogates, which UTF-8 cannot.
    rows = ",\n".join(_row(u) for u in c)
    lo, hi = c.bounds
    head = {"name": c.name, "offset_unit": c.offset_unit, "text": c.text}
    parts = [f"{_json(key)}: {_json(value)}" for key, value in head.items()]
    parts += [
        f'"bounds": [{as_text(lo)}, {as_text(hi)}]',
        *([f'"grid": {_json(_places(c.grid))}'] if c.grid else ()),
        *([f'"markable": {_json([list(s) for s in c.markable])}'] if c.markable else ()),
        *([f'"read_until": {_json(dict(c.read_until))}'] if c.read_until else ()),
        *([f'"unnamed": {unnamed_readers(c)}'] if unnamed_readers(c) else ()),
        f'"annotators": {_json(list(c.annotators))}',
        f'"categories": {_json(_labels_as_json(c.categories))}',
        f'"units": [\n{rows}\n]',
    ]
    if c.ids is not None:
        links = [[x.annotator, x.type, x.source, x.target, x.kind] for x in c.links]
        shown = ",\n".join(_json(x[:4] if x[4] == DIRECTED else x) for x in links)
        parts += [f'"ids": {_json(c.ids.tolist())}', f'"links": [\n{shown}\n]']
    return "{" + ", ".join(parts) + "}"


def _places(grid: Grid) -> object:
    return grid.step or [list(place) for place in zip(grid.starts, grid.ends, strict=True)]


def _row(u: Unit) -> str:
    cells = [_json(u.annotator), _json(category_of(u.category)), as_text(u.start), as_text(u.end)]
    if features := features_of(u.category):
        cells.append(_json(dict(features)))
    if u.fragments:
        pairs = ", ".join(f"[{as_text(s)}, {as_text(e)}]" for s, e in u.fragments)
        cells.append(f"[{pairs}]")
    if u.shape:
        cells.append(json.dumps(u.json["shape"]))
    return f"[{', '.join(cells)}]"


def _labels_as_json(labels: Sequence[str]) -> list[object]:
    return [[category_of(x), dict(f)] if (f := features_of(x)) else x for x in labels]


def _json(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


registered(
    "json",
    "gammacp JSON",
    (".json",),
    lambda head, _: _START.match(head) is not None,
    read,
    write=write,
    several_continua=True,
    bounds=True,
    text=True,
    features=True,
    fragments=True,
    shapes=True,
    links=KINDS,
)
