from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import gammacp as gc
from gammacp.errors import DataError, UsageError
from gammacp.trees.measures.accuracy import disagreements
from gammacp.trees.measures.agreement import syntax_agreement
from gammacp.trees.measures.alpha import DELTAS, TreeObservations, expected_disagreement
from gammacp.trees.measures.annotations import Dependencies, Phrase, Treebank
from gammacp.trees.measures.tree import Tree
from tests.trees.measures.oracles import distance_of_forests


def random_sentence(rng: np.random.Generator, n: int) -> Dependencies:
    heads = [int(rng.integers(k)) for k in range(1, n + 1)]
    return Dependencies(tuple(heads), tuple(rng.choice(["a", "b", "c"], n).tolist()))


def random_treebank(seed: int = 0, n: int = 12, annotators: int = 3) -> Treebank:
    """Draw a treebank in which some annotations are missing and some sentences have only one."""
    rng = np.random.default_rng(seed)
    columns: dict[str, list[Dependencies | None]] = {f"A{a}": [] for a in range(annotators)}
    for _ in range(n):
        text = random_sentence(rng, int(rng.integers(1, 8)))
        for column in columns.values():
            other = random_sentence(rng, text.n_tokens)
            column.append(None if rng.random() < 0.3 else text if rng.random() < 0.6 else other)
    return Treebank.from_annotations(columns)


def by_definition(treebank: Treebank, delta: str) -> tuple[float, float]:
    """Return D_o and D_e as the double sums of §2 divided by the number of annotations."""

    def d(x: Tree, y: Tree) -> float:
        ted = distance_of_forests(x, y)
        if delta == "plain":
            return ted
        return ted - abs(x.size - y.size) if delta == "diff" else ted / (x.size + y.size)

    sets = [[s.tree for s in i.annotations.values()] for i in treebank.items]
    sets = [trees for trees in sets if len(trees) > 1]
    everything = [tree for trees in sets for tree in trees]
    n = len(everything)
    observed = sum(sum(d(x, y) ** 2 for x in s for y in s) / (len(s) - 1) for s in sets) / n
    expected = sum(d(x, y) ** 2 for x in everything for y in everything) / (n * (n - 1))
    return observed, expected


@pytest.mark.parametrize("seed", range(3))
def test_alpha_equals_the_definition(seed: int) -> None:
    treebank = random_treebank(seed)
    total = syntax_agreement(treebank).total
    for delta in DELTAS:
        observed, expected = by_definition(treebank, delta)
        assert total.observed[delta] == pytest.approx(observed, rel=1e-12)
        assert total.expected[delta] == pytest.approx(expected, rel=1e-12)
        assert total.alpha[delta] == pytest.approx(1 - observed / expected, rel=1e-12)


def only(treebank: Treebank, annotators: tuple[str, ...]) -> Treebank:
    columns = {a: [item.annotations.get(a) for item in treebank.items] for a in annotators}
    return Treebank.from_annotations(columns)


def test_parts_equal_separate_computations() -> None:
    treebank = random_treebank(1, n=20, annotators=4)
    result = syntax_agreement(treebank)
    assert len(result.pairs) == 6
    assert len(result.without) == 4
    for part in (*result.pairs, *result.without):
        alone = syntax_agreement(only(treebank, part.annotators)).total
        assert part.items == alone.items
        assert dict(part.alpha) == pytest.approx(dict(alone.alpha), rel=1e-12)
        assert dict(part.scores) == pytest.approx(dict(alone.scores), rel=1e-12)


def test_identical_annotators_agree_and_their_names_do_not_matter() -> None:
    treebank = random_treebank(2)
    rows = [next(iter(item.annotations.values())) for item in treebank.items]
    same = syntax_agreement(Treebank.from_annotations({"A": rows, "B": rows}))
    assert set(same.total.alpha.values()) == {1.0}
    assert same.total.scores["las"] == 1
    swapped = only(treebank, tuple(reversed(treebank.annotators)))
    assert dict(syntax_agreement(swapped).total.alpha) == pytest.approx(
        dict(syntax_agreement(treebank).total.alpha), rel=1e-12
    )


