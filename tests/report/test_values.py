"""Values of the corpus on the page, which are those of `measure` and `gamma`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, Unit, UsageError
from gammacp.report import report
from tests.conftest import Run


def documents(annotators: str = "AB") -> dict[str, Continuum]:
    continua = {}
    for d in range(6):
        units = []
        for k in range(4 + d % 3):
            for a, who in enumerate(annotators):
                late = (d + k) % (4 - a // 2) == 0
                units.append(Unit(who, 10 * k, 10 * k + 5 + a * late, "xy"[(k + a * late) % 2]))
        continua[f"d{d}"] = Continuum.from_units(units)
    return continua


def test_values_are_those_of_measure_and_gamma() -> None:
    corpus = Corpus.from_continua(documents())
    built = report(corpus, samples=5, measures=["f1-strict", "gamma"])
    values = built.contents.values
    assert [*values] == ["gamma", "f1-strict"]
    assert values["f1-strict"] == gc.measure(corpus, ["f1-strict"])["f1-strict"]
    gamma = gc.gamma(corpus, samples=5)
    assert (values["gamma"].value, values["gamma"].mean) == (gamma.value, gamma.mean)
    assert (values["gamma"].documents, values["gamma"].of) == (6, 6)
    bootstrap = built.contents.comparison.bootstrap
    assert bootstrap is not None
    assert values["gamma"].interval == bootstrap.interval
    assert "Values to report" in built.html
    assert "6 of 6" in built.html


def test_a_single_document_has_the_requested_values() -> None:
    alone = {"d0": documents()["d0"]}
    assert not report(alone, samples=5).contents.values
    built = report(alone, samples=5, measures=["f1-strict"])
    assert [*built.contents.values] == ["f1-strict"]
    assert "Mean of documents:" in built.html


def test_an_unknown_measure_is_refused_before_computing() -> None:
    with pytest.raises(UsageError, match="f1-strikt"):
        report(documents(), measures=["f1-strikt"], samples=5)


def test_the_command_has_recall_and_precision_of_a_reference(run: Run, tmp_path: Path) -> None:
    lines = ["document,annotator,category,start,end"]
    for name, c in documents("ABC").items():
        lines += [f"{name},{u.annotator},{u.category},{u.start:g},{u.end:g}" for u in c]
    file = tmp_path / "units.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    out = tmp_path / "page.html"
    asked = ("report", file, "--reference", "A", "-m", "f1-strict,ser", "--samples", 5)
    measures = json.loads(run(*asked, "-o", out, "--json").out)["corpus"]["measures"]
    measured = json.loads(
        run("measure", file, "-m", "f1-strict,ser", "--reference", "A", "--json").out
    )["corpus"]["measures"]
    for name in ("f1-strict", "ser"):
        assert {k: v for k, v in measures[name].items() if k != "signature"} == {
            k: v for k, v in measured[name].items() if k != "signature"
        }
    assert "Recall" in out.read_text(encoding="utf-8")
