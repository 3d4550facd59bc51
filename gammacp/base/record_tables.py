"""Tables defined by one list of columns over records, for text, HTML and CSV alike.

A record is a mapping with the keys of the JSON, so the JSON of a table are its records as they
are. A column says which of them it shows, under which header and in which form.

>>> columns = Column("file", "file"), Column("gamma", "γ", number)
>>> found = Table(columns, [{"file": "a", "gamma": 1}])
>>> found.headers
('file', 'γ')
>>> found.cells(digits=3)
[['a', '1.000']]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from gammacp.base.text import visible

NONE = "–"

Record: TypeAlias = Mapping[str, Any]
Form: TypeAlias = Callable[[Any, int], str]


def record_of(thing: object, keys: str) -> dict[str, Any]:
    """Return attributes of a result as a JSON record; objects with `as_dict` become records.

    Parameters
    ----------
    thing
        The result.
    keys
        Names of attributes, with blanks between.

    >>> record_of(Tint("agrees", 0.5), "kind share")
    {'kind': 'agrees', 'share': 0.5}
    """
    record = {}
    for key in keys.split():
        value = getattr(thing, key)
        record[key] = value.as_dict() if hasattr(value, "as_dict") else value
    return record


def text(value: Any, _digits: int = 0) -> str:
    """Return a value as text, "–" for None."""
    if value is None:
        return NONE
    return str(value)


def word(value: Any, _digits: int = 0) -> str:
    """Return a short word as `text` does, to be aligned to the right like numbers."""
    return text(value)


def number(value: float | None, digits: int = 4) -> str:
    """Return a number with a fixed number of decimals; "–" where there is none.

    >>> number(0.5), number(float("nan")), number(float("-inf"))
    ('0.5000', '–', '-∞')
    """
    if value is None or math.isnan(value):
        return NONE
    if math.isinf(value):
        if value > 0:
            return "∞"
        return "-∞"
    return f"{value:.{digits}f}"


def defined(value: float | None) -> float | None:
    """Return a number; None where it is undefined."""
    if value is None or math.isnan(value):
        return None
    return value


def count(value: int | None, _digits: int = 0) -> str:
    """Return a whole number, with commas from a thousand on a million (12,345,678)."""
    if value is None:
        return NONE
    if value >= 1e6:
        return f"{value:,}"
    return str(value)


def general(value: float | None, _digits: int = 0) -> str:
    """Return a number in its shortest form."""
    if value is None or math.isnan(value):
        return NONE
    return f"{value:g}"


def signed_number(value: float | None, digits: int = 4) -> str:
    """Return a difference, with its sign."""
    if value is None or math.isnan(value):
        return NONE
    return f"{value:+.{digits}f}"


def percent(value: float | None, _digits: int = 0) -> str:
    """Return a share as whole percents, whatever the digits of the other columns."""
    if value is None or math.isnan(value):
        return NONE
    return f"{value:.0%}"


def permille(value: float | None, _digits: int = 0) -> str:
    """Return a share in percent with one decimal."""
    if value is None or math.isnan(value):
        return NONE
    return f"{100 * value:.1f} %"


def interval(value: Sequence[float] | None, digits: int = 4, form: Form = number) -> str:
    """Return an interval as "a to b"; "–" if there is none.

    >>> interval((0.25, 0.5), 2)
    '0.25 to 0.50'
    """
    if value is None or all(v is None or math.isnan(v) for v in value):
        return NONE
    return " to ".join(form(v, digits) for v in value)


def position(value: float | None, _digits: int = 0) -> str:
    """Return a place in a continuum: three decimals tell milliseconds of seconds."""
    if value is None:
        return NONE
    return f"{value:.3f}".rstrip("0").rstrip(".")


def share(value: float | None, _digits: int = 0) -> str:
    """Return a share in percent, with one decimal below ten; ∞ is beyond all that can be.

    >>> share(0.0314), share(0.31), share(float("inf"))
    ('3.1 %', '31 %', 'beyond')
    """
    if value is None or math.isnan(value):
        return NONE
    if math.isinf(value):
        return "beyond"
    return f"{100 * value:.{0 if value >= 0.095 else 1}f} %"


def listing(value: Iterable[object] | None, _digits: int = 0) -> str:
    """Return several texts, joined by semicolons."""
    return "; ".join(map(str, value or ()))


def yes_no(value: object, _digits: int = 0) -> str:
    """Return "yes" or "no", "–" for None."""
    if value is None:
        return NONE
    if value:
        return "yes"
    return "no"


_LEFT_ALIGNED = (text, listing, yes_no)


@dataclass(frozen=True)
class Tint:
    """Strength of a matrix cell's colour: `share` in [0, 1] of the style's `kind`."""

    kind: str
    share: float


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    key
        Key of the record; also the column's name in CSV.
    header
        Header that people read over it.
    form
        Form in which a value is written: `number`, `interval`, `percent`, …
    digits
        Decimals, where they are not those of the whole table.
    value
        Function that takes the value from the record; by default the entry of the key.
    tint
        For matrices: how a cell is coloured in HTML.
    wrapped
        A text that may be long and is broken into lines.
    left
        Whether its cells begin at the left, whatever their form.
    rank
        Order in which columns leave a table that is wider than the terminal: the highest first, 0
        never.
    meaning
        Explanation for the legend below the table, which begins with the header; "" for none.
    """

    key: str
    header: str
    form: Form = text
    digits: int | None = None
    value: Callable[[Record], Any] | None = None
    tint: Callable[[Record], Tint | None] | None = None
    wrapped: bool = False
    left: bool = False
    rank: int = 0
    meaning: str = ""

    @property
    def numeric(self) -> bool:
        """Return whether cells are aligned to the right, as numbers are."""
        return not self.left and self.form not in _LEFT_ALIGNED

    def of(self, record: Record) -> Any:
        """Return the column's value in a record, None where the record has none."""
        if self.value is None:
            return record.get(self.key)
        return self.value(record)

    def cell(self, record: Record, digits: int = 4) -> str:
        """Return the column's value in a record as printable text."""
        if self.digits is None:
            chosen = digits
        else:
            chosen = self.digits
        return visible(self.form(self.of(record), chosen))


