"""Measures of segmentation beyond chance: 1 − D_o/E[D], each coder's segments in random order.

The chance model `segments`: a random corpus has the items and coders of the data and, per coder and
item, the same segments (their masses, and the types at their boundaries) in another order. So the
number of boundaries of everybody in every item is that of the data, and what is left of agreement
is that of places.

D is what a measure counts before any correction of its own: 1 − mean over ordered pairs of coders
of S, B, 1 − WD, 1 − P_k, 1 − GHD, precision, recall and F₁; the mean itself of R_FN and R_FP; 1 −
A_a of π* and κ*, whose chance agreement the order of segments leaves as it is: they share the
value. How many random corpora are drawn is told by the rule of Mathet, Widlöcher & Métivier (2015,
§5.3), for all measures at once. Pairs without a value (an item too short for a window) have none in
the random corpora either; they are counted.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from gammacp.chance.beyond import BeyondChance, settled
from gammacp.chance.expected import SampleRule
from gammacp.chance.sampling import Disagreement, expectations
from gammacp.segmentation.agreement import compared_pairs
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.coefficients import coefficients, pool
from gammacp.segmentation.comparison import Comparison
from gammacp.segmentation.rows import COLUMNS, ERRORS, Pairs, Rows, compared
from gammacp.signature import extended

CHANCE = "segments"
MEASURES = (*COLUMNS, "pi_s", "kappa_s")


@dataclass(frozen=True)
class SegmentSampler:
    """Draws each coder's segments in another order."""

    rows: Rows
    signature: str = CHANCE

    def draw(self, rng: np.random.Generator) -> Rows:
        """Random codings of the same items by the same coders."""
        return self.rows.shuffled(rng)


@dataclass(frozen=True, kw_only=True)
class CorpusMeasure:
    """A measure over a corpus of segmentations, and beyond chance.

    Attributes
    ----------
    value
        As it is reported without chance: the mean over ordered pairs of coders of all items; an
        error for R_FN and R_FP. π* and κ* of all items pooled.
    undefined
        Pairs without a value, which the mean leaves out.
    beyond_chance
        The same against random codings.
    """

    value: float
    undefined: int
    beyond_chance: BeyondChance

    def as_dict(self) -> dict[str, Any]:
        """The measure as JSON."""
        return asdict(self)


def signed_chance(rule: SampleRule, seed: int) -> dict[str, Any]:
    """What a signature says of random codings."""
    e = None if rule.samples else rule.precision
    return {"chance": CHANCE, "samples": rule.samples, "e": e, "c": rule.confidence, "seed": seed}


def counted(pairs: Pairs) -> dict[str, tuple[float, float, int]]:
    """Of each measure the value, D, and how many ordered pairs have no value; NaN where all."""
    found = {}
    for name, values in pairs.values.items():
        defined = values[~np.isnan(values)]
        mean = float(defined.mean()) if len(defined) else math.nan
        found[name] = mean, mean if name in ERRORS else 1 - mean, values.size - len(defined)
    similar, total = (part.sum() for part in pairs.parts(pairs.comparison.basis))
    actual = float(similar / total) if total else math.nan
    return found | dict.fromkeys(("pi_s", "kappa_s"), (actual, 1 - actual, 0))


def measures_beyond_chance(
    codings: Codings,
    *,
    comparison: Comparison | None = None,
    rule: SampleRule | None = None,
    seed: int = 0,
) -> Mapping[str, CorpusMeasure]:
    """Every measure of a corpus of segmentations, against segments in random order.

    Parameters
    ----------
    codings
        Who segmented what; each item by two coders at least.
    comparison
        Similarity behind π* and κ*, edits and mode; by default S.
    rule
        How many random corpora; by default 2 % of E[D] at 95 % for every measure.
    seed
        Of the random corpora.

    Raises
    ------
    DataError
        An item has one coder only.

    >>> from gammacp.segmentation import load_codings
    >>> found = measures_beyond_chance(load_codings("moonstone"))
    >>> round(found["s"].value, 2), round(found["s"].beyond_chance.value, 1)
    (0.86, 0.4)
    """
    comparison, rule = comparison or Comparison(), rule or SampleRule()
    pairs = compared_pairs(codings, comparison)
    observed = counted(pairs)
    known = [name for name in MEASURES if not math.isnan(observed[name][1])]

    def disagreements(rows: Rows) -> list[Disagreement]:
        drawn = counted(compared(rows, comparison))
        return [Disagreement(drawn[name][1], drawn[name][1]) for name in known]

    sampler = SegmentSampler(pairs.rows)
    expected, _ = expectations(sampler, disagreements, rule, seed, measures=len(known))
    pooled = coefficients(pool(pairs, codings.row_people()), mode=comparison.mode).as_dict()
    against = {
        name: settled(observed[name][1], e, CHANCE) for name, e in zip(known, expected, strict=True)
    }
    nothing = BeyondChance(value=math.nan, chance=CHANCE, reason="no pair of codings has a value")
    found = {}
    for name in MEASURES:
        beyond = against.get(name, nothing)
        made = signed_chance(rule, seed) | {"samples": beyond.samples}
        line = extended(comparison.signed(name), **made)
        mean, _, undefined = observed[name]
        found[name] = CorpusMeasure(
            value=pooled.get(name, mean),
            undefined=undefined,
            beyond_chance=replace(beyond, signature=line),
        )
    return found
