"""Length-matched chance against loops that follow the definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import gammacp as gc
from gammacp.errors import UsageError
from gammacp.trees.measures.accuracy import disagreements
from gammacp.trees.measures.agreement import syntax_agreement
from gammacp.trees.measures.alpha import DELTAS, TreeObservations
from gammacp.trees.measures.annotations import Dependencies, Phrase, Treebank
from gammacp.trees.measures.matched import LEAST, bands, matched
from tests.trees.measures.oracles import distance_of_forests
from tests.trees.measures.test_tree_alpha import only, random_sentence, random_treebank


def band(x: int, b: int, lengths: list[int], items: list[int], people: list[int]) -> set[int]:
    """Return the annotations by b of other sentences in the narrowest band that has at least three.

    The band is around the length of annotation x.
    """
    for width in range(max(lengths)):
        found = {
            y
            for y in range(len(items))
            if people[y] == b and items[y] != items[x] and abs(lengths[y] - lengths[x]) <= width
        }
        if len(found) >= LEAST:
            return found
    raise AssertionError("too few")


def some_sentences(rng: np.random.Generator) -> tuple[list[int], list[int], list[int]]:
    """Draw lengths, sentences and annotators of a campaign with missing annotations."""
    rows = [
        (int(length + (rng.random() < 0.1)), item, person)
        for item, length in enumerate(rng.integers(1, 15, size=14).tolist())
        for person in sorted(rng.permutation(4)[: int(rng.integers(2, 5))].tolist())
    ]
    lengths, items, people = zip(*rows, strict=True)
    return list(lengths), list(items), list(people)


@pytest.mark.parametrize("seed", range(6))
def test_bands_hold_annotations_of_the_nearest_lengths(seed: int) -> None:
    lengths, items, people = some_sentences(np.random.default_rng(seed))
    found = bands(np.array(lengths), np.array(items), np.array(people))
    for x, (item, person) in enumerate(zip(items, people, strict=True)):
        others = [b for i, b in zip(items, people, strict=True) if i == item and b != person]
        want: dict[int, float] = {}
        exact, widest = 0.0, 0
        for b in others:
            theirs = band(x, b, lengths, items, people)
            want |= {y: 1 / len(theirs) / len(others) for y in theirs}
            width = max(abs(lengths[y] - lengths[x]) for y in theirs)
            exact, widest = exact + (width == 0) / len(others), max(widest, width)
        mine = found.first == x
        got = dict(zip(found.second[mine].tolist(), found.weights[mine].tolist(), strict=True))
        assert got == pytest.approx(want)
        assert (found.exact[x], found.widths[x]) == (pytest.approx(exact), widest)


def test_many_candidates_are_sampled_evenly() -> None:
    items, people = np.repeat(np.arange(300), 2), np.tile([0, 1], 300)
    found = bands(np.full(600, 7), items, people, most=20)
    assert set(np.bincount(found.first).tolist()) == {20}
    assert (items[found.first] != items[found.second]).all()
    assert (people[found.first] != people[found.second]).all()
    assert set(np.bincount(found.second, minlength=600).tolist()) == {20}
    few = bands(np.full(600, 7), items, people, most=1)
    assert set(np.bincount(few.second, minlength=600).tolist()) == {1}


def by_definition(treebank: Treebank, delta: str) -> float:
    """Return 1 − D_o/D_e by the definition.

    D_e is the mean squared δ of each annotation to those of its bands, scaled to its length.
    """

    def squared(x: Dependencies, y: Dependencies) -> float:
        ted, a, b = distance_of_forests(x.tree, y.tree), x.n_tokens + 1, y.n_tokens + 1
        power = 4 if b > a else 2
        d: float = ted * (2 * a**power / (a**power + b**power)) ** (1 / power)
        return (d / (2 * a) if delta == "norm" else d) ** 2

    names = treebank.annotators
    rows = [
        (i, names.index(name), s)
        for i, item in enumerate(treebank.shared_items)
        for name, s in item.annotations.items()
    ]
    sentences = [s for _, _, s in rows if isinstance(s, Dependencies)]
    items, people = [i for i, _, _ in rows], [a for _, a, _ in rows]
    lengths = [s.n_tokens for s in sentences]
    met: dict[int, list[set[int]]] = {}
    for x in range(len(items)):
        same = [y for y in range(len(items)) if items[y] == items[x] and y != x]
        met[x] = [band(x, people[y], lengths, items, people) for y in same]
    far = {
        items[x]
        for x, of in met.items()
        if any(4 * abs(lengths[y] - lengths[x]) > lengths[x] + 1 for ys in of for y in ys)
    }
    observed = expected = 0.0
    for x in (x for x in met if items[x] not in far):
        same = [y for y in range(len(items)) if items[y] == items[x] and y != x]
        observed += np.mean([squared(sentences[x], sentences[y]) for y in same])
        expected += np.mean(
            [np.mean([squared(sentences[x], sentences[y]) for y in ys]) for ys in met[x]]
        )
    return 1 - observed / expected


@pytest.mark.parametrize("seed", range(3))
def test_values_equal_the_definition(seed: int) -> None:
    treebank = random_treebank(seed, n=25, annotators=2 + seed % 2)
    found = syntax_agreement(treebank, breakdown=False).total.beyond_chance
    for delta in DELTAS:
        assert found[delta].value == pytest.approx(by_definition(treebank, delta), rel=1e-12)


def test_accuracies_of_sentences_with_unlike_lengths_by_hand() -> None:
    a = Dependencies((2, 0, 2, 3), ("s", "r", "o", "m"))
    b = Dependencies((2, 0, 2, 2), ("s", "r", "x", "m"))
    errors = disagreements([a, b], np.array([0]), np.array([1]))
    assert errors[:, 0].tolist() == [0.5, 0.25, 0.25]
    # Tokens 1, 2 are paired with tokens 1, 2, and tokens 3, 4 with tokens 4, 5, with their heads.
    longer = Dependencies((2, 0, 2, 2, 4), ("s", "q", "o", "o", "m"))
    errors = disagreements([longer, a], np.array([0, 1]), np.array([1, 0]))
    assert errors.T.tolist() == [pytest.approx([0.25, 0, 0.25])] * 2
    # The first and the last of three leaves are paired (D and E), and so are the two sentences.
    one = Phrase(("S", (("D", ()), ("E", ()))))
    two = Phrase(("S", (("D", ()), ("X", ()), ("E", ()))))
    jaccard, f1 = disagreements([one, two], np.array([0]), np.array([1]))[:, 0]
    assert (jaccard, f1) == (pytest.approx(1 - 3 / 4), pytest.approx(1 - 6 / 7))


def test_accuracies_are_weighted_by_length() -> None:
    treebank = random_treebank(5, n=30)
    observations = TreeObservations.of(treebank)
    found, chosen = matched(observations, observations.tokens, observations.everything)
    errors = disagreements(observations.sentences, found.first, found.second)[0]
    expected = wrong = tokens = 0.0
    for i, item in enumerate(treebank.shared_items):
        own = np.flatnonzero((observations.item == i) & chosen)
        if not len(own):
            continue
        bands_of = [errors[found.first == x] @ found.weights[found.first == x] for x in own]
        expected += item.n_tokens * np.mean(bands_of)
        one, other = np.array([*combinations(own, 2)]).T
        inside = disagreements(observations.sentences, one, other)[0].mean()
        wrong, tokens = wrong + item.n_tokens * inside, tokens + item.n_tokens
    las = syntax_agreement(treebank, breakdown=False).total.beyond_chance["las"]
    assert las.expected == pytest.approx(expected / tokens)
    assert las.observed == pytest.approx(wrong / tokens)


@pytest.mark.slow
def test_annotators_with_individual_habits_have_agreement_zero() -> None:
    """Two teams annotate, one with chains and one with flat trees.

    The expected disagreement of two annotators uses their own trees only.
    """
    from experiments._independent_trees import drawn

    sums = np.zeros((2, 2))
    for k in range(12):
        treebank = drawn("teams 3-30 x60", np.random.default_rng(k))
        found = syntax_agreement(treebank, breakdown=False).total.beyond_chance
        sums += [[found[name].observed, found[name].expected] for name in ("plain", "las")]
    # With the trees of all annotators pooled, the values would be .3.
    assert abs(1 - sums[:, 0] / sums[:, 1]) == pytest.approx([0, 0], abs=0.03)


def test_rare_annotators_and_very_long_sentences_are_left_out() -> None:
    rng = np.random.default_rng(1)
    lengths = [5, 5, 6, 6, 5, 6, 5, 40]
    columns: dict[str, list[Dependencies | None]] = {
        name: [random_sentence(rng, n) for n in lengths] for name in ("A", "B")
    }
    columns["C"] = [*columns["B"][:3], *[None] * 5]
    found = syntax_agreement(Treebank.from_annotations(columns), breakdown=False).total
    both = Treebank.from_annotations({name: columns[name][:-1] for name in ("A", "B")})
    alone = syntax_agreement(both, breakdown=False).total
    for name, beyond in found.beyond_chance.items():
        assert (beyond.details["annotators_left_out"], beyond.details["sentences_left_out"]) == (
            ("C",),
            1,
        )
        assert beyond.value == pytest.approx(alone.beyond_chance[name].value)
    assert alone.beyond_chance["las"].details["sentences_left_out"] == 0


def test_random_annotators_have_agreement_zero_beyond_chance() -> None:
    """With lengths as varied as in real text, all measures are about 0; the published α is not."""
    rng = np.random.default_rng(0)
    lengths = np.clip(rng.lognormal(2.7, 0.6, 300), 1, 60).astype(int)
    columns = {a: [random_sentence(rng, int(n)) for n in lengths] for a in ("A", "B")}
    total = syntax_agreement(Treebank.from_annotations(columns)).total
    assert total.alpha["diff"] < -0.5
    for name, found in total.beyond_chance.items():
        assert abs(found.value) < 0.03, name
        assert found.interval is not None
        low, high = found.interval
        assert low < 0 < high, name


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["near", "right", "flat", "any"])
def test_random_annotators_have_agreement_zero_with_very_long_sentences(shape: str) -> None:
    """docs/chance.md states the limits, for log-normal lengths (σ = .9, 1 to 90 tokens)."""
    from experiments._independent_trees import RELATIONS, Process, annotated

    for n, sets, limit in ((20, 100, 0.03), (40, 60, 0.02)):
        process, sums = Process("tail", n, (shape, shape)), np.zeros(2)
        for s in range(sets):
            rng = np.random.default_rng([n, s, 11])
            tastes = rng.dirichlet(np.full(RELATIONS, 2.0), (2, 2))
            lengths = np.clip(np.round(rng.lognormal(2.2, 0.9, n)), 1, 90).astype(int).tolist()
            both = {
                f"A{k}": [annotated(process, x, k, tastes[:, k], rng) for x in lengths]
                for k in (0, 1)
            }
            total = syntax_agreement(Treebank.from_annotations(both), breakdown=False).total
            found = total.beyond_chance["plain"]
            sums += [found.observed, found.expected]
        assert abs(1 - sums[0] / sums[1]) < limit, n


def test_parts_equal_separate_computations() -> None:
    treebank = random_treebank(1, n=40, annotators=4)
    result = syntax_agreement(treebank)
    for part in (*result.pairs, *result.without):
        alone = syntax_agreement(only(treebank, part.annotators)).total.beyond_chance
        for name, found in part.beyond_chance.items():
            assert found.value == pytest.approx(alone[name].value, rel=1e-12, nan_ok=True)


def test_undefined_values_have_a_reason() -> None:
    row = [random_sentence(np.random.default_rng(k), 5) for k in range(3)]
    treebank = Treebank.from_annotations({"A": row, "B": row[::-1]})
    result = syntax_agreement(treebank)
    found = result.total.beyond_chance["plain"]
    assert np.isnan(found.value)
    assert "3 sentences with 6 annotations are too few" in str(found.reason)
    assert not np.isnan(result.total.alpha["plain"])
    alike = [Dependencies((0,), ("r",))] * 9
    same = syntax_agreement(Treebank.from_annotations({"A": alike, "B": alike})).total
    assert "alike" in str(same.beyond_chance["las"].reason)
    assert syntax_agreement(treebank, chance=None).total.beyond_chance == {}
    with pytest.raises(UsageError, match="'shift'"):
        syntax_agreement(treebank, chance="shift")


def test_measure_reports_values_of_trees_beyond_chance() -> None:
    treebank = random_treebank(2, n=30)
    total = syntax_agreement(treebank, breakdown=False).total
    scores = gc.measure(treebank, ["alpha-plain", "las", "jaccard"], beyond_chance=True)
    assert scores["alpha-plain"].beyond_chance == total.beyond_chance["plain"]
    assert scores["las"].beyond_chance == total.beyond_chance["las"]
    assert scores["las"].value == total.scores["las"]
    assert "bracketings" in str(getattr(scores["jaccard"].beyond_chance, "reason", ""))
    with pytest.raises(UsageError, match="precision"):
        gc.measure(treebank, ["las"], beyond_chance=True, precision=0.1)


# Values of a prototype of some twenty lines, which pooled the trees of all annotators by length.
# They are close: annotators are alike here, and few sentences have a length of their own.
PROTOTYPE = {
    "da": {"plain": 0.950, "diff": 0.949, "norm": 0.943},
    "en": {"plain": 0.915, "diff": 0.914, "norm": 0.925},
}


@pytest.mark.parametrize("name", PROTOTYPE)
def test_copenhagen_treebanks_against_a_prototype(name: str) -> None:
    from tests.trees.papers.test_skjaerholt_2014 import agreement

    found = agreement(name).total.beyond_chance
    for delta, value in PROTOTYPE[name].items():
        assert found[delta].value == pytest.approx(value, abs=0.004)
