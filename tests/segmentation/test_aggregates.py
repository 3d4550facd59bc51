"""Numbers of a corpus from its items, by definition, with counts of undefined ones."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from gammacp.chance.expected import SampleRule
from gammacp.segmentation import (
    Codings,
    CorrectedSimilarity,
    Criterion,
    EditSearch,
    Mode,
    Segmentation,
    Spread,
    coding_agreement,
    coefficients,
    means,
    pairwise,
    segmentation_report,
    window_diff,
)
from gammacp.segmentation.agreement import compared_pairs
from gammacp.segmentation.measures.coefficients import arrays_of_items, influences


@st.composite
def small_corpora(draw: st.DrawFn) -> Codings:
    """Draw items of 1 to 6 base units, many of them undefined, in declared groups."""
    items = {}
    for item in map(str, range(draw(st.integers(1, 4)))):
        mass = draw(st.integers(1, 6))
        places = st.sets(st.integers(1, mass - 1)) if mass > 1 else st.just(set[int]())
        coders = draw(st.sets(st.sampled_from("abc"), min_size=2))
        items[item] = {
            c: Segmentation.from_positions(draw(places), mass=mass) for c in sorted(coders)
        }
    cut = draw(st.integers(0, len(items)))
    groups = [list(items)[:cut], list(items)[cut:]]
    return Codings.of(items).with_groups(groups, anonymous=draw(st.booleans()))


def by_definition(values: Iterable[float]) -> Spread:
    listed = list(values)
    defined = [v for v in listed if v == v]
    if not defined:
        return Spread(math.nan, math.nan, len(listed))
    mean = sum(defined) / len(defined)
    variance = sum((v - mean) ** 2 for v in defined) / len(defined)
    return Spread(mean, math.sqrt(variance), len(listed) - len(defined))


def same(found: Iterable[float], wanted: Iterable[float]) -> bool:
    return list(found) == pytest.approx(list(wanted), nan_ok=True, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(small_corpora())
def test_numbers_of_the_corpus_come_from_its_items(corpus: Codings) -> None:
    agreement = coding_agreement(corpus)
    windows = [
        1 - window_diff(a, b)
        for coders in corpus.values()
        for a, b in permutations(coders.values(), 2)
    ]
    assert same(agreement.corpus.windowdiff, by_definition(windows))
    for item, row in agreement.items.items():
        (own_agreement,) = coding_agreement(corpus.only([item])).groups
        assert same(
            row.coefficients.as_dict().values(), own_agreement.coefficients.as_dict().values()
        )
    groups = [coding_agreement(corpus.only(g.group.items)).pooled for g in agreement.groups]
    for name, total in ((n, agreement.over_groups(n)) for n in ("pi", "kappa", "bias")):
        assert same(total, by_definition(getattr(g, name) for g in groups))
    for name in ("full", "near", "suboptimal"):
        rows = (getattr(row, name) for row in agreement.items.values())
        assert getattr(agreement.corpus, name) == sum(rows)
    # Every NaN has a reason, in the report too.
    undefined = {item for item, row in agreement.items.items() if math.isnan(row.coefficients.pi)}
    assert undefined == set(agreement.reasons) & set(corpus)
    assert (math.isnan(agreement.pooled.pi)) == ("all items" in agreement.reasons)


@settings(max_examples=40, deadline=None)
@given(small_corpora())
def test_means_of_pairs_are_those_of_sets_of_boundaries(corpus: Codings) -> None:
    """Precision, recall and F₁ without near misses count equal boundaries."""
    pairs = [p for coders in corpus.values() for p in permutations(coders.values(), 2)]
    columns: dict[str, list[float]] = {"precision": [], "recall": [], "f": []}
    for reference, hypothesis in pairs:
        r, h = set(reference.places.tolist()), set(hypothesis.places.tolist())
        columns["precision"].append(len(r & h) / len(h) if h else math.nan)
        columns["recall"].append(len(r & h) / len(r) if r else math.nan)
        columns["f"].append(2 * len(r & h) / (len(r) + len(h)) if r or h else math.nan)
    mean_values = means(pairwise(corpus, comparison=Criterion(n=1)))
    for name, values in columns.items():
        assert same(mean_values[name], by_definition(values))
        assert mean_values[name].undefined == sum(map(math.isnan, values))


def near_misses_as_published(a: set[int], b: set[int], n: int) -> list[int]:
    """Return distances of near misses: nearest first, ties from left to right (Fournier 2013)."""
    only_a, only_b, near = a - b, b - a, []
    for distance in range(1, n):
        for place in sorted(only_a | only_b):
            for one, other in ((only_a, only_b), (only_b, only_a)):
                if place in one and place + distance in other:
                    one.remove(place)
                    other.remove(place + distance)
                    near.append(distance)
    return near


def best_near_misses(a: set[int], b: set[int], n: int) -> list[list[int]]:
    """Return the pairings of unmatched boundaries that make B largest, as lists of distances."""
    within = [(p, q) for p in a - b for q in b - a if abs(p - q) < n]
    ways = [
        [abs(p - q) for p, q in way]
        for size in range(min(len(a - b), len(b - a)) + 1)
        for way in combinations(within, size)
        if len({p for p, _ in way}) == len({q for _, q in way}) == size
    ]
    similarity = [
        (len(a & b) + sum(1 - d / n for d in way)) / max(1, len(a | b) - len(way)) for way in ways
    ]
    best = max(similarity)
    return [way for way, b_of_it in zip(ways, similarity, strict=True) if b_of_it > best - 1e-12]


def confused(a: set[int], b: set[int], near: list[int], n: int) -> tuple[float, ...]:
    """Return precision, recall and F₁ of scikit-learn for weighted matches.

    Near misses are matches of partial weight; other boundaries belong to only the reference a or
    only the hypothesis b.
    """
    in_both = [1.0] * len(a & b) + [1 - d / n for d in near]
    missed, added = len(a - b) - len(near), len(b - a) - len(near)
    reference = [1] * len(in_both) + [1] * missed + [0] * added
    hypothesis = [1] * len(in_both) + [0] * missed + [1] * added
    weights = in_both + [1.0] * (missed + added)
    if not weights:
        return (math.nan,) * 3
    scores = precision_recall_fscore_support(
        reference, hypothesis, labels=[1], sample_weight=weights, zero_division=np.nan
    )
    return tuple(float(score[0]) for score in scores[:3])


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 12).flatmap(
        lambda mass: st.tuples(
            st.just(mass),
            *[st.sets(st.integers(1, max(1, mass - 1)), max_size=min(5, mass - 1))] * 2,
        )
    ),
    st.integers(1, 4),
)
def test_precision_recall_and_f_are_those_of_the_confusion_counts(
    drawn: tuple[int, set[int], set[int]], n: int
) -> None:
    mass, a, b = drawn
    codings = Codings.of(
        {
            "item": {
                name: Segmentation.from_positions(places, mass=mass)
                for name, places in (("a", a), ("b", b))
            }
        }
    )
    for search in EditSearch:
        ways = (
            [near_misses_as_published(a, b, n)]
            if search is EditSearch.PUBLISHED
            else best_near_misses(a, b, n)
        )
        comparison = Criterion(basis=CorrectedSimilarity.B, n=n, search=search)
        for row, (reference, hypothesis) in zip(
            pairwise(codings, comparison=comparison), ((a, b), (b, a)), strict=True
        ):
            found = [row.values[name] for name in ("precision", "recall", "f")]
            wanted = [confused(reference, hypothesis, way, n) for way in ways]
            assert any(same(found, values) for values in wanted), (found, wanted)


@settings(max_examples=40, deadline=None)
@given(small_corpora(), st.sampled_from(Mode), st.data())
def test_weights_of_items_equal_copies_and_influences_equal_derivatives(
    corpus: Codings, mode: Mode, data: st.DataObject
) -> None:
    """π and κ of weighted items are those of copies, and influences are their derivatives."""
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(corpus), max_size=len(corpus)))
    assume(sum(times))
    people = corpus.people()
    copies = {
        f"{item} {k}": {people[item][c]: s for c, s in coders.items()}
        for (item, coders), n in zip(corpus.items(), times, strict=True)
        for k in range(n)
    }
    comparison = Criterion(mode=mode)
    pooled = coding_agreement(Codings.of(copies), comparison=comparison).pooled
    arrays = arrays_of_items(compared_pairs(corpus, comparison), corpus.row_people())
    weights = np.array(times, np.float64)
    influence = influences(arrays, mode, weights)
    if pooled.reason is not None:
        assert all(math.isnan(value) for value, _ in influence)
        return
    assert [value for value, _ in influence] == pytest.approx([pooled.pi, pooled.kappa])
    for i, weight in enumerate(weights):
        # Weights stay above 0, as a missing item brings no pair of coders together.
        if weight == 0:
            continue
        step = 1e-6 * np.eye(len(weights))[i]
        more, less = (
            coefficients(arrays, mode=mode, weights=w) for w in (weights + step, weights - step)
        )
        slopes = [(more.pi - less.pi) / 2e-6, (more.kappa - less.kappa) / 2e-6]
        assert [moved[i] for _, moved in influence] == pytest.approx(slopes, abs=1e-5, rel=1e-4)


@settings(max_examples=20, deadline=None)
@given(small_corpora(), st.data())
def test_agreement_of_the_people_excludes_the_candidate(
    corpus: Codings, data: st.DataObject
) -> None:
    """The people's value is their pooled agreement on the items that the candidate coded."""
    coded = data.draw(st.lists(st.sampled_from(list(corpus)), min_size=1, unique=True))
    with_auto = {
        item: {**coders, **({"auto": next(iter(coders.values()))} if item in coded else {})}
        for item, coders in corpus.items()
    }
    both = Codings.of(with_auto).with_groups(corpus.declared, anonymous=corpus.anonymous)
    report = segmentation_report(
        both, candidates=["auto"], pairs=True, beyond_chance=SampleRule(samples=2)
    )
    (drop,) = (d for d in report.candidates if not d.baseline)
    pooled = coding_agreement(corpus.only(i for i in corpus if i in coded)).pooled
    assert same([drop.people[n] for n in pooled.as_dict()], pooled.as_dict().values())
    assert drop.items + drop.left_out == len(corpus)
    assert same(report.agreement.over_groups("pi"), coding_agreement(corpus).over_groups("pi"))
    document = report.as_dict()
    assert document["means"]["corpus"].keys() == means(report.pairs or ()).keys()
