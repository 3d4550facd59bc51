"""Limits of a solver: when it may stop, its random seed, and its tuning.

Sizes in comments, such as 27 × 20, are numbers of annotators × numbers of units of each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypedDict, TypeVar

from gammacp.base.stopping import GIGA, clock
from gammacp.errors import UsageError

# Number of annotators from which on a set counts as a crowd; 27 × 20 is still proven by columns.
# (The solver `crowd` also takes fewer annotators, if their groups are too many to list.)
CROWD = 28

# Largest number of annotators for which groups are listed; their number grows exponentially (8 ×
# 30).
FEW_ANNOTATORS = 7

# Largest size of groups for which diffusion finds nearly the lowest prices (5 × 100 is priced by
# linear programs).
DIFFUSED = 4

# Largest number of units of a continuum that is put in a batch with others and solved with them
# (`batch`).
SMALL_UNITS = 100

# Shortest time limit, in seconds.
_LEAST = 0.001


class Stage:
    """Base of the tuning of one stage; each stage's module defines a frozen dataclass of its own.

    Only `Ties` is defined here, because several modules use it.

    No field changes which alignment is the best: with any values a result of status `optimal` is
    the same, and only the time to find it differs.
    """


@dataclass(frozen=True)
class Ties(Stage):
    """Work that may be spent on breaking ties, in addition to the proof.

    Attributes
    ----------
    steps
        Steps for listing the groups of equally good alignments, and for components that are too
        large to search. Beyond them, the alignment is one of the best but need not be the first
        (8 × 3, all pairs alike).
    cycles
        With two annotators, largest number of cycles of pairs that are exchanged to make Σ d_cat
        smaller.
    """

    steps: float = 20 * GIGA
    cycles: int = 100_000


S = TypeVar("S", bound=Stage)


# Default tuning of each stage; all callers share one object, as stages are frozen.
_UNTUNED: dict[type[Stage], Stage] = {}

Tuning: TypeAlias = Sequence[Stage]


class Limiting(TypedDict, total=False):
    """Keywords for the fields of `Limits`."""

    gap: float
    time_limit: float | None
    seed: int
    tuning: Tuning


class Solving(Limiting, total=False):
    """Keywords of `align` and of all functions that align; `align` describes them."""

    method: str
    cover: bool
    constraints: Sequence[Any]
    reuse: float


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits at which a solver may stop, its random seed, and its tuning.

    `time_limit` is a duration: `deadline()` adds it to the present moment. A function that receives
    limits and a deadline stops at the deadline. It uses `time_limit` only to know whether there is
    a limit at all.

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
        Tuning of stages that differs from the default, at most one object of each class.

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
        """Raise UsageError for a value outside its range."""
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
        for entry in self.tuning:
            if isinstance(entry, stage):
                return entry
        untuned = _UNTUNED.get(stage)
        if untuned is None:
            untuned = _UNTUNED[stage] = stage()
        assert isinstance(untuned, stage)
        return untuned

    def deadline(self) -> float:
        """Return the deadline if time begins now (on `stopping.clock`); infinity for no limit."""
        if self.time_limit is None:
            return math.inf
        return clock() + self.time_limit

    def steps(self, number: float) -> float | None:
        """Return the largest number of steps of a proof, or None if the time is limited.

        A user who sets a time limit wants the whole time used. Without one, the number of steps
        must be limited, because the user wants an answer in any case.

        Parameters
        ----------
        number
            Number of steps that are worthwhile without a time limit.
        """
        if self.time_limit is not None:
            return None
        return number

    def until(self, deadline: float) -> Limits:
        """Return these limits with the time that is left until a deadline.

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
