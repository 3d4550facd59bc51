"""Continua from a data frame, and a data frame of a continuum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from json import dumps
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.base.arguments import several, text
from gammacp.base.frame_columns import FrameColumns, columns_of
from gammacp.continuum.columns import coded
from gammacp.continuum.continuum import Continuum
from gammacp.continuum.document_table import DocumentTable
from gammacp.continuum.fragments import Fragments, breaks_of, column, join
from gammacp.continuum.label import plain, to_label
from gammacp.continuum.shapes import Shape, box, in_cell, relative
from gammacp.errors import DataError, UsageError

if TYPE_CHECKING:
    from pandas import DataFrame


def columns_of_frame(
    frame: Any, features: Sequence[str], columns: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the arguments for `Continuum.from_columns` from a data frame.

    Parameters
    ----------
    frame, features, columns
        As for `Continuum.from_frame`.
    """
    read = columns_of(frame, several("features", features), columns)
    return {
        "annotator": read.annotators,
        "category": _labels(read),
        "start": read.starts,
        "end": read.ends,
        "fragments": _fragments(read),
        "shapes": _shapes(read),
    }


def documents_of_frame(
    frame: Any, document: str | None, features: Sequence[str], columns: Mapping[str, str] | None
) -> tuple[DocumentTable, tuple[str, ...]]:
    """Return the documents of a data frame, and the names of the columns that are not used.

    Parameters
    ----------
    frame, document, features, columns
        As for `Corpus.from_frame`.
    """
    roles = dict(columns or {})
    if document is not None:
        if "document" in roles:
            raise UsageError("`document=` and `columns=` both say which column names the documents")
        roles["document"] = text("document", document)
    read = columns_of(frame, several("features", features), roles, documents=True)
    documents = read.documents or []
    if not documents:
        raise DataError("data frame has no rows", hint="It needs one row per unit")
    labels = _labels(read)
    number_by_name = {name: number for number, name in enumerate(dict.fromkeys(documents))}
    annotators = [name for name in dict.fromkeys(read.annotators) if name is not None]
    categories = [label for label in dict.fromkeys(labels) if label is not None]
    table = DocumentTable.of_rows(
        number_by_name,
        annotators,
        categories,
        np.array([number_by_name[name] for name in documents], np.int32),
        coded(read.annotators, annotators),
        coded(labels, categories),
        np.array(read.starts),
        np.array(read.ends),
        inside=column(_inside(read, documents)),
        bounds={number_by_name[name]: bounds for name, bounds in read.bounds.items()},
        offset_unit=read.offset_unit,
    )
    return table, read.unused


def _labels(columns: FrameColumns) -> list[str | None]:
    """Return the label of each unit: its category, with its features where there are any."""
    if not columns.features:
        return columns.categories
    return [*map(to_label, columns.categories, columns.features)]


def _fragments(columns: FrameColumns) -> list[Fragments] | None:
    """Return the fragments of each unit; None without a column of them."""
    if columns.fragments is None:
        return None
    rows: list[Fragments] = []
    for row, (parts, *hull) in enumerate(
        zip(columns.fragments, columns.starts, columns.ends, strict=True), 1
    ):
        if parts is None or not len(parts):
            rows.append(())
            continue
        pairs = parts
        if isinstance(parts, str):  # As CSV has them: 0 5;10 15
            pairs = [part.split() for part in parts.split(";") if part.strip()]
        with _row_named(row):
            rows.append(join(pairs, (hull[0], hull[1])))
    return rows


def _shapes(columns: FrameColumns) -> list[Shape | None] | None:
    """Return the shape of each unit; None without columns of shapes or boxes."""
    if columns.shapes is None and columns.extents is None:
        return None
    nothing = [None] * len(columns.starts)
    shapes = columns.shapes or nothing
    further = columns.extents or nothing
    rows: list[Shape | None] = []
    for row, (start, end, entry, extents) in enumerate(
        zip(columns.starts, columns.ends, shapes, further, strict=True), 1
    ):
        with _row_named(row):
            if entry is not None:
                rows.append(in_cell(_cell_of(entry), start, end)[1])
            elif extents:
                rows.append(box((start, end), *extents)[1])
            else:
                rows.append(None)
    return rows


def _cell_of(entry: Any) -> str:
    """Return the JSON of a shape, which a column has as text or as an object."""
    if isinstance(entry, str):
        return entry
    if isinstance(entry, Mapping):
        return dumps({kind: rows for kind, rows in entry.items() if rows is not None})
    raise DataError(f"shape {str(entry)[:60]} is not a kind with its extents or points")


def _inside(columns: FrameColumns, documents: Sequence[str]) -> list[Any]:
    """Return the breaks or the shape of each unit, as a column of a continuum."""
    shapes = _shapes(columns)
    rows: list[Any] = [breaks_of(parts) for parts in _fragments(columns) or ()]
    rows = rows or [()] * len(documents)
    axes_by_document: dict[str, int] = {}
    for i, shape in enumerate(shapes or ()):
        if math.isnan(columns.starts[i]):
            continue
        axes = 1
        if shape is not None:
            axes = shape.axes
            if rows[i]:
                raise DataError(f"row {i + 1} of the data frame has fragments and a shape")
            rows[i] = relative(columns.starts[i], shape)
        before = axes_by_document.setdefault(documents[i], axes)
        if before != axes:
            raise DataError(
                f"row {i + 1} of the data frame has {axes} axes, units before it {before}",
                hint="Give all units of a document the same number of axes",
            )
    return rows


@contextmanager
def _row_named(row: int) -> Iterator[None]:
    """Add the row to the message of an error in this block."""
    try:
        yield
    except DataError as error:
        what = f"row {row} of the data frame: {error.message}"
        raise DataError(what, hint=error.hint) from None


def frame_of(continuum: Continuum) -> DataFrame:
    """Return a data frame with one row per unit (see `Continuum.to_frame`).

    Parameters
    ----------
    continuum
        Continuum whose units become rows.
    """
    from pandas import DataFrame

    c = continuum
    more = dict[str, list[object]]()
    if c.inside is not None:
        if c.shapes is None:
            inside = "fragments"
        else:
            inside = "shape"
        more[inside] = [u.fragments or u.json.get("shape", ()) for u in c]
    for name in {*more} & {*c.features}:
        raise UsageError(f"a feature and the units' {name} would be one column, {name}")
    categories, codes = plain(c.categories)
    return DataFrame(
        {
            "annotator": [c.annotators[a] for a in c.annotator_codes],
            "category": [(*categories, None)[k] for k in codes[c.category_codes]],
            "start": c.starts,
            "end": c.ends,
            **{name: c.feature(name) for name in c.features},
            **more,
        }
    )
