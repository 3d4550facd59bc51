"""Beyond the papers: does `calibrate` find errors again that were planted?

References are written by processes of their own (`REFERENCES`), whose lengths, gaps and labels
follow other laws than the model that `calibrate` fits. Annotators of four documents err on them in
one way at a known magnitude; what `calibrate` reads is held against what was made: splits and added
units are made a whole number of times, and no more often than there is room.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from zlib import crc32

import numpy as np

from experiments._common import write_csv
from gammacp.base.arrays import Floats, Indices
from gammacp.campaign.calibrate import calibrate
from gammacp.continuum import Continuum, Corpus
from gammacp.pools import open_pool
from shuffling import FalsePositive, ReferenceModel, Split, shuffle
from shuffling.setting import fewer_errors

PLANTED: Mapping[str, tuple[float, ...]] = {
    "position": (0.1, 0.3, 0.6),
    "category": (0.3, 0.6),
    "false-negative": (0.1, 0.3, 0.6),
    "false-positive": (0.1, 0.3, 0.6),
    "split": (0.1, 0.2, 0.6),
}
DOCUMENTS, ANNOTATORS = 4, 3
FIRST, RUNS = 200, 4  # the method was chosen on numbers below

Row = dict[str, object]


def _reference(
    starts: Floats, lengths: Floats, codes: Indices, end: float, labels: str = "abcdef"
) -> Continuum:
    names = [labels[int(k)] for k in codes]
    who = ["reference"] * len(names)
    ends = np.minimum(starts + lengths, end)
    return Continuum.from_columns(who, names, starts, ends, bounds=(0, end))


def _in_turn(lengths: Floats, gaps: Floats, codes: Indices) -> Continuum:
    """Return units one after the other; `gaps` has one more entry than `lengths`."""
    starts = np.cumsum(gaps[:-1] + lengths) - lengths
    return _reference(starts, lengths, codes, float(starts[-1] + lengths[-1] + gaps[-1]))


def _markov(rng: np.random.Generator, n: int, labels: int, stay: float) -> Indices:
    """Draw labels; each repeats the label before it with probability `stay`."""
    codes = rng.integers(labels, size=n)
    for i in range(1, n):
        if rng.random() < stay:
            codes[i] = codes[i - 1]
    return codes


def paper(rng: np.random.Generator) -> Continuum:
    """Return the reference model of the papers' figures: dense, lengths 50 to 150."""
    return ReferenceModel().draw(rng)


def passages(rng: np.random.Generator) -> Continuum:
    """Draw words: log-normal lengths, exponential gaps four times as long, Zipf's labels."""
    n = 30
    weights = 1 / np.arange(1.0, 7)
    lengths = np.maximum(1, np.round(rng.lognormal(2.7, 0.7, n)))
    codes = rng.choice(6, n, p=weights / weights.sum())
    return _in_turn(lengths, np.round(rng.exponential(80, n + 1)), codes)


def speech(rng: np.random.Generator) -> Continuum:
    """Draw stretches of speech in seconds: short and long pauses, labels in runs."""
    n = 40
    pauses = np.where(rng.random(n + 1) < 0.7, rng.gamma(2, 0.15, n + 1), rng.gamma(2, 6, n + 1))
    return _in_turn(rng.gamma(2, 1.2, n) + 0.2, pauses, _markov(rng, n, 3, 0.6))


def sections(rng: np.random.Generator) -> Continuum:
    """Draw a segmentation: gamma lengths; most neighbours have different labels."""
    n = 25
    lengths = 3 + np.round(rng.gamma(2.5, 10, n))
    return _in_turn(lengths, np.zeros(n + 1), _markov(rng, n, 4, 0.0))


def layers(rng: np.random.Generator) -> Continuum:
    """Draw units anywhere, which may overlap, with exponential lengths."""
    n, end = 30, 2000.0
    lengths = np.minimum(3 + np.round(rng.exponential(40, n)), end)
    starts = np.floor(rng.random(n) * (end - lengths))
    return _reference(starts, lengths, rng.choice(2, n, p=[0.7, 0.3]), end)


