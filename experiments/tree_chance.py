"""Choice of δ: α over trees with the published chance and with sentences of one length.

Three questions: what independent annotators get, what the Copenhagen treebanks get, and how α falls
with errors (Skjærholt 2014, Figures 3–5).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from itertools import product
from pathlib import Path

import numpy as np

from experiments._common import write_csv
from experiments._treebanks import CORPORA, corpus, one_annotator
from gammacp.base.plots import COLOURS, DASHES, MARKERS, can_plot, figure
from gammacp.pools import open_pool
from gammacp.trees.measures.agreement import syntax_agreement
from gammacp.trees.measures.annotations import Dependencies, Treebank
from gammacp.trees.with_bench.sweep import PAPER_ERRORS, Perturbed, sample_sentences

SENTENCES = {20: 60, 60: 60, 200: 20}  # of a treebank, and sets of such
LABELS = 20
SHOWN = ("plain", "diff", "norm", "las")
_FLOOR = -1.0

Values = dict[tuple[str, str], float]


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """`zero.csv`, `corpora.csv`, `errors.csv` and the figure."""
    sample = Perturbed(sample_sentences(one_annotator("da", data), number=20 if quick else 100))
    magnitudes = (0.2, 0.6, 1.0) if quick else tuple(k / 10 for k in range(1, 11))
    with open_pool() as pool:
        begin = pool.executor.submit
        corpora = [begin(of_corpus, name, data) for name in CORPORA]
        knowing_nothing = {
            n: [begin(by_length, n, index) for index in range(4 if quick else sets)]
            for n, sets in SENTENCES.items()
        }
        erring = {
            cell: [begin(under_error, sample, *cell, index) for index in range(2 if quick else 5)]
            for cell in product(PAPER_ERRORS, magnitudes)
        }
        zero = [row for n, sets in knowing_nothing.items() for row in _rows(sets, sentences=n)]
        errors = [row for (e, m), s in erring.items() for row in _rows(s, error=e, magnitude=m)]
        write_csv(out / "corpora.csv", [row for corpus in corpora for row in corpus.result()])
    write_csv(out / "zero.csv", zero)
    write_csv(out / "errors.csv", errors)
    _draw(errors, out / "errors")


def _values(treebank: Treebank) -> Values:
    """Return the values by chance and measure."""
    total = syntax_agreement(treebank, breakdown=False).total
    published = {**total.alpha, "las": total.scores["las"]}
    return {
        **{("published", name): published[name] for name in SHOWN},
        **{("length-matched", name): total.beyond_chance[name].value for name in SHOWN},
    }


def _rows(sets: Sequence[Future[Values]], **where: object) -> list[dict[str, object]]:
    values_by_set = [one.result() for one in sets]
    rows: list[dict[str, object]] = []
    for chance, name in values_by_set[0]:
        values = np.array([one[chance, name] for one in values_by_set])
        se = float(values.std(ddof=1) / len(values) ** 0.5)
        cell = {"measure": name, "mean": float(values.mean()), "se": se, "sets": len(values)}
        rows.append({**where, "chance": chance, **cell})
    return rows


def by_length(n: int, index: int) -> Values:
    """Two annotators who know nothing but the length of a sentence."""
    rng = np.random.default_rng(np.random.SeedSequence(n, spawn_key=(index,)))
    lengths = np.clip(rng.lognormal(2.7, 0.6, n), 1, 60).astype(int)
    annotators = {name: [independent(int(k), rng) for k in lengths] for name in ("A", "B")}
    return _values(Treebank.from_annotations(annotators))


def independent(n: int, rng: np.random.Generator) -> Dependencies:
    """Draw a tree whose heads are mostly near, its labels as uneven as words (Zipf)."""
    order = rng.permutation(n) + 1
    heads = [0] * n
    for k in range(1, n):
        near = sorted(order[:k].tolist(), key=lambda h: abs(h - int(order[k])))
        heads[order[k] - 1] = near[min(int(rng.geometric(0.5)) - 1, k - 1)]
    weights = 1 / np.arange(1, LABELS + 1)
    labels = rng.choice(LABELS, n, p=weights / weights.sum())
    return Dependencies(tuple(heads), tuple(f"l{label}" for label in labels))


def of_corpus(name: str, data: Path | None) -> list[dict[str, object]]:
    """Return the values of a corpus by measure."""
    total = syntax_agreement(corpus(name, data).treebank, breakdown=False).total
    rows: list[dict[str, object]] = []
    for measure in SHOWN:
        beyond = total.beyond_chance[measure]
        low, high = beyond.interval or (None, None)
        published = {**total.alpha, **total.scores}[measure]
        row = {"published": published, "value": beyond.value, "low": low, "high": high}
        details = {key: v for key, v in beyond.details.items() if key != "annotators_left_out"}
        rows.append({"corpus": name, "measure": measure, **row, **details})
    return rows


def under_error(sample: Perturbed, error: str, magnitude: float, index: int) -> Values:
    """Return a sample and itself with errors."""
    return _values(sample.draw(error, magnitude, index, n_annotators=2, seed=0))


def _draw(rows: list[dict[str, object]], stem: Path) -> None:
    """Draw a panel per chance, labels and heads in error alike."""
    if not can_plot():
        return
    with figure(stem, width=7.4, columns=2) as axes:
        for axis, chance in zip(axes, ("published", "length-matched"), strict=True):
            for i, name in enumerate(SHOWN):
                curve = [
                    (row["magnitude"], row["mean"])
                    for row in rows
                    if (row["error"], row["chance"], row["measure"])
                    == (PAPER_ERRORS[0], chance, name)
                ]
                label = "LAS" if name == "las" else f"α {name}"
                style = {"color": COLOURS[i], "marker": MARKERS[i], "linestyle": DASHES[i]}
                axis.plot(*zip(*curve, strict=True), label=label, **style)
            axis.axhline(0, color="#555555", linewidth=0.8)
            axis.set(xlim=(0, 1), ylim=(_FLOOR, 1.04), xlabel="probability of each error")
            axis.set_title("as published" if chance == "published" else "other sentences as long")
        axes[0].set_ylabel("agreement")
        axes[1].legend(loc="upper right")
