"""Choice among several best alignments: the same one whatever back-end found them.

Fewest unitary alignments, then smallest Σ d_cat over their pairs, then lexicographic order of the
units: the unitary alignment of the first unit first, a fuller one before a sparser one. Units are
in order of position; those at one place in the canonical order of annotators and categories, which
knows no names. So neither the back-end nor renaming changes what is taken.

Two annotators' best alignments are matchings, which differ by cycles (`ties_of_two`). Of more, the
proof by components says which groups a best alignment can use; each component is searched once more
for the first of its best solutions in that order. Components too large for that, and
problems of merged units, go to CP-SAT, one criterion after the other. Where that ends too soon, or
the groups are too many to list, `Solution.first` is false.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gammacp.alignment.columns import group_table, to_groups
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits, Ties
from gammacp.alignment.presolve.duplicates import Merged
from gammacp.alignment.presolve.presolve import Presolved
from gammacp.alignment.problem import Certificate, Problem, Solution, Status, solution
from gammacp.alignment.proof.components import Components, decompose
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import budget, halting
from gammacp.chance.canonical import nameless_order
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, unit_columns


def nameless_ranks(continua: Sequence[Continuum], dissimilarity: BoundDissimilarity) -> Codes:
    """Place of each unit by start, end, annotator and category, without their names.

    Units of several continua count one continuum after the other.
    """
    return nameless_order(continua, dissimilarity.category_costs).astype(np.int32)


def in_order(rank: Codes, groups: Codes) -> Codes:
    """Return the groups by their first unit; `rank` is the place of each unit."""
    ranks = np.append(rank, len(rank))[groups]
    ranks.sort(axis=1)
    return np.asarray(groups[np.lexsort(ranks.T[::-1])])


def break_ties(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    found: Presolved,
    limits: Limits,
    rank: Codes | None = None,
) -> Solution:
    """Return the first of the solutions as good as this one; itself if it is not proven.

    `rank` has the places of units, where they are those of several continua (`nameless_ranks`).
    """
    solved, problem, merged = found
    if solved.status is not Status.OPTIMAL or problem is None:
        return solved
    if rank is None:
        rank = nameless_ranks([continuum], dissimilarity)
    if merged is not None:
        rows = merged.order[merged.runs[:-1]]
        # From 0 on, without gaps.
        problem = replace(problem, rank=np.argsort(np.argsort(rank[rows])).astype(np.int32))
        second = category_costs(continuum, dissimilarity, problem, rows)
        return _first_merged(problem, merged, solved, second, limits)
    problem = replace(problem, rank=rank)
    certificate = solved.certificate or _certificate(problem, limits)
    if certificate is None:
        return solved
    rows = np.arange(problem.n_units)
    second = category_costs(continuum, dissimilarity, problem, rows)
    if problem.n_annotators == 2 and not problem.cover:
        # Imported here: more annotators need no residual graph.
        from gammacp.alignment.ties_of_two import first_of_two

        costs = second_costs(problem, certificate.columns, second)
        first = first_of_two(problem, solved, certificate, costs, limits)
        if first is not None:
            return first
    with budget(limits.of(Ties).steps):
        chosen, whole = _first_of_components(problem, certificate, second, limits)
    groups = to_groups(problem, certificate.columns.select(chosen))
    result = solution(problem, groups, solved.objective, certificate, solved.proof)
    if result.status is not Status.OPTIMAL:
        return solved
    return replace(result, first=whole and certificate.whole)


def category_costs(
    continuum: Continuum, dissimilarity: BoundDissimilarity, problem: Problem, rows: Indices
) -> Floats:
    """d_cat of each candidate pair; 0 where a dissimilarity has no parts."""
    if dissimilarity.categorial_part is None:
        return np.zeros(len(problem.first))
    units = unit_columns(continuum)[rows]
    first = units[problem.first]
    second = units[problem.second]
    return np.asarray(dissimilarity.categorial_part(first, second), np.float64)


def _certificate(problem: Problem, limits: Limits) -> Certificate | None:
    """Return the certificate that `auto` has, for back-ends without one."""
    # Imported here, as below what CP-SAT ranks: most ties are broken without any solver.
    if problem.n_annotators > 2 or not problem.cover:
        from gammacp.alignment.solvers.auto import solve_auto

        return solve_auto(problem, limits).certificate
    from gammacp.alignment.solvers.enumeration import listed_columns, solve_listed

    # An assignment that may use units twice has no certificate; pairs are few enough to be listed.
    columns = listed_columns(problem, limits.deadline())
    if columns is None:
        return None
    return solve_listed(problem, columns, limits).certificate


def _first_of_components(
    problem: Problem, certificate: Certificate, second: Floats, limits: Limits
) -> tuple[Indices, bool]:
    """Columns of the first best solution, component by component, and whether each was searched."""
    from gammacp.alignment.kernels.component_search import Rules, SearchCosts, search_components

    price = np.empty(problem.n_units)
    price[problem.ranks] = certificate.price
    listed = certificate.columns
    exact = replace(limits, gap=0.0, time_limit=None)
    rows, state, _ = decompose(problem, listed, price, exact, limits.deadline(), ties=True)
    mine = np.flatnonzero(state.active)
    mine = mine[_lexicographic(problem, listed.select(rows[mine]))]
    kept = rows[mine]
    part = state.columns.select(mine)
    second = second_costs(problem, listed.select(kept), second)
    costs = SearchCosts(state.loss[mine], second, state.alone, state.over)
    chosen = np.zeros(len(kept), np.bool_)
    every = np.ones(len(kept), np.bool_)
    never = np.full(problem.n_units, -1, np.int32)
    rules = Rules(problem.cover, True, state.tolerance, limits.of(Components).nodes)
    found = part, costs, every, state.label, never, state.least.copy(), chosen, rules
    hard = halting(lambda meter: search_components(*found, meter), quick=True)
    inside = np.flatnonzero(np.isin(state.label[part.members[part.begin[:-1]]], hard))
    # In a cover the order of the columns is not that of the units that they cover first.
    times = None
    if len(hard) and not problem.cover:
        from gammacp.alignment.solvers.packing import Model, Ranking, first_packing

        ranking = Ranking(
            costs.loss[inside],
            costs.alone,
            costs.over,
            second[inside],
            float(state.least[hard].sum()),
            state.tolerance * len(hard),
        )
        ones = np.ones(problem.n_units, np.int64)
        model = Model(part.select(inside), ones, problem.opening)
        times = first_packing(model, ranking, limits)
    # The proof's own if there is no time.
    chosen[inside] = state.chosen[mine][inside] if times is None else times > 0
    searched = not len(hard) or times is not None
    return kept[chosen], searched and state.complete


def _first_merged(
    problem: Problem, merged: Merged, found: Solution, second: Floats, limits: Limits
) -> Solution:
    """Return the first best packing of merged units, whose copies are taken in their order."""
    from gammacp.alignment.solvers.packing import Model, Ranking, first_packing

    assert found.certificate is not None
    listed, price, _ = found.certificate
    counts = merged.counts
    n_units = int(counts.sum())
    gained = n_units * problem.opening - found.objective
    optimum = float((price * counts).sum()) - gained
    slack = problem.tolerance * n_units
    loss = listed.losses(price)
    rows = np.flatnonzero(loss <= optimum + slack)
    rows = rows[_lexicographic(problem, listed.select(rows))]
    part = listed.select(rows)
    ranking = Ranking(
        np.maximum(loss[rows], 0.0),
        price,
        np.zeros(problem.n_units),
        second_costs(problem, part, second),
        max(optimum, 0.0),
        slack,
    )
    times = None
    if part.number:
        with budget(limits.of(Ties).steps):
            times = first_packing(Model(part, counts, problem.opening), ranking, limits)
    # Ranked by CP-SAT, whose word is not enough for what it costs.
    if times is None or float(loss[rows] @ times + price @ _untaken(part, times, counts)) > (
        max(optimum, 0.0) + problem.slack * n_units / problem.n_units
    ):
        return found
    return replace(found, groups=merged.groups(part, times), first=True)


def _untaken(part: Columns, times: Indices, counts: Indices) -> Indices:
    """Count the copies of each unit that no column takes."""
    taken = np.bincount(part.members, np.repeat(times, part.sizes), len(counts))
    return counts - taken.astype(np.int64)


def _lexicographic(problem: Problem, columns: Columns) -> Indices:
    """Columns in the order in which they are tried at their first unit."""
    table = np.append(problem.ranks, problem.n_units)[group_table(problem, columns)]
    table.sort(axis=1)
    return np.asarray(np.lexsort(table.T[::-1]), np.int64)


def second_costs(problem: Problem, columns: Columns, second: Floats) -> Floats:
    """Σ d_cat over the pairs of each column."""
    from gammacp.alignment.kernels.pairs import group_weights

    graph = replace(problem, weight=second).graph
    return np.asarray(group_weights(group_table(problem, columns), graph))
