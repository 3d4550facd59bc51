"""The command `gammacp measure`: no option of γ is accepted and then ignored."""

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gammacp.measures.random_sets import Basis
from gammacp.pools.steady import Steady
from tests.conftest import Run

ROWS = "A,x,0,5\nB,x,1,5\nC,y,0,6\nA,y,10,15\nB,y,10,14\nC,x,10,15\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text(ROWS)
    return path


@pytest.mark.parametrize(
    "given",
    [
        ("--alpha", "3"),
        ("--preset", "pygamma"),
        ("--dissimilarity", "combined"),
        ("--f-cat", "steep"),
        ("--chance", "cut"),
        ("--samples", "9"),
        ("--confidence", "0.9"),
        ("--method", "greedy"),
        ("--gap", "0.5"),
        ("--time-limit", "3"),
        ("--require-optimal",),
    ],
    ids=lambda given: given[0],
)
def test_options_of_gamma_are_refused_where_no_measure_has_them(
    run: Run, file: Path, given: tuple[str, ...]
) -> None:
    found = run("measure", file, "-m", "ser,kappa-d", *given)
    assert (found.code, found.out) == (2, "")
    assert f"{given[0]} is an option of none of: ser, kappa-d" in found.err
    assert run("measure", file, "-m", "ser", "--seed", "3").code == 0


@pytest.mark.parametrize("name", ["gamma", "gamma-k", "soft-gamma"])
def test_a_missing_required_proof_ends_with_4(run: Run, file: Path, name: str) -> None:
    options = ("measure", file, "-m", f"ser,{name}", "--samples", "3", "--require-optimal")
    assert run(*options).code == 0
    assert run(*options, "--method", "greedy").code == 4


def test_a_common_reason_is_printed_once(run: Run, file: Path) -> None:
    file.write_text("A,x,0,5\nA,y,10,15\n")
    found = run("measure", file, "-m", "gamma,ser,kappa-d")
    assert (found.code, found.out) == (3, "")
    assert found.err.count("needs two annotators") == 1
    assert "gamma, ser, kappa-d: agreement needs two annotators" in found.err


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Write 51 documents, more than get random sets of their own in `gamma`."""
    path = tmp_path / "many.csv"
    rows = [f"d{k},{row}" for k in range(51) for row in ROWS.splitlines()]
    path.write_text("document,annotator,category,start,end\n" + "\n".join(rows) + "\n")
    return path


def test_random_sets_of_each_of_many_documents_are_announced(
    run: Run, file: Path, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note names the faster way, and progress shows finished documents and time left.

    Values are those of a document alone.
    """
    monkeypatch.setattr("gammacp.cli.progress.SECONDS_BEFORE_SHOWN", 0.0)
    monkeypatch.setattr("gammacp.cli.progress.LOG_EVERY", {0: 0.0})
    found = run("measure", many, "-m", "gamma-cat,ser", "--samples", 2, "--json")
    assert "gamma-cat: each of the 51 documents gets random sets of its own" in found.err
    assert "γ is faster" in found.err
    assert "50 of 51 documents" in found.err
    assert " left\n" in found.err.partition("50 of 51 documents")[2]
    alone = json.loads(run("measure", file, "-m", "gamma-cat,ser", "--samples", 2, "--json").out)
    results = json.loads(found.out)["results"]
    assert len(results) == 51
    assert all(r["measures"] == alone["results"][0]["measures"] for r in results)
    assert "random sets" not in run("measure", many, "-m", "ser", "--json").err
    assert (
        "ser: each of" in run("measure", many, "-m", "ser", "--beyond-chance", "--samples", 2).err
    )


def test_documents_share_the_random_sets_of_gamma(
    run: Run, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """γ of documents and corpus is that of `gamma`, and the random sets are drawn once."""
    drawn = []
    chances = Basis.chances

    def counted(self: Basis, *given: Any) -> Any:
        drawn.append(len(self.continua))
        return chances(self, *given)

    monkeypatch.setattr(Basis, "chances", counted)
    how = ("--samples", 2, "--json", "--jobs", 1)
    gamma = json.loads(run("gamma", many, *how).out)
    drawn.clear()
    asked = ("measure", many, "-m", "ser,gamma", "--beyond-chance", *how)
    found = json.loads(run("measure", many, "-m", "ser,gamma", *how).out)
    assert drawn == [51]
    over = found["corpus"]["measures"]["gamma"]["over"]
    assert over["annotators"] == pytest.approx(gamma["corpus"]["over"]["annotators"])
    values = [r["measures"]["gamma"]["value"] for r in found["results"]]
    assert values == [r["gamma"] for r in gamma["results"]]
    whole = found["corpus"]["measures"]["gamma"]
    assert (whole["value"], whole["mean"]) == (gamma["corpus"]["gamma"], gamma["corpus"]["mean"])
    assert [*found["results"][0]["measures"]] == ["ser", "gamma"]
    beyond = json.loads(run(*asked).out)
    assert beyond["results"][0]["measures"]["gamma"]["beyond_chance"]["value"] == values[0]
    assert beyond["corpus"]["measures"]["gamma"]["beyond_chance"]["value"] == whole["value"]


@pytest.mark.slow
def test_workers_give_the_same_bytes(run: Run, many: Path) -> None:
    asked = ("measure", many, "-m", "gamma,ser", "--samples", 3, "--json")
    here = run(*asked, "--jobs", 1)
    assert run(*asked, "--jobs", 2).out == here.out != ""


def test_documents_that_workers_leave_out_after_ctrl_c_say_so(
    run: Run, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answers(_: Steady, call: Callable[..., Any], *data: Any, **__: Any) -> Iterator[Any]:
        yield call(next(iter(data[0])))
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Steady, "map", answers)
    found = run("measure", many, "-m", "gamma-cat,ser", "--samples", 3, "--json", "--jobs", 2)
    first, *others = (r["measures"] for r in json.loads(found.out)["results"])
    assert found.code == 130
    assert isinstance(first["gamma-cat"]["value"], float)
    assert len(others) == 50
    reasons = {s["reason"] for scores in others for s in scores.values()}
    assert reasons == {"interrupted before it was measured"}


def test_stacked_units_have_a_note_beside_the_value(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "stacked.csv"
    file.write_text("Ann,x,0,10\nAnn,y,2,8\nBob,x,0,10\nBob,y,2,8\n", encoding="utf-8")
    result = run("measure", file, "-m", "cu-alpha")
    assert "even identical annotations may have a value below 1" in result.err
