"""Weights of documents of a stratified sample, by a feature or a table, in every command."""

import json
from pathlib import Path

import numpy as np
import pytest

from gammacp.continuum import Continuum, Unit
from gammacp.continuum.declaring import declare_annotators, declare_bounds, declare_read_until
from gammacp.continuum.renaming import adopt_categories, rename_categories
from gammacp.continuum.selecting import drop_short_units, keep_annotators, keep_categories
from gammacp.measures.agreement import agreement
from gammacp.measures.explaining.explanation import explanation_of
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


def test_a_weight_counts_like_that_many_documents(continua: dict[str, Continuum]) -> None:
    """A weight of four equals four copies of the document, with chance within each document."""
    options = {"samples": 5, "chance": "cut", "seed": 1}
    many = {f"{n}-{k}": c for n, c in continua.items() for k in range(1 + int(n[1]) % 2 * 3)}
    whole = agreement(many, **options)
    found = agreement(
        {n: c.with_weight(1 + int(n[1]) % 2 * 3) for n, c in continua.items()}, **options
    )
    assert found.value == pytest.approx(whole.value, abs=1e-12)
    assert found.score.mean == pytest.approx(whole.score.mean, abs=1e-12)
    assert found.on(["d0", "d1"]) == pytest.approx(
        whole.on(["d0-0", *(f"d1-{k}" for k in range(4))])
    )
    assert found.value != pytest.approx(agreement(continua, **options).value, abs=1e-4)
    parts = found.contributions()
    assert 1 - parts.observed.sum() / parts.expected.sum() == pytest.approx(found.value)


def test_weights_of_one_change_nothing(continua: dict[str, Continuum]) -> None:
    options = {"samples": 5, "bootstrap": 50}
    one = agreement(continua, **options)
    other = agreement({n: c.with_weight(1) for n, c in continua.items()}, **options)
    assert one.score.as_dict() == other.score.as_dict()


def test_equal_weights_change_no_value(continua: dict[str, Continuum]) -> None:
    options = {"samples": 5, "bootstrap": 50}
    one = agreement(continua, **options).score
    found = agreement({n: c.with_weight(7) for n, c in continua.items()}, **options).score
    assert found.value == pytest.approx(one.value, abs=1e-12)
    assert found.bootstrap == pytest.approx(one.bootstrap, abs=1e-9)
    assert any("chance draws all documents equally" in note for note in found.notes)


def test_the_explanation_adds_up_to_the_weighted_gamma(continua: dict[str, Continuum]) -> None:
    weighted = {n: c.with_weight(1 + int(n[1])) for n, c in continua.items()}
    found = explanation_of(weighted, samples=5, chance="cut")
    observed, expected = (sum(r[k] for r in found.components) for k in ("observed", "expected"))
    assert observed == pytest.approx(found.gamma.observed)
    assert expected == pytest.approx(found.gamma.expected)
    assert sum(r["observed"] for r in found.documents) == pytest.approx(found.gamma.observed)


def test_a_feature_and_a_table_give_the_same(run: Run, corpus: Path, tmp_path: Path) -> None:
    table = tmp_path / "weights.csv"
    table.write_text("document,weight\n" + "".join(f"d{i},{1 + i % 2 * 3}\n" for i in range(8)))
    found = [
        json.loads(run("gamma", corpus, *QUICK, "--weight", said).out)["corpus"]
        for said in ("stands", table)
    ]
    plain = json.loads(run("gamma", corpus, *QUICK).out)["corpus"]
    assert found[0]["gamma"] == found[1]["gamma"] != plain["gamma"]
    assert "weight=stands" in found[0]["signature"]
    assert "weight=" in found[1]["signature"]
    assert "weight=" not in plain["signature"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("document,weight\nd0,1\n", "no row for d1, d2, d3 and 4 more"),
        (
            "document,weight\n" + "".join(f"d{i},0\n" for i in range(8)),
            "weight '0' is not a number",
        ),
        (
            "document,weight\n" + "".join(f"d{i},x\n" for i in range(8)),
            "weight 'x' is not a number",
        ),
        ("document,weight\nd0,1\nd0,2\n", "document 'd0' has two weights"),
        ("document,cluster\nd0,1\n", "there is no column 'weight'"),
    ],
)
def test_wrong_weights_are_refused(
    run: Run, corpus: Path, tmp_path: Path, text: str, message: str
) -> None:
    table = tmp_path / "w.csv"
    table.write_text(text)
    found = run("gamma", corpus, "--samples", 2, "--weight", table)
    assert (found.code, message in found.err) == (3, True), found.err


def test_weights_are_no_pattern_and_a_dataset_has_none(run: Run, corpus: Path) -> None:
    assert run("gamma", corpus, "--weight", "{weight}-*").code == 2
    assert run("gamma", "--dataset", "alex-paul-suzan", "--weight", "x").code == 2
    assert run("plan", "--model", "x.toml", "--gamma", 0.5, "--weight", "x").code == 2


def test_a_weight_stays_with_its_document() -> None:
    c = Continuum.from_units([Unit("A", 0, 1, "x"), Unit("B", 0, 3, "y")]).with_weight(2)
    for other in (
        keep_annotators(c, ["A", "B"]),
        declare_annotators(c, ["C"]),
        rename_categories(c, {"x": "z"}),
        keep_categories(c, ["x"]),
        drop_short_units(c, 0.5),
        declare_bounds(c, (0, 9)),
        declare_read_until(c, {"A": 2}),
        adopt_categories(c, c.categories, name="n"),
    ):
        assert other.weight == 2
