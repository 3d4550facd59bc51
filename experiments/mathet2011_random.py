"""2011, §5.3: random1 (`statistical`) against random2 (`corpus`) on a corpus with regularities."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from experiments._common import write_csv
from experiments._random_2011 import PROCESSES, random_entropies
from gammacp.base.plots import COLOURS, figure
from gammacp.continuum import Continuum, Unit

LENGTH = 1000.0
TEXTS = 10
MOST = 4.0


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Both processes on the corpus with regularities and on one without any."""
    del data
    draws = 20 if quick else 400
    rows: list[dict[str, object]] = []
    for corpus, regular in (("regular", True), ("none", False)):
        continua = [_text(np.random.default_rng((6, i)), regular) for i in range(TEXTS)]
        entropies = {
            name: random_entropies(process, continua, 3, draws=draws)
            for name, process in PROCESSES.items()
        }
        means = {name: float(e.mean()) for name, e in entropies.items()}
        rows += [
            {
                "corpus": corpus,
                "process": name,
                "mean": means[name],
                "sd": float(entropies[name].std(ddof=1)),
                "sets": draws,
                "order_gained": (MOST - means[name]) / (MOST - means["random1"]) - 1,
            }
            for name in entropies
        ]
    write_csv(out / "random.csv", rows)
    with figure(out / "random", width=4.5, height=3.0) as axes:
        for i, name in enumerate(PROCESSES):
            mine = [r for r in rows if r["process"] == name]
            axes.bar(
                np.arange(2) + 0.35 * i,
                [float(str(r["mean"])) for r in mine],
                0.32,
                yerr=[float(str(r["sd"])) for r in mine],
                color=COLOURS[i],
                label=name,
            )
        axes.set(
            xticks=np.arange(2) + 0.175,
            xticklabels=["with regularities", "without"],
            ylabel="entropy",
            ylim=(0, 4.4),
            title="Random annotations, mean and sd",
        )
        axes.axhline(MOST, color="black", linewidth=0.6)
        axes.legend(ncols=2)


def _text(rng: np.random.Generator, regular: bool) -> Continuum:
    """Three annotators of a text.

    The regularities are those that §5.3 names: texts begin and end with a particular type
    (introduction, conclusion), one category covers the text wholly (topic), another has a stable
    size (transition, between topics).
    """
    reference = _structured(rng) if regular else _unstructured(rng)
    units = []
    for annotator in ("1", "2", "3"):
        for start, end, category in reference:
            if rng.random() < 0.15:
                continue
            reach = 0.25 * (end - start)
            s, e = np.clip(np.array([start, end]) + rng.uniform(-reach, reach, 2), 0, LENGTH)
            units.append(Unit(annotator, float(min(s, e)), float(max(s, e)), category))
    return Continuum.from_units(units, annotators=["1", "2", "3"], bounds=(0.0, LENGTH))


def _structured(rng: np.random.Generator) -> list[tuple[float, float, str]]:
    opening, closing = rng.uniform(60, 90), LENGTH - rng.uniform(60, 90)
    shares = rng.dirichlet(np.full(8, 8.0))
    seams = opening + np.concatenate(([0.0], np.cumsum(shares))) * (closing - opening)
    topics = [(float(a), float(b), "topic") for a, b in itertools.pairwise(seams)]
    transitions = [(float(s) - 10, float(s) + 10, "transition") for s in seams[1:-1]]
    ends = [(0.0, opening, "introduction"), (closing, LENGTH, "conclusion")]
    return [*ends, *topics, *transitions]


def _unstructured(rng: np.random.Generator) -> list[tuple[float, float, str]]:
    """Draw as many units of the same categories and sizes, anywhere."""
    moved = []
    for start, end, category in _structured(rng):
        at = rng.uniform(0, LENGTH - (end - start))
        moved.append((float(at), float(at + end - start), category))
    return moved
