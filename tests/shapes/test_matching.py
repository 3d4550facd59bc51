"""Matches of shapes at IoU .5: worked values, and every one-to-one matching."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, Unit
from gammacp.continuum.shapes import outline
from tests.conftest import Run
from tests.shapes.data import iou

BOXES = """document,annotator,category,x0,y0,x1,y1
i1,A,car,0,0,2,2
i1,A,car,9,9,11,11
i1,B,car,0,0.5,2,2.5
i2,A,car,0,0,10,10
i2,B,car,0,50,10,90
i3,A,dog,0,0,10,10
i3,B,cat,0,0,10,10
"""


def box(who: str, x: float, y: float, size: float, label: str = "car") -> Unit:
    return Unit.box(who, (x, x + size), (y, y + size), category=label)


def best(first: list[Unit], second: list[Unit]) -> tuple[int, float]:
    """Return the most matches, and then the largest sum of IoU, over all ways to pair shapes."""
    if len(first) > len(second):
        first, second = second, first
    result = (0, 0.0)
    for chosen in permutations(second, len(first)):
        near = [
            1 - iou(u, v) / 2
            for u, v in zip(first, chosen, strict=True)
            if u.category == v.category and iou(u, v) <= 1
        ]
        result = max(result, (len(near), sum(near)))
    return result


@pytest.mark.parametrize("seed", range(20))
def test_matches_are_the_best_of_all_matchings(seed: int) -> None:
    random = np.random.default_rng(seed)
    sides: dict[str, list[Unit]] = {"A": [], "B": []}
    for who, units in sides.items():
        for _ in range(int(random.integers(1, 6))):
            x, y = random.integers(0, 4, 2)
            label = "car" if random.random() < 0.8 else "dog"
            units.append(box(who, float(x), float(y), float(random.integers(4, 8)), label))
    scores = gc.measure(Continuum.from_units([*sides["A"], *sides["B"]]), ["f1-iou", "mean-iou"])
    matched, total = best(sides["A"], sides["B"])
    units = len(sides["A"]) + len(sides["B"])
    assert scores["f1-iou"].value == pytest.approx(2 * matched / units)
    assert scores["mean-iou"].value == pytest.approx(
        total / matched if matched else np.nan, nan_ok=True
    )


def test_a_corpus_against_a_reference(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "boxes.csv"
    path.write_text(BOXES)
    scores = gc.measure(
        gc.read_corpus(path), ["f1-iou", "mean-iou"], reference="A", by=["category"]
    )
    whole = scores["f1-iou"]
    assert (whole.recall, whole.precision) == pytest.approx((1 / 4, 1 / 3))
    assert "1 matched, 3 missed, 2 added (IoU of at least 0.5)" in whole.notes
    assert scores["mean-iou"].value == pytest.approx(0.6)
    assert whole.by_category["car"].value == pytest.approx(2 / 5)
    outcome = run("measure", path, "-m", "f1-iou", "--reference", "A")
    assert "corpus: f1-iou: 1 matched, 3 missed, 2 added" in outcome.err


def test_shapes_without_extent() -> None:
    (start, end), shape = outline("point", [[(1, 2)]])
    point = Unit("A", start, end, "x", shape=shape)
    c = Continuum.from_units([point, box("B", 0, 0, 2)])
    score = gc.measure(c, ["f1-iou"])["f1-iou"]
    assert score.reason == "units of kind point cover nothing, so they have no IoU"
    corpus = Corpus.from_continua({"d": c})
    assert not gc.measure(corpus, ["f1-iou"])["f1-iou"].defined
