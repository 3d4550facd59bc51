"""Constraints on alignments, and how they are kept while the best alignment stays proven.

`base` has the class that a constraint is, and its registry; `of_groups`, `of_units` and `crossing`
have the kinds. `rules` puts those of a text together, `solving` brings them to the solvers, and
`engine` says how problems with rules on groups are solved: `in_order`, `apart` and `whole`.

See docs/constraints.md, and docs/dev/adding-a-constraint-or-solver.md for one of your own.
"""

from typing import TYPE_CHECKING

from gammacp.base.lazy import lazy_names

if TYPE_CHECKING:
    from gammacp.alignment.constraints.base import (
        CONSTRAINTS,
        Constraint,
        constraint,
        registered_constraint,
    )
    from gammacp.alignment.constraints.crossing import NonCrossing
    from gammacp.alignment.constraints.of_groups import AtLeast, AtMost, SameCategory
    from gammacp.alignment.constraints.of_units import CannotLink, MustLink
else:
    _HERE = "gammacp.alignment.constraints"
    __getattr__ = lazy_names(
        __name__,
        {
            "CONSTRAINTS": f"{_HERE}.base",
            "Constraint": f"{_HERE}.base",
            "constraint": f"{_HERE}.base",
            "registered_constraint": f"{_HERE}.base",
            "NonCrossing": f"{_HERE}.crossing",
            "AtLeast": f"{_HERE}.of_groups",
            "AtMost": f"{_HERE}.of_groups",
            "SameCategory": f"{_HERE}.of_groups",
            "CannotLink": f"{_HERE}.of_units",
            "MustLink": f"{_HERE}.of_units",
        },
    )

__all__ = [
    "CONSTRAINTS",
    "AtLeast",
    "AtMost",
    "CannotLink",
    "Constraint",
    "MustLink",
    "NonCrossing",
    "SameCategory",
    "constraint",
    "registered_constraint",
]
