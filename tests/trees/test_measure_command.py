"""Trees in the command gammacp measure."""

import json
from pathlib import Path

from tests.conftest import Run


def test_measure_reports_trees_beyond_chance(run: Run) -> None:
    folder = Path(__file__).parents[1] / "fixtures" / "cdt"
    files = folder / "da-lotte.conll", folder / "da-morten.conll"
    found = run("measure", *files, "-m", "las", "--beyond-chance", "--json")
    (result,) = json.loads(found.out)["results"]
    beyond = result["measures"]["las"]["beyond_chance"]
    assert 0 < beyond["value"] < result["measures"]["las"]["value"]
    assert beyond["chance"] == "length-matched"
    refused = run("measure", *files, "-m", "las", "--beyond-chance", "--samples", "5")
    assert (refused.code, "--samples is an option of none of: las" in refused.err) == (2, True)
