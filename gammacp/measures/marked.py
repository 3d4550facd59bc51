"""Agreement on whether there is any unit in a document.

γ says nothing about documents in which nobody marked anything, although in short documents much of
what annotators decide is just that. So this is reported beside γ: Krippendorff's α (2004) over
documents, with the values "marked" and "empty". 1 is perfect agreement, 0 is what chance gives.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import compress
from typing import Any

import numpy as np

from gammacp.base.text import first_names
from gammacp.chance.beyond import ratio
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.sequence import ContinuumSequence

_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Marked:
    """Agreement on which documents contain any unit.

    Attributes
    ----------
    alpha
        α; NaN where everybody marked all documents, or none.
    documents
        Number of documents with two annotators or more.
    unmarked
        Names of the documents in which nobody marked anything.
    divided
        Number of documents in which some annotators marked units and others none.
    """

    alpha: float
    documents: int
    unmarked: tuple[str, ...]
    divided: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as JSON has them."""
        return {**asdict(self), "unmarked": list(self.unmarked)}

    def in_words(self) -> str:
        """Return one sentence; empty where every annotator marked every document."""
        if math.isnan(self.alpha) and not self.unmarked:
            return ""
        if not math.isnan(self.alpha):
            summary = (
                f"Agreement on whether a document has any unit at all: α {self.alpha:.4f} over "
                f"{self.documents} documents, each marked or left empty by every annotator"
            )
        else:
            summary = f"{self.documents} documents"
        if not self.unmarked:
            return f"{summary}."
        examples = first_names(self.unmarked, _NAMED)
        return f"{summary}; nobody marked anything in {len(self.unmarked)} ({examples})."


def alpha_of_marking(continua: Mapping[str, Continuum]) -> Marked:
    """Compute α of documents that are marked or empty.

    α = 1 − D_o/D_e with D_o = Σ 2·n₁·n₀/(m − 1) / N over documents with m ≥ 2 annotators, of whom
    n₁ marked something, and D_e = 2·N₁·N₀/(N·(N − 1)) over all N decisions (Krippendorff 2004,
    §11.3, nominal).

    Three documents by two annotators, both marked, none marked, one marked: N = 6, N₁ = N₀ = 3,
    D_o = 2/6, D_e = 18/30, α = 4/9.
    """
    if isinstance(continua, Corpus):
        sequence = continua.sequence
    else:
        sequence = ContinuumSequence.of(continua.values())
    several = sequence.n_annotators > 1
    sizes = sequence.n_annotators[several].astype(np.float64)
    marking = sequence.of_annotators(np.add, np.minimum(sequence.counts, 1))[several].astype(
        np.float64
    )
    total = float(sizes.sum())
    ones = float(marking.sum())
    disagreement = float((2 * marking * (sizes - marking) / (sizes - 1)).sum())
    if total:
        expected = 2 * ones * (total - ones) / (total - 1)
    else:
        expected = 0.0
    value, _ = ratio(disagreement, expected, "")
    empty = tuple(compress(continua, several & (sequence.n_units == 0)))
    divided = int(((marking > 0) & (marking < sizes)).sum())
    return Marked(alpha=value, documents=len(sizes), unmarked=empty, divided=divided)
