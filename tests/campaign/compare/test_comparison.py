import math

import numpy as np
import pytest

import gammacp as gc
from gammacp.campaign.compare import compare
from gammacp.campaign.compare.categories import confusion
from gammacp.campaign.compare.rounds import compare_rounds
from gammacp.continuum import Continuum, Unit
from gammacp.continuum.selecting import keep_annotators
from gammacp.errors import DataError, UsageError
from gammacp.measures.agreement import agreement

FAST = {"samples": 10}


def shifted(rows: list[tuple[str, float, float, str]], by: float = 0) -> list[Unit]:
    return [Unit(a, s + by, e + by, c) for a, s, e, c in rows]


TEXT = [
    ("Ann", 0, 10, "a"), ("Ann", 20, 30, "b"), ("Ann", 40, 50, "a"), ("Ann", 60, 72, "b"),
    ("Bob", 0, 10, "a"), ("Bob", 20, 30, "b"), ("Bob", 40, 50, "b"), ("Bob", 60, 72, "b"),
    ("Cid", 5, 18, "b"), ("Cid", 33, 39, "a"), ("Cid", 60, 64, "a"),
]  # fmt: skip


@pytest.fixture(scope="module")
def text() -> Continuum:
    return Continuum.from_units(shifted([*TEXT]), bounds=(0, 80))


def test_a_comparison_prints_in_one_line(text: Continuum) -> None:
    shown = repr(compare({"t": text}, chance="shift", **FAST))
    assert shown.startswith("Comparison(1 document by ")
    assert all(name in shown for name in text.annotators)
    assert len(shown.splitlines()[0]) < 250


def test_pairs_are_gamma_of_two(text: Continuum) -> None:
    two = keep_annotators(text, ["Ann", "Bob"])
    values = compare({"t": text}, chance="shift", **FAST).pairs.values
    assert values[0, 1] == values[1, 0] == gc.gamma(two, chance="shift", **FAST).value
    assert np.diag(values).tolist() == [1, 1, 1]


def test_pairs_share_the_random_sets_of_all(text: Continuum) -> None:
    """Pairs share the random sets of all annotators, restricted to the pair.

    Their γ is that of the pair alone, within Monte-Carlo error.
    """
    two = keep_annotators(text, ["Ann", "Bob"])
    comparison = compare({"t": text}, samples=400, draws=0)
    assert comparison.overall.chance == "cut"
    alone = gc.gamma(two, samples=400)
    pair = comparison.pairs.agreements["Ann", "Bob"].score
    assert pair.observed == alone.observed
    assert pair.value == pytest.approx(alone.value, abs=0.03)


def test_only_requested_parts_are_computed(text: Continuum) -> None:
    comparison = compare({"t": text}, by=["document"], **FAST)
    assert (comparison.pairs.agreements, comparison.without, comparison.annotators) == ({}, (), ())
    assert comparison.categories == ()
    with pytest.raises(UsageError, match="by 'documents' is unknown; did you mean 'document'"):
        compare({"t": text}, by=["documents"], **FAST)


def test_the_annotator_who_lowers_the_agreement_is_found(text: Continuum) -> None:
    comparison = compare({"t": text}, **FAST)
    gains = {entry.annotator: entry.gain for entry in comparison.without}
    assert max(gains, key=lambda a: gains[a]) == "Cid"
    assert gains["Cid"] == pytest.approx(comparison.pairs.values[0, 1] - comparison.overall.value)


def test_categories_and_confusion_by_hand(text: Continuum) -> None:
    two = keep_annotators(text, ["Ann", "Bob"])
    comparison = compare({"t": two}, **FAST)
    assert comparison.without == ()
    table = comparison.confusion
    assert table.rows == ("a", "b", "(no unit)")
    assert table.counts.tolist() == [[1, 1, 0], [1, 2, 0], [0, 0, 0]]
    assert table.confused_pairs == [("a", "b", 1)]
    by_name = {c.category: c for c in comparison.categories}
    assert by_name["a"].share_equal == 1 / 2
    assert by_name["b"].share_equal == 2 / 3
    assert by_name["a"].share_matched == 1
    assert [(a.alone, a.outvoted) for a in comparison.annotators] == [(0, 0), (0, 0)]


def test_units_alone_are_counted_against_no_unit() -> None:
    c = Continuum.from_units([Unit("A", 0, 5, "x"), Unit("A", 50, 60, "y"), Unit("B", 0, 5, "x")])
    table = confusion([gc.align(c)], c.categories)
    assert table.counts.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert table.share_matched("y") == 0
    assert math.isnan(table.share_equal("y"))


