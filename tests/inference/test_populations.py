"""Intervals over annotators and documents: hand-computed cases, brute force, known variances."""

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student

import gammacp as gc
from gammacp.inference.pair_costs import AlignedDocuments, pair_cells_of
from gammacp.inference.populations import (
    PairSums,
    PopulationIntervals,
    intervals_over,
)
from gammacp.measures.agreement import agreement
from tests.conftest import Run

Cells = dict[tuple[int, int, int], tuple[float, float]]


def sums_of(cells: Cells) -> PairSums:
    """Return pair sums of costs by (document, annotator, annotator)."""
    costs = np.array([*cells.values()])
    pairs = [(i, j) for _, i, j in cells]
    return PairSums.of_pairs([d for d, *_ in cells], pairs, costs[:, 0], costs[:, 1])


def without(cells: Cells, a: int) -> float:
    """Return log(1 − γ) without an annotator, who is replaced by the mean of a document's other
    pairs.
    """
    total = np.zeros(2)
    for d in {d for d, *_ in cells}:
        rest = [c for (e, i, j), c in cells.items() if e == d and a not in (i, j)]
        n = sum(e == d for e, *_ in cells)
        total += np.sum(rest, axis=0) / len(rest) * n if rest else 0.0
    return math.log(total[0] / total[1])


def random_cells(seed: int, documents: int, people: int) -> Cells:
    """Return random costs of people who annotate every document."""
    g = np.random.default_rng(seed)
    return {
        (d, i, j): (g.gamma(2, 0.2), g.gamma(4, 0.25))
        for d in range(documents)
        for i, j in combinations(range(people), 2)
    }


def logs(found: PopulationIntervals, gamma: float) -> tuple[float, float]:
    """Return the reach of the interval over annotators on both sides, in units of log(1 − γ)."""
    low, high = found.annotators or (math.nan, math.nan)
    return math.log((1 - low) / (1 - gamma)), math.log((1 - gamma) / (1 - high))


@pytest.mark.parametrize("documents", [1, 3])
def test_few_documents_have_the_jackknife_of_leaving_annotators_out(documents: int) -> None:
    cells = random_cells(documents, documents, 4)
    rows = sums_of(cells)
    share = np.bincount(rows.annotator, rows.expected) / rows.expected.sum()
    left = np.array([without(cells, a) for a in range(4)])
    variance = ((left - (share * left).sum()) ** 2).sum()
    df = (share**2).sum() ** 2 / (share**4).sum() - 1
    reach = student.ppf(0.975, df) * math.sqrt(variance)
    gamma = 1 - rows.observed.sum() / rows.expected.sum()
    assert logs(intervals_over(rows), gamma) == pytest.approx((reach, reach))
    assert intervals_over(rows, (0.1, 0.2)).both is None


def test_a_chance_error_is_added() -> None:
    rows = sums_of(random_cells(5, 2, 3))
    gamma = 1 - rows.observed.sum() / rows.expected.sum()
    plain, wider = (logs(intervals_over(rows, error=e), gamma)[0] for e in (0.0, 0.3))
    share = np.bincount(rows.annotator, rows.expected) / rows.expected.sum()
    t = student.ppf(0.975, (share**2).sum() ** 2 / (share**4).sum() - 1)
    assert wider**2 - plain**2 == pytest.approx((0.3 * t) ** 2)


def test_the_interval_over_annotators_reflects_their_common_effects() -> None:
    """With known effects of documents, annotators and cells, the variance is that of annotators."""
    g, found = np.random.default_rng(1), []
    people, documents, spread = 6, 30, 0.05
    for _ in range(200):
        own = spread * g.standard_normal(people) + 0.1 * g.standard_normal((documents, people))
        level = 1 + 0.2 * g.standard_normal(documents)
        pairs = [*combinations(range(people), 2)]
        costs = [level[d] + (own[d, i] + own[d, j]) / 2 for d in range(documents) for i, j in pairs]
        where = np.repeat(np.arange(documents), len(pairs))
        rows = PairSums.of_pairs(where, pairs * documents, costs, np.full(len(costs), 2.0))
        # With these documents fixed, the interval over both is that over annotators.
        gamma = 1 - rows.observed.sum() / rows.expected.sum()
        over = intervals_over(rows, (gamma, gamma))
        assert over.both is not None
        found.append((math.log((1 - over.both[0]) / (1 - gamma)) / student.ppf(0.975, 5)) ** 2)
    # The known variance is that of the annotators' mean, times n/(n − 1) for few annotators, plus a
    # tenth of the cells' part.
    known = (spread**2 + 0.1 * 0.1**2 / documents) / people * people / (people - 1)
    assert np.mean(found) == pytest.approx(known, rel=0.15)


