"""The alignment problem for other solvers, and problems of anybody's weights."""

from gammacp.problems.exporting import export
from gammacp.problems.multi_matching import read_multi_matching, weighted_problem

__all__ = ["export", "read_multi_matching", "weighted_problem"]
