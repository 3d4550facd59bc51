"""How much γ_cat, γ_k and a consensus depend on which of several best alignments is taken.

γ is that of all best alignments. The others are read off one of them: here off each, and off those
that are nearly as good.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import MATHET_2015, model_of, write_csv
from gammacp import datasets
from gammacp.alignment.alignment import Alignment
from gammacp.alignment.alternatives.pool import alignments
from gammacp.base.arrays import Floats
from gammacp.campaign.consensus.consensus import consensus
from gammacp.continuum import Continuum
from gammacp.dissimilarity import Combined, bind
from gammacp.measures.gamma_cat import aligned_pairs, gamma_cat, gamma_k
from gammacp.pools import open_pool
from shuffling import Category, FalseNegative, Position, ReferenceModel, Uniform, shuffled_set

# Largest number of alignments that are examined: the first ones.
MOST = 200
# Of the disorder: how much more alignments may have that are nearly as good; of units up to which
# these are looked for.
NEAR = 0.01
NEAR_UNITS = 400
SETS = 10
SHARES = (0.4, 0.3, 0.2, 0.1)
ERRORS = {
    "positions": (Position(),),
    "positions and categories": (Position(), Category()),
    "missing units": (FalseNegative(),),
}
MAGNITUDES = (0.3, 0.6)

Row = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One annotation set: a dataset that ships with gammacp, or a draw from a model."""

    data: str
    annotators: int = 0
    magnitude: float = 0.0
    index: int = 0
    samples: int = 20

    @property
    def continuum(self) -> Continuum:
        """The annotation set."""
        if self.data in datasets.names():
            return datasets.load(self.data)
        kind, error = self.data.split(": ")
        return shuffled_set(
            MODELS[kind], ERRORS[error], self.magnitude, self.annotators, index=self.index
        )


def token_model() -> ReferenceModel:
    """Return a model of entities of one to four tokens with small gaps, so ties are frequent."""
    return replace(model_of(SHARES, low=1, high=4), gaps=Uniform(1, 6))


