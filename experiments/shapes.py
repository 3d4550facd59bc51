"""Beyond the papers: boxes. The zero of γ on images, what Δ decides, and readers without names.

Of the crowd's boxes on 100 images (Braylan & Lease 2021): γ of three independent annotators,
each annotation being of another image, under chance across documents and under units turned along x
as if it were time; γ over Δ, and where nearest boxes of one image are told best from those of
different ones. Of the half of LIDC-IDRI that is there: how many lesions, marked by how many of four
readers who have no names. Needs `--data DIR` with `boxes/` (ATTRIBUTION says where from).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from experiments._common import write_csv
from gammacp import gamma_corpus
from gammacp.arrays import Floats
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.csv_files import table_of
from gammacp.dissimilarity import Combined, bind, unit_columns
from gammacp.formats.reading import read_corpus
from gammacp.measures.unnamed import unnamed_gamma
from gammacp.plots import can_plot, figure

NEEDS_DATA = True
CORPORA, IMAGES = 8, 300  # of independent annotators
READERS = 4
DELTAS = (0.25, 0.5, 1.0, 1.5, 2.0)
SAMPLES = 60


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """`zero.csv`, `deltas.csv`, `anchor.csv` and `lesions.csv`."""
    folder = (data or Path()) / "boxes"
    crowd = read_corpus(folder / "crowd-boxes.csv")
    write_csv(
        out / "zero.csv", list(_zeros(crowd, 2 if quick else CORPORA, 40 if quick else IMAGES))
    )
    names = list(crowd)[: 12 if quick else len(crowd)]
    few = Corpus.from_continua({n: _first(crowd[n], 3) for n in names})
    rows = [_at_delta(few, delta, 30 if quick else SAMPLES) for delta in DELTAS]
    write_csv(out / "deltas.csv", rows)
    write_csv(out / "anchor.csv", [_anchor(few)])
    if can_plot():
        with figure(out / "deltas", width=4.5, height=3) as axes:
            axes.plot([r["same"] for r in rows], [r["gamma"] for r in rows], marker="o")
            axes.set_xlabel("IoU at which a pair costs as much as two units alone")
            axes.set_ylabel("γ of the crowd")
    write_csv(out / "lesions.csv", list(_lesions(folder / "lidc-boxes.csv", 60 if quick else None)))


def _first(c: Continuum, n: int) -> Continuum:
    """The first annotators, under the same names everywhere."""
    kept = c.only_annotators(c.annotators[:n])
    return kept.renamed_annotators(dict(zip(kept.annotators, "ABC", strict=True)))


def independent(crowd: Corpus, images: int, rng: np.random.Generator) -> Corpus:
    """Images of which each of three annotations is of another image of the crowd's."""
    done = [(k, [u for u in c if u.annotator == a]) for k, c in enumerate(crowd.values())
            for a in c.annotators]  # fmt: skip
    found: dict[str, Continuum] = {}
    while len(found) < images:
        picked = [done[i] for i in rng.choice(len(done), 3, replace=False)]
        if len({k for k, _ in picked}) == 3:
            rows = [
                replace(u, annotator=a)
                for a, (_, us) in zip("ABC", picked, strict=True)
                for u in us
            ]
            found[str(len(found))] = Continuum.from_units(rows, annotators=list("ABC"))
    return Corpus.from_continua(found)


def crowds(images: int, rng: np.random.Generator) -> Corpus:
    """Three independent annotators with eight boxes each, whose centres crowd the middle."""
    found = {}
    for image in range(images):
        middle, half = rng.normal(0.5, 0.15, (3, 8, 2)), rng.uniform(0.05, 0.1, (3, 8, 2))
        rows = [
            Unit.box(who, *zip(low, high, strict=True))
            for who, lows, highs in zip("ABC", middle - half, middle + half, strict=True)
            for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
        ]
        found[str(image)] = Continuum.from_units(rows)
    return Corpus.from_continua(found)


