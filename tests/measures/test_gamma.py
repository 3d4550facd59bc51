import math
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gammacp as gc
from gammacp import Combined, Continuum, Corpus, DataError, Unit, UsageError
from gammacp.alignment import Status
from gammacp.alignment.aligned import Aligned, AlignedPart
from gammacp.base.arrays import Floats
from gammacp.base.signature import parse
from gammacp.chance.registry import CHANCE_MODELS, default_chance
from gammacp.datasets import load
from gammacp.dissimilarity.base import UnitColumns
from gammacp.measures.gamma import gamma, soft_gamma
from gammacp.measures.gamma_corpus import gamma_corpus
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import PRESETS, Settings

APS = load("alex-paul-suzan")


def random_continuum(seed: int, n: int = 3, p: int = 15, length: int = 10) -> Continuum:
    rng = np.random.default_rng(seed)
    units = []
    for a in range(n):
        start = 0
        for _ in range(p):
            start += int(rng.integers(1, 2 * length))
            size = int(rng.integers(1, length))
            units.append(Unit(f"A{a}", start, start + size, str(rng.integers(3))))
            start += size
    return Continuum.from_units(units)


def test_parts_of_the_score() -> None:
    score = gamma(APS, seed=3)
    assert score.observed == pytest.approx(0.653541666667, abs=1e-12)
    assert score.expected is not None
    assert score.value == 1 - score.observed / score.expected
    assert score.interval is not None
    assert score.interval[0] < score.value < score.interval[1]
    assert score.status is Status.OPTIMAL
    assert score.bound == pytest.approx(score.observed, abs=1e-9)
    assert (score.annotators, score.units) == (3, 16)
    assert score.samples >= 30
    assert score.alignment.disorder == score.observed
    assert "seed:3" in score.signature
    assert "chance:cut" in score.signature


def test_interval_is_the_monte_carlo_error_of_the_expected_disorder() -> None:
    # γ of very many samples lies in most of the 95 % intervals of γ of few samples.
    truth = gamma(APS, samples=1500, seed=1).value
    intervals = [gamma(APS, samples=40, seed=s).interval or (0, 0) for s in range(2, 42)]
    covered = np.mean([lo <= truth <= hi for lo, hi in intervals])
    assert covered >= 0.85


def test_precision_rule() -> None:
    loose, tight = gamma(APS, precision=0.1), gamma(APS, precision=0.01)
    assert loose.samples == 30
    assert tight.samples > 100
    assert tight.interval is not None
    assert tight.expected is not None
    relative = (tight.interval[1] - tight.interval[0]) / 2 / (tight.observed / tight.expected)  # type: ignore[operator]
    assert relative <= 0.0102


@pytest.mark.parametrize("chance", ["shift", "statistical", "fixed-positions"])
def test_identical_annotators_give_1(chance: str) -> None:
    units = [Unit(a, s, s + 5, k) for a in "ABC" for s, k in ((0, "x"), (9, "y"), (20, "x"))]
    score = gamma(Continuum.from_units(units), chance=chance)
    assert score.value == 1
    assert score.interval == (1, 1)


def test_independent_annotators_give_0() -> None:
    reference = random_continuum(0, p=40)
    sampler = CHANCE_MODELS["shift"].prepare([reference], 3)
    values = [
        gamma(sampler.draw(np.random.default_rng(seed)), samples=30, seed=seed).value
        for seed in range(40)
    ]
    assert np.mean(values) == pytest.approx(0, abs=4 * np.std(values) / math.sqrt(len(values)))
    assert np.std(values) < 0.1


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 5),
    st.permutations(["A0", "A1", "A2"]),
    st.permutations(["0", "1", "2"]),
    st.sampled_from([-1000.0, 0.0, 1e6]),
    st.sampled_from([0.01, 1.0, 100.0]),
    st.randoms(),
)
def test_moving_scaling_renaming_and_reordering_leave_gamma_alone(
    seed: int,
    annotators: list[str],
    categories: list[str],
    shift: float,
    scale: float,
    random: object,
) -> None:
    c = random_continuum(seed, p=6)
    who = dict(zip(("A0", "A1", "A2"), annotators, strict=True))
    what = dict(zip("012", categories, strict=True))
    units = [
        Unit(who[u.annotator], u.start * scale + shift, u.end * scale + shift, what[u.category])
        for u in c
        if u.category
    ]
    random.shuffle(units)  # type: ignore[attr-defined]
    for chance in ("shift", "statistical"):
        there = gamma(c, seed=7, samples=5, chance=chance)
        back = gamma(Continuum.from_units(units), seed=7, samples=5, chance=chance)
        assert back.value == pytest.approx(there.value, abs=1e-9)


