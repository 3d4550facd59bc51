"""First sentences of a report: planted faults are named, and nothing is named without them."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest

from gammacp.campaign.calibrate import calibrate
from gammacp.campaign.compare import compare
from gammacp.campaign.facts import facts
from gammacp.campaign.statements import LEVEL
from gammacp.campaign.verdict import CampaignVerdict, verdict
from gammacp.continuum import Continuum, Unit
from gammacp.measures.agreement import agreement
from tests.campaign.planted_corpora import (
    FAST,
    compare_corpus,
    corpus,
    misses,
    missing_units,
)


@pytest.fixture(scope="module")
def verdict_on_c() -> CampaignVerdict:
    """Return the verdict on documents in which C misses half of the units."""
    return verdict(compare_corpus(misses("C", 0.5)))


def test_the_worst_annotator_and_the_kind_of_difference_are_named(
    verdict_on_c: CampaignVerdict,
) -> None:
    campaign_verdict = verdict_on_c
    about = {s.about: s.names for s in campaign_verdict.statements}
    assert about["annotator"] == ("C",)
    assert about["kind"] == ("absence",)
    assert "C" in about["pair"]
    assert "label" not in about
    assert "label" in next(s.words for s in campaign_verdict.statements if s.about == "none")
    assert all(s.p <= LEVEL for s in campaign_verdict.statements if s.p is not None)


def test_the_worst_pair_is_named() -> None:
    """A and B are named if both change four tenths of their labels, to different ones."""

    def fault(g: np.random.Generator, name: str, u: Unit) -> Unit:
        other = {"A": "y", "B": "z"}.get(name)
        return Unit(name, u.start, u.end, other) if other and g.random() < 0.4 else u

    campaign_verdict = verdict(compare_corpus(fault))
    assert campaign_verdict.of("pair").names == ("A", "B")  # type: ignore[union-attr]
    assert campaign_verdict.of("kind").names == ("category",)  # type: ignore[union-attr]


def test_the_disputed_label_is_named_with_its_share() -> None:
    def fault(g: np.random.Generator, _name: str, u: Unit) -> Unit | None:
        return None if u.category == "z" and g.random() < 0.4 else u

    comparison = compare_corpus(fault)
    campaign_verdict = verdict(comparison, to_review=5)
    label = campaign_verdict.of("label")
    assert label is not None
    assert label.names == ("z",)
    # The share by hand, from the counts of the confusion: pairs with a z on either side.
    table = comparison.confusion
    row = dict(zip(table.columns, table.counts[table.rows.index("z")].tolist(), strict=True))
    both = row["z"]
    single = sum(row.values()) - both
    assert f"{2 * both / (2 * both + single):.0%} of the cases" in label.words
    assert campaign_verdict.of("annotator") is None
    step = campaign_verdict.statements[-1]
    assert step.words.startswith("Next: make the guideline for “z” clearer: in ")
    assert f"of {single} differences about it, the other annotator has no such unit." in step.words
    assert step.words.endswith("The 5 units to review show where.")
    # At each of the places some annotators have a unit, and not all of them.
    assert all(1 <= sum(n > 0 for n in place.counts) < 4 for place in step.places)
    assert campaign_verdict.in_words()[-1].startswith(f"{step.words} Look first at d")


def test_statements_on_these_documents_come_before_general_ones() -> None:
    """C misses a tenth more than the others; no test shows anything about annotators."""

    def fault(g: np.random.Generator, name: str, u: Unit) -> Unit | None:
        return None if g.random() < (0.22 if name == "C" else 0.12) else u

    comparison = compare_corpus(fault)
    campaign_verdict = verdict(comparison)
    layers = [s.layer for s in campaign_verdict.statements]
    n_here = layers.count("here")
    assert layers == ["here"] * n_here + ["beyond"] * (len(layers) - n_here)
    assert layers[:2] == ["here", "here"]
    assert [s["layer"] for s in campaign_verdict.as_dict()["statements"]] == layers
    assert campaign_verdict.of("annotator") is None
    gains = {e.annotator: e.gain for e in comparison.without}
    worst = max(gains, key=gains.__getitem__)
    assert (worst,) in [s.names for s in campaign_verdict.statements if s.about == "here"]
    assert f"{worst} is farthest from the others here" in " ".join(campaign_verdict.in_words())
    # The share of the commonest difference by hand; each pair is on one side of the diagonal.
    table = comparison.confusion
    most = table.confused_pairs[0][-1]
    every = sum(table.counts[i, j] for i in range(len(table.rows)) for j in range(i + 1))
    assert f"in {most} of {every} comparisons" in " ".join(campaign_verdict.in_words())
    assert "shown to be worse" not in " ".join(campaign_verdict.in_words())


def test_facts_and_tests_stand_in_parts_of_their_own(verdict_on_c: CampaignVerdict) -> None:
    outcome = verdict_on_c
    parts = outcome.parts()
    assert [part.name for part in parts] == ["agreement", "here", "beyond", "next", "places"]
    headings = [part.heading for part in parts]
    assert headings[0] == headings[3] == ""
    assert headings[1].startswith("In these documents")
    assert headings[2].startswith("Beyond these documents")
    assert headings[4].startswith("Look first at")
    # Each sentence is in one part, and none is lost.
    sentences = [words for part in parts[:4] for words in part.sentences]
    assert sorted(sentences) == sorted(s.words for s in outcome.statements)
    beyond = parts[2].sentences
    for statement in outcome.statements:
        assert (statement.words in beyond) == (
            statement.layer == "beyond" and statement.about != "next"
        )
        # What a test shows has its p beside it.
        if statement.about != "agreement":
            assert (statement.p is not None) == bool(re.search(r"\(.*p [=<]", statement.words))
    assert len(parts[4].sentences) == len(outcome.statements[-1].places) == 3


def test_a_text_is_no_document_among_others() -> None:
    rng = np.random.default_rng(2)
    units = []
    for k in range(30):
        for name in "ABC":
            start = 10 * k + float(rng.integers(3))
            units.append(Unit(name, start, start + 6, "xy"[int(rng.integers(2))]))
    text = Continuum.from_units(units)
    headings = [part.heading for part in verdict(compare(text, **FAST)).parts()]
    assert any(heading.startswith("In this text") for heading in headings)
    assert any(heading.startswith("Beyond this text") for heading in headings)


@pytest.mark.parametrize(("documents", "divided"), [(10, 4), (10, 1), (4, 4)])
def test_documents_that_only_some_mark_are_reported(documents: int, divided: int) -> None:
    """In the first documents C marks nothing; in the last one nobody but C marks anything."""
    continua = {}
    for d in range(documents):
        away = "C" if d < divided else ""
        units = [
            Unit(name, 10 * k + ord(name) % 2, 10 * k + 6, "x")
            for k in range(6)
            for name in "ABC"
            if name not in away
        ]
        continua[f"d{d}"] = Continuum.from_units(units, annotators=[*"ABC"], bounds=(0, 80))
    outcome = verdict(agreement(continua, **FAST))
    divided_words = [words for words in outcome.in_words() if "has any unit at all" in words]
    assert len(divided_words) == (documents >= 5 and divided >= 0.2 * documents)
    assert outcome.headline() == [outcome.in_words()[0], *divided_words]
    for words in divided_words:
        assert f"in {divided} of {documents} documents some mark units and others none" in words


def test_no_label_is_disputed_most_if_several_are_never_confirmed() -> None:
    """A alone marks y, and B alone z, in units that all others call x."""

    def fault(_g: np.random.Generator, name: str, u: Unit) -> Unit:
        label = {("A", "y"): "y", ("B", "z"): "z"}.get((name, u.category or ""), "x")
        return Unit(name, u.start, u.end, label)

    outcome = verdict(compare_corpus(fault))
    assert outcome.of("label") is None
    none = outcome.of("none")
    # A test shows that they are disputed, so the opposite is not said either.
    assert none is None or "label" not in none.words
    assert "guideline for" not in outcome.statements[-1].words

    def only_one(g: np.random.Generator, name: str, u: Unit) -> Unit:
        return fault(g, name, u) if name == "A" else Unit(name, u.start, u.end, "x")

    label = verdict(compare_corpus(only_one, by=())).of("label")
    assert label is not None and label.names == ("y",)


def with_a_passer_by() -> dict[str, Continuum]:
    """Make documents in which A misses units, and E annotated only the first one, and wrongly."""

    def fault(g: np.random.Generator, name: str, u: Unit) -> Unit | None:
        if name == "A" and g.random() < 0.3:
            return None
        return u

    continua = corpus(fault)
    wrong = [Unit("E", 10 * k + 7, 10 * k + 9, "x") for k in range(8)]
    continua["d0"] = Continuum.from_units([*continua["d0"], *wrong], bounds=(0, 80))
    return continua


@pytest.mark.slow
def test_a_pair_that_met_once_is_not_the_one_that_agrees_least() -> None:
    """E annotated one document wrongly, and only pairs that share five documents are compared."""
    continua = with_a_passer_by()
    comparison = compare(continua, draws=0, by=("pair",), **FAST)
    values = {pair: agreement.value for pair, agreement in comparison.pairs.agreements.items()}
    assert "E" in min(values, key=values.__getitem__)
    (words,) = [w for w in verdict(comparison).in_words() if "agree least" in w]
    least, most = words.split("agree least")
    assert "E" not in least.split("pairs, ")[1]
    assert "A" in least
    assert "E" not in most


def test_an_annotator_of_one_document_is_not_the_one_who_is_farthest() -> None:
    """E annotated one of many documents wrongly; γ without E concerns that document alone."""
    comparison = compare(with_a_passer_by(), draws=0, by=("annotator",), **FAST)
    gains = {e.annotator: e.gain for e in comparison.without}
    assert max(gains, key=gains.__getitem__) == "E"
    (fact,) = [s for s in facts(comparison) if "farthest from the others" in s.words]
    assert fact.names == ("A",)


@pytest.mark.parametrize("cuts", [True, False])
def test_units_that_are_divided_are_not_reported_as_missing(cuts: bool) -> None:
    """A marks every second unit as two adjacent ones, or not at all."""
    continua = {}
    for d in range(8):
        units = []
        for k, name in product(range(10), "ABC"):
            start = 20.0 * k
            ends = [start + 12]
            if name == "A" and (k + d) % 2:
                ends = [start + 6, start + 12] if cuts else []
            starts = [start, start + 6]
            units += [Unit(name, a, b, "x") for a, b in zip(starts, ends, strict=False)]
        continua[f"d{d}"] = Continuum.from_units(units, bounds=(0, 200))
    words = " ".join(verdict(compare(continua, **FAST)).in_words())
    assert "units without a counterpart" in words
    assert ("stretches that one annotator divides" in words) == cuts


@pytest.mark.parametrize("worse", [False, True])
def test_documents_with_the_lowest_gamma_are_named_where_documents_differ(worse: bool) -> None:
    """B marks all units by 1 or 3 later than A; in two documents by 3 or 5, if these are worse."""
    continua = {}
    for d in range(8):
        later = (3, 5) if worse and d in (2, 5) else (1, 3)
        units = []
        for k, name in product(range(10), "AB"):
            start = 10.0 * k + (later[k % 2] if name == "B" else 0)
            units.append(Unit(name, start, start + 4, "x"))
        continua[f"d{d}"] = Continuum.from_units(units, bounds=(-30, 130))
    (step,) = (s for s in verdict(compare(continua, **FAST)).statements if s.about == "next")
    assert "look at the places that cost most" in step.words
    named = {f"d{d}" for d in range(8) if f"d{d}" in step.words}
    assert named == ({"d2", "d5"} if worse else set())


@pytest.mark.parametrize("seed", [8, 11])
def test_heavy_documents_do_not_make_equal_documents_differ(seed: int) -> None:
    """The F-test assumes equal variances, which the weights of documents must not change."""
    rng = np.random.default_rng(seed)
    continua = {}
    for d in range(8):
        units = []
        for k, name in product(range(10), "AB"):
            start = 10.0 * k + (float(rng.integers(0, 5)) if name == "B" else 0)
            units.append(Unit(name, start, start + 4, "x"))
        document = Continuum.from_units(units, bounds=(-30, 130))
        continua[f"d{d}"] = document.with_weight(30.0 if d < 2 else 1.0)
    (step,) = (s for s in verdict(compare(continua, **FAST)).statements if s.about == "next")
    assert "look at the places that cost most" in step.words
    assert "where γ is lowest" not in step.words


def test_perfect_agreement_has_nothing_to_name() -> None:
    campaign_verdict = verdict(
        compare_corpus(lambda _g, n, u: Unit(n, 10 * (u.start // 10), u.end // 10 * 10 + 6, "x"))
    )
    assert campaign_verdict.agreement == "high"
    assert "agree in everything" in campaign_verdict.in_words()[0]
    assert {s.about for s in campaign_verdict.statements} <= {
        "agreement",
        "here",
        "elsewhere",
        "none",
        "next",
    }


def test_two_units_per_annotator_are_too_few_for_a_gold_standard() -> None:
    units = [Unit(a, s, s + 4, c) for a in "AB" for s, c in ((0, "x"), (7, "y"))]
    few = Continuum.from_units(units)
    (step,) = (s for s in verdict(compare(few)).statements if s.about == "next")
    assert step.words == (
        "Next: annotate more: 2 units per annotator are too few to decide anything on."
    )


@pytest.mark.slow
@pytest.mark.usefixtures("little_is_simulated")
def test_worth_names_the_largest_kind_of_difference() -> None:
    continua = corpus(misses("C", 0.5), documents=5)
    comparison = compare(continua, draws=0, **FAST)
    errors = ["position", "false-negative"]
    calibration = calibrate(continua, errors=errors, sets=4, score=comparison.overall.score, **FAST)
    campaign_verdict = verdict(comparison, calibration=calibration)
    worth = campaign_verdict.of("worth")
    assert worth is not None
    kind = campaign_verdict.of("kind")
    assert kind is not None and kind.names == ("absence",)
    assert worth.names == ("false-negative",)


@pytest.mark.slow
def test_the_bearer_is_named_once_and_also_if_nothing_generalises() -> None:
    often = corpus(lambda g, n, u: None if g.random() < (0.6 if n == "C" else 0.02) else u)
    layers = []
    for documents in (often, missing_units(21, 6)):
        comparison = compare(documents, draws=0, by=("annotator", "pair", "kind"), **FAST)
        layers_of_bearer = [
            s.layer for s in verdict(comparison).statements if s.names == ("C", "missing")
        ]
        layers.append(layers_of_bearer)
    # A test shows the first case beyond these documents; the second case is too small for that.
    assert layers == [["beyond"], ["here"]]
