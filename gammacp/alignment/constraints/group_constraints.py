"""Constraints on single groups: how many units they have, and of what category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gammacp.alignment.constraints.base import Constraint, registered_constraint
from gammacp.base.arguments import whole
from gammacp.base.arrays import Bools, Codes
from gammacp.continuum import Continuum
from gammacp.continuum.label import category_of


@registered_constraint("at-most")
@dataclass(frozen=True)
class AtMost(Constraint):
    """Groups have at most `units` units; AtMost(1) leaves every unit alone.

    Parameters
    ----------
    units
        At least 1.
    """

    units: int

    def __post_init__(self) -> None:
        """Raise UsageError unless `units` is a whole number above 0."""
        whole("at-most", self.units, 1)

    def allows_groups(self, continuum: Continuum, groups: Codes) -> Bools:  # noqa: ARG002
        """Return which groups are small enough."""
        return np.asarray((groups >= 0).sum(axis=1) <= self.units)

    def largest(self) -> int:
        """Return `units`."""
        return self.units


@registered_constraint("at-least")
@dataclass(frozen=True)
class AtLeast(Constraint):
    """Groups have at least `units` units; with 2 or more no unit is alone.

    Not hereditary: a part of a group may be too small. Not structural: random sets may have no such
    alignment.

    Parameters
    ----------
    units
        At least 1.
    """

    hereditary: ClassVar[bool] = False
    structural: ClassVar[bool] = False
    units: int

    def __post_init__(self) -> None:
        """Raise UsageError unless `units` is a whole number above 0."""
        whole("at-least", self.units, 1)

    def allows_groups(self, continuum: Continuum, groups: Codes) -> Bools:  # noqa: ARG002
        """Return which groups are large enough."""
        return np.asarray((groups >= 0).sum(axis=1) >= self.units)


@registered_constraint("same-category")
@dataclass(frozen=True)
class SameCategory(Constraint):
    """Units of a group have the same category.

    Features other than the category may differ. None counts as a category.
    """

    def allows_pairs(self, continuum: Continuum, first: Codes, second: Codes) -> Bools:
        """Return which pairs have the same category."""
        kinds: dict[str | None, int] = {}
        # The last entry is for the code −1.
        number = [
            kinds.setdefault(category_of(label), len(kinds))
            for label in (*continuum.categories, None)
        ]
        of_unit = np.array(number)[continuum.category_codes]
        return np.asarray(of_unit[first] == of_unit[second])
