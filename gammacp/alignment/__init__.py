"""The best alignment: candidates, solvers, Alignment with its certificate."""

from gammacp.alignment.align import BestDisorder, BestGroups, align, best_disorder, best_groups
from gammacp.alignment.alignment import Alignment, PairCost, UnitaryAlignment
from gammacp.alignment.candidates import build_problem
from gammacp.alignment.problem import Problem, Solution, Status
from gammacp.alignment.solvers import SOLVERS, Solver, solve

__all__ = [
    "SOLVERS",
    "Alignment",
    "BestDisorder",
    "BestGroups",
    "PairCost",
    "Problem",
    "Solution",
    "Solver",
    "Status",
    "UnitaryAlignment",
    "align",
    "best_disorder",
    "best_groups",
    "build_problem",
    "solve",
]
