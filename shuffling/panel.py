"""Panels of unequal annotators: groups that err in other ways, schools that share an error, copies.

    [[groups]]
    count = 2                       # default 1
    magnitude = 0.1                 # a number, "m" (the default: that of the sweep) or "0.5*m"
    errors = "position+category"    # default: those of the sweep
    school = "north"                # default: none
    copies = 1                      # how often each annotator of the group is there

    [schools.north]
    errors = "false-negative"       # default: those of the sweep
    magnitude = "m"

A school's errors are drawn once per set and shared: its annotators take the reference, changed by
them, for the truth and then err on their own. Copies of an annotator are the same to the last bit.

>>> Panel.parse("2*0.1,1*m").n_annotators
3
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from pydantic import Field

from gammacp.base.toml_files import read_toml
from gammacp.base.validation import WrittenTable, validated
from gammacp.errors import DataError, UsageError
from shuffling.registry import ErrorType, parse_errors

Magnitude = float | str
"""A magnitude that stays, or "m" or "0.5*m": a share of that of the sweep."""


@dataclass(frozen=True)
class School:
    """Errors that annotators share.

    Attributes
    ----------
    errors
        Errors as text; None: those of the sweep.
    magnitude
        See `Magnitude`.
    """

    errors: str | None = None
    magnitude: Magnitude = "m"

    def __post_init__(self) -> None:
        """Check errors and magnitude, and normalise the magnitude."""
        object.__setattr__(self, "magnitude", _checked(self.errors, self.magnitude))


@dataclass(frozen=True)
class Group:
    """Annotators who err alike, each on their own.

    Attributes
    ----------
    count
        Number of annotators in the group.
    errors
        Errors as text; None: those of the sweep.
    magnitude
        See `Magnitude`.
    school
        Name of the school whose errors they share.
    copies
        Number of times that each of them is there.
    """

    count: int = 1
    errors: str | None = None
    magnitude: Magnitude = "m"
    school: str | None = None
    copies: int = 1

    def __post_init__(self) -> None:
        """Check all fields but the school, which the panel checks; normalise the magnitude."""
        for name, value in (("count", self.count), ("copies", self.copies)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise UsageError(f"{name} = {value!r} is not a whole number >= 1")
        object.__setattr__(self, "magnitude", _checked(self.errors, self.magnitude))


@dataclass(frozen=True)
class Panel:
    """Annotators of a set, group by group.

    Attributes
    ----------
    groups
        At least one.
    schools
        Schools by name; each is one that a group belongs to.
    """

    groups: tuple[Group, ...]
    schools: Mapping[str, School] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that groups and schools match."""
        object.__setattr__(self, "groups", tuple(self.groups))
        if not self.groups:
            raise UsageError("a panel needs at least one group")
        named = {group.school for group in self.groups} - {None}
        for name in sorted(str(n) for n in named - self.schools.keys()):
            names = ", ".join(self.schools) or "none"
            raise UsageError(f"school {name!r} is unknown; there are: {names}")
        for name in sorted(self.schools.keys() - named):
            raise UsageError(f"school {name!r} has no group")

    @classmethod
    def parse(cls, text: str) -> "Panel":
        """Return the panel in the short form "COUNT*MAGNITUDE,…", such as "2*0.1,1*m".

        Raises UsageError where the text is not of that form.
        """
        groups = []
        for part in text.split(","):
            count, star, magnitude = (piece.strip() for piece in part.partition("*"))
            if not star or not count.isdecimal():
                raise UsageError(
                    f"{part.strip()!r} is not COUNT*MAGNITUDE; a panel looks like 2*0.1,1*m"
                )
            groups.append(Group(count=int(count), magnitude=magnitude))
        return cls(tuple(groups))

    @property
    def n_annotators(self) -> int:
        """Return how many annotators there are, with copies."""
        return sum(group.count * group.copies for group in self.groups)

    @property
    def errors(self) -> tuple[ErrorType, ...]:
        """Return all errors that groups and schools name."""
        parts: list[Group | School] = [*self.groups, *self.schools.values()]
        texts = [part.errors for part in parts]
        return tuple(error for text in texts if text for error in parse_errors(text))

    def people(self) -> Iterator[Group]:
        """Yield the group of each annotator, copies counted once."""
        for group in self.groups:
            yield from [group] * group.count


def magnitude_at(written: Magnitude, magnitude: float) -> float:
    """Return the magnitude that a group or a school has where the sweep's is `magnitude`.

    >>> magnitude_at(0.1, 0.5), magnitude_at("m", 0.5), magnitude_at("0.5*m", 0.5)
    (0.1, 0.5, 0.25)
    """
    fixed, share = _parts(written)
    return fixed + share * magnitude


def read_panel(path: str | PathLike[str]) -> Panel:
    """Return the panel in a TOML file.

    Parameters
    ----------
    path
        Path of the TOML file.

    Raises
    ------
    DataError
        A key is unknown, a value is out of range, or groups and schools do not fit each other; with
        the file, and the line where it is known.
    """
    document, text = read_toml(path)
    try:
        return panel_from(document, text)
    except DataError as error:
        raise error.at(path) from None


class _School(WrittenTable):
    errors: str | None = None
    magnitude: float | str = "m"


class _Group(_School):
    count: int = 1
    school: str | None = None
    copies: int = 1


class _Panel(WrittenTable):
    groups: list[_Group]
    schools: dict[str, _School] = Field(default={})


def panel_from(document: Mapping[str, Any], text: str = "") -> Panel:
    """Return the panel in a parsed document; errors as of `read_panel`, without the file.

    Parameters
    ----------
    document
        Document as parsed from TOML or JSON.
    text
        The TOML, for the lines of errors.
    """
    content = validated(_Panel, document, text=text)
    groups = []
    for number, each in enumerate(content.groups):
        with _wrong_in(f"groups[{number}]: "):
            groups.append(Group(**each.model_dump()))
    schools = {}
    for name, school in content.schools.items():
        with _wrong_in(f"schools.{name}: "):
            schools[name] = School(**school.model_dump())
    with _wrong_in(""):
        return Panel(tuple(groups), schools)


@contextmanager
def _wrong_in(part: str) -> Iterator[None]:
    """Turn UsageErrors about values into DataErrors about a part of the file."""
    try:
        yield
    except UsageError as error:
        raise DataError(f"{part}{error}") from None


def _checked(errors: str | None, magnitude: Magnitude) -> Magnitude:
    if errors is not None:
        parse_errors(errors)
    fixed, share = _parts(magnitude)
    if not (0 <= fixed <= 1 and 0 <= share <= 1):
        raise UsageError(f"magnitude {magnitude!r} is outside [0, 1]")
    if not (isinstance(magnitude, str) and share):
        return fixed
    if share == 1:
        return "m"
    return f"{share:g}*m"


def _parts(written: Magnitude) -> tuple[float, float]:
    """Split a magnitude into a constant and a share of the sweep's magnitude."""
    if not isinstance(written, str):
        return float(written), 0.0
    text = written.replace(" ", "")
    scaled = text.endswith("m")
    if scaled:
        number = text.removesuffix("m").removesuffix("*")
    else:
        number = text
    try:
        if scaled and not number:
            value = 1.0
        else:
            value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"magnitude {written!r} is neither a number nor m nor a share like 0.5*m")
    if scaled:
        return (0.0, value)
    return (value, 0.0)
