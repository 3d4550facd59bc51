"""Extract slots from an alignment: places at which each annotator marked something or did not.

Two kinds of slots distinguish the mistakes of the Corpus Shuffling Tool:

- A *unit slot* is a group of the best alignment. Each annotator either has a unit there or not.
- A *boundary slot* is a place where annotators end one unit and begin the next. Each annotator
  either has this boundary or *joins* its two units, by one unit that covers both.

A unit *covers* another one if at least half of the other one lies in it. The state of an annotator
at a slot is unknown if the annotator can be said neither to have nor to lack it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.continuum import Continuum

COVERED = 0.5
"""Smallest share of a unit that lies in another unit that covers it."""
SAME = 0.4
"""Smallest overlap of two units at the same place, as a share of the longer one."""
APART = 0.25
"""Largest overlap of two units that still lie side by side, as a share of the shorter one."""
NEAR = 0.3
"""Largest distance of two ends that are the same boundary, as a share of the units' lengths."""
ABSENT = 0
PRESENT = 1
UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class Slots:
    """Slots of one document.

    Attributes
    ----------
    units
        Unit slots, as row numbers of units or −1 for none, shape (groups, annotators). A slot is
        omitted if an annotator without a unit has a unit that covers the slot's units together with
        others, or has several units that one of the slot's units covers.
    boundaries
        `PRESENT`, `ABSENT` (joined) or `UNKNOWN`, shape (boundaries, annotators).
    whole
        True for units that neither cover several units of one annotator nor are parts of one, shape
        (units,): their ends and labels can be compared with those of their group.
    """

    units: Codes
    boundaries: Codes
    whole: Bools


def slots_of(continuum: Continuum, groups: Codes) -> Slots:
    """Read the slots of a document.

    Parameters
    ----------
    continuum
        The annotations; units of one piece each.
    groups
        Groups of the best alignment, shape (groups, annotators).
    """
    groups = same_places(continuum, groups)
    overlap = _Overlaps.of(continuum, groups)
    joined = overlap.joined(continuum)
    part = np.zeros(continuum.n_units, np.bool_)
    cover = np.zeros(continuum.n_units, np.bool_)
    by_part: defaultdict[int, set[int]] = defaultdict(set)
    for whole, parts in joined.items():
        cover[whole] = True
        for unit in parts:
            part[unit] = True
            by_part[unit].add(whole)
    readable = [
        row for row in range(len(groups)) if _can_be_read(row, groups, continuum, joined, by_part)
    ]
    return Slots(
        units=groups[readable],
        boundaries=_boundaries(continuum, overlap),
        whole=~(part | cover),
    )


def same_places(continuum: Continuum, groups: Codes) -> Codes:
    """Divide groups whose units are not at the same place.

    The best alignment groups units whenever this costs less than leaving them alone. It may thus
    group two units that two people added side by side, although neither confirms the other.

    Parameters
    ----------
    continuum, groups
        As for `slots_of`.
    """
    starts = continuum.starts
    ends = continuum.ends
    divided = []
    for row in groups:
        rest = row[row >= 0].tolist()
        while rest:
            place = [rest.pop(0)]
            for unit in place:
                near = [u for u in rest if _is_same_place(unit, u, starts, ends)]
                rest = [u for u in rest if u not in near]
                place += near
            slot = np.full_like(row, -1)
            slot[continuum.annotator_codes[place]] = place
            divided.append(slot)
    slots = np.array(divided, np.int32).reshape(-1, groups.shape[1])
    return _moved_to_most(slots, continuum)


def _moved_to_most(slots: Codes, continuum: Continuum) -> Codes:
    """Move each unit to the slot with the largest number of other units at its place.

    The alignment may group a unit with a deviating label with a unit that somebody added beside it.
    """
    starts = continuum.starts
    ends = continuum.ends
    sizes = (slots >= 0).sum(axis=1)
    slot_of = np.zeros(continuum.n_units, np.int64)
    for number, row in enumerate(slots):
        slot_of[row[row >= 0]] = number
    for number in np.argsort(-sizes, kind="stable").tolist():
        row = slots[number]
        members = row[row >= 0]
        if len(members) < 2:
            continue
        for annotator in np.flatnonzero(row < 0).tolist():
            rows = np.arange(continuum.n_units)[continuum.rows_of(continuum.annotators[annotator])]
            low = starts[members].min()
            high = ends[members].max()
            for unit in rows[(starts[rows] < high) & (ends[rows] > low)].tolist():
                current_slot = slots[slot_of[unit]]
                here = sum(_is_same_place(unit, m, starts, ends) for m in members.tolist())
                if here == len(members) and here >= (current_slot >= 0).sum():
                    current_slot[annotator] = -1
                    row[annotator] = unit
                    slot_of[unit] = number
                    break
    return slots[(slots >= 0).any(axis=1)]