@dataclass(frozen=True)
class Excerpt:
    """Choice of the rows of a long table that a terminal shows.

    Attributes
    ----------
    words
        What the rows have in common, such as "with most documents".
    key
        Function of a record; rows with the largest values are chosen, and none without a value
        (None).
    both_ends
        Whether half of the rows are those with the smallest values. These come first then.
    """

    words: str
    key: Callable[[Record], Any]
    both_ends: bool = False

    def of(self, records: Sequence[Record], most: int) -> list[Record]:
        """Return at most `most` of the records.

        >>> records = [{"x": x} for x in (2, 5, 1, 4)]
        >>> [r["x"] for r in Excerpt("", lambda r: r["x"]).of(records, 2)]
        [5, 4]
        >>> [r["x"] for r in Excerpt("", lambda r: r["x"], both_ends=True).of(records, 2)]
        [1, 5]
        """
        known = [record for record in records if self.key(record) is not None]
        ordered = sorted(known, key=self.key, reverse=not self.both_ends)
        if self.both_ends and len(ordered) > most:
            return ordered[: most // 2] + ordered[-(most - most // 2) :]
        return ordered[:most]


@dataclass(frozen=True)
class Table:
    """Columns over records.

    `total` is how many of the last records stand for all the others (the corpus, a mean), and
    `excerpt` says which rows to show where there are too many.
    """

    columns: tuple[Column, ...]
    records: Sequence[Record] = field(default_factory=list)
    total: int = 0
    excerpt: Excerpt | None = None

    @property
    def headers(self) -> tuple[str, ...]:
        """Return the printable headers of the columns."""
        return tuple(visible(c.header) for c in self.columns)

    def cells(self, digits: int = 4) -> list[list[str]]:
        """Return the rows as text."""
        return [[c.cell(record, digits) for c in self.columns] for record in self.records]

    def shortened(self, most: int) -> Table:
        """Return the table with the rows of its excerpt, and those that stand for all.

        Parameters
        ----------
        most
            Largest number of rows, without those that stand for all.
        """
        n_rows = len(self.records) - self.total
        if self.excerpt is None or n_rows <= most:
            return self
        chosen = self.excerpt.of(self.records[:n_rows], most)
        return replace(self, records=[*chosen, *self.records[n_rows:]])

    def without_empty(self, *keys: str) -> Table:
        """Return the table without those of the columns that have no value in any record."""
        columns = (
            c
            for c in self.columns
            if c.key not in keys or any(c.of(record) is not None for record in self.records)
        )
        return replace(self, columns=tuple(columns))

    def without(self, *keys: str, when: bool = True) -> Table:
        """Return the table without these columns."""
        columns = tuple(c for c in self.columns if not (when and c.key in keys))
        return replace(self, columns=columns)

    def write_csv(self, path: Path) -> None:
        """Write the table as `write_csv` has it."""
        write_csv(path, self.columns, self.records)


def write_csv(path: Path, columns: Sequence[Column], records: Iterable[Record]) -> None:
    """Write a table as CSV for people: keys over the columns, values in full precision.

    Cells that a spreadsheet would run as a formula get an apostrophe before them.
    """
    from gammacp.base.csv_files import write_rows

    rows = ([_plain(c, c.of(record)) for c in columns] for record in records)
    write_rows(path, chain([[c.key for c in columns]], rows), for_spreadsheets=True)


def _plain(column: Column, value: Any) -> object:
    if value is not None and column.form in (listing, yes_no):
        return column.form(value, 0)
    if column.form is position and float(value).is_integer():
        return int(value)
    return value
