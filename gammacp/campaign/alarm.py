"""Raise an alarm during a campaign, with a false alarm rate that holds over all looks together.

If someone checks every day whether γ is below a threshold, it will be there some day by chance. The
alarm therefore uses a sequential test, in the form of a bet against the hypothesis that γ of the
incoming documents is at least g. Under this hypothesis the observed disorder o of a document has a
mean of at most (1 − g)·e, where e is its expected disorder (both times x̄). Let

    m = (o − (1 − g)·e) / c,  c = max((1 − g)·e, 1.5 · the largest (1 − g)·e so far).

m is never below −1. If the share λ of a stake is bet on each document, the stake is multiplied by
1 + λ·m each time. Under the hypothesis it does not grow on average. Take the mean of the stakes
over λ = .05, .10, …, .95: the probability that it ever reaches 1/α is at most α (Ville 1939;
Waudby-Smith & Ramdas 2024, JRSS B 86), no matter when and how often one looks.

The test requires that documents are independent of each other and that their order does not depend
on how well they were annotated. A document more than 1.5 times as long as all before it counts for
less than its length. This is the only respect in which the bound is not exact.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gammacp.base.arguments import number
from gammacp.base.arrays import Floats
from gammacp.base.text import counted
from gammacp.errors import UsageError

_BETS = np.arange(1, 20) / 20
_ROOM = 1.5


def evidence(observed: Floats, expected: Floats, below: float) -> Floats:
    """Return the value of an initial stake of 1 after each document, shape (…, documents).

    Parameters
    ----------
    observed, expected
        x̄·δ and x̄·δ_e of each document, in the order of arrival; shape (…, documents).
    below
        Threshold of the hypothesis that γ is at least this, < 1.

    For one document with twice the allowed disorder, and one without disorder:

    >>> evidence(np.array([4.0, 0.0]), np.array([4.0, 4.0]), 0.5).round(3).tolist()
    [1.333, 0.856]
    """
    allowed = (1 - below) * expected
    before = np.maximum.accumulate(allowed, axis=-1)
    before[..., 1:] = before[..., :-1].copy()
    scale = np.maximum(_ROOM * before, allowed)
    moved = np.divide(observed - allowed, scale, out=np.zeros_like(allowed), where=scale > 0)
    stakes = np.cumprod(1 + _BETS[:, None] * moved[..., None, :], axis=-1)
    return np.asarray(stakes.mean(axis=-2))


@dataclass(frozen=True, kw_only=True)
class Alarm:
    """Evidence that γ is below a threshold.

    Attributes
    ----------
    below
        Threshold of γ.
    rate
        Largest share of campaigns with γ of at least `below` that ever have a false alarm.
    documents
        Number of documents on which the evidence is based.
    evidence
        Largest value that an initial stake of 1 has ever reached.
    raised
        Whether `evidence` is at least 1 / `rate`.
    """

    below: float
    rate: float
    documents: int
    evidence: float
    raised: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the alarm as JSON has it."""
        return asdict(self)

    def in_words(self, gamma: float) -> str:
        """Return a sentence on the alarm; "" if there is none and γ is not below the threshold."""
        n = self.documents
        of = f"{self.evidence:.3g} of {1 / self.rate:.3g}"
        needed = f"evidence {of} from {counted(n, 'document')}"
        if self.raised:
            return (
                f"γ is below {self.below:g} ({needed}; at most "
                f"{self.rate:.0%} of campaigns with γ ≥ {self.below:g} ever have such an alarm, if "
                "the expected disorder is known)"
            )
        yet = f"γ is {gamma:.4f}, below {self.below:g}, but this is not an alarm yet: {needed}"
        if gamma < self.below:
            return f"{yet} unchanged since the last look"
        return ""


def alarm_of(observed: Floats, expected: Floats, below: float, rate: float) -> Alarm:
    """Return the alarm that the documents so far raise, if any.

    Parameters
    ----------
    observed, expected, below
        As for `evidence`.
    rate
        Rate of false alarms over all looks, in (0, 1).

    Raises
    ------
    UsageError
        The threshold is not below 1, or the rate not between 0 and 1.
    """
    if not number("below", below) < 1 or not 0 < number("rate", rate) < 1:
        raise UsageError("an alarm needs a γ below 1, and a rate of false alarms between 0 and 1")
    most = float(evidence(observed, expected, below).max(initial=1.0))
    return Alarm(
        below=below,
        rate=rate,
        documents=int(np.count_nonzero(expected > 0)),
        evidence=most if math.isfinite(most) else math.inf,
        raised=most >= 1 / rate,
    )