def _zeros(crowd: Corpus, corpora: int, images: int) -> Iterator[dict[str, object]]:
    def rngs() -> Iterator[np.random.Generator]:
        return (np.random.default_rng([7, r]) for r in range(corpora))

    sources = {
        "crowd": [independent(crowd, images, rng) for rng in rngs()],
        "planted": [crowds(images // 10, rng) for rng in rngs()],
    }
    for (source, made), positional, chance in product(
        sources.items(), ("iou", "sporadic"), ("documents", "cut")
    ):
        values = []
        for seed, corpus in enumerate(made):
            # As if x were time, so that it is not refused.
            timed = {n: replace(c, offset_unit="s") for n, c in corpus.items()}
            given = corpus if chance == "documents" else Corpus.from_continua(timed)
            d = Combined(positional=positional)
            values.append(gamma_corpus(given, dissimilarity=d, chance=chance, seed=seed).value)
        error = float(np.std(values, ddof=1) / np.sqrt(corpora))
        mean = float(np.mean(values))
        yield {
            "source": source, "positional": positional, "chance": chance, "corpora": corpora,
            "images": len(made[0]), "gamma": mean, "se": error, "bound": abs(mean) + 1.645 * error,
        }  # fmt: skip


def _at_delta(crowd: Corpus, delta: float, samples: int) -> dict[str, float]:
    """γ where a missing unit costs `delta` times what it costs by default."""
    d = Combined(alpha=1 / delta, positional="iou")
    score = gamma_corpus(crowd, dissimilarity=d, samples=samples)
    return {"delta": delta, "same": 1 - delta / 2, "gamma": score.value, "samples": score.samples}


def _anchor(crowd: Corpus) -> dict[str, float]:
    """Where IoU of nearest boxes tells those of one image best from those of different ones."""
    apart = list(crowd.values())
    here = np.concatenate([_nearest(_part(c, "A"), _part(c, "B")) for c in apart])
    there = np.concatenate(
        [
            _nearest(_part(c, "A"), _part(o, "B"))
            for c, o in zip(apart, apart[1:] + apart[:1], strict=True)
        ]
    )
    places = np.unique(np.concatenate((here, there)))
    gain = [(here >= x).mean() - (there >= x).mean() for x in places]
    best = int(np.argmax(gain))
    return {"same": float(places[best]), "kept": float((here >= places[best]).mean()),
            "by_chance": float((there >= places[best]).mean())}  # fmt: skip


def _part(c: Continuum, annotator: str) -> list[Unit]:
    return [u for u in c if u.annotator == annotator]


def _nearest(some: Sequence[Unit], others: Sequence[Unit]) -> Floats:
    """The largest IoU of each box with any of the others'."""
    if not some or not others:
        return np.zeros(len(some))
    both = Continuum.from_units([*some, *others], annotators=["A", "B"])
    columns = unit_columns(both)
    d = bind(Combined(beta=0, positional="iou"), both).pairwise(columns[:, None], columns[None])
    rows = both.rows_of("A"), both.rows_of("B")
    return np.asarray(1 - np.minimum(d[rows[0], rows[1]], 2).min(axis=1) / 2)


def _lesions(path: Path, most: int | None) -> Iterator[dict[str, object]]:
    """Groups of at most four boxes of a scan, whoever drew them; and γ of every naming."""
    scans: dict[str, list[Unit]] = defaultdict(list)
    for row, _ in table_of(path.read_text(encoding="utf-8"), ("scan", "x0", "x1")):
        sides = [(float(row[f"{axis}0"]), float(row[f"{axis}1"])) for axis in "xyz"]
        units = scans[row["scan"]]
        units.append(Unit.box(f"{len(units):03}", *sides))
    chosen = {
        name: Continuum.from_units(units).without_names(READERS)
        for name, units in list(scans.items())[:most]
    }
    # No reader drew two nodules that overlap.
    found = unnamed_gamma(
        Corpus.from_continua(chosen), dissimilarity=Combined(beta=0, positional="iou"), same=2.0
    )
    low, high = found.interval
    about = {"scans": len(chosen), "gamma_from": low, "gamma_to": high}
    for size, lesions in found.sizes.items():
        yield {**about, "marked_by": size, "lesions": lesions}
    yield {**about, "marked_by": "any", "lesions": sum(found.sizes.values())}
