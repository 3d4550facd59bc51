"""The alignment problem for other solvers, and problems with arbitrary weights."""

from typing import TYPE_CHECKING

from gammacp.base.lazy import lazy_names

if TYPE_CHECKING:
    from gammacp.problems.exporting import export
    from gammacp.problems.multi_matching import read_multi_matching, weighted_problem
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "export": "gammacp.problems.exporting",
            "read_multi_matching": "gammacp.problems.multi_matching",
            "weighted_problem": "gammacp.problems.multi_matching",
        },
    )

__all__ = ["export", "read_multi_matching", "weighted_problem"]
