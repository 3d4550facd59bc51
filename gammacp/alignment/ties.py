"""Tie-breaking: choose one of several best alignments, independently of the solver.

The *first* alignment is the one with the fewest unitary alignments, then with the smallest Σ d_cat
over its pairs, then the first in lexicographic order: groups are compared one by one from that of
the first unit on, and a larger group precedes a smaller one. Units are ordered by position. Units
at the same position are in the canonical order of annotators and categories, which does not depend
on names. So neither the solver nor renaming changes the choice.

With two annotators, alignments are matchings, and any two best ones differ by cycles of pairs
(`ties_of_two`). With more annotators, the proof by components shows which groups a best alignment
can use, and each component is searched again for its first best solution. Components that are too
large for that search, and merged units of more than two annotators, are solved by CP-SAT, one
criterion after the other. Covers are searched by components even with two annotators, and never by
CP-SAT. If a search or CP-SAT does not finish, or if there are too many groups to list,
`Solution.first` is False.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gammacp.alignment.columns import group_table, to_groups
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits, Ties
from gammacp.alignment.presolve.duplicates import Merged
from gammacp.alignment.presolve.presolve import Presolved
from gammacp.alignment.problem import Problem, Solution, Status, TieCandidates, solution
from gammacp.alignment.proof.components import Components, decompose
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import budget, halting
from gammacp.continuum import Continuum
from gammacp.continuum.canonical import nameless_order
from gammacp.dissimilarity.base import BoundDissimilarity, unit_columns


def nameless_ranks(continua: Sequence[Continuum], dissimilarity: BoundDissimilarity) -> Codes:
    """Return the rank of each unit by start, end, annotator and category, ignoring names.

    The units of several continua are numbered one continuum after the other.
    """
    return nameless_order(continua, dissimilarity.category_costs).astype(np.int32)


def sort_groups(rank: Codes, groups: Codes) -> Codes:
    """Sort groups by their first units; `rank` is that of each unit."""
    ranks = np.append(rank, len(rank))[groups]
    ranks.sort(axis=1)
    return np.asarray(groups[np.lexsort(ranks.T[::-1])])


def break_ties(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    presolved: Presolved,
    limits: Limits,
    rank: Codes | None = None,
) -> Solution:
    """Return the first of all best solutions, or the given solution if it is not proven.

    `rank` is needed if the units are those of several continua: their ranks (`nameless_ranks`).
    """
    solved, problem, merged = presolved
    if solved.status is not Status.OPTIMAL or problem is None:
        return solved
    if rank is None:
        rank = nameless_ranks([continuum], dissimilarity)
    if merged is not None:
        rows = merged.order[merged.runs[:-1]]
        pair_costs = category_costs(continuum, dissimilarity, problem, rows)
        if problem.n_annotators == 2:
            first = _first_of_two_merged(merged, rank, solved, pair_costs, limits)
            if first is not None:
                return first
        # Renumber the ranks from 0, without gaps.
        problem = replace(problem, rank=np.argsort(np.argsort(rank[rows])).astype(np.int32))
        return _first_merged(problem, merged, solved, pair_costs, limits)
    problem = replace(problem, rank=rank)
    tie_candidates = solved.tie_candidates or _tie_candidates(problem, limits)
    if tie_candidates is None:
        return solved
    rows = np.arange(problem.n_units)
    pair_costs = category_costs(continuum, dissimilarity, problem, rows)
    if problem.n_annotators == 2 and not problem.cover:
        # Imported here: more annotators need no residual graph.
        from gammacp.alignment.ties_of_two import first_of_two

        costs = category_costs_of_columns(problem, tie_candidates.columns, pair_costs)
        first = first_of_two(problem, solved, tie_candidates, costs, limits)
        if first is not None:
            return first
    with budget(limits.of(Ties).steps):
        chosen, searched = _first_of_components(problem, tie_candidates, pair_costs, limits)
    groups = to_groups(problem, tie_candidates.columns.select(chosen))
    result = solution(problem, groups, solved.objective, tie_candidates, solved.proof)
    if result.status is not Status.OPTIMAL:
        return solved
    return replace(result, first=searched and tie_candidates.complete)


def category_costs(
    continuum: Continuum, dissimilarity: BoundDissimilarity, problem: Problem, rows: Indices
) -> Floats:
    """Return d_cat of each candidate pair, or 0 if the dissimilarity has no categorial part."""
    if dissimilarity.categorial_part is None:
        return np.zeros(len(problem.first))
    units = unit_columns(continuum)[rows]
    first = units[problem.first]
    second = units[problem.second]
    return np.asarray(dissimilarity.categorial_part(first, second), np.float64)


def _tie_candidates(problem: Problem, limits: Limits) -> TieCandidates | None:
    """Return the tie candidates of the method `auto`, for methods without any."""
    # Imported here, like the solvers below: most ties are broken without any of them.
    if problem.n_annotators > 2 or not problem.cover:
        from gammacp.alignment.solvers.auto import solve_auto

        return solve_auto(problem, limits).tie_candidates
    from gammacp.alignment.solvers.enumeration import listed_columns, solve_listed

    # Covers by two annotators are solved as an assignment, without tie candidates. Their pairs
    # are few enough to be listed.
    columns = listed_columns(problem, limits.deadline())
    if columns is None:
        return None
    return solve_listed(problem, columns, limits).tie_candidates


def _first_of_components(
    problem: Problem, tie_candidates: TieCandidates, pair_costs: Floats, limits: Limits
) -> tuple[Indices, bool]:
    """Return the columns of the first best solution, and whether all components were searched."""
    from gammacp.alignment.kernels.component_search import (
        SearchCosts,
        SearchRules,
        search_components,
    )

    price = np.empty(problem.n_units)
    price[problem.ranks] = tie_candidates.price
    listed = tie_candidates.columns
    exact = replace(limits, gap=0.0, time_limit=None)
    rows, state, _ = decompose(problem, listed, price, exact, limits.deadline(), ties=True)
    mine = np.flatnonzero(state.active)
    mine = mine[_lexicographic(problem, listed.select(rows[mine]))]
    own_rows = rows[mine]
    part = state.columns.select(mine)
    column_costs = category_costs_of_columns(problem, listed.select(own_rows), pair_costs)
    costs = SearchCosts(state.loss[mine], column_costs, state.alone, state.over)
    chosen = np.zeros(len(own_rows), np.bool_)
    every = np.ones(len(own_rows), np.bool_)
    never = np.full(problem.n_units, -1, np.int32)
    rules = SearchRules(problem.cover, True, state.tolerance, limits.of(Components).nodes)
    arguments = part, costs, every, state.label, never, state.least.copy(), chosen, rules
    hard = halting(lambda meter: search_components(*arguments, meter), quick=True)
    inside = np.flatnonzero(np.isin(state.label[part.members[part.begin[:-1]]], hard))
    # CP-SAT is not used for covers: it compares columns in their order, but the first cover is that
    # of the units that each column is the first to cover.
    times = None
    if len(hard) and not problem.cover:
        from gammacp.alignment.packing.problem import PackingProblem
        from gammacp.alignment.packing.tie_breaking import TieBreaking, first_packing

        breaking = TieBreaking(
            costs.loss[inside],
            costs.alone,
            costs.over,
            column_costs[inside],
            float(state.least[hard].sum()),
            state.tolerance * len(hard),
        )
        ones = np.ones(problem.n_units, np.int64)
        packing_problem = PackingProblem(part.select(inside), ones, problem.opening)
        times = first_packing(packing_problem, breaking, limits)
    # Keep the solution of the proof if CP-SAT has found none.
    chosen[inside] = state.chosen[mine][inside] if times is None else times > 0
    searched = not len(hard) or times is not None
    return own_rows[chosen], searched and state.complete


def _first_of_two_merged(
    merged: Merged, rank: Codes, solved: Solution, pair_costs: Floats, limits: Limits
) -> Solution | None:
    """Return the first best matching of merged units, or None if CP-SAT has to find it."""
    from gammacp.alignment.ties_of_two import first_of_two_merged

    assert solved.tie_candidates is not None
    costs = category_costs_of_columns(merged.problem, solved.tie_candidates.columns, pair_costs)
    return first_of_two_merged(merged, rank, solved, costs, limits)


def _first_merged(
    problem: Problem, merged: Merged, solved: Solution, pair_costs: Floats, limits: Limits
) -> Solution:
    """Return the first best packing of merged units; copies of a unit are used in order."""
    from gammacp.alignment.packing.problem import PackingProblem
    from gammacp.alignment.packing.tie_breaking import TieBreaking, first_packing

    assert solved.tie_candidates is not None
    listed, price, _ = solved.tie_candidates
    counts = merged.counts
    n_units = int(counts.sum())
    gained = n_units * problem.opening - solved.objective
    optimum = float((price * counts).sum()) - gained
    slack = problem.tolerance * n_units
    loss = listed.losses(price)
    rows = np.flatnonzero(loss <= optimum + slack)
    rows = rows[_lexicographic(problem, listed.select(rows))]
    part = listed.select(rows)
    breaking = TieBreaking(
        np.maximum(loss[rows], 0.0),
        price,
        np.zeros(problem.n_units),
        category_costs_of_columns(problem, part, pair_costs),
        max(optimum, 0.0),
        slack,
    )
    times = None
    if part.number:
        packing_problem = PackingProblem(part, counts, problem.opening)
        with budget(limits.of(Ties).steps):
            times = first_packing(packing_problem, breaking, limits)
    # CP-SAT's packing is used only if its loss, computed here, is that of an optimum.
    if times is None or float(loss[rows] @ times + price @ _untaken(part, times, counts)) > (
        max(optimum, 0.0) + problem.slack * n_units / problem.n_units
    ):
        return solved
    return replace(solved, groups=merged.groups(part, times), first=True)


def _untaken(part: Columns, times: Indices, counts: Indices) -> Indices:
    """Return how many copies of each unit are in no column."""
    n_taken = np.bincount(part.members, np.repeat(times, part.sizes), len(counts))
    return counts - n_taken.astype(np.int64)


def _lexicographic(problem: Problem, columns: Columns) -> Indices:
    """Return the order of columns by which ties are broken: by their units, larger groups first."""
    table = np.append(problem.ranks, problem.n_units)[group_table(problem, columns)]
    table.sort(axis=1)
    return np.asarray(np.lexsort(table.T[::-1]), np.int64)


def category_costs_of_columns(problem: Problem, columns: Columns, pair_costs: Floats) -> Floats:
    """Return Σ d_cat over the pairs of each column, from d_cat of each candidate pair."""
    from gammacp.alignment.kernels.pairs import group_weights

    graph = replace(problem, weight=pair_costs).graph
    return np.asarray(group_weights(group_table(problem, columns), graph))
