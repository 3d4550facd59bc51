"""R_FN and R_FP: what a reader of the hypothesis' segments misses, and gets too much (eq. 2).

Franz, McCarley & Xu 2007 score segments as units of reading: who looks a base unit w up is shown
the hypothesis' segment around it, and should have been shown the reference's.
"""

from dataclasses import dataclass

from gammacp.segmentation.value import Segmentation, check_comparable


@dataclass(frozen=True, kw_only=True)
class MissRates:
    """R_FN and R_FP, each in [0, 1), 0 for identical segmentations.

    Attributes
    ----------
    false_negative
        R_FN: mean share of w's segment in the reference that its segment in the hypothesis lacks.
    false_positive
        R_FP: mean share of w's segment in the hypothesis that is foreign to the reference's.
    """

    false_negative: float
    false_positive: float


def miss_rates(reference: Segmentation, hypothesis: Segmentation) -> MissRates:
    """R_FN = (1/N) Σ_w FN(w) and R_FP = (1/N) Σ_w FP(w) (2012, eq. 2).

    The 2012 paper leaves FN(w) open. Here FN(w) is the share of base units of w's reference
    segment that are missing from its hypothesis segment, FP(w) the share of its hypothesis segment
    that is not in the reference's. Linear in the number of boundaries.

    >>> rates = miss_rates(Segmentation.from_masses([4, 4]), Segmentation.from_masses([8]))
    >>> rates.false_negative, rates.false_positive
    (0.0, 0.5)
    """
    from gammacp.segmentation.pair_kernels import lost_shares

    check_comparable(reference, hypothesis)
    missed, foreign = lost_shares(reference.places, hypothesis.places, reference.mass)
    return MissRates(false_negative=missed, false_positive=foreign)
