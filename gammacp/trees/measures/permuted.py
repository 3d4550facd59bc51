"""Test of agreement above 0: trees permuted within sentences of equal length.

If annotators are independent, an annotator who drew several trees for sentences of one length could
as well have assigned these trees to the sentences in any other order. So the trees of each
annotator are permuted among sentences with exactly the same number of tokens. p is the share of
permutations, the data included, with a disagreement of at most that of the data.

The test is exact however the annotators behave, and conservative where few sentences have equal
lengths. Where many sentences have one length, they are permuted in groups of at most `_TOGETHER`,
which bounds the number of pairs to compare.
"""

from collections.abc import Callable

import numpy as np

from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.trees.measures.observations import Observations

PERMUTATIONS = 199
_TOGETHER = 20
_PAIRS_AT_ONCE = 1024


def permuted(
    lengths: Indices, items: Indices, people: Indices, *, draws: int, seed: int
) -> Indices:
    """Permute each annotator's own trees within sentences of equal length.

    Parameters
    ----------
    lengths, items, people
        Number of tokens, sentence and annotator of each annotation.
    draws, seed
        Number of permutations, and the seed of their random numbers.

    Returns
    -------
    For each permutation the annotation whose tree each annotation gets, shape (1 + draws,
    annotations). The first row is the data.

    >>> lengths, items = np.array([3, 4, 3, 3]), np.array([0, 1, 2, 0])
    >>> found = permuted(lengths, items, np.array([0, 0, 0, 1]), draws=20, seed=0)
    >>> sorted(set(map(tuple, found.tolist())))
    [(0, 1, 2, 3), (2, 1, 0, 3)]
    """
    kinds, kind = np.unique(np.stack([lengths, items]), axis=1, return_inverse=True)
    _, begin, of, size = np.unique(
        kinds[0], return_index=True, return_inverse=True, return_counts=True
    )
    part = (np.arange(len(of)) - begin[of]) % -(-size[of] // _TOGETHER)
    groups = np.stack([people, lengths, part[kind.ravel()]])
    group = np.unique(groups, axis=1, return_inverse=True)[1].ravel()
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(2,)))
    permutations = np.tile(np.arange(len(items)), (1 + draws, 1))
    place = np.argsort(group, kind="stable")
    for row in permutations[1:]:
        row[place] = np.lexsort((rng.random(len(items)), group))
    return permutations


def permutation_p(
    observations: Observations,
    chosen: Bools,
    compare: Callable[[Indices, Indices], Floats],
    weights: Floats,
    *,
    seed: int,
) -> list[float]:
    """Return p of each measure whose D_o is a weighted sum over pairs of annotations.

    Parameters
    ----------
    observations
        Trees to compare.
    chosen
        True for annotations that take part, shape (annotations,).
    compare
        Disagreements of pairs of annotations by their numbers: shape (measures, pairs).
    weights
        Weights in D_o of the pairs (`observations.first`, `observations.second`), 0 for pairs that
        do not count: shape (measures, pairs).
    seed
        Seed of the permutations.
    """
    where = np.flatnonzero(chosen)
    at = np.tile(np.arange(len(chosen)), (1 + PERMUTATIONS, 1))
    sentence_columns = (
        observations.tokens[where],
        observations.item[where],
        observations.annotator[where],
    )
    at[:, where] = where[permuted(*sentence_columns, draws=PERMUTATIONS, seed=seed)]
    pairs = np.flatnonzero(chosen[observations.first] & chosen[observations.second])
    # Sort the pairs by length: neighbouring pairs then draw from the same trees, and repeated
    # comparisons are made once.
    pairs = pairs[np.argsort(observations.tokens[observations.first[pairs]], kind="stable")]
    sums = np.zeros((len(weights), len(at)))
    for low in range(0, len(pairs), _PAIRS_AT_ONCE):
        some = pairs[low : low + _PAIRS_AT_ONCE]
        met = at[:, observations.first[some]] * len(chosen) + at[:, observations.second[some]]
        codes_of_pairs, inverse = np.unique(met, return_inverse=True)
        values = compare(*np.divmod(codes_of_pairs, len(chosen)))[:, inverse.reshape(met.shape)]
        sums += np.einsum("mdp,mp->md", values, weights[:, some])
    at_least = np.count_nonzero(sums[:, 1:] <= sums[:, :1] * (1 + 1e-12), axis=1)
    p_values: list[float] = ((1 + at_least) / (1 + PERMUTATIONS)).tolist()
    return p_values
