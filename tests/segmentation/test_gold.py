"""Systems against a gold standard: by hand, by single measures and matchings, and their tests."""

from __future__ import annotations

import math
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.errors import DataError, UsageError
from gammacp.segmentation import (
    Codings,
    Segmentation,
    against,
    boundary_similarity,
    ghd,
    gold_report,
    load_codings,
    pk,
    segmentation_similarity,
    window_diff,
)
from gammacp.segmentation.gold import MEASURES, GoldReport, SystemScore
from gammacp.segmentation.gold_kernels import match_within
from gammacp.segmentation.statistics import difference_interval, draw_items


def codings(items: dict[str, dict[str, list[int]]]) -> Codings:
    return Codings.of(
        {
            item: {coder: Segmentation.from_masses(m) for coder, m in coders.items()}
            for item, coders in items.items()
        }
    )


def system(report: GoldReport, name: str) -> SystemScore:
    return next(s for s in report.systems if s.name == name)


def test_values_by_hand() -> None:
    # x has gold 3, 7 and system 4, 7, 9 of 11; y has gold 5 and no boundary of the system, of 9.
    both = codings({"x": {"g": [3, 4, 4], "s": [4, 3, 2, 2]}, "y": {"g": [5, 4], "s": [9]}})
    system_score = system(gold_report(both, "g"), "s")
    assert system_score.values("f").tolist() == pytest.approx([2 / 5, 0])
    assert system_score.micro("f") == pytest.approx(2 / 6)
    assert system_score.values("f_near").tolist() == pytest.approx([4 / 5, 0])
    assert system_score.micro("over") == pytest.approx(1 / 3)
    assert system_score.macro("over") == pytest.approx((1 / 3, 0, 1))
    assert system_score.micro("under") == pytest.approx(1 / 3)
    assert system_score.macro("under").mean == pytest.approx(1 / 2)
    assert system_score.micro("shift") == pytest.approx(1 / 2)  # 3 is found at 4, and 7 at 7
    # B has a near miss of ½ and an addition over three, then an addition over one.
    assert system_score.values("b").tolist() == pytest.approx([1 - 1.5 / 3, 0])
    assert system_score.micro("b") == pytest.approx(1.5 / 4)


def test_documents_are_those_of_the_single_measures() -> None:
    moonstone = load_codings("moonstone").only(["ch2", "ch5", "ch8", "ch10"])
    system_score = system(gold_report(moonstone, "an1"), "an3")
    want = {
        "b": lambda a, b: boundary_similarity(a, b).value,
        "s": lambda a, b: segmentation_similarity(a, b).value,
        "windowdiff": lambda a, b: 1 - window_diff(a, b),
        "pk": lambda a, b: 1 - pk(a, b),
        "ghd": lambda a, b: ghd(a, b).agreement,
    }
    for name, measure in want.items():
        values = [measure(moonstone[i]["an1"], moonstone[i]["an3"]) for i in system_score.documents]
        assert system_score.values(name).tolist() == pytest.approx(values)
        assert system_score.macro(name).mean == pytest.approx(np.mean(values))


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(1, 12), max_size=5), st.sets(st.integers(1, 12), max_size=5), st.data())
def test_as_many_boundaries_as_possible_match(
    a: set[int], b: set[int], data: st.DataObject
) -> None:
    reach = data.draw(st.integers(0, 4))
    one, other = sorted(a), sorted(b)
    best = (0, 0)
    for chosen in product([None, *range(len(other))], repeat=len(one)):
        used = [j for j in chosen if j is not None]
        apart = [abs(one[i] - other[j]) for i, j in enumerate(chosen) if j is not None]
        if len(used) == len(set(used)) and max(apart, default=0) <= reach:
            best = max(best, (len(used), -sum(apart)))
    rows = np.array(one + other, np.int64)
    offsets = np.array([0, len(one), len(rows)])
    ((count, shift),) = match_within(rows, offsets, np.array([0]), np.array([1]), float(reach))
    assert count == best[0]
    assert abs(shift) <= -best[1]


