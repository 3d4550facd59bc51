"""Differences of two rounds: their parts, their test, and the printed sentence."""

import json
from dataclasses import asdict
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from gammacp.campaign.compare import compare
from gammacp.campaign.compare.rounds import compare_rounds, difference_of
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError
from gammacp.inference.contributions import Contributions
from gammacp.measures.agreement import Agreement, agreement
from tests.conftest import Run


def parts(*observed: float, kind: str = "documents") -> Contributions:
    return Contributions(np.array(observed), np.ones(len(observed)), kind)


def place(i: int, rng: np.random.Generator, noise: float) -> tuple[float, float]:
    start, end = 20 * i + rng.normal(0, noise, 2) + (0, 12)
    return float(start), float(max(start + 1, end))


def document(seed: int, noise: float) -> Continuum:
    rng = np.random.default_rng(seed)
    units = [Unit(a, *place(i, rng, noise), "xy"[i % 2]) for a in "AB" for i in range(6)]
    return Continuum.from_units(units, bounds=(-20, 140))


def round_of(names: str, noise: float = 1.0, cluster: str = "") -> dict[str, Continuum]:
    return {n: document(ord(n), noise).in_cluster(cluster and f"{cluster}{n}") for n in names}


def measured(continua: dict[str, Continuum]) -> Agreement:
    return agreement(continua, chance="cut", samples=5)


def test_the_sentence_has_interval_p_parts_and_the_detectable_difference() -> None:
    first, second = parts(0.2, 0.3, 0.25, 0.22, 0.31), parts(0.5, 0.6, 0.55, 0.52, 0.61, 0.5)
    test = difference_of(first, second)
    assert test.p_value is not None
    assert test.p_value >= stats.ttest_ind(first.observed, second.observed).pvalue
    low, high = test.difference_interval or (0, 0)
    assert low < test.difference < high
    sentences = test.in_words()
    for part in ("γ differs by +0.291", "95% confidence", "5 and 6 documents", "`cluster=`"):
        assert part in sentences
    assert test.detectable is None  # so few documents have no known power
    assert "would find it" not in sentences
    assert "Below 20 documents" in sentences


def test_detectable_differences_are_reported_from_fifty_documents_on() -> None:
    rng = np.random.default_rng(2)
    first, second = (parts(*rng.gamma(16, 0.025, 50)) for _ in range(2))
    test = difference_of(first, second)
    assert test.detectable is not None
    record = asdict(test)["detectable"]
    assert set(record) == {"worse", "better"}
    sentences = test.in_words()
    assert (
        f"If γ were lower by {record['worse']:.3f} or higher by {record['better']:.3f}" in sentences
    )
    assert "about three of four such comparisons would find it" in sentences


def test_a_side_of_four_has_a_difference_and_no_p() -> None:
    test = difference_of(parts(0.2, 0.3, 0.25, 0.22), parts(0.5, 0.6, 0.55, 0.52, 0.61))
    assert (test.p_value, test.difference_interval, test.detectable) == (None, None, None)
    assert test.difference == pytest.approx(0.556 - 0.2425)
    assert "not tested: 4 and 5 documents are too few" in test.in_words()


def test_the_same_documents_are_paired_in_any_order() -> None:
    first = round_of("abcdef")
    second = {n: document(ord(n), 4.0) for n in "fedcba"}
    test = compare_rounds(measured(first), measured(second))
    assert (test.paired, test.parts) == (True, (6, 6))
    assert "Below 40 documents" in test.in_words()  # pairs keep their level from there on
    again = compare_rounds(measured(dict(reversed(first.items()))), measured(second))
    assert again.p_value == pytest.approx(test.p_value or 0)


def test_common_documents_that_are_not_paired_are_reported() -> None:
    test = compare_rounds(measured(round_of("abcdef")), measured(round_of("efghij", 4.0)))
    assert (test.paired, test.shared) == (False, 2)
    assert "2 documents are in both rounds" in test.in_words()


def test_clusters_are_the_parts_of_both_rounds() -> None:
    first = {n: c.in_cluster("pq"[i % 2]) for i, (n, c) in enumerate(round_of("abcdef").items())}
    test = compare_rounds(measured(first), measured(round_of("ghijkl", 4.0, "x")))
    assert (test.kind, test.parts, test.p_value) == ("clusters of documents", (2, 6), None)
    with pytest.raises(DataError, match="and the clusters of both"):
        compare_rounds(measured(first), measured(round_of("ghijkl")))


