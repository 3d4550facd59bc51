"""A constraint: the methods through which the engine asks it, and the registry of its kinds.

A kind overrides one of four methods, or several: which pairs of units may be in one group, which
groups may be, which two groups may be in one alignment, and which units must be in one group. The
engine knows no kind by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, TypeVar, get_type_hints

from gammacp.base.arrays import Bools, Codes, Indices
from gammacp.continuum import Continuum
from gammacp.errors import UsageError
from gammacp.registry import Registry

C = TypeVar("C", bound="type[Constraint]")

_NUMBERS: Mapping[Any, str] = {int: "a whole number", float: "a number"}


class Constraint:
    """Rule that an alignment must keep; a kind is a frozen dataclass with what it needs to know.

    Attributes
    ----------
    kind
        Name in the registry (`registered_constraint` sets it).
    hereditary
        Whether splitting a group in two never breaks it. Groups that do better apart are then left
        out, and all prices and proofs rest on that. Where it is False, every group is listed.
    structural
        Whether the rule is about any annotations, not about units of one text: γ then puts it on
        random sets, too.
    """

    kind: ClassVar[str] = ""
    hereditary: ClassVar[bool] = True
    structural: ClassVar[bool] = True

    def allows_pairs(self, continuum: Continuum, first: Codes, second: Codes) -> Bools | None:  # noqa: ARG002
        """Return which pairs of units may be in one group; None if any may.

        Parameters
        ----------
        continuum
            The text.
        first, second
            Rows of its units, shape (pairs,).
        """
        return None

    def allows_groups(self, continuum: Continuum, groups: Codes) -> Bools | None:  # noqa: ARG002
        """Return which groups may be; None if any may, as far as their pairs are concerned.

        Parameters
        ----------
        continuum
            The text.
        groups
            Rows of its units, shape (groups, annotators), −1 where an annotator has none.
        """
        return None

    def allows_both(self, continuum: Continuum, first: Codes, second: Codes) -> Bools | None:  # noqa: ARG002
        """Return which two groups may be in one alignment; None if any two may.

        Parameters
        ----------
        continuum
            The text.
        first, second
            Groups as for `allows_groups`, beside each other and without a common unit.
        """
        return None

    def links(self, continuum: Continuum) -> Sequence[Indices]:  # noqa: ARG002
        """Return sets of rows whose units must be in one group.

        Parameters
        ----------
        continuum
            The text.
        """
        return ()

    def largest(self) -> int | None:
        """Return the most units of a group, where the constraint says that; groups are then few."""
        return None

    def places(self, continuum: Continuum) -> Indices | None:  # noqa: ARG002
        """Return a number for each unit, by which pairs of two annotators keep one order, or None.

        With two annotators it says that two groups of two units may be in one alignment exactly if
        the one whose unit by the first annotator has the smaller number also has the smaller one by
        the second. Only units of one annotator are compared, so that any numbers will do that
        ascend along an annotator's units. Dynamic programming then solves it. Where the answer is
        None, as by default, a linear program with `allows_both` does, which is slower and as exact.

        Parameters
        ----------
        continuum
            The text.
        """
        return None

    def __str__(self) -> str:
        """Return the kind with its values, for signatures and messages."""
        values = [str(getattr(self, name)) for name in self._names()]
        if not values:
            return self.kind
        return f"{self.kind}({','.join(values)})"

    @property
    def signature(self) -> str:
        """Return the constraint in a signature."""
        return str(self)

    @classmethod
    def _names(cls) -> list[str]:
        """Return the names of its fields."""
        subclass: Any = cls
        if not is_dataclass(subclass):
            return []
        return [each.name for each in fields(subclass)]

    @classmethod
    def from_text(cls, value: str | None) -> Constraint:
        """Make it of what stands behind `=` on the command line.

        Parameters
        ----------
        value
            The text, None where there is no `=`; a kind with one number or name takes that.
        """
        names = cls._names()
        if not names and value is None:
            return cls()
        if not names:
            raise UsageError(f"constraint {cls.kind} takes no value, not {value!r}")
        if value is None:
            raise UsageError(f"constraint {cls.kind} needs a value: {cls.kind}=…")
        if len(names) > 1:
            raise UsageError(f"constraint {cls.kind} has several values: write it in a TOML file")
        wanted = get_type_hints(cls)[names[0]]
        try:
            number_or_name = wanted(value)
        except ValueError:
            what = _NUMBERS.get(wanted, "such a value")
            raise UsageError(f"constraint {cls.kind}: {value!r} is not {what}") from None
        return cls(**{names[0]: number_or_name})

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Constraint:
        """Make it of a TOML table.

        Parameters
        ----------
        table
            Keys of the table but `kind`: by default the fields.
        """
        names = cls._names()
        for key in table:
            if key not in names:
                known_names = ", ".join(names) or "none"
                raise UsageError(
                    f"constraint {cls.kind} has no key {key!r}; its keys: {known_names}"
                )
        for name in names:
            if name not in table:
                raise UsageError(f"constraint {cls.kind} needs {name}")
        return cls(**table)


CONSTRAINTS: Registry[type[Constraint]] = Registry("constraint")


def registered_constraint(kind: str) -> Callable[[C], C]:
    """Register the decorated class as a kind of constraint.

    Parameters
    ----------
    kind
        Name of the constraint on the command line and in TOML files.
    """

    def add(made: C) -> C:
        made.kind = kind
        CONSTRAINTS.register(kind, made)
        return made

    return add


def constraint(text: str) -> Constraint:
    """Return the constraint that `KIND` or `KIND=VALUE` names.

    Parameters
    ----------
    text
        A constraint as `--constraint` takes it.

    Raises
    ------
    UsageError
        There is no such kind, or its value cannot be.

    >>> str(constraint("at-most=3"))
    'at-most(3)'
    """
    kind, equals, value = text.partition("=")
    return CONSTRAINTS[kind.strip()].from_text(value.strip() if equals else None)


def checked(constraints: Any) -> tuple[Constraint, ...]:
    """Return constraints as a tuple; a UsageError for anything else.

    Parameters
    ----------
    constraints
        A list of them, or None.
    """
    if constraints is None:
        return ()
    several = isinstance(constraints, list | tuple)
    if not several or not all(isinstance(each, Constraint) for each in constraints):
        raise UsageError(f"constraints {constraints!r} is not a list such as [NonCrossing()]")
    return tuple(dict.fromkeys(constraints))


def check_structural(constraints: Sequence[Constraint], what: str) -> None:
    """Raise a UsageError for a constraint that random sets cannot have.

    Parameters
    ----------
    constraints
        All that were given.
    what
        Name of the function that would put the constraints on random sets.
    """
    for each in constraints:
        if not each.structural:
            raise UsageError(
                f"constraint {each.kind} cannot be put on random sets, so that {what} with it "
                f"would compare two different things: give it to `align`"
            )
