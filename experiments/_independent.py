"""Independent annotators from processes that are none of the chance models.

The annotators do not look at a text: each draws gaps, lengths and labels independently. The value
of a coefficient on such data is its zero. Positions run from 0 to L. Units that would reach over a
bound are left out, unless the process cuts them at the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.continuum import Continuum
from gammacp.continuum.declaring import declare_read_until

# Length of the text per unit of an average annotator, and mean length of a unit.
PITCH = 20.0
LENGTH = 8.0


@dataclass(frozen=True)
class Habits:
    """Habits of one annotator relative to the average annotator's.

    Attributes
    ----------
    density, length
        Units per continuum, and their mean length, as multiples of the average annotator's.
    regularity
        Shape of the gamma distribution of gaps: 1 is exponential, less comes in bursts, more is
        regular.
    prevalence
        Prevalence of the labels.
    overlaps
        Whether units start anywhere, so that they can overlap.
    nested
        Whether every unit contains shorter ones.
    whole
        Whether positions are whole numbers.
    tiled
        Whether units follow each other without gaps.
    cut_off
        Whether units that reach over the bounds are cut there instead of left out.
    spread
        Spread of the logarithm of lengths.
    reads
        Part of the text that is read: "all" of it, "half" (one stretch, anywhere), "until" some
        place in the second half, until a "quota" of units is made; or all of it, with "fatigue":
        from each unit to the next fewer are made, at the end a quarter.
    told
        Whether the continuum declares how far the annotator read.
    """

    density: float = 1.0
    length: float = 1.0
    regularity: float = 2.0
    prevalence: tuple[float, ...] = (0.5, 0.3, 0.2)
    overlaps: bool = False
    nested: bool = False
    whole: bool = False
    tiled: bool = False
    cut_off: bool = False
    spread: float = 0.5
    reads: str = "all"
    told: bool = False


Spans = tuple[np.ndarray, np.ndarray]


def annotation(habits: Habits, units: float, rng: np.random.Generator) -> Spans:
    """Return the starts and ends of one annotator on 0 … units · PITCH, sorted by start."""
    bound = units * PITCH
    pitch = PITCH / habits.density
    mean = min(LENGTH * habits.length, 0.8 * pitch)
    if habits.overlaps:
        starts = np.sort(rng.random(rng.poisson(bound / pitch))) * bound
        ends = starts + _lengths(mean, len(starts), rng, habits.spread)
    else:
        many = int(3 * bound / pitch) + 40
        lengths = _lengths(pitch if habits.tiled else mean, many, rng, habits.spread)
        gap = 0.0 if habits.tiled else pitch - mean
        gaps = gap / habits.regularity * rng.gamma(habits.regularity, size=many)
        # Start the process long before the continuum begins, so that it is stationary there.
        starts = np.cumsum(gaps + lengths) - lengths - rng.uniform(10, 11) * pitch
        ends = starts + lengths
    if habits.nested:
        inner = rng.random((2, len(starts)))
        low, high = np.sort(inner, axis=0) * (ends - starts) + starts
        starts, ends = np.concatenate([starts, low]), np.concatenate([ends, high])
    if habits.whole:
        starts, ends = np.round(starts), np.round(ends)
        ends = np.maximum(ends, starts + 1)
    if habits.cut_off:
        starts, ends = np.clip(starts, 0, bound), np.clip(ends, 0, bound)
        inside = ends > starts
    else:
        inside = (starts >= 0) & (ends <= bound)
    return starts[inside], ends[inside]


# Ratio of the text's length to the part that is read; it keeps the number of units the same.
LONGER = {"all": 1.0, "half": 2.0, "until": 4 / 3, "quota": 1.5, "fatigue": 1.6}


def what_is_read(habits: Habits, units: int, rng: np.random.Generator) -> tuple[Spans, float]:
    """Draw units of an annotator who may read only part of a text; and the end of this part."""
    longer = units * LONGER[habits.reads]
    starts, ends = annotation(habits, longer, rng)
    low, high = 0.0, longer * PITCH
    if habits.reads == "half":
        low = rng.random() * high / 2
        high = low + high / 2
    elif habits.reads == "until":
        high *= rng.uniform(0.5, 1)
    elif habits.reads == "quota" and len(starts) > units:
        high = float(ends[units - 1])
    read = (starts >= low) & (ends <= high)
    if habits.reads == "fatigue":
        read &= rng.random(len(starts)) < 1 - 0.75 * starts / high
    return (starts[read], ends[read]), high


def _lengths(mean: float, number: int, rng: np.random.Generator, spread: float) -> np.ndarray:
    return mean * rng.lognormal(-(spread**2) / 2, spread, number)


def continuum(
    people: Sequence[Habits], units: float, rng: np.random.Generator, *, declared: bool = False
) -> Continuum:
    """Draw a continuum of these annotators, `units` each on average; bounds may be declared."""
    read = [what_is_read(habits, int(units), rng) for habits in people]
    spans = [spans_of_annotator for spans_of_annotator, _ in read]
    labels = [
        rng.choice(len(h.prevalence), size=len(starts), p=h.prevalence)
        for h, (starts, _) in zip(people, spans, strict=True)
    ]
    names = tuple(f"A{k + 1}" for k in range(len(people)))
    whole = Continuum.from_codes(
        names,
        tuple("abcdef"[: max(len(h.prevalence) for h in people)]),
        np.concatenate([s for s, _ in spans]),
        np.concatenate([e for _, e in spans]),
        np.repeat(np.arange(len(people), dtype=np.int32), [len(s) for s, _ in spans]),
        np.concatenate(labels).astype(np.int32),
        bounds=(0.0, units * LONGER[people[0].reads] * PITCH) if declared else None,
    )
    named_readings = zip(names, people, read, strict=True)
    return declare_read_until(whole, {n: until for n, h, (_, until) in named_readings if h.told})


def worded(kind: str, n: int, units: int, rng: np.random.Generator) -> Continuum:
    """Draw a text whose annotators independently mark some of its words or sentences."""
    of_words = kind == "words"
    habits = Habits(whole=True, length=0.25) if of_words else Habits(length=0.6)
    scale = 1.0 if of_words else 6.0
    many = int(units * PITCH / scale)
    words = ["x" * k for k in rng.integers(1, 12, many * (1 if of_words else 14))]
    if of_words:
        edges = np.arange(many + 1)
    else:
        edges = np.concatenate([[0], np.sort(rng.permutation(len(words) - 1)[: many - 1]) + 1])
        edges = np.append(edges, len(words))
        for k in edges[1:]:
            words[k - 1] += "."
    places = np.cumsum([0, *(len(word) + 1 for word in words)])
    rows = []
    for k in range(n):
        starts, ends = annotation(habits, units, rng)
        first = np.rint(starts / scale).astype(int).clip(0, many - 1)
        last = np.maximum(np.rint(ends / scale).astype(int), first + 1).clip(1, many)
        for s, e in sorted(set(zip(first.tolist(), last.tolist(), strict=True))):
            label = "abc"[rng.choice(3, p=habits.prevalence)]
            rows.append((f"A{k + 1}", label, float(places[edges[s]]), float(places[edges[e]] - 1)))
    return Continuum.from_columns(
        *map(list, zip(*rows, strict=True)),
        text=" ".join(words),
        bounds=(0, float(places[-1] - 1)),
        offset_unit="characters",
    )


def alike(**habits: object) -> Callable[[int], list[Habits]]:
    """Return n annotators with the same habits."""
    return lambda n: [Habits(**habits)] * n  # type: ignore[arg-type]


def unlike(n: int) -> list[Habits]:
    """Annotators of other density, length and labels each."""
    kinds = [
        Habits(density=0.5, length=2.0, prevalence=(0.8, 0.1, 0.1)),
        Habits(density=1.5, length=0.5, prevalence=(0.1, 0.8, 0.1)),
        Habits(),
        Habits(density=0.7, length=1.5, regularity=0.5),
        Habits(density=1.3, length=0.7, regularity=6.0, prevalence=(0.2, 0.2, 0.6)),
    ]
    return [kinds[k % len(kinds)] for k in range(n)]


def one_sparse(n: int) -> list[Habits]:
    """Return annotators of whom one marks a tenth as many units as the others."""
    return [Habits(density=0.1), *[Habits()] * (n - 1)]


PROCESSES: Mapping[str, Callable[[int], list[Habits]]] = {
    "like": alike(),
    "unlike": unlike,
    "bursts": alike(regularity=0.4),
    "regular": alike(regularity=20.0),
    "overlaps": alike(overlaps=True),
    "nested": alike(nested=True),
    "tokens": alike(whole=True),
    "tiled": alike(tiled=True),
    "one sparse": one_sparse,
    "cut off": alike(cut_off=True),
    "even tiles": alike(tiled=True, spread=0.1),
    "even tiles cut off": alike(tiled=True, spread=0.1, cut_off=True),
    "own tiles cut off": lambda n: [
        Habits(tiled=True, spread=0.1, cut_off=True, density=d) for d in (1.4, 1.0, 0.7)[:n]
    ],
    "rhythm": alike(spread=0.1, regularity=100.0),
    "mixed rhythms": lambda n: [
        Habits(spread=0.1, regularity=100.0),
        Habits(),
        Habits(tiled=True, spread=0.1, density=1.4),
    ][:n],
    "stopping told": alike(reads="until", told=True),
    "quota told": alike(reads="quota", told=True),
    "reading half": alike(reads="half"),
    "stopping": alike(reads="until"),
    "quota": alike(reads="quota"),
    "fatigue": alike(reads="fatigue"),
}
# Processes that are not stationary along the text: `cut` finds spurious agreement in them.
NOT_STATIONARY = ("reading half", "stopping", "quota", "fatigue")
