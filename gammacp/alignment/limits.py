"""Limits of a solver: when it may stop, with what randomness, and how it is tuned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypedDict, TypeVar

from gammacp.base.stopping import GIGA, clock
from gammacp.errors import UsageError

# Annotators from which on a set counts as a crowd; 27 × 20 is still proven by columns.
CROWD = 28

# Annotators up to which groups are listed; their number grows exponentially (8 × 30).
FEW_ANNOTATORS = 7

# Units in the largest groups for which diffusion of prices comes close to the least ones (5 × 100
# is priced by linear programs).
DIFFUSED = 4

# Units up to which a continuum is put in a row with others and solved with them (`batch`).
SMALL_UNITS = 100

_LEAST = 0.001


class Stage:
    """Base of the tuning of one stage: a frozen dataclass that stands beside the stage.

    No field changes which alignment is best: a result with status `optimal` is the same with any
    values, only sooner or later.
    """


@dataclass(frozen=True)
class Ties(Stage):
    """Work that may break ties, beyond that of the proof.

    Attributes
    ----------
    steps
        For the list of groups that are as good, and for components that are too large to search;
        then the alignment is one of the best, and need not be the first (8 × 3, all pairs alike).
    cycles
        Number of cycles of pairs of two annotators that are turned to make Σ d_cat less.
    """

    steps: float = 20 * GIGA
    cycles: int = 100_000


S = TypeVar("S", bound=Stage)


# Stages as they are by default: one object for all who ask, as stages are frozen.
_UNTUNED: dict[type[Stage], Stage] = {}

Tuning: TypeAlias = Sequence[Stage]


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
    constraints: Sequence[Any]
    reuse: float


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Moment when a solver may stop, its randomness, and its tuning.

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
        Stages that are tuned otherwise than by default, at most one object of each class.

    Raises
    ------
    UsageError
        A value is outside its range.
    """

    gap: float = 0.0
    time_limit: float | None = None
    seed: int = 0
    tuning: Tuning = ()

    def __post_init__(self) -> None:
        """UsageError for a value outside its range."""
        try:
            gap_fits = 0 <= self.gap < 1
            limit_fits = self.time_limit is None or self.time_limit > 0
        except TypeError as error:
            raise UsageError(f"gap {self.gap!r}, time limit {self.time_limit!r}: {error}") from None
        if not gap_fits:
            raise UsageError(f"gap {self.gap!r} is not in [0, 1)")
        if not limit_fits:
            raise UsageError(f"time limit {self.time_limit!r} is not a number of seconds > 0")
        several = isinstance(self.tuning, Sequence)
        if not several or not all(isinstance(stage, Stage) for stage in self.tuning):
            raise UsageError(f"tuning {self.tuning!r} is not a list such as [Components(nodes=0)]")
        if len(set(map(type, self.tuning))) < len(self.tuning):
            raise UsageError(f"tuning {self.tuning!r} has two of one class")

    def of(self, stage: type[S]) -> S:
        """Return the tuning of a stage.

        Parameters
        ----------
        stage
            Class of the stage.
        """
        for own in self.tuning:
            if isinstance(own, stage):
                return own
        untuned = _UNTUNED.get(stage)
        if untuned is None:
            untuned = _UNTUNED[stage] = stage()
        assert isinstance(untuned, stage)
        return untuned

    def deadline(self) -> float:
        """Return when the time is up if it begins now (on `stopping.clock`), or infinity."""
        if self.time_limit is None:
            return math.inf
        return clock() + self.time_limit

    def steps(self, number: float) -> float | None:
        """Return the budget of a proof: that many steps, or None where the time is limited.

        Who gives a time limit wants it used, and who gives none wants an answer all the same.

        Parameters
        ----------
        number
            Steps that are worth it without a time limit.
        """
        if self.time_limit is not None:
            return None
        return number

    def until(self, deadline: float) -> Limits:
        """Return these limits with the time that is left until then.

        Parameters
        ----------
        deadline
            Time of the deadline, on the clock of `stopping.clock`; infinite for none.
        """
        if deadline == math.inf:
            if self.time_limit is None:
                return self
            return replace(self, time_limit=None)
        return replace(self, time_limit=max(deadline - clock(), _LEAST))