def test_one_annotator_and_no_unit_are_bad_data() -> None:
    with pytest.raises(DataError, match="needs two annotators, but there is only A"):
        gamma(Continuum.from_units([Unit("A", 0, 1, "x")]))
    with pytest.raises(DataError, match="no unit at all"):
        gamma(Continuum.from_units([], annotators=["A", "B"]))


def test_an_annotator_without_units_counts() -> None:
    c = Continuum.from_units([Unit("A", 0, 4, "x"), Unit("A", 10, 12, "x")], annotators=["B"])
    score = gamma(c, samples=20)
    # Two units alone cost Δ each, and x̄ = 1.
    assert score.observed == 2
    assert score.annotators == 2


def test_random_sets_without_any_unit_have_no_disorder() -> None:
    """With units by one of two annotators, a quarter of all random sets is empty."""
    c = Continuum.from_units([Unit("A", 0, 4, "x"), Unit("A", 10, 12, "x")], annotators=["B"])
    options = Settings.of(samples=60, chance="shift")
    found = Basis(c, options).chance(c).expected
    assert set(found.disorders[found.disorders < 0.01]) == {0.0}
    assert (found.disorders == 0).sum() == pytest.approx(15, abs=9)
    assert (found.bounds[found.disorders == 0] == 0).all()
    assert found.proven


