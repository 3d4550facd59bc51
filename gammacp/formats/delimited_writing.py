"""Writing CSV and TSV, the counterpart of `gammacp.formats.delimited`."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError, UsageError
from gammacp.files import atomic_write
from gammacp.formats.positions import written

DELIMITERS = ",;\t|"
ORDER = ("annotator", "category", "start", "end")


def write(document: Continuum | Corpus, path: Path, *, delimiter: str | None = None) -> None:
    """Write units as rows under a header; a corpus gets a continuum column.

    Kept: units, annotators without units, bounds, the offset unit if all continua share it. Not
    kept: categories that no unit has, the order of annotators and categories, the text.
    """
    if delimiter is not None and delimiter not in DELIMITERS:
        raise UsageError(f"delimiter {delimiter!r} is none of comma, semicolon, tab, bar")
    mark = delimiter or ("\t" if path.suffix.lower() in (".tsv", ".tab") else ",")
    out = io.StringIO()
    continua = {"": document} if isinstance(document, Continuum) else dict(document)
    several = isinstance(document, Corpus)
    units = {c.offset_unit for c in continua.values()}
    if len(units) == 1 and "" not in units:
        out.write(f"# offset unit: {_check_line(units.pop(), 'offset unit')}\n")
    for name, continuum in continua.items():
        if several and not name:
            raise DataError("a continuum has no name", hint="Name it or write JSON instead")
        _write_notes(out, continuum, _check_line(name, "continuum name"))
    _write_row(out, mark, ("continuum", *ORDER) if several else ORDER)
    for name, continuum in continua.items():
        _write_units(out, mark, continuum, (name,) if several else ())
    with atomic_write(path) as temporary:
        try:
            temporary.write_text(out.getvalue(), encoding="utf-8", newline="")
        except UnicodeEncodeError:
            raise DataError(
                "a name has a character that UTF-8 does not have", file=path, hint="Write JSON"
            ) from None


def _write_notes(out: io.StringIO, continuum: Continuum, name: str) -> None:
    lo, hi = continuum.bounds
    out.write(f"# bounds: {written(lo)} {written(hi)} {name}".rstrip() + "\n")


def _check_line(text: str, what: str) -> str:
    if text != text.strip() or "\n" in text or "\r" in text:
        raise DataError(
            f"{what} {text!r} has line breaks or blanks at its ends", hint="Write JSON instead"
        )
    return text


def _write_units(out: io.StringIO, mark: str, continuum: Continuum, first: tuple[str, ...]) -> None:
    if first and not continuum.annotators:
        _write_row(out, mark, (*first, "", "", "", ""))
    for name, count in zip(continuum.annotators, continuum.counts, strict=True):
        if not name.strip():
            raise DataError(f"annotator name {name!r} is blank", hint="Write JSON instead")
        if not count:
            _write_row(out, mark, (*first, name, "", "", ""))
    for unit in continuum:
        cells = (unit.annotator, unit.category or "", written(unit.start), written(unit.end))
        _write_row(out, mark, (*first, *cells))


def _write_row(out: io.StringIO, mark: str, cells: Sequence[str]) -> None:
    out.write(mark.join(_quoted(cell, mark) for cell in cells) + "\n")


def _quoted(cell: str, mark: str) -> str:
    if cell.startswith((" ", "#")) or any(x in cell for x in (mark, '"', "\n", "\r")):
        return '"' + cell.replace('"', '""') + '"'
    return cell
