"""Annotators in fixed teams: intervals over teams, by hand, in simulations and in commands."""

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student

from gammacp.errors import DataError
from gammacp.inference.part_tests import interval_over_documents
from gammacp.inference.populations import PairSums, intervals_over
from tests.conftest import Run


def corpus_of(rng: np.random.Generator, teams: int, each: int, spread: float) -> PairSums:
    """Return documents by one team of three each; teams differ by `spread` in logarithms."""
    errs = np.exp(spread * rng.standard_normal(teams) - spread**2 / 2)
    rows = [
        (d, (3 * team + i, 3 * team + j), 0.4 * errs[team] * rng.gamma(8, 1 / 8), 1.0)
        for d, team in enumerate([*range(teams)] * each)
        for i, j in combinations(range(3), 2)
    ]
    documents, pairs, observed, expected = zip(*rows, strict=True)
    return PairSums.of_pairs(documents, pairs, observed, expected)


def members(teams: int) -> list[int]:
    return np.repeat(np.arange(teams), 3).tolist()


def test_a_team_counts_as_one_annotator_with_all_its_documents() -> None:
    """With one document a team, the interval is a jackknife over teams, by hand."""
    sums = corpus_of(np.random.default_rng(1), 6, 1, 0.3)
    o, e = (np.bincount(sums.document, x) for x in (sums.observed, sums.expected))
    gamma = 1 - o.sum() / e.sum()
    logs = np.log([np.delete(o, k).sum() / np.delete(e, k).sum() for k in range(6)])
    logs -= math.log(o.sum() / e.sum())
    share = e / e.sum()
    variance = ((logs - (share * logs).sum()) ** 2).sum()
    # A document is all of its team, so nine tenths of that variance are the document's own.
    own = (((o.sum() / e.sum() * e - o) / (o.sum() / e.sum()) / e.sum()) ** 2).sum()
    t = student.ppf(0.975, 5)
    reach = math.hypot(t * math.sqrt(max(0.0, variance - 0.9 * own)), t * math.sqrt(own))
    found = intervals_over(sums, teams=members(6))
    assert found.n_teams == 6
    assert found.annotators is not None
    assert math.log((1 - found.annotators[0]) / (1 - gamma)) == pytest.approx(reach, rel=1e-6)


@pytest.mark.parametrize("teams", [5, 8])
def test_the_interval_by_teams_covers_where_that_by_annotators_does_not(teams: int) -> None:
    rng, runs = np.random.default_rng(teams), 200
    hits = np.zeros(2)
    for _ in range(runs):
        sums = corpus_of(rng, teams, 12, 0.4)
        o, e = (np.bincount(sums.document, x) for x in (sums.observed, sums.expected))
        low, high = map(float, interval_over_documents(o, e))
        for k, of in enumerate((None, members(teams))):
            both = intervals_over(sums, (low, high), teams=of).both
            assert both is not None
            hits[k] += both[0] <= 0.6 <= both[1]
    alone, by_team = hits / runs
    assert alone < 0.8
    assert 0.9 <= by_team <= 0.99


def test_few_teams_have_no_interval_and_some_have_a_caution() -> None:
    rng = np.random.default_rng(2)
    four = intervals_over(corpus_of(rng, 4, 5, 0.3), (0.5, 0.7), teams=members(4))
    assert (four.annotators, four.both) == (None, None)
    assert four.as_dict()["teams"] == 4
    assert four.as_dict()["reason"] == (
        "4 teams are too few to tell how others would differ; it takes 5"
    )
    for teams, told in ((5, True), (11, True), (12, False)):
        found = intervals_over(corpus_of(rng, teams, 5, 0.3), (0.5, 0.7), teams=members(teams))
        assert ("A bad team may be missing" in found.in_words()) == told
        assert f"{teams} teams of {3 * teams} annotators" in found.in_words()
    alone = intervals_over(corpus_of(rng, 4, 5, 0.3), (0.5, 0.7))
    assert "teams" not in alone.as_dict()
    assert "who must be independent of each other" in alone.in_words()


