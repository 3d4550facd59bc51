"""Agreement beyond chance, 1 − D_o/D_e, on whatever kind of data.

`ratio` alone defines what 1 − D_o/D_e is if D_e is 0, negative or unknown. `against_chance` is the
only loop: it draws random data from a chance model, measures each of them, and computes the value
of each measure. A new chance model for units, segmentations, trees or graphs only has to provide
another `draw`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.signature import extend
from gammacp.chance.expected import ExpectedDisorder, SampleRule
from gammacp.chance.sampling import Data, Disagreement, OneByOne, Sampler, expectations

# Largest share of random sets without a value. With more, the others would represent other data
# than those at hand.
_MOST_WITHOUT = 0.05
NOT_OBSERVED = "there is no observed disagreement"
ALIKE = "the expected disagreement is 0: random data agree perfectly"

Observe: TypeAlias = Callable[[Data], Mapping[str, float]]
"""What measures count on data, D by name; NaN where one has no value."""


@dataclass(frozen=True, kw_only=True)
class BeyondChance:
    """A measure's disagreement against chance: 1 − D_o/E[D].

    Attributes
    ----------
    value
        1 is perfect, 0 what chance gives; NaN where it is undefined (then `reason` says why).
    interval
        95 % interval of the value: for trees and graphs over their sentences, for other data from
        the Monte-Carlo interval of E[D].
    observed, expected
        D_o and E[D].
    chance, samples
        The chance model, and the number of random sets, or of pairs, over which E[D] is the mean.
    without_value
        Number of random sets that have no D; `samples` does not count them.
    p
        Share of random sets, or permutations, that agree at least as well as the data; the data
        count as one of them. For the two factors of γ of a corpus, p is that of
        `gammacp.measures.within`.
    least_p
        The least p that these random sets or permutations can give; None if p is not a share.
    signature
        Signature of the value: that of the measure, and how random data were drawn.
    details
        Further facts that the chance model adds, by name.
    """

    value: float
    interval: tuple[float, float] | None = None
    observed: float | None = None
    expected: float | None = None
    chance: str = ""
    samples: int = 0
    without_value: int = 0
    p: float | None = None
    least_p: float | None = None
    reason: str | None = None
    signature: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """All fields as JSON; those of `details` on the same level."""
        named = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "details"}
        return {**named, **self.details}


@dataclass(frozen=True, kw_only=True)
class Computed:
    """E[D] of a measure that the chance model computes without random sets.

    Attributes
    ----------
    mean, pairs
        E[D], and the number of pairs over which it is the mean.
    interval
        Interval of the value 1 − D_o/E[D]; None if it is unknown.
    nothing
        Reason to give if E[D] is 0, so that there is no value.
    p, least_p
        p of a test that needs no random sets, and the least p that it can give.
    """

    mean: float
    pairs: int
    interval: tuple[float, float] | None = None
    nothing: str = ALIKE
    p: float | None = None
    least_p: float | None = None


def ratio(observed: float, expected: float, nothing: str) -> tuple[float, str | None]:
    """Return 1 − observed/expected and None, or NaN and the reason why there is no value.

    Parameters
    ----------
    observed, expected
        D_o and D_e, ≥ 0.
    nothing
        Reason to give if D_e is 0.

    >>> ratio(0.25, 0.5, "everything is alike")
    (0.5, None)
    >>> ratio(0.0, 0.0, "everything is alike")[1]
    'everything is alike'
    """
    if expected < 0:
        return math.nan, f"the expected disagreement is negative ({expected:.3g})"
    if not expected > 0:
        return math.nan, nothing
    return 1 - observed / expected, None


def ratio_with_interval(
    observed: float, expected: float, interval: tuple[float, float] | None, nothing: str
) -> dict[str, Any]:
    """Return `ratio` as fields of a score: value, reason, both disagreements, and interval.

    Parameters
    ----------
    observed, expected, nothing
        As for `ratio`.
    interval
        Interval of the value, used if there is a value.
    """
    value, reason = ratio(observed, expected, nothing)
    fields = {"value": value, "interval": None if reason else interval, "reason": reason}
    return {"observed": observed, "expected": expected, **fields}


def ratios(observed: Floats, expected: Floats | float) -> Floats:
    """Return `ratio` for arrays that broadcast; NaN where no disagreement can be expected.

    Parameters
    ----------
    observed, expected
        D_o and D_e, ≥ 0.

    >>> ratios(np.array([0.25, 0.0]), np.array([0.5, 0.0])).tolist()
    [0.5, nan]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        values: Floats = np.where(np.asarray(expected) > 0, 1 - observed / expected, math.nan)
    return values


def ratio_interval(lowest: float, highest: float, low: float, high: float) -> tuple[float, float]:
    """Return the interval of `ratio` if D_o and D_e lie in intervals; from −∞ if D_e can be 0.

    Parameters
    ----------
    lowest, highest
        Ends of the interval of D_o.
    low, high
        Ends of the interval of D_e.

    >>> ratio_interval(0.25, 0.25, 0.5, 1.0), ratio_interval(0.0, 0.0, 0.0, 1.0)
    ((0.5, 0.75), (1.0, 1.0))
    """
    if highest == 0:
        return 1.0, 1.0
    least, most = (1 - d / e if e > 0 else -math.inf for d, e in ((highest, low), (lowest, high)))
    return least, most


