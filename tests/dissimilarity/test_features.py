"""Labels with features: dissimilarities by hand, invariance, and errors."""

import pickle
from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gammacp as gc
from gammacp import Combined, Continuum, DataError, Label, Unit, UsageError
from gammacp.continuum.renaming import rename_categories
from gammacp.continuum.selecting import keep_categories
from gammacp.datasets import load
from gammacp.dissimilarity import Features, Ordinal, Part, bind, unit_columns
from gammacp.dissimilarity.features import with_features
from gammacp.formats.selection import Selection, select
from gammacp.measures.explaining.explanation import explanation_of
from gammacp.testing import check_dissimilarity, continua

SEVERITY = "severity:ordinal=Minor<Major<Critical"


def rich(category: str | None, severity: str | None, target: str | None = None) -> Label:
    return Label(category, {"severity": severity, "target": target})


def with_severity(c: Continuum, values: list[str]) -> Continuum:
    """Return the same units, each labelled with one of the values in turn."""
    units = [
        Unit(u.annotator, u.start, u.end, rich(u.category, values[i % len(values)]))
        for i, u in enumerate(c)
    ]
    return Continuum.from_units(units, annotators=c.annotators, bounds=c.bounds)


def test_a_label_joins_category_and_features() -> None:
    label = rich("Fluency", "Minor")
    assert label == "Fluency [severity=Minor]"
    assert pickle.loads(pickle.dumps(label)).features == {"severity": "Minor"}
    assert rich("Fluency", None) == "Fluency"
    assert rich("a", "x, target=y") != rich("a", "x", "y")


def test_a_weighted_mean_by_hand() -> None:
    """The mean of three parts, computed by hand, is (1·1/2 + 2·1/2 + 1·1) / 4.

    The parts are a tree, an ordinal feature of weight 2, and a target that one label lacks.
    """
    kind = with_features("tree", [f"{SEVERITY}@2", "target:masi"])
    u, v = rich("A/x", "Minor", "p+q"), rich("A/y", "Major")
    c = Continuum.from_units([Unit("Ann", 0, 9, u), Unit("Bob", 0, 9, v), Unit("Max", 0, 9)])
    d = bind(Combined(categorial=kind, beta=2), c)
    units = unit_columns(c)
    assert float(d.pairwise(units[0], units[1])) == pytest.approx(2 * (0.5 + 2 * 0.5 + 1) / 4)
    # The unlabelled unit lacks category, severity and target; Bob's unit lacks a target too.
    assert float(d.pairwise(units[0], units[2])) == 2
    assert float(d.pairwise(units[1], units[2])) == pytest.approx(2 * 3 / 4)
    assert d.signature == (
        "combined(a:1,b:2,d:1,pos:sporadic,cat:features(category:tree(/),"
        "severity:ordinal(Minor,Major,Critical)@2,target:masi(+)))"
    )


def test_promises() -> None:
    labels = [rich(c, s) for c in ("a", "b", None) for s in ("Minor", "Critical", None)][:-1]
    check_dissimilarity(
        Combined(categorial=with_features("nominal", [SEVERITY])), categories=labels
    )


@settings(max_examples=20, deadline=None)
@given(continua(categories=("a", "b", None)), st.sampled_from([0.0, 3.0]))
def test_a_single_part_changes_no_bit(c: Continuum, weight: float) -> None:
    """Labels whose features have no weight have the alignment of plain categories, to the bit.

    The same holds for a single feature that takes the place of the category.
    """
    same = with_severity(c, ["Minor"])
    alone = Features((Part("category", "nominal", weight or 1.0), Part("severity", weight=0.0)))
    for kind in (alone, "nominal"):
        plain, found = gc.align(c), gc.align(same, Combined(categorial=kind))
        assert (plain.disorder, plain.bound) == (found.disorder, found.bound)
    moved = Continuum.from_units(
        [Unit(u.annotator, u.start, u.end, rich(None, u.category)) for u in c],
        annotators=c.annotators,
    )
    if moved.features:
        only = Features((Part("category", weight=0.0), Part("severity")))
        assert gc.align(moved, Combined(categorial=only)).disorder == plain.disorder


def test_gamma_of_features_without_weight_changes_no_bit() -> None:
    c = load("alex-paul-suzan")
    plain = gc.gamma(c, samples=10)
    kind = Features((Part("category"), Part("severity", weight=0.0)))
    found = gc.gamma(
        with_severity(c, ["Minor"]), dissimilarity=Combined(categorial=kind), samples=10
    )
    assert (found.value, found.interval) == (plain.value, plain.interval)


@settings(max_examples=10, deadline=None)
@given(continua(categories=("a/x", "a/y", "b"), n_units=(4, 12)))
def test_the_parts_of_gamma_add_up(c: Continuum) -> None:
    kind = with_features("tree", [f"{SEVERITY}@0.3"])
    d = Combined(categorial=kind)
    if c.n_units == 0 or (c.counts == 0).sum() > c.n_annotators - 2:
        return
    units = with_severity(c, ["Minor", "Critical", "Major"])
    found = explanation_of(units, dissimilarity=d, samples=5)
    assert [r["component"] for r in found.components] == [
        "position", "category", "severity", "absence",
    ]  # fmt: skip
    assert fsum(r["observed"] for r in found.components) == pytest.approx(
        found.gamma.observed, abs=1e-12
    )
    assert fsum(r["expected"] for r in found.components) == pytest.approx(
        found.gamma.expected, abs=1e-12
    )
    assert {r["category"] for r in found.categories} <= {"a/x", "a/y", "b"}