def test_a_confusion_against_a_reference_has_a_direction() -> None:
    c = Continuum.from_units(
        [
            Unit("gold", 0, 5, "x"),
            Unit("A", 0, 5, "y"),
            Unit("B", 0, 5, None),
            Unit("B", 40, 45, "x"),
        ]
    )
    table = confusion([gc.align(c)], c.categories, reference="gold")
    assert table.rows == ("x", "y", "(unlabelled)", "(no unit)")
    assert table.counts[0].tolist() == [0, 1, 1, 0]
    assert table.counts[3].tolist() == [1, 0, 0, 0]


def test_a_reference_stays_out_of_the_annotators_numbers(text: Continuum) -> None:
    with_gold = Continuum.from_units(
        [*text, *(Unit("gold", u.start, u.end, u.category) for u in text if u.annotator == "Ann")],
        bounds=text.bounds,
    )
    plain = compare({"t": text}, **FAST)
    comparison = compare({"t": with_gold}, reference="gold", **FAST)
    assert comparison.overall.value == plain.overall.value
    assert comparison.reference is not None
    by_name = {a.annotator: a for a in comparison.reference.annotators}
    assert by_name["Ann"].agreement.value == 1
    assert (by_name["Ann"].aligned, by_name["Ann"].equal) == (4, 4)
    assert (by_name["Bob"].aligned, by_name["Bob"].equal) == (4, 3)
    assert by_name["Bob"].with_others == plain.pairs.mean_with_others("Bob")


def test_annotators_may_annotate_different_documents() -> None:
    both = [("Ann", 0, 9, "a"), ("Ann", 20, 30, "b"), ("Bob", 1, 9, "a"), ("Bob", 20, 29, "b")]
    third = [("Cid", 0, 9, "a"), ("Bob", 0, 9, "a"), ("Bob", 15, 20, "b"), ("Cid", 21, 30, "b")]
    continua = {
        "one": Continuum.from_units(shifted(both), bounds=(0, 40)),
        "two": Continuum.from_units(shifted(third), bounds=(0, 40)),
    }
    comparison = compare(continua, **FAST)
    assert set(comparison.overall.documents) == {"one", "two"}
    assert math.isnan(comparison.pairs.agreements["Ann", "Cid"].value)
    assert (
        comparison.pairs.agreements["Ann", "Cid"].score.reason == "no document has both annotators"
    )
    without = {e.annotator: e for e in comparison.without}
    # No document has three annotators, so nobody can be left out of one.
    assert all(math.isnan(entry.gain) for entry in without.values())


def test_rounds(text: Continuum) -> None:
    good = keep_annotators(text, ["Ann", "Bob"])
    worse = Continuum.from_units(
        [
            u if u.annotator == "Ann" else Unit("Bob", u.start + 7, u.end + 9, u.category)
            for u in good
        ]
    )
    first = agreement({str(i): good for i in range(6)}, chance="shift", samples=10)
    second = agreement({str(i): worse for i in range(6)}, chance="shift", samples=10)
    test = compare_rounds(first, second)
    assert test.paired
    assert test.difference > 0
    assert (test.p_value, test.untested) == (None, "documents of each side are all alike")
    one, two = agreement({"x": good}, samples=10), agreement({"y": worse}, samples=10)
    single = compare_rounds(one, two)
    assert (single.kind, single.p_value) == ("unitary alignments", None)
    assert "at least 30 unitary alignments of each text" in single.in_words()


def test_errors(text: Continuum) -> None:
    with pytest.raises(DataError, match="nobody"):
        compare({"t": text}, reference="nobody")
    with pytest.raises(DataError, match="two annotators"):
        compare({"t": keep_annotators(text, ["Ann"])})


def test_many_documents_without_a_gamma_are_a_short_error() -> None:
    """One annotator in each of a thousand files is an error that names only a few of them."""
    alone = {
        f"d{k}.{a}": Continuum.from_units([Unit(a, 0, 5, "x")]) for k in range(500) for a in "AB"
    }
    with pytest.raises(DataError) as refused:
        compare(alone, samples=5)
    assert "d0.A, d1.A, d2.A, d3.A, d4.A and 495 more: agreement needs two" in str(refused.value)
    assert len(str(refused.value)) < 1000
