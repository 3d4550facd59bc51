"""uα in its first form, the one that Mathet, Widlöcher & Métivier (2015) compare γ with.

Krippendorff (2013), Content Analysis, 3rd ed., §12.6; Mathet et al. (2015), §6.1. Squared lengths
make it prefer fine to coarse mismatches (Figures 17, 18, 20) and, for more than two annotators,
behave in ways that the 2016 form was made to mend. Its c|uα is `cu-alpha`.

The expected disagreement is reconstructed: it gives the published digits. Two sections of length
a ≤ b that slide past each other in all integer ways share a(3ab − a² + 1)/3 squared positions
altogether; with positions of length τ that is a(3ab − a² + τ²)/3, and the continuous limit τ → 0
is used for positions that are not integers, as in `gammacp.measures.unitizing.krippendorff`.
"""

from itertools import pairwise

import numpy as np

from gammacp.base.arrays import Codes, Floats
from gammacp.base.signature import signature
from gammacp.chance.beyond import ratio
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need, require
from gammacp.measures.registry import observed_disagreement, registered
from gammacp.measures.score import Score, undefined
from gammacp.measures.unitizing.sections import (
    NO_LENGTH,
    Sections,
    atom_of,
    intersections,
    sections_of,
)


@registered(
    "u-alpha-2013",
    "uα as in the 2015 paper's figures, by squared lengths",
    "Krippendorff 2013, §12.6; Mathet, Widlöcher & Métivier 2015, §6.1",
    needs={Need.NO_OVERLAP},
    disagreement=observed_disagreement,
    fragments="atoms",
    unsummed="its expected disagreement slides each section along all others of the corpus, which "
    "is no sum over documents",
)
def u_alpha_2013(continuum: Continuum, *, atom: float | None = None) -> Score:
    """uα of 2013: 1 − D_o/D_e, disagreements in units of length.

    uD_o = Σ_{i≠j} Σ ℓ(g∩h)² over intersections with different labels, divided by L·m(m−1);
    uD_e = Σ slide(ℓx, ℓy) over ordered pairs of all sections with different labels, divided by
    (mL)² − Σ_units ℓ² − τ·Σ_gaps ℓ.

    Parameters
    ----------
    continuum
        Units of one annotator must not overlap; unlabelled units are one more category.
    atom
        τ, the length of a position; default 1 for whole numbers, otherwise the limit 0.

    Worked value (2015, Figure 14): D_o = 3.144737, D_e = 5.285883, uα = 0.405069.

    Raises
    ------
    DataError
        Units of one annotator overlap (the unit is named), or nothing can be compared.
    """
    require(continuum, {Need.NO_OVERLAP})
    tau = atom_of(continuum, atom)
    sections = sections_of(continuum)
    m = sections.n_annotators
    length = continuum.length
    line = signature("u-alpha-2013", selection=continuum.selection, atom=tau)
    if not length:
        return undefined(NO_LENGTH, signature=line)
    slides = _all_slides(sections.lengths, sections.labels, tau)
    observed = 2 * _unlike_squares(sections) / (length * m * (m - 1))
    gaps = sections.labels == len(sections.names) - 1
    with_itself = (sections.lengths[~gaps] ** 2).sum() + tau * sections.lengths[gaps].sum()
    expected = 2 * slides / ((m * length) ** 2 - float(with_itself))
    nothing = "one label covers everything: no disagreement can be expected"
    value, reason = ratio(observed, expected, nothing)
    if reason:
        return undefined(reason, signature=line)
    return Score(value=value, observed=observed, expected=expected, signature=line)


def _unlike_squares(sections: Sections) -> float:
    """Σ ℓ² of the intersections of sections with different labels, each pair once."""
    total = 0.0
    for met in intersections(sections):
        unlike = sections.labels[met.first] != sections.labels[met.second]
        total += float((met.lengths[unlike] ** 2).sum())
    return total


def _all_slides(lengths: Floats, labels: Codes, atom: float) -> float:
    """Σ slide(a, b) over pairs of sections with different labels, each pair once.

    slide(a ≤ b) = a²·b + (τ²·a − a³)/3 needs of the longer section only its length: sorted by
    length, each section meets the number and the summed length of the longer ones with other
    labels, which two prefix sums give.
    """
    order = np.argsort(lengths, kind="stable")
    a = lengths[order]
    label = labels[order]
    count, length = _later(a)
    by_label = np.argsort(label, kind="stable")
    first = np.searchsorted(label[by_label], np.arange(label.max(initial=-1) + 2))
    same_count = np.zeros_like(count)
    same_length = np.zeros_like(length)
    for lo, hi in pairwise(first):
        rows = by_label[lo:hi]
        same_count[rows], same_length[rows] = _later(a[rows])
    longer = length - same_length
    others = count - same_count
    return float((a**2 * longer + others * (atom**2 * a - a**3) / 3).sum())


def _later(lengths: Floats) -> tuple[Floats, Floats]:
    """Return the number and summed length of the entries after each entry."""
    after = np.cumsum(lengths[::-1])[::-1] - lengths
    return np.arange(len(lengths) - 1.0, -1.0, -1.0), after
