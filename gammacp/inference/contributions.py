"""γ as a ratio of sums over parts: what intervals and tests rest on.

γ of a continuum is 1 − δ(s)/δ_e, and x̄·δ(s) is the sum of the disorders of its unitary alignments
(Mathet, Widlöcher & Métivier 2015, eq. 7 and §4.5). So

    γ = 1 − Σ observed / Σ expected

with a part per unitary alignment (observed: its disorder; expected: δ_e · its real units / n),
with a part per document of a corpus (observed: x̄·δ; expected: x̄·δ_e), or per cluster of documents
that are not independent of each other (the sums of its documents). Documents of a stratified sample
have their sums multiplied by their weights. The sums are all that a
resampled γ needs: nothing is aligned again. δ_e is held fixed, so that its Monte-Carlo error stays
apart from what the resampling tells.
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
    """Amounts that parts add to the observed and the expected disorder; shape (parts,) each.

    `kind` says what a part is, in the plural (`DOCUMENTS`, `CLUSTERS`, `ALIGNMENTS`).
    """

    observed: Floats
    expected: Floats
    kind: str

    def __len__(self) -> int:
        """Return the number of parts."""
        return len(self.observed)

    @property
    def gamma(self) -> float:
        """1 − Σ observed / Σ expected."""
        return float(ratios(self.observed.sum(), self.expected.sum()))


def places_of(groups: Codes, starts: Floats) -> Floats:
    """Return the mean start of each unitary alignment's units, by which they are in order.

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
    """Return a part per unitary alignment, in the order of positions.

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
    """Return a part per document, or per cluster; documents with an undefined value are left out.

    Parameters
    ----------
    documents
        (x̄, δ, δ_e) of each; x̄ times its weight where documents are weighted.
    clusters
        The cluster of each, "" for one by itself; none are named if there is none.

    Raises
    ------
    DataError
        None has a value.
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
    # Parts in the order of their names: those of two rounds then are, too.
    alone = [name or f"\0{i}" for i, name in enumerate(named)]
    places = np.unique(alone, return_inverse=True)[1]
    sums = [np.bincount(places, each).astype(np.float64) for each in (observed, expected)]
    return Contributions(sums[0], sums[1], CLUSTERS)
