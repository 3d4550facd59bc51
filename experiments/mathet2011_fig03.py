"""2011, Figure 3: what an agreement of 0.5 looks like, by boundary noise and by omission."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import write_csv
from experiments._random_2011 import LENGTH, annotation_set, e_random, moved, omitted
from gammacp.base.plots import COLOURS, figure
from gammacp.continuum import Continuum
from gammacp.problems.entropy import agreement, best_entropy

DENSITY = 0.25


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Draw the set of each kind whose agreement is nearest to 0.5, drawn with its alignment."""
    del data
    random = e_random(DENSITY, 15 if quick else 200)["random"]
    rows, chosen = [], []
    for kind, degrade, values in (
        ("k", moved, np.arange(1.0, 4.01, 0.1)),
        ("p", omitted, np.arange(0.1, 0.7, 0.01)),
    ):
        candidates = []
        for value in values:
            c = annotation_set(np.random.default_rng(11), degrade(float(value)), density=DENSITY)
            candidates.append((float(value), c, agreement(best_entropy(c).entropy, random)))
        value, c, reached = min(candidates, key=lambda f: abs(f[2] - 0.5))
        chosen.append((f"agreement {reached:.2f}: {kind} = {value:.2f}", c))
        rows.append({"kind": kind, "value": round(value, 9), "agreement": reached})
    write_csv(out / "examples.csv", rows)
    with figure(out / "examples", width=7.5, height=3.6, rows=2) as axes:
        for panel, (title, c) in zip(axes, chosen, strict=True):
            _draw(panel, c)
            panel.set_title(title)


def _draw(panel: Any, c: Continuum) -> None:
    """Units as bars, one lane per annotator; lines join what is aligned."""
    middles = (c.starts + c.ends) / 2
    for i in range(c.n_units):
        lane = -int(c.annotator_codes[i])
        panel.barh(lane, c.lengths[i], left=c.starts[i], height=0.5, color=COLOURS[0], alpha=0.6)
    for group in best_entropy(c).groups:
        rows = group[group >= 0]
        panel.plot(middles[rows], -c.annotator_codes[rows], color=COLOURS[1], linewidth=0.8)
    panel.set(yticks=[0, -1, -2], yticklabels=["1", "2", "3"], xlim=(0, LENGTH), ylabel="annotator")
    panel.grid(visible=False)
