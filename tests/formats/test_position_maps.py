"""Maps of one annotator's positions: by hand, in Python, on the command line, in campaign.toml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Unit
from gammacp.continuum import Link
from gammacp.errors import DataError, UsageError
from gammacp.formats.position_maps import move_positions, position_maps, written_positions
from gammacp.formats.reading import collect
from tests.conftest import Run

ROWS = "annotator,category,start,end\nAnn,a,1,2.5\nAnn,b,4,5.6\nBob,a,1000,2500\nBob,b,4000,5600\n"


def moved(text: str, *spans: tuple[float, float]) -> list[tuple[float, float]]:
    starts, ends = (np.array(side, np.float64) for side in zip(*spans, strict=True))
    for step in position_maps(text):
        starts, ends = step.of(starts, ends)
    return [*zip(starts.tolist(), ends.tolist(), strict=True)]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("end+1", [(2, 6), (10, 13)]),
        ("end-2", [(2, 3), (10, 10)]),
        ("start-1", [(1, 5), (9, 12)]),
        ("+250", [(252, 255), (260, 262)]),
        ("-0.5", [(1.5, 4.5), (9.5, 11.5)]),
        ("+5 from 10", [(2, 5), (15, 17)]),
        ("x1000", [(2000, 5000), (10000, 12000)]),
        ("×1000", [(2000, 5000), (10000, 12000)]),
        ("x1/4", [(0.5, 1.25), (2.5, 3)]),
        ("x0.1", [(0.2, 0.5), (1, 1.2)]),
        ("x10, +3, end+1", [(23, 54), (103, 124)]),
    ],
)
def test_maps_by_hand(text: str, right: list[tuple[float, float]]) -> None:
    assert moved(text, (2, 5), (10, 12)) == right
    back = ", ".join(str(step.inverse()) for step in position_maps(text)[::-1])
    assert moved(f"{text}, {back}", (2, 5), (10, 12)) == [(2, 5), (10, 12)]
    assert [*map(str, position_maps(", ".join(map(str, position_maps(text)))))] == [
        *map(str, position_maps(text))
    ]


def test_decimals_are_mapped_exactly() -> None:
    assert moved("x1000", (4.35, 0.001))[0] == (4350, 1)
    assert moved("+0.2", (0.1, 1.1))[0] == (0.3, 1.3)


@pytest.mark.parametrize("text", ["", "end", "x", "x0", "x1/0", "1000", "+", "end*2", "+1 from"])
def test_invalid_maps_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"positions="):
        position_maps(text)


def test_entries_of_an_annotator_are_joined() -> None:
    assert written_positions(["a:b: +1", "d/Ann:x2", "a:b: end+1"]) == {
        "a:b": "+1, end+1",
        "d/Ann": "x2",
    }
    for entry in ("Ann", "Ann:", ": +1"):
        with pytest.raises(UsageError, match="is not ANNOTATOR: end"):
            written_positions([entry])


def test_readers_take_maps_in_python(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text(ROWS)
    c = gc.read(path, positions={"Ann": "x1000"})
    assert {(u.start, u.end) for u in c} == {(1000, 2500), (4000, 5600)}
    assert c.bounds == (1000, 5600)
    assert c.selection == ("positions=Ann: x1000",)
    assert gc.read(path, positions=["Ann: x1000"]) == c
    assert gc.read_corpus([path], positions={"d/Ann": "x1000"})["d"] == c
    assert gc.read(path, positions={"Bob": "x1/1000"}).bounds == (1, 5.6)
    with pytest.raises(DataError, match="annotator 'Cid' does not occur"):
        gc.read(path, positions={"Cid": "+1"})


def test_a_map_may_be_for_one_document(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text(ROWS)
    found = collect([tmp_path], positions={"two/Ann": "+10", "Ann": "x10"}).continua
    starts = {c.name: [u.start for u in c if u.annotator == "Ann"] for c in found.values()}
    assert starts == {"one": [10, 40], "two": [11, 14]}


def test_the_command_line_and_a_campaign_take_maps(tmp_path: Path, run: Any) -> None:
    (tmp_path / "d.csv").write_text(ROWS)
    typed = run("gamma", str(tmp_path / "d.csv"), "--positions", "Ann: x1000", "--json")
    assert '"gamma": 1.0' in typed.out
    assert "sel:positions=Ann: x1000" in typed.out
    campaign = tmp_path / "campaign.toml"
    campaign.write_text('paths = ["d.csv"]\n[positions]\nAnn = "x1000"\n')
    assert '"gamma": 1.0' in run("gamma", str(campaign), "--json").out
    wrong = run("gamma", str(tmp_path / "d.csv"), "--positions", "Ann: twice")
    assert wrong.code == 2
    assert "--positions 'twice' is not ANNOTATOR: end+1" in wrong.err


def test_fragments_links_bounds_and_reading_limits_are_mapped() -> None:
    units = [
        Unit("Ann", 2, 9, "a", ((2, 4), (6, 9)), id="1"),
        Unit("Ann", 12, 15, "b", id="2"),
        Unit("Bob", 0, 3, "a"),
    ]
    link = Link("Ann", "next", "1", "2")
    c = Continuum.from_units(units, bounds=(0, 16), links=[link], read_until={"Ann": 16})
    (made,) = move_positions([c.with_about(name="d")], {"Ann": "end+1, +5 from 12"})
    own = [u for u in made if u.annotator == "Ann"]
    assert [(u.start, u.end, u.fragments) for u in own] == [
        (2, 10, ((2, 5), (6, 10))),
        (17, 21, ()),
    ]
    assert [u for u in made if u.annotator == "Bob"] == [units[2]]
    assert made.links == (link,)
    assert made.bounds == (0, 21)


@pytest.mark.parametrize("text", [f"x{'9' * 400}", f"x1/{'9' * 400}", f"x0.{'0' * 400}1"])
def test_factors_beyond_all_positions_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="too large or too small"):
        position_maps(text)


def test_a_map_that_reverses_units_names_the_option(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text(ROWS)
    found = run("inspect", path, "--positions", "Ann: end-20")
    assert found.code == 3
    assert "would end before it starts with --positions" in found.err


def test_units_stay_inside_of_their_text() -> None:
    c = Continuum.from_units([Unit("Ann", 2, 5)], text="abcde", offset_unit="characters", name="d")
    with pytest.raises(DataError, match="would lie at 2-6, outside of the text of 5 characters"):
        move_positions([c], {"Ann": "end+1"})
    with pytest.raises(DataError, match="would end before it starts"):
        move_positions([c], {"Ann": "end-4"})


def test_maps_of_shapes_are_refused() -> None:
    c = Continuum.from_units([Unit.box("Ann", (0, 1), (0, 2))])
    with pytest.raises(DataError, match="does not apply to shapes"):
        move_positions([c], {"Ann": "end+1"})


def test_a_dataset_can_be_mapped(run: Any) -> None:
    asked = ("inspect", "--dataset", "alex-paul-suzan", "--json")
    plain, moved = (
        json.loads(run(*asked, *more).out)["results"][0]["bounds"]
        for more in ((), ("--positions", "Alex: -5"))
    )
    assert (plain, moved) == ([2, 60], [-3, 55])  # Alex has the first and the last unit.
