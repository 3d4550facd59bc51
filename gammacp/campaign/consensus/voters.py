"""What a vote says of each voter: annotators against the gold standard that is partly their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from gammacp.campaign.consensus.weighing import ABSENT, AnnotatorQuality, qualities
from gammacp.continuum.label import category_of

if TYPE_CHECKING:
    from gammacp.alignment import Alignment
    from gammacp.campaign.annotators import Responses
    from gammacp.campaign.consensus.consensus import Consensus


def voters(
    responses: Responses, alignments: Mapping[str, Alignment], documents: Mapping[str, Consensus]
) -> tuple[AnnotatorQuality, ...]:
    """Recall, precision, confusion and boundaries of each annotator, counted against the votes.

    What was left out is true ∅; a tied category is shared evenly by those that are level.

    Parameters
    ----------
    responses
        What the alignments say (`responses_of`).
    alignments
        By document.
    documents
        The consensus of each.
    """
    place = {label: i for i, label in enumerate(responses.labels)}
    truth = np.zeros((responses.items, len(place)))
    before = 0
    for name, alignment in alignments.items():
        for unit in documents[name].units:
            level = unit.vote.tied or (category_of(unit.category),)
            true = level if unit.kept else (ABSENT,)
            truth[before + unit.group, [place[label] for label in true]] = 1 / len(true)
        before += len(alignment.groups)
    people, labels = len(responses.annotators), len(place)
    said = np.zeros((people * labels, labels))
    np.add.at(said, responses.annotator * labels + responses.label, truth[responses.item])
    counts = said.reshape(people, labels, labels).transpose(0, 2, 1)
    totals = counts.sum(axis=2, keepdims=True)
    shares = np.divide(counts, totals, out=np.full_like(counts, np.nan), where=totals > 0)
    return qualities(responses, counts, shares, documents.values())
