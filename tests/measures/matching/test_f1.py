from itertools import combinations

import numpy as np
import pytest

from gammacp import Continuum, DataError, Unit
from gammacp.measures.matching.f1 import f1_category, f1_exact, f1_overlap
from tests.measures import oracles


def overlap(u: Unit, v: Unit) -> bool:
    same = (u.start, u.end) == (v.start, v.end)
    return min(u.end, v.end) > max(u.start, v.start) or (same and u.length == 0)


@pytest.mark.parametrize(
    ("measure", "match"),
    [
        (f1_exact, lambda u, v: (u.start, u.end) == (v.start, v.end)),
        (f1_overlap, overlap),
        (f1_category, lambda u, v: overlap(u, v) and u.category == v.category),
    ],
)
def test_matches_are_the_largest_of_all_matchings(measure, match) -> None:
    rng = np.random.default_rng(1)
    for _ in range(150):
        c = oracles.overlapping(rng, annotators=3, units=3, length=6, categories=2)
        if (c.counts == 0).sum() > 1:
            continue
        ratios = []
        for a, b in combinations(c.annotators, 2):
            left, right = ([u for u in c if u.annotator == name] for name in (a, b))
            edges = [(i, j) for i, u in enumerate(left) for j, v in enumerate(right) if match(u, v)]
            ratios.append(2 * oracles.largest_matching(edges) / (len(left) + len(right)))
        assert measure(c).value == pytest.approx(np.mean(ratios)), list(c)


def test_matches_of_every_pair() -> None:
    units = [Unit("A", 0, 10, "a"), Unit("A", 15, 25, "a"), Unit("B", 0, 10, "b")]
    units += [Unit("B", 16, 25, "a"), Unit("B", 17, 30, "a"), Unit("B", 40, 50, "a")]
    c = Continuum.from_units(units, annotators=["C"])
    for measure, matches in ((f1_exact, 1), (f1_overlap, 2), (f1_category, 1)):
        assert measure(c).matches.tolist() == [[0, 0, 0], [0, 2, matches], [0, matches, 4]]


def test_bad_input_and_undefined() -> None:
    c = Continuum.from_units([Unit("A", 0, 4, None)], annotators=["A", "B", "C"])
    with pytest.raises(DataError, match="unit 0-4 of A has no category"):
        f1_category(c)
    score = f1_exact(c)
    assert np.isnan(score.value)
    assert score.reason == "neither B nor C has a unit"
