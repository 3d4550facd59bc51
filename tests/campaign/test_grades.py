"""Words for the agreement of these documents, and of other documents like them."""

from __future__ import annotations

import numpy as np
import pytest

from gammacp.campaign.statements import NOT_SHOWN, UNDEFINED, UNTESTED
from gammacp.campaign.verdict import HIGH, grade, lowest_elsewhere, verdict
from gammacp.continuum import Continuum, Unit
from gammacp.inference.part_tests import interval_over_documents
from gammacp.measures.agreement import agreement
from tests.campaign.planted_corpora import (
    FAST,
    corpus,
)


def test_agreement_of_independent_annotators_has_no_grade() -> None:
    rng = np.random.default_rng(3)
    units = [
        Unit(name, s, s + 2, "xy"[int(rng.integers(2))])
        for name in "AB"
        for s in np.sort(rng.choice(200, 12, replace=False)).tolist()
    ]
    campaign_verdict = verdict(agreement(Continuum.from_units(units, bounds=(0, 203)), **FAST))
    assert campaign_verdict.agreement == NOT_SHOWN
    assert "not shown" in campaign_verdict.in_words()[0]
    # Five random sets cannot give a p of .05, so there is no test and no "not shown".
    few = agreement(Continuum.from_units(units, bounds=(0, 203)), **{**FAST, "samples": 5})
    assert verdict(few).agreement == UNTESTED


def test_gamma_of_one_annotator_is_undefined() -> None:
    one = agreement({"d": Continuum.from_units([Unit("A", 0, 1)], annotators=["A"])})
    campaign_verdict = verdict(one)
    assert campaign_verdict.agreement == UNDEFINED
    assert campaign_verdict.as_dict()["statements"][0]["words"].startswith("γ is undefined")


@pytest.mark.parametrize("documents", [19, 20])
def test_other_documents_are_mentioned_from_twenty_on(documents: int) -> None:
    def missed(g: np.random.Generator, _name: str, u: Unit) -> Unit | None:
        return None if g.random() < 0.1 else u

    overall = agreement(corpus(missed, documents=documents), **FAST)
    campaign_verdict = verdict(overall)
    words = campaign_verdict.in_words()[1]
    if documents < 20:
        assert campaign_verdict.elsewhere is None
        assert "at least 20 are needed, and there are 19." in words
        return
    interval = overall.bootstrap(confidence=0.99)
    assert interval is not None
    # Three of 20 documents may be of a kind that the sample lacks; at γ = 0 they lower γ by 15 %.
    assert campaign_verdict.elsewhere == grade(interval.low * 0.85, interval.high)
    assert f"γ is {interval.low:.2f} to {interval.high:.2f} (99% confidence, " in words
    assert "These 20 documents may by chance lack a kind that makes up as much as 15% of" in words


def test_unseen_kinds_of_documents_count_with_a_gamma_of_0() -> None:
    """By hand: γ of 30 documents and three further ones without any agreement."""
    observed, expected = np.full(30, 0.1), np.ones(30)
    low = 1 - observed.sum() / expected.sum()
    assert lowest_elsewhere(low, 30) == pytest.approx(1 - (0.9 * 0.1 + 0.1 * 1.0))
    assert lowest_elsewhere(-0.2, 30) == -0.2
    assert lowest_elsewhere(0.9, 2) == 0


@pytest.mark.parametrize("documents", [20, 50])
def test_unseen_spoiled_documents_prevent_the_grade_high(documents: int) -> None:
    """One document in twenty has γ = 0, so that γ of all is .795 and "high" would be false."""
    rng = np.random.default_rng(documents)
    spoiled = rng.random((1000, documents)) < 0.05
    noise = np.exp(0.3 * rng.standard_normal(spoiled.shape) - 0.045)
    observed = np.where(spoiled, 1.0, (0.205 - 0.05) / 0.95) * noise
    low, _ = interval_over_documents(observed, np.ones_like(observed), confidence=0.99)
    assert (low >= HIGH).mean() > 0.03
    assert np.mean([lowest_elsewhere(end, documents) >= HIGH for end in low]) <= 0.02
