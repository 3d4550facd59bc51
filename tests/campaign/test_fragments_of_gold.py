"""Gold standards of units of several fragments: the positions that most of them cover."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gammacp as gc
from gammacp import Continuum, DataError, Label, Unit, read
from gammacp.campaign.consensus.gold_tables import review_workbook
from gammacp.campaign.consensus.several import consensus_of_each
from gammacp.campaign.replace.scores import SCORES, Aligning
from gammacp.formats.summary import summary
from gammacp.studio.review import item_keys

A, B, C = ((0, 4), (6, 9)), ((1, 5), (6, 9)), ((0, 4), (7, 9))
ROWS = [Unit("A", 0, 9, "x", A), Unit("B", 1, 9, "x", B), Unit("C", 0, 9, "x", C)]


def test_gold_fragments_are_what_most_annotators_cover() -> None:
    gold_standard = gc.consensus(gc.align(Continuum.from_units(ROWS, text="0123456789")))
    (unit,) = gold_standard.units
    assert (unit.start, unit.end, unit.fragments) == (0, 9, ((0, 4), (6, 9)))
    assert unit.text == "0123 … 678"
    assert "fragments differ" in unit.reasons
    assert gold_standard.continuum.unit(0).fragments == ((0, 4), (6, 9))


def test_identical_fragments_and_whole_units_win() -> None:
    alike = [Unit(name, 0, 9, "x", A) for name in "ABC"]
    (unit,) = gc.consensus(gc.align(Continuum.from_units(alike))).units
    assert (unit.fragments, unit.reasons) == (A, ())
    whole = [Unit("A", 0, 9, "x", A), Unit("B", 0, 9, "x"), Unit("C", 0, 9, "x")]
    (unit,) = gc.consensus(gc.align(Continuum.from_units(whole))).units
    assert (unit.start, unit.end, unit.fragments) == (0, 9, ())


def test_command(run: Callable[..., Any], tmp_path: Path) -> None:
    gc.write(Continuum.from_units(ROWS), tmp_path / "a.csv")
    gold = tmp_path / "gold.csv"
    outcome = run("consensus", tmp_path / "a.csv", "-o", gold, "--json")
    assert outcome.code == 0, outcome.err
    assert [u.fragments for u in read(gold)] == [((0, 4), (6, 9))]
    assert '"fragments"' in outcome.out
    json.loads(outcome.out)
    outcome = run("gamma", tmp_path / "a.csv", "--samples", 5, "--json", "--explain")
    assert outcome.code == 0, outcome.err
    assert run("align", tmp_path / "a.csv").code == 0
    assert run("measure", tmp_path / "a.csv", "-m", "ser").code == 3


def test_models_keep_fragments() -> None:
    documents = {str(k): Continuum.from_units(ROWS) for k in range(4)}
    gold_standards = consensus_of_each(documents, weights="one-coin")
    assert [c.continuum.n_broken for c in gold_standards.documents.values()] == [1] * 4


def test_soft_f1_refuses_fragments() -> None:
    with pytest.raises(DataError, match="several fragments"):
        list(SCORES["soft-f1"].instances({"d": Continuum.from_units(ROWS)}, Aligning()))


def test_models_decide_on_the_category_and_then_on_features() -> None:
    """A model decides on the category before its features.

    As whole labels, x [s=1] and x [s=2] would share the votes that outweigh y.
    """
    labels = [Label("x", {"s": "1"}), Label("x", {"s": "1"}), Label("x", {"s": "2"}), "y", "y"]
    units = [
        Unit(name, 20 * k, 20 * k + 9, label)
        for k in range(40)
        for name, label in zip("ABCDE", labels, strict=True)
    ]
    gold_standards = consensus_of_each({"d": Continuum.from_units(units)}, weights="one-coin")
    gold = gold_standards.documents["d"].continuum
    assert {gold.categories[c] for c in gold.category_codes} == {labels[0]}
    assert gold_standards.belief.responses is not None
    assert set(gold_standards.belief.responses.labels[:-1]) == {"x", "y"}


def test_review_lists_of_fragments_are_refused() -> None:
    whole = [Unit("A", 0, 9, "x", A), Unit("B", 0, 9, "x"), Unit("C", 0, 9, "x")]
    gold_standard = gc.consensus(gc.align(Continuum.from_units(whole)))
    assert not gold_standard.continuum.n_broken
    for refused in (
        lambda: review_workbook({"d": gold_standard}),
        lambda: item_keys(gold_standard),
    ):
        with pytest.raises(DataError, match="The annotators and the consensus have 1"):
            refused()


def test_covered_text_leaves_the_gaps_out() -> None:
    parts = ((0, 10), (90, 100))
    c = Continuum.from_units([Unit("A", 0, 100, "x", parts), Unit("A", 40, 50, "x")])
    counted_content = summary(c)
    counts = counted_content.annotators["A"]
    assert (counts.coverage, counts.gaps, counts.overlaps) == (pytest.approx(0.3), 2, 0)
    assert counted_content.lengths is not None
    assert counted_content.lengths.mean == 15
