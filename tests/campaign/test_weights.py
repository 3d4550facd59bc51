"""Weights of documents in compare, plan, replace and report."""

import json
from pathlib import Path

import numpy as np
import pytest

from gammacp.campaign.compare import compare
from gammacp.continuum import Continuum, Unit
from tests.conftest import Run

QUICK = ("--samples", 5, "--chance", "cut", "--json")


def document(seed: int, noise: float) -> Continuum:
    rng = np.random.default_rng(seed)
    starts = 20 * np.arange(6) + rng.normal(0, noise, (3, 6))
    labels = rng.choice(["x", "y"], 6)
    return Continuum.from_units(
        Unit(name, s, s + 12, label)
        for name, row in zip("ABC", starts.tolist(), strict=True)
        for s, label in zip(row, labels.tolist(), strict=True)
    )


@pytest.fixture(scope="module")
def continua() -> dict[str, Continuum]:
    return {f"d{i}": document(i, 1 + i % 3) for i in range(8)}


@pytest.fixture
def corpus(tmp_path: Path, continua: dict[str, Continuum]) -> Path:
    rows = ["document,annotator,category,start,end,stands"]
    for i, (name, c) in enumerate(continua.items()):
        rows += [
            f"{name},{u.annotator},{u.category},{u.start!r},{u.end!r},{1 + i % 2 * 3}" for u in c
        ]
    path = tmp_path / "units.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_pairs_and_people_left_out_are_weighted(continua: dict[str, Continuum]) -> None:
    options = {"samples": 5, "chance": "cut", "draws": 0}
    many = {f"{n}-{k}": c for n, c in continua.items() for k in range(1 + int(n[1]) % 2 * 3)}
    weighted = {n: c.with_weight(1 + int(n[1]) % 2 * 3) for n, c in continua.items()}
    one, two = compare(weighted, **options), compare(many, **options)
    assert one.pairs.values == pytest.approx(two.pairs.values, abs=1e-12)
    assert [w.gain for w in one.without] == pytest.approx([w.gain for w in two.without])
    assert [c.gamma_k for c in one.categories] == pytest.approx([c.gamma_k for c in two.categories])


@pytest.mark.slow
def test_with_clusters_in_compare_plan_and_report(
    run: Run, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gammacp.campaign.plan.spread.MOST_DOCUMENTS", 20)  # limits the simulation
    table = tmp_path / "clusters.csv"
    table.write_text("document,cluster\n" + "".join(f"d{i},{i % 6}\n" for i in range(8)))
    both = ("--weight", "stands", "--cluster", table)
    overall = json.loads(run("compare", corpus, *QUICK, *both).out)["overall"]
    assert (overall["bootstrap"]["kind"], overall["bootstrap"]["parts"]) == (
        "clusters of documents", 6
    )  # fmt: skip
    assert "weight=stands" in overall["signature"]
    quick = ("--samples", 5, "--chance", "cut", "--per-document", 3, "--json")
    pilot = json.loads(run("plan", corpus, *quick, *both).out)["pilot"]
    assert pilot["gamma"] == overall["gamma"]
    page = tmp_path / "page.html"
    assert run("report", corpus, "--samples", 3, *both, "-o", page).code == 0
    assert "weight stands" in page.read_text(encoding="utf-8")


def test_a_verdict_is_weighted(run: Run, tmp_path: Path) -> None:
    """The weights decide on a candidate that is right in one stratum and wrong in the other."""
    rows = ["document,annotator,category,start,end"]
    for d in range(40):
        right = "x" if d % 2 else "y"
        rows += [f"d{d},{who},x,0,4" for who in ("A", "B", "C")]
        rows += [f"d{d},system,{right},0,4"]
    path, table = tmp_path / "u.csv", tmp_path / "w.csv"
    path.write_text("\n".join(rows) + "\n")
    rates = []
    for often in (1, 9):
        table.write_text(
            "document,weight\n" + "".join(f"d{d},{often if d % 2 else 1}\n" for d in range(40))
        )
        asked = ("replace", path, "--candidate", "system", "--weight", table, "--json")
        system = json.loads(run(*asked).out)["candidates"]["system"]
        rates.append(system["advantage_probability"])
        assert system["weighted"] == (often > 1)
    assert rates == pytest.approx([0.5, 0.9])
    assert system["annotators"]["A"]["p_exact"] is None
    assert system["enough_documents"] is None
