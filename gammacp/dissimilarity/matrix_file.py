"""Distance matrices in CSV or TSV files."""

from pathlib import Path

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.csv_files import rows_of
from gammacp.base.files import text_of
from gammacp.errors import DataError


def read_matrix(path: Path) -> tuple[tuple[str, ...], Floats, tuple[int, ...]]:
    """Return categories, distances and the line of each row; rows and columns may differ in order.

    The first row names the columns (its first cell is ignored), every other row begins with its
    category. DataError with file and line for anything else.
    """
    lines = rows_with_lines(path)
    if not lines:
        raise DataError("file is empty, where a distance matrix was expected", file=path)
    (first, header), *body = lines
    names = [name.strip() for name in header[1:]]
    if len(set(names)) != len(names) or not names:
        raise DataError("header does not name each category once", file=path, line=first)
    rows: dict[str, list[float]] = {}
    lines_of: dict[str, int] = {}
    for line, cells in body:
        name = cells[0].strip()
        if name not in names:
            raise DataError(f"row {name!r} has no column of that name", file=path, line=line)
        if name in rows:
            raise DataError(f"row {name!r} is given twice", file=path, line=line)
        if len(cells) != len(names) + 1:
            raise DataError(
                f"row {name!r} has {len(cells) - 1} distances, not {len(names)}",
                file=path,
                line=line,
            )
        lines_of[name] = line
        rows[name] = [_distance(cell, path, line) for cell in cells[1:]]
    for name in names:
        if name not in rows:
            raise DataError(f"category {name!r} has a column but no row", file=path)
    order = [names.index(name) for name in rows]
    return tuple(rows), np.array(list(rows.values()))[:, order], tuple(lines_of.values())


def rows_with_lines(path: Path) -> list[tuple[int, list[str]]]:
    """Return the rows of a CSV or TSV file that are not empty, each with its line."""
    try:
        return list(rows_of(text_of(path), delimiter="\t;,"))
    except DataError as error:
        raise error.at(path) from None


def _distance(cell: str, path: Path, line: int) -> float:
    try:
        return float(cell)
    except ValueError:
        raise DataError(f"distance {cell!r} is not a number", file=path, line=line) from None
