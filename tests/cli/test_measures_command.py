import json
from functools import cache

import click
import pytest
import typer
from click.testing import CliRunner

from gammacp.cli.app import build
from gammacp.measures.registry import MEASURES


@cache
def application() -> click.Command:
    return typer.main.get_command(build())


def run(*arguments: str) -> str:
    result = CliRunner().invoke(application(), ["measures", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_measure_is_in_the_table() -> None:
    table = run()
    for name in MEASURES:
        assert f" {name} " in table


def test_json_has_what_a_program_needs_to_choose() -> None:
    entries = {entry["name"]: entry for entry in json.loads(run("--json"))["measures"]}
    assert list(entries) == list(MEASURES)
    assert entries["kappa-d"]["needs"] == ["no overlap"]
    assert entries["kappa-d"]["options"] == ["atom", "coefficient"]
    assert entries["ku-alpha"]["per_category"]
    assert not entries["ser"]["chance_corrected"]
    assert entries["f1-exact"]["range"] == "[0, 1]"


@pytest.mark.needs("segmentation")
def test_the_value_for_independent_annotators_is_given() -> None:
    entries = {entry["name"]: entry for entry in json.loads(run("--json"))["measures"]}
    assert entries["gamma"]["zero"]["verdict"] != "not"
    assert entries["alpha-diff"]["zero"]["lowest"] < -0.5
    assert entries["s"]["zero"]["lowest"] > 0.5
    assert entries["ser"]["zero_beyond_chance"]["verdict"] == "shown"
    assert entries["jaccard"]["zero"] is None
    assert "independent annotators get" in " ".join(run().split())