def test_baselines() -> None:
    both = codings({"x": {"g": [2, 6, 2], "s": [2, 6, 2]}, "y": {"g": [4, 4, 1], "s": [8, 1]}})
    report = gold_report(both, "g")
    none, everything, even = (system(report, f"({n})") for n in ("none", "all", "even"))
    assert none.micro("b") == 0
    assert none.micro("under") == 1
    assert none.macro("over").undefined == 2
    assert everything.micro("under") == 0
    assert everything.micro("over") == pytest.approx(1 - 4 / 17)
    assert even.values("f").tolist() == [0, 0]  # 3, 7 of 10 and 3, 6 of 9
    assert even.values("f_near").tolist() == [1, 0.5]
    assert report.systems[0].name == "s"
    assert not report.systems[0].baseline


def test_empty_and_shuffled_codings_come_after_people() -> None:
    # On the shared chapters, whoever is the reference, people come before every baseline.
    chapters = load_codings("moonstone").only(["ch2", "ch5", "ch8", "ch10"])
    for person in chapters.coders:
        ranking = [s.baseline for s in gold_report(chapters, person, draws=2).systems]
        assert ranking == sorted(ranking)


def test_p_is_that_of_all_exchanges_of_two_systems() -> None:
    masses = {"a": [2, 3, 5], "b": [5, 5], "g": [2, 3, 5]}
    items = {str(i): masses if i else {**masses, "a": [5, 5], "b": [2, 3, 5]} for i in range(4)}
    report = gold_report(codings(items), "g")
    codes_by_position = report.differences["a", "b"]["b"]
    # a has (1 + 2·3)/8 of the boundaries and b (2 + 3)/8; 3:1 and 4:0 either way are as far apart.
    assert codes_by_position.value == pytest.approx((1 + 2 * 3) / 8 - (2 + 3) / 8)
    assert codes_by_position.p == pytest.approx(10 / 16)
    assert codes_by_position.interval is None


def test_interval_and_p_of_many_documents() -> None:
    rng = np.random.default_rng(4)
    items = {}
    for i in range(40):
        gold = rng.random(29) < 0.2
        placed_by_name = {
            n: gold ^ (rng.random(29) < rate) for n, rate in (("good", 0.02), ("bad", 0.2))
        }
        items[str(i)] = {
            n: Segmentation.from_positions((np.flatnonzero(x) + 1).tolist(), mass=30)
            for n, x in {**placed_by_name, "twin": placed_by_name["good"], "g": gold}.items()
        }
    report = gold_report(Codings.of(items), "g", seed=7)
    worse = report.differences["good", "bad"]["b"]
    low, high = worse.interval or (math.nan, math.nan)
    assert 0 < low < worse.value < high < 1
    assert worse.p == pytest.approx(1 / 1001)
    assert report.differences["good", "twin"]["b"] == (0, (0, 0), 1, 1)
    by_p = sorted(report.differences.values(), key=lambda d: d["b"].p)
    assert by_p[0]["b"].p_holm == pytest.approx(min(1.0, len(by_p) * by_p[0]["b"].p))
    again = gold_report(Codings.of(items), "g", seed=7)
    assert str(report.as_dict()) == str(again.as_dict())


def test_intervals_cover() -> None:
    # Two fractions differ only by chance, so the interval of their difference should hold 0.
    rng = np.random.default_rng(11)
    held = 0
    for run in range(300):
        below = rng.integers(4, 12, (2, 15)).astype(float)
        above = rng.binomial(below.astype(int), 0.6).astype(float)
        parts = np.stack([above[0], below[0], above[1], below[1]])
        low, high = difference_interval(parts, draw_items(15, 400, run)) or (math.nan, math.nan)
        held += low <= 0 <= high
    assert abs(held / 300 - 0.95) < 0.035


def test_left_out_documents_and_systems_are_named() -> None:
    some = codings(
        {
            "x": {"g": [2, 2], "s": [2, 2], "t": [1, 3]},
            "y": {"g": [2, 2], "t": [2, 2]},
            "z": {"s": [1, 1]},
        }
    )
    report = gold_report(some, "g")
    assert system(report, "s").left_out == ("y", "z")
    assert system(report, "t").left_out == ()
    assert any(n.startswith("s: 2 documents") and n.endswith("y, z") for n in report.notes)
    assert [s.name for s in gold_report(some, "g", systems=["t"]).systems if not s.baseline] == [
        "t"
    ]
    with pytest.raises(UsageError, match="reference 'q' coded no item; coders are: g, s, t"):
        gold_report(some, "q")
    with pytest.raises(DataError, match="no item of 'g' is coded by a system"):
        gold_report(some.only(["x"]).without("st"), "g")
    with pytest.raises(DataError, match="no item of 's'"):
        gold_report(some.only(["z"]), "s")