def test_annotators_who_annotate_one_document_each_add_a_tenth() -> None:
    g = np.random.default_rng(3)
    cells = {
        (d, 3 * d + i, 3 * d + j): (g.gamma(2, 0.2), 1.0)
        for d in range(40)
        for i, j in combinations(range(3), 2)
    }
    rows = sums_of(cells)
    theta = rows.observed.sum() / rows.expected.sum()
    over = intervals_over(rows, (1 - theta * 1.2, 1 - theta / 1.2))
    assert over.both is not None and over.annotators is not None
    alone, both = math.log((1 - over.annotators[0]) / theta), math.log((1 - over.both[0]) / theta)
    assert both**2 - math.log(1.2) ** 2 == pytest.approx(alone**2 / 11, rel=0.1)


def test_clusters_take_the_place_of_documents() -> None:
    cells = random_cells(7, 10, 3)
    merged: Cells = {}
    for (d, i, j), (o, e) in cells.items():
        before = merged.get((d // 2, i, j), (0.0, 0.0))
        merged[d // 2, i, j] = before[0] + o, before[1] + e
    one = intervals_over(sums_of(cells), (0.1, 0.3), clusters=[d // 2 for d in range(10)])
    other = intervals_over(sums_of(merged), (0.1, 0.3))
    assert one.n_documents == other.n_documents == 5
    assert one.both == pytest.approx(other.both)
    assert one.annotators == pytest.approx(other.annotators)


def test_two_annotators_give_no_interval() -> None:
    found = intervals_over(sums_of(random_cells(2, 8, 2)), (0.2, 0.4))
    assert found.as_dict() == {
        "documents": (0.2, 0.4),
        "annotators": None,
        "both": None,
        "reason": "2 annotators are too few to tell how others would differ",
    }
    assert found.in_words() == (
        "Two annotators are too few to say what others would reach. γ of these annotators on "
        "other such documents: 0.200 to 0.400 (95% confidence; 8 documents)."
    )


@pytest.mark.parametrize(("people", "word"), [(3, "Three"), (4, "Four"), (5, None)])
def test_three_or_four_annotators_have_intervals_only_in_json(
    people: int, word: str | None
) -> None:
    over = intervals_over(sums_of(random_cells(4, 8, people)), (0.2, 0.4))
    assert over.as_dict()["annotators"] == over.annotators
    assert over.annotators is not None
    said = over.in_words()
    told = f"{over.annotators[0]:.3f} to {over.annotators[1]:.3f}" in said
    few = said.startswith(f"{word} annotators are too few to say what others would reach.")
    assert (told, few) == (word is None, word is not None)


def test_no_interval_if_one_annotator_has_all_disorder_or_all_documents() -> None:
    lone = {(d, i, j): (float(i == 0), 1.0) for d in range(6) for i, j in [(0, 1), (0, 2), (1, 2)]}
    assert intervals_over(sums_of(lone), (0.1, 0.2)).annotators is None
    hub = {(d, 0, 1 + d % 3): (0.3, 1.0) for d in range(6)}
    assert "without one of them" in str(intervals_over(sums_of(hub), (0.1, 0.2)).reason)
    same = {(d, i, j): (0.0, 1.0) for d in range(6) for i, j in [(0, 1), (0, 2), (1, 2)]}
    assert intervals_over(sums_of(same), (1.0, 1.0)).reason == "there is no disorder"


def units(names: str, shift: float) -> gc.Continuum:
    rows = [
        gc.Unit(name, 10 * k + shift * i, 10 * k + 5 + shift * i, "a")
        for i, name in enumerate(names)
        for k in range(6)
    ]
    rows += [gc.Unit(names[0], 70, 74, "b")]
    return gc.Continuum.from_units(rows)


def test_pair_sums_add_up_to_the_ratio_of_gamma() -> None:
    continua = {f"d{k}": units(names, k / 4) for k, names in enumerate(("abc", "abcd", "bc"), 1)}
    found = agreement(continua, samples=30)
    rows = found.pair_cells.sums()
    parts = found.contributions()
    assert np.bincount(rows.document, rows.observed) == pytest.approx(parts.observed)
    assert np.bincount(rows.document, rows.expected) == pytest.approx(parts.expected)
    # A unit that nobody else has is charged only to pairs of its annotator.
    alone = pair_cells_of(AlignedDocuments.of([(found.rated["d1"].alignment, 1.0)])).sums()
    assert alone.observed[0] > alone.observed[1:].sum() / 2


def test_the_intervals_are_in_json_and_in_words(run: Run, tmp_path: Path) -> None:
    for k in range(6):
        gc.write(units("abc", (k + 1) / 4), tmp_path / f"d{k}.csv")
    done = run("gamma", tmp_path, "--samples", 30)
    assert "Three annotators are too few to say what others would reach. γ of these" in done.err
    whole = json.loads(run("gamma", tmp_path, "--samples", 30, "--json").out)["corpus"]
    over, gamma = whole["over"], whole["gamma"]
    for name in ("documents", "annotators", "both"):
        assert over[name][0] < gamma < over[name][1]
    low, high = over["documents"]
    assert over["both"][0] <= low and high <= over["both"][1]
    compared = json.loads(run("compare", tmp_path, "--samples", 30, "--json").out)["overall"]
    assert compared["over"] == over
    assert compared["bootstrap"]["interval"] == over["documents"]
