"""A good alignment quickly: annotator by annotator, each assigned anew to the others' groups."""

from __future__ import annotations

import numpy as np

from gammacp.alignment.groups import Columns
from gammacp.alignment.joining import joined
from gammacp.alignment.problem import Problem
from gammacp.alignment.stopping import due
from gammacp.arrays import Codes, Floats

_MOST_UNITS = 4000
_SWEEPS = 12


def improve(problem: Problem, groups: Codes | None = None, deadline: float = np.inf) -> Codes:
    """A partition in which no annotator's units can be reassigned at a profit.

    Starts from `groups`, or builds one annotator after the other. Each step is an assignment of
    one annotator's units to the groups that the others form (scipy); it never loses. Many units
    go to `joined`, which ends at the deadline.
    """
    if problem.n_units > _MOST_UNITS:
        return joined(problem, groups, deadline)
    weights = dense_weights(problem)
    units_of = [
        np.flatnonzero(problem.annotator == a).astype(np.int32) for a in range(problem.n_annotators)
    ]
    if groups is None:
        groups = np.full((0, problem.n_annotators), -1, np.int32)
    return _settled_in(groups, dict(enumerate(units_of)), weights, problem)


def _settled_in(
    groups: Codes, units_of: dict[int, Codes], weights: Floats, problem: Problem
) -> Codes:
    """These annotators' units assigned to the groups in turn, until nothing is gained."""
    total = -np.inf
    for _ in range(_SWEEPS):
        for a, units in units_of.items():
            if len(units):
                groups = _reassigned(groups, a, units, weights, problem.opening)
        gained = _gain(groups, weights, problem.opening)
        if gained <= total + problem.tolerance:
            break
        total = gained
    return groups


def perturbed(problem: Problem, groups: Codes, tries: int, deadline: float) -> Codes:
    """A better alignment, by taking apart a few neighbouring groups at a time and rebuilding them.

    Some annotators keep their places, the others are reassigned in random order (large
    neighbourhood search, Shaw 1998); a step that costs more is not taken. The same problem and
    groups always give the same result, unless the deadline comes first.
    """
    if problem.n_units > _MOST_UNITS:
        return groups
    weights = dense_weights(problem)
    rng = np.random.default_rng(0)
    for _ in range(tries):
        if due(deadline):
            break
        taken = groups >= 0
        position = np.where(taken, problem.ranks[groups], 0).sum(axis=1) / taken.sum(axis=1)
        middle = position[rng.integers(len(groups))]
        near = np.argsort(np.abs(position - middle), kind="stable")[: rng.integers(2, 6)]
        old = groups[near]
        moving = rng.permutation(problem.n_annotators)
        moving = moving[rng.random(len(moving)) >= rng.choice((0.0, 0.3, 0.6))]
        new = old.copy()
        new[:, moving] = -1
        new = new[(new >= 0).any(axis=1)]
        units_of = {int(a): old[old[:, a] >= 0, a] for a in moving}
        new = _settled_in(new, units_of, weights, problem)
        if _gain(new, weights, problem.opening) >= _gain(old, weights, problem.opening):
            groups = np.concatenate((np.delete(groups, near, axis=0), new))
    return groups


def alone(problem: Problem) -> Codes:
    """Each unit in a group of its own."""
    groups = np.full((problem.n_units, problem.n_annotators), -1, np.int32)
    groups[np.arange(problem.n_units), problem.annotator] = np.arange(problem.n_units)
    return groups


def dense_weights(problem: Problem) -> Floats:
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


def as_columns(problem: Problem, groups: Codes) -> Columns:
    """The groups of two and more units as columns."""
    from gammacp.alignment.pair_kernels import group_weights

    groups = groups[(groups >= 0).sum(axis=1) > 1]
    sizes = (groups >= 0).sum(axis=1)
    gain = (sizes - 1) * problem.opening + group_weights(groups, *problem.adjacency)
    begin = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return Columns(begin, groups[groups >= 0].astype(np.int32), gain)


def shared_prices(problem: Problem, groups: Codes) -> Floats:
    """Prices under which each group just pays: its gain shared by what each unit brings.

    (size − 1)/size·opening + ½ Σ w(u, ·) within the group.
    """
    group_of = np.empty(problem.n_units, np.int32)
    rows, annotators = np.nonzero(groups >= 0)
    group_of[groups[rows, annotators]] = rows
    sizes = np.bincount(group_of)[group_of]
    within = group_of[problem.first] == group_of[problem.second]
    halves = np.tile(0.5 * problem.weight[within], 2)
    units = np.concatenate((problem.first[within], problem.second[within]))
    price = (sizes - 1) / sizes * problem.opening
    price += np.bincount(units, weights=halves, minlength=problem.n_units)
    return np.maximum(price, 0.0)
