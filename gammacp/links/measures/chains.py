"""Chains over aligned mentions: which mentions each annotator holds for the same.

The chains of an annotator are a partition of his or her units (mentions): what links of kind
"chain" join, directly or through others, is one chain, and a unit without any is a chain of its
own. For two annotators a mention of one agrees with the other by the share of its chain mates that
are its mates there, too; that of a mention alone in its chain is 1 if the other has it alone, too,
and 0 otherwise, as it is where the other has no such mention. So each of the k − 1 mates of a
mention weighs 1/(k − 1), and a chain counts as its mentions do.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy import sparse

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.continuum import Continuum
from gammacp.continuum.links import Linked


def chains_of(continuum: Continuum, bonds: Linked) -> Indices:
    """Return the chain of each unit, as a number that no two annotators share.

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
    """Count, by pair of annotators, unshared mentions and all mentions of their chains.

    Parameters
    ----------
    annotators
        Code of each unit's annotator.
    n_annotators
        Number of annotators.
    chains, groups
        Chain and unitary alignment of each unit.

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
        for own, other in ((sizes[a[both]], sizes[b[both]]), (sizes[b[both]], sizes[a[both]])):
            alone = (own == 1) & (other == 1)
            shared += float(np.where(own == 1, alone, mates / np.maximum(own - 1, 1)).sum())
        mentions = float(np.isin(annotators, pair).sum())
        cost.append(mentions - shared)
        count.append(mentions)
    return np.array(cost), np.array(count)
