"""Compiled kernels that relate each unit to the annotators of its document.

γ aligns at most one unit per annotator. If one annotator has a long unit where another has several
short ones, at most one of them can be aligned with it. The kernels therefore go through the
alignment a second time and look for such *families* (one unit opposite several) and for levels of
nesting. `gammacp.kinds.row_kernels` then classifies the remaining differences.

One call processes all documents of a batch. The units of all documents are numbered consecutively;
within a document they are sorted by annotator and start. A group holds one unit number for each
annotator of its document, or −1 if the annotator has no unit there.
"""

from typing import NamedTuple

import numpy as np

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.kernel import kernel, late_kernel
from gammacp.kinds.codes import (
    STATE_OTHER_LEVEL,
    STATE_PART,
    STATE_WHOLE,
)

# Smallest share of a unit that must lie in another unit that covers it, and smallest share of the
# covering unit that the hull of the covered units must fill.
HALF = 0.5
# Smallest share of a unit that must lie in another unit in which it is nested.
NESTED = 0.9


class UnitSpans(NamedTuple):
    """Units of all documents.

    `first[people_edges[d] + j]` is the first unit of annotator j of document d, and the next entry
    is the end of this annotator's units. `latest` is, for each unit, the latest end of its
    annotator's units up to this one.
    """

    starts: Floats
    ends: Floats
    latest: Floats
    owner: Codes
    first: Indices
    unit_edges: Indices
    people_edges: Indices


class UnitRelations(NamedTuple):
    """Relation of each unit to each annotator of its document; shape (units, most annotators).

    Attributes
    ----------
    partner
        Unit of that annotator with which the unit is aligned, −1 for none.
    state
        `STATE_ALONE`, `STATE_PART`, `STATE_WHOLE` or `STATE_OTHER_LEVEL` if the unit has no
        partner.
    cover
        Unit of that annotator that covers this unit together with others, −1 for none.
    several
        Number of units of that annotator that are parts of this one; 0 if this is no whole.
    """

    partner: Indices
    state: Codes
    cover: Indices
    several: Codes


@kernel
def _share_within(start: float, end: float, low: float, high: float) -> float:
    """Return the share of start–end that lies in low–high; for a point this is 0 or 1."""
    if end <= start:
        if low <= start <= high:
            return 1.0
        return 0.0
    return max(0.0, min(end, high) - max(start, low)) / (end - start)


@kernel
def first_that_reaches(latest: Floats, low: int, high: int, start: float) -> int:
    """Return the first unit of low–high that can reach `start`: all before it end earlier."""
    while low < high:
        middle = (low + high) // 2
        if latest[middle] < start:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _is_nested(inner: int, outer: int, starts: Floats, ends: Floats) -> bool:
    """Return whether a unit is nested in a longer one."""
    length = ends[outer] - starts[outer]
    if ends[inner] - starts[inner] >= NESTED * length:
        return False
    return _share_within(starts[inner], ends[inner], starts[outer], ends[outer]) >= NESTED


@kernel
def _mark_levels(document: int, spans: UnitSpans, relations: UnitRelations) -> None:
    """Mark units of a document that are on a level of nesting that another annotator lacks.

    This is the case if both annotators have a unit around it, or both have one inside it, and these
    two units are aligned with each other.
    """
    starts = spans.starts
    ends = spans.ends
    partner = relations.partner
    base = spans.people_edges[document]
    size = spans.people_edges[document + 1] - base
    for u in range(spans.unit_edges[document], spans.unit_edges[document + 1]):
        owner = spans.owner[u]
        high = spans.first[base + owner + 1]
        x = first_that_reaches(spans.latest, spans.first[base + owner], high, starts[u])
        while x < high and starts[x] <= ends[u]:
            inside = x != u and _is_nested(u, x, starts, ends)
            around = x != u and _is_nested(x, u, starts, ends)
            for j in range(size if inside or around else 0):
                y = partner[x, j]
                if partner[u, j] >= 0 or y < 0 or j == owner:
                    continue
                inner, outer = (u, y) if inside else (y, u)
                if _is_nested(inner, outer, starts, ends):
                    relations.state[u, j] = STATE_OTHER_LEVEL
            x += 1


