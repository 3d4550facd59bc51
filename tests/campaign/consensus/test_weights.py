from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp.campaign.consensus import CorpusConsensus, consensus_of_each
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.continuum.selecting import keep_annotators
from gammacp.errors import UsageError

# For a true unit: the probabilities to mark it and to give its category, and how early it starts.
PLANTED = {"Ann": (0.95, 0.95, 0), "Bob": (0.9, 0.9, 0), "Cid": (0.8, 0.4, 2), "Dot": (0.4, 0.9, 0)}
NAMES = tuple(PLANTED)
Gold = dict[str, set[tuple[float, float, str | None]]]


def planted(documents: int = 25, seed: int = 1) -> tuple[Corpus, Gold]:
    """Return documents of eight distant units with three of four annotators; Cid also invents
    units.
    """
    rng = np.random.default_rng(seed)
    gold: Gold = {}
    continua = {}
    for d in range(documents):
        name, units = f"d{d}", []
        gold[name] = {(50 * i, 50 * i + 10, "ab"[rng.integers(2)]) for i in range(8)}
        people = [a for i, a in enumerate(NAMES) if i != d % 4]
        for a in people:
            marks, right, early = PLANTED[a]
            for start, end, category in sorted(gold[name], key=str):
                if rng.random() < marks:
                    label = category if rng.random() < right else "ab"[category == "a"]
                    units.append(Unit(a, start - early, end, label))
            if a == "Cid":
                units += [Unit(a, 50 * i + 25, 50 * i + 30, "a") for i in rng.integers(8, size=2)]
        continua[name] = Continuum.from_units(units, annotators=people, bounds=(-5, 400), name=name)
    return Corpus.from_continua(continua), gold


def f1(found: CorpusConsensus, gold: Gold) -> float:
    units = {
        n: {(u.start, u.end, u.category) for u in c.continuum} for n, c in found.documents.items()
    }
    both = sum(len(units[n] & gold[n]) for n in gold)
    return 2 * both / sum(len(units[n]) + len(gold[n]) for n in gold)


@pytest.fixture(scope="module")
def corpus() -> tuple[Corpus, Gold]:
    return planted()


@pytest.mark.parametrize("model", ["dawid-skene", "one-coin", "mace"])
def test_planted_truth_is_recovered_better_than_by_votes(
    corpus: tuple[Corpus, Gold], model: str
) -> None:
    continua, gold = corpus
    votes, weighed = (consensus_of_each(continua, weights=w) for w in ("vote", model))
    assert f1(weighed, gold) > f1(votes, gold) + 0.03
    assert f1(weighed, gold) > 0.85


def test_planted_annotators_are_described(corpus: tuple[Corpus, Gold]) -> None:
    belief = consensus_of_each(corpus[0]).belief
    assert belief.weights == "dawid-skene"
    by_name = {a.name: a for a in belief.annotators}
    for name, (marks, right, early) in PLANTED.items():
        assert by_name[name].recall == pytest.approx(marks * right, abs=0.1)
        assert by_name[name].boundary_bias == pytest.approx((-early, 0), abs=0.3)
    assert by_name["Cid"].precision < 0.5 < 0.8 < by_name["Bob"].precision
    row = by_name["Cid"].confusion["a"]
    assert row["a"] == pytest.approx(0.8 * 0.4, abs=0.12)
    assert row["∅"] == pytest.approx(0.2, abs=0.1)
    assert sum(row.values()) == pytest.approx(1)


def test_posteriors_are_calibrated(corpus: tuple[Corpus, Gold]) -> None:
    continua, gold = corpus
    gold_standards = consensus_of_each(continua)
    pairs = [
        (u.posterior, any(u.start <= e and s <= u.end and u.category == c for s, e, c in gold[n]))
        for n, k in gold_standards.documents.items()
        for u in k.units
    ]
    posteriors, true = (np.array(x, float) for x in zip(*pairs, strict=True))
    assert posteriors.mean() == pytest.approx(true.mean(), abs=0.06)
    assert np.mean((posteriors - true) ** 2) < 0.1  # the Brier score; ignorance has .25


def test_entropy_is_high_for_open_categories(corpus: tuple[Corpus, Gold]) -> None:
    gold_standards = consensus_of_each(corpus[0])
    rows = gold_standards.review
    assert [u.entropy for _, u in rows] == sorted((u.entropy for _, u in rows), reverse=True)
    for c in gold_standards.documents.values():
        assert c.entropy == pytest.approx(sum(u.entropy for u in c.units))


def test_votes_decide_if_weights_cannot_be_estimated(corpus: tuple[Corpus, Gold]) -> None:
    continua = corpus[0]
    one = consensus_of_each(continua["d0"])
    assert one.belief.weights == "vote"
    assert "30 are needed" in one.belief.notes[0]
    two = {
        n: keep_annotators(c, [a for a in ("Ann", "Bob") if a in c.annotators])
        for n, c in continua.items()
    }
    asked = consensus_of_each(
        {n: c for n, c in two.items() if len(c.annotators) > 1}, weights="mace"
    )
    assert asked.belief.weights == "vote"
    assert "2 annotators cannot be weighed" in asked.belief.notes[0]
    assert consensus_of_each(continua, weights="vote").belief.notes == ()


