"""The best alignment: from a continuum to an `Alignment`, proven or with a bound.

A solver looks for an alignment, and for prices of the units: no group saves more than the prices
of its units, compared with leaving these alone. So no alignment saves more than all prices
together, which gives the bound.

How a problem flows, and where:

1. `align` binds the dissimilarity to what is measured (`gammacp.dissimilarity.bind`).
2. `presolve` merges identical units and thins out what is too dense; most continua pass unchanged.
   It is wrapped around steps 3 to 7: it has the problems built and calls the solver. (For a solver
   that is not registered as `presolved`, `align` does both without it.)
3. `candidates` finds, by their positions, the pairs of units that a best alignment could use,
4. and makes a `Problem` of them: a graph, and what opening a group costs.
5. A solver (`solvers`, one contract) finds groups. `auto` takes `bipartite` for two annotators,
   `enumeration` if all groups (`columns`) can be listed, and otherwise `crowd`. This begins with
   `generation`, for a limited time; then better alignments (annealing) and better bounds
   (semidefinite relaxations) are sought in turn; then `generation` continues. In long continua of
   fewer annotators, recombination and proximal steps take the place of annealing and relaxations.
   A cover is left to `generation` alone.
6. `bipartite` gets the prices from its matching, the others from `duals`. `generation` also looks
   for new groups by `pricing`, and for good alignments by `heuristics`.
7. The prices of a matching are its proof. For the others, `proof` divides what the prices leave
   open into components, and proves the best alignment if there is time.
8. `ties` takes the same one of several best alignments, whatever exact solver proved them.
9. `Alignment` shows it, with its disorder and a bound that no alignment is below; `alternatives`
   lists and counts the others that are as good, or nearly so.

Around this, `batch` aligns many small continua as one problem, and `aligned` holds the alignments
of many continua as columns. `constraints` are rules that an alignment must keep, and `certificate`
writes an alignment and its proof to a file.

What runs per pair, group or label is compiled (`kernels`). A stage that can be tuned has a class of
its own beside it (`limits.Stage`). The solvers `cpsat`, `milp`, `greedy` and `brute` are there for
comparison.

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
