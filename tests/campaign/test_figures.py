"""Pictures of comparisons, gold standards, plans and calibrations, and their captions."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp.campaign.calibrate.calibration import Calibration, ErrorEquivalent
from gammacp.campaign.calibrate.curves import Curve
from gammacp.campaign.compare import Comparison, compare
from gammacp.campaign.compare import figure as compare_figure
from gammacp.campaign.consensus import consensus_of_each
from gammacp.campaign.consensus import figure as consensus_figure
from gammacp.campaign.plan.advice import Design, Goal, Plan, Prices
from gammacp.campaign.plan.spread import Pilot
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError
from gammacp.measures.gamma import Gamma
from shuffling import ReferenceModel
from tests.conftest import Run

pytest.importorskip("matplotlib")

FAST: dict[str, Any] = {"samples": 10, "seed": 1, "draws": 0}


def texts(figure: Any) -> list[str]:
    return [t.get_text() for axes in figure.axes for t in axes.texts]


def lines(figure: Any, gid: str) -> list[Any]:
    return [line for axes in figure.axes for line in axes.lines if line.get_gid() == gid]


def document(number: int, people: str) -> Continuum:
    """Return six units by each person; C moves the first one and labels the second one z."""
    units = []
    for who in people:
        for k in range(6):
            start = 30 * k + 2 * number
            if who == "C" and k == 0:
                start += 4
            label = "z" if who == "C" and k == 1 else "xy"[k % 2]
            units.append(Unit(who, start, start + 12 + number, label))
    return Continuum.from_units(units, bounds=(0, 260))


@pytest.fixture(scope="module")
def compared() -> Comparison:
    named = {f"d{k}": document(k, "ABC") for k in range(4)}
    return compare(named, by=("pair", "kind"), **FAST)


def test_each_pair_is_a_cell_with_its_value(compared: Comparison) -> None:
    figure = compared.plot()
    matrix = figure.axes[0]
    shown = sorted(t.get_text() for t in matrix.texts)
    values = compared.pairs.values
    expected = [values[1, 0], values[2, 0], values[2, 1]]
    assert shown == sorted(f"{v:.2f}".replace("0.", ".") for v in expected)
    assert [t.get_text() for t in matrix.get_yticklabels()] == ["B", "C"]
    assert [t.get_text() for t in matrix.get_xticklabels()] == ["A", "B"]


def test_pairs_who_agree_less_are_darker(compared: Comparison) -> None:
    (image,) = compared.plot().axes[0].images
    grey = image.cmap(image.norm(np.array([0.2, 0.6, 1.0])))[:, :3] @ [0.299, 0.587, 0.114]
    assert grey[0] < grey[1] < grey[2]


def test_bars_are_those_of_the_charges(compared: Comparison) -> None:
    from gammacp.campaign.charges import charges_of

    assert compared.kinds is not None
    rows = charges_of(compared.kinds).rows
    bars = compared.plot().axes[-1]
    widths = [patch.get_width() for patch in bars.patches]
    assert widths == pytest.approx([r.share for r in rows])
    assert [t.get_text() for t in bars.get_yticklabels()] == [r.label for r in rows]


def test_the_caption_of_a_comparison_has_n_chance_and_gamma(compared: Comparison) -> None:
    caption = compared.plot().caption
    assert f"γ of all: {compared.overall.value:.3f}" in caption
    assert f"Chance: {compared.overall.chance}, " in caption
    assert "4 documents, 3 annotators, 72 units." in caption


def test_the_interval_is_in_the_caption() -> None:
    named = {f"d{k}": document(k, "ABC") for k in range(6)}
    comparison = compare(named, by=("pair",), **{**FAST, "draws": 1})
    assert comparison.bootstrap is not None
    assert math.isfinite(comparison.bootstrap.low)
    low, high = comparison.bootstrap.low, comparison.bootstrap.high
    assert f"95% interval over documents {low:.3f} to {high:.3f}" in comparison.plot().caption


def test_a_missing_interval_has_its_reason() -> None:
    named = {f"d{k}": document(k, "ABC") for k in range(2)}
    comparison = compare(named, by=("pair",), **{**FAST, "draws": 1})
    assert comparison.bootstrap is not None
    assert comparison.bootstrap.reason
    assert f"no interval: {comparison.bootstrap.reason}" in comparison.plot().caption


def test_requested_tables_are_drawn(run: Run, tmp_path: Path) -> None:
    for k in range(3):
        gc.write(document(k, "ABC"), tmp_path / f"d{k}.csv")
    axes = {}
    for table in ("pair", "kind"):
        path = tmp_path / f"{table}.svg"
        options = ("--samples", 10, "--by", table, "--no-interval", "--figure", path, "--json")
        done = run("compare", *sorted(tmp_path.glob("d?.csv")), *options)
        assert done.code == 0, done.err
        axes[table] = json.loads(done.out)["figure"]["caption"]
        assert path.read_bytes().startswith(b"<?xml")
    assert "γ of each pair" in axes["pair"]
    assert "differently" not in axes["pair"]
    assert "What each annotator does differently" in axes["kind"]
    assert "γ of each pair" not in axes["kind"]


def test_a_crowd_is_cut_to_those_who_agree_least(
    compared: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare_figure, "MOST_ANNOTATORS", 2)
    figure = compared.plot()
    means = {a: compared.pairs.mean_with_others(a) for a in "ABC"}
    least = sorted(sorted(means, key=means.__getitem__)[:2])
    matrix = figure.axes[0]
    assert [t.get_text() for t in matrix.get_yticklabels()] == [least[1]]
    assert "Shown are the 2 of 3 annotators who agree least with others." in figure.caption


def test_two_annotators_who_agree_have_nothing_to_draw() -> None:
    named = {"d": document(0, "AB")}
    with pytest.raises(DataError, match="no difference to draw"):
        compare(named, by=("pair", "kind"), **FAST).plot()
    with pytest.raises(DataError, match="one pair of annotators"):
        compare(named, by=("pair",), **FAST).plot()


@pytest.fixture(scope="module")
def disputed() -> Continuum:
    """Return a unit by everybody, one by A alone, and one with a tied category."""
    return Continuum.from_units(
        [
            *(Unit(a, 0, 10, "x") for a in "ABC"),
            Unit("A", 20, 30, "x"),
            Unit("A", 40, 50, "x"),
            Unit("B", 40, 50, "y"),
        ],
        annotators=["A", "B", "C"],
    )


def test_the_gold_standard_is_the_lowest_lane_and_doubts_are_marked(disputed: Continuum) -> None:
    gold_standard = gc.consensus(gc.align(disputed))
    figure = gold_standard.plot()
    lanes = [t.get_text() for t in figure.axes[0].get_yticklabels()]
    assert lanes == ["A", "B", "C", "consensus"]
    (units,) = (c for c in figure.axes[0].collections if c.get_gid() == "units")
    # Six units of annotators and three of the consensus are drawn; those of one alone are hollow.
    assert len(units.get_paths()) == 9
    white = (units.get_facecolor()[:, :3] == 1).all(axis=1)
    assert white.sum() == 2
    assert texts(figure).count("?") == 1
    (marks,) = lines(figure, "review")
    assert sorted(marks.get_xdata()) == [25, 45]
    assert "2 units kept (1 to review), 1 left out, by 3 annotators." in figure.caption
    assert "A unit is kept if 2 of 3 marked it." in figure.caption


def test_documents_are_bars_of_the_decisions_they_need(disputed: Continuum) -> None:
    agreed = Continuum.from_units([Unit(a, t, t + 10, "x") for a in "ABC" for t in (0, 20)])
    each = consensus_of_each({"agreed": agreed, "disputed": disputed}, weights="vote")
    figure = each.plot()
    (axes,) = figure.axes
    assert [t.get_text() for t in axes.get_yticklabels()] == ["disputed", "agreed"]
    counts = [[round(bar.get_width()) for bar in part] for part in axes.containers]
    assert counts == [[1, 2], [1, 0], [1, 0]]
    assert "2 documents by 3 annotators each: 4 units kept (1 to review), 1 left out." in (
        figure.caption
    )
    assert "Weights: vote." in figure.caption


def test_many_documents_are_cut_to_the_worst(
    disputed: Continuum, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consensus_figure, "MOST_DOCUMENTS", 1)
    agreed = Continuum.from_units([Unit(a, 0, 10, "x") for a in "ABC"])
    figure = consensus_of_each({"a": agreed, "d": disputed}, weights="vote").plot()
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == ["d"]
    assert "Shown are the 1 of 2 documents with most to review." in figure.caption


def test_consensus_of_one_text_is_drawn_on_the_command_line(
    run: Run, tmp_path: Path, disputed: Continuum
) -> None:
    gc.write(disputed, tmp_path / "d.csv")
    path = tmp_path / "gold.png"
    done = run("consensus", tmp_path / "d.csv", "--annotators", "A,B,C", "--figure", path, "--json")
    assert done.code == 0, done.err
    assert path.read_bytes().startswith(b"\x89PNG")
    caption = json.loads(done.out)["figure"]["caption"]
    assert "2 units kept (1 to review), 1 left out" in caption
    assert done.err.count("wrote") == 1


def planned(goal: Goal, *, people: tuple[int, ...] = (2, 3)) -> Plan:
    curve = [
        {"documents": n, "annotators": m, "half_width": 1 / math.sqrt(n * m), "power": n / (n + 9)}
        for m in people
        for n in (10, 100, 1000)
    ]
    designs = tuple(
        Design(annotators=m, spread=0.1, documents=400 / m, documents_range=(100 / m, 900 / m),
               cost=400.0 + m)
        for m in people
    )  # fmt: skip
    return Plan(
        pilot=Pilot(documents=8, mix={2: 8}, gamma=0.7), goal=goal, prices=Prices(),
        designs=designs, curve=tuple(curve), piloted=True, signature="plan|chance:cut|seed:0",
    )  # fmt: skip


def test_plan_draws_curves_goal_and_ranges() -> None:
    figure = planned(Goal(half_width=0.05)).plot()
    curves = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 3]
    assert [list(line.get_xdata()) for line in curves] == [[10, 100, 1000]] * 2
    assert curves[0].get_ydata() == pytest.approx([1 / math.sqrt(n * 2) for n in (10, 100, 1000)])
    assert [list(line.get_xdata()) for line in lines(figure, "range")] == [
        [50, 450],
        [100 / 3, 300],
    ]
    assert [line.get_xdata()[0] for line in lines(figure, "design")] == [200, 400 / 3]
    assert "goal 0.05" in texts(figure)
    assert "2 annotators each: 200 documents (50 to 450)." in figure.caption
    assert "From a pilot of 8 documents, γ = 0.700. Chance: cut." in figure.caption


def test_plan_of_a_difference_draws_power() -> None:
    figure = planned(Goal(difference=0.1)).plot()
    curves = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 3]
    assert curves[0].get_ydata() == pytest.approx([n / (n + 9) for n in (10, 100, 1000)])
    assert figure.axes[0].get_ylabel() == "power"


def test_plan_with_many_curves_says_what_it_leaves_out() -> None:
    figure = planned(Goal(half_width=0.05), people=tuple(range(2, 12))).plot()
    assert len([line for line in figure.axes[0].lines if len(line.get_xdata()) == 3]) == 7
    assert "3 curves left out." in figure.caption


def test_a_plan_with_an_unreachable_goal_says_so() -> None:
    plan = planned(Goal(half_width=0.05))
    out = tuple(replace(d, documents=math.inf, documents_range=None) for d in plan.designs)
    figure = replace(plan, designs=out).plot()
    assert lines(figure, "design") == []
    assert "no number up to 2,000 documents" in figure.caption


def calibration() -> Calibration:
    curve = Curve(
        magnitudes=np.array([0.0, 0.5, 1.0]),
        sets=(np.ones(2), np.array([0.5, 0.7]), np.array([0.1, 0.3])),
        misfits=np.zeros(3),
    )
    none = Curve(magnitudes=np.zeros(1), sets=(np.ones(1),), misfits=np.zeros(1))
    equivalent = ErrorEquivalent(error="false-negative", curve=curve, amount=0.5, low=0.4, high=0.6)
    missing = ErrorEquivalent(error="split", curve=none, reason="no unit can be cut")
    return Calibration(
        score=Gamma(value=0.6, signature="gamma|chance:cut|samples:30"),
        equivalents=(equivalent, missing),
        model=ReferenceModel(n_units=10),
        n_annotators=3,
        sets=2,
        confidence=0.95,
    )


def test_calibration_draws_a_panel_per_error_that_has_a_curve() -> None:
    figure = calibration().plot()
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "false-negative"
    curve = next(line for line in axes.lines if len(line.get_xdata()) == 3)
    assert list(curve.get_ydata()) == pytest.approx([1, 0.6, 0.2])
    assert "Dashed: γ = 0.600 of 3 annotators. Chance: cut." in figure.caption
    assert "highest of 2 sets" in figure.caption
    assert "its 95% interval" in figure.caption
    assert "split: no curve (no unit can be cut)." in figure.caption


@pytest.mark.parametrize("command", ["compare", "consensus", "plan", "calibrate"])
def test_other_endings_are_refused_before_data_are_read(
    run: Run, tmp_path: Path, command: str
) -> None:
    done = run(command, tmp_path / "missing.csv", "--figure", tmp_path / "a.jpg")
    assert done.code == 2
    assert "a figure needs one of the endings .svg, .png, .pdf" in done.err
