"""Solver `bipartite`: with two annotators the problem is a sparse assignment problem."""

from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import singletons
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Proof, Solution, TieCandidates, solution
from gammacp.alignment.solvers.registry import registered
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import halting, note
from gammacp.errors import UsageError

# Largest number of candidate pairs that are matched in milliseconds.
_UNWATCHED = 100_000


class Edges(NamedTuple):
    """Candidate pairs by unit of the first annotator.

    `row` and `column` are the units, numbered per annotator; the pairs of row u begin at
    `begin[u]`.
    """

    row: Indices
    begin: Indices
    column: Codes
    weight: Floats


class Matching(NamedTuple):
    """Groups, int32 (groups, 2), and a price per unit; no pair gains more than its prices."""

    groups: Codes
    price: Floats


@registered("bipartite", "sparse assignment, two annotators only")
def solve_bipartite(problem: Problem, limits: Limits) -> Solution:
    """Maximise Σ (w + opening) over pairs; raise UsageError unless there are two annotators."""
    if problem.n_annotators != 2:
        raise UsageError(
            f"method 'bipartite' is for two annotators, not {problem.n_annotators}; use 'auto'"
        )
    deadline = limits.deadline()
    note(prices_by="matching", proved_by="matching")
    edges = _edges(problem)
    if problem.cover:
        return _cover(problem, edges, deadline)
    gain = edges.weight + problem.opening
    groups, price = match(problem, edges, gain, deadline)
    paying = gain >= -problem.tolerance
    second = edges.column[paying] + len(edges.begin) - 1
    members = np.column_stack((edges.row[paying], second)).astype(np.int32).ravel()
    begin = 2 * np.arange(len(members) // 2 + 1, dtype=np.int64)
    bound = problem.n_units * problem.opening - float(price.sum())
    columns = Columns(begin, members, gain[paying])
    return solution(problem, groups, bound, TieCandidates(columns, price), Proof(price))


def _edges(problem: Problem) -> Edges:
    _, _, start, neighbour, weight = problem.graph
    n_first = int(np.searchsorted(problem.annotator, 1))
    begin = start[: n_first + 1]
    row = np.repeat(np.arange(n_first), np.diff(begin))
    return Edges(row, begin, neighbour[: begin[-1]] - np.int32(n_first), weight[: begin[-1]])


def _cover(problem: Problem, edges: Edges, deadline: float) -> Solution:
    """Return the cheapest cover: an edge cover, which is reduced to a matching.

    Every unit has a cheapest way to be covered. A pair in one group costs its own price, but saves
    the cheapest ways of both units; the matching maximises these savings. Units that are not
    matched take their cheapest way. Here each membership of a unit in a group costs `reuse`,
    including the first, which is subtracted at the end.
    """
    reuse = problem.reuse
    cost = problem.opening - edges.weight + 2 * reuse
    first = edges.row
    second = edges.column + len(edges.begin) - 1
    n = problem.n_units
    unit_cost = np.full(n, problem.opening + reuse)
    partner = np.full(n, -1, np.int32)
    for end, mate in ((first, second), (second, first)):
        order = np.lexsort((cost, end))
        rows, at = np.unique(end[order], return_index=True)
        cheaper = cost[order][at] < unit_cost[rows]
        unit_cost[rows[cheaper]] = cost[order][at][cheaper]
        partner[rows[cheaper]] = mate[order][at][cheaper]
    groups, price = match(problem, edges, unit_cost[first] + unit_cost[second] - cost, deadline)
    single = (groups >= 0).sum(axis=1) == 1
    unit = groups[single].max(axis=1)
    pairs = np.column_stack((unit, partner[unit]))
    owner = problem.annotator[pairs]
    covered = np.full_like(pairs, -1)
    covered[np.arange(len(pairs)), owner[:, 0]] = pairs[:, 0]
    has = pairs[:, 1] >= 0
    covered[np.flatnonzero(has), owner[has, 1]] = pairs[has, 1]
    every = np.asarray(np.unique(np.concatenate((groups[~single], covered)), axis=0), np.int32)
    # No pair costs less than the cheapest ways of its two units less their prices.
    proof = Proof(problem.opening + reuse - unit_cost + price)
    return solution(problem, every, float(unit_cost.sum() - price.sum()) - reuse * n, proof=proof)


def match(problem: Problem, edges: Edges, gain: Floats, deadline: float) -> Matching:
    """Return the matching of largest Σ gain; units for which no pair gains anything stay alone.

    At the deadline the units that were not reached stay alone, too; the prices are valid all the
    same.
    """
    from gammacp.alignment.kernels.matching import best_matching

    n_first = len(edges.begin) - 1
    n = problem.n_units
    column, row_price, column_price = halting(
        lambda meter: best_matching(edges.begin, edges.column, gain, n - n_first, meter),
        deadline,
        quick=len(gain) <= _UNWATCHED,
    )
    paired = np.flatnonzero(column >= 0)
    groups = singletons(problem)
    groups[paired, 1] = column[paired] + n_first
    groups = np.delete(groups, column[paired] + n_first, axis=0)
    return Matching(groups, np.concatenate((row_price, column_price)))
