"""2011, §4–5: the sentences about dissimilarity, entropy and the size of the search."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np

from experiments._common import continuum, write_csv
from experiments._random_2011 import annotation_set, moved
from gammacp.base.arrays import Codes, Floats
from gammacp.continuum import Continuum, Unit
from gammacp.dissimilarity import Combined, bind, unit_columns
from gammacp.problems.entropy import DISSIMILARITY_2011, best_entropy


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Numbers, and probes of what is said of every annotation set."""
    del data
    rows: list[dict[str, object]] = [
        {"quantity": "d_pos of touching units of equal length", "value": _touching()},
        {"quantity": "d_cat at distance 0.5", "value": _categories(0.5)},
        {"quantity": "d_cat at distance 1", "value": _categories(1.0)},
        {"quantity": "unitary alignments of 3 × 25, counted", "value": _count(3, 25)},
        {"quantity": "unitary alignments of 2 × 3, listed", "value": _listed(2, 3)},
        {"quantity": "unitary alignments of 2 × 3 by the printed formula", "value": 3 * 3 - 1},
        {"quantity": "alignments of 5 × 5, at least", "value": math.factorial(5) ** 4},
        {"quantity": "combinations of random2, 8 texts", "value": math.comb(8, 3) * 3**3},
    ]
    write_csv(out / "numbers.csv", rows)
    checks = [_probe(i) for i in range(5 if quick else 60)]
    write_csv(out / "probes.csv", checks)


def _touching() -> float:
    c = continuum(A=[(0, 10, "x")], B=[(10, 20, "x")])
    return _distance(c, DISSIMILARITY_2011)


def _categories(distance: float) -> float:
    class Matrix:
        signature = "matrix"

        def distances(self, categories: tuple[str, ...]) -> Floats:
            return distance * (1 - np.eye(len(categories)))

    c = continuum(A=[(0, 10, "1")], B=[(0, 10, "2")])
    return _distance(c, Combined(positional="sporadic-2011", delta=4.0, categorial=Matrix()))


def _distance(c: Continuum, dissimilarity: Combined) -> float:
    units = unit_columns(c)
    return float(bind(dissimilarity, c).pairwise(units[:1], units[1:])[0])


def _count(n: int, units: int) -> int:
    return int((units + 1) ** n - 1)


def _listed(n: int, units: int) -> int:
    """List groups of at most one unit of each annotator, not all of them empty."""
    tuples = product(*([*range(units), None] for _ in range(n)))
    return sum(any(u is not None for u in t) for t in tuples)


def _probe(index: int) -> dict[str, object]:
    """Eq. 8 and §4.4.2 on a set with boundary noise and two categories."""
    rng = np.random.default_rng((5, index))
    plain = annotation_set(rng, moved(rng.uniform(0, 4)), n_units=12, density=0.5)
    units = [Unit(u.annotator, u.start, u.end, rng.choice(["x", "y"])) for u in plain]
    c = Continuum.from_units(units)
    best = best_entropy(c)
    twice = Continuum.from_units(
        [*units, *(Unit(u.annotator, u.start + 1e5, u.end + 1e5, u.category) for u in units)]
    )
    return {
        "set": index,
        "entropy": best.entropy,
        "doubled_minus_once": round(best_entropy(twice).entropy - best.entropy, 9),
        "largest_unitary": _largest(c, best.groups),
        "mixed_categories": _mixed(c, best.groups),
    }


def _largest(c: Continuum, groups: Codes) -> float:
    """Return the largest ĕ in the ideal alignment, in Δ∅."""
    bound, units = bind(DISSIMILARITY_2011, c), unit_columns(c)
    i, j = np.triu_indices(c.n_annotators, 1)
    first, second = groups[:, i], groups[:, j]
    both = (first >= 0) & (second >= 0)
    costs = np.full(first.shape, bound.delta)
    costs[both] = bound.pairwise(units[first[both]], units[second[both]])
    return float(costs.mean(axis=1).max()) / bound.delta


def _mixed(c: Continuum, groups: Codes) -> int:
    """Unitary alignments with units of several categories."""
    codes = [set(c.category_codes[g[g >= 0]].tolist()) for g in groups]
    return sum(len(group_codes) > 1 for group_codes in codes)
