"""Boundary slots: places where annotators end one unit and begin the next.

The *boundaries* of an annotator are the pairs of neighbouring units. Boundaries of different
annotators are one slot if they are close to each other. At a slot, an annotator

- has the boundary, if the annotator has one of the slot's pairs of units;
- joins it, if one unit of the annotator covers both units of at least half of the slot's pairs;
- is unknown otherwise, for example because the annotator has no unit nearby.

A joined boundary is a merge of the Corpus Shuffling Tool. A boundary of one annotator alone may be
a split.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gammacp.base.arrays import Codes
from gammacp.campaign.calibrate.coverings import LARGEST_OVERLAP
from gammacp.continuum import Continuum

LARGEST_DISTANCE = 0.3
"""Largest distance of two boundaries that are one, between their ends and between their starts.

It is a share of the shorter side, where each side counts with the longer of the two annotators'
units. More would unite different boundaries: at .3, two cuts at random places of one unit already
count as one in 18 % of cases, for which the estimate allows (`magnitudes._CUTS_MEET`). Less would
miss boundaries that one annotator shifted.
"""
ABSENT = 0
PRESENT = 1
UNKNOWN = -1


class _Boundary(NamedTuple):
    """Two neighbouring units of an annotator, as row numbers."""

    annotator: int
    earlier: int
    later: int


def boundary_slots(continuum: Continuum, covered: Mapping[int, Sequence[int]]) -> Codes:
    """Return the state of each annotator at each boundary slot, shape (slots, annotators).

    A slot at which only one annotator's state is known tells nothing and is left out.

    Parameters
    ----------
    continuum
        The annotations; units of one piece each.
    covered
        For each unit, the units of others that it covers (`coverings.covered_units`).

    Returns
    -------
    Codes
        `PRESENT`, `ABSENT` (joined) or `UNKNOWN`.
    """
    boundaries = _boundaries(continuum)
    covering_units: defaultdict[int, set[int]] = defaultdict(set)
    for covering_unit, units in covered.items():
        for unit in units:
            covering_units[unit].add(covering_unit)
    rows = []
    for numbers in _merge_closest(_close_pairs(boundaries, continuum), boundaries):
        slot = [boundaries[number] for number in numbers]
        states = _states(slot, covering_units, continuum)
        if (states != UNKNOWN).sum() > 1:
            rows.append(states)
    return np.array(rows, np.int32).reshape(-1, continuum.n_annotators)


def _boundaries(continuum: Continuum) -> list[_Boundary]:
    """Return each unit with the same annotator's next unit, which begins near its end or later.

    The next unit may begin before the end by `LARGEST_OVERLAP`, here as a share of the earlier one.
    """
    boundaries = []
    for annotator in range(continuum.n_annotators):
        rows = np.flatnonzero(continuum.annotator_codes == annotator)
        starts = continuum.starts[rows]
        ends = continuum.ends[rows]
        following = np.searchsorted(starts, ends - LARGEST_OVERLAP * (ends - starts))
        for number, candidate in enumerate(following.tolist()):
            later = max(candidate, number + 1)
            if later < len(rows):
                boundaries.append(_Boundary(annotator, int(rows[number]), int(rows[later])))
    return boundaries


def _close_pairs(
    boundaries: Sequence[_Boundary], continuum: Continuum
) -> list[tuple[float, int, int]]:
    """Return the distance and numbers of boundaries that may be one, the closest pairs first."""
    if not boundaries:
        return []
    annotators, earlier, later = np.array(boundaries).T
    ends = continuum.ends[earlier]
    starts = continuum.starts[later]
    lengths = continuum.ends - continuum.starts
    # No two boundaries are close whose middles lie farther apart than `radius`.
    radius = LARGEST_DISTANCE * float(lengths.max())
    middles = (ends + starts) / 2
    order = np.argsort(middles, kind="stable")
    middles = middles[order]
    pairs: list[tuple[float, int, int]] = []
    for i, one in enumerate(order.tolist()):
        last = int(np.searchsorted(middles, middles[i] + radius, side="right"))
        for other in order[i + 1 : last].tolist():
            if annotators[one] == annotators[other]:
                continue
            left = max(lengths[earlier[one]], lengths[earlier[other]])
            right = max(lengths[later[one]], lengths[later[other]])
            distance = max(abs(ends[one] - ends[other]), abs(starts[one] - starts[other]))
            if distance <= LARGEST_DISTANCE * float(min(left, right)):
                pairs.append((float(distance), one, other))
    return sorted(pairs)


def _merge_closest(
    pairs: Iterable[tuple[float, int, int]], boundaries: Sequence[_Boundary]
) -> list[list[int]]:
    """Cluster boundaries by single linkage, with at most one boundary per annotator in a cluster.

    Parameters
    ----------
    pairs
        Result of `_close_pairs`.
    boundaries
        The boundaries, of which clusters are returned as lists of numbers.
    """
    cluster_of = list(range(len(boundaries)))
    clusters = {number: [number] for number in range(len(boundaries))}
    for _, one, other in pairs:
        first = cluster_of[one]
        second = cluster_of[other]
        if first == second:
            continue
        union = clusters[first] + clusters[second]
        if len({boundaries[number].annotator for number in union}) < len(union):
            continue
        for number in clusters.pop(second):
            cluster_of[number] = first
        clusters[first] = union
    return list(clusters.values())


def _states(
    slot: Sequence[_Boundary], covering_units: Mapping[int, set[int]], continuum: Continuum
) -> Codes:
    """Return the state of each annotator at one slot, shape (annotators,)."""
    n_joined: Counter[int] = Counter()
    for boundary in slot:
        covering_both = covering_units[boundary.earlier] & covering_units[boundary.later]
        n_joined.update({int(continuum.annotator_codes[unit]) for unit in covering_both})
    states = np.full(continuum.n_annotators, UNKNOWN, np.int32)
    for annotator, count in n_joined.items():
        if 2 * count >= len(slot):
            states[annotator] = ABSENT
    # An annotator who has a boundary here has it, even if a further unit covers both its sides.
    for boundary in slot:
        states[boundary.annotator] = PRESENT
    return states
