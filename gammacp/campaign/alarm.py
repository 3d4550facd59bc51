"""An alarm while a campaign runs, whose rate of false alarms holds over all looks together.

Whoever looks every day at whether γ is below a threshold will find it there some day by chance. So
the alarm is a bet against "γ of the documents that come is at least g": of each document the
observed disorder o is in the mean at most (1 − g)·e, e its expected disorder, both times x̄. With

    m = (o − (1 − g)·e) / c,  c = the larger of (1 − g)·e and 1.5 times the largest one before

which is never below −1, a stake of which the share λ is bet on each document grows by 1 + λ·m each,
in the mean not at all where γ is g or more. So the probability that the mean over λ = .05, .10, …,
.95 ever reaches 1/α is at most α (Ville 1939; Waudby-Smith & Ramdas 2024, JRSS B 86), however often
and whenever one looks.
What it takes: documents that are independent of each other, in an order that does not depend on
how well they were annotated. A document that is longer than 1.5 times all before counts for less
than its length, which is all that the bound is not exact in.
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
    """Return what a stake of 1 has become after each document, shape (…, documents).

    Parameters
    ----------
    observed, expected
        x̄·δ and x̄·δ_e of each document, in the order in which they came; shape (…, documents).
    below
        The γ that is bet against, < 1.

    One document of twice the disorder that is allowed, and one of none:

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
    """Evidence that a threshold is missed.

    Attributes
    ----------
    below
        The threshold.
    rate
        The share of campaigns with γ of at least `below` in which there is ever a false alarm.
    documents
        Number of documents that have been bet on.
    evidence
        The most that a stake of 1 was ever worth.
    raised
        Whether that is 1 / `rate` or more.
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
        """Return a sentence on the γ that is seen; empty where it is not below the threshold."""
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
