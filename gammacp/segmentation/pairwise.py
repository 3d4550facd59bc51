"""Comparison of every two codings of an item, and means over such comparisons.

All columns are agreements or shares in [0, 1], except that S with n ≥ 3 may be negative.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.segmentation.codings import Codings
from gammacp.segmentation.measures.comparison import Criterion
from gammacp.segmentation.measures.rows import COLUMNS, compare_rows
from gammacp.segmentation.statistics import Spread, spread


@dataclass(frozen=True, kw_only=True)
class PairwiseRow:
    """Comparison of two coders of an item, one as the reference and one as the hypothesis.

    `values` has the columns `COLUMNS`: S, B, 1 − WindowDiff, 1 − P_k, 1 − GHD (divided by its
    largest possible value), and precision, recall and F₁ of boundaries, where a near miss counts as
    part of a match and not as an error. `full` and `near` are the numbers of full and near misses.

    A value is NaN where it is undefined: WindowDiff and P_k if the item is too short, precision if
    the hypothesis has no boundaries, recall if the reference has none, F₁ if neither has any.
    """

    item: str
    reference: str
    hypothesis: str
    values: Mapping[str, float]
    full: int
    near: int

    @property
    def names(self) -> dict[str, str]:
        """Item, reference and hypothesis."""
        return {"item": self.item, "reference": self.reference, "hypothesis": self.hypothesis}

    def as_dict(self) -> dict[str, Any]:
        """Return the row as a dictionary for JSON."""
        return {**self.names, **self.values, "full": self.full, "near": self.near}


def pairwise(codings: Codings, *, comparison: Criterion | None = None) -> tuple[PairwiseRow, ...]:
    """Compare all ordered pairs of coders of each item; each coder in turn is the reference.

    Parameters
    ----------
    codings
        The codings by item; items with fewer than two coders are left out.
    comparison
        The similarity measure and its weights; S by default.
    """
    pairs = compare_rows(codings.rows(), comparison or Criterion())
    coder, (first, second) = pairs.rows.coder, pairs.rows.pairs
    names = list(codings)
    values = np.stack([pairs.values[name] for name in COLUMNS], axis=-1).tolist()
    full = pairs.column("full").astype(int)
    near = pairs.column("near").astype(int)
    rows = {}
    for p, (item, i, j) in enumerate(zip(pairs.item, first, second, strict=True)):
        for side, (a, b) in enumerate(((i, j), (j, i))):
            rows[a, b] = PairwiseRow(
                item=names[item],
                reference=coder[a],
                hypothesis=coder[b],
                values=dict(zip(COLUMNS, values[p][side], strict=True)),
                full=int(full[p]),
                near=int(near[p]),
            )
    return tuple(rows[pair] for pair in sorted(rows))


def means(rows: Iterable[PairwiseRow]) -> dict[str, Spread]:
    """Return each column's mean, population standard deviation and number of undefined values.

    Parameters
    ----------
    rows
        Result of `pairwise`.
    """
    listed = list(rows)
    return {name: spread(row.values[name] for row in listed) for name in COLUMNS}
