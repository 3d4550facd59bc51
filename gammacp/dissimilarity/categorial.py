"""Categorial distances: a symmetric matrix in [0, 1] over the categories.

References
----------
Mathet, Widlöcher & Métivier (2015), §4.3, eq. 4 and footnote 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.signature import fingerprint, quote_part
from gammacp.errors import DataError, UsageError
from gammacp.registry import Registry


@runtime_checkable
class Categorial(Protocol):
    """Categorial part of `Combined`, described by its `signature`, otherwise by its class."""

    def distances(self, categories: tuple[str, ...]) -> Floats:
        """Return dist_cat, shape (K, K), symmetric, in [0, 1], zero on the diagonal.

        Parameters
        ----------
        categories
            All category names, in the order of their codes.
        """
        ...


@runtime_checkable
class CountBased(Protocol):
    """A categorial distance that depends on how often each label occurs."""

    def counting(self, counts: Mapping[str, int]) -> Categorial:
        """Return a copy with counts: the number of units with each label."""
        ...


@runtime_checkable
class Parametrised(Protocol):
    """A categorial distance whose name takes an argument, `NAME=ARGUMENT`."""

    def with_argument(self, argument: str) -> Categorial:
        """Return a copy with this argument."""
        ...


@dataclass(frozen=True)
class Nominal:
    """0 for the same category, 1 for any other."""

    signature: str = field(default="nominal", init=False)

    def distances(self, categories: tuple[str, ...]) -> Floats:
        """Return 0 on the diagonal and 1 elsewhere."""
        return 1.0 - np.eye(len(categories))


@dataclass(frozen=True)
class Ordinal:
    """|rank − rank| / (K − 1), ranks in the order of `order` or of the continuum's categories.

    If all labels are numbers and in alphabetical order, no order was declared, and they rank by
    value; 1 and 1.0 then have the same rank.
    """

    order: tuple[str, ...] | None = None

    def with_argument(self, argument: str) -> Ordinal:
        """Return a copy with an order.

        Parameters
        ----------
        argument
            Labels, lowest first: `Minor<Major<Critical`.
        """
        return Ordinal(checked_order(argument.split("<")))

    @property
    def signature(self) -> str:
        """`ordinal`, with the order if one is given: `ordinal(low,mid,high)`."""
        if self.order is None:
            return "ordinal"
        return f"ordinal({','.join(map(quote_part, self.order))})"

    def distances(self, categories: tuple[str, ...]) -> Floats:
        """Return differences of ranks; raise a DataError for a category that `order` leaves out."""
        if self.order is not None:
            order = self.order
        else:
            order = categories
        missing = [c for c in categories if c not in order]
        if missing:
            raise DataError(
                f"category {missing[0]!r} is not in the order {', '.join(order)}",
                hint="Add it to the order, or rename it with `map=`",
            )
        rank = {c: k for k, c in enumerate(order)}
        undeclared = self.order is None and list(categories) == sorted(categories)
        if undeclared and all_numbers(categories):  # 1 and 1.0 are one rank
            values = sorted({float(c) for c in categories})
            rank = {c: values.index(float(c)) for c in categories}
        ranks = np.array([rank[c] for c in categories], np.float64)
        return _scale(np.abs(ranks[:, None] - ranks), max(rank.values(), default=0))


@dataclass(frozen=True)
class Interval:
    """|x − y| / (max − min) for numeric labels."""

    signature: str = field(default="interval", init=False)

    def distances(self, categories: tuple[str, ...]) -> Floats:
        """Return relative differences; raise a DataError for a label that is not a number."""
        x = numeric(categories, "interval")
        return _scale(np.abs(x[:, None] - x), float(np.ptp(x)) if len(x) else 0.0)


@dataclass(frozen=True)
class Ratio:
    """|x − y| / (x + y) for numeric labels ≥ 0."""

    signature: str = field(default="ratio", init=False)

    def distances(self, categories: tuple[str, ...]) -> Floats:
        """Return the ratios; raise a DataError for a label that is not a number, or negative."""
        x = numeric(categories, "ratio")
        for i in np.flatnonzero(x < 0)[:1]:
            raise DataError(
                f"category {categories[i]!r} is negative, but ratio distances need numbers >= 0",
                hint="Use interval distances",
            )
        total = x[:, None] + x
        return np.abs(x[:, None] - x) / np.where(total == 0, 1.0, total)


@dataclass(frozen=True)
class Levenshtein:
    """Edit distance of the labels over the length of the longer one."""

    signature: str = field(default="levenshtein", init=False)

    def distances(self, categories: tuple[str, ...]) -> Floats:
        """Return relative edit distances, such as 3/7 for `kitten` and `sitting`."""
        from rapidfuzz.distance.Levenshtein import normalized_distance

        rows = [[normalized_distance(a, b) for b in categories] for a in categories]
        return np.array(rows, np.float64).reshape(len(rows), len(rows))


@dataclass(frozen=True, eq=False)
class Matrix:
    """Distances given by the user: `values[i, j]` between `categories[i]` and `categories[j]`.

    `Matrix.read` reads one from a CSV file, with a header of categories and one row per category
    that begins with its name. `file` and `lines` (one per row) give the place of errors. `most` is
    the largest distance allowed (∞ for Krippendorff's δ²).
    """

    categories: tuple[str, ...]
    values: Floats
    file: str | None = None
    lines: tuple[int, ...] = ()
    most: float = 1.0

    def __post_init__(self) -> None:
        """Raise a DataError unless values are symmetric, in [0, `most`], zero on the diagonal."""
        values = np.array(self.values)
        size = len(self.categories)
        if values.shape != (size, size) or values.dtype.kind not in "iufb":
            raise DataError(
                f"not a {size} × {size} matrix of numbers, one row per category",
                file=self.file,
                hint=f"Categories are, in order: {', '.join(self.categories)}",
            )
        if twice := [c for c in self.categories if self.categories.count(c) > 1]:
            raise DataError(f"matrix names {twice[0]!r} twice", file=self.file)
        object.__setattr__(self, "values", values.astype(np.float64))
        for i, j in product(range(size), repeat=2):
            self._check(i, j)

    def _check(self, i: int, j: int) -> None:
        x = self.values[i, j]
        other = self.values[j, i]
        wrong = None
        hint = None
        if not (0 <= x <= self.most and math.isfinite(x)):
            wrong = ""
            hint = f"Distances are from 0 {'to 1' if self.most == 1 else 'on'}"
        elif i == j and x != 0:
            wrong = ", not 0"
        elif x != other:
            wrong = f", but {other:g} the other way round"
            hint = "A distance matrix is symmetric"
        if wrong is not None:
            pair = f"distance {self.categories[i]!r} to {self.categories[j]!r}"
            if self.lines:
                line = self.lines[i]
            else:
                line = None
            raise DataError(f"{pair} is {x:g}{wrong}", file=self.file, line=line, hint=hint)

    @property
    def signature(self) -> str:
        """`matrix(FILE,…)` or `matrix(…)`, with a fingerprint of the contents."""
        contents = fingerprint(*self.categories, self.values.tobytes())
        if not self.file:
            return f"matrix({contents})"
        return f"matrix({Path(self.file).name},{contents})"

    @classmethod
    def read(cls, path: str | Path, *, most: float = 1.0) -> Matrix:
        """Read a matrix from a CSV file; a DataError has the file and the line.

        Parameters
        ----------
        path
            Category names in the first row and the first column, distances between.
        most
            Largest distance allowed.
        """
        from gammacp.dissimilarity.matrix_file import read_matrix

        categories, values, lines = read_matrix(Path(path))
        return cls(categories, values, str(path), lines, most)

    def distances(self, categories: tuple[str, ...]) -> Floats:
        """Return the rows and columns of these categories; raise a DataError for a missing one."""
        for name in categories:
            if name not in self.categories:
                raise DataError(
                    f"category {name!r} is missing from the distance matrix",
                    file=self.file,
                    hint=f"It has: {', '.join(self.categories)}",
                )
        rows = [self.categories.index(name) for name in categories]
        return np.asarray(self.values[np.ix_(rows, rows)])


CATEGORIAL: Registry[Categorial] = Registry("categorial dissimilarity")
for _entry in (Nominal(), Ordinal(), Interval(), Ratio(), Levenshtein()):
    CATEGORIAL.register(_entry.signature, _entry)


def categorial(choice: str | Categorial) -> Categorial:
    """Return a categorial distance by name, from a `.csv` matrix, or the object itself.

    Some names take an argument: `ordinal=A<B<C`, `masi=;` (what separates the names of a set),
    `tree=FILE` (rows of label and parent), `matrix=FILE`.
    """
    if not isinstance(choice, str):
        if not isinstance(choice, Categorial):
            raise UsageError(f"categorial {choice!r} has no distances(categories)")
        return choice
    name, sign, argument = choice.partition("=")
    if sign and name == "matrix":
        return Matrix.read(argument)
    if sign and name in CATEGORIAL:
        entry = CATEGORIAL[name]
        if not isinstance(entry, Parametrised):
            raise UsageError(f"categorial {choice!r}: {name} takes no argument after '='")
        return entry.with_argument(argument)
    if choice.lower().endswith((".csv", ".tsv")):
        return Matrix.read(choice)
    return CATEGORIAL[choice]


def checked_order(names: Iterable[str]) -> tuple[str, ...]:
    """Strip the names of an order; raise a UsageError for an empty or repeated one."""
    order = tuple(name.strip() for name in names)
    for name in order:
        if not name or order.count(name) > 1:
            raise UsageError(f"order {'<'.join(order)} has an empty name, or one name twice")
    return order


def steep(distances: Floats) -> Floats:
    """f_cat(x) = −ln(1 − x)·x³⁰ + x (2015, footnote 2): ∞ at 1, close to x below .9."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log1p(-distances) * distances**30 + distances)


def numeric(categories: tuple[str, ...], metric: str) -> Floats:
    """Return labels as finite numbers; a DataError for another label names the `metric`."""
    numbers = np.array([_number(name) for name in categories], np.float64)
    for i in np.flatnonzero(np.isnan(numbers))[:1]:
        raise DataError(
            f"category {categories[i]!r} is not a number, but {metric} distances need numbers",
            hint="Use nominal distances or a matrix, or rename the categories",
        )
    return numbers


def _number(name: str) -> float:
    try:
        value = float(name)
    except ValueError:
        return math.nan
    if math.isfinite(value):
        return value
    return math.nan


def all_numbers(labels: Iterable[str]) -> bool:
    """Return whether all labels are finite numbers."""
    return not any(math.isnan(_number(label)) for label in labels)


def _scale(distances: Floats, largest: float) -> Floats:
    if largest > 0:
        return distances / largest
    return distances
