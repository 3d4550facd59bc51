"""Skjærholt 2014, §3: how δ_diff draws distances towards 0 and δ_norm away from it.

The paper: more than 30 % of the sentence pairs have δ_diff 0, 1 or 2. Here: pairs of annotations of
each corpus, as they enter D_e.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments._common import write_csv
from experiments._treebanks import CORPORA, corpus
from gammacp.base.plots import COLOURS, can_plot, figure
from gammacp.trees.measures.alpha import DELTAS, TreeObservations, deltas


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Shares of small distances, and the distribution of each δ as a share of its largest."""
    shares, rows = [], []
    for name in CORPORA:
        observations = TreeObservations.of(corpus(name, data).treebank)
        packed = observations.packed
        n = len(observations.item)
        first, second = np.triu_indices(n, 1)
        if quick:
            some = np.random.default_rng(0).choice(len(first), 2000, replace=False)
            first, second = first[some], second[some]
        x, y = packed.codes[first], packed.codes[second]
        ted = packed.distances(x, y).astype(np.int64)
        for delta, d in zip(DELTAS, deltas(ted, packed.sizes[x], packed.sizes[y]), strict=True):
            small = float((d <= 2).mean()) if delta != "norm" else None
            relative = d / d.max()
            shares.append(
                {
                    "corpus": name,
                    "delta": delta,
                    "pairs": len(d),
                    "up_to_2": small,
                    "median_of_largest": float(np.median(relative)),
                }
            )
            heights, edges = np.histogram(relative, bins=20, range=(0, 1))
            for height, lower_edges in zip(heights, edges[:-1], strict=True):
                rows.append(
                    {"corpus": name, "delta": delta, "from": lower_edges, "share": height / len(d)}
                )
    write_csv(out / "shares.csv", shares)
    write_csv(out / "distribution.csv", rows)
    if can_plot():
        with figure(out / "distribution", width=9, columns=len(DELTAS)) as axes:
            for axis, delta in zip(axes, DELTAS, strict=True):
                for k, name in enumerate(CORPORA):
                    mine = [r for r in rows if r["corpus"] == name and r["delta"] == delta]
                    lower_edges = [float(r["from"]) for r in mine]
                    axis.step(
                        lower_edges, [r["share"] for r in mine], where="post", color=COLOURS[k]
                    )
                axis.set(xlabel=f"δ$_{{{delta}}}$ / largest", ylabel="share of pairs")
            axes[-1].legend(CORPORA)
