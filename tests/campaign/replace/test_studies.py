"""Promised error rates of the alternative annotator test, measured on shuffled corpora."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gammacp.base.arrays import Bools, Floats
from gammacp.campaign.plan.planning import turns_of
from gammacp.campaign.replace import SCORES, Instance
from gammacp.campaign.replace.scores import Aligning
from gammacp.campaign.replace.verdict import power
from gammacp.campaign.replace.wins import Wins, wins_of
from gammacp.continuum import Continuum
from shuffling import shuffled_set
from shuffling.reference import ReferenceModel

CORPORA, DOCUMENTS, PEOPLE, EPSILON = 1000, 40, 3, 0.2
POOL = 4000  # number of documents from which the corpora are drawn
LEAST_INSTANCES = 30  # that a person needs to be tested, as in `gammacp replace`
MODEL, ERRORS = ReferenceModel(n_units=4), "position+category"

pytestmark = pytest.mark.slow


def documents(magnitude: float, n: int, seed: int) -> Iterator[tuple[str, Continuum]]:
    """Yield documents of people who err with magnitude .3 and a candidate who errs with
    `magnitude`.
    """
    for i in range(n):
        people = shuffled_set(MODEL, ERRORS, 0.3, PEOPLE, index=i, seed=seed)
        bot = shuffled_set(MODEL, ERRORS, magnitude, PEOPLE + 1, index=i, seed=seed)
        rows = [(u.annotator, u.category, u.start, u.end) for u in people]
        rows += [("bot", u.category, u.start, u.end) for u in bot if u.annotator == "annotator-4"]
        names = (*people.annotators, "bot")
        yield f"{i}", Continuum.from_columns(*zip(*rows, strict=True), annotators=names)


def outcomes(magnitude: float, n: int, seed: int) -> Wins:
    scoring = SCORES["soft-f1"]
    continua = dict(documents(magnitude, n, seed))
    return wins_of("bot", scoring.instances(continua, Aligning()), scoring.rest)


def passed(wins: Wins) -> Bools:
    """Return whether the candidate passes in each corpus, whose documents are drawn without
    replacement.
    """
    # A document has weight 1 in the corpora that it is in.
    weights: Floats = np.zeros((CORPORA, len(wins.instances)))
    weights[:, :DOCUMENTS] = 1
    weights = np.random.default_rng(5).permuted(weights, axis=1)
    return wins.winning_rate(EPSILON, LEAST_INSTANCES, weights, both=True) >= 0.5


def test_a_candidate_worse_by_exactly_epsilon_passes_in_five_percent_at_most() -> None:
    """A candidate that is worse by ε in the mean passes in at most 5 % of corpora.

    It errs with magnitude .8 on a random share of documents, and like a person on the others. The
    share is such that its mean disadvantage (`Wins.differences`) is ε.
    """
    peer, bad = (outcomes(m, POOL, seed=11) for m in (0.3, 0.8))
    disadvantage = bad.differences.mean()
    is_bad = np.random.default_rng(7).random(len(peer.instances)) < EPSILON / disadvantage
    mixed = Wins(
        peer.people,
        peer.instances,
        peer.annotated,
        np.where(is_bad, bad.candidate, peer.candidate),
        np.where(is_bad, bad.person, peer.person),
    )
    assert mixed.differences.mean() == pytest.approx(EPSILON, abs=0.01)
    share = passed(mixed).mean()
    print(f"worse by ε: {share:.3f} pass")
    assert share <= 0.05


def test_a_peer_passes_as_often_as_the_power_says() -> None:
    """The predicted power equals the rate of passing in other corpora.

    The power comes from 200 documents, with every person as the candidate in turn.
    """
    scoring = SCORES["soft-f1"]
    names = tuple(f"annotator-{k + 1}" for k in range(PEOPLE + 1))

    def instances(n: int, seed: int) -> Iterator[Instance]:
        sets = (shuffled_set(MODEL, ERRORS, 0.3, PEOPLE + 1, index=i, seed=seed) for i in range(n))
        yield from scoring.instances({f"{i}": c for i, c in enumerate(sets)}, Aligning())

    pilot = wins_of(names[-1], turns_of(instances(200, 1), names), scoring.rest)
    # Everybody is the candidate equally often, so that the differences cancel.
    assert pilot.differences.mean(axis=1) == pytest.approx(np.zeros(PEOPLE), abs=1e-12)
    predicted = np.mean(
        [power(pilot, DOCUMENTS, EPSILON, LEAST_INSTANCES, seed=s) for s in range(20)]
    )
    measured = passed(wins_of(names[-1], instances(12_000, 2), scoring.rest)).mean()
    print(f"power {predicted:.3f}, passed {measured:.3f}")
    assert measured == pytest.approx(predicted, abs=0.03)
