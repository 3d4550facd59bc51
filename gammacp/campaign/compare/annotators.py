"""Each annotator among the others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.campaign.compare.pairs import PairMatrix, WithoutAnnotator
from gammacp.campaign.compare.scoring import Selection
from gammacp.measures.agreement import Agreement


@dataclass(frozen=True, kw_only=True)
class AnnotatorSummary:
    """One annotator among the others.

    Attributes
    ----------
    units, documents, mean_length
        What they marked.
    mean_pair
        Plain mean of γ with each other annotator.
    without
        γ of the others, and the gain over everybody; NaN for fewer than three annotators.
    alone
        Share of their units that nobody else marked.
    outvoted
        Share of their units in unitary alignments where another category has more votes than
        theirs.
    """

    name: str
    units: int
    documents: int
    mean_length: float
    mean_pair: float
    without: float
    gain: float
    alone: float
    outvoted: float

    def as_dict(self) -> dict[str, Any]:
        """One row as JSON has it."""
        return {
            "annotator": self.name,
            "units": self.units,
            "documents": self.documents,
            "mean_length": self.mean_length,
            "mean_pair": self.mean_pair,
            "without": self.without,
            "gain": self.gain,
            "alone": self.alone,
            "outvoted": self.outvoted,
        }


def summaries(
    continua: Selection,
    overall: Agreement,
    pairs: PairMatrix,
    without: tuple[WithoutAnnotator, ...],
) -> tuple[AnnotatorSummary, ...]:
    """Each annotator among the others."""
    out = {entry.annotator: entry for entry in without}
    return tuple(
        _summary(name, continua, overall, pairs.mean_with_others(name), out.get(name))
        for name in pairs.annotators
    )


def _summary(
    name: str,
    continua: Selection,
    overall: Agreement,
    mean_pair: float,
    out: WithoutAnnotator | None,
) -> AnnotatorSummary:
    mine = [c for c in continua.values() if name in c.annotators]
    lengths = np.concatenate([c.lengths[c.rows_of(name)] for c in mine])
    alone, outvoted = _position_among_others(name, overall)
    return AnnotatorSummary(
        name=name,
        units=len(lengths),
        documents=len(mine),
        mean_length=float(lengths.mean()) if len(lengths) else math.nan,
        mean_pair=mean_pair,
        without=out.agreement.value if out else math.nan,
        gain=out.gain if out else math.nan,
        alone=alone,
        outvoted=outvoted,
    )


def _position_among_others(name: str, overall: Agreement) -> tuple[float, float]:
    """Share of units alone, and of units outvoted on the category."""
    total = alone = outvoted = 0
    for score in overall.computed.values():
        continuum, groups = score.alignment.continuum, score.alignment.groups
        if name not in continuum.annotators:
            continue
        column = continuum.annotators.index(name)
        own = groups[groups[:, column] >= 0]
        codes = np.where(own >= 0, continuum.category_codes[own], -2)
        for row in codes:
            present = row[row > -2]
            values, votes = np.unique(present, return_counts=True)
            total += 1
            alone += len(present) == 1
            outvoted += int(votes[values == row[column]][0] < votes.max())
    return (alone / total, outvoted / total) if total else (math.nan, math.nan)
