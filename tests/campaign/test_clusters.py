"""Clusters of documents in compare, plan, replace and report."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Run

COMPARED = ("--samples", 5, "--by", "document", "--json")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Write twelve documents of six authors, given by the names of documents and by a column."""
    rng, rows = np.random.default_rng(1), ["document,annotator,category,start,end,author"]
    for d in range(12):
        author = f"a{d // 2}"
        for annotator in "AB":
            for i in range(5):
                start = 20 * i + rng.normal(0, 1 + d // 2)
                rows.append(f"{author}-{d},{annotator},x,{start:.2f},{start + 12:.2f},{author}")
    path = tmp_path / "units.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "authors.csv"
    path.write_text("document,cluster\n" + "".join(f"a{d // 2}-{d},a{d // 2}\n" for d in range(12)))
    return path


def test_a_column_a_pattern_and_a_table_give_the_same_interval(
    run: Run, corpus: Path, table: Path
) -> None:
    records = [
        json.loads(run("compare", corpus, *COMPARED, "--cluster", source).out)["overall"]
        for source in ("author", "{cluster}-*", table)
    ]
    intervals = [f["bootstrap"]["interval"] for f in records]
    assert intervals[0] == intervals[1] == intervals[2]
    assert {(f["bootstrap"]["kind"], f["bootstrap"]["parts"]) for f in records} == {
        ("clusters of documents", 6)
    }
    alone = json.loads(run("compare", corpus, *COMPARED).out)["overall"]
    assert alone["gamma"] == records[0]["gamma"]
    assert (alone["bootstrap"]["kind"], alone["bootstrap"]["parts"]) == ("documents", 12)
    assert np.ptp(intervals[0]) > np.ptp(alone["bootstrap"]["interval"])
    assert "cluster=author" in records[0]["signature"]
    assert "cluster=" not in alone["signature"]


@pytest.mark.slow
def test_gamma_replace_plan_and_report_know_clusters(
    run: Run, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gammacp.campaign.plan.spread.MOST_DOCUMENTS", 40)  # limits the simulation
    one, other = (
        json.loads(run("gamma", corpus, "--samples", 5, "--interval", "--json", *how).out)
        for how in ((), ("--cluster", "author"))
    )
    assert np.ptp(one["corpus"]["bootstrap"]) < np.ptp(other["corpus"]["bootstrap"])
    quick = ("--samples", 5, "--per-document", 2, "--json")
    plans = [
        json.loads(run("plan", corpus, *quick, *how).out)["pilot"]
        for how in ((), ("--cluster", "author"))
    ]
    assert [p["clusters"] for p in plans] == [0, 6]
    assert plans[1]["spread"] > plans[0]["spread"]
    page = tmp_path / "page.html"
    assert run("report", corpus, "--samples", 3, "--cluster", "author", "-o", page).code == 0
    assert "6 clusters of documents" in page.read_text(encoding="utf-8")


def test_a_verdict_rests_on_clusters(run: Run, tmp_path: Path) -> None:
    """Forty documents by four authors count as four cases: too few for a verdict that 40 give."""
    rng, rows = np.random.default_rng(2), ["document,annotator,category,start,end"]
    for d in range(40):
        for annotator in ("A", "B", "C", "system"):
            noise = 0.5 if annotator == "system" else 4
            for i in range(3):
                start = 40 * i + rng.normal(0, noise)
                rows.append(f"{d % 8}-{d},{annotator},x,{start:.2f},{start + 20:.2f}")
    path = tmp_path / "units.csv"
    path.write_text("\n".join(rows) + "\n")
    asked = ("replace", path, "--candidate", "system", "--json", "--bootstrap", 99)
    alone, clustered = (
        json.loads(run(*asked, *how).out)["candidates"]["system"]
        for how in ((), ("--cluster", "{cluster}-*"))
    )
    assert alone["passes"]
    assert (alone["clusters"], clustered["clusters"]) == (0, 8)
    for name, row in clustered["annotators"].items():
        assert row["p"] > alone["annotators"][name]["p"]
    assert "is unknown if they are in clusters" in clustered["verdict"] or clustered["passes"]
    few = json.loads(run(*asked, "--cluster", write(tmp_path, "4")).out)["candidates"]["system"]
    assert few["passes"] is None


def write(folder: Path, clusters: str) -> Path:
    path = folder / "clusters.csv"
    rows = (f"{d % 8}-{d},{d % int(clusters)}\n" for d in range(40))
    path.write_text("document,cluster\n" + "".join(rows))
    return path


@pytest.mark.usefixtures("table")
def test_a_campaign_file_declares_clusters_for_all_commands_and_rounds(
    run: Run, corpus: Path
) -> None:
    campaign = corpus.parent / "campaign.toml"
    campaign.write_text('paths = ["units.csv"]\ncluster = "authors.csv"\n')
    document = json.loads(run("compare", campaign, *COMPARED, "--against", corpus).out)
    assert document["overall"]["bootstrap"]["parts"] == 6
    assert document["against"]["kind"] == "clusters of documents"
    assert document["against"]["paired"]
    campaign.write_text('paths = ["units.csv"]\ncluster = "../authors.csv"\n')
    outside = run("compare", campaign, *COMPARED)
    assert (outside.code, "campaign.toml:2" in outside.err) == (3, True)
    for command in ("segmentation", "syntax"):
        refused = run(command, campaign)
        assert (refused.code, "cluster does not apply here" in refused.err) == (3, True)
