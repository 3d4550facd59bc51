"""Segmentations in `gammacp measure`."""

import json

from tests.conftest import Run


def test_shipped_segmentations_have_values_beyond_chance(run: Run) -> None:
    options = ("-m", "pk,s", "--beyond-chance", "--samples", 40, "--json")
    outcome = run("measure", "--dataset", "hearst1997", *options)
    measures = [result["measures"] for result in json.loads(outcome.out)["results"]]
    assert measures
    values = [m[name]["beyond_chance"]["value"] for m in measures for name in ("pk", "s")]
    assert None not in values
