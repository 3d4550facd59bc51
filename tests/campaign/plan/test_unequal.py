"""Pilots with unequal numbers of annotators per document, and the assignment of new documents."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

import pytest

import gammacp as gc
from gammacp.campaign.plan import Goal, plan
from gammacp.campaign.plan.assignment import assignment
from gammacp.campaign.plan.spread import Simulation, spread_of
from gammacp.continuum import Continuum
from gammacp.errors import DataError
from gammacp.measures.agreement import agreement
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings
from shuffling import shuffled_set
from shuffling.reference import ReferenceModel
from tests.conftest import Run

MODEL, ERRORS = ReferenceModel(n_units=4), "position+category"
SETTINGS = Settings.of(chance="documents", samples=20)


def documents(*numbers: int) -> dict[str, Continuum]:
    """Return a document for each of the numbers of annotators, who all make the same errors."""
    return {f"{i}": shuffled_set(MODEL, ERRORS, 0.3, m, index=i) for i, m in enumerate(numbers)}


def named(*crowds: str) -> dict[str, Continuum]:
    return {f"d{i}": Continuum.from_units([], annotators=c) for i, c in enumerate(crowds)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("half", "rel"), [(10, 0.5), pytest.param(150, 0.15, marks=pytest.mark.slow)]
)
def test_a_pilot_of_two_and_four_annotators_plans_for_each_as_they_are_alone(
    half: int, rel: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Designs of two and of four annotators have the spreads of balanced corpora.

    The pilot mixes both numbers.
    """
    monkeypatch.setattr("gammacp.campaign.plan.spread.MOST_DOCUMENTS", 3 * half)
    campaign_plan = plan(
        documents(*[2, 4] * half), goal=Goal(half_width=0.05), error=ERRORS, annotators=[2, 4],
        chance="documents", samples=20,
    )  # fmt: skip
    assert campaign_plan.pilot.mix == {2: half, 4: half}
    assert "have 2 to 4 annotators" in campaign_plan.advice()
    few, many = campaign_plan.designs
    alone = [spread_of(agreement(Basis(documents(*[m] * 2 * half), SETTINGS))) for m in (2, 4)]
    assert many.spread < few.spread
    assert [few.spread, many.spread] == pytest.approx(alone, rel=rel)


def test_a_simulation_has_the_numbers_of_annotators_of_its_pilot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gammacp.campaign.plan.spread.MOST_DOCUMENTS", 100)
    corpus = Simulation(MODEL, ERRORS, SETTINGS, seed=1).corpus(0.2, {2: 30, 3: 10})
    numbers = [c.n_annotators for c in corpus.continua.values()]
    assert numbers.count(2) == pytest.approx(0.75 * len(numbers), abs=1)
    assert set(numbers) == {2, 3}


def test_the_pilot_is_completed_before_new_documents_begin() -> None:
    rows = assignment(named("AB", "ABC", "A"), 3, 3).records
    assigned = {(r["document"], r["annotator"]) for r in rows}
    assert assigned == {("d0", "C"), ("d2", "B"), ("d2", "C")}


def test_every_two_annotators_share_about_as_many_documents() -> None:
    """Two of five annotators share 3 of 10 documents, by counting: three annotate each document."""
    pilot = named("ABC", "CDE")
    done = {d: set(c.annotators) for d, c in pilot.items()}
    for r in assignment(pilot, 40, 3).records:
        done.setdefault(r["document"], set()).add(r["annotator"])
    assert len(done) == 40
    assert {len(who) for who in done.values()} == {3}
    shared = [sum({a, b} <= who for who in done.values()) for a, b in combinations("ABCDE", 2)]
    load = [sum(a in who for who in done.values()) for a in "ABCDE"]
    assert sum(shared) == 120
    assert max(shared) - min(shared) <= 2
    assert max(load) - min(load) <= 1


def test_too_few_annotators_and_the_candidate_are_reported() -> None:
    with pytest.raises(DataError, match="have 3 annotators, but the pilot has 2"):
        assignment(named("AB", "AB"), 5, 3)
    rows = assignment(named("ABx", "AB"), 3, 2, candidate="x").records
    assert {r["annotator"] for r in rows} == {"A", "B"}


def test_the_command_writes_the_assignment(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gammacp.campaign.plan.spread.MOST_DOCUMENTS", 20)
    pilot, out = tmp_path / "pilot.json", tmp_path / "who.csv"
    gc.write(gc.Corpus.from_continua(documents(*[3] * 6)), pilot)
    outcome = run(
        "plan", pilot, "--half-width", ".2", "--per-document", "3", "--samples", "5", "--assign",
        out,
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert len(rows) % 3 == 0
    assert all(r["document"].startswith("new-") for r in rows)
    assert run("plan", "--model", out, "--gamma", ".5", "--assign", out).code == 2
