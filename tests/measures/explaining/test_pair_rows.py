"""Rows per unitary alignment and pair, whose sums are the printed values."""

import csv
import json
import math
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Combined, Continuum, Unit, align
from gammacp.datasets import load
from gammacp.measures.agreement import agreement
from gammacp.measures.explaining.pair_rows import pair_rows
from gammacp.testing import continua
from tests.conftest import Run


@settings(max_examples=40, deadline=None)
@given(continua(n_units=(1, 8)), st.sampled_from([1.0, 2.5]))
def test_rows_add_up_to_the_disorder(continuum: Continuum, delta: float) -> None:
    alignment = align(continuum, Combined(delta=delta))
    rows = pair_rows({"d": alignment}).columns
    assert math.fsum(rows["disorder"]) == pytest.approx(alignment.disorder)
    parts = (rows["cost_position"], rows["cost_category"], rows["cost_absence"])
    assert [math.fsum(p) for p in zip(*parts, strict=True)] == pytest.approx(rows["cost"])


def test_rows_are_those_of_the_alignment() -> None:
    """Rows equal those made from the objects of the alignment, pair by pair."""
    alignment = align(load("alex-paul-suzan"))
    expected = [
        (g, a, b, u and u.start, v and v.start, (u and u.category, v and v.category))
        for g, unitary in enumerate(alignment.unitary_alignments)
        for (a, u), (b, v) in combinations(unitary.units.items(), 2)
        if u is not None or v is not None
    ]
    r = pair_rows({"d": alignment}).columns
    nothing = [None if isinstance(x, float) and math.isnan(x) else x for x in r["first_start"]]
    other = [None if isinstance(x, float) and math.isnan(x) else x for x in r["second_start"]]
    labels = zip(r["first_category"], r["second_category"], strict=True)
    keys = r["unitary_alignment"], r["first"], r["second"]
    assert [*zip(*keys, nothing, other, labels, strict=True)] == expected


def test_the_cost_of_two_empty_units_is_shared() -> None:
    """One unit among four annotators: three pairs pay Δ, and share the Δ of the three
    empty pairs.
    """
    c = Continuum.from_units([Unit("Ann", 10, 14, "x")], annotators=["Ann", *"BCD"], bounds=(0, 24))
    rows = pair_rows({"d": align(c)}).columns
    assert rows["cost"] == [1.0] * 3
    assert rows["present"] == ["first"] * 3
    assert rows["disorder"] == pytest.approx([6 / 3 / 6 / 0.25] * 3)
    assert rows["place"] == [0.5] * 3


def test_the_rows_of_a_corpus_give_its_gamma() -> None:
    one = load("alex-paul-suzan")
    two = Continuum.from_units([Unit("Alex", 2, 8, "1"), Unit("Paul", 3, 8, "2")])
    named = {"one": one.in_cluster("c"), "two": two.with_weight(3.0)}
    found = agreement(named, samples=5, chance="cut")
    frame = found.to_frame()
    for name, score in found.computed.items():
        mine = frame[frame.document == name]
        assert 1 - mine.disorder.sum() / mine.expected_disorder.iloc[0] == pytest.approx(
            score.value
        )
    assert {*zip(frame.document, frame.cluster, frame.weight, strict=True)} == {
        ("one", "c", 1.0), ("two", "", 3.0)
    }  # fmt: skip


def test_features_have_costs_of_their_own(tmp_path: Path, run: Run) -> None:
    path, out = tmp_path / "u.csv", tmp_path / "rows.csv"
    path.write_text(
        "annotator,category,start,end,who\nA,x,0,4,me\nB,x,0,4,you\nA,y,6,9,me\nB,z,6,9,me\n"
    )
    kind = tmp_path / "d.toml"
    kind.write_text("[features.who]\nweight = 0.5\n")
    assert run("align", path, "--dissimilarity", kind, "--frame", out).code == 0
    with out.open(encoding="utf-8") as stream:
        rows = [*csv.DictReader(stream)]
    assert [float(r["cost_who"]) for r in rows] == pytest.approx([1 / 3, 0.0])
    assert [float(r["cost_category"]) for r in rows] == pytest.approx([0.0, 2 / 3])


def test_compare_writes_the_rows_to_a_file(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    asked = ("compare", "--dataset", "alex-paul-suzan", "--samples", 5, "--json")
    found = run(*asked, "--frame", out)
    assert "wrote" in found.err
    with out.open(encoding="utf-8") as stream:
        rows = [*csv.DictReader(stream)]
    total = math.fsum(float(r["disorder"]) for r in rows)
    assert total == pytest.approx(json.loads(found.out)["overall"]["observed_disorder"])
    assert run(*asked, "--frame", tmp_path / "rows.parquet").code == 2


def test_rows_do_not_overwrite_input(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "u.csv"
    path.write_text("A,x,0,4\nB,x,0,4\n")
    for command in ("align", "compare"):
        found = run(command, path, "--frame", path)
        assert (found.code, "files to read" in found.err) == (2, True)
    assert path.read_text() == "A,x,0,4\nB,x,0,4\n"
