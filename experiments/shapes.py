"""Beyond the papers: boxes. The zero of γ on images, what Δ decides, and readers without names.

Of the crowd's boxes on 100 images (Braylan & Lease 2021): γ of three independent annotators,
each annotation being of another image, under chance across documents and under units turned along x
as if it were time; α of whole annotations as in Braylan, Alonso & Lease 2022. Of the half of
LIDC-IDRI that is there: how many lesions, marked by how many of four readers who have no names. Of
both: γ over Δ, and where the distributions of nearest boxes in one image and in different ones
cross. Needs `--data DIR` with `boxes/` (ATTRIBUTION says where from).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import write_csv
from experiments._over_delta import Anchor, crossing, gamma_over_delta
from gammacp import gamma_corpus
from gammacp.base.arrays import Floats
from gammacp.base.csv_files import table_of
from gammacp.base.plots import COLOURS, MARKERS, can_plot, figure
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.continuum.renaming import rename_annotators
from gammacp.continuum.selecting import keep_annotators
from gammacp.dissimilarity import Combined, bind, unit_columns
from gammacp.dissimilarity.base import Annotations, BoundDissimilarity, UnitColumns
from gammacp.dissimilarity.positional import POSITIONAL
from gammacp.formats.reading import read_corpus
from gammacp.shapes.unnamed import unnamed_gamma

NEEDS_DATA = True
CORPORA, IMAGES = 8, 300  # of independent annotators
READERS = 4
DELTAS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
SAMPLES = 60


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """`zero.csv`, `alpha.csv`, `deltas.csv`, `anchor.csv` and `lesions.csv`."""
    folder = (data or Path()) / "boxes"
    crowd = read_corpus(folder / "crowd-boxes.csv")
    write_csv(
        out / "zero.csv", list(_zeros(crowd, 2 if quick else CORPORA, 40 if quick else IMAGES))
    )
    names = list(crowd)[: 12 if quick else len(crowd)]
    few = Corpus.from_continua({n: _first(crowd[n], 3) for n in names})
    scans = _scans(folder / "lidc-boxes.csv", 60 if quick else None)
    write_csv(out / "alpha.csv", [_alpha(crowd)])
    curve = gamma_over_delta(
        few, DELTAS, dissimilarity=Combined(positional="iou"), samples=30 if quick else SAMPLES
    )
    rows = [
        {"data": "crowd", "delta": delta, "same": 1 - delta / 2, "gamma": score.value,
         "gamma_to": score.value, "samples": score.samples}
        for delta, score in curve.scores.items()
    ]  # fmt: skip
    ranges = [_range_at_delta(scans, delta) for delta in DELTAS]
    assert curve.anchor is not None
    anchors = [_anchor_row("crowd", curve.anchor), _anchor_row("LIDC", _anchor_unnamed(scans))]
    write_csv(out / "deltas.csv", [*rows, *ranges])
    write_csv(out / "anchor.csv", anchors)
    if can_plot():
        with figure(out / "deltas", width=5, height=3) as axes:
            places, low, high = zip(
                *((r["same"], r["gamma"], r["gamma_to"]) for r in ranges), strict=True
            )
            axes.fill_between(places, low, high, color=COLOURS[1], alpha=0.3, linewidth=0)
            axes.plot(places, low, color=COLOURS[1], marker=MARKERS[1], label="LIDC, four readers")
            places, low = zip(*((r["same"], r["gamma"]) for r in rows), strict=True)
            axes.plot(places, low, color=COLOURS[0], marker=MARKERS[0], label="crowd")
            for colour, anchor in zip(COLOURS, anchors, strict=False):
                axes.axvline(anchor["same"], color=colour, linestyle=":")
            axes.set_xlabel("IoU at which a pair costs as much as a missing unit")
            axes.set_ylabel("γ")
            axes.set_ylim(0, 1)
            axes.legend(loc="lower left")
    write_csv(out / "lesions.csv", [row for least in (0.0, 0.1) for row in _lesions(scans, least)])


def _first(c: Continuum, n: int) -> Continuum:
    """Return the first annotators, under the same names everywhere."""
    chosen = keep_annotators(c, c.annotators[:n])
    return rename_annotators(chosen, dict(zip(chosen.annotators, "ABC", strict=True)))


def independent(crowd: Corpus, images: int, rng: np.random.Generator) -> Corpus:
    """Images of which each of three annotations is of another image of the crowd's."""
    done = [(k, [u for u in c if u.annotator == a]) for k, c in enumerate(crowd.values())
            for a in c.annotators]  # fmt: skip
    continua: dict[str, Continuum] = {}
    while len(continua) < images:
        picked = [done[i] for i in rng.choice(len(done), 3, replace=False)]
        if len({k for k, _ in picked}) == 3:
            rows = [
                replace(u, annotator=a)
                for a, (_, us) in zip("ABC", picked, strict=True)
                for u in us
            ]
            continua[str(len(continua))] = Continuum.from_units(rows, annotators=list("ABC"))
    return Corpus.from_continua(continua)


