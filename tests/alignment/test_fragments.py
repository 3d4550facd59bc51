"""Units of several fragments: their dissimilarity, exact alignment, chance and the parts of γ."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gammacp as gc
from gammacp import Combined, Continuum, Corpus, DataError, Unit
from gammacp.alignment import align_each
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.continuum.renaming import adopt_categories, rename_annotators
from gammacp.dissimilarity import bind, unit_columns
from gammacp.dissimilarity.kernels import sporadic, sporadic_of_fragments
from gammacp.measures.explaining.explanation import explanation_of
from gammacp.measures.registry import MEASURES
from gammacp.testing import check_dissimilarity
from tests.fragments import broken_continua, broken_units

FEW = settings(max_examples=40, deadline=None)


def cells(unit: Unit) -> set[int]:
    """Return the whole positions that a unit covers."""
    fragments = unit.fragments or ((unit.start, unit.end),)
    return {p for s, e in fragments for p in range(int(s), int(e))}


def by_hand(u: Unit, v: Unit) -> float:
    """Compute the formula of docs/method by counting single positions."""
    a, b = cells(u), cells(v)
    if not a and not b:
        return 0.0 if u.start == v.start else math.inf
    places = [x | {y + 1 for y in x} or {int(w.start)} for x, w in ((a, u), (b, v))]
    distance = min(abs(p - q) for p, q in product(*places))
    return float(((len(a ^ b) + 2 * distance) / (len(a) + len(b))) ** 2)


@settings(max_examples=40, deadline=None)
@given(broken_units(), broken_units())
def test_distance_by_counting_positions(u: Unit, v: Unit) -> None:
    c = Continuum.from_units([u, v])
    place = unit_columns(c)
    found = bind(Combined(), c).positional_part(place[0], place[1])
    assert float(found) == pytest.approx(by_hand(*c), abs=1e-12)


@settings(deadline=None)
@given(*[st.integers(0, 30)] * 2, *[st.integers(1, 9)] * 2)
def test_units_without_fragments_keep_their_distance(s: int, t: int, m: int, n: int) -> None:
    u, v = (np.array([x, x + y], float) for x, y in ((s, m), (t, n)))
    assert sporadic_of_fragments(1.0, u, v) == pytest.approx(sporadic(1.0, *u, *v), abs=1e-12)


def test_promises() -> None:
    check_dissimilarity(Combined())
    check_dissimilarity(Combined(alpha=0.3, delta=2, positional="sporadic-2011"))


@FEW
@given(st.integers(2, 4).flatmap(broken_continua))
def test_best_alignment_is_that_of_full_enumeration(continuum: Continuum) -> None:
    bound = bind(Combined(), continuum)
    for cover in (False, True):
        found = gc.best_disorder(continuum, bound, cover=cover)
        every = gc.best_disorder(continuum, bound, method="brute", cover=cover)
        assert found.disorder == pytest.approx(every.disorder, abs=1e-9)
        assert found.status == "optimal"


@pytest.mark.parametrize("method", ["cpsat", "milp", "enumeration"])
def test_solvers_agree_on_fragments(method: str, broken: Continuum) -> None:
    a, b = gc.align(broken), gc.align(broken, method=method)
    assert b.disorder == pytest.approx(a.disorder, abs=1e-9)


@pytest.fixture
def broken() -> Continuum:
    """Return three annotators, a third of whose units have several fragments."""
    rng = np.random.default_rng(3)
    made = []
    for start in range(0, 200, 20):
        for name in "ABC":
            edges = start + np.cumsum(rng.integers(1, 5, size=2 * rng.choice([1, 1, 2, 3])))
            pairs = tuple(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
            fragments = pairs if len(pairs) > 1 else ()
            made.append(
                Unit(name, pairs[0][0], pairs[-1][1], str(rng.choice(["x", "y"])), fragments)
            )
    return Continuum.from_units(made, bounds=(0, 220))


def test_a_cut_between_touching_fragments_changes_nothing() -> None:
    whole = [Unit("A", 0, 10, "x"), Unit("B", 2, 9, "x"), Unit("B", 20, 30, "y")]
    cut = [Unit("A", 0, 10, "x", ((4, 10), (0, 4))), Unit("B", 2, 9, "x", ((2, 9),)), whole[2]]
    a, b = Continuum.from_units(whole), Continuum.from_units(cut)
    assert b.breaks is None and a == b
    assert gc.gamma(a, seed=1).value == gc.gamma(b, seed=1).value


def test_batches_and_duplicates_tell_fragments_apart() -> None:
    """Units that differ only in their fragments are no duplicates; the cost is counted by hand."""
    a, b = ((0, 2), (8, 10)), ((0, 4), (5, 10))
    rows = [Unit("A", 0, 10, "x", f) for f in (a, a, a, b)] + [Unit("B", 0, 10, "x", b)] * 4
    c = Continuum.from_units(rows)
    d = by_hand(rows[0], rows[-1])
    assert gc.align(c).disorder == pytest.approx(3 * d / 4)
    corpus = Corpus.from_continua({"1": c, "2": rename_annotators(c, {"A": "Z"})})
    for found in align_each([*corpus.values()], bind(Combined(), corpus)):
        assert found.disorder == pytest.approx(3 * d / 4)


def shapes(continuum: Continuum) -> Counter[tuple[float, ...]]:
    """Count the lengths and gaps of units, which no chance model may change."""
    units = [(u.end - u.start, *(e - u.start for f in u.fragments for e in f)) for u in continuum]
    return Counter(tuple(round(x, 6) for x in unit) for unit in units)


@pytest.mark.parametrize("name", [n for n, m in CHANCE_MODELS.items() if n != "fixed-positions"])
def test_chance_keeps_fragments_together(name: str, broken: Continuum) -> None:
    documents = [adopt_categories(broken, broken.categories, name=str(i)) for i in range(3)]
    model = CHANCE_MODELS[name]
    if name.startswith("statistical"):
        with pytest.raises(DataError, match="several fragments"):
            model.prepare(documents[:1], 3)
        return
    sampler = model.prepare(documents if model.built_from_all else documents[:1], 3)
    drawn = sampler.draw(np.random.default_rng(1))
    assert drawn.n_broken > 0
    assert set(shapes(drawn)) <= set(shapes(broken))


def test_gamma_is_the_same_after_moving_scaling_and_renaming(broken: Continuum) -> None:
    value = gc.gamma(broken, seed=1).value
    again = [
        Unit(
            {"A": "Z", "B": "Y", "C": "X"}[u.annotator],
            4 * u.start + 64,
            4 * u.end + 64,
            u.category,
            tuple((4 * s + 64, 4 * e + 64) for s, e in u.fragments),
        )
        for u in broken
    ]
    other = Continuum.from_units(again[::-1], bounds=(64, 4 * 220 + 64))
    assert gc.gamma(other, seed=1).value == pytest.approx(value, abs=1e-12)
    assert gc.gamma(broken.hulls(), seed=1).value != pytest.approx(value, abs=1e-3)


def test_parts_add_up(broken: Continuum) -> None:
    score, found = gc.gamma(broken, seed=1, samples=20), explanation_of(broken, seed=1, samples=20)
    for records in (found.components, found.annotators, found.pairs, found.stretches):
        total = math.fsum(r["observed"] for r in records)
        assert total == pytest.approx(score.observed, abs=1e-12)
    expected = math.fsum(r["expected"] for r in found.components)
    assert expected == pytest.approx(score.expected, abs=1e-12)


def test_measures_handle_fragments_or_refuse(broken: Continuum) -> None:
    found = gc.measure(broken, ["all"], samples=10)
    atoms = gc.measure(broken.atoms(), ["all"], samples=10)
    for name, score in found.items():
        kind = MEASURES[name].fragments
        if kind == "refused":
            assert "several fragments" in str(score.reason) or "FULL" in str(score.reason), name
        elif kind == "atoms":
            assert score.value == atoms[name].value or math.isnan(score.value), name
            assert any("counts each fragment" in n for n in score.notes), name
            with pytest.raises(DataError, match=r"several fragments.*c\.atoms\(\)"):
                MEASURES[name].function(broken)


def test_exact_f1_and_labels_of_places_see_fragments() -> None:
    cut, other = ((0, 2), (8, 10)), ((0, 4), (5, 10))
    rows = [Unit("A", 0, 10, "x", cut), Unit("B", 0, 10, "x", other), Unit("B", 0, 10, "x", cut)]
    assert gc.measure(Continuum.from_units(rows[:2]), ["f1-exact"])["f1-exact"].value == 0
    assert gc.measure(Continuum.from_units(rows[::2]), ["f1-exact"])["f1-exact"].value == 1
    reason = gc.measure(Continuum.from_units(rows[:2]), ["alpha"])["alpha"].reason
    assert "different places" in str(reason)


def test_dissimilarities_that_read_start_and_end_alone_refuse(broken: Continuum) -> None:
    for chosen in (Combined(positional="hamming"), Combined(positional=_Own())):
        with pytest.raises(DataError, match="does not support units of several fragments"):
            gc.align(broken, chosen)
    plain = bind(Combined(), broken.hulls())
    with pytest.raises(DataError, match="does not support"):
        gc.best_disorder(broken, plain)
    small = Continuum.from_units([Unit("A", 0, 9, "x", ((0, 2), (5, 9))), Unit("B", 50, 60, "x")])
    assert gc.align(small, Combined(alpha=0)).disorder == 0


class _Own:
    def pairwise(self, u, v):  # type: ignore[no-untyped-def]
        return np.abs(u.start - v.start)
