"""Every two codings of an item side by side, and their means per item and for the corpus.

All columns are agreements or shares in [0, 1] (S with n ≥ 3 may be below 0), except R_FN and R_FP,
which are errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from gammacp.segmentation.boundary import boundary_similarity, confusion_matrix
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.hamming import ghd
from gammacp.segmentation.rates import miss_rates
from gammacp.segmentation.similarity import segmentation_similarity
from gammacp.segmentation.statistics import (
    Comparison,
    Spread,
    coder_window_diff,
    spread,
)
from gammacp.segmentation.value import Segmentation
from gammacp.segmentation.windows import pk

COLUMNS = ("s", "b", "windowdiff", "pk", "ghd", "precision", "recall", "f", "r_fn", "r_fp")


@dataclass(frozen=True, kw_only=True)
class PairwiseRow:
    """A reference and a hypothesis among the coders of an item.

    `values` has the columns `COLUMNS`: S, B, 1 − WindowDiff, 1 − P_k, 1 − GHD/largest, precision,
    recall and F₁ of boundaries (a near miss is part of a match and no error), R_FN and R_FP. NaN
    where a value is undefined: windows in a short item, precision of a hypothesis without
    boundaries, recall of such a reference, F₁ where neither has one.
    """

    item: str
    reference: str
    hypothesis: str
    values: Mapping[str, float]
    full: int
    near: int

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON."""
        return {
            "item": self.item,
            "reference": self.reference,
            "hypothesis": self.hypothesis,
            **self.values,
            "full": self.full,
            "near": self.near,
        }


def pairwise(codings: Codings, *, comparison: Comparison | None = None) -> tuple[PairwiseRow, ...]:
    """All ordered pairs of coders of all items; each coder in turn is the reference.

    Parameters
    ----------
    codings
        Items with at least two coders are compared.
    comparison
        Which similarity, and its weights; default S.
    """
    comparison = comparison or Comparison()
    return tuple(
        _row(item, (a, coders[a]), (b, coders[b]), comparison)
        for item, coders in codings.items()
        for a, b in permutations(coders, 2)
    )


def means(rows: Iterable[PairwiseRow]) -> dict[str, Spread]:
    """Mean and population standard deviation of each column, and how many are undefined.

    Parameters
    ----------
    rows
        What `pairwise` returned.
    """
    listed = list(rows)
    return {name: spread(row.values[name] for row in listed) for name in COLUMNS}


def _row(
    item: str,
    reference: tuple[str, Segmentation],
    hypothesis: tuple[str, Segmentation],
    comparison: Comparison,
) -> PairwiseRow:
    (first, a), (second, b) = reference, hypothesis
    s = segmentation_similarity(
        a, b, n=comparison.n, costs=comparison.costs, search=comparison.search
    )
    boundary = boundary_similarity(
        a,
        b,
        n_t=comparison.n,
        substitution=comparison.costs.substitution,
        transposition=comparison.costs.transposition,
    )
    matrix = confusion_matrix(a, b, n_t=comparison.n)
    rates = miss_rates(a, b)
    values = (
        s.value,
        boundary.value,
        1 - coder_window_diff(a, b, comparison.mode),
        1 - pk(a, b),
        ghd(a, b).agreement,
        matrix.precision(),
        matrix.recall(),
        matrix.f_measure(),
        rates.false_negative,
        rates.false_positive,
    )
    return PairwiseRow(
        item=item,
        reference=first,
        hypothesis=second,
        values=dict(zip(COLUMNS, values, strict=True)),
        full=s.edits.full,
        near=s.edits.near,
    )
