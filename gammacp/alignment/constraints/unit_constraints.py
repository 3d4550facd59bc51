"""Constraints on given units: which must be in one group, and which must not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from gammacp.alignment.constraints.base import Constraint, registered_constraint
from gammacp.base.arrays import Bools, Codes, Indices
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError, UsageError

_KEYS = ("annotator", "start", "end", "category")


class _OfUnits(Constraint):
    """Base of the constraints on two or more units.

    Parameters
    ----------
    units
        Two or more `Unit`s. If several units of the continuum differ only in `id` or fragments,
        the first one is meant.
    """

    structural: ClassVar[bool] = False

    def __init__(self, *units: Unit) -> None:
        """Raise UsageError for fewer than two arguments, or for one that is not a unit."""
        if len(units) < 2 or not all(isinstance(unit, Unit) for unit in units):
            raise UsageError(f"constraint {self.kind} takes two units or more, not {units!r}")
        self.units = units

    def __eq__(self, other: object) -> bool:
        """Compare kinds and units."""
        return isinstance(other, type(self)) and other.units == self.units

    def __hash__(self) -> int:
        """Be consistent with `==`."""
        return hash((self.kind, self.units))

    def __repr__(self) -> str:
        """Return the expression that makes this constraint."""
        return f"{type(self).__name__}({', '.join(map(repr, self.units))})"

    def __str__(self) -> str:
        """Return the kind of the constraint with its units."""
        return f"{self.kind}({'; '.join(map(name_of, self.units))})"

    @classmethod
    def from_text(cls, value: str | None) -> Constraint:
        """Raise UsageError: units can only be given in a TOML file."""
        raise UsageError(
            f"constraint {cls.kind}{'' if value is None else '=' + value} names units: write it in "
            f'a TOML file, [[constraint]] kind = "{cls.kind}" with units = [{{annotator = …, '
            "start = …, end = …}, …]"
        )

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Constraint:
        """Make the constraint from `units`: tables of annotator, start, end, optional category."""
        units = table.get("units")
        if [*table] != ["units"] or not isinstance(units, list):
            raise UsageError(f"constraint {cls.kind} has one key, units = […]")
        return cls(*map(_unit_of, units))

    def rows(self, continuum: Continuum) -> Indices:
        """Return the rows of the units; raise DataError if one is missing or given twice.

        Parameters
        ----------
        continuum
            Continuum that the units are looked up in.
        """
        rows = [row_of(continuum, unit, self.kind) for unit in self.units]
        for unit, row in zip(self.units, rows, strict=True):
            if rows.count(row) > 1:
                raise DataError(f"{self.kind} names {name_of(unit)} twice")
        return np.array(rows)


@registered_constraint("must-link")
class MustLink(_OfUnits):
    """Units that must be in one group, as when an edited consensus has them together.

    Not hereditary: splitting the group breaks the constraint. The proof holds all the same
    (`rules`).
    """

    hereditary: ClassVar[bool] = False

    def links(self, continuum: Continuum) -> Sequence[Indices]:
        """Return a list of one array: the rows of the units."""
        return [self.rows(continuum)]


@registered_constraint("cannot-link")
class CannotLink(_OfUnits):
    """Units of which no two may be in one group."""

    def allows_pairs(self, continuum: Continuum, first: Codes, second: Codes) -> Bools:
        """Return which pairs do not consist of two of these units."""
        rows = self.rows(continuum)
        return np.asarray(~(np.isin(first, rows) & np.isin(second, rows)))


class UnitByPlace(Unit):
    """A unit that was given without its category, by annotator, start and end."""


def _unit_of(table: Any) -> Unit:
    """Return the unit that a TOML table describes."""
    if not isinstance(table, dict) or not {*_KEYS[:3]} <= {*table} <= {*_KEYS}:
        raise UsageError(f"{table!r} is no unit: it needs annotator, start, end, may have category")
    name, start, end = (table[key] for key in _KEYS[:3])
    numbers = all(isinstance(p, int | float) and not isinstance(p, bool) for p in (start, end))
    if not isinstance(name, str) or not numbers:
        raise UsageError(f"{table!r} is no unit: annotator is a name, start and end are numbers")
    if "category" in table:
        return Unit(name, start, end, str(table["category"]))
    return UnitByPlace(name, start, end)


def row_of(continuum: Continuum, unit: Unit, kind: str) -> int:
    """Return the row of a unit; raise a DataError that names the unit if it is not there.

    Parameters
    ----------
    continuum
        Continuum that the unit is looked up in.
    unit
        The unit, found by its annotator, place and category.
    kind
        Kind of the constraint, for the message.
    """
    if unit.annotator not in continuum.annotators:
        annotators = ", ".join(continuum.annotators)
        raise DataError(
            f"{kind} names {name_of(unit)}, and there is no annotator {unit.annotator!r}",
            hint=f"The annotators are {annotators}",
        )
    mine = continuum.rows_of(unit.annotator)
    at = (continuum.starts[mine] == unit.start) & (continuum.ends[mine] == unit.end)
    rows = np.flatnonzero(at) + mine.start
    if isinstance(unit, UnitByPlace):
        kinds = {continuum.category_of(int(row)) for row in rows}
        if len(kinds) > 1:
            listed = ", ".join(sorted(map(str, kinds)))
            raise DataError(
                f"{kind} names {name_of(unit)}, where several units are: {listed}",
                hint="Give the category, too",
            )
    else:
        rows = rows[[continuum.category_of(int(row)) == unit.category for row in rows]]
    if not len(rows):
        raise DataError(
            f"{kind} names {name_of(unit)}, and there is no such unit",
            hint="Annotator, start, end and category must be those of the data",
        )
    return int(rows[0])


def name_of(unit: Unit) -> str:
    """Return a description of a unit, for messages.

    Parameters
    ----------
    unit
        Any unit.

    >>> name_of(Unit("Ann", 1, 2.5, "noun"))
    'Ann 1–2.5 noun'
    """
    name = f"{unit.annotator} {unit.start:.12g}–{unit.end:.12g}"
    if unit.category is None:
        return name
    return f"{name} {unit.category}"


def pairs_of(rows: Indices) -> list[tuple[int, int]]:
    """Return all pairs of the given rows, each with the smaller row first.

    Parameters
    ----------
    rows
        Rows that are all different.
    """
    return list(combinations(sorted(rows.tolist()), 2))
