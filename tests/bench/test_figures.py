from __future__ import annotations

import math
from pathlib import Path

import pytest

from gammacp.base.plots import figure
from gammacp.bench.curves import Point, by_measure
from gammacp.bench.figures import (
    draw_panel,
    file_name,
    measure_title,
    plot_errors,
    plot_measures,
)

pytest.importorskip("matplotlib")


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


def test_the_same_points_give_the_same_files(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        plot_errors(points(["gamma", "ser"]), tmp_path / folder)
    for suffix in (".svg", ".png"):
        one, two = ((tmp_path / f / f"split{suffix}").read_bytes() for f in ("one", "two"))
        assert one == two


def test_many_measures_are_spread_over_panels(tmp_path: Path) -> None:
    names = ["gamma", "ser", "pk", *(f"gamma-k[{i}]" for i in range(9)), "u-alpha"]
    plot_errors(points(names), tmp_path)
    lone = tmp_path / "lone"
    plot_errors(points(names[:3]), lone)
    height = [int.from_bytes((f / "split.png").read_bytes()[20:24]) for f in (tmp_path, lone)]
    assert height == [3 * 720, 720]  # five panels in two columns: γ, distances, γ_k twice, α


def test_curves_without_values_are_no_fault(tmp_path: Path) -> None:
    empty = [Point("split", m, "pk", math.nan, math.nan, 5, 5) for m in (0.0, 1.0)]
    assert plot_errors(empty, tmp_path)
    assert plot_errors(empty + points(["ser"], mean=-3), tmp_path)
    single = [Point("split", 0.5, "ser", 0.5, math.nan, 1, 0)]
    assert plot_errors(single, tmp_path)


def test_a_curve_of_one_value_among_several_is_undefined_and_said(tmp_path: Path) -> None:
    """As uα of overlapping units: 1 where nothing is shuffled, and nothing beyond."""
    lone = [
        Point("split", m, "u-alpha", math.nan if m else 1.0, 0.0, 5, 0) for m in (0.0, 0.5, 1.0)
    ]
    with figure(tmp_path / "x") as axes:
        draw_panel(axes, by_measure(points(["gamma"], mean=-2) + lone), "title")
        said = [t.get_text() for t in axes.texts]
        labels = axes.get_legend_handles_labels()[1]
    assert said == ["undefined: u-alpha; goes on down to −2.4"]
    assert labels == ["gamma"]


def test_names() -> None:
    assert measure_title("gamma-k[noun]") == "γ$_k$, noun"
    assert measure_title("my-own") == "my-own"
    assert file_name("a/b:c") == "a_b_c"
