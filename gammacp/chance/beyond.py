"""A disagreement against what chance gives, 1 − D_o/E[D], on whatever kind of data."""

import math
from dataclasses import asdict, dataclass
from typing import Any

from gammacp.chance.expected import ExpectedDisorder

# More random sets without a value than this, and E[D] is that of other data than those at hand.
_MOST_WITHOUT = 0.05


@dataclass(frozen=True, kw_only=True)
class BeyondChance:
    """A measure's disagreement against chance: 1 − D_o/E[D].

    Attributes
    ----------
    value
        1 is perfect, 0 what chance gives; NaN where it is undefined (then `reason` says why).
    interval
        95 % Monte-Carlo interval of E[D] carried over.
    observed, expected
        D_o and E[D].
    chance, samples
        The chance model and how many random sets E[D] is the mean of.
    closed_form
        Whether E[D] was computed instead; the random sets then serve `p` alone.
    without_value
        Random sets that have no D; they are not among the samples.
    p
        Share of random sets, the data among them, that agree at least as well as the data.
    signature
        How the value was made: the measure's own signature and how chance was drawn.
    """

    value: float
    interval: tuple[float, float] | None = None
    observed: float | None = None
    expected: float | None = None
    chance: str = ""
    samples: int = 0
    without_value: int = 0
    closed_form: bool = False
    p: float | None = None
    reason: str | None = None
    signature: str = ""

    def as_dict(self) -> dict[str, Any]:
        """All of it, as JSON has it."""
        return asdict(self)


def beyond_chance(observed: float, expected: float, nothing: str) -> tuple[float, str | None]:
    """1 − observed/expected, or NaN and why: `nothing` where no disagreement can be expected.

    Parameters
    ----------
    observed, expected
        D_o and D_e, ≥ 0.
    nothing
        The reason where D_e is 0.

    >>> beyond_chance(0.25, 0.5, "everything is alike")
    (0.5, None)
    >>> beyond_chance(0.0, 0.0, "everything is alike")[1]
    'everything is alike'
    """
    if expected < 0:
        return math.nan, f"the expected disagreement is negative ({expected:.3g})"
    if not expected > 0:
        return math.nan, nothing
    return 1 - observed / expected, None


def settled(
    observed: float, expected: ExpectedDisorder, chance: str, *, exact: float | None = None
) -> BeyondChance:
    """1 − D_o/E[D] with what is not known about it.

    A random set's share of sets that agree at least as well as the data is its `p`. `exact` is E[D]
    where it is known in closed form.
    """
    drawn = expected.samples + expected.without_value
    made: dict[str, Any] = {
        "observed": observed,
        "chance": chance,
        "samples": expected.samples,
        "without_value": expected.without_value,
        "closed_form": exact is not None,
    }
    if expected.samples < 2 or expected.without_value > _MOST_WITHOUT * drawn:
        reason = f"{expected.without_value} of {drawn} random sets have no value"
        return BeyondChance(value=math.nan, reason=reason, **made)
    if not expected.enough:
        reason = f"interrupted after {expected.samples} random sets, too few"
        return BeyondChance(value=math.nan, reason=reason, **made)
    mean = expected.mean if exact is None else exact
    value, nothing = beyond_chance(
        observed, mean, "the expected disagreement is 0: random data agree perfectly"
    )
    low, high = expected.interval if exact is None else (exact, exact)
    bounds = (1 - observed / low if low > 0 else -math.inf, 1 - observed / high if high else 1.0)
    return BeyondChance(
        value=value,
        interval=None if nothing else bounds,
        expected=mean,
        p=expected.p_value(observed),
        reason=nothing,
        **made,
    )
