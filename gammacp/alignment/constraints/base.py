"""Base class of constraints on alignments, and the registry of their kinds.

A kind of constraint overrides one or more of four methods. `allows_pairs` says which pairs of units
may be in one group, `allows_groups` which groups are allowed, `allows_both` which two groups may be
in one alignment, and `links` which units must be in one group. The solvers use only these methods,
never the name of a kind.
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
    """Rule that an alignment must keep; most kinds are frozen dataclasses of their parameters.

    Attributes
    ----------
    kind
        Name in the registry (`registered_constraint` sets it).
    hereditary
        Whether an alignment that keeps the rule still keeps it after a group is split in two. If
        so, groups whose parts cost less can be left out; prices and proofs depend on this. If not,
        every allowed group is listed.
    structural
        Whether the rule makes sense for any set of annotations, rather than for units of one text.
        If so, γ applies it to random sets as well.
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
        """Return which groups are allowed; None if all are whose pairs are allowed.

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
        """Return the largest size of a group, or None if the constraint sets no such limit.

        With a limit, fewer groups have to be listed.
        """
        return None

    def places(self, continuum: Continuum) -> Indices | None:  # noqa: ARG002
        """Return a place for each unit if the constraint is one of order, else None.

        Places are integers. They state that, with two annotators, two pairs may be in one alignment
        if and only if they are in the same order by the places of the first annotator's units and
        by those of the second's. Places of different annotators are never compared. Dynamic
        programming then finds the alignment. If the result is None, the default, it is found by
        linear programs and `allows_both`, which is slower and just as exact.

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
        """Return the constraint's part of a signature."""
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
        """Make a constraint from the text after `=` on the command line.

        Parameters
        ----------
        value
            The text: the value of the only field of the kind. None if there is no `=`.
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
        """Make a constraint from a TOML table.

        Parameters
        ----------
        table
            The table without its key `kind`; by default, its keys are the fields of the kind.
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

    def add(constraint_class: C) -> C:
        constraint_class.kind = kind
        CONSTRAINTS.register(kind, constraint_class)
        return constraint_class

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
        There is no such kind, or its value is not valid.

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
    """Raise a UsageError for a constraint that does not apply to random sets.

    Parameters
    ----------
    constraints
        All constraints that were given.
    what
        Name of the function that would apply the constraints to random sets.
    """
    for each in constraints:
        if not each.structural:
            raise UsageError(
                f"constraint {each.kind} cannot be put on random sets, so that {what} with it "
                f"would compare two different things: give it to `align`"
            )
