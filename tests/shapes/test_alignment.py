"""Alignments of boxes, against every partition, and of a plane full of boxes."""

import json
import random
import re
from pathlib import Path

import numpy as np
import pytest

import gammacp as gc
from gammacp import Combined, Continuum, Unit
from gammacp.alignment.candidates import pairs_within
from gammacp.dissimilarity import bind, unit_columns
from tests.boxes import random_boxes
from tests.conftest import Run
from tests.shapes.data import FORMULAS, least_disorder


@pytest.mark.parametrize("axes", [2, 3])
@pytest.mark.parametrize("name", FORMULAS)
def test_best_alignment_of_random_boxes(name: str, axes: int) -> None:
    for seed in range(42):
        c = random_boxes(seed, axes, 2 + seed % 2, 3)
        alignment = gc.align(c, Combined(positional=name))
        assert alignment.status == "optimal"
        least = least_disorder(c, FORMULAS[name])
        assert alignment.disorder == pytest.approx(least, rel=1e-9), (name, axes, seed)


@pytest.mark.parametrize("name", FORMULAS)
def test_all_pairs_that_could_pay_are_listed(name: str) -> None:
    r = random.Random(1)
    units = []
    for i in range(120):
        lows = [r.uniform(0, 40), r.uniform(0, 40)]
        units.append(Unit.box("ABC"[i % 3], *[(x, x + r.uniform(0.5, 6)) for x in lows]))
    c = Continuum.from_units(units)
    bound, columns = bind(Combined(positional=name), c), unit_columns(c)
    cost = bound.pairwise(columns[:, None], columns[None])
    for most in (0.3, 1.0, 3.5, 5.0):
        i, j = np.nonzero(np.triu(cost <= most, 1))
        apart = c.annotator_codes[i] != c.annotator_codes[j]
        first, second, values = pairs_within(c, bound, most, most_pairs=10**6)
        assert {*zip(i[apart], j[apart], strict=True)} == {*zip(first, second, strict=True)}
        assert values == pytest.approx(cost[first, second], rel=1e-12)


def test_boxes_that_differ_on_one_axis_cost_as_units_without_shapes() -> None:
    r = random.Random(2)
    plain = [Unit("AB"[i % 2], s := r.uniform(0, 50), s + r.uniform(1, 9), "x") for i in range(40)]
    boxes = [Unit.box(u.annotator, (u.start, u.end), (3, 8), category="x") for u in plain]
    one, two = (Continuum.from_units(rows) for rows in (plain, boxes))
    costs = [
        bind(Combined(), c).pairwise(unit_columns(c)[:, None], unit_columns(c)[None])
        for c in (one, two)
    ]
    assert np.array_equal(*costs)
    assert gc.align(one).disorder == gc.align(two).disorder


def test_the_order_of_axes_does_not_matter_and_equal_boxes_cost_nothing() -> None:
    c = random_boxes(3, 3, 3, 3)
    turned = Continuum.from_units(
        [
            Unit.box(u.annotator, u.shape.extents[1], (u.start, u.end), u.shape.extents[0],
                     category=u.category)
            for u in c if u.shape
        ],
        annotators=c.annotators,
    )  # fmt: skip
    for name in FORMULAS:
        d = Combined(positional=name)
        assert gc.align(turned, d).disorder == pytest.approx(gc.align(c, d).disorder, rel=1e-12)
    first = [u for u in c if u.annotator == "A"]
    again = [Unit(x, u.start, u.end, u.category, shape=u.shape) for u in first for x in "AB"]
    assert gc.align(Continuum.from_units(again)).disorder == 0


def test_certificates_and_programs_have_the_costs_of_all_axes(run: Run, tmp_path: Path) -> None:
    """Boxes have the same place on x and different ones on y; the x axis alone would give disorder
    0.
    """
    rows = [Unit.box(w, (0, 4), (2 * k, 2 * k + 4), category="x") for k, w in enumerate("AB")]
    boxes, claimed, program = (tmp_path / n for n in ("x.json", "c.json", "x.mps"))
    gc.write(Continuum.from_units(rows), boxes)
    for name, cost in (("iou", 4 / 3), ("sporadic", 0.25), ("giou", 4 / 3)):
        outcome = run("align", boxes, "--positional", name, "--certificate", claimed)
        assert outcome.code == 0
        document = json.loads(claimed.read_text())
        assert document["dissimilarity"]["positional"] == "listed"
        assert document["pairs"] == [[0, 1, pytest.approx(cost)]]
        assert document["claim"]["cost"] == pytest.approx(min(cost, 2.0))
        done = run("verify", claimed)
        assert (done.code, "costs of pairs" in done.out or "what pairs" in done.out) == (0, True)
        run("export", boxes, "--positional", name, "--to", "mps", "-o", program)
        text = program.read_text()
        scale = int(re.findall(r"objective \* 2\^-(\d+)", text)[0])
        assert "unit 1: B, 0 to 4, x, {'box': [[0.0, 4.0], [2.0, 6.0]]}" in text
        (weight,) = re.findall(r"^ x_0_1 cost (-?\d+)", text, re.MULTILINE)
        assert int(weight) / 2**scale == pytest.approx(cost - 1, abs=1e-6)
