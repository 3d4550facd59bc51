"""When a solver may stop, with what randomness, and how it is tuned."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypedDict

from gammacp.alignment.tuning import DEFAULT, Tuning
from gammacp.errors import UsageError
from gammacp.stopping import clock

_LEAST = 0.001


class Limiting(TypedDict, total=False):
    """The fields of `Limits` as keywords."""

    gap: float
    time_limit: float | None
    seed: int
    tuning: Tuning


class Solving(Limiting, total=False):
    """Keywords of `align` and all that aligns, as they are described there."""

    method: str
    cover: bool


@dataclass(frozen=True, kw_only=True)
class Limits:
    """When a solver may stop, with what randomness, and how it is tuned.

    The time begins where limits are taken: there `deadline()` makes a moment of it. Who gets limits
    and a deadline stops at the deadline; the limits' own time then only says whether there is one.

    Attributes
    ----------
    gap
        Relative gap (objective − bound)/|objective| in [0, 1) that is good enough; 0 asks for a
        proof.
    time_limit
        Wall-clock seconds > 0; None for no limit.
    seed
        For solvers with random choices.
    tuning
        Sizes and numbers of passes.

    Raises
    ------
    UsageError
        For what cannot be meant.
    """

    gap: float = 0.0
    time_limit: float | None = None
    seed: int = 0
    tuning: Tuning = DEFAULT

    def __post_init__(self) -> None:
        """UsageError for what cannot be meant."""
        if not 0 <= self.gap < 1:
            raise UsageError(f"gap {self.gap!r} is not in [0, 1)")
        if self.time_limit is not None and not self.time_limit > 0:
            raise UsageError(f"time limit {self.time_limit!r} is not a number of seconds > 0")

    def deadline(self) -> float:
        """When the time is up if it begins now (seconds of `stopping.clock`), or infinity."""
        return math.inf if self.time_limit is None else clock() + self.time_limit

    def until(self, deadline: float) -> Limits:
        """These limits with the time that is left until then.

        Parameters
        ----------
        deadline
            On the clock of `stopping.clock`; infinite for none.
        """
        if deadline == math.inf:
            return replace(self, time_limit=None)
        return replace(self, time_limit=max(deadline - clock(), _LEAST))
