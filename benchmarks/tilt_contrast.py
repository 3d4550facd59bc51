"""Rates of naming annotators whose units lie nearer one end, and γ with a common tilt.

    python benchmarks/tilt_contrast.py [--sets 300] [--texts 60]

Named are annotators of corpora whose contrast has p ≤ .05 by Holm: careful readers of texts that
thin out, of texts that do not, of unequal numbers of units, of bursts; and where one of three
tires or stops. A second part prints γ of single texts of independent annotators by `cut` and
against random annotations with the same tilt.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from gammacp import Continuum, gamma
from gammacp.inference.contrasts import contrasts

Rng = np.random.Generator
Reading = Callable[[np.ndarray, int, Rng], np.ndarray]
PEOPLE = "ABC"


def truth(rng: Rng, units: int, thinning: float, shape: float) -> np.ndarray:
    """Draw places from 0 to 1 that are rarer towards the end."""
    steps = rng.gamma(shape, size=4 * units)
    places = np.cumsum(steps) / steps.sum()
    return places[rng.random(len(places)) < 0.25 * (1 - thinning * places) / (1 - thinning / 2)]


def careful(places: np.ndarray, _who: int, rng: Rng) -> np.ndarray:
    """Keep nearly everything."""
    return places[rng.random(len(places)) < 0.85]


def unequal(places: np.ndarray, who: int, rng: Rng) -> np.ndarray:
    """Keep much or little, and shift what is kept."""
    return places[rng.random(len(places)) < (0.95, 0.6, 0.35)[who]]


def lone(places: np.ndarray, _who: int, rng: Rng) -> np.ndarray:
    """Draw places of one's own."""
    return np.sort(rng.random(len(places)))


def one_tires(places: np.ndarray, who: int, rng: Rng) -> np.ndarray:
    """Let the first annotator find less and less."""
    share = 0.85 * (1 - 0.7 * places) if who == 0 else 0.85
    return places[rng.random(len(places)) < share]


def one_stops(places: np.ndarray, who: int, rng: Rng) -> np.ndarray:
    """Let the first annotator stop in the second half of every other text."""
    end = rng.uniform(0.5, 1.0) if who == 0 and rng.random() < 0.5 else 1.0
    return careful(places[places < end], who, rng)


CELLS: dict[str, tuple[Reading, float, float]] = {
    "careful, even": (careful, 0.0, 1.0),
    "careful, thinning out": (careful, 0.8, 1.0),
    "careful, thinning out, bursts": (careful, 0.8, 0.2),
    "unequal numbers, thinning out": (unequal, 0.8, 1.0),
    "independent, bursts": (lone, 0.8, 0.2),
    "one of three tires": (one_tires, 0.8, 1.0),
    "one of three stops": (one_stops, 0.8, 1.0),
}


def corpus(reading: Reading, thinning: float, shape: float, many: int, rng: Rng) -> list[Continuum]:
    """Draw documents of 8 to 40 units."""
    made = []
    for _ in range(many):
        places = truth(rng, int(rng.integers(8, 40)), thinning, shape)
        spans = [reading(places, who, rng) for who in range(len(PEOPLE))]
        names = [PEOPLE[who] for who, own in enumerate(spans) for _ in own]
        starts = 100 * np.concatenate(spans)
        made.append(
            Continuum.from_columns(
                names, ["x"] * len(names), starts, starts + 1, annotators=PEOPLE, bounds=(0, 102)
            )
        )
    return made


def naming(sets: int) -> None:
    """Print how often somebody is named, and the first annotator."""
    for name, (reading, thinning, shape) in CELLS.items():
        for many in (6, 12, 30):
            named, first = 0, 0
            for seed in range(sets):
                rng = np.random.default_rng([58, seed])
                found = contrasts(corpus(reading, thinning, shape, many, rng))
                shown = {x.annotator for x in found if x.p <= 0.05}
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
            rng, rows = np.random.default_rng([61, seed]), []
            for who in PEOPLE:
                # They have marked since before the text begins.
                starts = np.cumsum(8 + rng.gamma(2.0, 3.0, 80)) - 200 - 100 * rng.random()
                kept = rng.random(80) < 1 - thinning * starts / 600
                rows += [(who, float(s)) for s in starts[kept & (starts >= 0) & (starts < 592)]]
            names, places = zip(*rows, strict=True)
            starts = np.array(places)
            made = Continuum.from_columns(
                names, ["x"] * len(names), starts, starts + 8, bounds=(0, 600)
            )
            pair = [gamma(made, samples=49, seed=seed, chance=x) for x in ("cut", "tilted")]
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
