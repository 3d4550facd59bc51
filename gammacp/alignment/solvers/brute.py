"""Solver `brute`: try every partition, without pruning; for tests."""

from functools import cache
from itertools import product

import numpy as np

from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Solution, group_costs, no_alignment, solution
from gammacp.alignment.solvers.registry import registered
from gammacp.base.arrays import Codes
from gammacp.base.stopping import note
from gammacp.errors import UsageError

_UNITS = 22
_GROUPS = 2_000_000
_EXCLUDING = 2_000


@registered("brute", "every partition, for tests on tiny continua", pruned=False, constrained=True)
def solve_brute(problem: Problem, limits: Limits) -> Solution:  # noqa: ARG001
    """Try all partitions (or covers), by recursion on the first unit that is not covered yet."""
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
    allowed = np.isfinite(costs)
    if problem.rules is not None:
        allowed &= problem.rules.allowed_groups(every)
    every = every[allowed]
    costs = costs[allowed]
    excluded = _excluded(problem, every)
    masks = [sum(1 << u for u in row if u >= 0) for row in every.tolist()]
    having: list[list[int]] = [
        [g for g, mask in enumerate(masks) if mask >> u & 1] for u in range(problem.n_units)
    ]
    full = (1 << problem.n_units) - 1

    @cache
    def best(covered: int, barred: int) -> tuple[float, int]:
        """Return the cost of covering the remaining units, and the first group to take for that.

        `covered` units and groups that are `barred` are bits of a number.
        """
        if covered == full:
            return 0.0, -1
        first = (~covered & (covered + 1)).bit_length() - 1
        ways = [(np.inf, -1)]
        for g in having[first]:
            if (problem.cover or not masks[g] & covered) and not barred >> g & 1:
                again = problem.reuse * (masks[g] & covered).bit_count()
                ways.append((float(costs[g]) + again + best(*after(g, covered, barred))[0], g))
        return min(ways)

    def after(g: int, covered: int, barred: int) -> tuple[int, int]:
        """Return the covered units and the barred groups once group `g` is taken."""
        return covered | masks[g], barred | excluded[g]

    if best(0, 0)[1] < 0 and problem.n_units:
        raise no_alignment(problem)
    chosen = []
    covered = barred = 0
    while covered != full:
        g = best(covered, barred)[1]
        chosen.append(g)
        covered, barred = after(g, covered, barred)
    note(columns_listed=len(every), proved_by="trying everything")
    return solution(problem, every[chosen], best(0, 0)[0])


def _excluded(problem: Problem, every: Codes) -> list[int]:
    """Return, as bits, the groups that each group excludes; 0 if it excludes none."""
    if problem.rules is None or not problem.rules.excludes:
        return [0] * len(every)
    large = np.flatnonzero((every >= 0).sum(axis=1) > 1)
    if len(large) > _EXCLUDING:
        raise UsageError(
            f"method 'brute' with {problem.rules.names} is for tests of at most {_EXCLUDING} "
            f"unitary alignments, not {len(large)}"
        )
    bits = [0] * len(every)
    for one, other in np.argwhere(problem.rules.excluding(every[large])).tolist():
        if one != other:
            bits[large[one]] |= 1 << int(large[other])
    return bits
