"""Plans of campaigns, against the interval of the whole and shuffled corpora."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

from gammacp.campaign.plan import Goal, Prices, plan
from gammacp.campaign.plan.resampled import Material, documents_for
from gammacp.campaign.plan.spread import Simulation, pilot_of, spread_of
from gammacp.continuum import Continuum
from gammacp.errors import DataError, UsageError
from gammacp.formats import collect
from gammacp.inference.part_tests import (
    difference,
    independent_parts,
    interval_over_documents,
)
from gammacp.inference.resampling import interval_of_gamma
from gammacp.measures.agreement import agreement
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings
from shuffling import shuffled_set
from shuffling.reference import ReferenceModel
from tests.conftest import Run

DATA = Path(os.environ.get("GAMMACP_DATA", Path(__file__).parents[4] / "shared" / "data"))
MODEL, ERRORS = ReferenceModel(n_units=4), "position+category"
SETTINGS = Settings.of(chance="documents", samples=20)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate corpora of forty documents only, which shows that a plan is based on them."""
    monkeypatch.setattr("gammacp.campaign.plan.spread.MOST_DOCUMENTS", 40)


def documents(n: int, *, seed: int = 0, annotators: int = 3) -> dict[str, Continuum]:
    return {
        f"{i}": shuffled_set(MODEL, ERRORS, 0.3, annotators, index=i, seed=seed) for i in range(n)
    }


def test_the_spread_is_that_of_the_interval() -> None:
    overall = agreement(Basis(documents(80), SETTINGS))
    interval = interval_of_gamma(overall.contributions())
    half = (interval.high - interval.low) / 2
    assert 1.99 * spread_of(overall) / math.sqrt(80) == pytest.approx(half, rel=0.15)


@pytest.mark.slow
def test_a_magnitude_is_found_that_gives_the_gamma() -> None:
    simulation = Simulation(MODEL, ERRORS, SETTINGS, seed=3)
    wanted = simulation.agreement(0.3, {3: 1}).value
    assert simulation.magnitude(wanted, {3: 1}, lambda: None) == pytest.approx(0.3, abs=1 / 32)


@pytest.mark.slow
def test_documents_by_resampling_and_the_cheaper_design() -> None:
    """A plan needs about (t·s/w)² documents.

    Where a document itself is expensive, more annotators for each document pay.
    """
    pilot = documents(24)
    cheap, dear = (
        plan(
            pilot,
            goal=Goal(half_width=0.04),
            error=ERRORS,
            prices=p,
            chance="documents",
            samples=20,
        )
        for p in (Prices(), Prices(annotation=1, document=1e6, given=True))
    )
    assert [d.annotators for d in cheap.designs] == [2, 3, 4]
    own_design = next(d for d in cheap.designs if d.annotators == 3)
    assert own_design.spread == cheap.pilot.spread
    assert own_design.documents == pytest.approx((2.0 * own_design.spread / 0.04) ** 2, rel=0.25)
    assert own_design.documents_range is None
    assert own_design.cost == own_design.documents * 3
    # In the first plan only annotations cost anything, in the second nearly only documents.
    assert cheap.best.cost == min(d.documents * d.annotators for d in cheap.designs)
    assert dear.best.documents == min(d.documents for d in dear.designs)
    assert "is known to ±0.04" in cheap.advice()
    assert "shows how much they differ only to within ±15%" in cheap.advice()
    assert "cost" in dear.advice()


def test_a_plan_for_the_pilots_own_number_is_its_interval() -> None:
    """For skewed documents the half-width is Hall's, not Student's."""
    o, e = np.random.default_rng(2).gamma(0.5, 0.8, 30), np.ones(30)
    low, high = interval_over_documents(o, e)
    [own_width, more] = Material(o, e).half_widths([30, 120])
    assert own_width == pytest.approx(float(high - low) / 2)
    assert own_width / 3 < more < own_width / 2  # the square root of 4, and less skew
    number = documents_for(Material(o, e).half_widths, float(own_width), falling=True)
    assert number == pytest.approx(30, rel=0.05)
    # Four times as many documents halve it, also beyond the largest simulated number.
    far, farther = (
        documents_for(Material(o, e).half_widths, w, falling=True) for w in (0.01, 0.005)
    )
    assert farther == pytest.approx(4 * far)


def test_the_power_of_a_plan_is_that_of_other_corpora() -> None:
    """The predicted power is that of simulated corpora.

    The disorder of documents is Γ(5), and a pilot of 200 gives its spread.
    """
    rng = np.random.default_rng(3)
    pilot = Material(0.4 * rng.gamma(5, 0.2, 200), np.ones(200))
    n = documents_for(lambda sizes: pilot.powers(0.1, sizes), 0.8, falling=False)
    sides = [
        independent_parts(k * rng.gamma(5, 0.2, (2000, round(n))), np.ones((2000, round(n))))
        for k in (0.5, 0.4)
    ]
    assert 0.7 < (difference(*sides).p <= 0.05).mean() < 0.9
    assert documents_for(lambda sizes: 0.0 * np.array(sizes), 0.8, falling=False) == math.inf


@pytest.mark.slow
def test_a_small_pilot_gives_a_range_and_no_claim_on_other_annotators() -> None:
    campaign_plan = plan(
        documents(9), goal=Goal(difference=0.1), error=ERRORS, annotators=[3], chance="documents",
        samples=20,
    )  # fmt: skip
    [design] = campaign_plan.designs
    assert design.documents_range is not None
    low, high = design.documents_range
    assert low <= design.documents <= high
    assert f"{low:.0f} to {high:.0f} documents" in campaign_plan.advice()
    # Each document has three annotations at a price of one.
    assert design.cost_range == (3 * low, 3 * high)
    assert f"{3 * low:,.0f} to {3 * high:,.0f} annotations" in campaign_plan.advice()
    assert not campaign_plan.as_dict()["power_known"]
    assert "take the number for a guess" in campaign_plan.advice()
    assert "annotators each give about ±" not in campaign_plan.advice()


