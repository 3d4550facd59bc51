"""Every exact method against the full CP-SAT model, and brute force where it is feasible."""

import os
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from gammacp import Combined
from gammacp.alignment import Status, best_groups
from gammacp.dissimilarity import bind
from gammacp.dissimilarity.categorial import Matrix
from tests.alignment.continua import DISSIMILARITIES, random_continuum

UNITS = {2: 60, 3: 45, 4: 36, 5: 30, 6: 26, 7: 22, 8: 20}
BRUTE = {2: 12, 3: 11, 4: 10, 5: 9, 6: 8, 7: 8, 8: 8}
MATRIX = Matrix(("a", "b", "c"), np.array([[0, 0.3, 1], [0.3, 0, 0.6], [1, 0.6, 0]]))
ALL = (
    *DISSIMILARITIES,
    Combined(categorial=MATRIX, beta=2),
    Combined(categorial=MATRIX, f_cat="steep"),  # infinite cost between a and c
    Combined(positional="hamming", f_cat="steep", alpha=0.5),
)


def _check(seed: int) -> bool:
    """Compare all methods on continuum `seed`, and return whether brute force took part."""
    n = 2 + seed % 7
    rng = np.random.default_rng(seed)
    brute = bool(rng.random() < 0.4)
    size = int(rng.integers(1, (BRUTE if brute else UNITS)[n] + 1))
    continuum = random_continuum(1000 + seed, n, size)
    bound = bind(ALL[seed % len(ALL)], continuum)
    best = best_groups(continuum, bound, method="cpsat")
    assert best.status is Status.OPTIMAL, seed
    paths = (
        ["auto", "milp", "enumeration", "generation"] + ["bipartite"] * (n == 2) + ["brute"] * brute
    )
    found = {path: best_groups(continuum, bound, method=path) for path in paths}
    for path, one in found.items():
        assert one.disorder == pytest.approx(best.disorder, abs=1e-8), (seed, path)
        assert one.status is Status.OPTIMAL, (seed, path)
        assert one.bound <= best.disorder + 1e-9, (seed, path)
    for options in ({"gap": 0.1}, {"time_limit": 1e-3}, {"method": "greedy"}):
        rough = best_groups(continuum, bound, **options)  # type: ignore[arg-type]
        assert rough.bound <= best.disorder + 1e-9, (seed, options)
        assert rough.disorder >= best.disorder - 1e-9, (seed, options)
    return brute


def test_every_path_finds_the_optimum() -> None:
    assert sum(_check(seed) for seed in range(14)) > 3


@pytest.mark.slow
def test_every_path_finds_the_optimum_500_times() -> None:
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1)) as processes:
        compared = list(processes.map(_check, range(500), chunksize=10))
    assert sum(compared) > 100
