"""The command `gammacp bench rank`, as a user runs it."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from tests.conftest import Run

SWEEP = ("--measures", "kappa-d,ser", "--sets", "4", "--step", "0.5", "--executor", "serial")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stores")


@pytest.fixture
def bench(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a runner of `gammacp bench` in a folder where a sweep has been computed once."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr("gammacp.plugins.LOADED", {})
    if not (folder / "bench-out").exists():
        errors = ("--error", "split", "--error", "category")
        done = run("bench", *errors, *SWEEP, "--no-figures")
        assert done.code == 0, done.err
        more = ("--n-annotators", "2", "--store", "two.sqlite", "--out", "two")
        assert run("bench", *errors, *SWEEP, *more, "--no-figures").code == 0
    return run


def test_ranks_go_to_table_figure_and_json(bench: Run, folder: Path) -> None:
    pytest.importorskip("matplotlib")
    done = bench("bench", "rank", "--documents", "4")
    assert done.code == 0, done.err
    assert "D = 4 annotation sets, from 4 sets" in done.out
    assert "4 sets show an order; ranks for publication need 40" in done.err
    lines = [line.split() for line in done.out.splitlines() if line.startswith(" split")]
    assert [line[1] for line in lines] == ["ser", "kappa-d"]
    with (folder / "bench-out/ranks.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(r["error"], r["measure"]) for r in rows[:2]] == [
        ("split", "ser"),
        ("split", "kappa-d"),
    ]
    assert rows[0]["documents"] == "4"
    assert (folder / "bench-out/ranks.png").read_bytes().startswith(b"\x89PNG")
    document = json.loads(bench("bench", "rank", "--documents", "4", "--json", "--no-figures").out)
    assert document["documents"] == 4
    assert [e["error"] for e in document["errors"]] == ["split", "category"]
    assert document["errors"][0]["measures"][0]["measure"] == "ser"


def test_a_nuisance_store_adds_a_column(bench: Run) -> None:
    done = bench("bench", "rank", "--nuisance", "two.sqlite", "--no-figures", "--json")
    assert done.code == 0, done.err
    measures = json.loads(done.out)["errors"][0]["measures"]
    assert measures[0]["nuisance"]["points"] > 0
    assert "no such curve" not in done.err
    assert "nuisance" in bench("bench", "rank", "--nuisance", "two.sqlite", "--no-figures").out


def test_curves_that_the_nuisance_store_lacks_are_named(bench: Run) -> None:
    other = ("--error", "position", "--store", "other.sqlite", "--out", "other")
    assert bench("bench", *other, *SWEEP, "--no-figures").code == 0
    done = bench("bench", "rank", "--nuisance", "other.sqlite", "--no-figures")
    assert done.code == 0
    assert (
        "not compared, as other.sqlite has no such curve: ser (split), kappa-d (split)" in done.err
    )


def test_stores_of_unlike_configurations_are_refused(bench: Run) -> None:
    done = bench("bench", "rank", "bench-out/bench.sqlite", "two.sqlite")
    assert done.code == 2
    assert "n_annotators: 3 versus 2" in done.err
    assert bench("bench", "rank", "--experiment", "other").code == 2
    assert bench("bench", "rank", "--documents", "1").code == 2
    assert bench("bench", "rank", "nowhere.sqlite").code == 3


def test_the_same_store_twice_counts_once(bench: Run) -> None:
    one = bench("bench", "rank", "--json", "--no-figures").out
    place = "bench-out/bench.sqlite"
    assert bench("bench", "rank", place, place, "--json", "--no-figures").out == one