def names(rng: np.random.Generator) -> Continuum:
    """Draw names of one to five tokens, in sentences that have many names or none."""
    n = 30
    gaps = np.where(rng.random(n + 1) < 0.5, rng.geometric(0.3, n + 1), rng.geometric(0.03, n + 1))
    codes = rng.choice(4, n, p=[0.5, 0.25, 0.15, 0.1])
    return _in_turn(np.minimum(rng.geometric(0.5, n), 5).astype(float), gaps.astype(float), codes)


REFERENCES: Mapping[str, Callable[[np.random.Generator], Continuum]] = {
    f.__name__: f for f in (paper, passages, speech, sections, layers, names)
}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write a row per kind of reference, error and planted magnitude."""
    del data
    runs = 2 if quick else RUNS
    kinds = list(REFERENCES)[:1] if quick else list(REFERENCES)
    tried = {"category": (0.3,), "false-negative": (0.3,)} if quick else PLANTED
    tasks = [
        (kind, error, planted, number)
        for kind in kinds
        for error, magnitudes in tried.items()
        for planted in magnitudes
        for number in range(FIRST, FIRST + runs)
    ]
    with open_pool() as pool:
        rows = list(pool.executor.map(read_again, *zip(*tasks, strict=True)))
    write_csv(out / "cells.csv", cells(rows))


def planted_corpus(kind: str, error: str, magnitude: float, number: int) -> tuple[Corpus, float]:
    """Return documents of a kind whose annotators err by `magnitude`, and the actual magnitude."""
    documents, more = {}, []
    for d in range(DOCUMENTS):
        key = np.random.SeedSequence([crc32(f"{kind} {error}".encode()), number, d])
        drawn, erring = key.spawn(2)
        reference = REFERENCES[kind](np.random.default_rng(drawn))
        with fewer_errors():
            erred = shuffle(reference, error, magnitude, ANNOTATORS, seed=erring)
        more.append(erred.n_units / ANNOTATORS / reference.n_units - 1)
        documents[f"d{d}"] = erred
    counted = {"false-positive": FalsePositive.factor, "split": Split.factor}.get(error)
    true_magnitude = float(np.mean(more)) / counted if counted else magnitude
    return Corpus.from_continua(documents), true_magnitude


def read_again(kind: str, error: str, planted: float, number: int) -> Row:
    """Return the magnitude that calibration reads from a planted error."""
    corpus, true_magnitude = planted_corpus(kind, error, planted, number)
    # Each run uses its own random numbers; otherwise all runs would depend on the same seed.
    calibration = calibrate(corpus, errors=[error], seed=number)
    (one,) = calibration.equivalents
    row: Row = {"kind": kind, "error": error, "planted": planted, "made": true_magnitude}
    row["gamma"] = calibration.score.value
    if one.magnitude is None:
        return row | {"found": np.nan, "low": np.nan, "high": np.nan}
    return row | {
        "found": one.magnitude.value,
        "low": one.magnitude.low,
        "high": one.magnitude.high,
    }


def cells(rows: list[Row]) -> list[Row]:
    """Return by cell the median, and the shares of intervals that cover, are open, or refused."""
    table_rows: list[Row] = []
    for key in dict.fromkeys((r["kind"], r["error"], r["planted"]) for r in rows):
        some = [r for r in rows if (r["kind"], r["error"], r["planted"]) == key]
        table = np.array(
            [[float(str(r[k])) for k in ("gamma", "made", "found", "low", "high")] for r in some]
        )
        answered = table[~np.isnan(table[:, 3])]
        true_magnitudes, low, high = answered[:, 1], answered[:, 3], answered[:, 4]
        inside = (low <= true_magnitudes) & (true_magnitudes <= high)
        middles = np.median(answered, axis=0) if len(answered) else np.full(5, np.nan)
        held = float(inside.mean()) if len(answered) else np.nan
        table_rows.append(
            {
                "reference": key[0],
                "error": key[1],
                "planted": key[2],
                "made": float(table[:, 1].mean()),
                "runs": len(some),
                "answered": len(answered),
                "holds": int(inside.sum()),
                "gamma": float(table[:, 0].mean()),
                "median": float(middles[2]),
                "inside": held,
                "inside_error": float(np.sqrt(held * (1 - held) / max(1, len(answered)))),
                "low": float(middles[3]),
                "high": float(middles[4]),
                "open": int(np.isinf(high).sum()),
            }
        )
    return table_rows
