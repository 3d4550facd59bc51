"""Rates at which honest annotators are said to share documents, and copies are found.

    python benchmarks/copies.py [--runs 200] [--only NAME] [--draw 0]

Documents of 12 true units in words. Each annotator misses some, moves a boundary of some by a word,
and adds others. Honest crowds are independent, fall for the same attractive mistakes, find some
documents harder, belong to two schools of mistakes, or all but one in five is precise. Somebody
who copies takes a share of documents from another whole. Processes marked * were made after the
first rule was fixed, ** after units were counted. Printed is how often anybody is named; of copies,
how often the right pair alone is.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from experiments._crowds import COPYING, HONEST, Crowd
from gammacp.campaign.copies import copies

Named = Callable[[tuple[tuple[str, str], ...]], bool]


def rate(crowd: Crowd, runs: int, named: Named, seed: int, draw: int) -> float:
    """Return the share of runs in which `named` accepts the named pairs."""
    rng = np.random.default_rng([58 + draw, seed])
    pairs_by_run = (tuple(p.annotators for p in copies(crowd.draw(rng)).pairs) for _ in range(runs))
    return float(np.mean([named(pairs) for pairs in pairs_by_run]))


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--only", default="", help="part of the names of the crowds to draw")
    parser.add_argument("--draw", type=int, default=0, help="another number draws other crowds")
    asked = parser.parse_args()
    runs, draw = asked.runs, asked.draw
    for seed, (name, crowd) in enumerate(HONEST.items()):
        if asked.only not in name:
            continue
        print(f"named falsely  {name:44} {rate(crowd, runs, bool, seed, draw):.3f}", flush=True)
    for seed, (name, crowd) in enumerate(COPYING.items()):
        if asked.only not in name:
            continue
        right = rate(crowd, runs, lambda pairs: pairs == (("A", "B"),), seed, draw)
        print(f"found          {name:44} {right:.3f}", flush=True)
        wrong = rate(crowd, runs, lambda pairs: bool({*pairs} - {("A", "B")}), seed, draw)
        print(f"others named   {name:44} {wrong:.3f}", flush=True)


if __name__ == "__main__":
    main()
