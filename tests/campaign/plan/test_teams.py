"""Plans of pilots whose annotators work in fixed teams."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import f, f_oneway, t

from gammacp.campaign.plan import Goal, plan
from gammacp.campaign.plan.assignment import assignment
from gammacp.campaign.plan.spread import pilot_of
from gammacp.campaign.plan.teams import TeamSpread, team_spread
from gammacp.continuum import Continuum
from gammacp.errors import DataError, UsageError
from gammacp.inference.populations import PairSums
from gammacp.measures.agreement import agreement
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings
from shuffling import ReferenceModel, shuffled_set
from tests.conftest import Run

MODEL = ReferenceModel(n_units=4)


def pilot(teams: int, each: int) -> tuple[dict[str, Continuum], dict[str, str]]:
    """Return documents that are dealt to teams of three, and the team of each annotator.

    Later teams make larger errors.
    """
    documents = {}
    team_of = {}
    for d in range(teams * each):
        team = f"team-{d % teams}"
        magnitude = 0.1 + 0.12 * (d % teams)
        drawn = shuffled_set(MODEL, "position", magnitude, 3, index=d, model=MODEL)
        units = [replace(u, annotator=f"{team}/{u.annotator}") for u in drawn]
        documents[f"d{d}"] = Continuum.from_units(units)
        team_of.update(dict.fromkeys(documents[f"d{d}"].annotators, team))
    return documents, team_of


def rows(values: list[list[float]]) -> PairSums:
    """Return the observed disorders of documents by team, with an expected disorder of 1 each."""
    team = np.repeat(np.arange(len(values)), [len(v) for v in values])
    observed = np.concatenate([np.array(v) for v in values])
    return PairSums(np.arange(len(observed)), team, observed, np.ones(len(observed)))


def test_the_variance_is_that_of_a_one_way_analysis() -> None:
    rng = np.random.default_rng(1)
    for sizes in ([4] * 5, [2, 5, 9, 3, 4, 4]):
        values = [list(0.5 + 0.05 * k + 0.1 * rng.standard_normal(n)) for k, n in enumerate(sizes)]
        spread = team_spread(rows(values))
        assert spread is not None
        means = np.array([np.mean(v) for v in values])
        n = np.array(sizes)
        whole = float(np.concatenate(values).mean())
        between = float((n * (means - whole) ** 2).sum()) / (len(n) - 1)
        within = sum(float(np.var(v) * len(v)) for v in values) / (n.sum() - len(n))
        load = (n.sum() - (n**2).sum() / n.sum()) / (len(n) - 1)
        assert spread.variance == pytest.approx((between - within) / load)
        low = between / f.ppf(0.975, len(n) - 1, n.sum() - len(n)) - within
        assert spread.interval[0] == pytest.approx(max(0.0, low / load))


def test_teams_differ_where_scipy_finds_that_they_do() -> None:
    rng = np.random.default_rng(2)
    outcomes = set()
    for effect in np.linspace(0, 0.4, 30):
        values = [list(effect * k / 5 + 0.2 * rng.standard_normal(6)) for k in range(6)]
        spread = team_spread(rows(values))
        assert spread is not None
        assert spread.shown == (f_oneway(*values).pvalue < 0.025)
        outcomes.add(spread.shown)
    assert outcomes == {True, False}


def test_documents_of_a_cluster_are_one_observation() -> None:
    one = team_spread(rows([[1, 3], [5, 7], [3, 5]]))
    doubled = team_spread(
        rows([[0, 2, 2, 4], [4, 6, 6, 8], [2, 4, 4, 6]]), [k // 2 for k in range(12)]
    )
    assert one is not None
    assert doubled is not None
    assert doubled.variance == pytest.approx(one.variance)
    assert team_spread(rows([[1], [2], [3]])) is None


def test_a_half_width_by_hand() -> None:
    spread = TeamSpread(teams=6, variance=0.04, interval=(0.01, 0.1))
    by_hand = t.ppf(0.975, 5) * (0.04 / 6 + (0.25 - 0.04) / 100) ** 0.5
    assert spread.half_width(0.5, 100, 6) == pytest.approx(by_hand)


def test_a_plan_of_teams_speaks_of_other_teams_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gammacp.campaign.plan.spread.MOST_DOCUMENTS", 20)
    monkeypatch.setattr("gammacp.campaign.plan.spread.STEPS", 2)
    documents, team_of = pilot(5, 4)
    campaign_plan = plan(
        documents, teams=team_of, goal=Goal(half_width=0.1), annotators=[3], error="position",
        chance="documents", samples=10,
    )  # fmt: skip
    assert "5 teams of 15 annotators" in campaign_plan.advice()
    assert "by 5 teams give about ±" in campaign_plan.advice()
    assert "take turns" not in campaign_plan.advice()
    assert "covers other annotators" not in campaign_plan.advice()
    assert "|teams:" in campaign_plan.signature
    assert campaign_plan.as_dict()["pilot"]["teams"]["teams"] == 5


def test_three_teams_are_too_few() -> None:
    documents, team_of = pilot(3, 3)
    settings = Settings.of(chance="documents", samples=20)
    pilot_results = pilot_of(documents, agreement(Basis(documents, settings)), team_of)
    assert pilot_results.over is not None
    assert "No interval over teams: 3 teams are too few" in pilot_results.over.in_words()


def test_each_document_is_assigned_to_one_team() -> None:
    documents, team_of = pilot(5, 2)
    table = assignment(documents, 30, 3, teams=team_of)
    who = defaultdict(list)
    for row in table.records:
        who[row["document"]].append(row["annotator"])
    assert len(who) == 20
    loads: dict[str, int] = defaultdict(int)
    for people in who.values():
        assert len(set(people)) == 3
        [team] = {team_of[name] for name in people}
        loads[team] += 1
    assert set(loads.values()) == {4}
    with pytest.raises(DataError, match="has fewer"):
        assignment(documents, 30, 4, teams=team_of)


def test_goals_that_exclude_teams_are_refused(run: Run, tmp_path: Path) -> None:
    documents, team_of = pilot(2, 3)
    with pytest.raises(UsageError, match="verdict"):
        plan(documents, teams=team_of, goal=Goal(verdict=0.1))
    with pytest.raises(UsageError, match="pilot"):
        plan(model=MODEL, gamma=0.5, teams=team_of)
    units = tmp_path / "pilot.csv"
    units.write_text(
        "document,annotator,category,start,end\n"
        + "".join(f"d{d},{a},x,{d},{d + 4}\n" for d in range(6) for a in ("Ann", "Bea", "Cy"))
    )
    teams = tmp_path / "teams.csv"
    with teams.open("w", newline="") as file:
        csv.writer(file).writerows([("annotator", "team"), ("Ann", "a"), ("Bea", "a")])
    assert "no row for Cy" in run("plan", units, "--team", teams).err
    with teams.open("a", newline="") as file:
        csv.writer(file).writerow(("Cy", "b"))
    mixed = run("plan", units, "--team", teams)
    assert (mixed.code, "2 teams" in mixed.err) == (3, True)
    assert run("plan", units, "--team", tmp_path / "none.csv").code == 3
