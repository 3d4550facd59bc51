"""Values of independent annotators after their labels are matched: as such, and beyond chance.

Two annotators give each place, or each turn of a recording, one of ten labels without looking at
the other. Whatever labels are matched to fit, agreement beyond chance should be 0 on average.

    python benchmarks/label_matching.py [--sets 100] [--samples 100]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

import gammacp as gc

LABELS = 10
PLACES = 60
LENGTH = 600.0


def of_places(rng: np.random.Generator, places: int = PLACES) -> gc.Continuum:
    """Return labels at given places, each drawn by itself.

    Parameters
    ----------
    rng
        The generator.
    places
        Number of places.
    """
    units = []
    for annotator in ("Ann", "Bob"):
        for place, label in enumerate(rng.integers(LABELS, size=places).tolist()):
            units.append(gc.Unit(annotator, place, place + 1, f"{annotator[0]}{label}"))
    return gc.Continuum.from_units(units, bounds=(0, places))


def of_turns(rng: np.random.Generator) -> gc.Continuum:
    """Return turns of two annotators that follow each other, with pauses.

    Parameters
    ----------
    rng
        The generator.
    """
    units = []
    for annotator in ("Ann", "Bob"):
        place = float(rng.exponential(2))
        while place < LENGTH:
            end = min(place + float(rng.gamma(3, 3)), LENGTH)
            units.append(gc.Unit(annotator, place, end, f"{annotator[0]}{rng.integers(LABELS)}"))
            place = end + float(rng.exponential(2))
    return gc.Continuum.from_units(units, bounds=(0, LENGTH))


def corpus_of_places(rng: np.random.Generator) -> gc.Corpus:
    """Return five documents whose labels mean the same, or nothing, in all of them.

    Parameters
    ----------
    rng
        The generator.
    """
    return gc.Corpus.from_continua({f"d{k}": of_places(rng, PLACES // 2) for k in range(5)})


CASES: dict[str, tuple[Callable[[np.random.Generator], object], list[str], str, str]] = {
    "places": (of_places, ["alpha", "f1-strict", "gamma-cat"], "corpus", "fixed-positions"),
    "turns": (of_turns, ["u-alpha", "ser", "gamma", "gamma-cat"], "corpus", "cut"),
    "corpus, by document": (corpus_of_places, ["alpha"], "document", "fixed-positions"),
    "corpus, as one": (corpus_of_places, ["alpha"], "corpus", "fixed-positions"),
}


def values(
    case: str, sets: int, samples: int, seed: int = 0
) -> dict[str, tuple[list[float], list[float], list[float]]]:
    """Return by measure the values, those beyond chance, and p, one per set.

    Parameters
    ----------
    case
        A key of `CASES`.
    sets
        Number of pairs of annotators that are drawn.
    samples
        Random sets of each.
    seed
        Seed of the first pair.
    """
    make, names, scope, chance = CASES[case]
    values_by_name: dict[str, tuple[list[float], list[float], list[float]]] = {
        name: ([], [], []) for name in names
    }
    for k in range(sets):
        data = make(np.random.default_rng([seed, k]))
        scores = gc.measure(
            data, names, match_labels=scope, beyond_chance=True, chance=chance, samples=samples,
            seed=k,
        )  # fmt: skip
        for name, score in scores.items():
            assert score.beyond_chance.reason is None, score.beyond_chance.reason
            values_by_name[name][0].append(score.value)
            values_by_name[name][1].append(score.beyond_chance.value)
            values_by_name[name][2].append(score.beyond_chance.p)
    return values_by_name


def main() -> None:
    """Print the mean value, the mean beyond chance with its error, and how often p ≤ .05."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--case", choices=CASES, action="append")
    arguments = parser.parse_args()
    for case in arguments.case or CASES:
        for name, (plain, beyond, p) in values(case, arguments.sets, arguments.samples).items():
            error = np.std(beyond, ddof=1) / len(beyond) ** 0.5
            small = np.mean(np.array(p) <= 0.05)
            print(
                f"{case}: {name} {np.mean(plain):+.3f}, beyond chance {np.mean(beyond):+.4f} "
                f"± {error:.4f}, p ≤ .05 in {small:.1%} of {len(p)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
