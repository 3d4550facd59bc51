"""Divide documents into the parts on which annotators are compared.

The γ of all annotators, of all but one, and of each pair come from different alignments. To compare
them part by part, all alignments are cut at the same places.
"""

from collections.abc import Sequence

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.inference.contributions import places_of
from gammacp.inference.part_tests import FEWEST_PARTS, STRETCHES
from gammacp.measures.agreement import Agreement

FEWEST_IN_ORDER = 20
"""Number of unitary alignments of all annotators below which a text is not cut into stretches."""


class DocumentParts:
    """Parts of the documents of all annotators: clusters, documents, or stretches of them.

    If there are at least `FEWEST_PARTS` documents or clusters, these are the parts. Otherwise the
    documents are concatenated and cut into `STRETCHES` stretches with equal numbers of unitary
    alignments of all annotators.

    Parameters
    ----------
    whole
        γ of all annotators.
    """

    def __init__(self, whole: Agreement) -> None:
        """Determine the parts, and the places of cuts if there are stretches."""
        parts = {n: whole.clusters.get(n) or n for n in whole.rated}
        order = {part: i for i, part in enumerate(dict.fromkeys(parts.values()))}
        self._part = {n: order[part] for n, part in parts.items()}
        self._start = {n: i for i, n in enumerate(parts)}
        self._edges: Floats | None = None
        self.n, self.kind = len(order), "clusters" if whole.clusters else "documents"
        if self.n >= FEWEST_PARTS:
            return
        self.kind, places = "stretches", np.concatenate([[], *self._places(whole, [*parts])])
        if len(places) >= FEWEST_IN_ORDER:
            self.n = STRETCHES
        else:
            self.n = 0
        if self.n:
            self._edges = np.quantile(places, np.arange(1, STRETCHES) / STRETCHES)
        else:
            self._edges = None

    @property
    def reason(self) -> str | None:
        """Return the reason why there are no parts; None if there are."""
        if self.n:
            return None
        return (
            f"it takes {FEWEST_PARTS} documents, or a text of {FEWEST_IN_ORDER} unitary alignments"
        )

    def _places(self, agreement: Agreement, names: Sequence[str]) -> list[Floats]:
        """Return the place of each unitary alignment, where document i extends from i to i + 1."""
        every = []
        for name in names:
            c = agreement.rated[name].alignment.continuum
            where = np.sort(places_of(agreement.rated[name].alignment.groups, c.starts))
            every.append(self._start[name] + (where - c.bounds[0]) / (c.length or 1.0))
        return every

    @property
    def columns(self) -> int:
        """Return the number of columns of `sums`: one per part, or one if there are no parts."""
        return max(self.n, 1)

    def in_common(self, agreement: Agreement) -> list[str]:
        """Return the documents in which γ is defined for all annotators and for these ones."""
        return [name for name in agreement.rated if name in self._part]

    def sums(self, agreement: Agreement, names: Sequence[str] | None = None) -> Floats:
        """Return the observed and the expected disorder of each part, shape (2, `columns`).

        Parameters
        ----------
        agreement
            γ of some of the annotators.
        names
            Names of documents from `in_common`; None means all of them.
        """
        if names is None:
            names = self.in_common(agreement)
        total = np.zeros((2, self.columns))
        if names and not self.n:
            contributions = agreement.contributions(names)
            total[:, 0] = contributions.observed.sum(), contributions.expected.sum()
            return total
        for name, part in zip(names, self.of_alignments(agreement, names), strict=True):
            contributions = agreement.contributions([name])
            for row, values in zip(
                total, (contributions.observed, contributions.expected), strict=True
            ):
                np.add.at(row, part, values)
        return total

    def of_alignments(self, agreement: Agreement, names: Sequence[str]) -> list[Indices]:
        """Return, for each document, the part of each unitary alignment in the order of the text.

        Parameters
        ----------
        agreement, names
            As for `sums`.
        """
        if self._edges is not None:
            edges = self._edges
            return [np.searchsorted(edges, p, side="right") for p in self._places(agreement, names)]
        return [np.full(len(agreement.rated[n].alignment), self._part[n]) for n in names]