def test_selection_keeps_features() -> None:
    c = Continuum.from_units(
        [Unit("A", 0, 1, rich("x", "Minor")), Unit("B", 0, 1, rich("y", "Major")), Unit("B", 2, 3)]
    )
    assert rename_categories(c, {"y": "x"}).categories == (rich("x", "Minor"), rich("x", "Major"))
    assert list(keep_categories(c, ["y"])) == [Unit("B", 0, 1, rich("y", "Major"))]
    assert c.feature("severity") == ["Minor", "Major", None]
    assert c.with_features().categories == ("x", "y")
    assert Continuum.from_frame(c.to_frame(), features=["severity"]) == c


def test_measures_without_features_compare_categories_and_say_so() -> None:
    c = with_severity(load("alex-paul-suzan"), ["Minor", "Major"])
    plain = c.with_features()
    kind = with_features("nominal", [SEVERITY])
    found = gc.measure(c, ["ser", "cu-alpha"])
    said = gc.measure(plain, ["ser", "cu-alpha"])
    assert {n: s.value for n, s in found.items()} == {n: s.value for n, s in said.items()}
    assert "compares only categories, without severity" in found["ser"].notes
    matrix = kind.distances(c.categories)
    by_hand = gc.measure(rename_categories(c, {}), ["cu-alpha"], metric=kind)["cu-alpha"]
    texts = Continuum.from_units(
        [Unit(u.annotator, u.start, u.end, str(u.category) + "") for u in c]
    )
    named = Continuum.from_columns(
        [u.annotator for u in texts], [f"L{c.categories.index(u.category)}" for u in c],
        c.starts, c.ends, categories=[f"L{k}" for k in range(len(c.categories))],
    )  # fmt: skip
    assert by_hand.value == pytest.approx(
        gc.measure(named, ["cu-alpha"], metric=matrix)["cu-alpha"].value
    )
    assert not by_hand.notes or "without severity" not in str(by_hand.notes)


def test_gamma_k_is_of_categories() -> None:
    c = with_severity(load("alex-paul-suzan"), ["Minor", "Major"])
    found = gc.measure(c, ["gamma-k"], dissimilarity=Combined(), samples=5)["gamma-k"]
    assert set(found.by_category) == set(c.with_features().categories)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (["severity"], "'severity' is not NAME:TYPE"),
        (["severity:nominal@x"], "weight 'x' after @"),
        (["severity:nominal", "severity:tree"], "'severity' is given twice"),
        (["severity:nominal@-1"], "is not a number >= 0"),
        (["absence:nominal"], "name of another part"),
    ],
)
def test_impossible_features_are_refused(features: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        with_features("nominal", features)
    with pytest.raises(UsageError, match="category, severity sum to 0"):
        with_features("nominal@0", ["severity:nominal@0"])


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ("sverity:nominal", "no unit has the feature 'sverity'. Features that were read: severity"),
        (
            "severity:ordinal",
            "'severity' is ordinal, but has no order. Give it: severity:ordinal=M",
        ),
        ("severity:ordinal=Minor<Critical", "severity 'Major' is not in the order"),
        ("severity:interval", "severity 'Major' is not a number"),
    ],
)
def test_features_that_the_data_lack_are_refused(feature: str, message: str) -> None:
    c = Continuum.from_units(
        [Unit("A", 0, 1, rich("x", "Minor")), Unit("B", 0, 1, rich("y", "Major"))]
    )
    with pytest.raises(DataError, match=message):
        gc.align(c, Combined(categorial=with_features("nominal", [feature])))


def test_numbers_are_ordered_by_value() -> None:
    labels = tuple(Label("a", {"n": str(n)}) for n in (2, 10, 9))
    part = Part("n", Ordinal())
    table = part.table(labels, {}, np.asarray)
    assert table[0].tolist() == [0, 1, 0.5, 1]


def test_a_feature_of_weight_0_is_not_read() -> None:
    assert with_features("nominal", ["severity:nominal@0", "target:masi"]).features == ("target",)


def test_features_do_not_change_the_order_of_categories() -> None:
    labels = [rich("Error", "m"), rich("Error B", "m"), rich("Zed", "m")]
    c = Continuum.from_units([Unit("Ann", 0, 5, label) for label in reversed(labels)])
    assert [label.category for label in c.categories if isinstance(label, Label)] == [
        "Error", "Error B", "Zed",
    ]  # fmt: skip


def test_levels_that_are_not_finite_have_no_order() -> None:
    kind = with_features("nominal", ["severity:ordinal"])
    with pytest.raises(DataError, match="'severity' is ordinal, but has no order"):
        kind.distances(tuple(rich("a", x) for x in ("1", "10", "2", "nan")))


@pytest.mark.parametrize("kind", ["interval", "ordinal", "ratio"])
def test_labels_of_excluded_annotators_do_not_count(kind: str) -> None:
    """By hand, 1 and 2 of 1, 2, 3 differ by half of the range; of 1 to 100, by nearly nothing."""
    units = [Unit(a, 0, 9, str(x)) for a, x in [("Ann", 1), ("Ann", 3), ("Bob", 2), ("Test", 100)]]
    without = Selection(exclude=["Test"])
    (found,) = select({"": Continuum.from_units(units)}, without).values()
    alone = Continuum.from_units(units[:3])
    d = Combined(categorial=kind)
    assert found.categories == alone.categories == ("1", "2", "3")
    costs = [bind(d, c).category_costs for c in (found, alone)]  # type: ignore[attr-defined]
    assert costs[0].tolist() == costs[1].tolist()
    assert costs[0][0, 1] == (pytest.approx(1 / 3) if kind == "ratio" else 0.5)
    for scale in (["3", "2", "1", "100"], ["1", "100", "2", "3", "4"]):
        declared = Continuum.from_units(units, categories=scale)
        assert select({"": declared}, without)[""].categories == tuple(scale)
