"""Pictures of alignments: boxes, joints, shades and captions, which count all that is left out."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp.alignment import Alignment
from gammacp.base import lanes as lanes_module
from gammacp.base.lanes import Lanes, choose_lanes, levels_of
from gammacp.base.plots import ONE_COLUMN, check_path
from gammacp.continuum import Continuum, Unit
from tests.conftest import Run

pytest.importorskip("matplotlib")


def collections(figure: Any, gid: str) -> list[Any]:
    """Return the drawn collections with a given gid, axes by axes."""
    return [c for axes in figure.axes for c in axes.collections if c.get_gid() == gid]


def count(figure: Any, gid: str) -> int:
    return sum(len(c.get_paths()) for c in collections(figure, gid))


def texts(figure: Any) -> list[str]:
    return [t.get_text() for axes in figure.axes for t in axes.texts]


def regular(people: int, units: int, label: str | None = "x") -> Continuum:
    """Return units of length 10 at every multiple of 20, the same for each annotator."""
    return Continuum.from_units(
        [Unit(f"p{k:03d}", 20 * t, 20 * t + 10, label) for k in range(people) for t in range(units)]
    )


@pytest.fixture(scope="module")
def figure10() -> Alignment:
    """Return the alignment of figure 10 (Mathet et al. 2015): groups AAA, BB and B alone."""
    continuum = Continuum.from_units(
        [
            Unit("Jack", 4, 14, "A"),
            Unit("Jack", 20, 25, "B"),
            Unit("Joe", 4, 14, "A"),
            Unit("Joe", 20, 30, "B"),
            Unit("William", 14, 24, "A"),
            Unit("William", 40, 44, "B"),
        ]
    )
    return gc.align(continuum)


def test_each_unit_is_a_box_and_neighbours_of_a_group_are_joined(figure10: Alignment) -> None:
    figure = figure10.plot()
    assert count(figure, "units") == 6
    # A group of three has two joints, a group of two has one, a unit alone has none.
    assert count(figure, "joints") == 3
    assert sorted(texts(figure)) == ["A", "A", "A", "B", "B", "B"]
    (axes, _) = figure.axes
    assert [t.get_text() for t in axes.get_yticklabels()] == ["Jack", "Joe", "William"]


def test_the_shade_is_the_cost_of_the_group_and_single_units_are_white(figure10: Alignment) -> None:
    (units,) = collections(figure10.plot(), "units")
    grey = units.get_facecolor()[:, :3] @ np.array([0.299, 0.587, 0.114])
    continuum = figure10.continuum
    cost = np.zeros(continuum.n_units)
    for group, disorder in zip(figure10.groups, figure10.disorders, strict=True):
        cost[group[group >= 0]] = disorder
    alone = next(k for k in range(6) if continuum.starts[k] == 40)
    assert grey[alone] == pytest.approx(1)
    others = [k for k in range(6) if k != alone]
    for a in others:
        for b in others:
            if cost[a] > cost[b]:
                assert grey[a] < grey[b]


def test_the_caption_has_the_numbers(figure10: Alignment) -> None:
    caption = figure10.plot().caption
    assert "3 annotators, 6 units in 3 unitary alignments." in caption
    assert f"Disorder {figure10.disorder:.3f}, proven to be the least." in caption
    assert "Dashed: marked by one annotator alone." in caption
    written = figure10.plot(width=ONE_COLUMN).get_supxlabel()
    assert written.replace("\n", " ") == caption
    assert figure10.plot(caption=False).get_supxlabel() == ""


def test_figures_can_be_subfigures_and_have_a_style(figure10: Alignment) -> None:
    from matplotlib.figure import Figure

    whole = Figure(figsize=(9, 3), layout="constrained")
    left, right = whole.subfigures(1, 2)
    assert figure10.plot(left) is left
    figure10.plot(right, caption=False, style={"axes.linewidth": 3.0})
    assert count(left, "units") == count(right, "units") == 6
    assert right.axes[0].spines["bottom"].get_linewidth() == 3.0
    assert left.axes[0].spines["bottom"].get_linewidth() != 3.0
    with pytest.raises(gc.UsageError, match="a figure has its own width"):
        figure10.plot(left, width=3)
    with pytest.raises(gc.UsageError, match="too narrow"):
        figure10.plot(width=0)


def test_long_texts_are_broken_into_rows_and_omissions_are_counted() -> None:
    alignment = gc.align(regular(2, 200))
    figure = alignment.plot()
    drawn = count(figure, "units")
    # Each group shows two units, and no unit is in two rows.
    assert f"Shown are {drawn // 2} of 200 groups" in figure.caption
    assert 30 <= drawn // 2 < 200
    few = gc.align(regular(2, 30)).plot()
    assert count(few, "units") == 60
    assert "Shown" not in few.caption
    assert len(few.axes) > 2


def test_a_long_text_shows_the_costliest_places() -> None:
    continuum = regular(2, 300)
    moved = [
        Unit(u.annotator, u.start + 4 * (u.annotator == "p001" and 4000 <= u.start < 4200),
             u.end + 4 * (u.annotator == "p001" and 4000 <= u.start < 4200), u.category)
        for u in continuum
    ]  # fmt: skip
    figure = gc.align(Continuum.from_units(moved)).plot()
    low = min(axes.get_xlim()[0] for axes in figure.axes[:-1])
    high = max(axes.get_xlim()[1] for axes in figure.axes[:-1])
    assert low <= 4000
    assert high >= 4200


def test_many_annotators_are_cut_to_those_who_disagree_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lanes_module, "MOST_LANES", 3)
    units = [Unit(f"p{k}", t, t + 10, "x") for k in range(5) for t in (0, 20)]
    # Only the last two annotators mark a further place, and they disagree about it.
    units += [Unit("p3", 60, 70, "x"), Unit("p4", 61, 71, "x")]
    figure = gc.align(Continuum.from_units(units)).plot()
    names = [t.get_text() for t in figure.axes[0].get_yticklabels()]
    assert len(names) == 3
    assert {"p3", "p4"} <= set(names)
    assert "Shown are the 3 of 5 lanes whose groups cost most." in figure.caption
    assert count(figure, "units") == sum(u.annotator in names for u in units)


def test_units_without_length_or_label_are_drawn() -> None:
    units = [Unit(a, t, t) for a in "AB" for t in (0, 5, 9)] + [Unit("A", 20, 20)]
    figure = gc.align(Continuum.from_units(units)).plot()
    assert count(figure, "units") == 6
    (alone,) = collections(figure, "points")
    assert len(alone.get_segments()) == 1
    (boxes,) = collections(figure, "units")
    assert all(np.ptp(path.vertices[:, 0]) > 0 for path in boxes.get_paths())
    assert "7 units of length 0 drawn as a line." in figure.caption
    assert texts(figure) == []


def test_one_unit_without_length_is_a_picture() -> None:
    continuum = Continuum.from_units([Unit("A", 5, 5)], annotators=["A", "B"])
    figure = gc.align(continuum).plot()
    assert "1 unit in 1 unitary alignment" in figure.caption
    assert "1 annotator without units." in figure.caption
    low, high = figure.axes[0].get_xlim()
    assert low < 5 < high


def test_labels_without_room_are_numbers_with_a_legend() -> None:
    names = {0: "a very long label with $x_1$", 1: "another very long label"}
    units = [Unit(a, 20 * t, 20 * t + 10, names[t % 2]) for a in "AB" for t in range(12)]
    figure = gc.align(Continuum.from_units(units)).plot()
    assert sorted(texts(figure)) == ["1"] * 12 + ["2"] * 12
    assert "Labels: 1 a very long label with $x_1$; 2 another very long label." in (
        figure.caption.replace(r"\$", "$")
    )


def test_names_are_not_read_as_formulas_and_stay_distinct() -> None:
    people = [f"somebody with a long name, number {k}, of the group" for k in (1, 2)] + ["$x$"]
    units = [Unit(a, t, t + 5, "$y$") for a in people for t in (0, 10)]
    figure = gc.align(Continuum.from_units(units)).plot()
    labels = [t.get_text() for t in figure.axes[0].get_yticklabels()]
    assert len(set(labels)) == 3
    assert r"\$x\$" in labels
    assert "2 long names are cut." in figure.caption


def test_fragments_are_boxes_of_their_own() -> None:
    units = [Unit(a, 0, 30, "x", fragments=((0, 5), (20, 30))) for a in "AB"]
    units.append(Unit("A", 40, 50, "y"))
    figure = gc.align(Continuum.from_units(units)).plot()
    assert count(figure, "units") == 5


def test_levels_keep_overlapping_units_apart() -> None:
    """No two units of a lane and level overlap, by comparing all pairs."""
    rng = np.random.default_rng(3)
    start = np.sort(rng.integers(0, 60, 40)).astype(float)
    end = start + rng.integers(0, 15, 40)
    lane = rng.integers(0, 2, 40).astype(np.int32)
    lanes = Lanes(
        names=("A", "B"), lane=lane, start=start, end=end, labels=(None,) * 40, pieces={},
        groups=np.full((0, 2), -1, np.int32), cost=np.zeros(0), hollow=np.zeros(40, np.bool_),
    )  # fmt: skip
    level, levels = levels_of(lanes)
    for a in range(40):
        for b in range(a):
            if (lane[a], level[a]) == (lane[b], level[b]):
                assert end[a] <= start[b] or end[b] <= start[a]
    assert levels.tolist() == [level[lane == k].max() + 1 for k in (0, 1)]
    assert choose_lanes(lanes) == (lanes, [])


def test_align_draws_on_the_command_line(run: Run, tmp_path: Path) -> None:
    for ending in (".svg", ".png", ".PDF"):
        first, second = tmp_path / f"a{ending}", tmp_path / f"b{ending}"
        told = run("align", "--dataset", "alex-paul-suzan", "--figure", first)
        assert told.code == 0
        assert f"wrote {first}" in told.err
        made = run("align", "--dataset", "alex-paul-suzan", "--figure", second, "--json")
        record = json.loads(made.out)["figure"]
        assert record["file"] == str(second)
        assert "3 annotators, 16 units in 6 unitary alignments." in record["caption"]
        assert first.read_bytes() == second.read_bytes()
    assert "figure" not in json.loads(run("align", "--dataset", "figure10", "--json").out)


def test_notebooks_show_the_figure_itself(figure10: Alignment) -> None:
    content, size = figure10.plot()._repr_png_()
    assert content.startswith(b"\x89PNG")
    width = int.from_bytes(content[16:20], "big")
    assert width == pytest.approx(2 * size["width"], abs=2)


def test_files_keep_their_caption_and_no_date(figure10: Alignment, tmp_path: Path) -> None:
    from functools import partial

    from gammacp.alignment.figure import picture_of
    from gammacp.base.pictures import write

    for ending in (".svg", ".pdf"):
        path = tmp_path / f"a{ending}"
        write(partial(picture_of, figure10), path)
        content = path.read_bytes()
        assert b"CreationDate" not in content
        assert b"<dc:date>" not in content
        if ending == ".svg":
            assert b"3 annotators, 6 units in 3 unitary alignments." in content
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.pdf", "a.svg"]


def test_a_failed_drawing_leaves_no_file(tmp_path: Path) -> None:
    from gammacp.base.pictures import Panel, Picture, write

    def broken(_: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write(lambda width: Picture((Panel(width, broken),), ""), tmp_path / "a.svg")
    assert list(tmp_path.iterdir()) == []


def test_ten_thousand_units_can_be_drawn() -> None:
    """A picture of ten thousand units has few boxes; the groups are given, so nothing is
    aligned.
    """
    continuum = regular(2, 5000)
    groups = np.stack([np.arange(5000), np.arange(5000, 10000)], axis=1).astype(np.int32)
    small = gc.align(regular(2, 2))
    alignment = replace(small, continuum=continuum, groups=groups)
    figure = alignment.plot()
    assert "2 annotators, 10000 units in 5000 unitary alignments." in figure.caption
    assert count(figure, "units") < 400


@pytest.mark.parametrize("name", ["a.docx", "a", "a.svgz", "svg"])
def test_other_file_types_are_refused_at_once(run: Run, tmp_path: Path, name: str) -> None:
    told = run("align", tmp_path / "missing.csv", "--figure", tmp_path / name)
    assert told.code == 2
    assert "a figure needs one of the endings .svg, .png, .pdf" in told.err
    assert not (tmp_path / name).exists()


def test_without_matplotlib_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, figure10: Alignment
) -> None:
    monkeypatch.setattr("gammacp.base.plots.find_spec", lambda _: None)
    with pytest.raises(gc.UsageError, match=r"pip install 'gammacp\[plot\]'"):
        figure10.plot()
    with pytest.raises(gc.UsageError, match=r"pip install 'gammacp\[plot\]'"):
        check_path(Path("a.svg"))


@pytest.mark.parametrize("command", [pytest.param("align", marks=pytest.mark.slow), "gamma"])
def test_commands_without_a_figure_load_no_drawing_code(command: str) -> None:
    code = f"""
import sys
from gammacp.cli import main
sys.argv = ["gammacp", "{command}", "--dataset", "figure10"]
try:
    main()
except SystemExit:
    pass
drawing = ("matplotlib", "gammacp.base.plots", "gammacp.base.pictures", "gammacp.base.lanes")
print([name for name in sys.modules if name in drawing])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_units_of_almost_no_length_are_drawn_without_warnings(tmp_path: Path) -> None:
    c = Continuum.from_units([Unit("A", 0, 1e-320, "x"), Unit("B", 0, 2e-320, "x")])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gc.align(c).plot().savefig(tmp_path / "tiny.svg")
    assert (tmp_path / "tiny.svg").stat().st_size
