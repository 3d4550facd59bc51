"""Each annotator among the others."""

import math
from dataclasses import dataclass

import numpy as np

from gammacp.alignment import Alignment
from gammacp.arrays import Floats
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

    annotator: str
    units: int
    documents: int
    mean_length: float
    mean_pair: float
    without: float
    gain: float
    alone: float
    outvoted: float


def summaries(
    continua: Selection,
    overall: Agreement,
    pairs: PairMatrix,
    without: tuple[WithoutAnnotator, ...],
) -> tuple[AnnotatorSummary, ...]:
    """Each annotator among the others."""
    out = {entry.annotator: entry for entry in without}
    place = {name: i for i, name in enumerate(pairs.annotators)}
    marked = np.zeros((len(place), 3))
    for c in continua.values():
        mine = [place[name] for name in c.annotators]
        parts = c.atoms()
        covered = np.bincount(parts.annotator_codes, parts.lengths, len(mine))
        marked[mine] += np.column_stack((c.counts, np.ones(len(mine)), covered))
    among = np.zeros((len(place), 3))
    for score in overall.computed.values():
        mine = [place[name] for name in score.alignment.continuum.annotators]
        among[mine] += _among_others(score.alignment)
    found = []
    for name, (units, documents, length), (total, alone, outvoted) in zip(
        place, marked.tolist(), among.tolist(), strict=True
    ):
        entry = out.get(name)
        found.append(
            AnnotatorSummary(
                annotator=name,
                units=int(units),
                documents=int(documents),
                mean_length=length / units if units else math.nan,
                mean_pair=pairs.mean_with_others(name),
                without=entry.agreement.value if entry else math.nan,
                gain=entry.gain if entry else math.nan,
                alone=alone / total if total else math.nan,
                outvoted=outvoted / total if total else math.nan,
            )
        )
    return tuple(found)


def _among_others(alignment: Alignment) -> Floats:
    """Units of each annotator: how many are aligned, alone, and outvoted on the category."""
    groups = alignment.groups
    real = groups >= 0
    codes = np.where(real, alignment.continuum.category_codes[groups], -2)
    votes = np.zeros(codes.shape, np.int64)
    for column in codes.T:
        votes += (codes == column[:, None]) & real
    alone = real & (real.sum(axis=1, keepdims=True) == 1)
    outvoted = real & (votes < votes.max(axis=1, keepdims=True))
    return np.column_stack([kind.sum(axis=0) for kind in (real, alone, outvoted)]).astype(float)
