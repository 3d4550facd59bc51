"""Dissimilarities of sets and trees: by nltk, by hand, and as nominal without structure."""

from itertools import product
from math import log
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import jaccard_distance, masi_distance

import gammacp as gc
from gammacp import Combined, Continuum, DataError, Unit, UsageError
from gammacp.datasets import load
from gammacp.dissimilarity import CATEGORIAL, Categorial, LabelTree
from gammacp.dissimilarity.base import category_counts
from gammacp.dissimilarity.categorial import categorial
from gammacp.testing import check_dissimilarity, continua

SETS = st.frozensets(st.sampled_from("abcd"), min_size=1)


def between(kind: str | Categorial, a: str, b: str) -> float:
    return float(categorial(kind).distances((a, b))[0, 1])


@given(SETS, SETS)
def test_sets_have_the_distances_of_nltk(a: frozenset[str], b: frozenset[str]) -> None:
    x, y = "+".join(a), " + ".join(sorted(b))
    assert between("jaccard", x, y) == pytest.approx(jaccard_distance(a, b) if a != b else 0)
    # nltk rounds Passonneau's 2/3 and 1/3 to .67 and .33.
    assert between("masi", x, y) == pytest.approx(masi_distance(a, b), abs=0.0034)


def test_masi_by_hand() -> None:
    """MASI is 1 − J·M, with M = 2/3 for a subset and 1/3 for an overlap (Passonneau 2006)."""
    assert between("masi", "a+b", "a") == pytest.approx(1 - 1 / 2 * 2 / 3)
    assert between("masi", "a+b", "b+c") == pytest.approx(1 - 1 / 3 * 1 / 3)
    assert between("masi=;", "a;b", "b; a") == 0
    assert between("masi=;", "a+b", "a") == 1


def test_alpha_with_sets_is_that_of_nltk() -> None:
    said = {"Ann": "a a+b c b+c a d", "Bob": "a+b a+b c b a+d d", "Max": "a b c+d b a d"}
    rows = [(who, i, label) for who, line in said.items() for i, label in enumerate(line.split())]
    task = AnnotationTask(
        [(who, i, frozenset(label.split("+"))) for who, i, label in rows],
        distance=lambda x, y: jaccard_distance(x, y),
    )
    c = Continuum.from_units([Unit(who, i, i + 1, label) for who, i, label in rows])
    found = gc.measure(c, ["alpha"], metric="jaccard")["alpha"]
    assert found.value == pytest.approx(task.alpha())
    assert "metric:jaccard(+)" in (found.signature or "")


def test_paths_by_hand() -> None:
    """By hand, distances are 1 − 2·2/(3 + 3), 1 − 2·1/(2 + 1) and 1 − 2·1/(3 + 2)."""
    assert between("tree", "A/x/i", "A/x/j") == pytest.approx(1 / 3)
    assert between("tree", "A/x", "A") == pytest.approx(1 / 3)
    assert between("tree", "A/x/i", "A/y") == pytest.approx(3 / 5)
    assert between("tree", "A/x", "B/x") == 1


def test_information_by_hand() -> None:
    """By hand, d(A/x, A/y) = 1 − 2·ln p(A)/ln(p·p).

    p(A) = 3/4, p(A/x) = 1/2 and p(A/y) = p(B) = 1/4.
    """
    tree = LabelTree("information").counting({"A/x": 2, "A/y": 1, "B": 1})
    assert between(tree, "A/x", "A/y") == pytest.approx(1 - 2 * log(3 / 4) / log(1 / 8))
    assert between(tree, "A/x", "B") == 1
    units = [Unit("Ann", i, i + 1, x) for i, x in enumerate(["A/x", "A/x", "A/y", "B", None])]
    assert category_counts(Continuum.from_units(units)) == {"A/x": 2, "A/y": 1, "B": 1}
    with pytest.raises(UsageError, match="needs label counts"):
        between("tree-information", "A", "B")


def test_a_tree_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "tree.csv"
    file.write_text("category,parent\nx,A\ny,A\nA,\nB,\n")
    named = categorial(f"tree={file}")
    assert named.distances(("x", "y", "B"))[0].tolist() == [0, 0.5, 1]
    assert named.signature.startswith("tree(tree.csv,")
    with pytest.raises(DataError, match=r"tree\.csv: category 'z' is not in the tree"):
        named.distances(("x", "z"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("x,A\nx,B\n", "'x' has two parents"),
        ("x,y\ny,x\n", "circle: x < y < x"),
        ("x,A,B\n", r"tree\.csv:1: row is not LABEL,PARENT"),
    ],
)
def test_bad_trees(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "tree.csv"
    file.write_text(text)
    with pytest.raises(DataError, match=message):
        categorial(f"tree={file}")


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("nominal=x", "nominal takes no argument"),
        ("ordinal=a<b<a", "an empty name, or one name twice"),
        ("ordinal=a<", "an empty name, or one name twice"),
        ("masi=", "needs a separator"),
    ],
)
def test_bad_arguments(choice: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        categorial(choice)
    with pytest.raises(DataError, match="no name between"):
        between("jaccard", "+", "a")


def test_an_order_in_the_name() -> None:
    order = categorial("ordinal=Minor<Major<Critical")
    assert order.distances(("Critical", "Minor", "Major"))[0].tolist() == [0, 1, 0.5]
    assert order.signature == "ordinal(Minor,Major,Critical)"


@pytest.mark.parametrize("name", ["jaccard", "masi", "tree", "tree-information"])
def test_promises(name: str) -> None:
    separator = CATEGORIAL[name].separator  # type: ignore[attr-defined]
    labels = [separator.join(x) for x in product("ab", "cd")]
    check_dissimilarity(Combined(categorial=name), categories=(*labels, "a", "e"))


@settings(max_examples=20, deadline=None)
@given(continua(categories=("a", "b", "c", None)))
@pytest.mark.parametrize("name", ["jaccard", "masi", "tree", "tree-information"])
def test_labels_without_structure_are_as_nominal_to_the_bit(name: str, c: Continuum) -> None:
    plain, rich = gc.align(c), gc.align(c, Combined(categorial=name))
    assert (rich.disorder, rich.bound) == (plain.disorder, plain.bound)
    assert (rich.groups == plain.groups).all()


def test_gamma_is_as_nominal_to_the_bit() -> None:
    c = load("alex-paul-suzan")
    plain = gc.gamma(c, samples=10)
    for name in ("masi", "tree", "tree-information"):
        rich = gc.gamma(c, dissimilarity=Combined(categorial=name), samples=10)
        assert (rich.value, rich.interval) == (plain.value, plain.interval)
