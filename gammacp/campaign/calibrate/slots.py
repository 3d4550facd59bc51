"""Slots of a document: opportunities at which each annotator made a mistake or made none.

The mistakes of the Corpus Shuffling Tool that concern whether there is a unit are of two sorts, and
so are the slots:

- A *unit slot* is a group of the best alignment, whose units lie at the same place. An annotator
  has a unit there or none. None is a false negative, and a unit of one annotator alone may be a
  false positive.
- A *boundary slot* (module `boundary_slots`) is a place where annotators end one unit and begin the
  next. An annotator has this boundary, or joins its two units by one unit that covers both, which
  is a merge. A boundary of one annotator alone may be a split.

A merge or split leaves other units without a partner, which must not count as false negatives or
positives as well. Such unit slots are left out: those where an annotator without a unit has,
instead, one unit over several slots or several units inside another one's unit.

Whether a slot is real or an addition is not decided here, but estimated from the rates of all
annotators (module `latent`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Bools, Codes
from gammacp.campaign.calibrate.boundary_slots import boundary_slots
from gammacp.campaign.calibrate.coverings import covered_units, parts_by_covering_unit
from gammacp.continuum import Continuum

SMALLEST_OVERLAP = 0.4
"""Smallest overlap of two units at the same place, as a share of the longer one.

It decides whether two annotators confirm each other. It is more than neighbours may overlap
(`coverings.LARGEST_OVERLAP`), and little enough that one of two equal neighbours is at the place
of a unit that joins them.
"""


@dataclass(frozen=True, eq=False)
class Slots:
    """Slots of one document.

    Attributes
    ----------
    units
        Unit slots, as row numbers of units or −1 for none, shape (slots, annotators). Slots where
        an annotator has a joined or a divided unit instead are left out.
    boundaries
        Boundary slots, as `PRESENT`, `ABSENT` (joined) or `UNKNOWN`, shape (slots, annotators).
    is_comparable
        Whether ends and labels of each unit can be compared with those of its slot, shape (units,):
        True for units that neither cover several units of one annotator nor are parts of one.
    """

    units: Codes
    boundaries: Codes
    is_comparable: Bools


def slots_of(continuum: Continuum, groups: Codes) -> Slots:
    """Return the slots of one document.

    Parameters
    ----------
    continuum
        The annotations; units of one piece each.
    groups
        Groups of the best alignment, shape (groups, annotators).
    """
    groups = regroup_by_place(continuum, groups)
    covered = covered_units(continuum, groups)
    parts_of = parts_by_covering_unit(continuum, covered)
    covering_units_of: defaultdict[int, set[int]] = defaultdict(set)
    is_comparable = np.ones(continuum.n_units, np.bool_)
    for covering_unit, parts in parts_of.items():
        is_comparable[covering_unit] = False
        is_comparable[parts] = False
        for unit in parts:
            covering_units_of[unit].add(covering_unit)
    is_clear = np.array(
        [_is_unambiguous(group, continuum, parts_of, covering_units_of) for group in groups],
        np.bool_,
    )
    return Slots(
        units=groups[is_clear],
        boundaries=boundary_slots(continuum, covered),
        is_comparable=is_comparable,
    )


def _is_unambiguous(
    group: Codes,
    continuum: Continuum,
    parts_of: Mapping[int, Sequence[int]],
    covering_units_of: Mapping[int, set[int]],
) -> bool:
    """Return whether no annotator without a unit here has a joined or divided unit instead."""
    lacking = set(np.flatnonzero(group < 0).tolist())
    for unit in group[group >= 0].tolist():
        # A unit over this one and its neighbours, or several units inside this one.
        others = [*covering_units_of.get(unit, ()), *parts_of.get(unit, ())]
        if not lacking.isdisjoint(continuum.annotator_codes[others].tolist()):
            return False
    return True


def regroup_by_place(continuum: Continuum, groups: Codes) -> Codes:
    """Return groups of units that lie at the same place.

    The best alignment groups units whenever this costs less than leaving them alone. Two units that
    two annotators added side by side may thus be in one group, although neither confirms the other.
    A unit with a deviating label may be in a group with an added unit beside it.

    Parameters
    ----------
    continuum, groups
        As for `slots_of`.
    """
    return _move_to_larger_groups(continuum, _divide(continuum, groups))


def _divide(continuum: Continuum, groups: Codes) -> Codes:
    """Divide groups whose units are not all at the same place."""
    rows = []
    for group in groups:
        for units in _clusters(continuum, group[group >= 0].tolist()):
            row = np.full_like(group, -1)
            row[continuum.annotator_codes[units]] = units
            rows.append(row)
    return np.array(rows, np.int32).reshape(-1, groups.shape[1])


def _clusters(continuum: Continuum, units: Sequence[int]) -> Iterator[list[int]]:
    """Yield the units that are connected by being at the same place, one cluster at a time."""
    rest = list(units)
    while rest:
        cluster = [rest.pop(0)]
        # The list grows while it is walked: units at the place of any member join it.
        for member in cluster:
            near = [unit for unit in rest if _is_same_place(continuum, member, unit)]
            rest = [unit for unit in rest if unit not in near]
            cluster += near
        yield cluster


def _move_to_larger_groups(continuum: Continuum, groups: Codes) -> Codes:
    """Move units to groups at their place that have at least as many units as theirs.

    A unit moves to a group if it lies at the place of all units that the group had when its turn
    came, and if these are no fewer than the units of its present group, itself included.
    """
    groups = groups.copy()
    sizes = (groups >= 0).sum(axis=1)
    group_of_unit = np.zeros(continuum.n_units, np.int64)
    for number, group in enumerate(groups):
        group_of_unit[group[group >= 0]] = number
    # Large groups choose first. A group of one unit confirms nothing, and nobody moves to it.
    order = np.argsort(-sizes, kind="stable")
    for number in order[sizes[order] > 1].tolist():
        group = groups[number]
        members = group[group >= 0]
        if len(members) < 2:  # since units have moved away
            continue
        for annotator in np.flatnonzero(group < 0).tolist():
            for unit in _units_near(continuum, annotator, members):
                previous_group = groups[group_of_unit[unit]]
                if len(members) < (previous_group >= 0).sum():
                    continue
                if all(_is_same_place(continuum, unit, member) for member in members.tolist()):
                    previous_group[annotator] = -1
                    group[annotator] = unit
                    group_of_unit[unit] = number
                    break
    return groups[(groups >= 0).any(axis=1)]


def _units_near(continuum: Continuum, annotator: int, members: Codes) -> list[int]:
    """Return an annotator's units that overlap the extent of `members`."""
    starts = continuum.starts
    ends = continuum.ends
    overlaps = (starts < ends[members].max()) & (ends > starts[members].min())
    near = np.flatnonzero(overlaps & (continuum.annotator_codes == annotator))
    return [int(unit) for unit in near]


def _is_same_place(continuum: Continuum, one: int, other: int) -> bool:
    """Return whether two units overlap by `SMALLEST_OVERLAP` of the longer one."""
    starts = continuum.starts
    ends = continuum.ends
    shared = min(ends[one], ends[other]) - max(starts[one], starts[other])
    longer = max(ends[one] - starts[one], ends[other] - starts[other])
    return bool(shared >= SMALLEST_OVERLAP * longer)
