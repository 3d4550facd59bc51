"""2015, Figures 12 and 13: both ways to make random annotation sets."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np

from experiments._common import Span, continuum, write_csv
from experiments._figures import examples_page
from gammacp.chance.annotation import annotations_of
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.continuum import Continuum, Corpus, Unit

LENGTH = 42
ANNOTATOR: list[Span] = [(2, 6, "1"), (9, 14, "2"), (18, 30, "3"), (33, 38, "4")]


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Shifts by 15, 24 and 38; least distances of drawn shifts; combinations of a corpus."""
    del data
    c = continuum(LENGTH, A=ANNOTATOR)
    (annotation,) = annotations_of(c)
    rows = []
    for cut in (15, 24, 38):
        shifted = annotation.shift(1 - cut / LENGTH)
        order = np.argsort(shifted.starts)
        rows += [
            {
                "cut": cut,
                "category": c.categories[shifted.category_codes[i]],
                "start": round(float(shifted.starts[i]), 9),
                "length": float(shifted.lengths[i]),
            }
            for i in order
        ]
    write_csv(out / "shifts.csv", rows)
    lanes_of: dict[str, list[Span]] = {"annotator": list(ANNOTATOR)}
    for r in rows:
        start = float(str(r["start"]))
        span = (start, start + float(str(r["length"])), str(r["category"]))
        lanes_of.setdefault(f"cut at {r['cut']}", []).append(span)
    examples_page(out / "shifts", {"shifts": continuum(None, **lanes_of)}, columns=1, width=4.5)
    write_csv(out / "distances.csv", [_distances(100 if quick else 2000)])
    # Three of eight continua, and one of three annotators of each.
    counted = sum(map(math.prod, combinations([3] * 8, 3)))
    n_drawn = _drawn_combinations(2000 if quick else 60_000)
    rows = [{"counted": counted, "drawn": n_drawn}]
    write_csv(out / "combinations.csv", rows)


def _distances(draws: int) -> dict[str, object]:
    """Return the closest that two shifts of a set came, against the mean length of all units."""
    short: list[Span] = [(s / 4, s / 4 + 1, k) for s, _, k in ANNOTATOR]
    sampler = CHANCE_MODELS["shift"].prepare([continuum(LENGTH, A=short)], 3)
    closest = np.inf
    for seed in range(draws):
        drawn = sampler.draw(np.random.default_rng(seed))
        firsts = np.sort([u.start for u in drawn if u.category == "1"])
        gaps = np.diff(np.append(firsts, firsts[0] + LENGTH))
        closest = min(closest, float(gaps.min()))
    return {"mean_length": 1.0, "closest": closest, "draws": draws}


def _drawn_combinations(draws: int) -> int:
    """Count the different (continuum, annotator) triples of 8 × 3 that come up."""
    texts = [
        Continuum.from_units([Unit(a, 0, 1, f"{text}{a}") for a in "ABC"]) for text in range(8)
    ]
    corpus = Corpus.from_continua({str(i): text for i, text in enumerate(texts)})
    sampler = CHANCE_MODELS["corpus"].prepare(list(corpus.values()), 3)
    rng = np.random.default_rng(0)
    combinations = Counter(
        frozenset(str(u.category) for u in sampler.draw(rng)) for _ in range(draws)
    )
    return len(combinations)
