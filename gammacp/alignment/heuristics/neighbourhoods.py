"""Large neighbourhood search (Shaw 1998): a few groups at a time taken apart and rebuilt."""

from __future__ import annotations

import numpy as np

from gammacp.alignment.problem import Problem
from gammacp.alignment.tuning import Tuning
from gammacp.arrays import Codes, Floats
from gammacp.stopping import due


def searched(problem: Problem, groups: Codes, deadline: float, tuning: Tuning) -> Codes:
    """A better alignment, by taking apart neighbouring groups and rebuilding them.

    Some annotators keep their places, the others are reassigned in random order; a step that
    costs more is not taken. The same problem and groups always give the same result, unless the
    deadline comes first.
    """
    if problem.n_units > tuning.searched_units:
        return groups
    weights = _square(problem)
    rng = np.random.default_rng(0)
    for _ in range(tuning.trials * len(groups)):
        if due(deadline):
            break
        taken = groups >= 0
        position = np.where(taken, problem.ranks[groups], 0).sum(axis=1) / taken.sum(axis=1)
        middle = position[rng.integers(len(groups))]
        near = np.argsort(np.abs(position - middle), kind="stable")[: rng.integers(2, 6)]
        old = groups[near]
        moving = rng.permutation(problem.n_annotators)
        moving = moving[rng.random(len(moving)) >= rng.choice((0.0, 0.3, 0.6))]
        new = _rebuilt(problem, old, moving, weights, tuning.assignments)
        if _gain(new, weights, problem.opening) >= _gain(old, weights, problem.opening):
            groups = np.concatenate((np.delete(groups, near, axis=0), new))
    return groups


def _rebuilt(problem: Problem, old: Codes, moving: Codes, weights: Floats, rounds: int) -> Codes:
    """These annotators' units assigned anew to the groups in turn, until nothing is gained."""
    groups = old.copy()
    groups[:, moving] = -1
    groups = groups[(groups >= 0).any(axis=1)]
    total = -np.inf
    for _ in range(rounds):
        for a in moving:
            units = old[old[:, a] >= 0, a]
            if len(units):
                groups = _reassigned(groups, a, units, weights, problem.opening)
        gained = _gain(groups, weights, problem.opening)
        if gained <= total + problem.tolerance:
            break
        total = gained
    return groups


def _square(problem: Problem) -> Floats:
    """w as a matrix with a row and a column of zeros at the end, for −1; −∞ off the edges."""
    size = problem.n_units
    weights = np.full((size + 1, size + 1), -np.inf)
    weights[problem.first, problem.second] = problem.weight
    weights[problem.second, problem.first] = problem.weight
    weights[size] = weights[:, size] = 0.0
    return weights


def _reassigned(
    groups: Codes, annotator: int, units: Codes, weights: Floats, opening: float
) -> Codes:
    from scipy.optimize import linear_sum_assignment

    groups = groups.copy()
    groups[:, annotator] = -1
    groups = groups[(groups >= 0).any(axis=1)]
    gain = np.full((len(groups), len(units)), opening)
    for column in groups.T:
        gain += weights[np.ix_(column, units)]
    rows, cols = linear_sum_assignment(np.maximum(gain, 0.0), maximize=True)
    worth = gain[rows, cols] > 0
    groups[rows[worth], annotator] = units[cols[worth]]
    left = np.delete(units, cols[worth])
    single = np.full((len(left), groups.shape[1]), -1, np.int32)
    single[:, annotator] = left
    return np.concatenate((groups, single))


def _gain(groups: Codes, weights: Floats, opening: float) -> float:
    sizes = (groups >= 0).sum(axis=1)
    pairs = 0.0
    for k in range(1, groups.shape[1]):
        pairs += float(weights[groups[:, :k], groups[:, k : k + 1]].sum())
    return float((sizes - 1).sum()) * opening + pairs
