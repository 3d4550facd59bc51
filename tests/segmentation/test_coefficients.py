"""π, κ and bias: by hand, by equations, with groups, bootstrap and candidates."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.chance.expected import SampleRule
from gammacp.errors import DataError, UsageError
from gammacp.segmentation import (
    CandidateDrop,
    Codings,
    CorrectedSimilarity,
    Criterion,
    Mode,
    Segmentation,
    boundary_similarity,
    candidate_drops,
    coding_agreement,
    load_codings,
    merge_codings,
    segmentation_similarity,
)


def codings(items: dict[str, dict[str, list[int]]]) -> Codings:
    return Codings.of(
        {
            item: {coder: Segmentation.from_masses(m) for coder, m in coders.items()}
            for item, coders in items.items()
        }
    )


def test_two_coders_by_hand() -> None:
    # There are 10 places with a at 3 and 7, and b at 3: one full miss, S = .9. For π, P = 3/20 and
    # A_e = .0225; for κ, A_e = .2 · .1 = .02.
    agreement = coding_agreement(codings({"x": {"a": [3, 4, 4], "b": [3, 8]}})).items["x"]
    c = agreement.coefficients
    assert c.actual == pytest.approx(0.9)
    assert c.expected_pi == pytest.approx(0.0225)
    assert c.expected_kappa == pytest.approx(0.02)
    assert c.pi == pytest.approx((0.9 - 0.0225) / 0.9775)
    assert c.kappa == pytest.approx(0.88 / 0.98)
    assert c.bias == pytest.approx(0.0025)


def test_published_mode_counts_segments_and_averages_ratios() -> None:
    # Item x has 10 places and 3 and 2 segments; item y has 5 places and 1 segment each.
    both = codings({"x": {"a": [3, 4, 4], "b": [3, 8]}, "y": {"a": [6], "b": [6]}})
    agreement = coding_agreement(both, comparison=Criterion(mode=Mode.PUBLISHED)).pooled
    assert agreement.expected_pi == pytest.approx(((0.3 + 0.2 + 0.2 + 0.2) / 4) ** 2)
    assert agreement.expected_kappa == pytest.approx(4 / 15 * 3 / 15)
    assert agreement.actual == pytest.approx((9 + 5) / 15)


def reference_coefficients(all_codings: Codings, mode: Mode) -> tuple[float, float, float]:
    """Compute equations 5–16 as sums over items, coders and types, without missing codings."""
    extra = mode is Mode.PUBLISHED
    similar = compared = 0.0
    for coders in all_codings.values():
        for a, b in combinations(coders.values(), 2):
            s = segmentation_similarity(a, b)
            similar += a.potential_boundaries * s.value
            compared += a.potential_boundaries
    pi = kappa = 0.0
    for kind in all_codings.types:
        ratios: list[tuple[int, int]] = []
        by_coder: dict[str, list[tuple[int, int]]] = {}
        for coders in all_codings.values():
            for coder, s in coders.items():
                row = (len(s.of_type(kind)) + extra, s.mass - 1)
                ratios.append(row)
                by_coder.setdefault(coder, []).append(row)
        if extra:
            rate = sum(n / places for n, places in ratios) / len(ratios)
        else:
            rate = sum(n for n, _ in ratios) / sum(places for _, places in ratios)
        pi += rate**2
        rates = {
            coder: sum(n for n, _ in rows) / sum(p for _, p in rows)
            for coder, rows in by_coder.items()
        }
        products = [
            rates[a] * rates[b]
            for a, b in combinations(rates, 2)
            if any(a in coders and b in coders for coders in all_codings.values())
        ]
        kappa += sum(products) / len(products)
    actual = similar / compared
    return (actual - pi) / (1 - pi), (actual - kappa) / (1 - kappa), pi - kappa


@st.composite
def corpora(draw: st.DrawFn) -> Codings:
    """Draw one to three items by up to four coders, with missing codings and one or two types."""
    types = draw(st.sampled_from(["x", "xy"]))
    items = {}
    for item in range(draw(st.integers(1, 3))):
        mass = draw(st.integers(8, 14))  # never a boundary at every place
        coders = draw(st.sets(st.sampled_from("abcd"), min_size=2))
        places = st.sets(st.integers(1, mass - 1), max_size=4)
        items[str(item)] = {
            coder: Segmentation.from_typed(
                {kind: draw(places) for kind in types}, mass=mass, types=types
            )
            for coder in sorted(coders)
        }
    return Codings.of(items)


@settings(max_examples=20, deadline=None)
@given(corpora(), st.sampled_from(Mode))
def test_coefficients_are_those_of_the_equations(corpus: Codings, mode: Mode) -> None:
    agreement = coding_agreement(corpus, comparison=Criterion(mode=mode)).pooled
    pi, kappa, bias = reference_coefficients(corpus, mode)
    assert (agreement.pi, agreement.kappa, agreement.bias) == pytest.approx((pi, kappa, bias))


@settings(max_examples=20, deadline=None)
@given(corpora())
def test_renaming_coders_and_shuffling_items_changes_nothing(corpus: Codings) -> None:
    renamed = Codings.of(
        {
            item: {f"{coder}!": s for coder, s in reversed(list(coders.items()))}
            for item, coders in reversed(list(corpus.items()))
        },
        types=corpus.types,
    )
    before, after = coding_agreement(corpus).pooled, coding_agreement(renamed).pooled
    assert (before.pi, before.kappa) == pytest.approx((after.pi, after.kappa))


def test_coefficients_on_b() -> None:
    corpus = codings({"x": {"a": [3, 4, 4], "b": [3, 8]}})
    agreement = coding_agreement(corpus, comparison=Criterion(basis=CorrectedSimilarity.B)).pooled
    b = boundary_similarity(*corpus["x"].values()).value
    assert agreement.actual == b == 0.5
    assert agreement.pi == pytest.approx((0.5 - 0.0225) / 0.9775)


def test_on_b_pairs_are_weighted_by_their_boundaries() -> None:
    # x has 2 boundaries and B = ½ of 2; y has 3 of 3 matches. Σ(1, 3)/Σ(2, 3), whatever the masses.
    corpus = codings(
        {"x": {"a": [3, 4, 4], "b": [3, 8]}, "y": {"a": [1, 1, 1, 1], "b": [1, 1, 1, 1]}}
    )
    agreement = coding_agreement(corpus, comparison=Criterion(basis=CorrectedSimilarity.B)).pooled
    assert agreement.actual == pytest.approx(4 / 5)


def test_coders_without_boundaries_agree() -> None:
    agreement = coding_agreement(codings({"x": {"a": [9], "b": [9], "c": [9]}})).items["x"]
    assert agreement.coefficients.pi == agreement.coefficients.kappa == 1
    assert agreement.windowdiff == (1, 0, 0)


def test_undefined_coefficients_have_a_reason() -> None:
    everywhere = coding_agreement(codings({"x": {"a": [1, 1, 1], "b": [1, 1, 1]}}))
    assert math.isnan(everywhere.pooled.pi)
    assert "chance agreement is 1" in str(everywhere.pooled.reason)
    # Published mode counts 3 segments on 2 places.
    beyond = coding_agreement(
        codings({"x": {"a": [1, 1, 1], "b": [1, 1, 1]}}), comparison=Criterion(mode=Mode.PUBLISHED)
    )
    assert math.isnan(beyond.pooled.pi)
    assert "chance agreement is 2.25" in str(beyond.pooled.reason)
    tiny = coding_agreement(codings({"x": {"a": [1], "b": [1]}}))
    assert math.isnan(tiny.pooled.kappa)
    assert tiny.pooled.reason == "no potential boundary"
    nowhere = codings({"x": {"a": [10], "b": [10]}})
    assert coding_agreement(nowhere).pooled.actual == 1
    assert coding_agreement(
        nowhere, comparison=Criterion(basis=CorrectedSimilarity.B)
    ).pooled.reason == ("no boundary")


def test_undefined_items_do_not_affect_others() -> None:
    corpus = codings({"x": {"a": [3, 4, 4], "b": [3, 8]}, "y": {"c": [1], "d": [1]}})
    agreement = coding_agreement(corpus)
    assert math.isnan(agreement.items["y"].coefficients.pi)
    assert agreement.over_groups("pi") == (agreement.items["x"].coefficients.pi, 0, 1)
    assert agreement.pooled.pi == pytest.approx(agreement.items["x"].coefficients.pi)
    assert agreement.corpus.windowdiff[:2] == agreement.items["x"].windowdiff[:2]
    assert agreement.corpus.windowdiff.undefined == 2  # the ordered pairs of y


def test_bad_codings() -> None:
    with pytest.raises(DataError, match="item 'x' is coded by a only"):
        coding_agreement(codings({"x": {"a": [3]}}))
    with pytest.raises(DataError, match="item 'x' has mass 3 for a and 4 for b"):
        codings({"x": {"a": [3], "b": [4]}})
    with pytest.raises(DataError, match="no item"):
        coding_agreement(Codings.of({}))
    with pytest.raises(DataError, match="coder 'a' has two segmentations of item 'x'"):
        merge_codings([codings({"x": {"a": [3]}}), codings({"x": {"a": [1, 2]}})])
    with pytest.raises(DataError, match="boundary type 'y' is unknown"):
        Codings.of({"i": {"a": Segmentation.from_typed({"y": [1]}, mass=3)}}, types=["z"])


def test_groups_are_coders_that_occur_together() -> None:
    corpus = codings(
        {
            "1": {"a": [3], "b": [3]},
            "2": {"c": [3], "d": [1, 2]},
            "3": {"b": [2, 1], "a": [3]},
            "4": {"a": [3], "b": [3], "c": [3]},
        }
    )
    assert [g.items for g in corpus.groups()] == [("1", "3"), ("2",), ("4",)]


def two_groups() -> dict[str, dict[str, list[int]]]:
    """Return two groups of two people each, under the same names."""
    return {
        "1": {"a": [3, 3], "b": [3, 3]},
        "2": {"a": [2, 2, 2], "b": [1, 1, 4]},
        "3": {"a": [6], "b": [1, 5]},
    }


def test_groups_can_be_declared() -> None:
    corpus = codings(two_groups())
    assert [g.items for g in corpus.groups()] == [("1", "2", "3")]
    declared = corpus.with_groups([["3", "1"], ["2"]])
    assert [g.items for g in declared.groups()] == [("1", "3"), ("2",)]
    assert declared.shared_names == ("a", "b")
    # A further item leaves declared groups unchanged, and is a group of its own.
    more = merge_codings([declared, codings({"4": {"a": [6], "b": [6]}})])
    assert [g.items for g in more.groups()] == [("1", "3"), ("2",), ("4",)]
    assert [g.items for g in more.without("b").only(["2", "4"]).groups()] == [("2",), ("4",)]


def test_anonymous_coders_are_people_of_their_group_only() -> None:
    named = codings(two_groups()).with_groups([["1"], ["2", "3"]])
    anonymous = named.with_groups(anonymous=True)
    all_codings = codings(
        {
            item: {f"{coder} {item in '23'}": masses for coder, masses in coders.items()}
            for item, coders in two_groups().items()
        }
    )
    assert anonymous.shared_names == ()
    for agreement in (
        coding_agreement(anonymous),
        coding_agreement(anonymous.with_groups([["2", "3"]])),
    ):
        assert agreement.pooled.kappa == coding_agreement(all_codings).pooled.kappa
    assert coding_agreement(named).pooled.kappa != coding_agreement(all_codings).pooled.kappa
    # Without declared groups, a name means nothing outside of its item.
    assert len(codings(two_groups()).with_groups(anonymous=True).groups()) == 3


def test_wrong_groups() -> None:
    corpus = codings(two_groups())
    with pytest.raises(DataError, match="groups name an item '7' that nobody coded"):
        corpus.with_groups([["1", "7"]])
    with pytest.raises(DataError, match="item '1' occurs 2 times in the groups"):
        corpus.with_groups([["1", "2"], ["1"]])
    with pytest.raises(UsageError, match="item '7' does not occur"):
        corpus.renamed({"7": "8"})


def test_groups_follow_renamed_items() -> None:
    corpus = merge_codings([codings(two_groups()), codings({"4": {"c": [6]}})])
    renamed = corpus.with_groups([["1", "2"], ["3"]], anonymous=True).renamed({"1": "x", "4": "3"})
    assert [g.items for g in renamed.groups()] == [("x", "2"), ("3",)]
    assert set(renamed["3"]) == {"a", "b", "c"}
    assert renamed.anonymous


def test_bootstrap_over_items() -> None:
    corpus = load_codings("moonstone")
    agreement = coding_agreement(corpus, bootstrap=200, seed=4)
    assert agreement.intervals is not None
    assert agreement.intervals.pi is not None
    lo, hi = agreement.intervals.pi
    assert lo < agreement.pooled.pi < hi
    assert coding_agreement(corpus, bootstrap=200, seed=4).intervals == agreement.intervals
    one = coding_agreement(corpus.only(["ch1"]), bootstrap=50).intervals
    assert one is not None
    assert one.pi is None
    with pytest.raises(UsageError, match="bootstrap -1 < 0"):
        coding_agreement(corpus, bootstrap=-1)


def only_candidate(corpus: Codings, names: list[str]) -> CandidateDrop:
    rule = SampleRule(samples=2)
    (drop,) = (d for d in candidate_drops(corpus, names, rule=rule) if not d.baseline)
    return drop


def test_a_candidate_by_hand() -> None:
    # Coders have two segments of 2 and 1 in either order: B is 1, or ½ for unlike orders, and E[1 −
    # B] is ¼ for every pair. The people agree only in x, and the candidate with three of four.
    corpus = codings(
        {"x": {"a": [1, 2], "b": [1, 2], "m": [1, 2]}, "y": {"a": [1, 2], "b": [2, 1], "m": [1, 2]}}
    )
    (drop,) = (
        d for d in candidate_drops(corpus, ["m"], rule=SampleRule(samples=2000)) if not d.baseline
    )
    assert drop.people["b"] == pytest.approx(1 - 0.5 / 0.5, abs=0.06)
    assert drop.own == pytest.approx(1 - 0.5 / 1, abs=0.04)
    assert drop.joined["b"] == pytest.approx(1 - 1 / 1.5, abs=0.04)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))]
)
def test_empty_and_shuffled_candidates_are_never_as_good_as_people(seed: int) -> None:
    # People agree on most boundaries, whatever their number; and in chapters that ship.
    rng = np.random.default_rng(seed)
    items = {}
    for i in range(8):
        truth = rng.random(39) < rng.choice([0.05, 0.1, 0.3])
        truth[rng.integers(39)] = True
        items[str(i)] = {
            c: Segmentation.from_positions(
                (np.flatnonzero(truth ^ (rng.random(39) < 0.04)) + 1).tolist(), mass=40
            )
            for c in "abcm"
        }
    codings = Codings.of(items)
    shipped = load_codings("moonstone").only(["ch2", "ch5", "ch8", "ch10"])
    for corpus, name in ((codings, "m"), (shipped, f"an{seed + 1}")):
        drops = {d.candidate: d for d in candidate_drops(corpus, [name], seed=seed)}
        assert min(drops, key=lambda n: drops[n].drop["b"]) == name
        for baseline in ("(none)", "(all)", "(shuffled)", "(even)"):
            assert drops[baseline].drop["b"] > 0.03
            assert drops[baseline].own < drops[name].own
    # By the paper's criterion, a coder without boundaries does not lower agreement on the chapters.
    assert drops["(none)"].drop["pi_s"] < 0.01


def test_candidates_are_ranked_by_the_drop_of_agreement() -> None:
    rng = np.random.default_rng(0)
    items = {}
    for i in range(6):
        people = [[5, 5, 5, 5], [5, 6, 4, 5], [5, 5, 10]]
        places = np.flatnonzero(rng.random(19) < 0.5) + 1
        items[str(i)] = {
            **dict(zip("abc", people, strict=True)),
            "good": [5, 5, 5, 5],
            "bad": np.diff([0, *places, 20]).tolist(),
        }
    corpus = codings(items)
    ranked = candidate_drops(corpus, ["bad", "good"], bootstrap=100)
    assert ranked[0].candidate == "good"
    good, bad = (d for d in ranked if not d.baseline)
    assert (good.candidate, bad.candidate) == ("good", "bad")
    assert good.items == 6
    assert good.drop["b"] < 0 < bad.drop["b"]
    assert good.drop["pi_s"] < 0 < bad.drop["pi_s"]
    assert bad.interval is not None
    assert bad.interval[0] <= bad.drop["b"] <= bad.interval[1]
    # The people's agreement is the same beside every candidate, and excludes the candidates.
    assert good.people == bad.people
    assert good.people["pi_s"] == coding_agreement(corpus.without(["good", "bad"])).pooled.pi
    with_good = coding_agreement(corpus.without(["bad"])).pooled
    assert good.joined["pi_s"] == pytest.approx(with_good.pi)


def test_agreement_of_the_people_is_that_of_the_corpus() -> None:
    """Groups whose coders share names stay distinct for κ, even with a candidate."""
    people = load_codings("moonstone")
    machine = Codings.of(
        {i: {"auto": Segmentation.from_masses([s["an1"].mass])} for i, s in people.items()}
    )
    drop = only_candidate(merge_codings([people, machine]), ["auto"])
    pooled = coding_agreement(people).pooled
    assert (drop.people["pi_s"], drop.people["kappa_s"]) == (pooled.pi, pooled.kappa)
    assert drop.left_out == 0
    partly = only_candidate(merge_codings([people, machine.only(["ch1", "ch2"])]), ["auto"])
    assert (partly.items, partly.left_out) == (2, 6)


def test_bad_candidates() -> None:
    corpus = codings({"x": {"a": [3], "b": [3]}})
    with pytest.raises(UsageError, match="candidate 'z' coded no item"):
        candidate_drops(corpus, ["z"])
    with pytest.raises(DataError, match="candidate 'b' shares no item with two people"):
        candidate_drops(corpus, ["b"])
