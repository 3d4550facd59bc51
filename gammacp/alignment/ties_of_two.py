"""Tie-breaking for two annotators: the first of the best matchings, by the residual graph.

If identical units were merged, the tight pairs of distinct units stand for those of all their
copies, and the search is the same.
"""

from dataclasses import replace

import numpy as np

from gammacp.alignment.candidates import MOST_PAIRS
from gammacp.alignment.kernels.records import Columns, spread
from gammacp.alignment.kernels.residual import TightPairs, first_matching
from gammacp.alignment.limits import Limits, Ties
from gammacp.alignment.presolve.duplicates import Merged
from gammacp.alignment.problem import Problem, Solution, Status, TieCandidates, solution
from gammacp.base.arrays import Bools, Codes, Floats
from gammacp.base.stopping import halting

# Number of tight pairs up to which the search takes milliseconds.
_UNWATCHED = 100_000


def first_of_two(
    problem: Problem,
    solved: Solution,
    tie_candidates: TieCandidates,
    category_cost: Floats,
    limits: Limits,
) -> Solution | None:
    """Return the first best matching, or None if the tie candidates do not fit the solution.

    Parameters
    ----------
    problem
        A problem of two annotators that is not a cover.
    solved
        A proven solution; its groups are a best matching.
    tie_candidates
        Pairs and prices. A pair is tight if its gain equals the sum of its units' prices. Every
        best matching consists of tight pairs, and the units that it leaves alone have a price of 0.
    category_cost
        d_cat of each pair of `tie_candidates`.
    limits
        Limits of the search; `Ties.cycles` says when to give up.
    """
    columns, price, complete = tie_candidates
    if (columns.sizes != 2).any():
        return None
    tight = columns.losses(price) <= problem.tolerance
    members = columns.members.reshape(-1, 2)[tight]
    free = price <= problem.tolerance
    partner = _partners(problem, solved.groups)
    if not _fits(members, free, partner):
        return None
    pairs = _from_both_sides(problem, members, category_cost[tight], free)
    order = np.argsort(problem.ranks).astype(np.int32)
    most = limits.of(Ties).cycles
    ended = halting(
        lambda meter: first_matching(pairs, partner, order, problem.tolerance, most, meter),
        limits.deadline(),
        quick=len(members) <= _UNWATCHED,
    )
    groups = _groups(problem, partner)
    result = solution(problem, groups, solved.objective, tie_candidates, solved.proof)
    if result.status is not Status.OPTIMAL:
        return None
    return replace(result, first=ended and complete)


def first_of_two_merged(
    merged: Merged, rank: Codes, solved: Solution, category_cost: Floats, limits: Limits
) -> Solution | None:
    """Return the first best matching of all units, or None if it must be found in another way.

    Parameters
    ----------
    merged
        Problem over distinct units, and their copies.
    rank
        Place of each unit of the continuum.
    solved
        A proven solution for the units of the continuum, with tie candidates for distinct units.
    category_cost
        d_cat of each pair of its tie candidates.
    limits
        As for `first_of_two`.
    """
    assert solved.tie_candidates is not None
    columns, price, complete = solved.tie_candidates
    problem = merged.problem
    gain = merged.n_units * problem.opening - solved.objective
    # Only prices that are optimal tell the pairs of best matchings from others. Those of the linear
    # program may be too high by its own tolerance.
    if (columns.sizes != 2).any() or price @ merged.counts - gain > problem.tolerance:
        return None
    tight = np.flatnonzero(columns.losses(price) <= problem.tolerance)
    first, other = columns.members.reshape(-1, 2)[tight].T
    sizes = merged.counts[first] * merged.counts[other]
    if sizes.sum() > MOST_PAIRS:
        return None
    pair = np.repeat(np.arange(len(tight)), sizes)
    copy = spread(np.zeros(len(tight), np.int64), sizes)
    n_copies = merged.counts[other[pair]]
    first = merged.order[merged.runs[first[pair]] + copy // n_copies].astype(np.int32)
    other = merged.order[merged.runs[other[pair]] + copy % n_copies].astype(np.int32)
    members = np.column_stack((first, other)).ravel()
    begin = 2 * np.arange(len(pair) + 1, dtype=np.int64)
    gain_of_pairs = columns.gain[tight][pair]
    annotator = np.empty(merged.n_units, problem.annotator.dtype)
    annotator[merged.order] = np.repeat(problem.annotator, merged.counts)
    unmerged = replace(
        problem,
        annotator=annotator,
        first=first,
        second=other,
        weight=gain_of_pairs - problem.opening,
        rank=rank,
    )
    tie_candidates = TieCandidates(
        Columns(begin, members, gain_of_pairs), merged.prices_of_units(price), complete
    )
    found = first_of_two(unmerged, solved, tie_candidates, category_cost[tight][pair], limits)
    if found is None:
        return None
    return replace(solved, groups=found.groups, first=found.first)


def _partners(problem: Problem, groups: Codes) -> Codes:
    """Return the partner of each unit, −1 for none."""
    partner = np.full(problem.n_units, -1, np.int32)
    paired = groups[(groups >= 0).all(axis=1)]
    partner[paired[:, 0]] = paired[:, 1]
    partner[paired[:, 1]] = paired[:, 0]
    return partner


def _fits(members: Codes, free: Bools, partner: Codes) -> bool:
    """Return whether a matching uses only these pairs and leaves only free units alone."""
    chosen = int((partner[members[:, 0]] == members[:, 1]).sum())
    return 2 * chosen == int((partner >= 0).sum()) and bool(free[partner < 0].all())


def _from_both_sides(
    problem: Problem, members: Codes, category_cost: Floats, free: Bools
) -> TightPairs:
    """Return the pairs from both sides: for each unit, its partners and their costs."""
    unit, other = np.concatenate((members, members[:, ::-1])).T
    order = np.argsort(unit, kind="stable")
    start = np.zeros(problem.n_units + 1, np.int64)
    np.cumsum(np.bincount(unit, minlength=problem.n_units), out=start[1:])
    n_first = int(np.searchsorted(problem.annotator, 1))
    cost = np.tile(category_cost, 2)[order]
    return TightPairs(n_first, start, np.ascontiguousarray(other[order]), cost, free)


def _groups(problem: Problem, partner: Codes) -> Codes:
    """Return a matching as groups: its pairs, and the units without a partner."""
    units = np.arange(problem.n_units, dtype=np.int32)
    first = np.where(partner < 0, units, np.minimum(units, partner)) == units
    groups = np.full((int(first.sum()), 2), -1, np.int32)
    rows = np.arange(len(groups))
    groups[rows, problem.annotator[units[first]]] = units[first]
    paired = partner[first] >= 0
    groups[rows[paired], 1] = partner[first][paired]
    return groups
