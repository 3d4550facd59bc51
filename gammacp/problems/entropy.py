"""Entropy of an annotation set: the least *mean* disorder of its unitary alignments (2011).

γ's disorder is a sum over unitary alignments divided by x̄. In 2011 it was their mean, so that an
alignment is not worse for having more unitary alignments. The mean is a ratio of two numbers that
both depend on the alignment. It is minimised exactly by Dinkelbach's method. For a rate λ, find the
best partition if each unitary alignment costs ĕ − λ. If its total is negative, its mean is below λ
and becomes the next rate. If the total is 0, the last alignment is the best. γ's pruning stays
valid, because every λ ≥ 0 only makes opening a group cheaper.

References
----------
Mathet & Widlöcher (2011), §4.4–4.5, eq. 5–7. Dinkelbach, W. (1967). On nonlinear fractional
programming. Management Science 13(7).
"""

from typing import Any, NamedTuple, Unpack

from gammacp.alignment.candidates import build_problem
from gammacp.alignment.costs import pair_count
from gammacp.alignment.limits import Limiting, Limits
from gammacp.alignment.problem import Problem, Status, group_costs
from gammacp.alignment.solvers.registry import SOLVERS
from gammacp.base.arrays import Codes
from gammacp.base.stopping import due
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, bind, to_unit
from gammacp.dissimilarity.combined import Combined

DISSIMILARITY_2011 = Combined(positional="sporadic-2011", delta=4.0)
"""2011, §5: eq. 1 and a nominal matrix, summed; Δ∅ = 4, so units of two categories never pair."""


class BestEntropy(NamedTuple):
    """The ideal alignment (2011, §4.5); the least entropy lies in [bound, entropy].

    `entropy` is in the dissimilarity's units, in [0, Δ]; `groups` are rows of units, int32 (unitary
    alignments, annotators), −1 empty; `iterations` is the number of iterations of Dinkelbach's
    method.
    """

    entropy: float
    bound: float
    status: Status
    groups: Codes
    iterations: int


def best_entropy(
    continuum: Continuum,
    dissimilarity: Any = None,
    *,
    method: str = "auto",
    **limited: Unpack[Limiting],
) -> BestEntropy:
    """Return the least entropy of all alignments: e(j) of 2011, §4.5.

    Parameters
    ----------
    dissimilarity
        Default `DISSIMILARITY_2011`; bound to the continuum unless it is bound already.
    method
        A name in SOLVERS. If the solver is not exact (such as "greedy", Algorithm 1), its first
        alignment is the result.
    limited
        `gap`, `time_limit`, `seed` and `tuning` as for `gammacp.align`; the time limit is for all
        iterations together.

    Raises
    ------
    DataError
        One annotator, or no unit.

    Notes
    -----
    0 for identical annotators, Δ where nobody meets anybody. A continuum followed by a copy of
    itself has the same entropy (2011, §4.4.2).
    """
    bound = bind(DISSIMILARITY_2011 if dissimilarity is None else dissimilarity, continuum)
    measured = to_unit(bound, bound.delta)
    solver = SOLVERS[method]
    limits = Limits(**limited)
    if solver.exact:
        best = _dinkelbach(continuum, measured, method, limits)
    else:
        problem = build_problem(continuum, measured, prune=solver.pruned)
        groups = solver.solve(problem, limits).groups
        best = BestEntropy(_mean(problem, groups), 0.0, Status.FEASIBLE, groups, 0)
    unit = bound.delta / measured.delta
    return best._replace(entropy=best.entropy * unit, bound=best.bound * unit)


def _dinkelbach(
    continuum: Continuum, bound: BoundDissimilarity, method: str, limits: Limits
) -> BestEntropy:
    solver = SOLVERS[method]
    deadline = limits.deadline()
    # Units of one annotator are in different groups, so there are at least this many.
    fewest = int(continuum.counts.max())
    rate = 0.0
    low = 0.0
    iterations = 0
    groups: Codes | None = None
    while True:
        problem = build_problem(continuum, bound, rate=rate, prune=solver.pruned)
        solution = solver.solve(problem, limits.until(deadline))
        iterations += 1
        pairs = pair_count(problem.n_annotators)
        # At rate 0 this is γ's alignment, a good start.
        low = max(low, rate + min(solution.bound / pairs / fewest, 0.0))
        if groups is not None and solution.objective >= -problem.tolerance * problem.n_units:
            proven = solution.status is Status.OPTIMAL
            return BestEntropy(rate, rate if proven else low, solution.status, groups, iterations)
        groups = solution.groups
        rate += _mean(problem, groups)
        if due(deadline):
            return BestEntropy(rate, low, Status.FEASIBLE, groups, iterations)


def _mean(problem: Problem, groups: Codes) -> float:
    """Return the mean over the groups of ĕ minus the rate of the problem."""
    return float(group_costs(problem, groups).mean()) / pair_count(problem.n_annotators)


def agreement(entropy: float, random_entropy: float) -> float:
    """Return the agreement (e_random − e) / e_random, in (−∞, 1] (2011, eq. 7).

    Text 6 of Table 3: e = 2.18, e_random2 = 3.48.

    >>> round(agreement(2.18, 3.48), 2)
    0.37
    """
    return (random_entropy - entropy) / random_entropy