def _is_same_place(one: int, other: int, starts: Floats, ends: Floats) -> bool:
    shared = min(ends[one], ends[other]) - max(starts[one], starts[other])
    longer = max(ends[one] - starts[one], ends[other] - starts[other])
    return bool(shared >= SAME * longer)


def _can_be_read(
    row: int,
    groups: Codes,
    continuum: Continuum,
    joined: Mapping[int, Sequence[int]],
    by_part: Mapping[int, set[int]],
) -> bool:
    """Return whether each annotator without a unit in a group has nothing in place of one."""
    group = groups[row]
    empty = set(np.flatnonzero(group < 0).tolist())
    if not empty:
        return True
    who = continuum.annotator_codes
    for unit in group[group >= 0].tolist():
        # An annotator without a unit here covers this unit together with its neighbours.
        if any(int(who[whole]) in empty for whole in by_part.get(unit, ())):
            return False
        # An annotator without a unit here has several units that lie in this one.
        if any(int(who[other]) in empty for other in joined.get(unit, ())):
            return False
    return True


@dataclass(frozen=True, eq=False)
class _Overlaps:
    """For each unit, the row numbers of the other annotators' units that it covers.

    A unit is not covered by an annotator's unit if it is aligned with a different unit of this
    annotator, who then did not join it with anything.
    """

    covers: Mapping[int, Sequence[int]]

    @classmethod
    def of(cls, continuum: Continuum, groups: Codes) -> _Overlaps:
        starts = continuum.starts
        ends = continuum.ends
        partners = np.full((len(starts), continuum.n_annotators), -1, np.int64)
        for column in range(groups.shape[1]):
            has_unit = groups[:, column] >= 0
            partners[groups[has_unit, column]] = groups[has_unit]
        order = np.argsort(starts, kind="stable")
        ordered = starts[order]
        if len(starts):
            longest = float((ends - starts).max())
        else:
            longest = 0.0
        who = continuum.annotator_codes
        covered_by_unit: dict[int, list[int]] = {}
        for unit in range(len(starts)):
            first = np.searchsorted(ordered, starts[unit] - longest)
            last = np.searchsorted(ordered, ends[unit], side="right")
            near = order[first:last]
            near = near[who[near] != who[unit]]
            shared = np.minimum(ends[near], ends[unit]) - np.maximum(starts[near], starts[unit])
            lengths = ends[near] - starts[near]
            aligned = partners[near, who[unit]]
            free = (aligned < 0) | (aligned == unit)
            inside = near[(shared >= COVERED * lengths) & (shared >= 0) & free]
            covered_by_unit[unit] = np.sort(inside).tolist()
        return cls(covered_by_unit)

    def joined(self, continuum: Continuum) -> dict[int, list[int]]:
        """Return the units that cover several units of one annotator, with the covered units.

        The covered units lie side by side and together extend over at least half of the covering
        unit.
        """
        starts = continuum.starts
        ends = continuum.ends
        who = continuum.annotator_codes
        parts_by_whole = {}
        for whole, covered in self.covers.items():
            by_annotator: defaultdict[int, list[int]] = defaultdict(list)
            for unit in covered:
                by_annotator[int(who[unit])].append(unit)
            parts: list[int] = []
            for units in by_annotator.values():
                apart = _side_by_side(units, starts, ends)
                if len(apart) < 2:
                    continue
                reach = float(ends[apart].max() - starts[apart].min())
                if reach >= COVERED * float(ends[whole] - starts[whole]):
                    parts += apart
            if parts:
                parts_by_whole[whole] = parts
        return parts_by_whole


