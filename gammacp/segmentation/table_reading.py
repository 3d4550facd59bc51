"""Codings from a table: masses, labels or boundaries in rows, or a column per coder."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from gammacp.base.csv_files import rows_of
from gammacp.base.frames import COLUMNS, as_role
from gammacp.base.left_out import LeftOut
from gammacp.base.text import lines_of
from gammacp.errors import DataError
from gammacp.formats.delimited_writing import DELIMITERS
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.measures.value import Segmentation


def codings_from_table(text: str, *, item: str) -> Codings:
    """Codings of a TSV or CSV text; `item` is the item's name where no column says it.

    Parameters
    ----------
    text
        Under a header that says what the rows hold. Lines that begin with # are comments, which
        are counted in `left_out`.
    item
        Name of the item.

    Raises
    ------
    DataError
        A row cannot be read, or a coder has two segmentations of an item; with the line.
    """
    comments: set[int] = set()
    cells = rows_of(text, delimiter="\t,", comment=partial(_is_comment, comments))
    first = next(cells, None)
    if first is None:
        raise DataError("there is no row", hint="The first row is Coder, Masses")
    number, header = first
    shape = table_shape([cell.strip().lower() for cell in header])
    if shape is None:
        raise DataError(
            f"header {' '.join(header).lower()!r} is not known",
            line=number,
            hint="It is Coder, then Masses, Positions, or Mass and Boundaries; or Unit (labels of "
            "segments) or After (1 where a boundary stands), then the coders; Item may precede. "
            "A table of units has annotator, category, start and end",
        )
    named, kind = shape
    names = [cell.strip() for cell in header[named + 1 :]]
    items: dict[str, dict[str, Segmentation]] = {}
    columns: dict[str, list[tuple[int, list[str]]]] = {}
    for number, row in cells:
        values = [cell.strip() for cell in row]
        if named:
            name = values.pop(0)
        else:
            name = item
        if kind in _WIDE:
            columns.setdefault(name, []).append((number, values[1:]))
            continue
        coder, *rest = values or [""]
        while rest and not rest[-1]:
            rest.pop()
        coders = items.setdefault(name, {})
        if not (name and coder):
            raise DataError("row has no item or no coder", line=number)
        if coder in coders:
            raise DataError(f"coder {coder!r} has two segmentations of {name!r}", line=number)
        try:
            coders[coder] = _BUILDERS[kind](rest)
        except DataError as error:
            raise error.within(f"item {name!r}, coder {coder!r}").at(None, number) from None
    items |= {name: _codings_of_columns(names, kind, rows) for name, rows in columns.items()}
    codings = Codings.of(items)
    if not comments:
        return codings
    return replace(codings, left_out=(LeftOut(item, "line", len(comments), "comment"),))


def _is_comment(comments: set[int], number: int, line: str) -> bool:
    """Tell whether a line is a comment, and keep its number, because a line is asked for twice."""
    if line.startswith("#"):
        comments.add(number)
    return line.startswith("#")


def _codings_of_columns(
    names: Sequence[str], kind: str, rows: Sequence[tuple[int, list[str]]]
) -> dict[str, Segmentation]:
    """Return the codings of an item in a wide table; a coder without a cell did not code it."""
    for name, times in Counter(names).items():
        if times > 1 or not name:
            raise DataError(
                f"column {name!r} occurs {times} times", hint="Give each coder one column"
            )
    for number, row in rows:
        if len(row) > len(names):
            raise DataError(f"{len(row)} cells for {len(names)} coders", line=number)
    segmentations = {}
    for k, name in enumerate(names):
        column = [row[k] if k < len(row) else "" for _, row in rows]
        if not any(column):
            continue
        for (number, _), cell in zip(rows, column, strict=True):
            if cell not in ("", "0", "1") if kind == "after" else not cell:
                if kind == "after":
                    expected = "0 or 1"
                else:
                    expected = "the label of a segment"
                raise DataError(f"{cell!r} of {name} is not {expected}", line=number)
        if kind == "after":
            # The text ends after its last unit for everybody: that is no boundary.
            segmentations[name] = Segmentation.from_string("".join(c or "0" for c in column[:-1]))
        else:
            segmentations[name] = Segmentation.from_labels(column)
    return segmentations


def table_shape(header: list[str]) -> tuple[bool, str] | None:
    """Return whether a header names the item, and what the rows hold; None for other tables."""
    named = header[:1] == ["item"]
    match header[named : named + 3]:
        case ["coder", "mass", "boundaries"]:
            return named, "boundaries"
        case ["coder", ("masses" | "positions") as kind, *_]:
            return named, kind
        case ["unit" | "after" as kind, _, *_] if not {"start", "end"} & set(header):
            return named, kind
    return None


def is_unit_table(text: str) -> bool:
    """Return whether the first row of a table is a unit or a header of columns of units."""
    rows = (line for line in lines_of(text) if line.strip() and line[0] != "#")
    cells = [cell.strip(' "') for cell in re.split(f"[{DELIMITERS}]", next(rows, ""))]
    roles = {role for role, names in COLUMNS.items() if {as_role(c) for c in cells} & {*names}}
    return len(roles) > 1 or any(re.fullmatch(r"[-+.\d]+(e[-+]?\d+)?", c, re.I) for c in cells)


def _segmentation_of_row(cells: list[str]) -> Segmentation:
    if not cells:
        raise DataError("row has no mass")
    mass, *positions = _numbers(cells)
    return Segmentation.from_positions(positions, mass=mass)


def _numbers(cells: list[str]) -> list[int]:
    numbers = []
    for cell in cells:
        try:
            numbers.append(int(cell))
        except ValueError:
            raise DataError(f"{cell!r} is not a whole number") from None
    return numbers


_BUILDERS: Mapping[str, Callable[[list[str]], Segmentation]] = {
    "masses": lambda cells: Segmentation.from_masses(_numbers(cells)),
    "positions": Segmentation.from_labels,
    "boundaries": _segmentation_of_row,
}


_WIDE = ("unit", "after")
