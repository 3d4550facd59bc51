"""The instance library: files and index agree, and small instances prove the values they claim."""

import csv
import gzip
import json
import math
from pathlib import Path

import pytest

from gammacp.verify import main

FOLDER = Path(__file__).parents[2] / "results" / "instances"
with (FOLDER / "index.csv").open(newline="") as stream:
    INDEX = {row["name"]: row for row in csv.DictReader(stream)}
SMALL = [
    name
    for name, row in INDEX.items()
    if int(row["units"]) <= 60 and row["verified"] == "whole claim"
]


def test_the_index_lists_every_file_and_the_library_is_small() -> None:
    files = list(FOLDER.glob("*.json.gz"))
    assert {path.name.removesuffix(".json.gz") for path in files} == set(INDEX)
    assert len(files) >= 60
    assert sum(path.stat().st_size for path in files) <= 1_000_000


@pytest.mark.parametrize("name", INDEX)
def test_the_index_says_what_the_file_says(name: str) -> None:
    row, path = INDEX[name], FOLDER / f"{name}.json.gz"
    certificate = json.loads(gzip.decompress(path.read_bytes()))
    claim = certificate["claim"]
    assert int(row["bytes"]) == path.stat().st_size
    assert (float(row["value"]), float(row["bound"])) == (claim["cost"], claim["bound"])
    assert row["status"] == claim["status"]
    assert int(row["units"]) == len(certificate["units"])
    assert int(row["annotators"]) == len(certificate["annotators"])
    assert (row["status"] == "optimal") == (float(row["gap"]) == 0)
    assert (row["verified"] == "no proof") == (certificate["proof"]["kind"] == "none")


@pytest.mark.parametrize("name", SMALL)
def test_small_instances_prove_what_they_claim(name: str) -> None:
    assert main([str(FOLDER / f"{name}.json.gz")]) == 0


def test_published_values_are_in_the_library() -> None:
    """The units of figure 10 (Mathet et al. 2015) have a disorder of 32/27, counted by hand."""
    assert math.isclose(float(INDEX["shipped-figure10"]["disorder"]), 32 / 27)
