import json

import pytest

from gammacp.measures.registry import MEASURES
from tests.conftest import Run


def measures(run: Run, *arguments: str) -> str:
    outcome = run("measures", *arguments)
    assert outcome.code == 0, outcome.err
    return outcome.out


def test_every_measure_is_in_the_table(run: Run) -> None:
    table = measures(run)
    for name in MEASURES:
        assert f" {name} " in table


def test_json_has_what_a_program_needs_to_choose(run: Run) -> None:
    entries = {entry["name"]: entry for entry in json.loads(measures(run, "--json"))["measures"]}
    assert list(entries) == list(MEASURES)
    assert entries["kappa-d"]["needs"] == ["no overlap"]
    assert entries["kappa-d"]["options"] == ["atom", "coefficient"]
    assert entries["ku-alpha"]["per_category"]
    assert not entries["ser"]["chance_corrected"]
    assert entries["f1-exact"]["range"] == "[0, 1]"


@pytest.mark.needs("segmentation")
def test_the_value_for_independent_annotators_is_given(run: Run) -> None:
    entries = {entry["name"]: entry for entry in json.loads(measures(run, "--json"))["measures"]}
    assert entries["gamma"]["zero"]["verdict"] != "not"
    assert entries["alpha-diff"]["zero"]["lowest"] < -0.5
    assert entries["s"]["zero"]["lowest"] > 0.5
    assert entries["ser"]["zero_beyond_chance"]["verdict"] == "shown"
    assert entries["jaccard"]["zero"] is None
    assert "independent annotators get" in " ".join(measures(run).split())
