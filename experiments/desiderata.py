"""Beyond the papers: §6.3's desiderata as numbers, and measures ranked per error type.

Ranks are those of `gammacp bench rank`: by the power to tell two magnitudes apart, with intervals
that hold together.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments import mathet2015_fig26
from experiments._common import write_csv
from experiments._figures import curves_page, error_title
from gammacp.base.arrays import Floats
from gammacp.bench.baseline import read_curves
from gammacp.bench.curves import Point, by_error, by_measure
from gammacp.bench.ledger.series import read_rows
from gammacp.bench.ranking import LEAST_SETS, MeasureRank, rank

READS = ("mathet2015_fig26",)
DOCUMENTS = 10
# Scores by which measures are ranked; the best value of each is 1 (see `_numbers`).
CRITERIA = ("covered", "monotone", "even", "separated")


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write the curves of Figures 26–30 with tests; desiderata and ranks per error."""
    del quick, data
    folder = out.parent.parent / READS[0]
    errors = (*mathet2015_fig26.ERRORS, mathet2015_fig26.OVERLAPPING)
    points = [p for error in errors for p in read_curves(folder / f"{error}.csv")]
    ranked = _ranked([folder / f"{error}.csv" for error in errors])
    rows = []
    for error, group in by_error(points).items():
        scored = [(m, _numbers(curve)) for m, curve in by_measure(group).items()]
        # Leave out measures that are undefined on some sets.
        scores = {m: _mean(n, CRITERIA) * (1 - _mean(n, ("undefined",))) for m, n in scored}
        rows += [
            {
                "error": error,
                "measure": m,
                **_rank_columns(ranked.get((error, m))),
                "score": scores[m],
                **numbers,
            }
            for m, numbers in sorted(scored, key=lambda r: -scores[r[0]])
        ]
    write_csv(out / "desiderata.csv", rows)
    write_csv(out / "ranks.csv", _ranks(rows))
    shown = {error_title(e): group for e, group in by_error(points).items()}
    curves_page(out / "bands", shown, about=mathet2015_fig26.ABOUT)


def _ranked(paths: Sequence[Path]) -> dict[tuple[str, str], MeasureRank]:
    """Return the ranks of all measures under all errors; none if there are too few sets."""
    values: dict[tuple[str, str, float], dict[int, float]] = {}
    for path in paths:
        for row in read_rows(path):
            sets = row["values"].split()
            key = row["error"], row["measure"], float(row["magnitude"])
            values[key] = {number: float(value) for number, value in enumerate(sets)}
    if min(len(by_set) for by_set in values.values()) < LEAST_SETS:
        return {}
    errors = rank(values, DOCUMENTS).errors
    return {
        (each.error, measure_rank.measure): measure_rank
        for each in errors
        for measure_rank in each.measures
    }


def _rank_columns(ranking: MeasureRank | None) -> dict[str, object]:
    share_told = None if ranking is None else ranking.power
    best, worst = (None, None) if ranking is None or ranking.rank is None else ranking.rank
    return {"told": share_told, "best_rank": best, "worst_rank": worst}


def _numbers(curve: Sequence[Point]) -> dict[str, object]:
    """Return the desiderata of one curve, over the magnitudes at which it is defined.

    covered: the length of [0, 1] that the means run through, minus the length that they run through
    outside of it, so that a curve from 1 to −1.15 has −.15. monotone: share of steps that go down.
    even: 1 − the largest step's share of all movement beyond an even one (1: equal steps; 0: all
    at once, or no movement at all). separated: mean chance that of two sets of neighbouring
    magnitudes the one with more errors has less agreement (ties count half), scaled from [½, 1]
    to [0, 1] (below 0 where it has more), under normality.
    strictly_decreasing: no mean is above an earlier one beyond noise (Bonferroni over all pairs,
    5 %), and the last is below the first. A curve of fewer than three points meets no desideratum.
    """
    defined_points = [p for p in curve if p.sets > p.undefined]
    y = np.array([p.mean for p in defined_points])
    sd = np.nan_to_num(np.array([p.sd for p in defined_points]))
    counts = np.array([p.sets - p.undefined for p in defined_points], np.float64)
    missing = float(sum(p.undefined for p in curve) / sum(p.sets for p in curve))
    if len(defined_points) < 3:
        return {"undefined": missing, **dict.fromkeys(CRITERIA, 0.0)}
    steps = np.diff(y)
    total = float(np.abs(steps).sum())
    inside = np.ptp(np.clip(y, 0, 1))
    z = _rises(y, sd / np.sqrt(counts))
    return {
        "undefined": missing,
        "covered": float(2 * inside - np.ptp(y)),
        "monotone": float((steps < -1e-12).mean()),
        "even": _evenness(np.abs(steps) / total) if total > 1e-12 else 0.0,
        "separated": _separation(steps, sd),
        "at_0": float(y[0]),
        "at_1": float(y[-1]),
        "least": float(y.min()),
        "largest_rise_z": float(z.max()),
        "strictly_decreasing": str(
            bool(z.max() < _critical(len(y)) and y[-1] < y[0] - 1e-9)
        ).lower(),
    }


def _mean(numbers: dict[str, object], names: Sequence[str]) -> float:
    return float(np.mean([float(str(numbers[name])) for name in names]))


def _rises(y: Floats, se: Floats) -> Floats:
    """Return z of y[j] − y[i] for all i < j."""
    i, j = np.triu_indices(len(y), 1)
    rise, noise = y[j] - y[i], np.hypot(se[i], se[j])
    return np.asarray(np.where(noise > 0, rise / np.maximum(noise, 1e-300), 0.0))


def _critical(points: int) -> float:
    """Return the z that any of all pairs exceeds by chance with at most 5 % (Bonferroni)."""
    from scipy.stats import norm

    return float(norm.isf(0.05 / (points * (points - 1) / 2)))


def _evenness(shares: Floats) -> float:
    even = 1 / len(shares)
    return float(1 - (shares.max() - even) / (1 - even))


def _separation(steps: Floats, sd: Floats) -> float:
    from scipy.stats import norm

    noise = np.hypot(sd[1:], sd[:-1])
    chance = np.where(
        noise > 0, norm.cdf(-steps / np.maximum(noise, 1e-300)), (1 - np.sign(steps)) / 2
    )
    return float(2 * chance.mean() - 1)


def _ranks(rows: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """Return one row per measure: its ranks under each error, and the means of its scores."""
    measures = list(dict.fromkeys(str(r["measure"]) for r in rows))
    table = []
    for m in measures:
        mine = [r for r in rows if r["measure"] == m]
        ranks = {str(r["error"]): _span(r["best_rank"], r["worst_rank"]) for r in mine}
        share_told = float(np.mean([float(str(r["told"] or 0)) for r in mine]))
        score = float(np.mean([float(str(r["score"])) for r in mine]))
        table.append({"measure": m, "mean_score": score, "mean_told": share_told, **ranks})
    return sorted(table, key=lambda r: -float(str(r["mean_score"])))


def _span(best: object, worst: object) -> str:
    if best is None:
        return ""
    return str(best) if best == worst else f"{best}-{worst}"
