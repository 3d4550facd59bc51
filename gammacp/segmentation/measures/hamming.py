"""Generalised Hamming Distance between two sets of boundaries (Bookstein, Kulyukin & Raita 2002).

GHD is the least cost of turning the boundaries of the hypothesis into those of the reference by
inserting, deleting and shifting them; a shift over i places costs c·i. Boundaries
are matched in order: as costs are linear in the distance, a crossed matching is never cheaper.
"""

from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.errors import UsageError
from gammacp.segmentation.measures.value import Segmentation, check_comparable


@dataclass(frozen=True, kw_only=True)
class HammingDistance:
    """A distance, and its upper bound: the cost of deleting and inserting everything.

    Attributes
    ----------
    distance
        GHD, ≥ 0.
    largest
        insertion·|reference| + deletion·|hypothesis|: no distance is greater.
    """

    distance: float
    largest: float

    @property
    def agreement(self) -> float:
        """1 − distance/largest; 1 when neither side has a boundary."""
        if self.largest > 0:
            return 1 - self.distance / self.largest
        return 1.0


def ghd(
    reference: Segmentation,
    hypothesis: Segmentation,
    *,
    insertion: float | None = None,
    deletion: float | None = None,
    shift: float = 2.0,
) -> HammingDistance:
    """Compute GHD between two segmentations, whatever the types of boundaries.

    Parameters
    ----------
    insertion, deletion
        Cost of a boundary that only the reference has, and of one that only the hypothesis has;
        default: the mean segment length of the reference, in base units.
    shift
        c: cost of a shift per base unit.

    >>> ref, hyp = Segmentation.from_string("1100100000"), Segmentation.from_string("1100010000")
    >>> ghd(ref, hyp, insertion=1, deletion=1, shift=0.5).distance
    0.5
    """
    check_comparable(reference, hypothesis)
    mean = reference.mass / reference.n_segments
    return ghd_of_positions(
        reference.places,
        hypothesis.places,
        insertion=mean if insertion is None else insertion,
        deletion=mean if deletion is None else deletion,
        shift=shift,
    )


def ghd_of_positions(
    reference: Floats | Indices,
    hypothesis: Floats | Indices,
    *,
    insertion: float,
    deletion: float,
    shift: float = 2.0,
) -> HammingDistance:
    """Compute GHD between sorted boundary positions, whole or real.

    Only pairs closer than (insertion + deletion)/shift can pay, so each boundary of the hypothesis
    meets the few of the reference around it: the cost is linear in the number of boundaries as
    long as those few are.

    Parameters
    ----------
    reference, hypothesis
        Positions of boundaries, sorted.
    insertion, deletion
        Cost of a boundary that only the hypothesis, or only the reference has.
    shift
        Cost of moving one by a position.

    Raises
    ------
    UsageError
        A cost is negative or not finite.
    """
    from gammacp.segmentation.measures.pair_kernels import hamming

    for name, cost in (("insertion", insertion), ("deletion", deletion), ("shift", shift)):
        if not (np.isfinite(cost) and cost >= 0):
            raise UsageError(f"{name} cost {cost:g} is not a finite number ≥ 0")
    largest = insertion * len(reference) + deletion * len(hypothesis)
    a, b = (np.asarray(row, np.float64) for row in (reference, hypothesis))
    distance = hamming(a, b, float(insertion), float(deletion), float(shift))
    return HammingDistance(distance=distance, largest=float(largest))