class _Apart:
    """Dissimilarity of the distance between starts."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return np.abs(u.start - v.start)


def test_the_signature_names_the_dissimilarity() -> None:
    dissimilarity = Combined(alpha=3)
    assert dissimilarity.signature in gamma(APS, samples=2, dissimilarity=dissimilarity).signature
    assert "d:_Apart|" in gamma(APS, samples=2, dissimilarity=_Apart()).signature


def test_expected_disorder_0_is_undefined() -> None:
    c = Continuum.from_units([Unit(a, 0, 4, "x") for a in "AB"])
    score = gamma(c, chance="fixed-positions")
    assert math.isnan(score.value)
    assert score.reason is not None
    assert "expected disorder is 0" in score.reason


def test_unproven_alignments_widen_the_interval() -> None:
    c = random_continuum(1, n=4, p=12)
    exact, greedy = gamma(c, samples=20), gamma(c, samples=20, method="greedy")
    assert greedy.status is Status.FEASIBLE
    assert greedy.observed is not None
    assert exact.observed is not None
    assert greedy.observed >= exact.observed
    assert greedy.bound <= exact.observed + 1e-9
    assert greedy.interval is not None
    assert greedy.interval[0] <= exact.value <= greedy.interval[1]


def test_the_same_bits_in_another_process() -> None:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    c = random_continuum(2)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        there = gamma(c, samples=12, executor=executor)
    here = gamma(c, samples=12)
    assert (there.value, there.expected) == (here.value, here.expected)


def test_soft_gamma_pays_less_for_splits() -> None:
    units = [Unit("A", 10 * i, 10 * i + 8, "x") for i in range(8)]
    units += [Unit("B", 10 * i + h, 10 * i + h + 4, "x") for i in range(8) for h in (0, 4)]
    c = Continuum.from_units(units)
    soft, hard = soft_gamma(c, samples=30), gamma(c, samples=30)
    assert soft.observed is not None
    assert hard.observed is not None
    # A's unit is aligned with both halves, (4/12)² twice, instead of once with the other half
    # alone.
    assert soft.observed == pytest.approx(8 * 2 * (4 / 12) ** 2 / 12)
    assert hard.observed == pytest.approx(8 * ((4 / 12) ** 2 + 1) / 12)


def corpus(n: int = 4) -> Corpus:
    return Corpus.from_continua({f"d{i}": random_continuum(i, p=5 + 2 * i) for i in range(n)})


def test_gamma_of_a_corpus() -> None:
    found = gamma_corpus(corpus(), samples=30)
    scores = [s for s in found.scores.values() if isinstance(s, gc.GammaScore)]
    assert len(scores) == found.continua == 4
    expected = {s.expected for s in scores}
    assert len(expected) == 1
    assert "chance:documents" in found.signature
    weights = np.array([s.units / s.annotators for s in scores])
    observed = np.array([s.observed for s in scores], float)
    value = 1 - (weights * observed).sum() / (weights.sum() * expected.pop())  # type: ignore[operator]
    assert found.value == pytest.approx(value)
    assert found.mean == pytest.approx(np.mean([s.value for s in scores]))
    assert found.interval is not None
    assert found.interval[0] < found.value < found.interval[1]


@pytest.mark.parametrize(
    ("chance", "pools"),
    [("shift", False), ("shift-pooled", True), ("statistical", True), ("corpus", True)],
)
def test_chance_is_of_a_corpus_or_of_each_continuum(chance: str, pools: bool) -> None:
    found = gamma_corpus(corpus(3), samples=4, chance=chance)
    expected = {s.expected for s in found.scores.values()}
    assert len(expected) == (1 if pools else 3)


def test_a_small_corpus_uses_cut_and_says_so() -> None:
    found = gamma_corpus(corpus(2), samples=10)
    assert "chance:cut" in found.signature
    each = gamma(corpus(2)["d0"], samples=10, dissimilarity=Combined())
    assert found.scores["d0"].value == pytest.approx(each.value)
    with pytest.raises(DataError, match="at least 3 continua"):
        CHANCE_MODELS["corpus"].prepare(list(corpus(2).values()), 3)


def test_chance_mixes_continua_if_there_are_enough() -> None:
    two = Corpus.from_continua({f"d{i}": random_continuum(i, n=2, p=4) for i in range(2)})
    assert default_chance([two.values()]) == "documents"
    assert default_chance([corpus(3).values()]) == "documents"
    assert default_chance([corpus(2).values()]) == "cut"
    assert default_chance([corpus(1).values()]) == "cut"


def test_a_preset_has_a_model_for_one_continuum_and_for_many() -> None:
    of_2015 = PRESETS["mathet-2015"]
    assert "chance:corpus|" in gamma_corpus(corpus(3), samples=4, **of_2015).signature
    assert "chance:shift" in gamma_corpus(corpus(2), samples=4, **of_2015).signature
    assert "chance:shift" in gamma(APS, samples=4, **of_2015).signature
    assert default_chance([corpus(3).values()], "fixed-positions") == "fixed-positions"


def test_a_corpus_is_proven_if_everything_is(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("gammacp.measures.random_sets")
    assert gamma_corpus(corpus(3), samples=4).status is Status.OPTIMAL
    solve = module.align_each

    def unproven(*given: Any, **options: Any) -> Aligned:
        first, *others = found = solve(*given, **options)
        parts = [AlignedPart.of([replace(first, status=Status.FEASIBLE, bound=0.0), *others])]
        return Aligned(found.continua, found.dissimilarity, "auto", cover=False, parts=parts)

    monkeypatch.setattr(module, "align_each", unproven)
    found = gamma_corpus(corpus(3), samples=4)
    assert [s.status for s in found.scores.values() if isinstance(s, gc.GammaScore)] == [
        Status.FEASIBLE,
        Status.OPTIMAL,
        Status.OPTIMAL,
    ]
    assert found.status is Status.FEASIBLE
    assert found.observed is not None
    assert found.bound is not None
    assert found.bound < found.observed


def test_a_continuum_without_gamma_does_not_stop_the_others() -> None:
    lonely = Continuum.from_units([Unit("A0", 0, 3, "0")])
    continua = {**corpus(3), "lonely": lonely}
    found = gamma_corpus(Corpus.from_continua(continua), samples=10)
    assert found.continua == 3
    assert "two annotators" in (found.scores["lonely"].reason or "")
    assert not math.isnan(found.value)


def test_a_capped_precision_is_reported_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gammacp.chance.expected.MOST_SAMPLES", 40)
    score = gamma(APS, precision=1e-6)
    assert score.samples == 40
    (note,) = score.as_dict()["notes"]
    assert "instead of 1e-06" in note
    reached = float(parse(score.signature).parts["reached"])
    assert reached > 1e-3
    assert score.interval is not None
    assert score.expected is not None
    assert score.observed is not None
    low = 1 - score.observed / (score.expected * (1 - reached))
    assert score.interval[0] == pytest.approx(low, rel=0.05)


@pytest.mark.parametrize(("apart", "told"), [(4, True), (6, False)])
def test_few_units_that_overlap_their_annotators_others_get_a_note(apart: int, told: bool) -> None:
    units = [Unit(a, apart * i, apart * i + 5, "x") for a in "AB" for i in range(6)]
    notes = gamma(Continuum.from_units(units), samples=5).notes
    assert any("below 10, γ of independent annotators whose own" in n for n in notes) is told


@pytest.mark.parametrize("given", ["talk.csv", {"annotator": ["A"], "start": [1], "end": [2]}])
def test_an_error_says_how_to_make_a_continuum(given: Any) -> None:
    with pytest.raises(UsageError, match="read makes one of a file, Continuum"):
        gc.gamma(given)
    with pytest.raises(UsageError, match=r"give an object, such as Combined\(\)"):
        gc.gamma(Continuum.from_units([Unit("A", 1, 2), Unit("B", 1, 2)]), dissimilarity="mqm")
