"""Shares of a relaxation of all annotators, joined from relaxations of some of them at a time.

Where everybody marks about as many units, the annotators with most of them force no more groups
than others do, and a relaxation of some says little of the rest. But a group costs what pairs of
annotators cost. So annotators are dealt into k parts, and any two parts make a block: a problem of
its own, in which a pair of annotators of one part, who are in k − 1 blocks, count 1/(k − 1), and
which has the opening's share of its pairs. Blocks are small enough to be relaxed in steps of
milliseconds. The sum of their matrices is one of all units: zᵀSz is the sum of those of the blocks,
and the entries, the corner and the multipliers add up to what the whole problem allows. It is
priced like any other matrix (`feasible_shares`), so that nothing rests on how it was found.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gammacp.alignment.duals.semidefinite import (
    Matrices,
    Priced,
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

# Units above which blocks pay: in 20 s 200 × 5 that agree on little come to a gap of 3 instead of
# 23 %, and 100 × 5 to .9 instead of .5, .8 instead of 1.1 and 3.0 instead of 1.9 %. Most units of
# an annotator over the mean above which those who have most force groups: with 11 over 7, 140
# annotators come to 31 % by blocks and to 24 % without.
_FEW = 700
_EVEN = 1.4
# Of what is open: a round that rises by less is the last one.
_RISE = 0.02


class Block(NamedTuple):
    """Two parts: their units (ascending rows), their share of the opening, and their matrices."""

    units: Indices
    opening: float
    model: Matrices


def blocks_pay(counts: Indices) -> bool:
    """Return whether the units that annotators have are many and even enough."""
    return bool(counts.sum() > _FEW and counts.max() <= _EVEN * counts.mean())


def shares_by_blocks(
    problem: Problem, objective: float, deadline: float, tuning: Semidefinite
) -> Iterator[tuple[Floats, RelaxedMatrix, int]]:
    """Ever better shares, their matrix and the annotators of a block, until a round brings little.

    `objective` is what some alignment costs.
    """
    n_groups = objective / problem.opening
    bound = -np.inf
    blocks = _blocks(problem, n_groups, tuning)
    whole = model(problem, n_groups, 0)
    inside = min(len(np.unique(problem.annotator[block.units])) for block in blocks)
    rising = [ascend(block.model, start(block.model), deadline) for block in blocks]
    priced: list[Priced] = []
    while True:
        for i, steps in enumerate(rising):
            if due(deadline):
                break
            priced[i : i + 1] = [next(steps)]
        if len(priced) < len(blocks):
            return
        matrix = _join(whole, blocks, priced)
        share = feasible_shares(whole, matrix)
        yield share, matrix, inside
        before = bound
        bound = max(bound, safe_sum(share))
        if due(deadline) or bound - before < _RISE * (objective - bound):
            return


def _blocks(problem: Problem, n_groups: float, tuning: Semidefinite) -> list[Block]:
    """Any two parts; who has most units is dealt first."""
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
        own = part[some.annotator]
        weight = some.weight / np.where(own[some.first] == own[some.second], k - 1, 1)
        within = (size[[i, j]] * (size[[i, j]] - 1)).sum() / (k - 1)
        share = float((2 * size[i] * size[j] + within) / (n * (n - 1)))
        some = replace(some, weight=weight, opening=problem.opening * share)
        blocks.append(Block(units, share, model(some, n_groups, tuning.repairs // 2)))
    return blocks


def _join(whole: Matrices, blocks: list[Block], priced: list[Priced]) -> RelaxedMatrix:
    """Return the sum of the blocks' matrices and multipliers, in units of the whole's opening."""
    size, n = whole.several.shape
    matrix = np.zeros((size + 1, size + 1))
    rows = np.zeros((size, n))
    triangles: list[Codes] = []
    multiplier: list[Floats] = []
    for (units, share, own), one in zip(blocks, priced, strict=True):
        at = np.concatenate(([0], units + 1))
        scale = np.ones(len(at))
        scale[0] = own.border / whole.border
        matrix[np.ix_(at, at)] += share * np.outer(scale, scale) * one.matrix.matrix
        rows[units] += share * one.matrix.rows
        triangles.append(units[one.matrix.triangles].astype(np.int32))
        multiplier.append(share * one.matrix.multiplier)
    return allowed_matrix(
        whole, matrix, rows, np.concatenate(triangles), np.concatenate(multiplier)
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
