"""Rates of naming annotators whose units lie nearer one end, and γ with a common tilt.

    python benchmarks/tilt_contrast.py [--sets 300] [--texts 60]

Named are annotators of corpora whose contrast has p ≤ .05 by Holm: careful readers of texts that
thin out, of texts that do not, of unequal numbers of units, of bursts; and where one of three
tires or stops. A second part prints γ of single texts of independent annotators by `cut` and
against random annotations with the same tilt.
"""

from __future__ import annotations

import argparse

import numpy as np

from experiments._independent_tilt import CELLS, corpus, thinning_text
from gammacp import gamma
from gammacp.inference.contrasts import contrasts


def naming(sets: int) -> None:
    """Print how often somebody is named, and the first annotator."""
    for name, (reading, thinning, shape) in CELLS.items():
        for many in (6, 12, 30):
            named, first = 0, 0
            for seed in range(sets):
                rng = np.random.default_rng([58, seed])
                tilts = contrasts(corpus(reading, thinning, shape, many, rng))
                shown = {x.annotator for x in tilts if x.p <= 0.05}
                named += bool(shown)
                first += "A" in shown
            print(
                f"{name} | {many} documents | somebody {named / sets:.3f}, "
                f"the first {first / sets:.3f}",
                flush=True,
            )


def texts(sets: int) -> None:
    """Print γ of independent annotators by `cut`, and by `tilted`."""
    for thinning in (0.0, 0.5, 0.75, 0.9):
        values = []
        for seed in range(sets):
            text = thinning_text(thinning, np.random.default_rng([61, seed]))
            pair = [gamma(text, samples=49, seed=seed, chance=x) for x in ("cut", "tilted")]
            values.append([pair[0].value, pair[1].value, pair[0].p <= 0.05, pair[1].p <= 0.05])
        means, errors = np.mean(values, axis=0), np.std(values, axis=0) / np.sqrt(sets)
        print(
            f"density falls by {thinning:.0%} | cut {means[0]:+.3f} ± {errors[0]:.3f}, p <= .05 in "
            f"{means[2]:.2f} | tilted {means[1]:+.3f} ± {errors[1]:.3f}, {means[3]:.2f}",
            flush=True,
        )


def main() -> None:
    """Print both parts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--texts", type=int, default=60)
    chosen = parser.parse_args()
    naming(chosen.sets)
    texts(chosen.texts)


if __name__ == "__main__":
    main()
