"""Campaigns of boxes: gold standards, explanation, comparison and the rank of a system."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gammacp as gc
from gammacp import Combined, Continuum, Corpus, Unit
from gammacp.continuum.renaming import rename_annotators
from gammacp.report.planes import planes
from shuffling import shuffle
from tests.shapes.images import drawn

IOU = Combined(positional="iou")


def images(n: int = 12) -> Corpus:
    """Return images by three annotators with small errors and one with larger errors."""
    paths = {}
    for k in range(n):
        units = []
        for i in range(3):
            x, y = 9 * i + k % 5, k * 7 % 30
            units.append(Unit.box("r", (x, x + 6), (y, y + 5 + i), category="x"))
        truth = Continuum.from_units(units)
        good = rename_annotators(
            shuffle(truth, "position", 0.03, 3, seed=k),
            {f"annotator-{i}": f"p{i}" for i in (1, 2, 3)},
        )
        (bad,) = [shuffle(truth, "position+false-negative", 0.3, 1, seed=99 + k)]
        rows = [*good, *(Unit("q", u.start, u.end, u.category, shape=u.shape) for u in bad)]
        paths[f"i{k}"] = Continuum.from_units(rows, annotators=("p1", "p2", "p3", "q"))
    return Corpus.from_continua(paths)


def test_gold_is_the_median_on_each_axis() -> None:
    c = Continuum.from_units(
        [
            Unit.box("A", (0, 10), (0, 10), category="x"),
            Unit.box("B", (1, 11), (2, 10), category="x"),
            Unit.box("C", (2, 10), (1, 30), category="x"),
        ]
    )
    gold_standard = gc.consensus(gc.align(c, IOU))
    (unit,) = gold_standard.units
    assert (unit.start, unit.end, unit.shape) == (1, 10, Unit.box("", (0, 1), (1, 10)).shape)
    assert [*gold_standard.continuum] == [Unit.box("consensus", (1, 10), (1, 10), category="x")]
    assert "y ends 20 apart" in unit.reasons


def test_gold_of_outlines_is_the_middle_one() -> None:
    pytest.importorskip("shapely")
    rings: dict[str, list[tuple[float, ...]]] = {
        "A": [(0, 0), (10, 0), (10, 10), (0, 10)],
        "B": [(0, 0), (11, 0), (11, 10), (0, 10)],
        "C": [(0, 0), (14, 0), (14, 10), (0, 10)],
    }
    c = Continuum.from_units([drawn(a, "x", "polygon", r) for a, r in rings.items()])
    (unit,) = gc.consensus(gc.align(c, IOU)).units
    assert (unit.shape, unit.end) == (drawn("B", "x", "polygon", rings["B"]).shape, 11)
    assert "outlines differ" in unit.reasons


def test_command_line_from_coco_to_gold(run: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "crowd.json"
    gc.write(images(), file, format="coco")
    how = [file, "--positional", "iou", "--seed", "1", "--json"]
    few = ("--samples", 10)
    document = json.loads(run("gamma", *how, *few, "--explain").out)
    assert document["corpus"]["gamma"] > 0.4
    assert "chance:documents" in document["corpus"]["signature"]
    parts = document["explanation"]["components"]
    assert sum(p["observed"] for p in parts) == pytest.approx(
        document["corpus"]["observed_disorder"]
    )
    compared = json.loads(run("compare", *how, *few).out)
    pairs = sorted(compared["pairs"], key=lambda row: row["gamma"])
    assert all("q" in row["annotators"] for row in pairs[:3])
    gold = tmp_path / "gold.csv"
    done = run("consensus", file, "--positional", "iou", "-o", gold)
    assert done.code == 0, done.err
    assert {c.axes for c in gc.read_corpus(gold).values()} == {2}
    replaced = json.loads(run("replace", *how, "--candidate", "q").out)
    assert replaced["candidates"]["q"]["advantage_probability"] < 0.1
    one = tmp_path / "one.json"
    gc.write(Corpus.from_continua({"i": images(1)["i0"]}), one, format="coco")
    refused = run("gamma", one)
    assert refused.code == 3
    assert "cannot be modelled inside one of them" in refused.err.replace("\n", " ")


def test_report_draws_boxes_and_calls(run: Callable[..., Any], tmp_path: Path) -> None:
    file, page = tmp_path / "crowd.json", tmp_path / "r.html"
    gc.write(images(4), file, format="coco")
    assert run("report", file, "--positional", "iou", "--samples", "5", "-o", page).code == 0
    html = page.read_text(encoding="utf-8")
    assert "What was drawn" in html
    unit = next(iter(images(4)["i0"]))
    assert unit.shape is not None
    x, y = f"{unit.start:.6g}", f"{unit.shape.extents[0][0]:.6g}"
    assert f'd="M{x} {y}L' in html
    assert html.count("<path") == sum(c.n_units for c in images(4).values())
    calls = Continuum.from_units(
        [Unit.box(a, (1, 2), (1000, 4000), category="wren") for a in "AB"], offset_unit="s"
    )
    drawings = planes({"dawn": gc.align(calls)})
    assert drawings is not None
    assert 'd="M1 -1000L2 -1000L2 -4000L1 -4000Z"' in drawings
    assert planes({"text": gc.align(calls.hulls())}) is None


def test_a_part_within_another_is_not_a_hole() -> None:
    """In one path with the other direction, the inner part would be cut out of the drawing."""
    outer, inner = [(0, 0), (9, 0), (9, 9), (0, 9)], [(3, 3), (3, 6), (6, 6), (6, 3)]
    pair = Continuum.from_units([drawn(a, "x", "polygon", outer, inner) for a in "AB"])
    drawings = planes({"yard": gc.align(pair, gc.Combined(positional="iou"))})
    assert drawings is not None
    assert drawings.count('d="M0 0L9 0L9 9L0 9Z"') == drawings.count('d="M3 3L3 6L6 6L6 3Z"') == 2
    assert drawings.count('fill-rule="evenodd"') == drawings.count("<path") == 4


def test_boxes_at_whole_positions_are_listed(tmp_path: Path, run: Callable[..., Any]) -> None:
    """JSON has whole numbers for the edges of these boxes."""
    units = [
        Unit.box(who, (9 * i, 9 * i + 6), (2, 7), category="x") for who in "AB" for i in (0, 1)
    ]
    gc.write(Continuum.from_units(units), tmp_path / "a.json")
    assert run("consensus", tmp_path / "a.json", "--units", tmp_path / "units.csv").code == 0
    first, *others = (tmp_path / "units.csv").read_text().splitlines()
    assert first.startswith("start,end,shape")
    assert [row[:4] for row in others] == ["0,6,", "9,15"]


def test_documents_with_and_without_shapes_have_no_chance_together(
    tmp_path: Path, run: Callable[..., Any]
) -> None:
    rows = "d1,A,x,1,5,,\nd1,B,x,1,5,,\nd2,A,x,1,5,2,3\nd2,B,x,1,5,2,3\n"
    (tmp_path / "a.csv").write_text(f"document,annotator,category,start,end,y0,y1\n{rows}")
    for swapped in (False, True):
        if swapped:
            lines = (tmp_path / "a.csv").read_text().replace("d1", "d3").splitlines(keepends=True)
            (tmp_path / "a.csv").write_text("".join([lines[0], *lines[3:], *lines[1:3]]))
        outcome = run("gamma", tmp_path / "a.csv", "--samples", "5")
        assert outcome.code == 3
        assert "units have no shape, the others have one" in outcome.err
        assert run("gamma", tmp_path / "a.csv", "--option", "shapes=no", "--samples", "5").code == 0
