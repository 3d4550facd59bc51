"""What every measure returns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Score:
    """An agreement: 1 is perfect; a fraction, never percent.

    Attributes
    ----------
    value
        The agreement; NaN where it is undefined (then `reason` says why) and for measures that
        have one value per category.
    observed, expected
        What the value is computed from, in the measure's own terms; None where it has none.
    interval
        95 % Monte-Carlo interval, widened by unproven bounds.
    bootstrap
        95 % bootstrap interval; a different thing, kept apart.
    by_category
        Value per category, for measures that have them.
    reason
        Why the value is undefined.
    signature
        How the number was made.
    """

    value: float
    observed: float | None = None
    expected: float | None = None
    interval: tuple[float, float] | None = None
    bootstrap: tuple[float, float] | None = None
    by_category: Mapping[str, float] = field(default_factory=dict)
    reason: str | None = None
    signature: str = ""

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)


def undefined(
    reason: str,
    *,
    observed: float | None = None,
    expected: float | None = None,
    signature: str = "",
) -> Score:
    """A Score without a value that says why."""
    return Score(
        value=math.nan, observed=observed, expected=expected, reason=reason, signature=signature
    )
