"""Constraints on alignments, and how they are kept while the best alignment stays proven.

`base` has the class that a constraint is, and its registry; `group_constraints`,
`unit_constraints` and `crossing` have the kinds. `rules` puts those of a text together, `solving`
brings them to the solvers, and `engine` says how problems with rules on groups are solved:
`in_order`, `exclusion` and `all_groups`.

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
    from gammacp.alignment.constraints.group_constraints import AtLeast, AtMost, SameCategory
    from gammacp.alignment.constraints.unit_constraints import CannotLink, MustLink
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
            "AtLeast": f"{_HERE}.group_constraints",
            "AtMost": f"{_HERE}.group_constraints",
            "SameCategory": f"{_HERE}.group_constraints",
            "CannotLink": f"{_HERE}.unit_constraints",
            "MustLink": f"{_HERE}.unit_constraints",
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
