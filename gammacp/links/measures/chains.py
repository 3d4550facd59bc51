"""Disagreement on chains over aligned mentions.

The chains of an annotator are a partition of that annotator's units (mentions). Units that links of
kind "chain" join, directly or through other units, form one chain. A unit without such links is a
chain of its own.

For two annotators, the agreement of a mention of one with the other is the share of its chain mates
that are also its mates in the chains of the other. For a mention alone in its chain it is 1 if it
is alone in the chains of the other, too, and 0 otherwise. It is 0 as well if the other annotator
lacks the mention. So each of the k − 1 mates of a mention has the weight 1/(k − 1), and the weight
of a chain is the number of its mentions.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy import sparse

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.continuum import Continuum
from gammacp.continuum.links import Linked


def chains_of(continuum: Continuum, bonds: Linked) -> Indices:
    """Return the chain of each unit as a number; annotators have different numbers.

    Parameters
    ----------
    continuum
        The units.
    bonds
        The links of kind "chain".
    """
    n = continuum.n_units
    ones = np.ones(len(bonds), np.int8)
    graph = sparse.coo_array((ones, (bonds.sources, bonds.targets)), (n, n))
    return np.asarray(sparse.csgraph.connected_components(graph, directed=False)[1], np.int64)


def chain_costs(
    annotators: Codes, n_annotators: int, chains: Indices, groups: Indices
) -> tuple[Floats, Floats]:
    """Return the disagreement on chains, and the number of mentions, by pair of annotators.

    Parameters
    ----------
    annotators
        Code of each unit's annotator.
    n_annotators
        Number of annotators.
    chains, groups
        Number of the chain and of the unitary alignment of each unit.

    Returns
    -------
    tuple of arrays
        Shape (pairs,) each, pairs in the order of `itertools.combinations`.
    """
    sizes = np.bincount(chains)
    of = np.full((n_annotators, int(groups.max(initial=-1)) + 1), -1, np.int64)
    of[annotators, groups] = chains
    cost = []
    count = []
    for pair in combinations(range(n_annotators), 2):
        a, b = of[pair, :]
        both = (a >= 0) & (b >= 0)
        _, where, n = np.unique(
            np.stack([a[both], b[both]]), axis=1, return_inverse=True, return_counts=True
        )
        mates = n[where.ravel()] - 1.0
        shared = 0.0
        for size, other in ((sizes[a[both]], sizes[b[both]]), (sizes[b[both]], sizes[a[both]])):
            alone = (size == 1) & (other == 1)
            shared += float(np.where(size == 1, alone, mates / np.maximum(size - 1, 1)).sum())
        mentions = float(np.isin(annotators, pair).sum())
        cost.append(mentions - shared)
        count.append(mentions)
    return np.array(cost), np.array(count)
