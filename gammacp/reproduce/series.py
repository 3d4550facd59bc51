"""Rows of a tidy CSV as a series y(x), with the standard error of each y where it is known."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gammacp.arrays import Floats
from gammacp.errors import DataError


@dataclass(frozen=True)
class Series:
    """Points in order of x; y and se are NaN where the file has nothing.

    `text` is the y column as it stands in the file.
    """

    x: Floats
    y: Floats
    se: Floats
    text: tuple[str, ...]
    values: Floats | None = None

    def within(self, low: float, high: float) -> Series:
        """The points with low ≤ x ≤ high (to rounding)."""
        rows = np.flatnonzero((self.x >= low - 1e-9) & (self.x <= high + 1e-9))
        return Series(self.x[rows], self.y[rows], self.se[rows], tuple(self.text[i] for i in rows))


def read_rows(path: Path) -> list[dict[str, str]]:
    """All rows of a CSV file."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except FileNotFoundError:
        raise DataError("is not there", file=path, hint="Run the experiment first") from None


def select(
    rows: list[dict[str, str]], path: Path, where: Mapping[str, object], x: str | None, y: str
) -> Series:
    """The series of the rows in which every column of `where` has that value ("*": any).

    Without `x` the points are numbered in file order.
    """
    columns = rows[0].keys() if rows else ()
    for name in (*where, *([x] if x else []), y):
        if name not in columns:
            raise DataError(
                f"column {name!r} is missing", file=path, hint=f"There are: {', '.join(columns)}"
            )
    chosen = [r for r in rows if all(v == "*" or _same(r[k], v) for k, v in where.items())]
    if not chosen:
        raise DataError(f"no row has {dict(where)}", file=path)
    place = np.array([_number(r[x]) if x else float(i) for i, r in enumerate(chosen)])
    order = np.argsort(place, kind="stable")
    chosen = [chosen[i] for i in order]
    return Series(
        place[order],
        np.array([_number(r[y]) for r in chosen]),
        np.array([_standard_error(r) for r in chosen]),
        tuple(r[y] for r in chosen),
    )


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


def _standard_error(row: Mapping[str, str]) -> float:
    sets = _number(row.get("sets", "")) - _number(row.get("undefined", "0") or "0")
    if not sets > 0:
        return 0.0
    return _number(row.get("sd", "")) / math.sqrt(sets)
