"""Reading limits of annotators: on the command line, in campaign.toml, in JSON and in chance."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Unit
from gammacp.chance.cut import prepare_cut
from gammacp.chance.registry import CHANCE_MODELS, default_chance
from gammacp.continuum.declaring import declare_bounds, declare_read_until
from gammacp.continuum.renaming import rename_annotators
from gammacp.continuum.selecting import keep_annotators
from gammacp.errors import DataError
from tests.conftest import Run

ROWS = "Ann,x,0,4\nAnn,y,6,9\nAnn,y,12,14\nBob,x,0,4\nBob,y,6,8\nBob,y,40,43\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(ROWS)
    return tmp_path


def stopped() -> Continuum:
    units = [Unit("Ann", 7.0 * k, 7.0 * k + 3 + k % 3, "x") for k in range(5)]
    units += [Unit("Bob", 9.0 * k, 9.0 * k + 2 + k % 4, "x") for k in range(10)]
    return declare_read_until(Continuum.from_units(units, bounds=(0, 100)), {"Ann": 40})


def test_random_units_stay_within_the_part_that_was_read() -> None:
    sampler = prepare_cut([stopped()], 2)
    reached = []
    for seed in range(60):
        drawn = sampler.draw(np.random.default_rng(seed))
        ann = drawn.rows_of("Ann")
        assert drawn.ends[ann].max() <= 40 + 1e-9
        assert ann.stop - ann.start == 5
        reached.append(drawn.ends[drawn.rows_of("Bob")].max())
    assert max(reached) > 90


def test_a_reading_limit_belongs_to_its_annotator() -> None:
    c = stopped()
    assert c.selection == ("read-until=Ann:40",)
    assert rename_annotators(c, {"Ann": "Zoe"}).read_until == (("Zoe", 40.0),)
    assert keep_annotators(c, ["Bob"]).read_until == ()
    assert declare_bounds(c, (0, 200)).read("Bob") == 200
    assert c != declare_read_until(c, {"Ann": 50})
    assert declare_read_until(c, {"Bob": 100}) is c


def test_impossible_limits_are_refused_with_advice() -> None:
    c = stopped()
    with pytest.raises(DataError, match="has units up to 32") as error:
        declare_read_until(c, {"Ann": 30})
    assert error.value.hint == "Give at least 32"
    assert declare_read_until(c, {"Ann": 32}).read("Ann") == 32
    with pytest.raises(DataError, match="outside the text, 0 to 100"):
        declare_read_until(c, {"Ann": 101})
    with pytest.raises(DataError, match="Zed"):
        declare_read_until(c, {"Zed": 50})


def test_models_that_cannot_keep_a_limit_refuse_and_the_default_can() -> None:
    c = stopped()
    assert default_chance([[c] * 5]) == "cut"
    assert (
        default_chance([[keep_annotators(declare_read_until(c, {"Ann": 40}), ["Bob"])] * 5])
        != "cut"
    )
    for name in CHANCE_MODELS:
        model = CHANCE_MODELS[name]
        if not model.respects_read_until:
            with pytest.raises(DataError, match="cannot model that 'Ann' stopped reading early"):
                model.prepare([c, c, c], 2)


def test_chance_takes_reading_limits_into_account() -> None:
    """Ann's units would meet Bob's less often if they were rotated over the whole text."""
    c = stopped()
    whole = Continuum.from_units(list(c), bounds=(0, 100))
    assert gc.gamma(c, samples=200).value != gc.gamma(whole, samples=200).value


def test_command_line_campaign_and_json_agree(run: Run, here: Path) -> None:
    given = json.loads(run("gamma", "a.csv", "--read-until", "Ann=20", "--json").out)
    (here / "campaign.toml").write_text('paths = ["a.csv"]\n[read_until]\n"a/Ann" = 20\n')
    file = json.loads(run("gamma", "campaign.toml", "--json").out)
    assert run("convert", "a.csv", "b.json", "--read-until", "Ann=20").code == 0
    stored = json.loads(run("gamma", "b.json", "--json").out)
    values = [found["results"][0]["gamma"] for found in (given, file, stored)]
    assert values[0] == values[1] == values[2]
    assert "read-until=Ann:20" in given["results"][0]["signature"]
    assert gc.read("b.json").read_until == (("Ann", 20.0),)


@pytest.mark.usefixtures("here")
def test_an_invalid_limit_is_reported(run: Run) -> None:
    assert run("gamma", "a.csv", "--read-until", "Ann=far").code == 2
    late = run("gamma", "a.csv", "--read-until", "Ann=10")
    assert (late.code, "has units up to 14. Give at least 14" in late.err) == (3, True)
    assert run("segmentation", "--dataset", "hearst1997", "--read-until", "1=4").code == 2


@pytest.mark.usefixtures("here")
def test_files_that_cannot_hold_limits_refuse(run: Run) -> None:
    asked = ("a.csv", "--read-until", "Ann=20", "--grid", "1")
    for out, said in (("b.csv", 2), ("b.json", 0)):
        err = run("convert", asked[0], out, *asked[1:]).err
        assert ("give --read-until when" in err) + ("give --grid when" in err) == said


def test_a_gain_due_to_unread_text_is_not_tested(here: Path, run: Run) -> None:
    """Eve agrees less and read half of the text; her declaration explains the missing rest."""
    rng, rows = np.random.default_rng(1), []
    for a, units in (("Ann", 60), ("Bob", 60), ("Cid", 60), ("Eve", 30)):
        late = 5 * (a == "Eve")
        for i, start in enumerate(20 * np.arange(units) + rng.integers(0, 7, units) + late):
            rows.append(f"{a},{'nv'[i % 2]},{start},{start + 9 + i % 3}")
    (here / "half.csv").write_text("\n".join(rows))
    asked = ("compare", "half.csv", "--by", "annotator", "--samples")
    declared = ("--read-until", "Eve=640")
    plain, explained = run(*asked, 30).out, run(*asked, 30, *declared).out
    assert "Without Eve γ of the others" in plain and "Holm over 4" in plain
    assert "Without Eve, who did not read to the end" in explained and "Holm over" not in explained
    found = json.loads(run(*asked, 5, *declared, "--json").out)["annotators"][-1]
    assert (found["annotator"], found["unfinished"], found["p_value"]) == ("Eve", True, None)