@pytest.mark.slow
def test_a_plan_without_a_pilot_needs_a_model_and_its_gamma() -> None:
    campaign_plan = plan(
        model=MODEL, gamma=0.5, goal=Goal(difference=0.1), error=ERRORS, annotators=[3],
        chance="documents", samples=20,
    )  # fmt: skip
    [design] = campaign_plan.designs
    wanted = 2 * ((1.96 + 0.8416) * design.spread / 0.1) ** 2
    # The tests allow for skew, and a worse round has more spread.
    assert wanted <= design.documents <= 1.4 * wanted
    near = [p for p in campaign_plan.curve if p["documents"] == 50]
    assert near[0]["power"] == pytest.approx(
        1 - 0.5 * math.erfc((0.1 / (design.spread * math.sqrt(2 / 50)) - 1.96) / math.sqrt(2)),
        abs=0.12,
    )
    for wrong in ({"model": MODEL}, {}, {"continua": documents(5), "model": MODEL, "gamma": 0.5}):
        with pytest.raises(UsageError, match="starts from a pilot"):
            plan(**wrong)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_verdict_has_its_power_simulated() -> None:
    campaign_plan = plan(
        documents(8), goal=Goal(verdict=0.2), error=ERRORS, annotators=[3], chance="documents",
        samples=20,
    )  # fmt: skip
    rising = [p["power"] for p in campaign_plan.curve if p["power"] is not None]
    assert rising[-1] >= 0.8
    assert rising[0] < rising[-1]
    assert campaign_plan.best.documents >= 30
    assert "a stand-in as good as the people" in campaign_plan.advice()


def test_annotators_with_equal_errors_move_gamma_less_than_one_outlier() -> None:
    alike = documents(10, annotators=4)
    other = {
        d: Continuum.from_columns(
            [u.annotator for u in c],
            [("z" if u.annotator == "annotator-1" else u.category) for u in c],
            c.starts,
            [u.end + 20 * (u.annotator == "annotator-1") for u in c],
        )
        for d, c in alike.items()
    }
    widths = []
    for k in (alike, other):
        over = pilot_of(k, agreement(Basis(k, SETTINGS))).over
        assert over is not None and over.annotators is not None
        widths.append(over.annotators[1] - over.annotators[0])
    assert widths[0] < widths[1] / 2


def test_bad_input_is_reported(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("annotator,category,start,end\nAnn,x,0,1\nAnn,y,4,6\nBea,x,0,2\nBea,z,4,5\n")
    outcome = run("plan", path)
    assert (outcome.code, "pilot" in outcome.err) == (3, True)
    assert run("plan").code == 2
    assert run("plan", path, "--half-width", "2").code == 2
    assert run("plan", path, "--half-width", ".1", "--difference", ".1").code == 2
    assert run("plan", path, "--candidate", "Ann").code == 2
    for wrong in (("--price", -1), ("--price", 0), ("--per-document", 1), ("--error", "slip")):
        assert run("plan", path, *wrong).code == 2, wrong
    with pytest.raises(DataError):
        plan({"a": Continuum.from_units([], annotators=("A", "B"))})


def test_the_json_has_its_keys(run: Run, tmp_path: Path) -> None:
    model = tmp_path / "model.toml"
    model.write_text(run("shuffle", "--print-model").out.replace("units = 25", "units = 4"))
    outcome = run(
        "plan",
        "--model",
        model,
        "--gamma",
        ".5",
        "--json",
        "--per-document",
        "2",
        "--samples",
        "5",
    )
    document = json.loads(outcome.out)
    assert {"pilot", "curve", "advice"} <= set(document)
    assert {"documents", "annotators", "half_width", "power"} == set(document["curve"][0])


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the corpora do not ship")
def test_a_hundred_translations_predict_the_interval_of_all() -> None:
    continua = dict(collect([DATA / "crowds" / "wmt23-mqm-ende.csv"]).continua)
    settings = Settings.of(chance="documents", precision=0.05)
    whole = agreement(Basis(continua, settings))
    interval = interval_of_gamma(whole.contributions())
    names = np.random.default_rng(0).choice(list(continua), 100, replace=False)
    pilot = agreement(Basis({d: continua[d] for d in names}, settings))
    predicted = 1.99 * spread_of(pilot) / math.sqrt(len(whole.contributions()))
    assert predicted == pytest.approx((interval.high - interval.low) / 2, rel=0.15)


@pytest.mark.slow
def test_the_promised_interval_covers() -> None:
    """A pilot of 20 documents promises ±h for 60, and 95 % of 1,000 corpora keep the promise."""
    rounds, pilot, corpus = 1000, 20, 60
    # The expected disorders are the same by construction, so a large part stands for all.
    parts = agreement(Basis(documents(6000, seed=9), SETTINGS)).contributions()
    rng, hits = np.random.default_rng(1), 0
    for _ in range(rounds):
        mine = rng.choice(len(parts), pilot + corpus, replace=False)
        o, e = parts.observed[mine], parts.expected[mine]
        [half] = Material(o[:pilot], e[:pilot]).half_widths([corpus])
        reached = 1 - o[pilot:].sum() / e[pilot:].sum()
        hits += abs(reached - parts.gamma) <= half
    print(f"coverage {hits / rounds:.3f}")
    assert 0.92 <= hits / rounds <= 0.97
