from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import pytest

from gammacp.base.plots import figure
from gammacp.bench.captions import caption_of
from gammacp.bench.curves import Point, by_measure
from gammacp.bench.figures import (
    draw_panel,
    file_name,
    measure_title,
    plot_errors,
    plot_measures,
    shared_bottom,
)

pytest.importorskip("matplotlib")


@pytest.fixture
def one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw each figure once, in one format."""
    monkeypatch.setattr("gammacp.bench.figures.figure", partial(figure, endings=(".svg",)))


def points(measures: list[str], *, error: str = "split", mean: float = 0.5) -> list[Point]:
    return [
        Point(error, m / 4, name, mean - m / 10, 0.1, 5, 0) for name in measures for m in range(5)
    ]


def test_each_error_and_each_measure_has_its_figure(tmp_path: Path) -> None:
    both = points(["gamma", "ku-alpha[a]"]) + points(["gamma"], error="split:factor=2")
    names = [p.name for p in plot_errors(both, tmp_path) + plot_measures(both, tmp_path)]
    assert names == [
        f"{stem}{suffix}"
        for stem in ("split", "split_factor=2", "measure-gamma", "measure-ku-alpha[a]")
        for suffix in (".svg", ".png")
    ]
    assert all((tmp_path / name).stat().st_size > 1000 for name in names)


@pytest.mark.slow
def test_the_same_points_give_the_same_files(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        plot_errors(points(["gamma", "ser"]), tmp_path / folder)
    for suffix in (".svg", ".png"):
        one, two = ((tmp_path / f / f"split{suffix}").read_bytes() for f in ("one", "two"))
        assert one == two


@pytest.mark.slow
def test_many_measures_are_spread_over_panels(tmp_path: Path) -> None:
    names = ["gamma", "ser", "pk", *(f"gamma-k[{i}]" for i in range(9)), "u-alpha"]
    plot_errors(points(names), tmp_path)
    lone = tmp_path / "lone"
    plot_errors(points(names[:3]), lone)
    height = [int.from_bytes((f / "split.png").read_bytes()[20:24]) for f in (tmp_path, lone)]
    assert height == [3 * 720, 720]  # five panels in two columns: γ, distances, γ_k twice, α


@pytest.mark.usefixtures("one_file")
def test_curves_without_values_are_accepted(tmp_path: Path) -> None:
    empty = [Point("split", m, "pk", math.nan, math.nan, 5, 5) for m in (0.0, 1.0)]
    assert plot_errors(empty, tmp_path)
    assert plot_errors(empty + points(["ser"], mean=-3), tmp_path)
    single = [Point("split", 0.5, "ser", 0.5, math.nan, 1, 0)]
    assert plot_errors(single, tmp_path)


def test_a_curve_with_a_single_value_is_called_undefined(tmp_path: Path) -> None:
    """A measure with one value, as uα of overlapping units, is named as undefined and not drawn."""
    lone = [
        Point("split", m, "u-alpha", math.nan if m else 1.0, 0.0, 5, 0) for m in (0.0, 0.5, 1.0)
    ]
    with figure(tmp_path / "x", endings=()) as axes:
        draw_panel(axes, by_measure(points(["gamma"], mean=-2) + lone), "title")
        label_lines = axes.get_xlabel().splitlines()
        labels = axes.get_legend_handles_labels()[1]
    assert label_lines == ["magnitude", "undefined: u-alpha; gamma: on down to −2.4"]
    assert labels == ["gamma"]


def test_names() -> None:
    assert measure_title("gamma-k[noun]") == "γ$_k$, noun"
    assert measure_title("my-own") == "my-own"
    assert file_name("a/b:c") == "a_b_c"


def flat(name: str, mean: float) -> list[Point]:
    return [Point("split", m / 4, name, mean, 0.0, 5, 0) for m in range(5)]


def test_curves_of_one_value_are_named_instead_of_drawn(tmp_path: Path) -> None:
    curves = by_measure(points(["gamma"]) + flat("a", 1.0) + flat("b", 1.0) + flat("c", 0.5))
    with figure(tmp_path / "x", endings=()) as axes:
        draw_panel(axes, curves, "title")
        assert axes.get_xlabel() == "magnitude\na, b: 1 throughout; c: 0.5 throughout"
        assert axes.get_legend_handles_labels()[1] == ["gamma"]
        assert not axes.texts  # no text lies where a curve could run through it


def test_a_jump_is_named(tmp_path: Path) -> None:
    rising = [*points(["b"])[:4], Point("split", 1.0, "b", 1.0, 0.0, 5, 0)]
    with figure(tmp_path / "x", endings=()) as axes:
        draw_panel(axes, by_measure(points(["gamma"]) + rising), "title")
        assert axes.get_xlabel() == "magnitude\njump at 1: b"


def test_panels_of_a_page_have_one_range(tmp_path: Path) -> None:
    one, other = points(["gamma"]), points(["ser"], mean=-0.5)
    bottom = shared_bottom([by_measure(one), by_measure(other)])
    assert bottom == pytest.approx(-0.95)
    with figure(tmp_path / "x", columns=2, endings=()) as pair:
        for axes, curves in zip(pair, (one, other), strict=True):
            draw_panel(axes, by_measure(curves), "title", bottom=bottom)
        assert pair[0].get_ylim() == pair[1].get_ylim()


def test_a_caption_says_annotators_units_and_chance() -> None:
    configuration = {"n_annotators": 3, "source": {"drawn from": {"n_units": 25}}}
    signatures = ["gamma|d:x|chance:cut(completed=1)|seed:1", "ser|v:1"]
    assert caption_of(configuration, signatures) == "3 annotators, 25 units each, chance: cut"
    assert caption_of({"n_annotators": 2, "source": {}}) == "2 annotators"
