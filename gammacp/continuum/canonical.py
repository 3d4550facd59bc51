"""A canonical order of annotators and categories, from positions and the partition labels make.

Random draws pick annotators and categories by their place in this order, never by name or row, so
that the same seed gives the same γ after moving, scaling, renaming and reordering.

The order is found by colour refinement. The colour of an annotator is a hash of the places of its
units and of the colours of their categories; the colour of a category is a hash of the places of
its units and of the colours of their annotators. Rounds are repeated until no further colours
become different. If some are still equal, one of them gets a new colour, and the refinement
continues, until all differ. Which one is chosen does not matter if they are exchangeable.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gammacp.base.arrays import Codes, Floats, Hashes, Indices
from gammacp.continuum import Continuum
from gammacp.continuum.fragments import ranks
from gammacp.continuum.sequence import ContinuumSequence

# Number of units of a corpus that are processed at a time.
_UNITS = 10_000


def _canonical_ranks(
    continua: Sequence[Continuum], category_costs: Floats | None = None
) -> tuple[Hashes, Codes, Codes, Indices, Indices]:
    """Return the canonical order of the units of continua, which are laid one after the other.

    Returns
    -------
    tuple
        For each unit, the dense rank of its place, and the ranks of its annotator and its category
        in the canonical order of its continuum, from 0. Then, continuum after continuum, the codes
        of the annotators in that order, and those of the categories that occur.
    """
    from gammacp.continuum.canonical_kernels import finalise, refine

    some = ContinuumSequence.of(continua)
    units = some.all_units()
    owner = np.repeat(np.arange(len(some)), some.n_units)
    place = _dense(units.starts, units.ends, _inside(some), owner)
    costs = np.zeros((0, 0), np.uint64)
    if category_costs is not None:
        costs = finalise(np.ascontiguousarray(category_costs, np.float64).view(np.uint64))
    people = np.array(units.annotator_codes)
    labels = np.array(units.category_codes)
    ranks = refine(place, people, labels, some.edges, some.people_edges, costs)
    place, who, what, order, named, filled = ranks
    return place, who, what, order, named[:filled]


def _dense(starts: Floats, ends: Floats, inside: Indices | None, owner: Any) -> Hashes:
    """Return dense ranks of units, from 1: by continuum, start, end, and breaks within the unit."""
    keys = [*([] if inside is None else [inside]), ends, starts, owner]
    order = np.lexsort(keys)
    new = np.ones(len(order), bool)
    new[1:] = False
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    place = np.empty(len(order), np.uint64)
    place[order] = np.cumsum(new)
    return place


def _inside(continua: ContinuumSequence) -> Indices | None:
    """Return ranks of units by the breaks within them; None if no unit has breaks.

    Ranks count anew in each continuum; the continua follow one another.
    """
    if all(c.inside is None for c in continua.structured):
        return None
    empty = [np.empty(0, np.int64)]
    some = (
        np.zeros(c.n_units, np.int64) if c.inside is None else ranks(c.inside) for c in continua
    )
    return np.concatenate([*empty, *some])


def canonical_people(continua: ContinuumSequence) -> tuple[tuple[str, ...], Codes, Codes]:
    """Return the annotators of a corpus in canonical order, laid out as one continuum.

    Parameters
    ----------
    continua
        Documents, which are laid one after the other.

    Returns
    -------
    names, places, whose
        The names, in any order; the canonical rank of each name; and for the annotators of each
        document, document after document, the index of their names.
    """
    from gammacp.continuum.canonical_kernels import refine

    names, whose = continua.people
    low, high = continua.bounds
    ahead = np.append(0.0, np.cumsum(high - low + 1.0))
    place = np.empty(continua.edges[-1], np.uint64)
    people, labels = np.empty((2, len(place)), np.int32)
    done = 0
    at = 0
    before = np.uint64(0)
    for part in continua.stretches(_UNITS):
        sizes = part.n_units
        rows = slice(at, at + int(part.edges[-1]))
        here = slice(done, done + len(part))
        units = part.all_units()
        lows = np.repeat(low[here], sizes)
        first = np.repeat(continua.people_edges[here], sizes)
        people[rows] = whose[first + units.annotator_codes]
        labels[rows] = units.category_codes
        if len(units.starts):
            more = np.repeat(ahead[here], sizes)
            starts = units.starts - lows + more
            ends = units.ends - lows + more
            place[rows] = _dense(starts, ends, _inside(part), np.zeros(len(lows))) + before
            before = place[rows].max()
        done = here.stop
        at = rows.stop
    edges = np.array([0, len(place)])
    a_edges = np.array([0, len(names)])
    order = refine(place, people, labels, edges, a_edges, np.zeros((0, 0), np.uint64))[3]
    places = np.empty(len(names), np.int32)
    places[order] = np.arange(len(names))
    return names, places, whose


def canonical_order(continuum: Continuum) -> tuple[Indices, Indices]:
    """Return the codes of annotators, and of categories that occur, each in canonical order.

    Parameters
    ----------
    continuum
        The units of all annotators.

    Returns
    -------
    annotators, categories
        `annotators[k]` is the code of the k-th annotator; a category code of −1 (unlabelled)
        takes part like any other. Categories without units are left out.
    """
    return _canonical_ranks([continuum])[3:]


def nameless_order(continua: Sequence[Continuum], category_costs: Floats | None = None) -> Indices:
    """Return the rank of each unit in an order that does not depend on names.

    Units are ordered by continuum, start, end, annotator and category, where annotators and
    categories are in canonical order.

    Parameters
    ----------
    continua
        Continua, whose units are counted one continuum after the other.
    category_costs
        Differences between categories, which help to distinguish them: d_cat of each pair of
        category codes, with "unlabelled" at index −1; shape (K + 1, K + 1).
    """
    some = ContinuumSequence.of(continua)
    _, who, what, *_ = _canonical_ranks(some, category_costs)
    units = some.all_units()
    owner = np.repeat(np.arange(len(some)), some.n_units)
    place = np.empty(len(owner), np.int64)
    order = np.lexsort((what, who, units.ends, units.starts, owner))
    place[order] = np.arange(len(owner))
    return place


def in_content_order(continua: Sequence[Continuum]) -> ContinuumSequence:
    """Return continua sorted by their contents, regardless of their names.

    They are sorted by number of units, then by number of annotators, then by a hash of the places
    and labels of all units.
    """
    return _in_content_order(ContinuumSequence.of(continua))


@lru_cache(maxsize=1)
def _in_content_order(continua: ContinuumSequence) -> ContinuumSequence:
    """Compute `in_content_order`; the result for the last corpus is kept."""
    hashes = [_hashes(part) for part in continua.stretches(_UNITS)]
    keys = np.concatenate([np.empty(0, np.uint64), *hashes]), continua.n_annotators
    return continua.at(np.lexsort((*keys, continua.n_units)))


def _hashes(continua: ContinuumSequence) -> Hashes:
    """Return a hash of each continuum: of the places and labels of all its units."""
    from gammacp.continuum.canonical_kernels import finalise

    where, who, what, *_ = _canonical_ranks(continua)
    labels = finalise(who.astype(np.uint64) + finalise(what.astype(np.uint64)))
    # Cumulated sums modulo 2⁶⁴, so that the differences between them are exact.
    sums = np.append(np.uint64(0), np.cumsum(finalise(where + labels), dtype=np.uint64))
    hashes: Hashes = np.diff(sums[continua.edges])
    return hashes


def canonical_categories(continua: Sequence[Continuum]) -> Indices:
    """Return the codes of the categories that occur in continua, in canonical order.

    A category takes its place from the first continuum in which it occurs.
    """
    order = _canonical_ranks(continua)[4]
    _, first = np.unique(order, return_index=True)
    return order[np.sort(first)]
