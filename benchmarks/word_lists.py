"""Share of p ≤ .05 of γ of one text for independent word lists.

    python benchmarks/word_lists.py [--sets 200]

Two or three annotators (gazetteers, prompts) each mark every occurrence of words of a list of their
own, drawn without regard to the others' and to the text. Words follow Zipf's law and come in
bursts or not.
"""

from __future__ import annotations

import argparse

import numpy as np

from gammacp import Continuum, gamma

WORDS = 300
Rng = np.random.Generator


def text(rng: Rng, words: int, *, bursts: bool) -> np.ndarray:
    """Draw the words of a text, as numbers; in bursts a third repeat one of the last twenty."""
    weights = 1 / np.arange(1, WORDS + 1)
    drawn = rng.choice(WORDS, size=words, p=weights / weights.sum())
    if bursts:
        for k in np.flatnonzero(rng.random(words) < 1 / 3):
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


def main() -> None:
    """Print a line per kind of text and number of annotators."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=200)
    sets = parser.parse_args().sets
    for bursts in (False, True):
        for people in (2, 3):
            scores = [
                gamma(annotated(np.random.default_rng([63, k]), people, bursts=bursts),
                      samples=59, seed=k)
                for k in range(sets)
            ]  # fmt: skip
            values = np.array([s.value for s in scores])
            low = np.mean([s.p is not None and s.p <= 0.05 for s in scores])
            what = "bursts" if bursts else "no bursts"
            error = values.std() / np.sqrt(sets)
            said = f"{values.mean():+.3f} ± {error:.3f}, p <= .05 in {low:.3f}"
            print(f"{people} lists, {what}: {said}", flush=True)


if __name__ == "__main__":
    main()
