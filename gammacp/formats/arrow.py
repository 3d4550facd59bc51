"""Tables of units in Arrow's formats: Parquet, Feather and Arrow IPC, and tables in memory.

One row per unit, columns as in CSV (`gammacp.formats.delimited_writing.COLUMNS`): document,
annotator, category, start, end, in any order and beside others. Rows are read in batches, into
columns (`gammacp.continuum.document_table`): no object is made of a row.

Schema
------
document, annotator, category
    Text, plain or as a dictionary; whole numbers are their digits. A null category is unlabelled.
    Without a document column a file is one continuum.
start, end
    Integers or floats; null in a row that declares an annotator without units (and in one that
    declares a document, where the annotator is null, too).
fragments
    A list of (start, end) for each unit of several: lists of two numbers, or structs.
bounds_start, bounds_end
    Where the document begins and ends, the same in all its rows; null where nobody declared it.
y0, y1, z0, z1
    Boxes: numbers, (x0 and x1 are start and end); null in all rows of a document without shapes.
shape
    Any shape: what `gammacp.continuum.shapes.Shape.json` says, as text of JSON or as a struct.
features
    Further columns of text, those that are asked for; a session is one (`--session NAME`).
unit
    What links call the unit; read where there are links.

Links are a table of their own, beside `NAME.parquet` in `NAME.links.parquet`: document, annotator,
type, source and target (ids of units), kind (`directed`, `undirected`, `chain`; null is the
first). Documents are objects then.

The schema's metadata have `gammacp.offset_unit`, what positions count. A part of the path that is
`COLUMN=VALUE`, as in partitioned folders, is a column.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from gammacp.base.frames import AXES, COLUMNS, SHAPE, UNIT, as_role
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.links import DIRECTED, KINDS, Link
from gammacp.errors import DataError, UsageError
from gammacp.formats.arrow_batches import (
    FILE,
    PARQUET,
    STREAM,
    Fault,
    Place,
    batches_in_memory,
    damage_named,
    schema_and_batches,
    texts_of_column,
)
from gammacp.formats.arrow_units import NAMED, ArrowUnits
from gammacp.formats.arrow_writing import write
from gammacp.formats.delimited_writing import LINKS
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import in_pieces, with_shapes
from gammacp.formats.unit_rows import ROWS_SHOWN


def read(
    source: Source,
    *,
    columns: Mapping[str, str] | None = None,
    features: Sequence[str] = (),
    discontinuous: str = "keep",
    shapes: str = "keep",
) -> Continuum | Corpus:
    """Return the corpus, or without a document column the continuum, of a Parquet or Feather file.

    Parameters
    ----------
    columns
        The column of each role, as for CSV.
    features
        Further columns that are features beside the category.
    discontinuous
        "keep": rows with fragments are units of several; "cover": units reach from start to end;
        "split": each fragment is a unit.
    shapes
        "keep": rows with y0 and y1, or a shape, are shapes; "box": they are the box around each;
        "no": these columns are not read.

    Raises
    ------
    DataError
        The file is damaged, a column is missing or of another type, a row has no annotator, one
        position or none that is a number, or an end before its start. The message names the row
        and the row group.
    UsageError
        pyarrow is not installed.

    Notes
    -----
    Positions
        any (as written; `gammacp.offset_unit` of the schema's metadata)
    Annotators
        column; a row without start and end declares one without units
    Category
        column; null is unlabelled; further columns with `[features.NAME]`
    Spans
        every row is a unit: overlapping, repeated and zero-length ones are kept. A column
        `fragments` lists the fragments of a discontinuous unit (`--option discontinuous=cover`: the
        unit reaches from the first start to the last end; `split`: one unit per fragment). Columns
        `y0` and `y1` (and `z0`, `z1`), or a column `shape`, hold shapes (`--option shapes=box`: the
        box around each; `no`: the columns are ignored). A file NAME.links.parquet beside
        NAME.parquet holds links between units, which it names by their column `unit`
    """
    beside = _links_beside(source)
    path_names = _from_path(source)
    unread = {*(() if shapes != "no" else (*AXES, SHAPE)), *(() if beside else (UNIT,))}
    with damage_named(source.error):
        schema, batches = schema_and_batches(source)
        reading = ArrowUnits(source.error, schema, features, path_names, unread, columns)
        for place, batch in batches:
            reading.add(batch, place)
        document = reading.document(source.place, source.document)
    if beside:
        with damage_named(beside.error):
            links = _links(beside.error, *schema_and_batches(beside), path_names)
        document = reading.with_links(document, links, source.place)
    document = in_pieces(document, discontinuous, source.place)
    if reading.shaped:
        return with_shapes(document, shapes, source.place)
    return document


def first_rows(source: Source) -> dict[tuple[Any, ...], str]:
    """Return the place of the first row of each document and annotator: `row 8 of row group 2`."""
    schema, batches = schema_and_batches(source)
    reading = ArrowUnits(source.error, schema, (), _from_path(source), ())
    place_by_names: dict[tuple[Any, ...], str] = {}
    for place, batch in batches:
        (documents, named), (people, called) = (reading.names_of(batch, role) for role in NAMED)
        for row in np.unique(np.stack((documents, people)), axis=1, return_index=True)[1].tolist():
            # a document is declared
            if people[row] >= 0:
                who = called[people[row]]
            else:
                who = None
            place_by_names.setdefault((named[documents[row]], who), place(row))
    return place_by_names


def preview(source: Source) -> list[list[str]]:
    """Return the first rows, names of columns first."""
    schema, batches = schema_and_batches(source)
    rows = [list(schema.names)]
    for _, batch in batches:
        for row in batch.slice(0, ROWS_SHOWN - len(rows)).to_pylist():
            rows.append(["" if row[name] is None else str(row[name]) for name in schema.names])
        if len(rows) >= ROWS_SHOWN:
            break
    return rows


def read_table(
    table: Any,
    *,
    features: Sequence[str] = (),
    links: Any = None,
    columns: Mapping[str, str] | None = None,
) -> Continuum | Corpus:
    """Return the corpus of a table of units in memory; without a document column, the continuum.

    Parameters
    ----------
    table
        Whatever has `__arrow_c_stream__`: a table, a data set's scanner or a reader of pyarrow, a
        frame of polars or pandas, a relation of DuckDB. It is read in batches. The columns are
        those of a Parquet file (`gammacp formats arrow`).
    features
        Further columns that are features beside the category.
    links
        A table of links between the units of that one, by their column `unit`.
    columns
        The column of each role, where its name is not a known one: `{"start": "from"}`.

    Raises
    ------
    DataError
        As for a file; the message names the row. Offsets or codes of the table are out of range.
    UsageError
        It has no `__arrow_c_stream__`, or pyarrow is not installed.
    """
    if not hasattr(table, "__arrow_c_stream__"):
        raise UsageError(
            f"{type(table).__name__} has no __arrow_c_stream__: give a table of pyarrow, polars, "
            "DuckDB or pandas, or use Continuum.from_frame or Corpus.from_frame"
        )
    if links is None:
        unread = {UNIT}
    else:
        unread = set()
    error = partial(DataError, file="table")
    with damage_named(error, "it"):
        schema, batches = batches_in_memory(table)
        reading = ArrowUnits(error, schema, features, {}, unread, columns)
        for place, batch in batches:
            reading.add(batch, place)
        document = reading.document("table", "")
    if links is not None:
        error = partial(DataError, file="links")
        with damage_named(error, "it"):
            link_lists = _links(error, *batches_in_memory(links), {})
        document = reading.with_links(document, link_lists, "table")
    if reading.shaped:
        return with_shapes(document, "keep", "table")
    return document


def _links_beside(source: Source) -> Source | None:
    """Return the table of links of a file; None without one."""
    name = PurePosixPath(source.member or source.path.name)
    beside = name.with_suffix(f".links{name.suffix}")
    content = source.neighbour(beside.name)
    if content is None:
        return None
    if source.member:
        return replace(source, member=str(beside), content=content)
    return replace(source, path=source.path.with_name(beside.name), content=content)


def _links(
    error: Fault, schema: Any, batches: Iterable[tuple[Place, Any]], path_names: dict[str, str]
) -> dict[str, list[Link]]:
    """Return the links by document; the key is "" if the table has no document column."""
    defaults = {LINKS[0]: path_names.get("document", ""), "annotator": path_names.get("annotator")}
    defaults |= {"kind": DIRECTED}
    for name in LINKS[1:-1]:
        if name not in schema.names and defaults.get(name) is None:
            column_names = ", ".join(schema.names) or "none"
            raise error(
                f"there is no column {name!r}",
                hint=f"Links have {', '.join(LINKS)}; here: {column_names}",
            )
    links: dict[str, list[Link]] = {}
    for place, batch in batches:
        columns = [
            texts_of_column(error, batch, name)
            if name in schema.names
            else [defaults[name]] * len(batch)
            for name in LINKS
        ]
        for row, values in enumerate(zip(*columns, strict=True)):
            document, who, what, source, target, kind = values
            for name, value in zip(LINKS[1:-1], values[1:-1], strict=True):
                if not value:
                    raise error(f"{place(row)} has no {name}")
            if (kind or DIRECTED) not in KINDS:
                raise error(f"{place(row)}: kind {kind!r} is not one of {', '.join(KINDS)}")
            links.setdefault(document or "", []).append(
                Link(str(who), str(what), str(source), str(target), kind or DIRECTED)
            )
    return links


def _from_path(source: Source) -> dict[str, str]:
    """Return the values by role that the path states in parts such as `annotator=Ann`."""
    roles = {alias: role for role, aliases in COLUMNS.items() for alias in aliases}
    parts = (*source.path.parent.parts, *PurePosixPath(source.member).parent.parts)
    pairs = (part.partition("=") for part in parts)
    return {roles[as_role(k)]: value for k, mark, value in pairs if mark and as_role(k) in roles}


def _sniff(head: bytes, _: Path) -> bool:
    return head.startswith((PARQUET, FILE, STREAM, b"FEA1"))


registered(
    "arrow",
    "Parquet, Feather, Arrow IPC",
    (".parquet", ".feather", ".arrow", ".ipc"),
    _sniff,
    read,
    write=write,
    several_continua=True,
    bounds=True,
    features=True,
    fragments=True,
    shapes=True,
    links=KINDS,
    extra="parquet",
    first_rows=first_rows,
    preview=preview,
)