def test_documents_of_two_teams_are_refused() -> None:
    sums = corpus_of(np.random.default_rng(3), 5, 4, 0.3)
    with pytest.raises(DataError, match="4 documents have annotators of several teams"):
        intervals_over(sums, teams=[0, 1, 1, *members(4)[:12]])


def campaign(folder: Path, teams: int, *, mixed: bool = False) -> Path:
    """Write a table of documents by teams of two; if `mixed`, one has a member of another team."""
    rng, rows = np.random.default_rng(7), ["document,annotator,category,start,end"]
    for team in range(teams):
        for d in range(2):
            for who in (f"t{team}a", "t0a" if mixed and (team, d) == (1, 0) else f"t{team}b"):
                for k in range(4):
                    start = 10 * k + rng.random() * (1 + team)
                    rows.append(f"d{team}{d},{who},{'xy'[k % 2]},{start:.2f},{start + 5:.2f}")
    path = folder / "campaign.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def table(folder: Path, *rows: str, teams: int = 5) -> Path:
    """Write a table of teams, with further rows."""
    known = [f"t{team}{m},team {team}" for team in range(teams) for m in "ab"]
    path = folder / "teams.csv"
    path.write_text("\n".join(["annotator,team", *known, *rows]) + "\n")
    return path


@pytest.mark.parametrize("command", ["gamma", "compare"])
def test_commands_read_teams(run: Run, tmp_path: Path, command: str) -> None:
    data, teams = campaign(tmp_path, 5), table(tmp_path, "Zoe,team 1")
    found = run(command, data, "--team", teams, "--samples", 10, "--json")
    assert found.code == 0, found.err
    assert "nobody in the data is called Zoe" in found.err
    whole = json.loads(found.out)
    score = whole["corpus"] if command == "gamma" else whole["overall"]
    assert score["over"]["teams"] == 5
    assert "|teams:" in score["signature"]
    alone = json.loads(run("gamma", data, "--samples", 10, "--json").out)["corpus"]
    assert "teams" not in alone["over"]
    assert alone["gamma"] == score["gamma"]


@pytest.mark.parametrize(
    ("rows", "teams", "message"),
    [
        ((), 4, "no row for t4a, t4b"),
        (("t0a,team 1",), 5, "annotator 't0a' has two teams"),
        (("Zoe,",), 5, "annotator 'Zoe' has no team"),
        ((",team 1",), 5, "the annotator has no name"),
        (("a,b,c",), 5, "row has 3 cells"),
    ],
)
def test_bad_tables_are_errors(
    run: Run, tmp_path: Path, rows: tuple[str, ...], teams: int, message: str
) -> None:
    data = campaign(tmp_path, 5)
    found = run("gamma", data, "--team", table(tmp_path, *rows, teams=teams), "--samples", 10)
    assert found.code == 3
    assert message in found.err
    assert "teams.csv" in found.err


def test_a_document_of_two_teams_is_named(run: Run, tmp_path: Path) -> None:
    data = campaign(tmp_path, 5, mixed=True)
    found = run("gamma", data, "--team", table(tmp_path), "--samples", 10)
    assert found.code == 3
    assert "d10: its annotators are of 2 teams" in found.err


def test_a_reference_needs_no_team(run: Run, tmp_path: Path) -> None:
    data = campaign(tmp_path, 5)
    data.write_text(data.read_text() + "".join(f"d{t}0,gold,x,1,5\n" for t in range(5)))
    how = ("--reference", "gold", "--samples", 3, "--no-leave-one-out", "--json")
    found = run("compare", data, "--team", table(tmp_path), *how)
    assert found.code == 0, found.err
    assert json.loads(found.out)["overall"]["over"]["teams"] == 5