def against_chance(
    observed: Mapping[str, float],
    observe: Observe[Data] | None,
    draw: Sampler[Data] | str,
    rule: SampleRule | None = None,
    seed: int = 0,
    *,
    signed: Mapping[str, str],
    missing: str = NOT_OBSERVED,
    computed: Mapping[str, Computed] | None = None,
    details: Mapping[str, Any] | None = None,
) -> dict[str, BeyondChance]:
    """Correct measures for chance, drawing random data until there are enough for each measure.

    Parameters
    ----------
    observed
        D_o by measure; NaN if a measure has no value.
    observe
        Function that computes the measures on random data; None if every E[D] is in `computed`.
    draw
        Sampler of random data; without `observe`, only the name of the chance model.
    rule, seed
        Number of random sets, and their seed; default: 2 % of E[D] at 95 % for every measure.
    signed
        The measures' own signatures.
    missing
        Reason why a measure without a D_o has no value.
    computed
        E[D] of the measures for which the model can compute it. Random sets then only serve to
        find `p`.
    details
        Facts that the chance model adds to every measure.

    >>> chance = against_chance(
    ...     {"ser": 0.25}, None, "cut", signed={"ser": "ser|v:1"}, missing="nothing is marked",
    ...     computed={"ser": Computed(mean=0.5, pairs=3)},
    ... )
    >>> chance["ser"].value, chance["ser"].signature
    (0.5, 'ser|chance:cut|v:1')
    """
    rule = rule or SampleRule()
    computed = computed or {}
    defined = {name: d for name, d in observed.items() if not math.isnan(d)}
    drawn: dict[str, ExpectedDisorder] = {}
    if isinstance(draw, str):
        model = draw
    else:
        model = draw.signature
    if observe is not None and defined and not isinstance(draw, str):

        def count(data: Any) -> list[Disagreement]:
            disagreements = observe(data)
            return [Disagreement(disagreements[name], disagreements[name]) for name in defined]

        expected, _ = expectations(draw, OneByOne(count), rule, seed, measures=len(defined))
        drawn = dict(zip(defined, expected, strict=True))
    results = {}
    for name in observed:
        fields: dict[str, Any] = {"chance": model, "details": details or {}}
        if name in defined:
            fields |= _settled(defined[name], drawn.get(name), computed.get(name))
        else:
            fields |= {"value": math.nan, "reason": missing}
        if drawn:
            parts = signed_chance(model, rule, seed, fields)
        else:
            parts = {"chance": model}
        results[name] = BeyondChance(**fields, signature=extend(signed[name], **parts))
    return results


def signed_chance(
    model: str, rule: SampleRule, seed: int, outcome: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the parts of a signature that describe random data.

    Parameters
    ----------
    model
        Signature of the chance model.
    rule, seed
        Number of random sets that was asked for, and their seed.
    outcome
        Outcome of sampling: `samples` and `without_value`; None leaves it out.
    """
    return {
        "chance": model,
        "samples": rule.samples if outcome is None else outcome.get("samples", 0),
        "without": (outcome or {}).get("without_value") or None,
        "e": None if rule.samples else rule.precision,
        "c": rule.confidence,
        "seed": seed,
    }


def _settled(
    observed: float, drawn: ExpectedDisorder | None, computed: Computed | None
) -> dict[str, Any]:
    """Return the fields of 1 − D_o/E[D] that follow from random sets, from `computed`, or both."""
    fields: dict[str, Any] = {"observed": observed}
    mean = math.nan
    nothing = ALIKE
    interval: tuple[float, float] | None = None
    if drawn is not None:
        fields |= {"samples": drawn.samples, "without_value": drawn.without_value}
        if reason := _too_few(drawn):
            return {**fields, "value": math.nan, "reason": reason}
        mean, fields["p"] = drawn.mean, drawn.p_value(observed)
        fields["least_p"] = 1 / (1 + drawn.samples)
        interval = ratio_interval(observed, observed, *drawn.interval)
    if computed is not None:
        mean = computed.mean
        nothing = computed.nothing
        interval = computed.interval
        fields["samples"] = computed.pairs
        if computed.p is not None:
            fields |= {"p": computed.p, "least_p": computed.least_p}
    return fields | ratio_with_interval(observed, mean, interval, nothing)


def _too_few(drawn: ExpectedDisorder) -> str | None:
    """Return why these random sets are too few to estimate E[D]; None if they suffice."""
    sets = drawn.samples + drawn.without_value
    if drawn.samples < 2 or drawn.without_value > _MOST_WITHOUT * sets:
        return f"{drawn.without_value} of {sets} random sets have no value"
    if not drawn.enough:
        return f"interrupted after {drawn.samples} random sets, too few"
    return None
