"""Which δ after all? α over trees with the published chance and with sentences of one length.

Three questions: what independent annotators get, what the Copenhagen treebanks get, and how α falls
with errors (Skjærholt 2014, Figures 3–5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from experiments._common import write_csv
from experiments._treebanks import CORPORA, corpus, one_annotator
from gammacp.bench.trees import PAPER_ERRORS, Perturbed, sample_sentences
from gammacp.plots import COLOURS, DASHES, MARKERS, can_plot, figure
from gammacp.syntax.agreement import TreeAlpha, syntax_agreement
from gammacp.syntax.annotations import Dependencies, Treebank

SENTENCES = {20: 60, 60: 60, 200: 20}  # of a treebank, and sets of such
LABELS = 20
SHOWN = ("plain", "diff", "norm", "las")
_FLOOR = -1.0


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """`zero.csv`, `corpora.csv`, `errors.csv` and the figure."""
    zero = [row for n, sets in SENTENCES.items() for row in _zero(n, 4 if quick else sets)]
    write_csv(out / "zero.csv", zero)
    write_csv(out / "corpora.csv", [row for name in CORPORA for row in _corpus(name, data)])
    sample = Perturbed(sample_sentences(one_annotator("da", data), number=20 if quick else 100))
    magnitudes = (0.2, 0.6, 1.0) if quick else tuple(k / 10 for k in range(1, 11))
    errors = [
        row
        for error in PAPER_ERRORS
        for magnitude in magnitudes
        for row in _under_error(sample, error, magnitude, sets=2 if quick else 5)
    ]
    write_csv(out / "errors.csv", errors)
    _draw(errors, out / "errors")


def _values(total: TreeAlpha) -> dict[tuple[str, str], float]:
    """By chance and measure."""
    published = {**total.alpha, "las": total.scores["las"]}
    return {
        **{("published", name): published[name] for name in SHOWN},
        **{("length-matched", name): total.beyond_chance[name].value for name in SHOWN},
    }


def _rows(
    sets: Sequence[Mapping[tuple[str, str], float]], **where: object
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for chance, name in sets[0]:
        values = np.array([one[chance, name] for one in sets])
        se = float(values.std(ddof=1) / len(values) ** 0.5)
        cell = {"measure": name, "mean": float(values.mean()), "se": se, "sets": len(values)}
        rows.append({**where, "chance": chance, **cell})
    return rows


def _zero(n: int, sets: int) -> list[dict[str, object]]:
    """Two annotators who know nothing but the length of a sentence."""
    found = []
    for index in range(sets):
        rng = np.random.default_rng(np.random.SeedSequence(n, spawn_key=(index,)))
        lengths = np.clip(rng.lognormal(2.7, 0.6, n), 1, 60).astype(int)
        annotators = {name: [independent(int(k), rng) for k in lengths] for name in ("A", "B")}
        treebank = Treebank.from_annotations(annotators)
        found.append(_values(syntax_agreement(treebank, breakdown=False).total))
    return _rows(found, sentences=n)


def independent(n: int, rng: np.random.Generator) -> Dependencies:
    """A tree whose heads are mostly near, its labels as unevenly frequent as words (Zipf)."""
    order = rng.permutation(n) + 1
    heads = [0] * n
    for k in range(1, n):
        near = sorted(order[:k].tolist(), key=lambda h: abs(h - int(order[k])))
        heads[order[k] - 1] = near[min(int(rng.geometric(0.5)) - 1, k - 1)]
    weights = 1 / np.arange(1, LABELS + 1)
    labels = rng.choice(LABELS, n, p=weights / weights.sum())
    return Dependencies(tuple(heads), tuple(f"l{label}" for label in labels))


def _corpus(name: str, data: Path | None) -> list[dict[str, object]]:
    total = syntax_agreement(corpus(name, data).treebank, breakdown=False).total
    rows: list[dict[str, object]] = []
    for measure in SHOWN:
        beyond = total.beyond_chance[measure]
        low, high = beyond.interval or (None, None)
        published = {**total.alpha, **total.scores}[measure]
        row = {"published": published, "value": beyond.value, "low": low, "high": high}
        bands = {"equal_length": beyond.equal_length, "widest": beyond.widest}
        rows.append({"corpus": name, "measure": measure, **row, **bands})
    return rows


def _under_error(
    sample: Perturbed, error: str, magnitude: float, *, sets: int
) -> list[dict[str, object]]:
    found = []
    for index in range(sets):
        treebank = sample.draw(error, magnitude, index, n_annotators=2, seed=0)
        found.append(_values(syntax_agreement(treebank, breakdown=False).total))
    return _rows(found, error=error, magnitude=magnitude)


def _draw(rows: list[dict[str, object]], stem: Path) -> None:
    """A panel per chance, labels and heads in error alike."""
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
