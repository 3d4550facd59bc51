"""Anytime shares of costs: trivial ones at first, then semidefinite ones for more and more units.

No two units of one annotator are in one group, so that the annotators with the most units determine
how many groups there must be at least. The semidefinite relaxation is therefore solved first for
the annotators with the most units, few enough that a step takes milliseconds, and then for more, up
to `Semidefinite.largest` units. The annotators in the relaxation are called *inside*. The pairs of
two annotators who are not both inside earn at most what the best matching between their units
earns:

    cost(G) ≥ Σ_{u∈G} share(u) − Σ_{pairs of annotators not both inside} w of G's two units,

and the duals of each matching divide this amount among the units. With only one annotator inside,
who has m units, the bound is opening·m minus the values of all matchings.

If all annotators have about the same number of units, the matchings cost more than the groups are
worth. Then all annotators are relaxed in blocks (`blocks`) right after the first stage, and all at
once after that. Here w(u, v) is what is saved if u and v are in one group (`alignment.problem`).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gammacp.alignment.duals.blocks import blocks_pay, restrict, shares_by_blocks
from gammacp.alignment.duals.semidefinite import (
    Iterate,
    Matrices,
    Semidefinite,
    ascend,
    enlarge,
    model,
    safe_sum,
    start,
)
from gammacp.alignment.problem import Problem, RelaxedMatrix
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.base.stopping import due, halting

# Factor between the numbers of units of two stages; and the gap within a stage, as a share of the
# total gap, below which the next stage begins (209 × 493).
_STAGE_GROWTH = 1.8
_STAGE_GAP = 0.25


class CostShares(NamedTuple):
    """Shares of costs, and their sum, which is a lower bound.

    Attributes
    ----------
    share
        Share of each unit, shape (units,). The shares of the units of any group add up to at most
        its cost.
    bound
        Sum of the shares, rounded down safely.
    n_inside
        Number of annotators in the relaxation.
    together
        Value of each candidate pair in the solution of the relaxation, shape (pairs,): 1 if its
        units are in one group, 0 if not, or between. None if it is not known.
    matrix
        Dual solution from which the shares of these annotators are derived.
    """

    share: Floats
    bound: float
    n_inside: int
    together: Floats | None = None
    matrix: RelaxedMatrix | None = None


def relaxations(
    problem: Problem, objective: float, deadline: float, tuning: Semidefinite
) -> Iterator[CostShares]:
    """Yield better and better shares until the deadline; `objective` is the cost of an alignment.

    Nothing is yielded for covers, or if opening a group costs nothing.
    """
    if problem.cover or problem.opening <= 0:
        return
    most_units = np.argsort(-_counts(problem), kind="stable")
    first = _beside(problem, most_units[:1], deadline)
    if first is None:
        return
    share = np.where(problem.annotator == most_units[0], problem.opening, 0.0) - first
    former = safe_sum(share)
    yield CostShares(share, former, 1)
    iterate: Iterate | None = None
    old: Matrices | None = None
    held: Indices = np.zeros(0, np.int64)
    planned = stages(_counts(problem)[most_units], tuning)
    jointly = planned[-1] == problem.n_annotators and blocks_pay(_counts(problem))
    for n_inside in (planned[0], planned[-1]) if jointly else planned:
        if jointly and n_inside == planned[-1]:
            for share, matrix, n_block in shares_by_blocks(problem, objective, deadline, tuning):
                former = max(former, safe_sum(share))
                yield CostShares(share, safe_sum(share), n_block, matrix=matrix)
        inside = most_units[:n_inside]
        beside = _beside(problem, inside, deadline)
        if beside is None or due(deadline):
            return
        units = np.flatnonzero(np.isin(problem.annotator, inside))
        outside_price = float(beside.sum())
        new = model(
            restrict(problem, units), (objective + outside_price) / problem.opening, tuning.repairs
        )
        if iterate is None or old is None:
            iterate = start(new)
        else:
            iterate = enlarge(iterate, old, new, np.searchsorted(units, held))
        last = n_inside == planned[-1]
        bound = -np.inf
        for proven in ascend(new, iterate, deadline):
            iterate = proven.iterate
            share = -beside
            share[units] += proven.share
            bound = max(bound, safe_sum(share))
            matrix = proven.matrix._replace(units=units)
            yield CostShares(share, safe_sum(share), n_inside, matrix=matrix)
            if due(deadline):
                return
            gap = proven.value - proven.bound
            # If its value is below its bound, the iterate may be far from definite yet.
            is_telling = gap >= 0 or bound > former
            near = abs(gap) < _STAGE_GAP * (objective + outside_price - proven.value)
            if near and is_telling and not last:
                break
        old = new
        held = units
        former = max(bound, former)


def stages(counts: Indices, tuning: Semidefinite) -> list[int]:
    """Return the number of annotators inside at each stage.

    `counts` are the numbers of units of the annotators, in descending order.
    """
    total = np.cumsum(counts)
    size = float(tuning.first)
    steps: list[int] = []
    while True:
        n_inside = int(np.searchsorted(total, min(size, tuning.largest), side="right"))
        if total[-1] <= min(1.2 * size, tuning.largest):
            return [*steps, len(counts)]
        if n_inside > (steps[-1] if steps else 1):
            steps.append(n_inside)
        if size >= tuning.largest:
            return steps
        size *= _STAGE_GROWTH


def _beside(
    problem: Problem, inside: Codes | Indices, deadline: float, each: Floats | None = None
) -> Floats | None:
    """Divide the values of the matchings of annotators who are not both inside among the units.

    Return None if the deadline comes first. `each`, if given, receives the parts by annotator.
    """
    from gammacp.alignment.kernels.pair_matchings import matching_prices

    if each is None:
        each = np.zeros((0, 0))
    begin = np.concatenate(([0], np.cumsum(_counts(problem)))).astype(np.int64)
    within: Bools = np.zeros(problem.n_annotators, np.bool_)
    within[inside] = True
    share, complete = halting(
        lambda meter: matching_prices(problem.graph, begin, within, each, meter), deadline
    )
    if complete:
        return np.asarray(share * (1 + 2.0**-40))
    return None


def prices_beside(problem: Problem, inside: Codes | Indices) -> Floats:
    """Return each unit's dual price in its matching with each annotator, if not both are inside."""
    each = np.zeros((problem.n_units, problem.n_annotators))
    _beside(problem, inside, np.inf, each)
    return each


def _counts(problem: Problem) -> Indices:
    return np.bincount(problem.annotator, minlength=problem.n_annotators).astype(np.int64)
