"""Back-end `brute`: every partition, for tests; nothing is pruned."""

from functools import cache
from itertools import product

import numpy as np

from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Solution, group_costs, solution
from gammacp.alignment.solvers.registry import registered
from gammacp.base.stopping import note
from gammacp.errors import UsageError

_UNITS = 22
_GROUPS = 2_000_000


@registered("brute", "every partition, for tests on tiny continua", pruned=False)
def solve_brute(problem: Problem, limits: Limits) -> Solution:  # noqa: ARG001
    """Minimum over all partitions (covers) by recursion on the first unit not yet covered."""
    units_of = [np.flatnonzero(problem.annotator == a) for a in range(problem.n_annotators)]
    tuples = int(np.prod([len(u) + 1.0 for u in units_of]))
    if problem.n_units > _UNITS or tuples > _GROUPS:
        raise UsageError(
            f"method 'brute' is for tests of at most {_UNITS} units, "
            f"not {problem.n_units} ({tuples:,} unitary alignments)"
        )
    every = np.array(list(product(*([*u.tolist(), -1] for u in units_of))), np.int32)
    every = every[(every >= 0).any(axis=1)]
    costs = group_costs(problem, every)
    every = every[np.isfinite(costs)]
    costs = costs[np.isfinite(costs)]
    masks = [sum(1 << u for u in row if u >= 0) for row in every.tolist()]
    having: list[list[int]] = [
        [g for g, mask in enumerate(masks) if mask >> u & 1] for u in range(problem.n_units)
    ]
    full = (1 << problem.n_units) - 1

    @cache
    def best(covered: int) -> tuple[float, int]:
        """(cost of covering the rest, first group to take)."""
        if covered == full:
            return 0.0, -1
        first = (~covered & (covered + 1)).bit_length() - 1
        allowed = (g for g in having[first] if problem.cover or not masks[g] & covered)
        return min(
            (
                float(costs[g])
                + problem.reuse * (masks[g] & covered).bit_count()
                + best(covered | masks[g])[0],
                g,
            )
            for g in allowed
        )

    chosen = []
    covered = 0
    while covered != full:
        g = best(covered)[1]
        chosen.append(g)
        covered |= masks[g]
    note(columns_listed=len(every), proved_by="trying everything")
    return solution(problem, every[chosen], best(0)[0])