def test_reference_in_a_file_of_its_own() -> None:
    gold = codings({"x": {"editor": [2, 2]}, "y": {"editor": [5]}})
    joined = against(codings({"x": {"s": [1, 3]}}), gold)
    assert gold_report(joined, "reference").systems[0].documents == ("x",)
    with pytest.raises(DataError, match=r"'x' has mass 4 for reference and 5 for s \(\+1\)"):
        against(codings({"x": {"s": [1, 4]}}), gold)
    with pytest.raises(DataError, match="'x' of the reference is coded by a, b"):
        against(gold, codings({"x": {"a": [4], "b": [4]}}))


def test_codings_without_any_boundary() -> None:
    report = gold_report(codings({"x": {"g": [6], "s": [6]}}), "g")
    system_score = system(report, "s")
    assert (system_score.micro("b"), system_score.micro("s"), system_score.micro("ghd")) == (
        1,
        1,
        1,
    )
    assert math.isnan(system_score.micro("f"))
    assert any(
        n.startswith("s: the means leave out documents without") and "f 1" in n
        for n in report.notes
    )
    assert set(system_score.as_dict()["micro"]) == set(MEASURES)


def test_systems_of_unlike_documents() -> None:
    both = codings(
        {
            "x": {"g": [3, 4], "s": [4, 3]},
            "y": {"g": [5, 4], "t": [4, 5]},
            "z": {"u": [4, 5]},
        }
    )
    report = gold_report(both, "g")
    assert math.isnan(report.differences["s", "t"]["b"].value)
    assert any("s and t: no document in common" in note for note in report.notes)
    assert any("u: left out, because it coded no document" in note for note in report.notes)
    with pytest.raises(DataError, match="'u' coded no item"):
        gold_report(both, "g", systems=["s", "u"])
    with pytest.raises(UsageError, match="is the reference"):
        gold_report(both, "g", systems=["s", "g"])


def test_intervals_of_few_documents_stay_in_range() -> None:
    """Draws in which all items are alike have an error of 1e-16, and so a t of 1e15."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        parts = rng.integers(0, 3, size=(4, 5)).astype(float)
        parts[1::2] = np.maximum(parts[1::2], parts[::2]) + 1
        ends = difference_interval(parts, draw_items(5, 200, 0), 1.0)
        assert ends is None or -1 <= ends[0] <= ends[1] <= 1


@settings(max_examples=20, deadline=None)
@given(st.data(), st.integers(1, 30))
def test_measures_of_recordings(data: st.DataObject, mass: int) -> None:
    """Purity and coverage are counted unit by unit; deviations are those of mir_eval."""
    places = st.sets(st.integers(1, mass - 1)) if mass > 1 else st.just(set[int]())
    gold, other = (Segmentation.from_positions(data.draw(places), mass=mass) for _ in range(2))
    coded = Codings.of({"x": {"g": gold, "s": other}})
    system_score = system(gold_report(coded, "g", draws=1), "s")
    labels = [
        [int(np.searchsorted(s.places, u, "right")) for u in range(mass)] for s in (gold, other)
    ]
    for name, (first_labels, second_labels) in (("coverage", labels), ("purity", labels[::-1])):
        matched = sum(
            max(
                sum(a == k and b == j for a, b in zip(first_labels, second_labels, strict=True))
                for j in set(second_labels)
            )
            for k in set(first_labels)
        )
        assert system_score.micro(name) == pytest.approx(matched / mass), name
    segment = pytest.importorskip("mir_eval.segment")
    ends = [np.cumsum(s.masses).astype(float) for s in (gold, other)]
    spans = [np.stack([np.concatenate(([0], e[:-1])), e], axis=1) for e in ends]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from_gold, to_gold = segment.deviation(*spans, trim=True)
    if gold.n_boundaries and other.n_boundaries:
        assert (system_score.micro("missed"), system_score.micro("strayed")) == (from_gold, to_gold)
    else:
        assert np.isnan(system_score.micro("missed"))
        assert np.isnan(system_score.micro("strayed"))