@kernel
def _gather_parts(
    whole: int, low: int, high: int, spans: UnitSpans, relations: UnitRelations, parts: Indices
) -> int:
    """Fill `parts` with the units of low–high that a unit covers; return their number.

    A part has no partner by the covering unit's annotator, or the covering unit is its partner. A
    unit that lies in a longer part does not count as a part, because it is nested in it.
    """
    starts = spans.starts
    ends = spans.ends
    owner = spans.owner[whole]
    number = 0
    p = first_that_reaches(spans.latest, low, high, starts[whole])
    while p < high and starts[p] <= ends[whole]:
        mate = relations.partner[p, owner]
        free = mate == whole or (mate < 0 and relations.state[p, owner] != STATE_OTHER_LEVEL)
        if free and _share_within(starts[p], ends[p], starts[whole], ends[whole]) >= HALF:
            parts[number] = p
            number += 1
        p += 1
    n_parts = 0
    for k in range(number):
        p = parts[k]
        outermost = True
        for m in range(number):
            q = parts[m]
            longer = ends[q] - starts[q] > ends[p] - starts[p]
            if longer and _share_within(starts[p], ends[p], starts[q], ends[q]) >= HALF:
                outermost = False
                break
        if outermost:
            parts[number + n_parts] = p
            n_parts += 1
    for k in range(n_parts):
        parts[k] = parts[number + k]
    return n_parts


@kernel
def _mark_families(document: int, spans: UnitSpans, relations: UnitRelations) -> None:
    """Find the units of a document where another annotator has several units instead of one."""
    starts = spans.starts
    ends = spans.ends
    base = spans.people_edges[document]
    size = spans.people_edges[document + 1] - base
    begin = spans.unit_edges[document]
    end = spans.unit_edges[document + 1]
    parts = np.empty(2 * (end - begin) + 2, np.int64)
    filled = np.zeros((end - begin, size))
    for u in range(begin, end):
        owner = spans.owner[u]
        length = ends[u] - starts[u]
        for j in range(size if length > 0 else 0):
            if j == owner:
                continue
            first, last = spans.first[base + j], spans.first[base + j + 1]
            number = _gather_parts(u, first, last, spans, relations, parts)
            if number < 2:
                continue
            low = starts[parts[0]]
            high = ends[parts[0]]
            for k in range(1, number):
                low = min(low, starts[parts[k]])
                high = max(high, ends[parts[k]])
            if min(high, ends[u]) - max(low, starts[u]) < HALF * length:
                continue
            relations.several[u, j] = number
            for k in range(number):
                p = parts[k]
                share = _share_within(starts[p], ends[p], starts[u], ends[u])
                # If several units cover it, choose the one that covers most; then the shortest.
                before = relations.cover[p, owner]
                shorter = before >= 0 and length < ends[before] - starts[before]
                most = filled[p - begin, owner]
                if share > most or (share == most and shorter):
                    relations.cover[p, owner] = u
                    filled[p - begin, owner] = share


@late_kernel
def relate_units(
    spans: UnitSpans, groups: Indices, group_edges: Indices, widest: int
) -> UnitRelations:
    """Return the relation of each unit to each annotator of its document.

    Parameters
    ----------
    spans
        The units of all documents.
    groups, group_edges
        Groups of aligned units, flattened, and the start of each document's groups.
    widest
        Largest number of annotators of a document.
    """
    shape = (len(spans.starts), widest)
    relations = UnitRelations(
        np.full(shape, -1, np.int64),
        np.zeros(shape, np.int32),
        np.full(shape, -1, np.int64),
        np.zeros(shape, np.int32),
    )
    for d in range(len(spans.unit_edges) - 1):
        size = spans.people_edges[d + 1] - spans.people_edges[d]
        for at in range(group_edges[d], group_edges[d + 1], size):
            for i in range(size):
                u = groups[at + i]
                for j in range(size if u >= 0 else 0):
                    relations.partner[u, j] = groups[at + j]
        _mark_levels(d, spans, relations)
        _mark_families(d, spans, relations)
        for u in range(spans.unit_edges[d], spans.unit_edges[d + 1]):
            for j in range(size):
                is_taken = (
                    relations.partner[u, j] >= 0 or relations.state[u, j] == STATE_OTHER_LEVEL
                )
                if is_taken or j == spans.owner[u]:
                    continue
                if relations.cover[u, j] >= 0:
                    relations.state[u, j] = STATE_PART
                elif relations.several[u, j] > 0:
                    relations.state[u, j] = STATE_WHOLE
    return relations
