"""The option `--min-length`: shorter units are left out, counted and named in the signature."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gammacp as gc
from gammacp import Continuum, DataError, Unit
from gammacp.continuum.selecting import drop_short_units
from tests.conftest import Run

ROWS = "Ann,x,0,4\nAnn,y,5,9\nBob,x,0,4\nBob,y,6,9\nBob,x,10,11\nBob,x,11,12.5\n"
LOST = {"kind": "unit", "count": 2, "reason": "shorter than 2 (--min-length)"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text(ROWS)
    (tmp_path / "long.csv").write_text("".join(ROWS.splitlines(keepends=True)[:4]))
    return tmp_path / "a.csv"


def test_short_units_are_dropped_by_hand() -> None:
    units = [Unit("Ann", 0, 2, "x"), Unit("Ann", 3, 4, "x"), Unit("Bob", 0, 1.5, "x")]
    c = Continuum.from_units(units)
    kept = drop_short_units(c, 2)
    assert [(u.annotator, u.start, u.end) for u in kept] == [("Ann", 0, 2)]
    # Bounds and annotators stay, as an annotator without long units found nothing.
    assert (kept.bounds, kept.annotators) == (c.bounds, ("Ann", "Bob"))
    assert (kept.selection, kept.left_out[0].count) == (("min-length=2",), 2)
    assert drop_short_units(c, 1) is c


COMMANDS = {
    "gamma": ("--samples", 5), "align": (), "measure": ("-m", "ser,gamma", "--samples", 5),
    "compare": ("--samples", 5, "--no-interval"), "consensus": ("--splits", 0),
    "calibrate": ("--samples", 5, "--sets", 3, "--error", "split", "--jobs", 1),
    "inspect": (),
}  # fmt: skip


@pytest.mark.usefixtures("little_is_simulated")
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_reads_units_has_the_option(run: Run, file: Path, command: str) -> None:
    """The result is that of a file without short units, except for signature and notes."""
    options = COMMANDS[command]
    found = run(command, file, "--min-length", 2, *options, "--bounds", "0:12.5", "--json")
    assert found.code == 0, found.err
    document = json.loads(found.out)
    (lost,) = document["left_out"]
    assert {key: lost[key] for key in LOST} == LOST
    shown = run(command, file, "--min-length", 2, *options)
    assert "left out: 2 units: shorter than 2 (--min-length)" in shown.err + shown.out
    plain = run(command, file.with_name("long.csv"), *options, "--bounds", "0:12.5", "--json")
    assert numbers(document) == numbers(json.loads(plain.out))
    if "signature" in found.out:
        assert "min-length=2" in found.out


def numbers(document: object) -> list[float]:
    if isinstance(document, dict):
        return [n for k, v in document.items() if k != "left_out" for n in numbers(v)]
    if isinstance(document, list):
        return [n for v in document for n in numbers(v)]
    return [document] if isinstance(document, int | float) else []


def test_the_option_works_in_a_campaign_and_in_convert(run: Run, file: Path) -> None:
    campaign = file.with_name("campaign.toml")
    campaign.write_text('paths = ["a.csv"]\nmin_length = 2\n')
    (result,) = json.loads(run("gamma", campaign, "--samples", 5, "--json").out)["results"]
    assert result["units"] == 4
    (result,) = json.loads(
        run("gamma", campaign, "--min-length", 1.2, "--samples", 5, "--json").out
    )["results"]
    assert (result["units"], "min-length=1.2" in result["signature"]) == (5, True)
    out = file.with_name("out.json")
    assert run("convert", file, out, "--min-length", 2).code == 0
    assert gc.read(out).n_units == 4
    for value in ("-1", '"two"', "true", "nan"):
        campaign.write_text(f'paths = ["a.csv"]\nmin_length = {value}\n')
        refused = run("gamma", campaign)
        assert (refused.code, "campaign.toml:2" in refused.err) == (3, True), value


def test_commands_for_other_data_refuse_the_option(run: Run, tmp_path: Path) -> None:
    points = Continuum.from_units([Unit("Ann", 0, 0), Unit("Ann", 1, 4), Unit("Bob", 1, 4)])
    with pytest.raises(DataError, match="1 units are points, so a least length"):
        drop_short_units(points, 2)
    pieces = Continuum.from_units([Unit("Ann", 0, 9, "x", ((0, 3), (5, 9))), Unit("Bob", 1, 4)])
    with pytest.raises(DataError, match="units have fragments or shapes"):
        drop_short_units(pieces, 2)
    segments = tmp_path / "s.json"
    segments.write_text('{"text": {"a": [2, 3], "b": [5]}}')
    assert run("segmentation", segments, "--min-length", 2).code == 2
    for name in ("ann", "ben"):
        (tmp_path / f"{name}.mrg").write_text("(S (NP (PRP I)) (VP (VBD ran)))")
    for command in (("syntax",), ("measure", "-m", "jaccard")):
        refused = run(*command, tmp_path / "ann.mrg", tmp_path / "ben.mrg", "--min-length", 2)
        assert (refused.code, "--min-length does not apply here" in refused.err) == (2, True)
