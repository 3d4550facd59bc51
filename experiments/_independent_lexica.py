"""Independent word lists: each annotator marks every occurrence of words on an own list."""

from __future__ import annotations

import numpy as np

from gammacp.continuum import Continuum

WORDS = 300
Rng = np.random.Generator


def text(rng: Rng, words: int, *, bursts: bool) -> np.ndarray:
    """Draw the words of a text, as numbers; in bursts a third repeat one of the last twenty."""
    weights = 1 / np.arange(1, WORDS + 1)
    drawn = rng.choice(WORDS, size=words, p=weights / weights.sum())
    if bursts:
        for k in np.flatnonzero(rng.random(words) < 1 / 3).tolist():
            drawn[k] = drawn[max(0, k - int(rng.integers(1, 21)))]
    return drawn


def annotated(rng: Rng, people: int, *, bursts: bool) -> Continuum:
    """Return a text of 400 words with the occurrences of each annotator's list."""
    words = text(rng, 400, bursts=bursts)
    lengths = rng.integers(3, 9, WORDS)[words]
    starts = np.concatenate([[0], np.cumsum(lengths[:-1] + 1)])
    rows = []
    for who in range(people):
        listed = rng.random(WORDS) < 0.08
        rows += [(f"A{who}", s, s + n) for s, n in zip(starts, lengths, strict=True)
                 if listed[words[np.searchsorted(starts, s)]]]  # fmt: skip
    names, low, high = zip(*rows, strict=True)
    return Continuum.from_columns(
        names,
        ["x"] * len(names),
        np.array(low, float),
        np.array(high, float),
        annotators=[f"A{who}" for who in range(people)],
        bounds=(0, float(starts[-1] + lengths[-1])),
    )
