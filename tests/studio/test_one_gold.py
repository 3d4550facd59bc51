"""The gold standard by every path: the same units, boundaries and order of review."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import gammacp as gc
from gammacp import datasets
from gammacp.campaign.consensus import Consensus, consensus_of_each
from gammacp.campaign.consensus.gold_tables import to_review
from gammacp.studio.choice import Choice
from gammacp.studio.review import gold
from gammacp.studio.work import compute

BESIDE = Path(os.environ.get("GAMMACP_DATA", Path(__file__).parents[3] / "shared" / "data"))
REAL = {
    "brat": "formats/brat",  # four people and seven newspaper articles, enough to estimate weights
    "times": "gamma/MaureenMarvinRobin.eaf",
    "clips": "gamma/3by100.csv",
}
Run = Callable[..., Any]
Gold = list[tuple[Any, ...]]
FEW = ("--samples", 2, "--no-interval")


def fragments() -> gc.Corpus:
    """Return two documents of units of several fragments, which only the review page refuses."""
    pieces = {"A": ((0, 4), (6, 9)), "B": ((1, 5), (6, 9)), "C": ((0, 4), (7, 9))}
    units = [gc.Unit(n, p[0][0], p[-1][1], "x", p) for n, p in pieces.items()]
    document = gc.Continuum.from_units([*units, gc.Unit("A", 20, 24, "y"), gc.Unit("B", 21, 26)])
    return gc.Corpus.from_continua({"one": document, "two": document})


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    inside = tmp_path / "campaign"
    inside.mkdir()
    match request.param:
        case "fragments":
            gc.write(fragments(), inside / "units.json")
        case "alex-paul-suzan" | "3by100" as name:
            gc.write(datasets.load(name), inside / "units.csv")
        case name:
            source = BESIDE / REAL[name]
            if not source.exists():
                pytest.skip(f"{source} is not there: set GAMMACP_DATA")
            if source.is_dir():
                shutil.copytree(source, inside, dirs_exist_ok=True)
            else:
                shutil.copy(source, inside)
    return inside


def of_json(document: Mapping[str, Any]) -> tuple[Gold, Gold]:
    """Return the gold standard and the review list of `consensus --json`, without document
    names.
    """
    units = [
        [(u["start"], u["end"], u["category"], u["kept"], tuple(u["reasons"])) for u in r["units"]]
        for r in document["results"]
    ]
    order = [[us[i] for i in r["review"]] for us, r in zip(units, document["results"], strict=True)]
    return [unit for us in units for unit in us if unit[3]], order


def of_documents(documents: Mapping[str, Consensus]) -> tuple[Gold, Gold]:
    def of(unit: Any) -> tuple[Any, ...]:
        return (unit.start, unit.end, unit.category, unit.kept, unit.reasons)

    return (
        [of(u) for c in documents.values() for u in c.kept],
        [[of(u) for u in c.review] for c in documents.values()],
    )


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Collect the reports that the command line makes."""
    import gammacp.report as package

    reports: list[Any] = []
    original = package.report

    def report(*given: Any, **options: Any) -> Any:
        reports.append(original(*given, **options))
        return reports[-1]

    monkeypatch.setattr(package, "report", report)
    return reports


OTHERS = [("--beta", 2, "--delta", 2), ("--preset", "mathet-2015")]


@pytest.mark.parametrize(
    ("folder", "options"),
    [
        *((name, ()) for name in ("alex-paul-suzan", "3by100", "fragments")),
        *(pytest.param(name, (), marks=pytest.mark.slow) for name in REAL),
        ("3by100", OTHERS[0]),
        pytest.param("3by100", OTHERS[1], marks=pytest.mark.slow),
    ],
    indirect=["folder"],
)
def test_command_report_and_studio_agree(
    run: Run,
    folder: Path,
    built: list[Any],
    options: tuple[Any, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcome = run("consensus", folder, *options, "--json", "--splits", 0)
    assert outcome.code == 0, outcome.err
    document = json.loads(outcome.out)
    expected = of_json(document)
    assert expected[0]
    listed = [row["file"] for row in document["results"]]

    assert run("report", folder, *options, *FEW, "-o", tmp_path / "page.html").code == 0
    gold_standard = built[0].contents.gold
    assert of_documents(gold_standard.documents) == expected
    assert gold_standard.belief.weights == document["weights"]
    assert list(gold_standard.documents) == listed

    served: list[Any] = []
    monkeypatch.setattr("gammacp.studio.server.serve", lambda _, given, **__: served.append(given))
    assert run("studio", folder, *options, "--samples", 2, "--no-browser").code == 0
    findings = compute(folder, Choice(), served[0], tmp_path)
    assert findings.problem is None
    assert findings.review is not None
    in_studio = findings.review.consensus
    assert of_documents(in_studio) == expected

    every = [gold_standard.documents, in_studio]
    if not options:
        every.append(consensus_of_each(gc.read_corpus(folder)).documents)
        assert of_documents(every[-1]) == expected
    reviews = [[r["reasons"] for r in to_review(each).records] for each in every]
    assert reviews.count(reviews[0]) == len(reviews)
    if any(c.continuum.n_broken for c in in_studio.values()):
        return
    decided_gold = gold(in_studio, {}).continua
    assert [(u.start, u.end, u.category) for c in decided_gold.values() for u in c] == [
        u[:3] for u in expected[0]
    ]


def test_a_vote_on_one_alignment_is_that_of_the_corpus() -> None:
    continuum = datasets.load("alex-paul-suzan")
    alone = gc.consensus(gc.align(continuum))
    assert of_documents({"": alone}) == of_documents(consensus_of_each(continuum).documents)