def test_two_crowds_that_never_meet_are_reported(corpus: tuple[Corpus, Gold]) -> None:
    other = {
        f"e{n}": Continuum.from_units(
            [Unit(u.annotator.lower(), u.start, u.end, u.category) for u in c],
            annotators=[a.lower() for a in c.annotators],
            bounds=c.bounds,
        )
        for n, c in planted(12, seed=2)[0].items()
    }
    notes = consensus_of_each({**dict(corpus[0].items()), **other}).belief.notes
    assert "2 groups that share no document" in notes[0]


def test_unlabelled_units_are_a_label_of_their_own() -> None:
    units = [Unit(a, 9 * i, 9 * i + 4, "x" if i % 3 else None) for a in "ABC" for i in range(40)]
    gold_standards = consensus_of_each(gc.Continuum.from_units(units))
    assert gold_standards.belief.weights == "dawid-skene"
    (one,) = gold_standards.documents.values()
    assert {(u.start, u.category) for u in one.continuum} == {(u.start, u.category) for u in units}


def test_unknown_weights() -> None:
    with pytest.raises(
        UsageError, match="weights 'glad' is unknown; there are: auto, vote, dawid-skene"
    ):
        consensus_of_each(planted(3)[0], weights="glad")


def test_an_unknown_option_is_refused_for_any_number_of_documents() -> None:
    documents = {str(k): Continuum.from_units([Unit(a, k, 9, "x") for a in "ABC"]) for k in (0, 1)}
    unknown: Any = {"rounds": 2}
    with pytest.raises(TypeError, match="rounds"):
        consensus_of_each(documents, **unknown)


def test_unanimous_units_are_kept_with_certainty() -> None:
    rows = [(a, s, s + 5, "x") for a in "ABCD" for s in range(0, 310, 10)]
    gold_standards = consensus_of_each(Continuum.from_units([Unit(*row) for row in rows]))
    (one,) = gold_standards.documents.values()
    assert [u.kept for u in one.units] == [True] * 31
    assert all(u.posterior == pytest.approx(1.0, abs=1e-6) for u in one.units)
    assert gold_standards.belief.threshold == pytest.approx(0.5)


def test_an_undecided_model_leaves_the_category_open_in_any_order() -> None:
    for names in ("ABC", "CBA"):
        rows = [(a, s, s + 5, "xyz"[s % 3]) for a in "ABC" for s in range(0, 300, 10)]
        rows += [(a, 400, 405, c) for a, c in zip(names, "xyz", strict=True)]
        gold_standards = consensus_of_each(Continuum.from_units([Unit(*row) for row in rows]))
        (one,) = gold_standards.documents.values()
        open_one = next(u for u in one.units if u.start == 400)
        assert open_one.category is None
        assert open_one.vote.tied
        assert "by the model" not in "; ".join(open_one.reasons)


def test_a_majority_that_the_model_rejects_is_reported() -> None:
    """A's x is believed against the z of two others.

    A never errs on x, while B and C often call x z.
    """
    rows = [("A", s, s + 5, "xz"[s // 10 % 2]) for s in range(0, 800, 10)]
    for who, missed in (("B", {0, 2}), ("C", {4, 6})):
        answers = [
            (s, "z" if s // 10 % 10 in missed else "xz"[s // 10 % 2]) for s in range(0, 800, 10)
        ]
        rows += [(who, s, s + 5, label) for s, label in answers]
    rows += [("A", 900, 905, "x"), ("B", 900, 905, "z"), ("C", 900, 905, "z")]
    (one,) = consensus_of_each(Continuum.from_units([Unit(*r) for r in rows])).documents.values()
    unit = next(u for u in one.units if u.start == 900)
    assert unit.category == "x"
    assert unit.reasons[0].startswith("category disputed: z 2, x 1, x by the model (")
    others = [u.reasons for u in one.units if u.start < 900 and u.reasons]
    assert others
    assert "by the model" not in str(others)


def test_a_tied_vote_that_the_model_decides_reports_both() -> None:
    good = [(a, s, s + 5, "xz"[s // 10 % 2]) for a in "AB" for s in range(0, 400, 10)]
    bad = [("C", s, s + 5, "xz"[s // 30 % 2]) for s in range(0, 400, 10)]
    rows = [*good, *bad, ("A", 500, 505, "x"), ("C", 500, 505, "z")]
    gold_standards = consensus_of_each(Continuum.from_units([Unit(*row) for row in rows]))
    (one,) = gold_standards.documents.values()
    unit = next(u for u in one.units if u.start == 500)
    assert unit.category == "x"
    assert any("x by the model" in reason for reason in unit.reasons)
