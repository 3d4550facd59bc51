"""Writing CSV and TSV, the counterpart of `gammacp.formats.delimited`."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path

from gammacp.base.csv_files import write_rows
from gammacp.base.frames import AXES, COLUMNS, FRAGMENTS, SHAPE, UNIT, as_role
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.continuum.label import category_of, feature_names, features_of, plain
from gammacp.errors import DataError, UsageError
from gammacp.formats.positions import as_text
from gammacp.formats.spans import by_name

DELIMITERS = ",;\t|"
ORDER = ("annotator", "category", "start", "end")
LINKS = ("document", "annotator", "type", "source", "target", "kind")


def write(document: Continuum | Corpus, path: Path, *, delimiter: str | None = None) -> None:
    """Write units as rows under a header; a corpus gets a document column.

    Kept: units with their features, fragments and shapes, annotators without units, bounds, the
    offset unit if all continua share it. Not kept: categories that no unit has, the order of
    annotators and categories, the text, how far somebody read. Links are written into a file
    NAME.links.csv beside.

    Parameters
    ----------
    delimiter
        One of comma, semicolon, tab and bar; by default a tab for .tsv and .tab, else a comma.

    Raises
    ------
    DataError
        An annotator or a continuum of a corpus has no name, or a name cannot stand in a note.
    """
    if delimiter is not None and delimiter not in DELIMITERS:
        raise UsageError(f"delimiter {delimiter!r} is not comma, semicolon, tab or bar")
    mark = delimiter or ("\t" if path.suffix.lower() in (".tsv", ".tab") else ",")
    write_rows(path, _rows(document), delimiter=mark, notes=_notes(document))
    links = [
        (key, x.annotator, x.type, x.source, x.target, x.kind)
        for key, c in by_name(document).items()
        for x in c.links
    ]
    if links:
        write_rows(path.with_suffix(f".links{path.suffix}"), [LINKS, *links], delimiter=mark)


def _notes(document: Continuum | Corpus) -> Iterator[str]:
    continua = by_name(document)
    units = {c.offset_unit for c in continua.values()}
    if len(units) == 1 and "" not in units:
        yield f"# offset unit: {_one_line(units.pop(), 'offset unit')}"
    for name, continuum in continua.items():
        if isinstance(document, Corpus) and not name:
            raise DataError("a continuum has no name", hint="Name it, or write JSON instead")
        lo, hi = continuum.bounds
        name = _one_line(name, "continuum name")
        yield f"# bounds: {as_text(lo)} {as_text(hi)} {name}".rstrip()


def _one_line(text: str, what: str) -> str:
    if "\n" in text or "\r" in text:
        raise DataError(f"{what} {text!r} has line breaks", hint="Write JSON instead")
    return _trim(text, what)


def _trim(text: str, what: str) -> str:
    """Return the text if it can be read back as it is: without blanks at its ends."""
    if text != text.strip():
        raise DataError(f"{what} {text!r} has blanks at its ends", hint="Write JSON instead")
    return text


def columns_inside(continua: Collection[Continuum]) -> tuple[str, ...]:
    """Return the columns of fragments and shapes that these continua need.

    Parameters
    ----------
    continua
        Continua, of which some may have fragments and some shapes.
    """
    kinds = {kind for c in continua for kind in c.kinds}
    axes = max((c.axes for c in continua), default=1)
    plain = kinds <= {"box"} and axes < 4
    if plain:
        shaped = AXES[: 2 * axes - 2]
    else:
        shaped = (SHAPE,)
    return (*shaped, *((FRAGMENTS,) if any(c.n_broken for c in continua) else ()))


def shape_cells(u: Unit, inside: tuple[str, ...]) -> dict[str, float | str]:
    """Return a unit's cells in the columns of shapes.

    Parameters
    ----------
    u
        A unit with or without a shape.
    inside
        Columns as returned by `columns_inside`.
    """
    if u.shape is None:
        return {}
    if SHAPE in inside:
        return {SHAPE: json.dumps(u.json["shape"])}
    edges = [edge for span in u.shape.extents for edge in span]
    return dict(zip(AXES, edges, strict=False))


def _cells(u: Unit, inside: tuple[str, ...]) -> tuple[str, ...]:
    cells = {k: v if isinstance(v, str) else as_text(v) for k, v in shape_cells(u, inside).items()}
    cells[FRAGMENTS] = ";".join(f"{as_text(s)} {as_text(e)}" for s, e in u.fragments)
    return tuple(cells.get(name, "") for name in inside)


def _rows(document: Continuum | Corpus) -> Iterator[tuple[str, ...]]:
    several = isinstance(document, Corpus)
    features = feature_names(document.categories)
    inside = columns_inside(by_name(document).values())
    called = any(c.links for c in by_name(document).values())
    reserved = {
        "document",
        *ORDER,
        FRAGMENTS,
        SHAPE,
        *AXES,
        *((UNIT,) * called),
        *(() if several else COLUMNS["document"]),
    }
    for name in features:
        if as_role(name) in reserved:
            raise DataError(
                f"feature {name!r} would be read as another column", hint="Write JSON instead"
            )
    rest = ("",) * (len(features) + len(inside) + called)
    more = *inside, *((UNIT,) * called)
    yield (*(("document",) if several else ()), *ORDER, *more, *features)
    for key, continuum in by_name(document).items():
        first = (key,) if several else ()
        if several and not continuum.annotators:
            yield (*first, "", "", "", "", *rest)
        for name, count in zip(continuum.annotators, continuum.counts, strict=True):
            if not name.strip():
                raise DataError(f"annotator name {name!r} is blank", hint="Write JSON instead")
            if not count:
                yield (*first, name, "", "", "", *rest)
        values = [v for c in continuum.categories for v in features_of(c).values()]
        for name in (*continuum.annotators, *plain(continuum.categories)[0], *features, *values):
            _trim(name, "name")
        for u in continuum:
            features_of_unit = features_of(u.category)
            place: tuple[str, ...] = (
                u.annotator,
                category_of(u.category) or "",
                as_text(u.start),
                as_text(u.end),
            )
            place += (*_cells(u, inside), *((u.id,) * called))
            yield (*first, *place, *(features_of_unit.get(name, "") for name in features))
