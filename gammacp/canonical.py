"""A canonical order of annotators and categories, from positions and the partition labels make.

Random draws pick annotators and categories by their place in this order, never by name or row, so
that the same seed gives the same γ after moving, scaling, renaming and reordering.

The order is found by colour refinement: the colour of an annotator is a hash of where its units
are and of their categories' colours, and the other way round, until nothing more is told apart.
What is still alike then is told apart one by one, followed by a refinement each time; the choice
does not matter where the two are exchangeable.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gammacp.arrays import Floats, Indices
from gammacp.continuum import Continuum
from gammacp.continuum.fragments import ranks

Hashes = NDArray[np.uint64]
# Of SplitMix64, as NumPy has them: small arrays take no longer than making these anew.
_MIX = tuple(
    map(np.uint64, (0x9E3779B97F4A7C15, 30, 0xBF58476D1CE4E5B9, 27, 0x94D049BB133111EB, 31))
)


def canonical_order(
    continuum: Continuum, category_costs: Floats | None = None
) -> tuple[Indices, Indices]:
    """Codes of the annotators and of the categories that occur, each in canonical order.

    Parameters
    ----------
    category_costs
        What tells categories apart beside where they are: d_cat of each pair of category codes,
        index −1 "unlabelled", shape (K + 1, K + 1).

    Returns
    -------
    annotators, categories
        `annotators[k]` is the code of the k-th annotator; a category code of −1 (unlabelled)
        takes part like any other. Categories without units are left out.
    """
    place = _place(continuum)
    category_codes, category = np.unique(continuum.category_codes, return_inverse=True)
    annotator = continuum.annotator_codes.astype(np.int64)
    n, k = continuum.n_annotators, len(category_codes)
    a_colour = _gather(_mix(place), annotator, n)
    # "Unlabelled" is not one of the labels that renaming may exchange.
    c_colour = _gather(_mix(place), category, k) + _mix((category_codes < 0).astype(np.uint64))
    if category_costs is not None:
        c_colour += _cost_colours(category_costs[np.ix_(category_codes, category_codes)])
    while True:
        a_colour, c_colour = _refine(place, annotator, category, a_colour, c_colour)
        tied = _first_tie(a_colour)
        if tied is not None:
            a_colour[tied] = _mix(a_colour[tied : tied + 1] + np.uint64(1))[0]
            continue
        tied = _first_tie(c_colour)
        if tied is None:
            break
        c_colour[tied] = _mix(c_colour[tied : tied + 1] + np.uint64(1))[0]
    return (
        np.argsort(a_colour, kind="stable").astype(np.int64),
        category_codes[np.argsort(c_colour, kind="stable")].astype(np.int64),
    )


def _place(continuum: Continuum) -> Hashes:
    """Dense rank of (start, end, breaks): what moving and scaling leave alone."""
    inside = np.zeros(0) if continuum.breaks is None else ranks(continuum.breaks)
    keys = (continuum.ends, continuum.starts)
    order = np.lexsort(keys if not len(inside) else (inside, *keys))
    starts, ends = continuum.starts[order], continuum.ends[order]
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(starts) != 0) | (np.diff(ends) != 0)
    if len(inside):
        new[1:] |= np.diff(inside[order]) != 0
    rank = np.empty(len(order), np.uint64)
    rank[order] = np.cumsum(new)
    return rank


def _refine(
    place: Hashes, annotator: Indices, category: Indices, a_colour: Hashes, c_colour: Hashes
) -> tuple[Hashes, Hashes]:
    classes = -1
    while True:
        found = len(set(a_colour.tolist())) + len(set(c_colour.tolist()))
        if found == classes:
            return a_colour, c_colour
        classes = found
        by_category = _mix(place + _mix(c_colour)[category])
        by_annotator = _mix(place + _mix(a_colour)[annotator])
        a_colour = _mix(a_colour) + _gather(by_category, annotator, len(a_colour))
        c_colour = _mix(c_colour) + _gather(by_annotator, category, len(c_colour))


def _cost_colours(costs: Floats) -> Hashes:
    """A hash of each row's entries, the same whatever their order."""
    entries = _mix(np.ascontiguousarray(costs, np.float64).view(np.uint64))
    return np.asarray(entries.sum(axis=1, dtype=np.uint64))


def _gather(values: Hashes, groups: Indices, n_groups: int) -> Hashes:
    """Sum (modulo 2⁶⁴) per group: the same whatever the order of rows."""
    sums = np.zeros(n_groups, np.uint64)
    np.add.at(sums, groups, values)
    return sums


def _mix(values: Hashes) -> Hashes:
    """The finaliser of SplitMix64: close numbers become unrelated ones."""
    x = values + _MIX[0]
    x ^= x >> _MIX[1]
    x *= _MIX[2]
    x ^= x >> _MIX[3]
    x *= _MIX[4]
    x ^= x >> _MIX[5]
    return x


def _first_tie(colours: Hashes) -> int | None:
    """Some member of the smallest colour that several have; None if all differ."""
    listed = colours.tolist()
    if len(set(listed)) == len(listed):
        return None
    _, first, counts = np.unique(colours, return_index=True, return_counts=True)
    return int(first[np.flatnonzero(counts > 1)[0]])


def content_key(continuum: Continuum) -> tuple[int, int, int]:
    """Orders continua by what is in them, not by their names: a hash of places and labels."""
    annotators, categories = canonical_order(continuum)
    a_rank = np.empty(continuum.n_annotators, np.uint64)
    a_rank[annotators] = np.arange(len(annotators), dtype=np.uint64)
    c_rank = np.zeros(len(continuum.categories) + 1, np.uint64)
    c_rank[categories] = np.arange(len(categories), dtype=np.uint64)
    units = _mix(
        _place(continuum)
        + _mix(a_rank[continuum.annotator_codes] + _mix(c_rank[continuum.category_codes]))
    )
    return continuum.n_units, continuum.n_annotators, int(units.sum(dtype=np.uint64))


def canonical_categories(continua: Sequence[Continuum]) -> Indices:
    """Codes of the categories that occur, in canonical order within the first that has them."""
    order = np.concatenate([canonical_order(c)[1] for c in continua])
    _, first = np.unique(order, return_index=True)
    return order[np.sort(first)]
