"""What the test promises, measured on shuffled corpora (`pytest -m slow`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gammacp.arrays import Bools, Floats
from gammacp.campaign.replace import SCORES
from gammacp.campaign.replace.scores import Aligning
from gammacp.campaign.replace.verdict import power
from gammacp.campaign.replace.wins import Wins, wins_of
from gammacp.continuum import Continuum
from shuffling import shuffled_set
from shuffling.reference import ReferenceModel

CORPORA, DOCUMENTS, PEOPLE, EPSILON = 1000, 40, 3, 0.2
MODEL, ERRORS = ReferenceModel(n_units=4), "position+category"

pytestmark = pytest.mark.slow


def documents(magnitude: float, n: int, seed: int) -> Iterator[tuple[str, Continuum]]:
    """People who err with .3, and beside them a candidate who errs with `magnitude`."""
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
    """Whether the candidate passes in each corpus, the documents taken in turn."""
    weights: Floats = np.zeros((CORPORA, len(wins.instances)))
    for corpus in range(CORPORA):
        weights[corpus, corpus * DOCUMENTS : (corpus + 1) * DOCUMENTS] = 1
    return wins.winning_rate(EPSILON, 30, weights) >= 0.5


def test_a_candidate_worse_by_exactly_epsilon_passes_in_five_percent_at_most() -> None:
    """A bad candidate on a share of the documents, so large that E d is ε, and a peer elsewhere."""
    peer, bad = (outcomes(m, CORPORA * DOCUMENTS, seed=11) for m in (0.3, 0.8))
    worse = bad.differences.mean()
    chosen = np.random.default_rng(7).random(len(peer.instances)) < EPSILON / worse
    mixed = Wins(
        peer.people,
        peer.instances,
        peer.there,
        np.where(chosen, bad.candidate, peer.candidate),
        np.where(chosen, bad.person, peer.person),
    )
    assert mixed.differences.mean() == pytest.approx(EPSILON, abs=0.01)
    assert passed(mixed).mean() <= 0.05


def test_a_peer_passes_as_often_as_the_power_says() -> None:
    """The power from a large pilot, against corpora of its own."""
    pilot = outcomes(0.3, 1000, seed=1)
    predicted = np.mean([power(pilot, DOCUMENTS, EPSILON, 30, seed=s) for s in range(20)])
    measured = passed(outcomes(0.3, CORPORA * DOCUMENTS, seed=2)).mean()
    print(f"power {predicted:.3f}, passed {measured:.3f}")
    assert measured == pytest.approx(predicted, abs=0.03)
