"""The parts of γ: their sums, by hand, and pair by pair."""

import math
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gammacp as gc
from gammacp.alignment import Alignment
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.measures.agreement import agreement
from gammacp.measures.explaining.explanation import UNLABELLED, Explanation, explanation_of
from gammacp.testing import continua
from tests.alignment.pairs import pairs

LISTS = ("annotators", "pairs", "categories", "documents", "stretches")
NEAR = {"rel": 1e-12, "abs": 1e-12}


def slowly(alignment: Alignment) -> dict[tuple[str, object], float]:
    """Return the disorder charged to annotators, pairs and categories, computed pair by pair."""
    continuum, n = alignment.continuum, alignment.continuum.n_annotators
    scale = 1 / (n * (n - 1) / 2 * continuum.mean_units)
    found: dict[tuple[str, object], float] = defaultdict(float)
    for pair in pairs(alignment):
        cost = pair.dissimilarity * scale
        group = alignment.unitary_alignments[pair.unitary_alignment]
        real = [u for u in group.units.values() if u is not None]
        bearing = [u for u in (pair.first, pair.second) if u is not None] or real
        for unit in bearing:
            found["annotator", unit.annotator] += cost / len(bearing)
            found["category", unit.category or UNLABELLED] += cost / len(bearing)
        found["pair", frozenset(pair.annotators)] += cost
        if (pair.first is None) != (pair.second is None):
            empty = pair.annotators[0 if pair.first is None else 1]
            found["missed", empty] += cost
    return found


def sums_up(found: Explanation) -> None:
    for key in ("components", *LISTS):
        records = getattr(found, key)
        if records:
            assert math.fsum(r["observed"] for r in records) == pytest.approx(
                found.gamma.observed, **NEAR
            )
        if records and found.gamma.expected and records[0]["expected"] is not None:
            assert math.fsum(r["expected"] for r in records) == pytest.approx(
                found.gamma.expected, **NEAR
            )
        for record in records:
            for kind in ("observed", "expected"):
                if record.get(f"{kind}_parts") is not None:
                    parts = math.fsum(record[f"{kind}_parts"].values())
                    assert parts == pytest.approx(record[kind], **NEAR)


@settings(max_examples=20, deadline=None)
@given(continua(n_annotators=(2, 4), n_units=(1, 10)), st.booleans())
def test_parts_sum_up_and_are_those_of_the_pairs(continuum: Continuum, soft: bool) -> None:
    found = explanation_of(continuum, samples=5, cover=soft)
    sums_up(found)
    score = agreement(continuum, samples=5, cover=soft).score
    assert found.gamma.value == pytest.approx(score.value, **NEAR, nan_ok=True)
    expected = slowly(score.alignment)  # type: ignore[attr-defined]
    for record in found.annotators:
        name = record["annotator"]
        assert record["observed"] == pytest.approx(expected["annotator", name], **NEAR)
        assert record["missed"] == pytest.approx(expected["missed", name], **NEAR)
    for record in found.pairs:
        who = frozenset(record["annotators"])
        assert record["observed"] == pytest.approx(expected["pair", who], **NEAR)
    for record in found.categories:
        what = record["category"]
        assert record["observed"] == pytest.approx(expected["category", what], **NEAR)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(continua(n_annotators=(2, 3), n_units=(1, 6)), min_size=2, max_size=4),
    st.sampled_from(["documents", "cut", "corpus"]),
)
def test_parts_of_corpora_sum_up(documents: list[Continuum], chance: str) -> None:
    named = {f"d{k}": c for k, c in enumerate(documents)}
    try:
        found = explanation_of(Corpus.from_continua(named), samples=5, chance=chance)
    except DataError:  # these documents cannot have this chance model
        return
    sums_up(found)
    assert not found.stretches


def test_the_parts_by_hand() -> None:
    # A has [0, 10) x and [20, 30) y, and B [0, 10) y. The first two are aligned at cost 1
    # (category); A's other unit is alone at cost 1. x̄ is 1.5.
    units = [("A", 0, 10, "x"), ("A", 20, 30, "y"), ("B", 0, 10, "y")]
    found = explanation_of(
        gc.Continuum.from_units([gc.Unit(*u) for u in units]), samples=5, stretches=2
    )
    third = pytest.approx(2 / 3)
    assert {r["component"]: r["observed"] for r in found.components} == {
        "position": 0.0, "category": third, "absence": third,
    }  # fmt: skip
    a, b = found.annotators
    assert (a["observed"], a["missed"]) == (pytest.approx(1.0), 0.0)
    assert (b["observed"], b["missed"]) == (pytest.approx(1 / 3), third)
    assert [r["observed"] for r in found.stretches] == [third, third]
    x, y = found.categories
    assert (x["observed"], y["observed"]) == (pytest.approx(1 / 3), pytest.approx(1.0))
    expected = found.gamma.expected
    assert expected
    assert found.components[1]["gamma_if_perfect"] == pytest.approx(1 - 2 / 3 / expected)


class Alone:
    """Dissimilarity without parts."""

    def pairwise(self, u: Any, v: Any) -> Any:
        return abs(u.start - v.start) / 10.0


def test_a_dissimilarity_without_parts_has_two_components() -> None:
    units = [("A", 0, 10, "x"), ("A", 40, 50, "y"), ("B", 2, 10, "y")]
    continuum = gc.Continuum.from_units([gc.Unit(*u) for u in units])
    found = explanation_of(continuum, samples=5, dissimilarity=Alone())
    assert [r["component"] for r in found.components] == ["dissimilarity", "absence"]
    sums_up(found)
    assert "about units that others did not mark" in found.in_words()[0]
    # The annotator and the possible γ are given for the first part, by its name.
    assert found.in_words()[1].startswith("Of the disorder about units that others did not mark, ")
    best = f"{max(r['gamma_if_perfect'] for r in found.components):.4f}"
    assert f"others did not mark, γ would be at most {best}" in found.in_words()[2]


def test_perfect_agreement_has_no_disorder_to_explain() -> None:
    units = [(a, s, s + 5, "x") for a in "AB" for s in (0, 20, 50)]
    found = explanation_of(gc.Continuum.from_units([gc.Unit(*u) for u in units]), samples=5)
    assert found.in_words() == ["There is no disorder: everybody agrees on everything."]


def test_nothing_to_explain_is_an_error() -> None:
    with pytest.raises(DataError, match="no continuum has an alignment"):
        explanation_of(gc.Continuum.from_units([gc.Unit("A", 0, 10, "x")]))
