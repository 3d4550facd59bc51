"""Writing of units as tables of Parquet and Feather."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from gammacp.base.files import atomic_write
from gammacp.base.frames import COLUMNS, FRAGMENTS, SHAPE, UNIT, as_role
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.label import category_of, feature_names, features_of
from gammacp.errors import DataError
from gammacp.formats.arrow_batches import BOUNDS, OFFSET_UNIT, ROWS, import_pyarrow
from gammacp.formats.delimited_writing import LINKS, ORDER, columns_inside, shape_cells
from gammacp.formats.spans import by_name


def write(document: Continuum | Corpus, path: Path) -> None:
    """Write units as rows of a Parquet file, or by the ending of Feather (Arrow IPC).

    Kept: units with their features, fragments and shapes, annotators and documents without units,
    declared bounds, the offset unit if all continua share it; links in a file NAME.links.parquet
    beside. Not kept: categories that no unit has, the
    order of annotators and categories, the text, how far somebody read.

    Raises
    ------
    DataError
        A continuum of a corpus has no name, or a feature has that of another column.
    UsageError
        pyarrow is not installed.
    """
    pa = import_pyarrow()
    several = isinstance(document, Corpus)
    features = feature_names(document.categories)
    continua = by_name(document)
    inside = columns_inside(continua.values())
    called = any(c.links for c in continua.values())
    bounded = any(c.declared for c in continua.values())
    if several:
        kinds = {"document": pa.string()}
    else:
        kinds = {}
    kinds |= {n: pa.float64() if n in ("start", "end") else pa.string() for n in ORDER}
    parts = {FRAGMENTS: pa.list_(pa.list_(pa.float64())), SHAPE: pa.string()}
    kinds |= {name: parts.get(name, pa.float64()) for name in inside}
    if called:
        kinds |= {UNIT: pa.string()}
    else:
        kinds |= {}
    if bounded:
        kinds |= dict.fromkeys(BOUNDS, pa.float64())
    else:
        kinds |= {}
    role_names = {as_role(name) for name in kinds} | {a for some in COLUMNS.values() for a in some}
    for name in features:
        if as_role(name) in role_names:
            raise DataError(
                f"feature {name!r} would be read as another column", hint="Write JSON instead"
            )
    kinds |= dict.fromkeys(features, pa.string())
    units = {c.offset_unit for c in continua.values()}
    if len(units) == 1:
        metadata = {OFFSET_UNIT: units.pop().encode()}
    else:
        metadata = {}
    schema = pa.schema(list(kinds.items()), metadata)

    def batches() -> Iterator[Any]:
        rows: list[dict[str, Any]] = []
        for name, continuum in continua.items():
            if several and not name:
                raise DataError("a continuum has no name", hint="Name it, or write JSON instead")
            rows += _rows(name, continuum, inside, bounded=bounded)
            if len(rows) >= ROWS:
                yield pa.RecordBatch.from_pylist(rows, schema)
                rows = []
        yield pa.RecordBatch.from_pylist(rows, schema)

    _write(batches(), schema, path)
    if called:
        _write_links(continua, path.with_suffix(f".links{path.suffix}"))


def _write_links(continua: Mapping[str, Continuum], path: Path) -> None:
    pa = import_pyarrow()
    schema = pa.schema([(name, pa.string()) for name in LINKS])
    rows = [
        {LINKS[0]: name, **{f.name: getattr(x, f.name) for f in fields(x)}}
        for name, continuum in continua.items()
        for x in continuum.links
    ]
    _write([pa.RecordBatch.from_pylist(rows, schema)], schema, path)


def _write(batches: Iterable[Any], schema: Any, path: Path) -> None:
    from pyarrow.parquet import ParquetWriter

    if path.suffix.lower() == ".parquet":
        open_writer = ParquetWriter
    else:
        open_writer = import_pyarrow().ipc.new_file
    with atomic_write(path) as temporary, open_writer(temporary, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _rows(
    name: str, continuum: Continuum, inside: tuple[str, ...], *, bounded: bool
) -> Iterator[dict[str, Any]]:
    about: dict[str, Any] = {"document": name}
    if bounded and continuum.declared:
        about |= zip(BOUNDS, continuum.bounds, strict=True)
    if not continuum.annotators:
        yield about
    for annotator, count in zip(continuum.annotators, continuum.counts, strict=True):
        if not count:
            yield {**about, "annotator": annotator}
    for u in continuum:
        yield {
            **about,
            **features_of(u.category),
            "annotator": u.annotator,
            "category": category_of(u.category),
            "start": u.start,
            "end": u.end,
            **shape_cells(u, inside),
            FRAGMENTS: [list(f) for f in u.fragments] or None,
            UNIT: u.id or None,
        }
