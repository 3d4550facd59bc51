"""Careful and careless annotators of texts with fewer and fewer units towards the end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gammacp.continuum import Continuum

Rng = np.random.Generator
Reading = Callable[[np.ndarray, int, Rng], np.ndarray]
PEOPLE = "ABC"


def truth(rng: Rng, units: int, thinning: float, shape: float) -> np.ndarray:
    """Draw places from 0 to 1 that become rarer towards the end."""
    steps = rng.gamma(shape, size=4 * units)
    places = np.cumsum(steps) / steps.sum()
    is_kept = rng.random(len(places)) < 0.25 * (1 - thinning * places) / (1 - thinning / 2)
    kept_places: np.ndarray = places[is_kept]
    return kept_places


def careful(places: np.ndarray, _who: int, rng: Rng) -> np.ndarray:
    """Keep nearly all places."""
    return places[rng.random(len(places)) < 0.85]


def unequal(places: np.ndarray, who: int, rng: Rng) -> np.ndarray:
    """Keep many or few places, depending on the annotator, and shift them."""
    return places[rng.random(len(places)) < (0.95, 0.6, 0.35)[who]]


def lone(places: np.ndarray, _who: int, rng: Rng) -> np.ndarray:
    """Draw places independently of the true ones."""
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
    continua = []
    for _ in range(many):
        places = truth(rng, int(rng.integers(8, 40)), thinning, shape)
        spans = [reading(places, who, rng) for who in range(len(PEOPLE))]
        names = [PEOPLE[who] for who, annotator_spans in enumerate(spans) for _ in annotator_spans]
        starts = 100 * np.concatenate(spans)
        continua.append(
            Continuum.from_columns(
                names, ["x"] * len(names), starts, starts + 1, annotators=PEOPLE, bounds=(0, 102)
            )
        )
    return continua


def thinning_text(thinning: float, rng: Rng) -> Continuum:
    """Draw three independent annotators who mark less and less of one text."""
    rows = []
    for who in PEOPLE:
        # The process of marking starts before the text begins.
        starts = np.cumsum(8 + rng.gamma(2.0, 3.0, 80)) - 200 - 100 * rng.random()
        is_kept = rng.random(80) < 1 - thinning * starts / 600
        rows += [(who, float(s)) for s in starts[is_kept & (starts >= 0) & (starts < 592)]]
    names, places = zip(*rows, strict=True)
    starts = np.array(places)
    return Continuum.from_columns(names, ["x"] * len(names), starts, starts + 8, bounds=(0, 600))
