"""Values of a corpus: by hand, for concatenated documents, and γ's own corpus value."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, DataError, Unit, UsageError
from gammacp.inference.counted import Pooled, interval_of_counts
from gammacp.inference.part_tests import interval_over_documents
from gammacp.measures.registry import MEASURES

# Random sets of these measures depend on the order of annotators.
DRAWN = {"gamma", "soft-gamma", "gamma-cat", "gamma-k", "staccato"}


def two(gold: list[tuple[int, int, str]], system: list[tuple[int, int, str]]) -> Continuum:
    units = [Unit("gold", *u) for u in gold] + [Unit("sys", *u) for u in system]
    return Continuum.from_units(units, annotators=["gold", "sys"], bounds=(0, 100))


@pytest.fixture
def corpus() -> Corpus:
    many = [(10 * k, 10 * k + 5, "PER" if k % 2 else "LOC") for k in range(8)]
    wrong = [(90, 95, "ORG")], [(97, 99, "ORG")]
    return Corpus.from_continua({"d1": two(many, many), "d2": two(*wrong)})


def test_a_corpus_has_the_value_of_sums_and_the_mean_of_documents(corpus: Corpus) -> None:
    score = gc.measure(corpus, ["f1-exact"], by="category")["f1-exact"]
    assert score.value == pytest.approx(16 / 18)
    assert score.mean == pytest.approx(0.5)
    assert (score.documents, score.of, score.support) == (2, 2, 18)
    assert {k: s.value for k, s in score.by_category.items()} == {"LOC": 1, "ORG": 0, "PER": 1}
    assert score.macro == pytest.approx(2 / 3)
    assert score.interval is None
    assert "fewer than 5 documents" in score.notes[-1]


def test_recall_and_precision_against_a_reference() -> None:
    gold = [(0, 5, "a"), (10, 15, "a"), (20, 25, "b"), (30, 35, "b")]
    corpus = Corpus.from_continua(
        {"d1": two(gold, gold[:2]), "d2": two(gold, [*gold[:1], (60, 65, "a")])}
    )
    for name in ("f1-strict", "f1-exact", "f1-partial", "soft-f1"):
        score = gc.measure(corpus, [name], reference="gold")[name]
        assert (score.recall, score.precision) == pytest.approx((3 / 8, 3 / 4)), name
        turned = gc.measure(corpus, [name], reference="sys")[name]
        assert (turned.recall, turned.precision) == pytest.approx((3 / 4, 3 / 8)), name
        assert (score.support, turned.support) == (8, 4)
    errors = gc.measure(corpus, ["ser"], reference="gold")["ser"]
    assert errors.value == pytest.approx(1 - 6 / 8)  # 5 deletions and an insertion


def test_partial_credit() -> None:
    c = two([(0, 10, "a"), (20, 30, "a")], [(0, 10, "b"), (25, 35, "a")])
    found = gc.measure(c, ["f1-partial", "soft-f1", "f1-strict"])
    assert found["f1-partial"].value == pytest.approx(0.75)
    assert found["soft-f1"].value == pytest.approx(0.25)  # half of one of two units, either way
    assert found["f1-strict"].value == 0


@pytest.mark.parametrize("name", ["u-alpha", "binary-u-alpha", "cu-alpha", "kappa-d"])
def test_sums_are_those_of_concatenated_documents(name: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        documents, joined, offset = {}, [], 0
        for d in range(4):
            units = []
            for who in "ABC":
                cuts = np.sort(rng.choice(np.arange(1, 30), 8, replace=False)).tolist()
                for start, end in zip(cuts[::2], cuts[1::2], strict=True):
                    units.append(Unit(who, start, end, str(rng.choice(["x", "y"]))))
            # Both ends of a document are unmarked, so that no unit or gap continues in the next
            # one.
            documents[f"d{d}"] = Continuum.from_units(units, bounds=(0, 30))
            joined += [
                Unit(u.annotator, u.start + offset, u.end + offset, u.category) for u in units
            ]
            offset += 30
        options = {"atom": 0.0} if "atom" in MEASURES[name].options else {}
        whole = gc.measure(Continuum.from_units(joined, bounds=(0, offset)), [name], **options)
        pooled = gc.measure(Corpus.from_continua(documents), [name], **options)
        assert pooled[name].value == pytest.approx(whole[name].value, abs=1e-12)


def test_labels_of_whole_documents() -> None:
    labels = ["aa", "bb", "ab", "bb"]
    documents = {
        f"d{k}": Continuum.from_units([Unit("A", 0, 9, x), Unit("B", 0, 9, y)])
        for k, (x, y) in enumerate(labels)
    }
    score = gc.measure(Corpus.from_continua(documents), ["alpha"])["alpha"]
    assert score.value == pytest.approx(1 - 7 * 2 / (2 * 3 * 5))  # .5333


def test_presence_over_documents() -> None:
    found = [("A", "B"), ("A", "B"), ("B",), ()]
    documents = {
        f"d{k}": Continuum.from_units(
            [Unit(who, 3 * k, 3 * k + 1, "x") for who in some],
            annotators=["A", "B"],
            bounds=(0, 20),
        )
        for k, some in enumerate(found)
    }
    score = gc.measure(Corpus.from_continua(documents), ["presence"])["presence"]
    assert score.value == pytest.approx(0.533333333333)
    assert score.documents == 4
    # A single document has no value, even if one annotator is the reference.
    against = gc.measure(Corpus.from_continua(documents), ["presence"], reference="A")["presence"]
    assert against.value == score.value
    assert math.isnan(against.mean)
    # An annotator without a record of the document did not find nothing in it.
    documents["d4"] = Continuum.from_units([Unit("A", 0, 1, "x")], bounds=(0, 20))
    again = gc.measure(Corpus.from_continua(documents), ["presence"])["presence"]
    assert (again.value, again.documents, again.of) == (pytest.approx(score.value), 4, 5)


def test_missing_labels() -> None:
    units = [Unit("A", 0, 2, "x"), Unit("A", 3, 5, "y"), Unit("B", 0, 2, "x"), Unit("B", 3, 5, "y")]
    c = Continuum.from_units([*units, Unit("A", 7, 9, "x")])
    found = gc.measure(c, ["alpha", "gwet-ac", "kappa"])
    assert found["alpha"].value == 1
    assert found["alpha"].notes == ("1 of 6 labels are missing",)
    assert found["gwet-ac"].value == 1
    assert math.isnan(found["kappa"].value)
    assert "B has no label at 7-9" in str(found["kappa"].reason)
    assert "alpha and gwet-ac take missing labels" in str(found["kappa"].reason)


def random_corpus(seed: int, documents: int) -> Corpus:
    rng = np.random.default_rng(seed)
    found = {}
    for d in range(documents):
        units = []
        for k in range(int(rng.integers(4, 9))):
            for who in "ABC":
                if rng.random() < 0.85:
                    end = 10 * k + int(rng.integers(5, 8))
                    units.append(Unit(who, 10 * k, end, str(rng.choice(["x", "y"]))))
        found[f"d{d}"] = Continuum.from_units(units, annotators="ABC", bounds=(0, 100))
    return Corpus.from_continua(found)


def test_gamma_is_pooled_as_its_own_corpus_value() -> None:
    corpus = random_corpus(1, 8)
    own = gc.gamma(corpus, samples=20)
    assert own == gc.gamma_corpus(corpus, samples=20)
    score = gc.measure(corpus, ["gamma"], samples=20)["gamma"]
    assert (score.value, score.mean) == (own.value, own.mean)
    assert score.interval is not None
    sums = [(s.units / s.annotators, s.observed, s.expected) for s in own.scores.values()]
    observed, expected = (sum(w * d for w, *both in sums for d in [both[k]]) for k in (0, 1))
    assert own.value == pytest.approx(1 - observed / expected, abs=1e-12)


def test_documents_are_weighted() -> None:
    corpus = random_corpus(1, 6)
    weighted = {name: c.with_weight(1.0 + k) for k, (name, c) in enumerate(corpus.items())}
    sample = Corpus.from_continua(weighted)
    own = gc.gamma(sample, samples=20)
    found = gc.measure(sample, ["gamma", "f1-strict"], samples=20)
    assert (found["gamma"].value, found["gamma"].mean) == (own.value, own.mean)
    each = [gc.measure(c, ["f1-strict"])["f1-strict"].value for c in corpus.values()]
    assert found["f1-strict"].mean == pytest.approx(np.average(each, weights=range(1, 7)))


def test_soft_gamma_of_a_corpus() -> None:
    corpus = random_corpus(3, 6)
    whole = gc.soft_gamma(corpus, samples=10)
    score = gc.measure(corpus, ["soft-gamma"], samples=10)["soft-gamma"]
    assert (score.value, score.mean) == (whole.value, whole.mean)
    sums = [(s.units / s.annotators, s.observed, s.expected) for s in whole.scores.values()]
    observed, expected = (sum(w * both[k] for w, *both in sums) for k in (0, 1))
    assert score.value == pytest.approx(1 - observed / expected, abs=1e-12)
    assert score.signature.startswith("soft-gamma-corpus|")


def test_categories_of_aligned_units_are_summed() -> None:
    """With units at equal places, each aligned pair has weight 1, and W is the number of pairs."""
    rng = np.random.default_rng(4)
    documents = {}
    for d in range(6):
        units = []
        for k in range(int(rng.integers(4, 9))):
            for who in "AB":
                units.append(Unit(who, 20 * k, 20 * k + 9, str(rng.choice(["x", "x", "y"]))))
        documents[f"d{d}"] = Continuum.from_units(units)
    corpus = Corpus.from_continua(documents)
    found = gc.measure(corpus, ["gamma-cat", "gamma-k"], samples=10)
    parts = [gc.measure(c, ["gamma-cat"], samples=10)["gamma-cat"] for c in corpus.values()]
    pairs = [c.n_units / 2 for c in corpus.values()]
    apart = sum(w * s.observed for w, s in zip(pairs, parts, strict=True))
    labels = [[u.category for u in sorted(c, key=lambda u: u.start)] for c in corpus.values()]
    assert apart == pytest.approx(
        sum(a != b for row in labels for a, b in zip(row[::2], row[1::2], strict=True))
    )
    chance = sum(w * s.expected for w, s in zip(pairs, parts, strict=True))
    score = found["gamma-cat"]
    assert score.value == pytest.approx(1 - apart / chance)
    assert score.mean == pytest.approx(np.mean([s.value for s in parts]))
    assert score.interval is not None
    assert [*found["gamma-k"].by_category] == ["x", "y"]
    # γ_k of a document implies its E[δ], if pairs with this label differ.
    own = [gc.measure(c, ["gamma-k"], samples=10)["gamma-k"].by_category for c in corpus.values()]
    for name, part in found["gamma-k"].by_category.items():
        apart = chance = 0.0
        for row, values in zip(labels, own, strict=True):
            some = [p for p in zip(row[::2], row[1::2], strict=True) if name in p]
            differing = sum(a != b for a, b in some)
            assert differing
            apart += differing
            chance += differing / (1 - values[name])
        assert part.value == pytest.approx(1 - apart / chance)


def test_values_do_not_depend_on_names_or_order_of_annotators() -> None:
    names = [n for n, m in MEASURES.items() if m.counting and m.applies_to == "continuum"]
    names = [n for n in names if n not in DRAWN]
    corpus = random_corpus(2, 6)
    new = dict(zip("ABC", "ZYX", strict=True))
    renamed = Corpus.from_continua(
        {
            name: Continuum.from_units(
                [Unit(new[u.annotator], u.start, u.end, u.category) for u in c],
                annotators="XYZ",
                bounds=(0, 100),
            )
            for name, c in corpus.items()
        }
    )
    one, other = (gc.measure(c, names) for c in (corpus, renamed))
    for name in names:
        assert one[name].value == pytest.approx(other[name].value, nan_ok=True), name
        if one[name].interval:
            assert one[name].interval == pytest.approx(other[name].interval), name


def test_the_interval_is_that_of_gamma_except_for_the_exact_bound() -> None:
    rng = np.random.default_rng(5)
    observed, expected = rng.gamma(2.0, 1.0, 12), rng.uniform(8, 12, 12)
    rest = 1 - (observed.sum() - observed) / (expected.sum() - expected)
    value = float(1 - observed.sum() / expected.sum())
    pooled = Pooled(value, rest, expected, 0.1, 0.5, 100.0, exact=False)
    low, high = interval_over_documents(observed, expected)
    assert interval_of_counts(pooled) == pytest.approx((float(low), float(high)))


def test_the_exact_bound_of_documents_that_agree() -> None:
    """The bound is Clopper and Pearson's for 0 in 120, with the effective size of Korn and
    Graubard.
    """
    from scipy import stats

    worth = 120 * (stats.t.ppf(0.975, 119) / stats.t.ppf(0.975, 11)) ** 2
    found = interval_of_counts(Pooled(1.0, np.ones(12), np.full(12, 10.0), 0.0, 1.0, 120.0))
    assert found == pytest.approx((0.025 ** (1 / worth), 1.0))


def test_an_interval_stays_within_the_range_of_the_measure() -> None:
    """One long document of five holds nearly all errors; t alone would give an interval below 0."""
    gold = [(10 * k, 10 * k + 5, "a") for k in range(9)]
    few = two(gold[:1], gold[:1])
    documents = {"d0": two(gold, gold[:2]), **{f"d{k}": few for k in range(1, 5)}}
    score = gc.measure(Corpus.from_continua(documents), ["f1-exact"])["f1-exact"]
    assert score.interval is not None
    assert score.interval[0] == 0
    assert 0 < score.value < score.interval[1] <= 1
    assert MEASURES["kappa"].least == -1
    assert MEASURES["ser"].least == -math.inf


def test_measures_that_cannot_be_summed_have_a_reason() -> None:
    score = gc.measure(random_corpus(4, 5), ["u-alpha-2013"])["u-alpha-2013"]
    assert math.isnan(score.value)
    assert not math.isnan(score.mean)
    assert "does not add up over documents: its expected disagreement slides" in str(score.reason)


def test_bad_input(corpus: Corpus) -> None:
    with pytest.raises(DataError, match="reference 'Gold' is not an annotator"):
        gc.measure(corpus, ["ser"], reference="Gold")
    with pytest.raises(UsageError, match="'label'"):
        gc.measure(corpus, ["ser"], by="label")
    with pytest.raises(UsageError, match="metric is an option of none of: ser"):
        gc.measure(corpus, ["ser"], metric="nominal")


def test_beyond_chance_of_a_corpus_is_zero_for_independent_annotators() -> None:
    rng = np.random.default_rng(8)
    documents = {}
    for d in range(12):
        units = []
        for who in "AB":
            gaps = rng.dirichlet(np.ones(9))[:8] * (200 - 8 * 6)
            starts = (np.cumsum(gaps) + 6 * np.arange(8)).tolist()
            units += [Unit(who, s, s + 6, str(rng.choice(["x", "y"]))) for s in starts]
        documents[f"d{d}"] = Continuum.from_units(units, bounds=(0, 200))
    found = gc.measure(
        Corpus.from_continua(documents), ["f1-overlap", "ser"], beyond_chance=True, samples=60
    )
    for score in found.values():
        assert abs(score.beyond_chance.value) < 0.2
        assert score.beyond_chance.p > 0.02


def nearly_alike(rng: np.random.Generator) -> Continuum:
    """Draw 16 units that three annotators share, but for one boundary or category at times."""
    starts = np.sort(rng.choice(np.arange(0, 400, 10), 16, replace=False)).astype(float)
    all_starts = np.tile(starts, 3)
    codes = np.tile([0, 1], 24)
    if rng.random() < 0.3:
        all_starts[-1] += 2.0
        codes[-2] = 1
    return Continuum.from_codes(
        ("a", "b", "c"), ("x", "y"), all_starts, all_starts + 5.0, np.repeat([0, 1, 2], 16), codes
    )


def test_intervals_do_not_depend_on_the_unit_of_cost() -> None:
    """Δ scales all costs, so it changes neither γ nor the share of the disagreement."""
    rng = np.random.default_rng(5)
    corpus = Corpus.from_continua({f"{i}": nearly_alike(rng) for i in range(20)})
    names = ["gamma", "soft-gamma", "gamma-cat"]
    plain = gc.measure(corpus, names, seed=1, samples=10)
    for delta in (0.25, 4.0):
        costs = gc.Combined(delta=delta)
        scaled = gc.measure(corpus, names, dissimilarity=costs, seed=1, samples=10)
        for name in names:
            assert scaled[name].value == pytest.approx(plain[name].value)
            assert scaled[name].disagreement == pytest.approx(plain[name].disagreement)
            assert scaled[name].interval == pytest.approx(plain[name].interval)
            assert plain[name].disagreement > 0