def test_the_result_does_not_depend_on_threads() -> None:
    observations = TreeObservations.of(random_treebank(3, n=60))
    everybody = np.ones((1, len(observations.item)), np.bool_)
    one, four = (expected_disagreement(observations, everybody, workers=w) for w in (1, 4))
    assert np.array_equal(one.mean, four.mean)
    assert np.array_equal(one.rows, four.rows)


def test_shares_sum_to_one_and_are_sorted() -> None:
    shares = syntax_agreement(random_treebank(4)).sentences
    for delta in DELTAS:
        assert sum(s.share[delta] for s in shares) == pytest.approx(1)
    plain = [s.share["plain"] for s in shares]
    assert plain == sorted(plain, reverse=True)


def test_sampled_pairs_have_a_valid_interval() -> None:
    treebank = random_treebank(5, n=40)
    exact = syntax_agreement(treebank).total
    inside = 0
    for seed in range(20):
        total = syntax_agreement(treebank, sample_pairs=1500, seed=seed).total
        assert total.interval is not None
        low, high = total.interval["plain"]
        inside += low <= exact.alpha["plain"] <= high
        assert total.observed == exact.observed
    # Twenty 95 % intervals miss the value more than 4 times with probability < .003.
    assert inside >= 16


def test_parts_of_sentences_are_derivatives_of_the_quadratic_form() -> None:
    """The parts, which the bootstrap draws, are compared with differences for weights 1 ± ε."""
    from gammacp.trees.measures.agreement import published_parts
    from gammacp.trees.measures.alpha import TreeObservations, deltas, expected_disagreement

    treebank = random_treebank(6)
    observations = TreeObservations.of(treebank)
    everything = observations.everything[None]
    expected = expected_disagreement(observations, everything)
    parts = published_parts(observations, expected)
    trees = [s.tree for s in observations.sentences]
    sizes = np.array([t.size for t in trees])
    ted = np.array([[distance_of_forests(x, y) for y in trees] for x in trees])
    squares = deltas(ted.astype(int), sizes[:, None], sizes[None]) ** 2
    n = len(trees)
    for d, name in enumerate(DELTAS):
        assert parts[name].expected.sum() / n == pytest.approx(expected.mean[0, d])
        for item in range(observations.n_items):
            sums, totals = [], []
            for step in (-1e-5, 1e-5):
                w = np.where(observations.item == item, 1 + step, 1.0)
                sums.append(float(w @ squares[d] @ w))
                totals.append(float(w.sum()))
            # D_e of a large treebank is a mean over pairs; it is scaled by the number of
            # annotations.
            slope = (sums[1] / totals[1] - sums[0] / totals[0]) / 2e-5 * n / (n - 1)
            assert parts[name].expected[item] == pytest.approx(slope, rel=1e-5, abs=1e-8)


def test_the_bootstrap_interval_contains_the_value() -> None:
    result = syntax_agreement(random_treebank(7, n=60), bootstrap=200)
    assert result.bootstrap is not None
    for name, value in {**result.total.alpha, **result.total.scores}.items():
        low, high = result.bootstrap[name]
        assert low < value < high


def test_without_expected_disagreement_alpha_is_undefined() -> None:
    row = [Dependencies((0,), ("r",))] * 3
    treebank = Treebank.from_annotations({"A": row, "B": row})
    result = syntax_agreement(treebank, bootstrap=5)
    assert all(np.isnan(a) for a in result.total.alpha.values())
    assert result.reason is not None
    assert "expected disagreement is 0" in result.reason
    score = gc.measure(treebank, ["alpha-plain"])["alpha-plain"]
    assert not score.defined
    assert score.reason is not None


