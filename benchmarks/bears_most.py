"""Rates at which the verdict says of people who err alike that one bears most of a difference.

    python benchmarks/bears_most.py [--runs 100]

Campaigns of `experiments/kinds_planted.py` in which nobody differs from the others; "rotation" has
three of five people in each document. In the last process P1 misses three in ten units more. The
columns say of how many campaigns the sentence is made from so many cases on: from 5, 10 and 20, of
which the last is `gammacp.campaign.facts.FEWEST_CASES`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from experiments.kinds_planted import INNOCENT, LIGHT, campaign, shuffled
from gammacp.campaign import facts
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.kinds.kinds import Kinds, kinds_of
from gammacp.measures.agreement import agreement

Draw = Callable[[int, int, Sequence[int]], list[Unit]]
FEWEST = (5, 10, 20)
SIZES = ((3, 1, 60), (3, 6, 20), (4, 10, 10), (5, 20, 10))
ALIKE = ("alike", "position .3", "cut and joined alike")


def missing(people: int, units: int, seed: Sequence[int]) -> list[Unit]:
    """Draw annotators who err alike but for P1, who misses three in ten units more."""
    return shuffled(people, units, seed, LIGHT, 0.05, ("false-negative", 0.3))


def rotation(documents: Corpus, seed: int) -> Corpus:
    """Return the documents with three of their annotators each."""
    rng = np.random.default_rng(seed)
    thinned = {}
    for name, continuum in documents.continua.items():
        people = rng.permutation(continuum.annotators)[:3].tolist()
        units = [unit for unit in continuum if unit.annotator in people]
        thinned[name] = Continuum.from_units(units, annotators=people)
    return Corpus.from_continua(thinned)


def differences(draw: Draw, size: tuple[int, int, int], seed: int) -> Kinds:
    """Return the kinds of differences of a campaign; of five people three in each document."""
    corpus = campaign(draw, size, seed)
    if size[0] == 5:
        corpus = rotation(corpus, seed)
    # Only counts are used, so that the smallest number of random sets is enough.
    return kinds_of(agreement(corpus, chance="cut", samples=2))


def rates(draw: Draw, size: tuple[int, int, int], runs: int) -> list[float]:
    """Return how often somebody is named, by the smallest number of cases."""
    named = np.zeros(len(FEWEST))
    for seed in range(runs):
        cell_differences = differences(draw, size, seed)
        for place, fewest in enumerate(FEWEST):
            named[place] += any(facts.bearers(cell_differences, fewest=fewest))
    return [float(rate) for rate in named / runs]


def rows(runs: int) -> Iterator[str]:
    """Yield a row per size and process."""
    for size in SIZES:
        processes = {name: INNOCENT[name] for name in ALIKE} | {"P1 misses more": missing}
        for name, draw in processes.items():
            people, documents, units = size
            listed = "  ".join(f"{rate:5.3f}" for rate in rates(draw, size, runs))
            yield f"{name:22} {people:6} {documents:9} {units:5}  {listed}"


def main() -> None:
    """Print a row per size and process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    columns = "  ".join(f"≥ {fewest:3}" for fewest in FEWEST)
    print(f"{'':22} people documents units  {columns}")
    for row in rows(parser.parse_args().runs):
        print(row, flush=True)


if __name__ == "__main__":
    main()
