"""Rows of a tidy CSV as a series y(x), with the values of single sets where the file has them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.csv_files import table_of
from gammacp.base.files import text_of
from gammacp.errors import DataError


@dataclass(frozen=True)
class Series:
    """Points in order of x; y is NaN where the file has no value.

    `text` is the y column as written in the file. `values`, shape (sets, points), are the values of
    the single sets whose mean is y; the file has them in the column `values`, separated by blanks.
    """

    x: Floats
    y: Floats
    text: tuple[str, ...]
    values: Floats | None = None

    def within(self, low: float, high: float) -> Series:
        """Return the points with low ≤ x ≤ high (to rounding)."""
        rows = np.flatnonzero((self.x >= low - 1e-9) & (self.x <= high + 1e-9))
        values = None
        if self.values is not None:
            values = self.values[:, rows]
        return Series(self.x[rows], self.y[rows], tuple(self.text[i] for i in rows), values)

    def turned(self) -> Series:
        """Return the series of −y."""
        values = None
        if self.values is not None:
            values = -self.values
        return Series(self.x, -self.y, self.text, values)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return all rows of a CSV file."""
    if not path.is_file():
        raise DataError("is not there", file=path, hint="Run the experiment first")
    return [row for row, _ in table_of(text_of(path), ())]


def select(
    rows: list[dict[str, str]], path: Path, where: Mapping[str, object], x: str | None, y: str
) -> Series:
    """Return the series of the rows that match `where` (column: value; "*" is any value).

    Without `x` the points are numbered in file order.
    """
    columns: Collection[str] = ()
    if rows:
        columns = rows[0].keys()
    for name in (*where, x, y):
        if name is not None and name not in columns:
            raise DataError(
                f"column {name!r} is missing", file=path, hint=f"There are: {', '.join(columns)}"
            )
    chosen = [r for r in rows if all(v == "*" or _same(r[k], v) for k, v in where.items())]
    if not chosen:
        raise DataError(f"no row has {dict(where)}", file=path)
    place = np.arange(len(chosen), dtype=np.float64)
    if x is not None:
        place = np.array([_number(r[x]) for r in chosen])
    order = np.argsort(place, kind="stable")
    chosen = [chosen[i] for i in order]
    values = None
    if y == "mean":
        values = _values(chosen, path)
    numbers = np.array([_number(r[y]) for r in chosen])
    return Series(place[order], numbers, tuple(r[y] for r in chosen), values)


def _same(text: str, value: object) -> bool:
    if isinstance(value, str):
        return text == value
    number = _number(text)
    return not math.isnan(number) and math.isclose(number, float(str(value)), abs_tol=1e-9)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _values(rows: list[dict[str, str]], path: Path) -> Floats | None:
    """Return the values of single sets, shape (sets, rows); None if the file has none."""
    listed = [r["values"].split() for r in rows if r.get("values")]
    if not listed:
        return None
    if len({len(v) for v in listed}) > 1 or len(listed) < len(rows):
        raise DataError("column 'values': points have different numbers of sets", file=path)
    return np.array([[_number(v) for v in column] for column in listed]).T
