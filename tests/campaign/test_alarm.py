"""The alarm of `gammacp watch`: a bet by hand, and its false alarms over all looks."""

import numpy as np
import pytest

from gammacp.campaign.alarm import alarm_of, evidence
from gammacp.errors import UsageError


def test_a_bet_by_hand() -> None:
    """The evidence is that computed by hand for two documents.

    γ ≥ .8 allows .2 of the expected disorder. The second document exceeds 1.5 times the first.
    """
    observed, expected = np.array([0.6, 0.2]), np.array([2.0, 4.0])
    bets = np.arange(1, 20) / 20
    first = 1 + bets * (0.6 - 0.4) / (1.5 * 0.4)
    second = first * (1 + bets * (0.2 - 0.8) / 0.8)
    assert evidence(observed, expected, 0.8) == pytest.approx([first.mean(), second.mean()])
    alarm = alarm_of(observed, expected, 0.8, 0.05)
    assert (alarm.evidence, alarm.documents) == (pytest.approx(first.mean()), 2)
    assert not alarm.raised


def test_no_document_is_no_evidence() -> None:
    nothing = np.zeros(0)
    assert alarm_of(nothing, nothing, 0.8, 0.05).evidence == 1
    assert evidence(np.zeros(2), np.zeros(2), 0.8).tolist() == [1, 1]


def test_the_scale_of_disorders_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    observed, expected = rng.gamma(2, 1, 30), rng.gamma(5, 2, 30)
    assert evidence(7 * observed, 7 * expected, 0.5) == pytest.approx(
        evidence(observed, expected, 0.5)
    )


def test_false_alarms_are_rare_over_all_looks_and_true_ones_come() -> None:
    rng = np.random.default_rng(1)
    expected = rng.lognormal(0, 0.5, (1000, 100))
    rates = []
    for gamma in (0.7, 0.5):
        observed = (1 - gamma) * expected * rng.gamma(2, 0.5, expected.shape)
        rates.append((evidence(observed, expected, 0.7).max(axis=-1) >= 20).mean())
    assert rates[0] <= 0.05 + 3 * 0.007
    assert rates[1] > 0.95


def test_impossible_arguments_are_refused() -> None:
    for below, rate in ((1.0, 0.05), (0.5, 0.0), (0.5, 1.0)):
        with pytest.raises(UsageError):
            alarm_of(np.ones(1), np.ones(1), below, rate)
