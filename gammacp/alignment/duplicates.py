"""Many identical units: merged into one with a multiplicity, so that density is not size.

All units of one annotator with the same start, end and category are interchangeable. The problem
over distinct units has capacities instead of ones; its LP gives the bound, the whole part of its
solution is taken, and the few units that remain are aligned one by one.
"""

from __future__ import annotations

import numpy as np

from gammacp.alignment.groups import Columns, enumerate_columns
from gammacp.alignment.lp import relax
from gammacp.alignment.problem import Problem
from gammacp.arrays import Codes, Floats, Indices
from gammacp.continuum import Continuum

_LISTED = 1_000_000
# Merging pays once the distinct units are few enough.
_SHARE = 0.5


def distinct(continuum: Continuum) -> Indices | None:
    """Where each run of identical units begins, and the end; None unless merging pays."""
    new = np.ones(continuum.n_units + 1, np.bool_)
    new[1:-1] = (
        (np.diff(continuum.starts) != 0)
        | (np.diff(continuum.ends) != 0)
        | (np.diff(continuum.category_codes) != 0)
        | (np.diff(continuum.annotator_codes) != 0)
    )
    runs = np.flatnonzero(new)
    return runs if len(runs) - 1 < _SHARE * continuum.n_units else None


def rows_of(continuum: Continuum, rows: Indices) -> Continuum:
    """The continuum of these rows (ascending), with the same names and bounds."""
    return Continuum.from_codes(
        continuum.annotators,
        continuum.categories,
        continuum.starts[rows],
        continuum.ends[rows],
        continuum.annotator_codes[rows],
        continuum.category_codes[rows],
        bounds=continuum.bounds,
    )


def whole_groups(
    problem: Problem, runs: Indices, deadline: float = np.inf
) -> tuple[Codes, Indices, float] | None:
    """Groups to take for good, rows that remain, and what no alignment gains more than.

    `problem` is over the distinct units; groups and rows are of the continuum with all of them.
    None if the distinct units already have too many groups, or no time is left for their LP.
    """
    columns = enumerate_columns(problem, most_members=_LISTED)
    if columns is None:
        return None
    counts = np.diff(runs)
    try:
        relaxed = relax(problem.n_units, columns, capacity=counts, deadline=deadline)
    except TimeoutError:
        return None
    price = _feasible(columns, relaxed.price)
    times = np.floor(relaxed.value + 1e-6).astype(np.int64)
    used = np.bincount(
        columns.members,
        weights=np.repeat(times, np.diff(columns.begin)),
        minlength=problem.n_units,
    ).astype(np.int64)
    groups = _expanded(problem, columns, times, runs)
    first_left = runs[:-1] + used
    left = np.concatenate(
        [np.arange(lo, hi) for lo, hi in zip(first_left, runs[1:], strict=True)]
    ).astype(np.int64)
    return groups, left, float((price * counts).sum())


def _feasible(columns: Columns, price: Floats) -> Floats:
    from gammacp.alignment.price_kernels import repair

    price = price.copy()
    repair(price, columns.begin, columns.members, columns.gain, np.inf)
    return price


def _expanded(problem: Problem, columns: Columns, times: Indices, runs: Indices) -> Codes:
    """Each column as many times as it is taken, with the next rows of each of its units."""
    following = runs[:-1].copy()
    parts = [np.zeros((0, problem.n_annotators), np.int32)]
    for c in np.flatnonzero(times):
        groups = np.full((times[c], problem.n_annotators), -1, np.int32)
        for unit in columns.members[columns.begin[c] : columns.begin[c + 1]]:
            rows = following[unit] + np.arange(times[c])
            groups[:, problem.annotator[unit]] = rows
            following[unit] += times[c]
        parts.append(groups)
    return np.concatenate(parts)
