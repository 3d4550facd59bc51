"""Which of several best alignments is shown: the same one whatever back-end found them.

Fewest unitary alignments, then smallest Σ d_cat over their pairs, then lexicographic order of the
units: the unitary alignment of the first unit by position first, a fuller one before a sparser
one. The proof by components (`settle`) says which columns a best alignment can use; each component
is searched once more for the first of its best solutions in that order.
"""

from __future__ import annotations

import time

import numpy as np

from gammacp.alignment.auto import solve_groups
from gammacp.alignment.bipartite import solve_bipartite
from gammacp.alignment.groups import Columns, as_groups
from gammacp.alignment.problem import Certificate, Problem, Solution, Status, solution
from gammacp.alignment.settle import NODE_LIMIT, Settlement, settlement
from gammacp.alignment.solvers import Limits
from gammacp.arrays import Bools, Codes, Floats, Indices


def canonical(problem: Problem, found: Solution, second: Floats, limits: Limits) -> Solution:
    """The canonical one of the solutions as good as `found`; `found` itself if it is not proven.

    `second` is d_cat of each of the problem's pairs, shape (pairs,).
    """
    if found.status is not Status.OPTIMAL:
        return found
    certificate = found.certificate or _solved_again(problem, limits)
    if certificate is None:
        return found
    columns = Columns(*certificate[:3])
    chosen = _first_best(problem, columns, certificate, second, limits)
    result = solution(problem, as_groups(problem, columns, chosen), found.objective, certificate)
    return result if result.status is Status.OPTIMAL else found


def _solved_again(problem: Problem, limits: Limits) -> Certificate | None:
    """The certificate that `auto` has, for back-ends without one."""
    if problem.n_annotators == 2 and not problem.cover:
        return solve_bipartite(problem, limits).certificate
    return solve_groups(problem, limits).certificate


def in_order(rank: Codes, groups: Codes) -> Codes:
    """Groups by their first unit's position; `rank` is the place of each unit by position."""
    ranks = np.append(rank, len(rank))[groups]
    ranks.sort(axis=1)
    return np.asarray(groups[np.lexsort(ranks.T[::-1])])


def _first_best(
    problem: Problem, columns: Columns, certificate: Certificate, second: Floats, limits: Limits
) -> Indices:
    from gammacp.alignment.settle_kernels import search_components

    price = np.empty(problem.n_units)
    price[problem.ranks] = certificate.price
    exact = Limits(seed=limits.seed)
    deadline = time.monotonic() + (limits.time_limit or np.inf)
    kept, state, _ = settlement(problem, columns, price, exact, deadline, ties=True)
    order = _lexicographic(problem, columns.select(kept))
    part = state.columns.select(order)
    chosen = np.zeros(len(kept), np.bool_)
    hard = search_components(
        part.begin,
        part.members,
        state.loss[order],
        _second_costs(problem, columns.select(kept[order]), second),
        state.alone,
        state.over,
        state.cover,
        state.active[order],
        state.label,
        np.full(problem.n_units, -1, np.int32),
        state.least.copy(),
        chosen,
        True,
        state.tolerance,
        NODE_LIMIT,
    )
    _keep_hard(state, order, hard, chosen)
    return np.asarray(kept[order][chosen])


def _keep_hard(state: Settlement, order: Indices, hard: Indices, chosen: Bools) -> None:
    """Components that are too large to search keep the proof's own solution, in place."""
    if not len(hard):
        return
    root = state.label[state.columns.members[state.columns.begin[:-1]]]
    inside = np.isin(root, hard)[order]
    chosen[inside] = state.chosen[order][inside]


def _lexicographic(problem: Problem, columns: Columns) -> Indices:
    """Columns in the order in which they are tried at their first unit."""
    sizes = np.diff(columns.begin)
    row = np.repeat(np.arange(len(columns)), sizes)
    place = np.arange(len(columns.members)) - columns.begin[:-1][row]
    table = np.full((len(columns), problem.n_annotators), problem.n_units, np.int32)
    table[row, place] = problem.ranks[columns.members]
    table.sort(axis=1)
    return np.asarray(np.lexsort(table.T[::-1]), np.int64)


def _second_costs(problem: Problem, columns: Columns, second: Floats) -> Floats:
    """Σ d_cat over the pairs of each column."""
    from gammacp.alignment.pair_kernels import adjacency, group_weights

    rows = np.repeat(np.arange(len(columns)), np.diff(columns.begin))
    groups = np.full((len(columns), problem.n_annotators), -1, np.int32)
    groups[rows, problem.annotator[columns.members]] = columns.members
    graph = adjacency(problem.n_units, problem.first, problem.second, second)
    return np.asarray(group_weights(groups, *graph))