def _side_by_side(units: Sequence[int], starts: Floats, ends: Floats) -> list[int]:
    """Return the units of one annotator that hardly overlap the previously chosen unit."""
    chosen: list[int] = []
    for unit in sorted(units, key=lambda u: (starts[u], ends[u])):
        if chosen:
            before = chosen[-1]
            shared = float(ends[before] - starts[unit])
            shorter = min(ends[before] - starts[before], ends[unit] - starts[unit])
            if shared > APART * float(shorter):
                continue
        chosen.append(unit)
    return chosen


def _boundaries(continuum: Continuum, overlap: _Overlaps) -> Codes:
    """Return the state of each annotator at each boundary slot."""
    pairs = _neighbours(continuum)
    who = continuum.annotator_codes
    covered_by: defaultdict[int, set[int]] = defaultdict(set)
    for whole, covered in overlap.covers.items():
        for unit in covered:
            covered_by[unit].add(whole)
    rows = []
    for members in _same_boundaries(pairs, continuum):
        state = np.full(continuum.n_annotators, UNKNOWN, np.int32)
        joins: defaultdict[int, int] = defaultdict(int)
        for member in members:
            earlier, later = pairs[member]
            both = covered_by[earlier] & covered_by[later]
            for annotator in {int(who[whole]) for whole in both}:
                joins[annotator] += 1
        for annotator, times in joins.items():
            if 2 * times >= len(members):
                state[annotator] = ABSENT
        for member in members:
            state[who[pairs[member][0]]] = PRESENT
        if (state != UNKNOWN).sum() > 1:
            rows.append(state)
    return np.array(rows, np.int32).reshape(-1, continuum.n_annotators)


def _neighbours(continuum: Continuum) -> list[tuple[int, int]]:
    """Return each unit with the same annotator's next unit that begins near its end or later."""
    pairs = []
    for name in continuum.annotators:
        rows = np.arange(continuum.n_units)[continuum.rows_of(name)]
        starts = continuum.starts[rows]
        ends = continuum.ends[rows]
        following = np.searchsorted(starts, ends - APART * (ends - starts))
        for place, after in enumerate(following.tolist()):
            after = max(after, place + 1)
            if after < len(rows):
                pairs.append((int(rows[place]), int(rows[after])))
    return pairs


def _same_boundaries(pairs: Sequence[tuple[int, int]], continuum: Continuum) -> Iterator[list[int]]:
    """Yield groups of indices of pairs that form one boundary, at most one per annotator."""
    if not pairs:
        return
    lefts, rights = np.array(pairs).T
    ends = continuum.ends[lefts]
    starts = continuum.starts[rights]
    lengths = continuum.ends - continuum.starts
    who = continuum.annotator_codes[lefts]
    middles = (ends + starts) / 2
    order = np.argsort(middles, kind="stable")
    if len(lengths):
        reach = NEAR * float(lengths.max())
    else:
        reach = 0.0
    close: list[tuple[float, int, int]] = []
    ordered = middles[order]
    for place, one in enumerate(order.tolist()):
        last = int(np.searchsorted(ordered, ordered[place] + reach, side="right"))
        for other in order[place + 1 : last].tolist():
            if who[one] == who[other]:
                continue
            before = max(lengths[lefts[one]], lengths[lefts[other]])
            behind = max(lengths[rights[one]], lengths[rights[other]])
            limit = NEAR * float(min(before, behind))
            distance = max(abs(ends[one] - ends[other]), abs(starts[one] - starts[other]))
            if distance <= limit:
                close.append((float(distance), one, other))
    yield from _grouped(sorted(close), who, len(pairs))


def _grouped(
    close: Sequence[tuple[float, int, int]], who: Codes | Indices, size: int
) -> Iterator[list[int]]:
    """Merge close members into groups, the closest first, with at most one per annotator."""
    group_of = list(range(size))
    members = {place: [place] for place in range(size)}
    for _, one, other in close:
        first = group_of[one]
        second = group_of[other]
        if first == second:
            continue
        people = [int(who[m]) for m in (*members[first], *members[second])]
        if len(set(people)) < len(people):
            continue
        for member in members[second]:
            group_of[member] = first
        members[first] += members.pop(second)
    yield from members.values()
