"""The best alignment: from a continuum to an `Alignment`, proven or with a bound.

How a problem flows, and where:

1. `align` binds the dissimilarity to what is measured (`gammacp.dissimilarity.bind`); `batch` lays
   many small continua behind one another and has them aligned as one.
2. `presolve` merges identical units and thins out what is too dense; most continua pass. It is
   around the next steps, not before them: it has the problems built and calls the solver (one that
   is registered as `presolved`; `align` does it for the others).
3. `candidates` lists the pairs of units that can still pay, found by their positions,
4. and makes a `Problem` of them: a graph, and what opening a group costs.
5. A solver (`solvers`, one contract) finds groups: `auto` takes `bipartite` for two annotators,
   `enumeration` where all groups (`columns`) can be listed, otherwise `crowd`: `generation` with a
   head start, then better alignments (annealing) and better bounds (semidefinite) in turn, then
   `generation` again. In long continua of fewer annotators recombination and proximal steps take
   the place of these two; a cover is left to `generation`.
6. These price the units: `bipartite` in its matching, the others by `duals`, `generation` with new
   groups from `pricing` and good alignments from `heuristics`.
7. A matching's prices are its proof. For the others `proof` decomposes what prices leave open into
   components and proves the best alignment, where time lasts.
8. `ties` takes the same one of several best alignments, whatever exact solver proved them.
9. `Alignment` shows it, with its disorder and a bound that no alignment is below; `alternatives`
   lists and counts the others that are as good, or nearly so.

Beside all this, `multi_matching` makes problems of anybody's weights, and `exporting` writes a
problem as an `integer_program` for other solvers.

What runs per pair, group or label is compiled (`kernels`); a stage that can be tuned has a class
of its own beside it (`limits.Stage`). The
solvers `cpsat`, `milp`, `greedy` and `brute` price nothing: they are there for comparison.

See docs/dev/alignment.md for the same with its reasons.
"""

from gammacp.alignment.align import BestDisorder, BestGroups, align, best_disorder, best_groups
from gammacp.alignment.alignment import Alignment, UnitaryAlignment
from gammacp.alignment.batch import align_each, best_groups_of_each
from gammacp.alignment.candidates import build_problem
from gammacp.alignment.limits import Limits, Solving
from gammacp.alignment.problem import Problem, Solution, Status
from gammacp.alignment.solvers.registry import SOLVERS, Solver, register, solve

__all__ = [
    "SOLVERS",
    "Alignment",
    "BestDisorder",
    "BestGroups",
    "Limits",
    "Problem",
    "Solution",
    "Solver",
    "Solving",
    "Status",
    "UnitaryAlignment",
    "align",
    "align_each",
    "best_disorder",
    "best_groups",
    "best_groups_of_each",
    "build_problem",
    "register",
    "solve",
]
