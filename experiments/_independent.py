"""Independent annotators from processes that are none of the chance models.

Nobody looks at anything: every annotator draws gaps, lengths and labels of his or her own. What a
coefficient gives on them is its zero. Positions run from 0 to L; units that would reach over a
bound are not made, unless the process says that the bounds cut them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.continuum import Continuum

# L per unit that an annotator makes on average, and a unit's mean length.
PITCH = 20.0
LENGTH = 8.0


@dataclass(frozen=True)
class Habits:
    """What one annotator does, in terms of the average annotator's.

    Attributes
    ----------
    density, length
        Units per continuum, and their mean length, in times of the average.
    regularity
        Shape of the gamma distribution of gaps: 1 is exponential, less comes in bursts, more is
        regular.
    prevalence
        Of the labels.
    overlaps
        Units start anywhere, whatever runs there already.
    nested
        Every unit holds shorter ones.
    whole
        Positions are whole numbers.
    tiled
        No gaps.
    cut_off
        Units that reach over the bounds are cut there instead of left out.
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


Spans = tuple[np.ndarray, np.ndarray]


def annotation(habits: Habits, units: float, rng: np.random.Generator) -> Spans:
    """Starts and ends of one annotator on 0 … units · PITCH, sorted by start."""
    bound = units * PITCH
    pitch = PITCH / habits.density
    mean = min(LENGTH * habits.length, 0.8 * pitch)
    if habits.overlaps:
        starts = np.sort(rng.random(rng.poisson(bound / pitch))) * bound
        ends = starts + _lengths(mean, len(starts), rng)
    else:
        many = int(3 * bound / pitch) + 40
        lengths = _lengths(pitch if habits.tiled else mean, many, rng)
        gap = 0.0 if habits.tiled else pitch - mean
        gaps = gap / habits.regularity * rng.gamma(habits.regularity, size=many)
        # The process runs for long before the continuum begins.
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


def _lengths(mean: float, number: int, rng: np.random.Generator) -> np.ndarray:
    spread = 0.5
    return mean * rng.lognormal(-(spread**2) / 2, spread, number)


def continuum(
    people: Sequence[Habits], units: float, rng: np.random.Generator, *, declared: bool = False
) -> Continuum:
    """One continuum of these annotators, `units` each on average; bounds declared or not."""
    spans = [annotation(habits, units, rng) for habits in people]
    labels = [
        rng.choice(len(h.prevalence), size=len(starts), p=h.prevalence)
        for h, (starts, _) in zip(people, spans, strict=True)
    ]
    return Continuum.from_codes(
        tuple(f"A{k + 1}" for k in range(len(people))),
        tuple("abcdef"[: max(len(h.prevalence) for h in people)]),
        np.concatenate([s for s, _ in spans]),
        np.concatenate([e for _, e in spans]),
        np.repeat(np.arange(len(people), dtype=np.int32), [len(s) for s, _ in spans]),
        np.concatenate(labels).astype(np.int32),
        bounds=(0.0, units * PITCH) if declared else None,
    )


def alike(**habits: object) -> Callable[[int], list[Habits]]:
    """n annotators with the same habits."""
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
    """One annotator marks a tenth of what the others do."""
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
}
