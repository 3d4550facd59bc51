"""Counts for the measures of observation tools, which add up over documents, and their formulas.

The κ of tables (EasyDIAg, event alignment) and of time units compare two annotators, each with an
own distribution of categories. So the sums over a corpus are kept for each pair, as for Cohen's κ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np

from gammacp.alignment import Alignment, align
from gammacp.base.arguments import number
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.text import UNLABELLED
from gammacp.chance.beyond import ratios
from gammacp.continuum import Continuum
from gammacp.errors import UsageError
from gammacp.measures.counting import Counting, Counts, Numbers, Rates, share
from gammacp.measures.matching.overlapping import Overlaps, overlaps
from gammacp.observers.states import sequence_pairs, states_of, time_unit

ONE_STATE = "only one category is used, so no disagreement can be expected"
NOTHING = "no two annotators have anything to compare"
Table = np.ndarray[Any, np.dtype[np.float64]]


def count_links(
    continuum: Continuum, *, overlap: float = 0.6, unlinked: bool = True, **_: Any
) -> Counts:
    """Count linked units of equal category, and each annotator's categories, for EasyDIAg's κ.

    Parameters
    ----------
    continuum, overlap, unlinked
        As for `easydiag_kappa`.
    """
    if not 0 < number("overlap", overlap) <= 1:
        raise UsageError(f"overlap {overlap:g} is outside (0, 1]")
    codes = continuum.category_codes
    size = len(continuum.categories) + 2
    tables = {}
    for met in overlaps(continuum):
        left, right = _link(continuum, met, overlap)
        sides = [np.arange(*continuum.offsets[[k, k + 1]]) for k in (met.first, met.second)]
        alone = [np.setdiff1d(rows, used) for rows, used in zip(sides, (left, right), strict=True)]
        table = np.zeros((size, size))
        # The last row and column stand for ∅, the last but one for unlabelled units.
        np.add.at(table, (_kind(codes[left]), _kind(codes[right])), 2)
        if unlinked:
            np.add.at(table[:, -1], _kind(codes[alone[0]]), 1)
            np.add.at(table[-1], _kind(codes[alone[1]]), 1)
        tables[continuum.annotators[met.first], continuum.annotators[met.second]] = table
    return _counts_of_tables(continuum, tables, ordered=False)


def count_aligned_codes(continuum: Continuum, **_: Any) -> Counts:
    """Count the equal and different codes in aligned sequences, for the κ of event alignment.

    Parameters
    ----------
    continuum
        At least two annotators.
    """
    size = len(continuum.categories) + 2
    codes = _kind(continuum.category_codes).astype(np.int32)
    sequences = [codes[a:b] for a, b in zip(continuum.offsets, continuum.offsets[1:], strict=False)]
    tables = {}
    people = permutations(continuum.annotators, 2)
    for pair, (a, b, met) in zip(people, sequence_pairs(sequences), strict=True):
        table = np.zeros((size, size))
        sides = [np.append(x, -1)[k] for x, k in zip((a, b), met.T, strict=True)]
        np.add.at(table, tuple(sides), 1)
        tables[pair] = table
    return _counts_of_tables(continuum, tables, ordered=True)


def _counts_of_tables(
    continuum: Continuum, tables: Mapping[tuple[str, str], Table], *, ordered: bool
) -> Counts:
    """Return diagonal and marginal sums of tables with ∅ last; leave out empty tables."""
    filled_tables = {pair: table for pair, table in tables.items() if table.sum()}
    every = np.array([*filled_tables.values()]).reshape(
        len(filled_tables), *2 * (len(continuum.categories) + 2,)
    )
    inner = every[:, :-1, :-1]
    numbers = {
        "alike": np.trace(inner, axis1=1, axis2=2),
        "linked": inner.sum(axis=(1, 2)),
        "total": every.sum(axis=(1, 2)),
        "first_choices": every.sum(axis=2)[:, :-1],
        "second_choices": every.sum(axis=1)[:, :-1],
    }
    return Counts(tuple(filled_tables), numbers, (*continuum.categories, UNLABELLED), ordered)


def quasi_independent_rates(numbers: Numbers) -> Rates:
    """Return κ of tables in which (∅, ∅) cannot occur, with chance x_ij = M·(r_i/R)·(c_j/C).

    Parameters
    ----------
    numbers
        Sums of cells: `alike` on the diagonal, `linked` outside of ∅ (M), and the `total`; and the
        marginal sums by category, `first_choices` (r) and `second_choices` (c).
    """
    linked = numbers["linked"]
    total = numbers["total"]
    rows = numbers["first_choices"]
    columns = numbers["second_choices"]
    # The expected disagreement below is exactly 0 where all units are linked and of one category.
    alike = (rows * columns).sum(axis=-1) * linked
    met = share(alike, rows.sum(axis=-1) * columns.sum(axis=-1) * total)
    observed = 1 - share(numbers["alike"], total)
    expected = np.where(total > 0, 1 - np.where(linked > 0, met, 0.0), np.nan)
    return Rates(
        value=ratios(observed, expected),
        disagreement=observed,
        size=total / 2,
        expected=expected,
    )


def count_states(
    continuum: Continuum, *, unit: float | None = None, tolerance: float = 0.0, **_: Any
) -> Counts:
    """Count time units at which two annotators' states differ, and each one's units per state.

    Parameters
    ----------
    continuum, unit, tolerance
        As for `time_unit_kappa`.
    """
    step = time_unit(continuum, unit)
    states, names = states_of(continuum, unit)
    reach = int(min(number("tolerance", tolerance, 0.0) / step + 1e-9, len(states[0]) - 1))
    n_different = []
    first = []
    second = []
    for i, j in permutations(range(len(states)), 2):
        same = states[i] == states[j]
        for shift in range(1, reach + 1):
            same[shift:] |= states[i][shift:] == states[j][:-shift]
            same[:-shift] |= states[i][:-shift] == states[j][shift:]
        other = np.where(same, states[i], states[j])
        n_different.append(float(np.count_nonzero(states[i] != other)))
        first.append(np.bincount(states[i], minlength=len(names)))
        second.append(np.bincount(other, minlength=len(names)))
    numbers = {
        "apart": np.array(n_different),
        "times": np.full(len(n_different), float(states.shape[1])),
        "first_choices": np.array(first, np.float64),
        "second_choices": np.array(second, np.float64),
        "units": _mean_units(continuum),
    }
    return Counts(tuple(permutations(continuum.annotators, 2)), numbers, names, ordered=True)


def _mean_units(continuum: Continuum) -> Floats:
    """Return the mean number of units of both annotators of each ordered pair."""
    units = continuum.counts.tolist()
    return np.array([(x + y) / 2 for x, y in permutations(units, 2)])


def state_rates(numbers: Numbers) -> Rates:
    """Return Cohen's κ of time units.

    Parameters
    ----------
    numbers
        Number of time units `apart` (in different states) among all `times`, numbers of time units
        by state (`first_choices` and `second_choices`), and number of `units`.
    """
    times = numbers["times"]
    sides = [numbers["first_choices"], numbers["second_choices"]]
    shares = [share(side, times[..., None]) for side in sides]
    used = np.count_nonzero((sides[0] > 0) | (sides[1] > 0), axis=-1)
    observed = share(numbers["apart"], times)
    expected = np.where(used > 1, 1 - _exact_sums(shares[0] * shares[1]), 0.0)
    return Rates(
        value=ratios(observed, expected),
        disagreement=observed,
        size=numbers["units"],
        expected=expected,
    )


def _exact_sums(values: Floats) -> Floats:
    """Return the sums along the last axis, rounded once, so the order of states is irrelevant."""
    rows = values.reshape(-1, values.shape[-1]).tolist()
    return np.array([math.fsum(row) for row in rows]).reshape(values.shape[:-1])


def count_equal_states(continuum: Continuum, *, unit: float | None = None, **_: Any) -> Counts:
    """Count equal states in the aligned sequences of time units.

    Parameters
    ----------
    continuum, unit
        As for `nw_identity`.
    """
    states = states_of(continuum, unit)[0]
    equal = []
    length = []
    for a, b, k in sequence_pairs(list(states.astype(np.int32))):
        alike = (k >= 0).all(axis=1) & (a[k[:, 0]] == b[k[:, 1]])
        equal.append(float(np.count_nonzero(alike)))
        length.append(float(len(k)))
    numbers = {"equal": np.array(equal), "all": np.array(length), "units": _mean_units(continuum)}
    return Counts(tuple(permutations(continuum.annotators, 2)), numbers, ordered=True)


def count_overlap(continuum: Continuum, **_: Any) -> Counts:
    """Sum the shares of their extent that linked units have in common, and count the units.

    Parameters
    ----------
    continuum
        At least two annotators.
    """
    parties: list[tuple[str, str]] = []
    shared = []
    everything = []
    for met in overlaps(continuum):
        names = (continuum.annotators[met.first], continuum.annotators[met.second])
        units = int(continuum.counts[[met.first, met.second]].sum())
        if not units:
            continue
        overlap_rows = np.flatnonzero(met.lengths > 0)
        sides = [(met.left, met.right), (met.right, met.left)]
        for pair, (source, target) in zip((names, names[::-1]), sides, strict=True):
            order = overlap_rows[
                np.lexsort((target[overlap_rows], -met.lengths[overlap_rows], source[overlap_rows]))
            ]
            linked = _one_to_one(met, order)
            parties.append(pair)
            shared.append(math.fsum(met.lengths[linked] / met.spans[linked]))
            everything.append(float(units - len(linked)))
    numbers = {"equal": np.array(shared), "all": np.array(everything)}
    return Counts(tuple(parties), {**numbers, "units": numbers["all"]}, ordered=True)


def count_close_boundaries(
    continuum: Continuum, *, tolerance: float = 0.0, dissimilarity: Any = None, **_: Any
) -> Counts:
    """Count aligned pairs of units, and those whose boundaries are close to each other.

    Parameters
    ----------
    continuum, tolerance, dissimilarity
        As for `boundaries`.
    """
    return close_boundaries(continuum, align(continuum, dissimilarity), tolerance)


def close_boundaries(continuum: Continuum, best: Alignment, tolerance: float) -> Counts:
    """Count aligned pairs of units, and those whose boundaries are close to each other.

    Parameters
    ----------
    continuum
        The units.
    best
        Their alignment.
    tolerance
        Largest difference that is tolerated.
    """
    differences = np.abs(boundary_differences(continuum, best)).max(axis=0)
    everything = np.array([float(len(differences))])
    equal = np.array([float(np.count_nonzero(differences <= tolerance))])
    return Counts((continuum.annotators,), {"equal": equal, "all": everything, "units": everything})


def boundary_differences(continuum: Continuum, best: Alignment) -> Floats:
    """Return the differences of starts and of ends of aligned units, shape (2, aligned pairs).

    Parameters
    ----------
    continuum, best
        As for `close_boundaries`.
    """
    i, j = np.triu_indices(continuum.n_annotators, 1)
    u = best.groups[:, i].ravel()
    v = best.groups[:, j].ravel()
    u, v = u[(u >= 0) & (v >= 0)], v[(u >= 0) & (v >= 0)]
    return np.array([x[v] - x[u] for x in (continuum.starts, continuum.ends)])


def equal_rates(numbers: Numbers) -> Rates:
    """Return the share of equal items.

    Parameters
    ----------
    numbers
        Number of `equal` items, number of `all` items, and number of `units`.
    """
    value = share(numbers["equal"], numbers["all"])
    return Rates(value=value, disagreement=1 - value, size=numbers["units"])


def _kind(codes: Codes) -> Indices:
    return np.where(codes < 0, -2, codes).astype(np.int64)


def _link(c: Continuum, met: Overlaps, least: float) -> tuple[Indices, Indices]:
    longer = np.maximum(c.lengths[met.left], c.lengths[met.right])
    shared = np.divide(met.lengths, longer, out=np.ones(len(longer)), where=longer > 0)
    unlike = c.category_codes[met.left] != c.category_codes[met.right]
    first = c.starts[met.left] + c.starts[met.right]
    order = np.lexsort((first, unlike, -met.lengths, -shared))
    linked = _one_to_one(met, order[shared[order] >= least])
    return met.left[linked], met.right[linked]


def _one_to_one(met: Overlaps, order: Indices) -> Indices:
    """Return a one-to-one selection: go through pairs in `order`, take those with free units."""
    used: set[int] = set()
    linked = []
    for k, *pair in zip(order, met.left[order].tolist(), met.right[order].tolist(), strict=True):
        if not used.intersection(pair):
            used.update(pair)
            linked.append(k)
    return np.array(linked, np.int64)


def _of_pairs(count: Any, rates: Any, *, relabelled: bool) -> Counting:
    return Counting(
        count=count, rates=rates, pooling="values", relabelled=relabelled, nothing=ONE_STATE
    )


LINKS = _of_pairs(count_links, quasi_independent_rates, relabelled=True)
SEQUENCES = _of_pairs(count_aligned_codes, quasi_independent_rates, relabelled=True)
STATES = _of_pairs(count_states, state_rates, relabelled=False)
IDENTITY = Counting(count=count_equal_states, rates=equal_rates, nothing=NOTHING)
OVERLAP = Counting(count=count_overlap, rates=equal_rates, nothing=NOTHING)
BOUNDARIES = Counting(
    count=count_close_boundaries,
    rates=equal_rates,
    pooling="all",
    nothing="no two units are aligned",
)
