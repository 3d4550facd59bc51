"""Models of annotators, against crowd-kit 1.4.2, by hand and on planted annotators.

`crowd_kit.json` holds results of crowd-kit for 240 responses of seven planted annotators, one of
whom mostly answers the first label: DawidSkene and OneCoinDawidSkene iterated until convergence,
MACE by 50 iterations of EM from a recorded start, and the best of its ten starts.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.campaign.annotators.models import fit
from gammacp.campaign.annotators.responses import Responses
from gammacp.errors import DataError, UsageError

PEER: dict[str, Any] = json.loads(Path(__file__).with_name("crowd_kit.json").read_text())


def from_rows(rows: Iterable[tuple[str, str, str | None]]) -> Responses:
    """Return the responses of (item, annotator, label) rows, coded in order of first appearance."""
    codes: tuple[dict[str | None, int], ...] = ({}, {}, {})
    coded = [
        [code.setdefault(name, len(code)) for name, code in zip(row, codes, strict=True)]
        for row in rows
    ]
    item, annotator, label = np.array(coded, np.int64).reshape(-1, 3).T
    names = tuple(str(name) for name in codes[1])
    return Responses(item, annotator, label, len(codes[0]), names, tuple(codes[2]))


def responses() -> Responses:
    """Return the responses of the file, with labels in the order a, b, c."""
    rows = [row.split() for row in PEER["rows"]]
    items, people = (list(dict.fromkeys(r[i] for r in rows)) for i in (0, 1))
    codes = [(items.index(t), people.index(w), "abc".index(label)) for t, w, label in rows]
    return Responses(*np.array(codes).T, len(items), tuple(people), tuple("abc"))


def peer_posterior(name: str) -> np.ndarray[Any, Any]:
    reference = PEER[name]
    order = [reference["labels"].index(label) for label in "abc"]
    rows = [row.split()[0] for row in PEER["rows"]]
    return np.array([reference["posterior"][t] for t in dict.fromkeys(rows)])[:, order]


@pytest.mark.parametrize("model", ["dawid-skene", "one-coin"])
def test_the_posteriors_of_crowd_kit(model: str) -> None:
    model_fit = fit(responses(), model, strength=0, tolerance=1e-12, iterations=5000)
    assert model_fit.converged
    assert np.abs(model_fit.posterior - peer_posterior(model)).max() < 1e-6


def test_mace_of_crowd_kit_from_its_start() -> None:
    data, peer = responses(), PEER["mace"]
    people = [peer["workers"].index(a) for a in data.annotators]
    order = [peer["labels"].index(label) for label in "abc"]
    guess, theta = np.array(peer["start_spamming"])[people].T
    xi = np.array(peer["start_thetas"])[people][:, order]
    rates = theta[:, None, None] * np.eye(3) + guess[:, None, None] * xi[:, None]
    logs = np.zeros((data.items, 3))
    np.add.at(logs, data.item, np.log(rates[data.annotator, :, data.label]))
    start = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    knowing = theta[:, None] / (theta[:, None] + guess[:, None] * xi)
    model_fit = fit(
        data, "mace", strength=0, start=start, knowing=knowing, tolerance=0, iterations=50
    )
    assert np.abs(model_fit.posterior - peer_posterior("mace")).max() < 1e-6
    assert model_fit.log_likelihood == pytest.approx(peer["log_likelihood_start1"], abs=1e-2)


def test_mace_from_its_own_start_is_as_likely_as_the_best_of_ten() -> None:
    model_fit = fit(responses(), "mace", strength=0)
    # crowd-kit adds 1e-8 to every probability of an item.
    assert model_fit.log_likelihood >= PEER["mace"]["log_likelihood_best"] - 1e-2


@pytest.mark.parametrize("model", ["dawid-skene", "one-coin", "mace"])
def test_planted_annotators_are_recovered(model: str) -> None:
    rng = np.random.default_rng(7)
    truth = rng.integers(3, size=600)
    skills = np.array([0.95, 0.8, 0.6, 0.4, 0.9])
    labels = np.where(rng.random((600, 5)) < skills, truth[:, None], rng.integers(3, size=(600, 5)))
    item, annotator = (x.ravel() for x in np.indices(labels.shape))
    data = Responses(item, annotator, labels.ravel(), 600, tuple("ABCDE"), tuple("xyz"))
    model_fit = fit(data, model)
    right = model_fit.confusion[:, range(3), range(3)].mean(axis=1)
    # An annotator who draws at random is right by chance in a third of the cases.
    assert right == pytest.approx(skills + (1 - skills) / 3, abs=0.06)
    votes = data.vote_shares().argmax(axis=1)
    assert (model_fit.posterior.argmax(axis=1) == truth).mean() > (votes == truth).mean()


def test_maximum_likelihood_never_falls() -> None:
    data = responses()
    values = [
        fit(data, "dawid-skene", strength=0, tolerance=0, iterations=n).log_likelihood
        for n in range(1, 12)
    ]
    assert all(b >= a - 1e-9 for a, b in pairwise(values))


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(7)), st.permutations(range(3)))
def test_names_and_order_do_not_matter(people: list[int], labels: list[int]) -> None:
    data = responses()
    other = Responses(
        data.item,
        np.array(people)[data.annotator],
        np.array(labels)[data.label],
        data.items,
        tuple(str(i) for i in range(7)),
        tuple("pqr"),
    )
    a, b = fit(data, iterations=20), fit(other, iterations=20)
    assert b.posterior[:, labels] == pytest.approx(a.posterior, abs=1e-9)
    assert b.confusion[people][:, labels][:, :, labels] == pytest.approx(a.confusion, abs=1e-9)


def test_an_annotator_with_few_answers_is_drawn_to_the_others() -> None:
    rows = [(str(i), a, "xy"[i % 2]) for i in range(40) for a in "ABC"]
    rows += [("1", "D", "x"), ("3", "D", "x")]
    free, drawn = (fit(from_rows(rows), strength=s).confusion[3] for s in (0, 5))
    assert free[1, 1] == pytest.approx(0, abs=1e-6)
    assert drawn[1, 1] > 0.6


def test_two_annotators_who_differ_leave_the_truth_open() -> None:
    rows = [("1", "A", "x"), ("1", "B", "y"), ("2", "A", "x"), ("2", "B", "y")]
    one = fit(from_rows(rows), "one-coin", iterations=1)
    assert one.posterior == pytest.approx(np.full((2, 2), 0.5))


def test_disconnected_and_too_few_annotators_are_reported() -> None:
    rows = [(str(i), a, "x") for i in range(40) for a in ("ABC" if i % 2 else "DEF")]
    overlap = from_rows(rows).overlap
    assert overlap.parts == (("D", "E", "F"), ("A", "B", "C"))
    assert overlap.too_little is None
    assert "2 groups that share no document" in str(overlap.caution)
    two = from_rows([(str(i), a, "x") for i in range(40) for a in "AB"]).overlap
    assert "2 annotators cannot be weighed" in str(two.too_little)
    few = from_rows([(str(i), a, "x") for i in range(4) for a in "ABC"]).overlap
    assert "saw 4 items" in str(few.too_little)


def test_identical_labels_have_posterior_one() -> None:
    rows = [(str(i), a, "x") for i in range(5) for a in "ABC"]
    for model in ("dawid-skene", "one-coin", "mace"):
        assert fit(from_rows(rows), model).posterior == pytest.approx(np.ones((5, 1)))


def test_impossible_arguments_are_refused() -> None:
    with pytest.raises(UsageError, match="model 'glad' is unknown; there are: dawid-skene"):
        fit(responses(), "glad")
    with pytest.raises(UsageError, match="strength"):
        fit(responses(), strength=-1)
    with pytest.raises(DataError, match="no response"):
        fit(from_rows([]))


def _said(rows: list[list[str]], labels: tuple[str, ...]) -> Responses:
    codes = np.array([[labels.index(label) for label in row] for row in rows])
    item, annotator = np.indices(codes.shape)
    people = tuple("ABCD"[: codes.shape[1]])
    return Responses(item.ravel(), annotator.ravel(), codes.ravel(), len(codes), people, labels)


@pytest.mark.parametrize("model", ["dawid-skene", "one-coin"])
def test_a_rare_class_takes_no_part_of_a_frequent_one(model: str) -> None:
    alike = [["x"] * 3 for _ in range(30)]
    for rows, labels in (
        (alike, ("x", "∅")),
        ([*alike, ["x", "x", "z"]], ("x", "z", "∅")),
        ([*alike, ["x", "x", "∅"]], ("x", "∅")),
    ):
        posterior = fit(_said(rows, labels), model).posterior
        assert (posterior[:30, 0] > 0.99).all()
        assert (posterior[:, 0] > 0.5).all()


def test_a_label_that_nobody_gave_is_true_of_nothing() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(2, size=300)
    heard = np.where(rng.random((300, 4)) < 0.9, truth[:, None], 1 - truth[:, None])
    rows = [["xz"[label] for label in row] for row in heard]
    posterior = fit(_said(rows, ("x", "z", "∅"))).posterior
    assert (posterior[:, 2] < 1e-6).all()
    assert (posterior.argmax(axis=1) == truth).mean() > 0.95


def test_units_that_everybody_missed_are_estimated() -> None:
    """The model estimates the units missed by all: .3⁴ where each of four annotators misses .3.

    Nobody marks units that are not there.
    """
    rng = np.random.default_rng(3)
    marked = rng.random((1500, 4)) < 0.7
    is_marked = marked.any(axis=1)
    rows = [["x" if m else "∅" for m in row] for row in marked[is_marked]]
    model_fit = fit(_said(rows, ("x", "∅")), unseen=True)
    assert (model_fit.posterior[:, 0] > 0.5).all()
    assert model_fit.confusion[:, 0, 0] == pytest.approx(np.full(4, 0.7), abs=0.04)
    # A share of .3⁴ of all units is missed by everybody.
    assert model_fit.unseen[0] == pytest.approx((~is_marked).sum(), rel=0.5)
    struck = fit(_said(rows, ("x", "∅")))
    assert (struck.posterior[:, 0] > 0.5).mean() < 0.98
    assert struck.unseen.sum() == 0


def test_marks_that_lie_far_apart_count_as_chance() -> None:
    """Two annotators who mark a place alike are believed, and two who mark it far apart are not."""
    rng = np.random.default_rng(5)
    true = rng.random((300, 4)) < 0.7
    true = true[true.any(axis=1)]
    chance = np.argsort(rng.random((300, 4)), axis=1) < np.repeat([2, 1], [100, 200])[:, None]
    marked = np.concatenate([true, chance])
    levels = np.where(np.arange(len(marked)) < len(true), 0, 2)
    levels[marked.sum(axis=1) < 2] = -1
    data = _said([["x" if m else "∅" for m in row] for row in marked], ("x", "∅"))
    model_fit = fit(replace(data, closeness=levels), unseen=True)
    two = marked.sum(axis=1) == 2
    assert (model_fit.posterior[two & (levels == 0), 0] > 0.8).all()
    assert (model_fit.posterior[two & (levels == 2), 0] < 0.5).all()
    assert model_fit.closeness[0, 0] > 0.9 > 0.5 > model_fit.closeness[1, 0]


def test_closeness_is_ignored_if_no_two_annotators_mark_one_place() -> None:
    rows = [["x" if j == i % 4 else "∅" for j in range(4)] for i in range(32)]
    data = _said(rows, ("x", "∅"))
    model_fit = fit(replace(data, closeness=np.full(32, -1)), unseen=True)
    assert model_fit.closeness == pytest.approx(1 / 3)
    assert model_fit.posterior == pytest.approx(fit(data, unseen=True).posterior)
