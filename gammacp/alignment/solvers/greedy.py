"""Solver `greedy`: Algorithm 1 of Mathet & Widlöcher (2011).

It sorts the unitary alignments by entropy ĕ (their disorder), takes the first, drops every later
one that shares a unit with it, and so on. A unit alone has ĕ = Δ and is always on the list, so
unitary alignments with ĕ > Δ are never taken. The paper's list goes on to n·Δ (eq. 8);
`unitary_alignments_within` can count it.
"""

import numpy as np

from gammacp.alignment.columns import MEMBERS, to_groups
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Solution
from gammacp.alignment.solvers.registry import registered
from gammacp.base.arrays import Indices
from gammacp.errors import DataError


@registered("greedy", "Algorithm 1 of 2011, not exact; its bound is weak", exact=False)
def solve_greedy(problem: Problem, limits: Limits) -> Solution:  # noqa: ARG001
    """Run Algorithm 1; the bound is the sum of the best that each unit could gain."""
    from gammacp.alignment.proof.unit_bound import solution_with_unit_bound

    # In a group with ĕ ≤ Δ no pair has d > Δ·C(n, 2), and pruning keeps such pairs.
    columns = unitary_alignments_within(problem, problem.delta)
    groups = to_groups(problem, columns.select(take_first(problem, columns)))
    return solution_with_unit_bound(problem, groups)


def take_first(problem: Problem, columns: Columns) -> Indices:
    """Run Algorithm 1 on these columns; among equal ones take the larger, then the earlier."""
    from gammacp.alignment.kernels.greedy import take_disjoint

    sizes = columns.sizes
    entropy = sizes * problem.opening - columns.gain
    order = np.lexsort((np.arange(columns.number), -sizes, entropy))
    return np.asarray(take_disjoint(problem.n_units, columns, order))


def unitary_alignments_within(problem: Problem, most: float) -> Columns:
    """Return the unitary alignments of two or more units with ĕ ≤ `most`.

    The problem must list all pairs (built with `prune=False`). With `most` = n·Δ, these and one
    unitary alignment per single unit are the candidates that the 2011 paper counts in Table 2.
    """
    from gammacp.alignment.kernels.greedy import groups_within

    n = problem.n_annotators
    cost = float(most) * (n * (n - 1) // 2) * (1 + 1e-12)
    delta = float(problem.delta)
    columns, complete = groups_within(problem.graph, problem.opening, cost, delta, MEMBERS)
    if not complete:
        raise DataError(
            f"too many unitary alignments with a disorder up to {most:g} to list them all",
            hint="Use the method 'auto'",
        )
    return columns