def crowds(images: int, rng: np.random.Generator) -> Corpus:
    """Three independent annotators with eight boxes each, whose centres crowd the middle."""
    continua = {}
    for image in range(images):
        middle, half = rng.normal(0.5, 0.15, (3, 8, 2)), rng.uniform(0.05, 0.1, (3, 8, 2))
        rows = [
            Unit.box(who, *zip(low, high, strict=True))
            for who, lows, highs in zip("ABC", middle - half, middle + half, strict=True)
            for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
        ]
        continua[str(image)] = Continuum.from_units(rows)
    return Corpus.from_continua(continua)


def _zeros(crowd: Corpus, corpora: int, images: int) -> Iterator[dict[str, object]]:
    def rngs(count: int) -> Iterator[np.random.Generator]:
        return (np.random.default_rng([7, r]) for r in range(count))

    sources = {
        "crowd": [independent(crowd, images, rng) for rng in rngs(corpora)],
        "planted": [crowds(images // 10, rng) for rng in rngs(3 * corpora)],
    }
    for (source, samples), positional, chance in product(
        sources.items(), ("iou", "sporadic"), ("documents", "cut")
    ):
        values = []
        for seed, corpus in enumerate(samples):
            # As if x were time, so that it is not refused.
            timed = {n: c.with_about(offset_unit="s") for n, c in corpus.items()}
            corpus_to_measure = corpus if chance == "documents" else Corpus.from_continua(timed)
            d = Combined(positional=positional)
            values.append(
                gamma_corpus(corpus_to_measure, dissimilarity=d, chance=chance, seed=seed).value
            )
        error = float(np.std(values, ddof=1) / np.sqrt(len(samples)))
        mean = float(np.mean(values))
        yield {
            "source": source, "positional": positional, "chance": chance, "corpora": len(samples),
            "images": len(samples[0]), "gamma": mean, "se": error,
            "bound": abs(mean) + 1.645 * error,
        }  # fmt: skip


def _alpha(crowd: Corpus) -> dict[str, object]:
    """α of whole annotations: 1 − the mean of all boxes' largest IoU with one of the other's.

    Boxes count their last pixels. On all 200 images (boundingbox_data.csv of annotationmodeling)
    this is .5052830 over all pairs, as in its notebook bounding_boxes_IAA.
    """
    done = []
    for image, c in crowd.items():
        for a in c.annotators:
            sides = [(u.start, *u.shape.extents[0], u.end) for u in _part(c, a) if u.shape]
            done.append((image, np.array(sides, np.float64).reshape(-1, 4)))
    boxes = np.concatenate([rows for _, rows in done])
    (left, top, bottom, right), sizes = boxes.T, np.array([len(rows) for _, rows in done])
    bottom, right = bottom + 1, right + 1
    areas = (right - left) * (bottom - top)
    drawn = np.flatnonzero(sizes)
    starts = np.concatenate(([0], np.cumsum(sizes)))[drawn]
    best = np.zeros((len(boxes), len(done)))
    for i in range(len(boxes)):
        wide = np.minimum(right[i], right) - np.maximum(left[i], left)
        shared = wide.clip(0) * (np.minimum(bottom[i], bottom) - np.maximum(top[i], top)).clip(0)
        best[i, drawn] = np.maximum.reduceat(shared / (areas[i] + areas - shared), starts)
    sums = np.zeros((len(done), len(done)))
    sums[drawn] = np.add.reduceat(best, starts, axis=0)
    distances = 1 - (sums + sums.T) / np.maximum(sizes[:, None] + sizes, 1)
    images = np.array([image for image, _ in done])
    pairs = np.tril_indices(len(done), -1)
    same, values = (images[:, None] == images)[pairs], distances[pairs]
    observed, expected = float(values[same].mean()), float(values[~same].mean())
    return {"images": len(crowd), "annotations": len(done), "observed": observed,
            "expected": expected, "alpha": 1 - observed / expected}  # fmt: skip


def _range_at_delta(scans: Corpus, delta: float) -> dict[str, Any]:
    """γ of every naming, as `_at_delta`; no reader drew two nodules that overlap."""
    d = Combined(alpha=1 / delta, beta=0, positional="iou")
    low, high = unnamed_gamma(scans, dissimilarity=d, same=2 / delta).interval
    return {"data": "LIDC", "delta": delta, "same": 1 - delta / 2, "gamma": low,
            "gamma_to": high, "samples": None}  # fmt: skip


def _anchor_unnamed(scans: Corpus) -> Anchor:
    """Nearest boxes are somebody else's, since no reader drew two that overlap."""
    apart = [[*c] for c in scans.values()]
    pairs = zip(apart, [*apart[1:], *apart[:1]], strict=True)
    here = [
        _nearest([u], [*units[:i], *units[i + 1 :]]) for units in apart for i, u in enumerate(units)
    ]
    nearest_other = [_nearest(units, others) for units, others in pairs]
    return crossing(np.concatenate(here), np.concatenate(nearest_other))


def _anchor_row(data: str, anchor: Anchor) -> dict[str, Any]:
    """IoU is 1 − cost/2."""
    return {"data": data, "same": 1 - anchor.cost / 2, "from": 1 - anchor.high / 2,
            "to": 1 - anchor.low / 2, "kept": anchor.kept, "by_chance": anchor.by_chance,
            "units": anchor.units}  # fmt: skip


def _part(c: Continuum, annotator: str) -> list[Unit]:
    return [u for u in c if u.annotator == annotator]


def _nearest(some: Sequence[Unit], others: Sequence[Unit]) -> Floats:
    """Return the cost of each unit's nearest box of others: 2·(1 − IoU), 2 if it is apart."""
    if not some or not others:
        return np.full(len(some), 2.0)
    named = [replace(u, annotator=a) for a, us in (("A", some), ("B", others)) for u in us]
    both = Continuum.from_units(named)
    columns = unit_columns(both)
    d = bind(Combined(beta=0, positional="iou"), both).pairwise(columns[:, None], columns[None])
    rows = both.rows_of("A"), both.rows_of("B")
    return np.asarray(np.minimum(d[rows[0], rows[1]], 2).min(axis=1))


@dataclass(frozen=True)
class Above:
    """IoU, ∞ where it is less."""

    least: float = 0.0

    @property
    def signature(self) -> str:
        """Name with the least IoU."""
        return f"iou>={self.least:g}"

    def bind(self, annotations: Annotations, delta: float) -> BoundDissimilarity:
        """Bind as IoU does."""
        bound: BoundDissimilarity = POSITIONAL["iou"].bind(annotations, delta)
        most = 2 * delta * (1 - self.least) * (1 + 1e-12)

        def costs(u: UnitColumns, v: UnitColumns) -> Floats:
            disorders = bound.pairwise(u, v)
            return np.where(disorders <= most, disorders, np.inf)

        return replace(bound, pairwise=costs, signature=self.signature)


def _scans(path: Path, most: int | None) -> Corpus:
    """Boxes of each scan, whoever of four drew them."""
    scans: dict[str, list[Unit]] = defaultdict(list)
    for row, _ in table_of(path.read_text(encoding="utf-8"), ("scan", "x0", "x1")):
        sides = [(float(row[f"{axis}0"]), float(row[f"{axis}1"])) for axis in "xyz"]
        units = scans[row["scan"]]
        units.append(Unit.box(f"{len(units):03}", *sides))
    return Corpus.from_continua(
        {
            name: Continuum.from_units(units).without_names(READERS)
            for name, units in list(scans.items())[:most]
        }
    )


def _lesions(scans: Corpus, least: float) -> Iterator[dict[str, object]]:
    """Return groups of at most four boxes of a scan with that IoU; and γ of every naming."""
    # No reader drew two nodules that overlap by as much.
    d = Combined(beta=0, positional=Above(least))
    agreement = unnamed_gamma(scans, dissimilarity=d, same=2.0)
    low, high = agreement.interval
    about = {"scans": len(scans), "least_iou": least, "gamma_from": low, "gamma_to": high}
    for size, lesions in agreement.sizes.items():
        yield {**about, "marked_by": size, "lesions": lesions}
    yield {**about, "marked_by": "any", "lesions": sum(agreement.sizes.values())}
