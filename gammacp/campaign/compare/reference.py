"""Compare a reference (a system, a gold standard, a new annotator) with the annotators.

The question is not only how well the candidate agrees with the annotators, but also whether it does
so as well as they agree with each other. Therefore its γ with each annotator is reported together
with that annotator's mean γ with the others, and the γ of all annotators is computed both without
the candidate and with it.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.campaign.compare.categories import NO_UNIT, Confusion, confusion
from gammacp.campaign.compare.pairs import PairMatrix, mean_defined
from gammacp.campaign.compare.scoring import agreement_of_selected, annotators_of, categories_of
from gammacp.measures.agreement import Agreement, agreement
from gammacp.measures.random_sets import Basis


@dataclass(frozen=True, kw_only=True)
class AgainstAnnotator:
    """Comparison of the candidate with one annotator.

    Attributes
    ----------
    annotator
        Name of the annotator.
    agreement
        Agreement of the candidate and the annotator.
    with_others
        Mean γ of the annotator with the other annotators; NaN if there are none.
    aligned
        Number of pairs of units that the best alignments of the two align.
    equal
        Number of aligned pairs whose units have the same category.
    missed
        Number of units of the annotator that are aligned with no unit of the candidate.
    added
        Number of units of the candidate that are aligned with no unit of the annotator.
    """

    annotator: str
    agreement: Agreement
    with_others: float
    aligned: int
    equal: int
    missed: int
    added: int

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        counted = {k: v for k, v in vars(self).items() if k != "agreement"}
        return {**self.agreement.score.as_dict(), **counted}


@dataclass(frozen=True, kw_only=True)
class ReferenceComparison:
    """Comparison of the candidate with all annotators.

    Attributes
    ----------
    name
        Name of the candidate.
    annotators
        Comparison with each annotator who shares a document with the candidate.
    everybody
        Agreement of all annotators and the candidate together; its value is NaN if undefined.
    confusion
        Counts of aligned pairs by category. Rows are the categories of the candidate.
    """

    name: str
    annotators: tuple[AgainstAnnotator, ...]
    everybody: Agreement
    confusion: Confusion

    @property
    def mean(self) -> float:
        """Unweighted mean of the candidate's γ with each annotator."""
        return mean_defined(np.array([a.agreement.value for a in self.annotators]))

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        return {
            "name": self.name,
            "mean": self.mean,
            "with_everybody": self.everybody.score.as_dict(),
            "annotators": [a.as_dict() for a in self.annotators],
            "confusion": self.confusion.as_dict(),
        }


def against_reference(name: str, pairs: PairMatrix, basis: Basis) -> ReferenceComparison:
    """Compare a candidate with each annotator.

    Parameters
    ----------
    name
        Name of the candidate.
    pairs
        Agreement of each pair of annotators, without the candidate.
    basis
        Alignments and random sets of the documents that the candidate annotated.
    """
    categories = categories_of(basis.named)
    alignments = []
    entries = []
    for other in annotators_of(basis.named):
        if other != name:
            result = agreement_of_selected(basis, (name, other))
            pair_alignments = [s.alignment for s in result.computed.values()]
            table = confusion(pair_alignments, categories, reference=name)
            entries.append(_entry(other, result, table, pairs))
            alignments += pair_alignments
    return ReferenceComparison(
        name=name,
        annotators=tuple(entries),
        everybody=agreement(basis),
        confusion=confusion(alignments, categories, reference=name),
    )


def _entry(
    other: str, pair_agreement: Agreement, table: Confusion, pairs: PairMatrix
) -> AgainstAnnotator:
    among = other in pairs.annotators and len(pairs.annotators) > 1
    nobody = table.rows.index(NO_UNIT)
    matched = table.counts[:nobody, :nobody]
    return AgainstAnnotator(
        annotator=other,
        agreement=pair_agreement,
        with_others=pairs.mean_with_others(other) if among else math.nan,
        aligned=int(matched.sum()),
        equal=int(np.trace(matched)),
        missed=int(table.counts[nobody].sum()),
        added=int(table.counts[:, nobody].sum()),
    )
