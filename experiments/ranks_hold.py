"""Beyond the papers: do the intervals of ranks of `bench rank` hold where the truth is known?

Curves with known means and standard deviations have a known *told*, so that their true ranks are
known. Sets are drawn around them, with noise that the measures of a set share in part, and ranked.
An interval of ranks holds if it reaches from the best to the worst rank that the truth allows;
what counts is the share of runs in which all intervals of a table hold together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from experiments._common import write_csv
from gammacp.base.arrays import Floats
from gammacp.bench.power import Moments, pair_power
from gammacp.bench.ranking import rank

RUNS, QUICK = 200, 4
LEVEL = 0.05
DOCUMENTS = 10
SETS = (4, 12, 40)
X = np.linspace(0, 1, 6)
_SHARED = 0.5  # share of the variance that all measures of a set have in common

Noise = Callable[[Floats], Floats]


def straight_curves(*slopes: float) -> Floats:
    """Return curves that fall by these slopes."""
    return np.array([1 - slope * X for slope in slopes])


def saturated_curves() -> Floats:
    """Return curves with equal slopes that stop falling at different magnitudes."""
    return np.array([1 - 0.6 * np.minimum(X / end, 1) for end in (1.0, 0.8, 0.6, 0.4, 0.2)])


# Each world is a table: curves by error.
WORLDS: Mapping[str, Mapping[str, Floats]] = {
    "all different": {"e": straight_curves(1.0, 0.8, 0.6, 0.4, 0.2, 0.0)},
    "close": {"e": straight_curves(0.6, 0.58, 0.56, 0.54, 0.52, 0.5)},
    "all equal": {"e": straight_curves(*[0.5] * 6)},
    "saturated": {"e": saturated_curves()},
    "three errors": {
        "different": straight_curves(0.9, 0.6, 0.3, 0.0),
        "equal": straight_curves(*[0.4] * 4),
        "saturated": saturated_curves()[:4],
    },
}
SPREAD = 0.15


def _skewed(z: Floats) -> Floats:
    """Return noise with a long tail towards less agreement (lognormal, σ = .6)."""
    mean, variance = math.exp(0.18), (math.exp(0.36) - 1) * math.exp(0.36)
    skewed: Floats = -(np.exp(0.6 * z) - mean) / math.sqrt(variance)
    return skewed


NOISES: Mapping[str, Noise] = {"normal": lambda z: z, "skewed": _skewed}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Shares of tables of ranks that hold, by world, noise and number of sets."""
    del data
    rows: list[dict[str, object]] = []
    for world in WORLDS:
        for noise in NOISES:
            for sets in SETS[:2] if quick else SETS:
                rows.append(coverage_row(world, noise, sets, QUICK if quick else RUNS))
                write_csv(out / "coverage.csv", rows)


def coverage_row(world: str, noise: str, sets: int, runs: int) -> dict[str, object]:
    """Return the share of tables of ranks that hold in one world, with its standard error."""
    truth = {error: true_ranks(curves) for error, curves in WORLDS[world].items()}
    rng = np.random.default_rng(list(WORLDS).index(world))
    held = 0
    width = 0.0
    for _ in range(runs):
        ranking = rank(_drawn(rng, WORLDS[world], NOISES[noise], sets), DOCUMENTS, LEVEL)
        intervals = [
            (m.rank, truth[e.error][int(m.measure)])
            for e in ranking.errors
            for m in e.measures
            if m.rank is not None
        ]
        held += all(mine[0] <= true[0] and true[1] <= mine[1] for mine, true in intervals)
        width += float(np.mean([mine[1] - mine[0] for mine, _ in intervals]))
    share = held / runs
    return {
        "world": world,
        "noise": noise,
        "sets": sets,
        "runs": runs,
        "holds": share,
        "error": math.sqrt(share * (1 - share) / runs),
        "mean_width": width / runs,
    }


def true_ranks(curves: Floats) -> list[tuple[int, int]]:
    """Return best and worst rank of each curve; equal curves share their ranks."""
    spread = np.where(X > 0, SPREAD, 0.0) * np.ones_like(curves)
    truth = Moments(curves, spread**2, np.ones_like(curves))
    shares_told = pair_power(truth, DOCUMENTS, LEVEL).mean
    better = (shares_told[:, None] > shares_told + 1e-9).sum(axis=0)
    worse = (shares_told[:, None] < shares_told - 1e-9).sum(axis=0)
    return [(1 + int(b), len(shares_told) - int(w)) for b, w in zip(better, worse, strict=True)]


def _drawn(
    rng: np.random.Generator, world: Mapping[str, Floats], noise: Noise, sets: int
) -> dict[tuple[str, str, float], dict[int, float]]:
    """Draw values of single sets, in the form of a store."""
    values = {}
    for error, curves in world.items():
        shared = rng.standard_normal((sets, 1, len(X)))
        own_noise = rng.standard_normal((sets, *curves.shape))
        mixed = math.sqrt(_SHARED) * shared + math.sqrt(1 - _SHARED) * own_noise
        drawn = curves + np.where(X > 0, SPREAD, 0.0) * noise(mixed)
        for measure in range(len(curves)):
            for column, x in enumerate(X.tolist()):
                points = enumerate(drawn[:, measure, column].tolist())
                values[error, str(measure), x] = dict(points)
    return values
