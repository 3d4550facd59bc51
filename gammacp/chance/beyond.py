"""Agreement beyond chance, 1 − D_o/D_e, on whatever kind of data.

`ratio` is the one place that says what 1 − D_o/D_e is where D_e is 0, negative or unknown.
`against_chance` is the one loop: random data of a chance model, what measures count on each of
them, and each measure settled. A new model of chance for units, segmentations, trees or graphs is
another `draw`, and nothing else.
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

# More random sets without a value than this, and E[D] is that of other data than those at hand.
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
        95 % Monte-Carlo interval of E[D] carried over; of trees and graphs over their sentences.
    observed, expected
        D_o and E[D].
    chance, samples
        The chance model and how many random sets, or pairs, E[D] is the mean of.
    without_value
        Random sets that have no D; they are not among the samples.
    p
        Share of random sets, or permutations, the data among them, that agree at least as well as
        the data; within documents and about them as `gammacp.measures.within` says.
    least_p
        The least p that these random sets or permutations can give; None where it is no share.
    signature
        Signature of the value: the measure's own one, and how chance was drawn.
    told
        Facts that the chance model adds, by name.
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
    told: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """All fields as JSON; those of `told` on the same level."""
        named = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "told"}
        return {**named, **self.told}


@dataclass(frozen=True, kw_only=True)
class Computed:
    """E[D] of a measure as the chance model computes it.

    Attributes
    ----------
    mean, pairs
        E[D], and how many pairs it is the mean of.
    interval
        Interval of the value; None where it is not known.
    nothing
        Reason why there is no value where E[D] is 0.
    p, least_p
        p of a test that the model has without random sets, and the least p that it can give.
    """

    mean: float
    pairs: int
    interval: tuple[float, float] | None = None
    nothing: str = ALIKE
    p: float | None = None
    least_p: float | None = None


def ratio(observed: float, expected: float, nothing: str) -> tuple[float, str | None]:
    """1 − observed/expected, or NaN and why: `nothing` where no disagreement can be expected.

    Parameters
    ----------
    observed, expected
        D_o and D_e, ≥ 0.
    nothing
        The reason where D_e is 0.

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
    """`ratio` as scores have it: value and reason, both disagreements, and the interval of a value.

    Parameters
    ----------
    observed, expected, nothing
        As for `ratio`.
    interval
        Interval of the value, where there is one.
    """
    value, reason = ratio(observed, expected, nothing)
    fields = {"value": value, "interval": None if reason else interval, "reason": reason}
    return {"observed": observed, "expected": expected, **fields}


def ratios(observed: Floats, expected: Floats | float) -> Floats:
    """`ratio` of each, of shapes that broadcast; NaN where no disagreement can be expected.

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
    """`ratio` with D_o between two values and D_e in its interval; −∞ where that reaches 0.

    Parameters
    ----------
    lowest, highest
        Between which D_o lies.
    low, high
        The interval of D_e.

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
    told: Mapping[str, Any] | None = None,
) -> dict[str, BeyondChance]:
    """Measures beyond chance: random data are drawn until there are enough for each of them.

    Parameters
    ----------
    observed
        D_o by measure; NaN where one has no value.
    observe
        Function that counts the measures on random data; None where every E[D] is computed.
    draw
        Draws random data; without `observe`, the name of the chance model.
    rule, seed
        Number of random sets, and their seed; default: 2 % of E[D] at 95 % for every measure.
    signed
        The measures' own signatures.
    missing
        Reason why a measure without a D_o has no value.
    computed
        E[D] of the measures of which the model knows it; the random sets then serve `p` alone.
    told
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

        found, _ = expectations(draw, OneByOne(count), rule, seed, measures=len(defined))
        drawn = dict(zip(defined, found, strict=True))
    results = {}
    for name in observed:
        fields: dict[str, Any] = {"chance": model, "told": told or {}}
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
    model: str, rule: SampleRule, seed: int, made: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the parts of a signature that describe random data.

    Parameters
    ----------
    model
        Signature of the chance model.
    rule, seed
        Number of random sets that was asked for, and their seed.
    made
        Outcome of sampling: `samples` and `without_value`; None leaves it out.
    """
    return {
        "chance": model,
        "samples": rule.samples if made is None else made.get("samples", 0),
        "without": (made or {}).get("without_value") or None,
        "e": None if rule.samples else rule.precision,
        "c": rule.confidence,
        "seed": seed,
    }


def _settled(
    observed: float, drawn: ExpectedDisorder | None, computed: Computed | None
) -> dict[str, Any]:
    """Return what random sets, the chance model, or both tell of 1 − D_o/E[D]."""
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
    """Return why these random sets tell no E[D]; None if they do."""
    sets = drawn.samples + drawn.without_value
    if drawn.samples < 2 or drawn.without_value > _MOST_WITHOUT * sets:
        return f"{drawn.without_value} of {sets} random sets have no value"
    if not drawn.enough:
        return f"interrupted after {drawn.samples} random sets, too few"
    return None
