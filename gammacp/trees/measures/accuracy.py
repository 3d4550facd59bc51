"""Accuracies of trees, without a correction for chance.

Of dependencies LAS, UAS and label accuracy are the shares of tokens with the same head and label,
head, label. Of phrase structure the sets of labelled bracketings, leaves included, give a Jaccard
similarity and F₁.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from gammacp.base.arrays import Floats, Indices, places_within
from gammacp.trees.measures.annotations import Bracketing, Dependencies, Phrase, Sentence

SCORES = {"dependency": ("las", "uas", "label"), "phrase": ("jaccard", "f1")}
_PAIRS_AT_ONCE = 4096


def disagreements(sentences: Sequence[Sentence], first: Indices, second: Indices) -> Floats:
    """1 − accuracy between annotations, also of unlike sentences: shape (scores, pairs).

    Tokens are compared by their places: of unequal lengths the first half of the shorter sentence
    stands beside the beginning of the longer one, the second half beside its end. The shorter one's
    tokens, or the bracketings of both, are what the share is of.

    Parameters
    ----------
    sentences
        Dependencies or phrase structures.
    first, second
        Annotations to compare, shape (pairs,).

    >>> a, b = Dependencies((2, 0), ("s", "r")), Dependencies((2, 0), ("o", "r"))
    >>> disagreements([a, b], np.array([0]), np.array([1])).ravel().tolist()
    [0.5, 0.0, 0.5]
    """
    dependencies = [s for s in sentences if isinstance(s, Dependencies)]
    if dependencies:
        blocks = _attachment_errors(dependencies, first, second)
        return np.concatenate(list(blocks), axis=1)
    phrases = [s for s in sentences if isinstance(s, Phrase)]
    rows = (_bracketings(phrases[x], phrases[y]) for x, y in zip(first, second, strict=True))
    common = [(len(x & y), len(x | y), len(x) + len(y)) for x, y in rows]
    shared, either, both = np.array(common, np.float64).reshape(-1, 3).T
    return 1 - np.stack([shared / either, 2 * shared / both])


def _attachment_errors(
    sentences: Sequence[Dependencies], first: Indices, second: Indices
) -> Iterator[Floats]:
    """1 − LAS, UAS and label accuracy, some pairs at a time."""
    heads = np.array([h for s in sentences for h in s.heads], np.int64)
    code: dict[str, int] = {}
    labels = np.array([code.setdefault(x, len(code)) for s in sentences for x in s.relations])
    counts = np.array([s.n_tokens for s in sentences], np.int64)
    starts = np.cumsum(counts) - counts
    for low in range(0, len(first), _PAIRS_AT_ONCE):
        x = first[low : low + _PAIRS_AT_ONCE]
        y = second[low : low + _PAIRS_AT_ONCE]
        short, long = np.where(counts[x] <= counts[y], (x, y), (y, x))
        n = counts[short]
        begins = np.cumsum(n) - n
        token = places_within(n)
        half = np.repeat(n, n) // 2
        later = np.repeat(counts[long] - n, n)
        here = np.repeat(starts[short], n) + token
        there = np.repeat(starts[long], n) + token + later * (token >= half)
        # Heads count from 1, and 0 is the root of either.
        head = heads[here] + later * (heads[here] > half)
        same_head = head == heads[there]
        same_label = labels[here] == labels[there]
        right = np.stack([same_head & same_label, same_head, same_label])
        yield 1 - np.add.reduceat(right, begins, axis=1, dtype=np.float64) / n


def _bracketings(a: Phrase, b: Phrase) -> tuple[frozenset[Bracketing], frozenset[Bracketing]]:
    """Return the bracketings of both, those of the shorter one by the leaves of the longer one."""
    short, long = sorted((a, b), key=lambda s: s.n_tokens)
    half = short.n_tokens // 2
    later = long.n_tokens - short.n_tokens
    moved = (
        (label, first + later * (first > half), last + later * (last > half))
        for label, first, last in short.bracketings
    )
    return frozenset(moved), long.bracketings