MODELS = {"characters": model_of(SHARES), "tokens": token_model()}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write a row per annotation set, and a summary of each kind."""
    del data
    cells = list(_cells(quick))
    with open_pool() as pool:
        rows = list(pool.executor.map(measured, cells))
    write_csv(out / "sets.csv", rows)
    kinds = list(dict.fromkeys((r["data"], r["annotators"], r["magnitude"]) for r in rows))
    write_csv(out / "summary.csv", [_summary(rows, kind) for kind in kinds])


def _cells(quick: bool) -> Iterator[Cell]:
    samples = 6 if quick else 20
    for name in datasets.names():
        yield Cell(name, samples=samples)
    for kind in MODELS:
        for error in ERRORS:
            for n in (2, 3):
                for magnitude in MAGNITUDES:
                    for index in range(3 if quick else SETS):
                        yield Cell(f"{kind}: {error}", n, magnitude, index, samples)


def measured(cell: Cell) -> Row:
    """Ranges of γ_cat, γ_k and the consensus over the best alignments of a set."""
    continuum = cell.continuum
    pool = alignments(continuum, most=MOST)
    row: Row = {
        "data": cell.data,
        "annotators": continuum.n_annotators,
        "magnitude": cell.magnitude,
        "set": cell.index,
        "units": continuum.n_units,
        "optima": pool.count,
        "exact": pool.exact,
        "borderline": pool.borderline,
        "looked_at": len(pool),
        "gamma_cat": None,
        "gamma_cat_range": 0.0,
        "gamma_k_range": 0.0,
        "consensus_units": None,
        "consensus_open": 0,
        "near_optima": None,
        "near_exact": None,
        "near_gamma_cat_range": None,
        "near_consensus_open": None,
    }
    options = {"samples": cell.samples, **MATHET_2015}
    first = gamma_cat(continuum, **options)
    row["gamma_cat"] = first.value
    row["consensus_units"] = len(_gold(pool[0]))
    if len(pool) > 1:
        row["gamma_cat_range"] = _range_of_category(pool.alignments, first.expected)
        row["gamma_k_range"] = _range_of_kinds(pool.alignments, options)
        row["consensus_open"] = _open_units(pool.alignments)
    if continuum.n_units <= NEAR_UNITS:
        near = alignments(continuum, most=MOST, within=NEAR * pool[0].disorder)
        row["near_optima"] = near.count
        row["near_exact"] = near.exact
        row["near_gamma_cat_range"] = _range_of_category(near.alignments, first.expected)
        row["near_consensus_open"] = _open_units(near.alignments)
    return row


def _open_units(alignments: Sequence[Alignment]) -> int:
    """Count the units that are in the consensus of some alignments, but not of all."""
    golds = [_gold(a) for a in alignments]
    everywhere = golds[0].intersection(*golds[1:])
    return len(golds[0].union(*golds[1:]) - everywhere)


def _range_of_category(alignments: Sequence[Alignment], expected: float | None) -> float:
    """Difference of the largest and the least γ_cat."""
    if not expected:
        return 0.0
    return float(np.ptp(_disorders(alignments, None))) / expected


def _range_of_kinds(alignments: Sequence[Alignment], options: dict[str, Any]) -> float:
    """Largest difference of γ_k, over the categories; where each alignment has one."""
    counts = gamma_k(alignments[0].continuum, **options).counts
    if counts is None:
        return 0.0
    expected = np.ravel(counts.numbers["expected"])
    ranges = [
        float(np.ptp(_disorders(alignments, k))) / e
        for k, e in enumerate(expected.tolist())
        if e > 0
    ]
    return max((r for r in ranges if np.isfinite(r)), default=0.0)


def _disorders(alignments: Sequence[Alignment], category: int | None) -> Floats:
    """Return δ_cat of each alignment, over all pairs or those of a category."""
    continuum = alignments[0].continuum
    parts = bind(Combined(), continuum)
    pairs = [aligned_pairs(continuum, a.groups, parts) for a in alignments]
    return np.array([p.disorder(category) for p in pairs])


def _gold(alignment: Alignment) -> set[tuple[float, float, str | None]]:
    """Return the units of the consensus of an alignment."""
    gold = consensus(alignment).continuum
    return {(u.start, u.end, None if u.category is None else str(u.category)) for u in gold}


def _summary(rows: Sequence[Row], kind: tuple[str, int, float]) -> Row:
    mine = [r for r in rows if (r["data"], r["annotators"], r["magnitude"]) == kind]
    several = [r for r in mine if r["optima"] > 1]
    return {
        "data": kind[0],
        "annotators": kind[1],
        "magnitude": kind[2],
        "sets": len(mine),
        "with_several_optima": len(several) / len(mine),
        "median_optima": float(np.median([r["optima"] for r in mine])),
        "most_optima": max(r["optima"] for r in mine),
        "all_exact": all(r["exact"] for r in mine),
        "borderline": sum(r["borderline"] for r in mine),
        "mean_gamma_cat_range": float(np.mean([r["gamma_cat_range"] for r in mine])),
        "largest_gamma_cat_range": max(r["gamma_cat_range"] for r in mine),
        "largest_gamma_k_range": max(r["gamma_k_range"] for r in mine),
        "mean_share_of_consensus_open": _mean_share(mine, "consensus_open"),
        "median_near_optima": _median([r["near_optima"] for r in mine]),
        "near_all_exact": all(r["near_exact"] for r in mine if r["near_exact"] is not None),
        "largest_near_gamma_cat_range": max(r["near_gamma_cat_range"] or 0.0 for r in mine),
        "near_mean_share_of_consensus_open": _mean_share(mine, "near_consensus_open"),
    }


def _mean_share(rows: Sequence[Row], name: str) -> float:
    return float(np.mean([(r[name] or 0) / max(r["consensus_units"], 1) for r in rows]))


def _median(counts: Sequence[int | None]) -> float | None:
    defined = [c for c in counts if c is not None]
    if not defined:
        return None
    return float(np.median(defined))
