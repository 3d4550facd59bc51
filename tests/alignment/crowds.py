"""Random crowds: many annotators who mark nearly the same few spans, with many duplicates."""

from __future__ import annotations

import numpy as np

from gammacp import Continuum
from gammacp.alignment import build_problem
from gammacp.alignment.problem import Problem
from gammacp.dissimilarity import bind
from tests.alignment.continua import DISSIMILARITIES


def crowd(seed: int, n_annotators: int, n_units: int, n_spans: int | None = None) -> Continuum:
    """Draw units from a few spans.

    Some units are moved a little, and some are marked twice by one annotator.
    """
    rng = np.random.default_rng(seed)
    spans = int(rng.integers(1, 5)) if n_spans is None else n_spans
    start = rng.integers(0, 12 * spans, spans)
    length = rng.integers(1, 12, spans)
    category = rng.integers(0, 2, spans)
    which = rng.integers(0, spans, n_units)
    moved = rng.random((2, n_units)) < rng.choice((0.0, 0.15, 0.4))
    step = rng.integers(-2, 3, (2, n_units)) * moved
    starts = (start[which] + step[0]).astype(float)
    ends = np.maximum(starts + 1, start[which] + length[which] + step[1])
    # The numbers of units per annotator are as uneven as in real crowds.
    share = rng.dirichlet(np.full(n_annotators, rng.choice((0.3, 3.0))))
    return Continuum.from_codes(
        tuple(f"A{i}" for i in range(n_annotators)),
        ("a", "b"),
        starts,
        ends,
        rng.choice(n_annotators, n_units, p=share),
        np.where(rng.random(n_units) < 0.1, 1 - category[which], category[which]),
    )


def crowd_problem(seed: int, *, cover: bool = False, largest: int = 12) -> Problem:
    """Return the problem of a crowd that is small enough to enumerate all groups."""
    rng = np.random.default_rng(seed + 7)
    n = int(rng.integers(3, largest + 1))
    continuum = crowd(seed, n, int(rng.integers(n, 15)))
    bound = bind(DISSIMILARITIES[seed % len(DISSIMILARITIES)], continuum)
    return build_problem(continuum, bound, cover=cover)
