"""Good alignments of long continua: units of some annotators are reassigned to the others' groups.

The first alignment is made by assigning one annotator after the other. If annotators agree on
little, it has too few groups, because opening a group costs more than a single annotator gains by
it, or too many. So groups are split and dissolved, and all annotators reassigned (`resize`).

In long continua, the groups are also split into two parts, the units of some random annotators and
those of all others, and the parts are matched anew (dimensionwise variation of the multidimensional
assignment problem: Karapetyan & Gutin 2011). To leave a local optimum, this is done with noise on
the weights (noising: Charon & Hudry 1993). If a relaxation is known, pairs that it puts together
gain additional weight. Wherever the result is better than before, it is kept (partition crossover:
Whitley, Hains & Howe 2009).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from gammacp.alignment.columns import as_groups, group_of_units, to_columns, to_groups
from gammacp.alignment.limits import Stage
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import due, halting, spend

# Largest number of rounds over the annotators of the assignment heuristic.
_ASSIGNMENTS = 12
# An alignment is given up if its gain is below the aim by more than this number times its last rise
# (200 × 5 on ten places: 1.0 instead of 2.2 s, with the same alignment).
_RISES = 2.0
# Work of one assignment, in addition to that for its units and pairs.
_ASSIGNING = 100_000


@dataclass(frozen=True)
class Recombination(Stage):
    """Tuning of the search that leaves and improves alignments of long continua (8 × 425).

    Attributes
    ----------
    assignments
        Number of assignments of random annotators with noise, and again as many without.
    noises
        Standard deviations of the noise on weights, as shares of Δ, used in turn.
    drawing
        Weight that a pair gains if the relaxation has it together, in standard deviations of the
        noise (8 × 425, cost after 12 s from one alignment: 4734, also with 3; 4774 with 0).
    """

    assignments: int = 120
    noises: tuple[float, ...] = (0.02, 0.05, 0.1, 0.2)
    drawing: float = 6.0


def improve(problem: Problem, groups: Codes | None = None, deadline: float = np.inf) -> Codes:
    """Return a partition in which hardly any reassignment of one annotator's units would pay.

    The search starts from `groups` or from no groups. Each step assigns the units of one annotator
    to the groups that the others form, over candidate pairs only; no step makes the alignment
    worse. At the deadline and on Ctrl-C the units that were not reached stay where they were, or
    alone.
    """
    group_of = np.full(problem.n_units, -1, np.int32)
    if groups is not None:
        group_of = group_of_units(groups, problem.n_units)
    return as_groups(problem, _reassign(problem, group_of, deadline))


def resize(problem: Problem, groups: Codes, deadline: float = np.inf) -> Codes:
    """Split or dissolve each group and reassign all units, as long as that gains.

    Parameters
    ----------
    problem
        A problem that is not a cover.
    groups
        The alignment to start from; the result is at least as good.
    deadline
        Time at which to return the best alignment so far.
    """
    group_of = group_of_units(groups, problem.n_units)
    gained = _gain(problem, group_of)
    before = -np.inf
    while gained > before:
        before = gained
        for group in range(len(np.unique(group_of))):
            members = np.flatnonzero(group_of == group)
            if due(deadline):
                return as_groups(problem, group_of)
            if len(members) < 2:
                continue
            for leaving, to in ((_half(problem, members), group_of.max() + 1), (members, -1)):
                trial = group_of.copy()
                trial[leaving] = to
                trial = _reassign(problem, trial, deadline, gained)
                total = _gain(problem, trial)
                if total > gained + problem.tolerance:
                    group_of = trial
                    gained = total
                    break
    return as_groups(problem, group_of)


def _half(problem: Problem, members: Indices) -> Indices:
    """Return the units of a group that are nearer to one of its extremes than to the other."""
    one = _weights(problem, members[0], members)
    one = _weights(problem, members[one.argmin()], members)
    other = _weights(problem, members[one.argmin()], members)
    return members[other > one]


def _weights(problem: Problem, unit: int, members: Indices) -> Floats:
    """Return w of a unit with each unit of its group, in ascending order; ∞ with itself."""
    graph = problem.graph
    row = slice(graph.start[unit], graph.start[unit + 1])
    weight = np.full(len(members), np.inf)
    others = members != unit
    at = np.searchsorted(graph.neighbour[row], members[others])
    weight[others] = graph.weight[row][at]
    return weight


def _reassign(problem: Problem, group_of: Codes, deadline: float, aim: float = -np.inf) -> Codes:
    """Assign each annotator's units to the others' groups, in rounds, as long as that gains.

    It also stops if further rounds are unlikely to raise the gain to `aim`.
    """
    units_of = [
        np.flatnonzero(problem.annotator == a).astype(np.int32) for a in range(problem.n_annotators)
    ]
    gained = -np.inf
    for _ in range(_ASSIGNMENTS):
        for units in units_of:
            if len(units) and not due(deadline):
                group_of = _assign(problem, group_of, np.arange(len(units) + 1), units, deadline)
        total = _gain(problem, group_of)
        gained, rise = total, total - gained
        if due(deadline) or rise <= max(problem.tolerance, (aim - total) / _RISES):
            break
    return group_of


def recombinations(
    problem: Problem,
    groups: Codes,
    *,
    together: Callable[[], Floats | None] = lambda: None,
    seed: int = 0,
    deadline: float = np.inf,
    tuning: Recombination,
) -> Iterator[Codes]:
    """Yield alignments, each at least as good as the one before, until the deadline.

    Parameters
    ----------
    problem
        A problem that is not a cover.
    groups
        The alignment to start from.
    together
        Function that is called before each alignment. It returns the extent to which a relaxation
        has the units of each pair in one group, or None if there is no relaxation.
    seed
        Seed of the random numbers. Equal seeds give equal alignments if `together` returns the
        same values.
    tuning
        Amount of noise and number of assignments.
    """
    for run in range(2**31):
        if due(deadline):
            return
        rng = np.random.default_rng((seed % 2**64, run))
        noise = tuning.noises[run % len(tuning.noises)] * problem.delta
        weight = rng.normal(problem.weight, noise)
        if (drawn := together()) is not None:
            weight += tuning.drawing * noise * drawn
        noisy = replace(problem, weight=weight)
        group_of = group_of_units(groups, problem.n_units)
        for one in (noisy, problem) if run else (problem,):
            group_of = _recombine(one, group_of, rng, deadline, tuning.assignments)
        groups = crossover(problem, groups, as_groups(problem, group_of))
        yield groups


def crossover(problem: Problem, groups: Codes, others: Codes) -> Codes:
    """Combine two alignments: in each region take the one that is better there.

    A region is a smallest set of units that no group of either alignment leaves.
    """
    from gammacp.alignment.kernels.components import label_components

    label = np.empty(problem.n_units, np.int32)
    columns = [to_columns(problem, some) for some in (groups, others)]
    both = columns[0].join(columns[1])
    label_components(both, np.ones(both.number, np.bool_), label)
    regions = [label[some.members[some.begin[:-1]]] for some in columns]
    gains = [
        np.bincount(at, some.gain, problem.n_units)
        for at, some in zip(regions, columns, strict=True)
    ]
    better = gains[1] > gains[0] + problem.tolerance
    kept_columns = columns[0].select(np.flatnonzero(~better[regions[0]]))
    return to_groups(
        problem, kept_columns.join(columns[1].select(np.flatnonzero(better[regions[1]])))
    )


def _recombine(
    problem: Problem, group_of: Codes, rng: np.random.Generator, deadline: float, steps: int
) -> Codes:
    """Return the group of each unit after `steps` assignments of random annotators to the others.

    No assignment makes the alignment worse.
    """
    for _ in range(steps):
        moved = rng.random(problem.n_annotators) < 0.5
        units = np.flatnonzero(moved[problem.annotator]).astype(np.int32)
        if due(deadline) or not 0 < len(units) < problem.n_units:
            continue
        units = units[np.argsort(group_of[units], kind="stable")]
        begin = np.flatnonzero(np.diff(group_of[units], prepend=-1, append=-2))
        group_of = _assign(problem, group_of, begin, units, deadline)
    return group_of


def _assign(
    problem: Problem, group_of: Codes, part_from: Indices, units: Codes, deadline: float
) -> Codes:
    """Match parts of groups with the groups of the other units; return the group of each unit.

    Part i is `units[part_from[i]:part_from[i + 1]]`; its units stay together.
    """
    from gammacp.alignment.kernels.insertion import insertions
    from gammacp.alignment.kernels.matching import best_matching

    others = group_of.copy()
    others[units] = -1
    present, others[others >= 0] = np.unique(others[others >= 0], return_inverse=True)
    size = np.bincount(others[others >= 0], minlength=len(present)).astype(np.int32)
    begin, group, gain = insertions(part_from, units, problem.graph, problem.opening, others, size)
    degrees = problem.graph.start[units + 1] - problem.graph.start[units]
    spend(_ASSIGNING + 6 * int(degrees.sum()) + 10 * problem.n_units)
    matched = halting(lambda meter: best_matching(begin, group, gain, len(size), meter), deadline)
    target = matched[0]
    if due(deadline) and (group_of[units] >= 0).any():
        return group_of
    single = target < 0
    target[single] = len(size) + np.arange(int(single.sum()))
    others[units] = np.repeat(target, np.diff(part_from))
    return others


def _gain(problem: Problem, group_of: Codes) -> float:
    """Return the gain of an alignment: Σ over its groups of (size − 1)·opening + Σ w."""
    spend(6 * len(problem.first))
    of_first = group_of[problem.first]
    within = (of_first >= 0) & (of_first == group_of[problem.second])
    grouped = group_of[group_of >= 0]
    saved = (len(grouped) - len(np.unique(grouped))) * problem.opening
    return saved + float(problem.weight[within].sum())
