"""Measures of segmentation beyond chance: 1 − D_o/E[D], each coder's segmentations turned.

The chance model is `turned` (`gammacp.segmentation.measures.turned`): a random corpus has the
items and coders of the data and, per coder and item, the same sequence of segments at another
place, with as many boundaries.

D is what a measure counts before any correction of its own: 1 − mean over ordered pairs of coders
of S, B, 1 − WD, 1 − P_k, 1 − GHD, precision, recall and F₁; 1 − A_a of π* and κ*, whose chance
agreement turning leaves as it is: they share the value. How many random corpora are
drawn is told by the rule of Mathet, Widlöcher & Métivier (2015, §5.3), for all measures at once.
Pairs without a value (an item too short for a window) have none in the random corpora either; they
are counted.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.chance.beyond import BeyondChance, against_chance
from gammacp.chance.expected import SampleRule
from gammacp.measures.score import Score
from gammacp.segmentation.agreement import compared_pairs
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.measures.coefficients import arrays_of_items, coefficients
from gammacp.segmentation.measures.comparison import Criterion
from gammacp.segmentation.measures.rows import COLUMNS, CodingPairs, compare_rows
from gammacp.segmentation.measures.turned import TurnedSegments
from gammacp.segmentation.statistics import spread

MEASURES = (*COLUMNS, "pi_s", "kappa_s")


@dataclass(frozen=True, kw_only=True)
class CorpusMeasure(Score):
    """A measure over a corpus of segmentations: the mean over ordered pairs of coders of all items.

    π* and κ* are those of all items pooled.

    Attributes
    ----------
    undefined
        Pairs without a value, which the mean leaves out.
    """

    undefined: int = 0
    beyond_chance: BeyondChance

    def as_dict(self) -> dict[str, Any]:
        """Return the keys of every score, and `undefined`."""
        return {**super().as_dict(), "undefined": self.undefined}


def disagreements(pairs: CodingPairs) -> dict[str, float]:
    """D of each measure; NaN where no pair has a value."""
    disagreement_by_measure = {}
    for name, values in pairs.values.items():
        defined = values[~np.isnan(values)]
        disagreement_by_measure[name] = 1 - float(defined.mean()) if len(defined) else math.nan
    similar, total = (part.sum() for part in pairs.parts(pairs.comparison.basis))
    if total:
        apart = 1 - float(similar / total)
    else:
        apart = math.nan
    return {**disagreement_by_measure, "pi_s": apart, "kappa_s": apart}


def measures_beyond_chance(
    codings: Codings,
    *,
    comparison: Criterion | None = None,
    rule: SampleRule | None = None,
    seed: int = 0,
) -> Mapping[str, CorpusMeasure]:
    """Every measure of a corpus of segmentations, against the coders' own, turned.

    Parameters
    ----------
    codings
        Segmentations; each item by two coders at least.
    comparison
        Similarity behind π* and κ*, edits and mode; by default S.
    rule
        Rule for the number of random corpora; by default 2 % of E[D] at 95 % for every measure.
    seed
        Seed of the random corpora.

    Raises
    ------
    DataError
        An item has one coder only.

    >>> from gammacp.segmentation import load_codings
    >>> found = measures_beyond_chance(load_codings("moonstone"))
    >>> round(found["s"].value, 2), round(found["s"].beyond_chance.value, 1)
    (0.86, 0.4)
    """
    comparison = comparison or Criterion()
    pairs = compared_pairs(codings, comparison)
    pooled = coefficients(
        arrays_of_items(pairs, codings.row_people()), mode=comparison.mode
    ).as_dict()
    beyond = against_chance(
        disagreements(pairs),
        lambda rows: disagreements(compare_rows(rows, comparison)),
        TurnedSegments.of(pairs.rows, codings.row_people()),
        rule,
        seed,
        signed={name: comparison.signature_of(name) for name in MEASURES},
        missing="no pair of codings has a value",
    )
    values = {name: spread(v.ravel()) for name, v in pairs.values.items()}
    return {
        name: CorpusMeasure(
            value=values[name].mean if name in values else pooled[name],
            undefined=values[name].undefined if name in values else 0,
            beyond_chance=beyond[name],
        )
        for name in MEASURES
    }
