"""Shares for all annotators, combined from relaxations of blocks of annotators.

Shares are numbers per unit whose sum over any group is at most the group's cost, so that their sum
is a lower bound of the cost of an alignment.

If all annotators mark about the same number of units, a relaxation of some of them says little
about the rest. But the cost of a group is a sum over pairs of annotators. So the annotators are
divided into k parts, and each two parts form a block, which is a problem of its own. A pair of
annotators of the same part is in k − 1 blocks, and its weight is divided by k − 1 in each. The
opening is divided among the blocks in proportion to their pairs of annotators. Blocks are small
enough that a step of their relaxation takes milliseconds.

The sum of the blocks' dual matrices is positive semidefinite, and its entries, corner and
multipliers add up to what the whole problem allows. It is therefore a dual matrix of the whole
problem. Shares are derived from it as from any other matrix (`feasible_shares`), so that they are
valid however it was found.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gammacp.alignment.duals.semidefinite import (
    Matrices,
    ProvenBound,
    Semidefinite,
    allowed_matrix,
    ascend,
    feasible_shares,
    model,
    safe_sum,
    start,
)
from gammacp.alignment.problem import Problem, RelaxedMatrix
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import due

# Number of units above which blocks pay. Gap after 20 s with blocks, and in brackets without, of
# annotators × units with little agreement: 200 × 5: 3 % (23 %); three cases of 100 × 5: 0.9 % (0.5
# %), 0.8 % (1.1 %) and 3.0 % (1.9 %).
_FEW = 700
# Largest ratio of an annotator's number of units to the mean with which blocks pay: with 11 units
# to 7, 140 annotators have a gap of 31 % (24 %).
_EVEN = 1.4
# Least rise of the bound in a round, as a share of the gap; a round with less is the last one.
_RISE = 0.02


class Block(NamedTuple):
    """Two parts: their units (ascending), their fraction of the opening, and their matrices."""

    units: Indices
    fraction: float
    model: Matrices


def blocks_pay(counts: Indices) -> bool:
    """Return whether there are enough units, spread evenly enough over annotators, for blocks."""
    return bool(counts.sum() > _FEW and counts.max() <= _EVEN * counts.mean())


def shares_by_blocks(
    problem: Problem, objective: float, deadline: float, tuning: Semidefinite
) -> Iterator[tuple[Floats, RelaxedMatrix, int]]:
    """Yield better and better shares, with their matrix and the least size of a block.

    The size of a block is its number of annotators.

    This ends when a round improves the bound by little. `objective` is the cost of an alignment.
    """
    n_groups = objective / problem.opening
    bound = -np.inf
    blocks = _blocks(problem, n_groups, tuning)
    matrices = model(problem, n_groups, 0)
    least_size = min(len(np.unique(problem.annotator[block.units])) for block in blocks)
    rising = [ascend(block.model, start(block.model), deadline) for block in blocks]
    bounds: list[ProvenBound] = []
    while True:
        for i, steps in enumerate(rising):
            if due(deadline):
                break
            bounds[i : i + 1] = [next(steps)]
        if len(bounds) < len(blocks):
            return
        matrix = _join(matrices, blocks, bounds)
        share = feasible_shares(matrices, matrix)
        yield share, matrix, least_size
        before = bound
        bound = max(bound, safe_sum(share))
        if due(deadline) or bound - before < _RISE * (objective - bound):
            return


def _blocks(problem: Problem, n_groups: float, tuning: Semidefinite) -> list[Block]:
    """Divide annotators into parts, and return a block for each two of them.

    Annotators are assigned to the parts in turn, in descending order of their numbers of units.
    """
    n = problem.n_annotators
    k = max(2, min(n, -(-2 * problem.n_units // tuning.block)))
    part = np.empty(n, np.int64)
    counts = np.bincount(problem.annotator, minlength=n)
    part[np.argsort(-counts, kind="stable")] = np.arange(n) % k
    size = np.bincount(part, minlength=k)
    blocks = []
    for i, j in combinations(range(k), 2):
        units = np.flatnonzero(np.isin(part[problem.annotator], (i, j)))
        if not len(units):
            continue
        some = restrict(problem, units)
        part_of_unit = part[some.annotator]
        weight = some.weight / np.where(
            part_of_unit[some.first] == part_of_unit[some.second], k - 1, 1
        )
        within = (size[[i, j]] * (size[[i, j]] - 1)).sum() / (k - 1)
        fraction = float((2 * size[i] * size[j] + within) / (n * (n - 1)))
        some = replace(some, weight=weight, opening=problem.opening * fraction)
        blocks.append(Block(units, fraction, model(some, n_groups, tuning.repairs // 2)))
    return blocks


def _join(matrices: Matrices, blocks: list[Block], bounds: list[ProvenBound]) -> RelaxedMatrix:
    """Return the sum of the blocks' matrices and multipliers, in units of the problem's opening."""
    size, n = matrices.several.shape
    matrix = np.zeros((size + 1, size + 1))
    rows = np.zeros((size, n))
    triangles: list[Codes] = []
    multiplier: list[Floats] = []
    for (units, fraction, block_model), one in zip(blocks, bounds, strict=True):
        at = np.concatenate(([0], units + 1))
        scale = np.ones(len(at))
        scale[0] = block_model.border / matrices.border
        matrix[np.ix_(at, at)] += fraction * np.outer(scale, scale) * one.matrix.matrix
        rows[units] += fraction * one.matrix.rows
        triangles.append(units[one.matrix.triangles].astype(np.int32))
        multiplier.append(fraction * one.matrix.multiplier)
    return allowed_matrix(
        matrices, matrix, rows, np.concatenate(triangles), np.concatenate(multiplier)
    )


def restrict(problem: Problem, units: Indices) -> Problem:
    """Return the problem of these units (ascending rows) alone, with the same opening."""
    row = np.full(problem.n_units, -1, np.int32)
    row[units] = np.arange(len(units))
    inside = (row[problem.first] >= 0) & (row[problem.second] >= 0)
    return replace(
        problem,
        annotator=problem.annotator[units],
        first=row[problem.first[inside]],
        second=row[problem.second[inside]],
        weight=problem.weight[inside],
        rank=None,
    )
