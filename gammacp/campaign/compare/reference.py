"""A candidate (a system, a gold standard, a newcomer) against the annotators.

The question is not only how well it agrees with them, but whether it agrees with them as well as
they agree with each other: beside its γ with each annotator stands that annotator's mean γ with the
others, and beside γ of the annotators stands γ with the candidate among them.
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
    """The candidate against one annotator.

    Attributes
    ----------
    agreement
        γ of the two.
    with_others
        The annotator's mean γ with the other annotators; NaN if there are none.
    aligned, equal, missed, added
        Units of the pair's best alignments: aligned with one of the candidate, of which with the
        same category; units of the annotator alone; units of the candidate alone.
    """

    annotator: str
    agreement: Agreement
    with_others: float
    aligned: int
    equal: int
    missed: int
    added: int

    def as_dict(self) -> dict[str, Any]:
        """One row as JSON has it."""
        counted = {k: v for k, v in vars(self).items() if k != "agreement"}
        return {**self.agreement.score.as_dict(), **counted}


@dataclass(frozen=True, kw_only=True)
class ReferenceComparison:
    """The candidate against everybody.

    Attributes
    ----------
    name
        The candidate.
    annotators
        One entry per annotator who shares a document with it.
    everybody
        γ of all annotators and the candidate together; NaN value where undefined.
    confusion
        Pairs with the candidate; rows are its categories.
    """

    name: str
    annotators: tuple[AgainstAnnotator, ...]
    everybody: Agreement
    confusion: Confusion

    @property
    def mean(self) -> float:
        """Plain mean of its γ with the annotators."""
        return mean_defined(np.array([a.agreement.value for a in self.annotators]))

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON has it."""
        return {
            "name": self.name,
            "mean": self.mean,
            "with_everybody": self.everybody.score.as_dict(),
            "annotators": [a.as_dict() for a in self.annotators],
            "confusion": self.confusion.as_dict(),
        }


def against_reference(name: str, pairs: PairMatrix, basis: Basis) -> ReferenceComparison:
    """Return the candidate `name` against each annotator.

    `pairs` is the matrix of the annotators without the candidate, `basis` that of its documents.
    """
    categories = categories_of(basis.named)
    alignments = []
    entries = []
    for other in annotators_of(basis.named):
        if other != name:
            result = agreement_of_selected(basis, (name, other))
            theirs = [s.alignment for s in result.computed.values()]
            table = confusion(theirs, categories, reference=name)
            entries.append(_entry(other, result, table, pairs))
            alignments += theirs
    return ReferenceComparison(
        name=name,
        annotators=tuple(entries),
        everybody=agreement(basis),
        confusion=confusion(alignments, categories, reference=name),
    )


def _entry(other: str, found: Agreement, table: Confusion, pairs: PairMatrix) -> AgainstAnnotator:
    among = other in pairs.annotators and len(pairs.annotators) > 1
    nobody = table.rows.index(NO_UNIT)
    matched = table.counts[:nobody, :nobody]
    return AgainstAnnotator(
        annotator=other,
        agreement=found,
        with_others=pairs.mean_with_others(other) if among else math.nan,
        aligned=int(matched.sum()),
        equal=int(np.trace(matched)),
        missed=int(table.counts[nobody].sum()),
        added=int(table.counts[:, nobody].sum()),
    )
