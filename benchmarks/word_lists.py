"""Share of p ≤ .05 of γ of one text for independent word lists.

    python benchmarks/word_lists.py [--sets 200]

Two or three annotators (gazetteers, prompts) each mark every occurrence of words of a list of their
own, drawn without regard to the others' and to the text. Words follow Zipf's law and come in
bursts or not.
"""

from __future__ import annotations

import argparse

import numpy as np

from experiments._independent_lexica import annotated
from gammacp import gamma


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
            summary = f"{values.mean():+.3f} ± {error:.3f}, p <= .05 in {low:.3f}"
            print(f"{people} lists, {what}: {summary}", flush=True)


if __name__ == "__main__":
    main()
