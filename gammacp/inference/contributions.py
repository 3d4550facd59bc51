"""Write γ as a ratio of sums over parts, the form that intervals and tests need.

γ of a continuum is 1 − δ(s)/δ_e, and x̄·δ(s) is the sum of the disorders of its unitary alignments
(Mathet, Widlöcher & Métivier 2015, eq. 7 and §4.5). So

    γ = 1 − Σ observed / Σ expected

where the sums run over parts of one of three kinds:

- a unitary alignment of a text (observed: its disorder; expected: δ_e times its number of real
  units, divided by the number n of annotators);
- a document of a corpus (observed: x̄·δ; expected: x̄·δ_e);
- a cluster of documents that are not independent of each other (the sums over its documents).

The sums of documents in a stratified sample are multiplied by the documents' weights. A resampled γ
needs only these sums, so nothing is aligned again. δ_e is held fixed, which keeps its Monte-Carlo
error separate from the variation between parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Codes, Floats
from gammacp.chance.beyond import ratios
from gammacp.errors import DataError

DOCUMENTS = "documents"
CLUSTERS = "clusters of documents"
ALIGNMENTS = "unitary alignments"


@dataclass(frozen=True, eq=False)
class Contributions:
    """Contributions of parts to the observed and to the expected disorder; shape (parts,) each.

    `kind` names the parts in the plural: `DOCUMENTS`, `CLUSTERS` or `ALIGNMENTS`.
    """

    observed: Floats
    expected: Floats
    kind: str

    def __len__(self) -> int:
        """Return the number of parts."""
        return len(self.observed)

    @property
    def gamma(self) -> float:
        """Return γ = 1 − Σ observed / Σ expected."""
        return float(ratios(self.observed.sum(), self.expected.sum()))


def places_of(groups: Codes, starts: Floats) -> Floats:
    """Return the mean start of the units of each unitary alignment, which defines their order.

    Parameters
    ----------
    groups
        Shape (groups, annotators): rows of units, −1 where the unit is empty.
    starts
        Start of every unit.
    """
    real = groups >= 0
    places: Floats = np.where(real, starts[groups], 0.0).sum(axis=1) / real.sum(axis=1)
    return places


def contributions_of_alignment(
    groups: Codes, disorders: Floats, starts: Floats, expected: float
) -> Contributions:
    """Return the contributions of a text, one part per unitary alignment in order of position.

    Parameters
    ----------
    groups
        Shape (groups, annotators): rows of units, −1 where the unit is empty.
    disorders
        Disorder of each unitary alignment, shape (groups,).
    starts
        Start of every unit, to put the unitary alignments in order.
    expected
        δ_e of the continuum, > 0.
    """
    real = groups >= 0
    order = np.argsort(places_of(groups, starts), kind="stable")
    share = real.sum(axis=1) / groups.shape[1]
    return Contributions(
        np.asarray(disorders[order], np.float64), expected * share[order], ALIGNMENTS
    )


def contributions_of_documents(
    documents: Sequence[tuple[float, float, float]] | Floats, clusters: Sequence[str] = ()
) -> Contributions:
    """Return the contributions of a corpus, one part per document or cluster of documents.

    Documents with an undefined value are left out.

    Parameters
    ----------
    documents
        The values (x̄, δ, δ_e) of each document. If documents are weighted, x̄ is multiplied by the
        weight.
    clusters
        Name of the cluster of each document, "" for a document that belongs to none. An empty
        sequence means that there are no clusters.

    Raises
    ------
    DataError
        No document has a defined value.
    """
    rows = np.asarray(documents, np.float64).reshape(-1, 3)
    defined = np.isfinite(rows).all(axis=1) & (rows[:, 2] > 0)
    rows = rows[defined]
    if not len(rows) or not rows[:, 0].any():
        raise DataError("no document has a defined agreement to resample")
    observed, expected = (rows[:, :1] * rows[:, 1:]).T
    if not any(clusters):
        return Contributions(observed, expected, DOCUMENTS)
    named = [name for name, k in zip(clusters, defined, strict=True) if k]
    # Parts are sorted by cluster name, so that the parts of two rounds are in the same order.
    alone = [name or f"\0{i}" for i, name in enumerate(named)]
    cluster_codes = np.unique(alone, return_inverse=True)[1]
    sums = [np.bincount(cluster_codes, each).astype(np.float64) for each in (observed, expected)]
    return Contributions(sums[0], sums[1], CLUSTERS)
