"""γ as a ratio of sums over parts: what bootstrap and permutation tests resample.

γ of a continuum is 1 − δ(s)/δ_e, and x̄·δ(s) is the sum of the disorders of its unitary alignments
(Mathet, Widlöcher & Métivier 2015, eq. 7 and §4.5). So

    γ = 1 − Σ observed / Σ expected

with a part per unitary alignment (observed: its disorder; expected: δ_e · its real units / n), or
with a part per document of a corpus (observed: x̄·δ; expected: x̄·δ_e). The sums are all that a
resampled γ needs: nothing is aligned again. δ_e is held fixed, so that its Monte-Carlo error stays
apart from what the resampling tells.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gammacp.arrays import Codes, Floats
from gammacp.chance.beyond import ratios
from gammacp.errors import DataError


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each part adds to the observed and to the expected disorder; shape (parts,) each.

    `kind` says what a part is, in the plural ("documents", "unitary alignments").
    """

    observed: Floats
    expected: Floats
    kind: str

    def __len__(self) -> int:
        """Number of parts."""
        return len(self.observed)

    @property
    def gamma(self) -> float:
        """1 − Σ observed / Σ expected."""
        return float(ratios(self.observed.sum(), self.expected.sum()))

    def weigh(self, weights: Floats) -> Floats:
        """γ with each part counted `weights` times; weights of shape (…, parts)."""
        # No products of BLAS: their last bits are others on other processors.
        observed = (weights * self.observed).sum(axis=-1)
        return ratios(observed, (weights * self.expected).sum(axis=-1))


def contributions_of_alignment(
    groups: Codes, disorders: Floats, starts: Floats, expected: float
) -> Contributions:
    """A part per unitary alignment, in the order of positions.

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
    place = np.where(real, starts[groups], 0.0).sum(axis=1) / real.sum(axis=1)
    order = np.argsort(place, kind="stable")
    share = real.sum(axis=1) / groups.shape[1]
    return Contributions(
        np.asarray(disorders[order], np.float64), expected * share[order], "unitary alignments"
    )


def contributions_of_documents(documents: Iterable[tuple[float, float, float]]) -> Contributions:
    """A part per document from (x̄, δ, δ_e) of each; those with an undefined value are left out.

    Raises
    ------
    DataError
        None has a value.
    """
    rows = np.array([d for d in documents if np.isfinite(d).all() and d[2] > 0]).reshape(-1, 3)
    if not len(rows) or not rows[:, 0].any():
        raise DataError("no document has an agreement that could be resampled")
    return Contributions(rows[:, 0] * rows[:, 1], rows[:, 0] * rows[:, 2], "documents")