def test_different_clusters_of_the_same_documents_are_an_error() -> None:
    first, second = round_of("abcdef", 1.0, "x"), round_of("abcdef", 2.0, "x")
    second["a"], second["b"] = second["a"].in_cluster("xb"), second["b"].in_cluster("xa")
    with pytest.raises(DataError, match="document 'a' is in the cluster 'xa'"):
        compare_rounds(measured(first), measured(second))


def test_one_text_against_another(run: Run, tmp_path: Path) -> None:
    for name, noise in (("one", 1.0), ("two", 5.0)):
        rng = np.random.default_rng(len(name) + int(noise))
        rows = ["annotator,category,start,end"]
        for a, i in product("AB", range(40)):
            start, end = place(i, rng, noise)
            rows.append(f"{a},{'xy'[i % 2]},{start:.3f},{end:.3f}")
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n")
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    outcome = run("compare", one, "--against", two, "--samples", 30, "--interval", "--json")
    test = json.loads(outcome.out)["against"]
    assert test["kind"] == "unitary alignments"
    assert test["p_value"] < 0.01
    low, high = test["difference_interval"]
    assert 0 < low < test["difference"] < high
    assert test["detectable"] is None
    printed = run("compare", one, "--against", two, "--samples", 30, "--interval").out
    assert "unitary alignments)." in printed.replace("\n", " ")


@pytest.mark.parametrize("texts", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_only_an_annotator_who_differs_is_named(texts: int) -> None:
    """No annotator is named where all are alike, and a planted culprit is.

    An earlier sentence named somebody in 42 to 91 % of texts by exchangeable annotators.
    """

    def text(seed: int, worst: float) -> Continuum:
        rng, units = np.random.default_rng(seed), []
        for a in "ABCD":
            noise = worst if a == "D" else 1.0
            for i in range(60):
                units.append(Unit(a, *place(i, rng, noise), "xy"[i % 2]))
        return Continuum.from_units(units, bounds=(-30, 1230))

    named = []
    for seed in range(texts):
        gains = compare(text(seed, 1.0), by=["annotator"], draws=0, samples=10).without
        named += [e.annotator for e in gains if e.in_words()]
    assert len(named) <= 1
    gains = compare(text(1, 4.0), by=["annotator"], draws=0, samples=10).without
    assert [e.annotator for e in gains if e.in_words()] == ["D"]
    (sentence,) = filter(None, (e.in_words() for e in gains))
    assert "12 stretches; p = " in sentence
    assert "Holm over 4 annotators" in sentence
    assert "pulls" not in sentence


def test_a_gain_is_over_documents_from_five_on() -> None:
    def corpus(n: int) -> dict[str, Continuum]:
        continua = {}
        for d in range(n):
            rng = np.random.default_rng(d)
            units = [
                Unit(a, *place(i, rng, s), "x")
                for a, s in (("A", 1), ("B", 1), ("C", 4))
                for i in range(8)
            ]
            continua[f"d{d}"] = Continuum.from_units(units, bounds=(-30, 190))
        return continua

    many, few = (
        compare(corpus(n), by=["annotator"], draws=0, samples=10, chance="cut") for n in (6, 4)
    )
    assert {(e.parts, e.kind) for e in many.without} == {(6, "documents")}
    assert {(e.parts, e.kind) for e in few.without} == {(12, "stretches")}
    (c,) = (e for e in many.without if e.annotator == "C")
    assert c.p_value < 0.05
    assert many.annotators[2].p_value == c.p_value


def test_json_says_why_there_is_no_p_value(run: Run, tmp_path: Path) -> None:
    """JSON has γ and the reason why three documents a side have no p-value."""
    for round_name, shift in (("one", 0), ("two", 1)):
        folder = tmp_path / round_name
        folder.mkdir()
        for document in range(3):
            rows = [f"A,x,0,{5 + document}", "A,y,10,14", f"B,x,{shift},5", "B,y,9,14"]
            (folder / f"{document}.csv").write_text("\n".join(rows) + "\n")
    first, second = tmp_path / "one", tmp_path / "two"
    options = ("--by", "document", "--no-leave-one-out", "--samples", 10, "--json")
    against = json.loads(run("compare", first, "--against", second, *options).out)["against"]
    assert against["value"] is not None
    assert against["p_value"] is None
    assert against["reason"] == against["untested"]
    assert against["reason"].startswith("3 and 3 documents are too few to tell how they differ")
