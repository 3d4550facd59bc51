"""Independent annotators of a recording with pauses, in which nothing can be marked.

They share the recording's stretches and nothing else. A process draws the units of one annotator:
(stretches, number of the annotator, generator) → starts and ends.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gammacp.chance.annotation import Annotation
from gammacp.chance.pauses.markable_time import MarkableTime
from gammacp.chance.pauses.stretches import stretches_of
from gammacp.continuum import Continuum

PITCH, LENGTH = 20.0, 8.0
Spans = tuple[np.ndarray, np.ndarray]
Stretches = list[tuple[float, float]]
Rng = np.random.Generator
Process = Callable[[Stretches, int, Rng], Spans]


def renewal(end: float, rng: Rng, *, shape: float = 2.0, pitch: float = PITCH,
            mean: float = LENGTH, spread: float = 0.5) -> Spans:  # fmt: skip
    """Draw units of a process that starts long before 0 and continues after the end."""
    many = int(3 * end / pitch) + 60
    lengths = mean * rng.lognormal(-(spread**2) / 2, spread, many)
    gaps = (pitch - mean) / shape * rng.gamma(shape, size=many)
    starts = np.cumsum(gaps + lengths) - lengths - rng.uniform(10, 11) * pitch
    is_inside = (starts + lengths > 0) & (starts < end)
    return starts[is_inside], (starts + lengths)[is_inside]


def recording(kind: str, rng: Rng) -> Stretches:
    """Draw stretches: three long pauses, 13 or 7 short ones, stretches as short as units, speech.

    Stretches and silences of speech have log-normal lengths, with medians of 15 and 3.
    """
    if kind == "three long":
        sizes = 40 + 240 * rng.dirichlet(np.ones(4))
        pauses = rng.uniform(50, 80, 3)
    elif kind == "many short":
        sizes, pauses = rng.uniform(12, 45, 14), rng.uniform(4, 18, 13)
    elif kind == "short stretches":
        sizes, pauses = rng.uniform(6, 14, 40), rng.uniform(2, 8, 39)
    elif kind == "seven short":
        sizes, pauses = rng.uniform(20, 60, 8), rng.uniform(4, 20, 7)
    elif kind == "speech":
        sizes = (15 * rng.lognormal(0, 0.7, 18)).clip(4, 90)
        pauses = (3 * rng.lognormal(0, 1.0, 17)).clip(0.3, 60)
    else:
        return [(0.0, 500.0)]
    starts = np.concatenate([[0.0], np.cumsum(sizes[:-1] + pauses)])
    return list(zip(starts.tolist(), (starts + sizes).tolist(), strict=True))


def held(stretches: Stretches, spans: Spans) -> Spans:
    """Return the units that lie in stretches."""
    inside = np.zeros(len(spans[0]), bool)
    for start, end in stretches:
        inside |= (spans[0] >= start) & (spans[1] <= end)
    return spans[0][inside], spans[1][inside]


def clipped(stretches: Stretches, spans: Spans, least: float = 0.5) -> Spans:
    """Return the parts of units that lie in stretches."""
    parts = [(spans[0].clip(a, b), spans[1].clip(a, b)) for a, b in stretches]
    starts, ends = (np.concatenate(side) for side in zip(*parts, strict=True))
    return starts[ends - starts > least], ends[ends - starts > least]


def through(stretches: Stretches, rng: Rng, **how: float) -> Spans:
    """Draw units in the time without pauses; those across pauses are stretched over them."""
    a, b = np.array(stretches).T
    time = MarkableTime(a, b, np.concatenate([[0.0], np.cumsum(b - a)]))
    starts, ends = renewal(float(time.edges[-1]), rng, **how)
    inside = (starts >= 0) & (ends <= time.edges[-1])
    starts, ends = starts[inside], ends[inside]
    codes = np.zeros(len(starts), np.int32)
    laid = Annotation(starts, ends - starts, codes, float(time.edges[-1]))
    pieces = time.positions(laid)
    return pieces.starts, pieces.starts + pieces.lengths


def ending_there(stretches: Stretches, rng: Rng) -> Spans:
    """Draw units that end where a pause begins; none begins in a pause."""
    starts, ends = renewal(stretches[-1][1], rng)
    parts = []
    for low, high in stretches:
        some = (starts >= low) & (starts < high - 0.5)
        parts.append((starts[some], np.minimum(ends[some], high)))
    first, last = (np.concatenate(side) for side in zip(*parts, strict=True))
    return first, last


def moved(stretches: Stretches, rng: Rng) -> Spans:
    """Draw units in the time without pauses; those across a pause go to its nearer edge."""
    a, b = np.array(stretches).T
    edges = np.concatenate([[0.0], np.cumsum(b - a)])
    starts, ends = renewal(float(edges[-1]), rng)
    inside = (starts >= 0) & (ends <= edges[-1])
    starts, lengths = starts[inside], (ends - starts)[inside]
    first, last = stretches_of(edges, starts, starts + lengths)
    fits = lengths <= np.diff(edges)[first]
    crossing = last > first
    starts = np.where(crossing & fits, edges[first + 1] - lengths, starts)
    is_kept = ~crossing | fits
    first = np.where(crossing, first, first)[is_kept]
    begin = a[first] + starts[is_kept] - edges[first]
    return begin, begin + lengths[is_kept]


def beside(stretches: Stretches, rng: Rng) -> Spans:
    """Draw half of the units right after pauses, as turns of talk begin there."""
    starts, ends = held(stretches, renewal(stretches[-1][1], rng))
    early = [s + rng.exponential(3.0) for s, _ in stretches if rng.random() < 0.5]
    more = (np.array(early), np.array(early) + 6.0)
    more_spans = held(stretches, more)
    return np.concatenate([starts, more_spans[0]]), np.concatenate([ends, more_spans[1]])


def with_a_long_unit(stretches: Stretches, who: int, rng: Rng) -> Spans:
    """Draw units; the first annotator has one over half of the recording, too."""
    starts, ends = held(stretches, renewal(stretches[-1][1], rng))
    if who == 0:
        a, b = np.array(stretches).T
        low = rng.uniform(0, 0.4 * stretches[-1][1])
        high = low + 0.5 * stretches[-1][1]
        low, high = a[np.searchsorted(b, low)], b[np.searchsorted(a, high) - 1]
        starts, ends = np.append(starts, low), np.append(ends, high)
    return starts, ends


def turns(stretches: Stretches, who: int, rng: Rng) -> Spans:
    """Draw units one after the other; each annotator begins some stretches at their start."""
    starts, ends = [], []
    for low, high in stretches:
        place = low
        if rng.random() >= (0.7, 0.4, 0.5)[who]:
            place += rng.exponential(8.0)
        while place < high - 0.5:
            length = 5 * rng.lognormal(-0.18, 0.6)
            starts.append(place)
            ends.append(min(place + length, high))
            place += length + rng.gamma(1.5, 5.0)
    return np.array(starts), np.array(ends)


def restarting(stretches: Stretches, rng: Rng) -> Spans:
    """Draw dense units that begin anew after each pause, with the same gaps there as elsewhere."""
    starts, ends = [], []
    for low, high in stretches:
        place = low + rng.uniform(0, 8)
        while place < high - 2:
            end = min(place + 1 + rng.exponential(6.0), high)
            starts.append(place)
            ends.append(end)
            place = end + rng.uniform(0, 8)
    return np.array(starts), np.array(ends)


def whole_stretches(stretches: Stretches, who: int, rng: Rng) -> Spans:
    """Draw units that fill some stretches; in others none is at an edge."""
    starts: list[np.ndarray] = []
    ends: list[np.ndarray] = []
    for low, high in stretches:
        if rng.random() < (0.3, 0.2, 0.4)[who]:
            starts.append(np.array([low]))
            ends.append(np.array([high]))
            continue
        inner = held([(0.0, high - low)], renewal(high - low, rng, pitch=16, mean=7))
        starts.append(low + inner[0])
        ends.append(low + inner[1])
    return np.concatenate(starts), np.concatenate(ends)


PROCESSES: dict[str, Process] = {
    "none across": lambda st, _, rng: held(st, renewal(st[-1][1], rng)),
    "stretched over": lambda st, _, rng: through(st, rng),
    "cut at pauses": lambda st, _, rng: clipped(st, renewal(st[-1][1], rng)),
    "ending at pauses": lambda st, _, rng: ending_there(st, rng),
    "moved to an edge": lambda st, _, rng: moved(st, rng),
    "tiles cut at pauses": lambda st, _, rng: clipped(
        st, renewal(st[-1][1], rng, pitch=10, mean=9.99999999), 0.0
    ),
    "bursts": lambda st, _, rng: held(st, renewal(st[-1][1], rng, shape=0.3)),
    "bursts stretched over": lambda st, _, rng: through(st, rng, shape=0.3),
    "dense": lambda st, _, rng: held(st, renewal(st[-1][1], rng, pitch=10)),
    "unlike numbers": lambda st, who, rng: held(
        st, renewal(st[-1][1], rng, pitch=PITCH * (0.5, 2, 1)[who], mean=LENGTH * (0.5, 2, 1)[who])
    ),
    "one long unit": with_a_long_unit,
    "clustered after pauses": lambda st, _, rng: beside(st, rng),
    "turns": turns,
    "beginning anew": lambda st, _, rng: restarting(st, rng),
    "whole stretches": whole_stretches,
}


def drawn(
    process: Process, kind: str, people: int, rng: Rng, *, one_label: bool = False
) -> tuple[Continuum, Stretches]:
    """Return a recording of independent annotators without stretches, and the stretches.

    Units have one of three labels, or all the same with `one_label`.
    """
    stretches = recording(kind, rng)
    spans = [process(stretches, who, rng) for who in range(people)]
    starts, ends = (
        np.concatenate([annotator_spans[side] for annotator_spans in spans]) for side in (0, 1)
    )
    end = stretches[-1][1]
    if one_label:
        labels = ["a"] * len(starts)
    else:
        labels = rng.choice(["a", "b", "c"], len(starts), p=[0.5, 0.3, 0.2]).tolist()
    whole = Continuum.from_columns(
        [f"A{who}" for who, annotator_spans in enumerate(spans) for _ in annotator_spans[0]],
        labels,
        starts.clip(0, end),
        ends.clip(0, end),
        annotators=[f"A{who}" for who in range(people)],
        bounds=(0, end),
    )
    return whole, stretches
