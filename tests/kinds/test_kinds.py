"""Kinds of differences: cases by hand, sums, charges and an exhaustive optimum."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import gammacp as gc
from gammacp.alignment import Alignment
from gammacp.base.text import p_of_test
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.datasets import load
from gammacp.errors import DataError, UsageError
from gammacp.kinds.codes import DIFFERENCE_KINDS
from gammacp.kinds.kinds import Case, Kinds, kinds_of
from gammacp.kinds.significance import binomial_tail
from gammacp.measures.agreement import agreement
from gammacp.measures.random_sets import RandomSet

Spans = Sequence[tuple[float, float, str]]


def marked(**annotators: Spans) -> Continuum:
    units = [
        Unit(name, start, end, label)
        for name, spans in annotators.items()
        for start, end, label in spans
    ]
    return Continuum.from_units(units, annotators=list(annotators))


def read(**annotators: Spans) -> Kinds:
    return kinds_of(gc.align(marked(**annotators)))


def counts(found: Kinds, kind: str) -> dict[str, float]:
    return {r["annotator"]: r["count"] for r in found.people if r["kind"] == kind}


def observed(found: Kinds) -> dict[str, float]:
    return {kind: part["observed"] for kind, part in found.parts.items() if part["observed"]}


JOINED = [(0, 10, "x"), (20, 30, "x")]
CUT = [(0, 4, "x"), (5, 10, "x"), (20, 30, "x")]


def test_a_merge_by_hand() -> None:
    """Ann joins 0–4 and 5–10 of the two others; the costs are counted by hand.

    The longer part is aligned: (5/15)² = 1/9 with each of the two others, who have 5–10 alike.
    Their 0–4 faces ∅ of Ann: 2Δ. Sums are over 3 pairs, and x̄ = 8/3.
    """
    found = read(Ann=JOINED, Bob=CUT, Cas=CUT)
    assert observed(found) == pytest.approx({"merged": (2 / 9 + 2) / 3 / (8 / 3)})
    assert counts(found, "merged") == {"Ann": 2, "Bob": 0, "Cas": 0}
    assert not any(counts(found, "missing").values())
    assert found.pairs == (
        {"one": "Ann", "several": "Bob", "cases": 1, "units": 2, "with_gaps": 1},
        {"one": "Ann", "several": "Cas", "cases": 1, "units": 2, "with_gaps": 1},
    )


def test_a_split_is_charged_to_the_one_who_splits() -> None:
    found = read(Ann=JOINED, Bob=CUT, Cas=JOINED)
    assert set(observed(found)) == {"split"}
    assert counts(found, "split") == {"Ann": 0, "Bob": 2, "Cas": 0}
    charged = {r["annotator"]: r["charged"] for r in found.people if r["kind"] == "split"}
    assert charged == pytest.approx({"Ann": 0, "Bob": found.observed, "Cas": 0})


def test_two_against_two_share_the_cost() -> None:
    found = read(Ann=JOINED, Bob=CUT, Cas=JOINED, Dan=CUT)
    parts = observed(found)
    assert parts["merged"] == pytest.approx(parts["split"])
    assert counts(found, "merged") == {"Ann": 1, "Bob": 0, "Cas": 1, "Dan": 0}
    assert counts(found, "split") == {"Ann": 0, "Bob": 1, "Cas": 0, "Dan": 1}
    assert {case.charged for case in found.cases} == {None}


def test_missing_and_extra_by_hand() -> None:
    """Ann lacks 40–50 and only Bob has 60–70; the costs are counted by hand.

    Each gives two pairs of cost Δ, and Bob's unit also gives a pair of two empty units.
    """
    both = [(0, 10, "x"), (40, 50, "x")]
    found = read(Ann=[(0, 10, "x")], Bob=[*both, (60, 70, "x")], Cas=both)
    mean_units = 6 / 3
    assert observed(found) == pytest.approx(
        {"missing": 2 / 3 / mean_units, "extra": 3 / 3 / mean_units}
    )
    assert counts(found, "missing") == {"Ann": 2, "Bob": 0, "Cas": 0}
    assert counts(found, "extra") == {"Ann": 0, "Bob": 2, "Cas": 0}


def test_positions_and_categories_are_charged_to_the_outlier() -> None:
    found = read(
        Ann=[(0, 10, "x"), (20, 30, "y")],
        Bob=[(0, 10, "x"), (20, 30, "x")],
        Cas=[(0, 12, "x"), (20, 30, "x")],
    )
    assert observed(found) == pytest.approx(
        {"position": 2 * (2 / 22) ** 2 / 3 / 2, "category": 2 / 3 / 2}
    )
    assert counts(found, "position") == {"Ann": 0, "Bob": 0, "Cas": 2}
    assert counts(found, "category") == {"Ann": 2, "Bob": 0, "Cas": 0}


def test_a_nested_unit_that_others_do_not_have_is_a_level() -> None:
    outer = (0, 20, "x")
    found = read(Ann=[outer, (5, 15, "x")], Bob=[outer], Cas=[outer])
    assert set(observed(found)) == {"level"}
    assert counts(found, "level") == {"Ann": 2, "Bob": 0, "Cas": 0}
    around = read(Ann=[(5, 15, "x"), (0, 20, "x")], Bob=[(5, 15, "x")], Cas=[(5, 15, "x")])
    assert set(observed(around)) == {"level"}


def test_parts_must_fill_half_of_the_whole() -> None:
    inside = [(40, 44, "x"), (46, 50, "x")]
    found = read(Ann=[(0, 100, "x")], Bob=inside, Cas=inside)
    assert "merged" not in observed(found)
    assert "merged" in observed(read(Ann=[(38, 52, "x")], Bob=inside, Cas=inside))


def test_nobody_is_charged_among_two_annotators() -> None:
    found = read(Ann=[*JOINED, (50, 60, "x")], Bob=CUT)
    assert {r["charged"] for r in found.people} == {None}
    assert found.reason and "two annotators" in found.as_dict()["reason"]
    assert counts(found, "merged") == {"Ann": 1, "Bob": 0}
    assert counts(found, "split") == {"Ann": 0, "Bob": 1}
    assert counts(found, "unmatched") == {"Ann": 1, "Bob": 0}
    parts = observed(found)
    assert parts["merged"] == parts["split"]
    assert "missing" not in parts and "extra" not in parts


@pytest.mark.parametrize("name", ["alex-paul-suzan", "dalton", "figure10", "3by100"])
def test_kinds_add_up_to_the_disorder(name: str) -> None:
    continuum = load(name)
    alignment = gc.align(continuum)
    found = kinds_of(alignment)
    assert found.observed == pytest.approx(alignment.disorder, abs=1e-9)
    assert math.fsum(case.cost for case in found.cases) == pytest.approx(
        alignment.disorder, abs=1e-9
    )
    for kind, part in found.parts.items():
        charged = math.fsum(r["charged"] for r in found.people if r["kind"] == kind)
        assert charged == pytest.approx(part["observed"], abs=1e-9)


def random_documents(rng: np.random.Generator, people: int, units: int) -> Continuum:
    """Return annotators who split, join, move, leave out and nest units of a truth at random."""
    spans = []
    place = 0
    for _ in range(units):
        start = place + int(rng.integers(0, 4))
        place = start + int(rng.integers(4, 12))
        spans.append((start, place))
    annotators = {}
    for k in range(people):
        mine: list[tuple[float, float, str]] = []
        for start, end in spans:
            label = "xy"[int(rng.random() < 0.2)]
            chance = rng.random()
            if chance < 0.15 and mine:
                mine[-1] = (mine[-1][0], end, label)
            elif chance < 0.3:
                middle = (start + end) // 2
                mine += [(start, middle, label), (middle, end, label)]
            elif chance < 0.4:
                mine += [(start, end, label), (start + 1, end - 1, label)]
            elif chance < 0.9:
                mine.append((start, end + int(rng.integers(0, 2)), label))
        annotators["ABCDE"[k]] = mine
    return marked(**annotators)


@pytest.mark.parametrize("seed", range(12))
def test_random_documents_add_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    alignment = gc.align(random_documents(rng, 2 + seed % 4, 8))
    found = kinds_of(alignment)
    assert found.observed == pytest.approx(alignment.disorder, abs=1e-9)
    assert sum(c.cost for c in found.cases) == pytest.approx(alignment.disorder, abs=1e-9)


def changed(continuum: Continuum, names: dict[str, str], *, mirrored: bool) -> Continuum:
    units = [
        replace(
            u,
            annotator=names[u.annotator],
            start=100 - u.end if mirrored else u.start,
            end=100 - u.start if mirrored else u.end,
        )
        for u in continuum
    ]
    return Continuum.from_units(units, annotators=[names[a] for a in continuum.annotators])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("mirrored", [False, True])
def test_mirrored_and_renamed_documents_have_the_same_numbers(seed: int, mirrored: bool) -> None:
    """Mirroring and renaming change nothing if the best alignment is unique.

    Of several equally good ones, another one may be taken.
    """
    rng = np.random.default_rng([seed, 7])
    continuum = random_documents(rng, 3, 6)
    noise = rng.random((len(continuum), 2)) / 10
    moved = [
        replace(u, start=u.start + a, end=u.end + b)
        for u, (a, b) in zip(continuum, noise.tolist(), strict=True)
    ]
    continuum = Continuum.from_units(moved, annotators=list(continuum.annotators))
    names = {"A": "Zoe", "B": "Ann", "C": "Max"}
    found = kinds_of(gc.align(continuum))
    other = kinds_of(gc.align(changed(continuum, names, mirrored=mirrored)))
    assert observed(found) == pytest.approx(observed(other))
    for kind in DIFFERENCE_KINDS:
        mine = {names[a]: count for a, count in counts(found, kind).items()}
        assert mine == counts(other, kind)


def best_groups(
    left: frozenset[int], cost: dict[frozenset[int], float]
) -> tuple[float, tuple[frozenset[int], ...]]:
    """Return the cheapest partition of the units into groups that have a cost."""
    if not left:
        return 0.0, ()
    first = min(left)
    tried = []
    for group, own in cost.items():
        if first in group and group <= left:
            rest, groups = best_groups(left - group, cost)
            tried.append((own + rest, (group, *groups)))
    return min(tried, key=lambda each: each[0])


def exact_families(continuum: Continuum) -> set[tuple[int, frozenset[int]]]:
    """Return who has one unit against several in the best one-to-many alignment of two annotators.

    A family costs as much as its unit against the hull of the others, plus .05 for each part beyond
    one.
    """
    rows = {a: range(continuum.rows_of(a).start, continuum.rows_of(a).stop) for a in "AB"}
    starts, ends = continuum.starts, continuum.ends

    def place(one: Sequence[int], other: Sequence[int]) -> float:
        low = [min(starts[k] for k in side) for side in (one, other)]
        high = [max(ends[k] for k in side) for side in (one, other)]
        length = high[0] - low[0] + high[1] - low[1]
        return ((abs(low[0] - low[1]) + abs(high[0] - high[1])) / length) ** 2

    def overlapping(k: int) -> list[int]:
        other = rows["B" if k in rows["A"] else "A"]
        return [m for m in other if starts[m] < ends[k] and starts[k] < ends[m]]

    # Groups of units that do not overlap cost at least as much as their units alone.
    cost = {frozenset([k]): 1.0 for k in range(continuum.n_units)}
    for k in range(continuum.n_units):
        for size in (1, 2, 3):
            for some in combinations(overlapping(k), size):
                cost[frozenset((k, *some))] = place([k], some) + 0.05 * (size - 1)
    _, groups = best_groups(frozenset(range(continuum.n_units)), cost)
    families = set()
    for group in groups:
        mine = [k for k in group if k in rows["A"]]
        theirs = [k for k in group if k in rows["B"]]
        if len(mine) == 1 and len(theirs) > 1:
            families.add((mine[0], frozenset(theirs)))
        if len(theirs) == 1 and len(mine) > 1:
            families.add((theirs[0], frozenset(mine)))
    return families


def read_families(alignment: Alignment) -> set[tuple[int, frozenset[int]]]:
    rows = {(u.annotator, u.start, u.end): k for k, u in enumerate(alignment.continuum)}

    def row(unit: Unit) -> int:
        return rows[unit.annotator, unit.start, unit.end]

    return {
        (row(case.units[0][0]), frozenset(map(row, case.units[1])))
        for case in kinds_of(alignment).cases
        if case.kind in ("merged", "split")
    }


def test_rereading_finds_what_an_exhaustive_search_finds() -> None:
    """Two of five units are split or joined; the oracle tries all one-to-many alignments."""
    read_, exact, planted = [], [], []
    for seed in range(25):
        rng = np.random.default_rng([seed, 11])
        mine, theirs, truth = [], [], set()
        for k in range(5):
            start, end = 20 * k, 20 * k + int(rng.integers(9, 16))
            one, other = (mine, theirs) if rng.random() < 0.5 else (theirs, mine)
            one.append((start + float(rng.integers(0, 2)), float(end), "x"))
            if rng.random() < 0.4:
                cut = start + int(rng.integers(3, 6))
                truth.add(start)
                other += [(float(start), float(cut), "x"), (cut + 1.0, float(end), "x")]
            elif rng.random() < 0.9:
                other.append((float(start), float(end), "x"))
        alignment = gc.align(marked(A=mine, B=theirs))
        found = read_families(alignment)
        best = exact_families(alignment.continuum)
        read_.append(found)
        exact.append(best)
        planted.append(len(truth))
    pairs = list(zip(read_, exact, strict=True))
    agreed = sum(len(r & e) for r, e in pairs)
    assert agreed >= 0.95 * sum(map(len, exact))
    assert agreed >= 0.95 * sum(map(len, read_))
    assert sum(map(len, read_)) == pytest.approx(sum(planted), abs=2)


def test_cases_name_annotators_and_kind() -> None:
    found = read(Max=JOINED, Lisa=CUT, Peter=CUT)
    case = next(c for c in found.cases if "Lisa" in c.annotators)
    assert isinstance(case, Case)
    assert case.kind == "merged" and case.charged == "Max"
    assert case.annotators == ("Max", "Lisa")
    assert [[(u.start, u.end) for u in side] for side in case.units] == [
        [(0, 10)],
        [(0, 4), (5, 10)],
    ]
    assert (case.label, case.other_label) == ("x", "x")


def merging_campaign(documents: int = 6) -> Corpus:
    """Return documents in which Max joins the first two of seven units, and nobody else differs."""
    continua = {}
    for d in range(documents):
        rng = np.random.default_rng([d, 3])
        edges = np.cumsum(rng.integers(3, 12, 15)).astype(float)
        spans = [(edges[2 * k], edges[2 * k + 1], "x") for k in range(7)]
        joined = [(spans[0][0], spans[1][1], "x"), *spans[2:]]
        continua[f"d{d}"] = marked(Lisa=spans, Maria=spans, Max=joined)
    return Corpus.from_continua(continua)


@pytest.fixture(scope="module")
def merging() -> Kinds:
    return kinds_of(merging_campaign(), seed=1)


def test_a_culprit_is_named(merging: Kinds) -> None:
    found = merging
    record = next(r for r in found.people if r["annotator"] == "Max" and r["kind"] == "merged")
    assert len(found.sentences) == 1
    # Three annotators in each of six documents: an even share of twelve cases is four.
    assert found.sentences[0] == (
        "Max marks as one what others mark as several (for 6 units of Max, Lisa has 12 and Maria "
        "12): 12 of the 12 such differences between two annotators are Max's, all with the same "
        f"outer boundaries. An even share would be 4 ({p_of_test(record['p'])}: test of these "
        "counts). They cost 100% of the disorder."
    )
    assert record["p"] <= 0.05 and record["by_chance"] < record["count"] == 12
    assert record["even"] == pytest.approx(4)
    assert found.in_words() == list(found.sentences)


def test_the_numbers_of_a_sentence_are_those_of_the_table(merging: Kinds) -> None:
    """Cuts and joins are separate columns of the table, so a sentence does not add them up."""
    found = merging
    (_, table), *_ = [each for each in found.tables() if each[0].startswith("Differences of")]
    cells = {record["annotator"]: record["merged"] for record in table.records}
    assert cells["Max"] == "12 (4)"
    assert "12 of the 12 such differences" in found.sentences[0]
    assert "An even share would be 4 " in found.sentences[0]


@pytest.fixture(scope="module")
def drawn() -> Kinds:
    """Return the kinds of differences in three documents of random units."""
    rng = np.random.default_rng(4)
    continua = {}
    for d in range(3):
        spans = {}
        for name in ("A", "B", "C", "D")[: 3 + d % 2]:
            starts = np.sort(rng.choice(60, 9, replace=False))
            spans[name] = [(float(s), float(s + rng.integers(2, 9)), "xy"[s % 2]) for s in starts]
        continua[f"d{d}"] = marked(**spans)
    return kinds_of(gc.gamma_corpus(Corpus.from_continua(continua)))


@pytest.mark.parametrize("kind", DIFFERENCE_KINDS)
def test_the_costliest_differences_are_those_of_all_cases(kind: str, drawn: Kinds) -> None:
    """Oracle: the list of all cases, which charges them one by one."""
    for name in ("A", "D", "nobody"):
        charged = [c for c in drawn.cases if c.charged == name and c.kind == kind]
        charged.sort(key=lambda case: -case.cost)
        assert drawn.costliest(name, kind, most=1000) == charged
        costs = [case.cost for case in drawn.costliest(name, kind, most=2)]
        assert costs == [case.cost for case in charged[:2]]


@pytest.mark.slow
def test_expected_kinds_add_up_to_the_expected_disorder() -> None:
    corpus = merging_campaign(4)
    for chance in ("cut", "documents", "shift"):
        score = agreement(corpus, chance=chance, seed=2).score
        found = kinds_of(corpus, chance=chance, seed=2)
        whole = sum(part["expected"] for part in found.parts.values())
        assert whole == pytest.approx(score.expected, abs=1e-9)
        assert found.observed == pytest.approx(score.observed, abs=1e-9)
    # `shift` draws annotators with replacement, so there are no counts of a person and no sentence.
    assert not found.sentences
    assert {r["by_chance"] for r in found.people} == {None}


def test_without_random_sets_there_are_counts_but_no_sentence() -> None:
    found = kinds_of(gc.gamma_corpus(merging_campaign()))
    assert not found.sentences
    assert counts(found, "merged")["Max"] == 12
    assert found.parts["merged"]["expected"] is None


def test_random_sets_can_be_given() -> None:
    c = merging_campaign().continua["d0"]
    alignment = gc.align(c)
    sets = [RandomSet(c, alignment.groups)] * 3
    found = kinds_of(alignment, random_sets=sets)
    assert found.parts["merged"]["expected"] == pytest.approx(found.parts["merged"]["observed"])
    with pytest.raises(UsageError, match="random_sets is empty"):
        kinds_of(alignment, random_sets=[])
    with pytest.raises(UsageError, match="options"):
        kinds_of(alignment, seed=3)
    with pytest.raises(UsageError, match="go with an alignment"):
        kinds_of(c, random_sets=sets)
    with pytest.raises(UsageError, match="kinds_of needs"):
        kinds_of(3)


def test_fragments_and_shapes_are_refused_with_their_number() -> None:
    units = [Unit("A", 0, 9, "x", fragments=((0, 3), (5, 9))), Unit("B", 0, 9, "x")]
    alignment = gc.align(Continuum.from_units(units))
    with pytest.raises(DataError, match="1 unit of several fragments"):
        kinds_of(alignment)


def test_shapes_are_refused_before_anything_is_aligned(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("aligned")

    monkeypatch.setattr("gammacp.kinds.kinds.agreement", fail)
    units = [Unit("A", 0, 9, "x", fragments=((0, 3), (5, 9))), Unit("B", 0, 9, "x")]
    with pytest.raises(DataError, match="1 unit of several fragments"):
        kinds_of(Continuum.from_units(units))


def test_soft_alignments_are_refused() -> None:
    score = gc.soft_gamma(marked(A=[(0, 9, "x")], B=[(0, 9, "x")]), samples=5)
    with pytest.raises(DataError, match="soft"):
        kinds_of(score)


def test_a_convention_is_reported_and_charged_to_nobody() -> None:
    rng = np.random.default_rng(5)
    edges = np.cumsum(rng.integers(3, 12, 60)).astype(float)
    spans = [(edges[2 * k], edges[2 * k + 1], "x") for k in range(30)]
    moved = [(start, end + 1, label) for start, end, label in spans]
    found = kinds_of(marked(Ann=spans, Bob=spans, Cas=moved), samples=10)
    assert found.conventions and "Cas" in found.conventions[0].convention
    assert found.parts["position"]["observed"] > 0
    assert not any(counts(found, "position").values())
    assert found.in_words()[0].endswith("Nobody is charged with it.")
    assert not found.sentences


def test_an_annotator_who_found_nothing_misses_everything() -> None:
    units = [Unit(a, s, s + 5, "x") for a in "AB" for s in (0, 10, 20)]
    c = Continuum.from_units(units, annotators=["A", "B", "C"])
    assert counts(kinds_of(gc.align(c)), "missing") == {"A": 0, "B": 0, "C": 6}


def test_json_has_the_documented_keys(merging: Kinds) -> None:
    made = json.loads(json.dumps(merging.as_dict()))
    assert list(made["parts"]) == list(DIFFERENCE_KINDS)
    assert set(made["parts"]["merged"]) == {"observed", "expected", "share"}
    assert set(made["people"][0]) == {
        "annotator", "kind", "count", "even", "by_chance", "p", "charged",
    }  # fmt: skip
    assert set(made["pairs"][0]) == {"one", "several", "cases", "units", "with_gaps"}
    assert made["sentences"] and made["conventions"] == []


def test_binomial_by_hand() -> None:
    # The probability of at least 2 of 3 at one half is 4 of 8 outcomes.
    assert binomial_tail(np.array([2.0]), np.array([3.0]), np.array([0.5]))[0] == pytest.approx(0.5)
