"""A canonical order of annotators and categories, from positions and the partition labels make.

Random draws pick annotators and categories by their place in this order, never by name or row, so
that the same seed gives the same γ after moving, scaling, renaming and reordering.

The order is found by colour refinement: the colour of an annotator is a hash of where its units
are and of their categories' colours, and the other way round, until nothing more is told apart.
What is still alike then is told apart one by one, followed by a refinement each time; the choice
does not matter where the two are exchangeable.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from gammacp.arrays import Floats, Hashes, Indices
from gammacp.continuum import Continuum
from gammacp.continuum.fragments import ranks


def _canonical_ranks(
    continua: Sequence[Continuum], category_costs: Floats | None = None
) -> tuple[Hashes, Indices, Indices, Indices, Indices]:
    """Continua one after the other in canonical order.

    Of each unit: where it is (a dense rank), and the places, from 0 in each continuum, of who
    marked it and of what it is. Then the codes of each one's annotators in order, and those of the
    categories that occur in each.
    """
    from gammacp.canonical_kernels import finalise, refine

    sizes = [c.n_units for c in continua]
    keys = [*_places(continua), np.repeat(np.arange(len(sizes)), sizes)]
    if any(c.breaks is not None for c in continua):
        inside = [np.zeros(c.n_units) if c.breaks is None else ranks(c.breaks) for c in continua]
        keys.insert(0, np.concatenate(inside))
    order = np.lexsort(keys)
    ordered, new = np.array(keys)[:, order], np.ones(len(order), bool)
    new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    place = np.empty(len(order), np.uint64)
    place[order] = np.cumsum(new)
    costs = np.zeros((0, 0), np.uint64)
    if category_costs is not None:
        costs = finalise(np.ascontiguousarray(category_costs, np.float64).view(np.uint64))
    people = np.concatenate([c.annotator_codes for c in continua])
    labels = np.concatenate([c.category_codes for c in continua])
    edges, a_edges = np.cumsum([0, *sizes]), np.cumsum([0, *(c.n_annotators for c in continua)])
    place, who, what, order, named, filled = refine(place, people, labels, edges, a_edges, costs)
    return place, who, what, order, named[:filled]


def _places(continua: Sequence[Continuum]) -> tuple[Floats, Floats]:
    """Ends and starts of all units."""
    return np.concatenate([c.ends for c in continua]), np.concatenate([c.starts for c in continua])


def canonical_order(continuum: Continuum) -> tuple[Indices, Indices]:
    """Codes of the annotators and of the categories that occur, each in canonical order.

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
    """Places of all units, continuum after continuum: by start, end, annotator and category.

    Parameters
    ----------
    continua
        One after the other.
    category_costs
        What tells categories apart beside where they are: d_cat of each pair of category codes,
        index −1 "unlabelled", shape (K + 1, K + 1).
    """
    _, who, what, *_ = _canonical_ranks(continua, category_costs)
    owner = np.repeat(np.arange(len(continua)), [c.n_units for c in continua])
    place = np.empty(len(owner), np.int64)
    order = np.lexsort((what, who, *_places(continua), owner))
    place[order] = np.arange(len(owner))
    return place


def in_content_order(continua: Sequence[Continuum]) -> tuple[Continuum, ...]:
    """Continua ordered by what is in them, not by their names: a hash of places and labels."""
    return _in_content_order(tuple(continua))


@lru_cache(maxsize=1)
def _in_content_order(continua: tuple[Continuum, ...]) -> tuple[Continuum, ...]:
    """The same, once for the corpus at hand."""
    from gammacp.canonical_kernels import finalise

    where, who, what, *_ = _canonical_ranks(continua)
    labels = finalise(who.astype(np.uint64) + finalise(what.astype(np.uint64)))
    # A sum modulo 2⁶⁴ up to each unit, differences of which are exact.
    sums = np.append(np.uint64(0), np.cumsum(finalise(where + labels), dtype=np.uint64))
    hashes = np.diff(sums[np.cumsum([0, *(c.n_units for c in continua)])]).tolist()
    keys = [(c.n_units, c.n_annotators, k) for c, k in zip(continua, hashes, strict=True)]
    return tuple(continua[i] for i in sorted(range(len(keys)), key=keys.__getitem__))


def canonical_categories(continua: Sequence[Continuum]) -> Indices:
    """Codes of the categories that occur, in canonical order within the first that has them."""
    order = _canonical_ranks(continua)[4]
    _, first = np.unique(order, return_index=True)
    return order[np.sort(first)]
