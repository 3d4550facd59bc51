"""Accuracies of trees, without a correction for chance.

For dependencies LAS, UAS and label accuracy are the shares of tokens on which annotators agree in
head and label, in the head, and in the label. For phrase structure, the sets of labelled
bracketings, leaves included, give a Jaccard similarity and F₁.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from gammacp.base.arrays import Floats, Indices, places_within
from gammacp.trees.measures.annotations import Bracketing, Dependencies, Phrase, Sentence

SCORES = {"dependency": ("las", "uas", "label"), "phrase": ("jaccard", "f1")}
_PAIRS_AT_ONCE = 4096


def disagreements(sentences: Sequence[Sentence], first: Indices, second: Indices) -> Floats:
    """Return 1 − accuracy of pairs of annotations: shape (scores, pairs).

    The annotations may be of different sentences; tokens are then compared by position. If lengths
    differ, the first half of the shorter sentence is aligned with the beginning of the longer one,
    and its second half with the end. The accuracy is a share of the tokens of the shorter sentence,
    or of the bracketings of both.

    Parameters
    ----------
    sentences
        Dependencies or phrase structures.
    first, second
        Numbers of the annotations to compare, shape (pairs,).

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
    """Yield 1 − LAS, UAS and label accuracy for successive batches of pairs."""
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
        at_second = np.repeat(starts[long], n) + token + later * (token >= half)
        # Heads are numbered from 1; 0 is the root of either sentence.
        head = heads[here] + later * (heads[here] > half)
        same_head = head == heads[at_second]
        same_label = labels[here] == labels[at_second]
        right = np.stack([same_head & same_label, same_head, same_label])
        yield 1 - np.add.reduceat(right, begins, axis=1, dtype=np.float64) / n


def _bracketings(a: Phrase, b: Phrase) -> tuple[frozenset[Bracketing], frozenset[Bracketing]]:
    """Return the bracketings of both trees, with leaves numbered as in the longer one.

    The second half of the shorter sentence is moved to the end of the longer one.
    """
    short, long = sorted((a, b), key=lambda s: s.n_tokens)
    half = short.n_tokens // 2
    later = long.n_tokens - short.n_tokens
    moved = (
        (label, first + later * (first > half), last + later * (last > half))
        for label, first, last in short.bracketings
    )
    return frozenset(moved), long.bracketings
