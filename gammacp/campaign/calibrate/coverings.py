"""Units that cover units of other annotators, as a merge or a split of the same passage does.

A unit *covers* a unit of another annotator if at least half of the other unit lies in it. If it
covers several units of one annotator that lie side by side, one of the two has joined them, or the
other has divided one unit into *parts*.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from gammacp.base.arrays import Codes, Floats
from gammacp.continuum import Continuum

COVERED = 0.5
"""Smallest share of a unit that lies in a unit that covers it.

At a half, only one of two units without overlap can cover the same unit, ties apart. The parts of a
covering unit must extend over the same share of it.
"""
LARGEST_OVERLAP = 0.25
"""Largest overlap of two units of one annotator that lie side by side.

It is a share of the shorter unit. It allows for boundaries that were shifted over each other, but
not for a unit inside another one, which is no neighbour.
"""


def covered_units(continuum: Continuum, groups: Codes) -> dict[int, list[int]]:
    """Return for each unit the row numbers of the other annotators' units that it covers.

    A unit that is aligned with another unit of the covering annotator is left out, because that
    annotator has not joined it with anything.

    Parameters
    ----------
    continuum
        The annotations; units of one piece each.
    groups
        Groups of an alignment, as row numbers of units or −1, shape (groups, annotators).
    """
    starts = continuum.starts
    ends = continuum.ends
    annotators = continuum.annotator_codes
    partners = _partners(continuum, groups)
    order = np.argsort(starts, kind="stable")
    ordered_starts = starts[order]
    longest = float((ends - starts).max(initial=0.0))
    covered = {}
    for unit in range(continuum.n_units):
        # Units that start earlier than the longest length before this unit end before it.
        first = np.searchsorted(ordered_starts, starts[unit] - longest)
        last = np.searchsorted(ordered_starts, ends[unit], side="right")
        near = order[first:last]
        near = near[annotators[near] != annotators[unit]]
        shared = np.minimum(ends[near], ends[unit]) - np.maximum(starts[near], starts[unit])
        is_inside = shared >= COVERED * (ends[near] - starts[near])
        partner = partners[near, annotators[unit]]
        has_no_other_partner = (partner < 0) | (partner == unit)
        covered[unit] = np.sort(near[is_inside & has_no_other_partner]).tolist()
    return covered


def _partners(continuum: Continuum, groups: Codes) -> Codes:
    """Return each unit's partner by each annotator, or −1, shape (units, annotators)."""
    partners = np.full((continuum.n_units, continuum.n_annotators), -1, np.int32)
    for column in range(groups.shape[1]):
        has_unit = groups[:, column] >= 0
        partners[groups[has_unit, column]] = groups[has_unit]
    return partners


def parts_by_covering_unit(
    continuum: Continuum, covered: Mapping[int, Sequence[int]]
) -> dict[int, list[int]]:
    """Return the units that cover several units of one annotator, with these parts.

    The parts of an annotator lie side by side and together extend over at least half of the
    covering unit.

    Parameters
    ----------
    continuum
        The annotations.
    covered
        Result of `covered_units`.
    """
    starts = continuum.starts
    ends = continuum.ends
    annotators = continuum.annotator_codes
    parts_of = {}
    for covering_unit, units in covered.items():
        length = float(ends[covering_unit] - starts[covering_unit])
        units_by_annotator: defaultdict[int, list[int]] = defaultdict(list)
        for unit in units:
            units_by_annotator[int(annotators[unit])].append(unit)
        parts: list[int] = []
        for units_of_one in units_by_annotator.values():
            row = _side_by_side(units_of_one, starts, ends)
            extent = float(ends[row].max() - starts[row].min())
            if len(row) > 1 and extent >= COVERED * length:
                parts += row
        if parts:
            parts_of[covering_unit] = parts
    return parts_of


def _side_by_side(units: Sequence[int], starts: Floats, ends: Floats) -> list[int]:
    """Choose units from left to right, each of which hardly overlaps the one chosen before it."""
    chosen: list[int] = []
    for unit in sorted(units, key=lambda u: (starts[u], ends[u])):
        if not chosen:
            chosen.append(unit)
            continue
        previous = chosen[-1]
        overlap = float(ends[previous] - starts[unit])
        shorter = min(ends[previous] - starts[previous], ends[unit] - starts[unit])
        if overlap <= LARGEST_OVERLAP * float(shorter):
            chosen.append(unit)
    return chosen