def test_impossible_treebanks_are_errors() -> None:
    row = [Dependencies((0,), ("r",))]
    with pytest.raises(DataError, match="two annotations"):
        syntax_agreement(Treebank.from_annotations({"A": row, "B": [None]}))
    with pytest.raises(DataError, match="one annotator"):
        syntax_agreement(Treebank.from_annotations({"A": row}))
    with pytest.raises(UsageError, match="sample_pairs"):
        syntax_agreement(Treebank.from_annotations({"A": row, "B": row}), sample_pairs=-1)
    with pytest.raises(UsageError, match="equally many"):
        Treebank.from_annotations({"A": row, "B": []})


def test_attachment_scores_by_hand() -> None:
    a = Dependencies((2, 0, 2, 3), ("s", "r", "o", "m"))
    b = Dependencies((2, 0, 2, 2), ("s", "r", "x", "m"))
    errors = disagreements([a, b], np.array([0]), np.array([1]))
    assert errors.ravel().tolist() == [0.5, 0.25, 0.25]


def test_equation_3_weights_by_length() -> None:
    one, two = Dependencies((0,), ("r",)), Dependencies((0,), ("q",))
    long = Dependencies((0, 1, 1), ("r", "a", "b"))
    treebank = Treebank.from_annotations(
        {"A": [one, long, one], "B": [two, long, long], "C": [one, None, None]}
    )
    # Sentence 1 has LAS (0 + 1 + 0) / 3 over its pairs, sentence 2 has 1, and 3 is left out.
    result = syntax_agreement(treebank)
    assert result.ignored == 1
    assert result.total.scores["las"] == pytest.approx((1 * (1 / 3) + 3 * 1) / 4)


def test_bracketing_scores_by_hand() -> None:
    a = Phrase(("S", (("NP", ()), ("VP", (("V", ()), ("NP", ()))))))
    b = Phrase(("S", (("NP", ()), ("V", ()), ("NP", ()))))
    # The bracketings are S, NP, VP, V, NP and S, NP, V, NP.
    errors = disagreements([a, b], np.array([0]), np.array([1]))
    assert errors.ravel().tolist() == pytest.approx([1 - 0.8, 1 - 8 / 9])
    treebank = Treebank.from_annotations({"A": [a, b], "B": [b, b]})
    scores = gc.measure(treebank, ["jaccard", "las", "alpha-plain", "alpha-norm"])
    assert scores["jaccard"].value == pytest.approx(0.9)
    assert not scores["las"].defined
    assert scores["alpha-plain"].observed == pytest.approx(0.5)
    # The edit distance is 1 over sizes 3 + 3, in one of two sentences.
    assert scores["alpha-norm"].observed == pytest.approx((1 / 6) ** 2 / 2)


def test_measures_of_trees_refuse_units_and_the_reverse() -> None:
    continuum = gc.Continuum.from_units([gc.Unit("a", 0, 1, "x"), gc.Unit("b", 0, 1, "x")])
    names = ["alpha-plain", "alpha-diff", "alpha-norm", "las", "jaccard"]
    for name, score in gc.measure(continuum, names).items():
        assert score.reason is not None
        assert name in score.reason
        assert "trees" in score.reason
    treebank = random_treebank(1)
    assert "not trees" in str(gc.measure(treebank, ["kappa-d"])["kappa-d"].reason)
    values = gc.measure(treebank, names[:4], bootstrap=10)
    assert values["alpha-plain"].bootstrap is not None
    assert 0 <= values["las"].value <= 1


def test_only_annotators_with_a_common_sentence_form_pairs() -> None:
    row = random_sentence(np.random.default_rng(0), 3)
    other = random_sentence(np.random.default_rng(1), 4)
    treebank = Treebank.from_annotations(
        {"A": [row, None, other], "B": [row, row, None], "C": [None, row, other]}
    )
    pairs = [p.annotators for p in syntax_agreement(treebank).pairs]
    assert pairs == list(combinations("ABC", 2))
    lonely = Treebank.from_annotations({"A": [row, None], "B": [row, row], "C": [None, row]})
    assert [p.annotators for p in syntax_agreement(lonely).pairs] == [("A", "B"), ("B", "C")]
