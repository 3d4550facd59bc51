"""Every two codings of an item side by side, and their means per item and for the corpus.

All columns are agreements or shares in [0, 1] (S with n ≥ 3 may be below 0).
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
    """A reference and a hypothesis among the coders of an item.

    `values` has the columns `COLUMNS`: S, B, 1 − WindowDiff, 1 − P_k, 1 − GHD/largest, precision,
    recall and F₁ of boundaries (a near miss is part of a match and no error). NaN where a value is
    undefined: windows in a short item, precision of a hypothesis without boundaries, recall of such
    a reference, F₁ where neither has one.
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
        """Return the row as JSON."""
        return {**self.names, **self.values, "full": self.full, "near": self.near}


def pairwise(codings: Codings, *, comparison: Criterion | None = None) -> tuple[PairwiseRow, ...]:
    """All ordered pairs of coders of all items; each coder in turn is the reference.

    Parameters
    ----------
    codings
        Items with at least two coders are compared.
    comparison
        Similarity, and its weights; default S.
    """
    found = compare_rows(codings.rows(), comparison or Criterion())
    coder, (first, second) = found.rows.coder, found.rows.pairs
    names = list(codings)
    values = np.stack([found.values[name] for name in COLUMNS], axis=-1).tolist()
    full = found.column("full").astype(int)
    near = found.column("near").astype(int)
    rows = {}
    for p, (item, i, j) in enumerate(zip(found.item, first, second, strict=True)):
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
    """Mean and population standard deviation of each column, and how many are undefined.

    Parameters
    ----------
    rows
        Result of `pairwise`.
    """
    listed = list(rows)
    return {name: spread(row.values[name] for row in listed) for name in COLUMNS}
