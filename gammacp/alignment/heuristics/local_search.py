"""A good alignment quickly: annotator by annotator, each assigned anew to the others' groups."""

from __future__ import annotations

import numpy as np

from gammacp.alignment.columns import as_groups, group_of_units
from gammacp.alignment.problem import Problem
from gammacp.alignment.tuning import DEFAULT, Tuning
from gammacp.arrays import Codes
from gammacp.stopping import due, halting


def improve(
    problem: Problem,
    groups: Codes | None = None,
    deadline: float = np.inf,
    tuning: Tuning = DEFAULT,
) -> Codes:
    """A partition in which hardly any annotator's units could be reassigned at a profit.

    Starts from `groups` or from nothing. Each step is an assignment of one annotator's units to
    the groups that the others form, over candidate pairs alone; it never loses. At the deadline
    and on Ctrl-C units that were not reached stay where they were, or alone.
    """
    group_of = np.full(problem.n_units, -1, np.int32)
    if groups is not None:
        group_of = group_of_units(groups, problem.n_units)
    units_of = [
        np.flatnonzero(problem.annotator == a).astype(np.int32) for a in range(problem.n_annotators)
    ]
    gained = -np.inf
    for _ in range(tuning.assignments):
        for units in units_of:
            if len(units) and not due(deadline):
                group_of = _assigned(problem, group_of, units, deadline)
        total = _gain(problem, group_of)
        if due(deadline) or total <= gained + problem.tolerance:
            break
        gained = total
    return as_groups(problem, group_of)


def _assigned(problem: Problem, group_of: Codes, units: Codes, deadline: float) -> Codes:
    """The group of each unit after one annotator's step."""
    from gammacp.alignment.kernels.insertion import insertions
    from gammacp.alignment.kernels.matching import best_matching

    others = group_of.copy()
    others[units] = -1
    present, others[others >= 0] = np.unique(others[others >= 0], return_inverse=True)
    size = np.bincount(others[others >= 0], minlength=len(present)).astype(np.int32)
    begin, group, gain = insertions(units, problem.graph, problem.opening, others, size)
    found = halting(lambda halted: best_matching(begin, group, gain, len(size), halted), deadline)[
        0
    ]
    if due(deadline) and (group_of[units] >= 0).any():
        return group_of
    single = found < 0
    found[single] = len(size) + np.arange(int(single.sum()))
    others[units] = found
    return others


def _gain(problem: Problem, group_of: Codes) -> float:
    """Σ over the groups of (size − 1)·opening + Σ w."""
    of_first = group_of[problem.first]
    within = (of_first >= 0) & (of_first == group_of[problem.second])
    grouped = group_of[group_of >= 0]
    saved = (len(grouped) - len(np.unique(grouped))) * problem.opening
    return saved + float(problem.weight[within].sum())
