"""Compiled kernels that give every difference between two annotators in an alignment a kind.

γ aligns at most one unit per annotator. If one annotator has a long unit where another has several
short ones, at most one of them can be aligned with it. The kernels therefore go through the
alignment a second time and look for such *families* (one unit opposite several) and for levels of
nesting, before they classify the remaining differences.

One call processes all documents of a batch. The units of all documents are numbered consecutively;
within a document they are sorted by annotator and start. A group holds one unit number for each
annotator of its document, or −1 if the annotator has no unit there.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.kernel import kernel, late_kernel
from gammacp.kinds.forms import (
    BOTH,
    CATEGORY,
    FAMILY,
    FIRST,
    LEVEL,
    NESTING,
    PART,
    POSITION,
    SECOND,
    UNMATCHED,
    WHOLE,
)

# Smallest share of a unit that must lie in another unit that covers it, and smallest share of the
# covering unit that the hull of the covered units must fill.
HALF = 0.5
# Smallest share of a unit that must lie in another unit in which it is nested.
NESTED = 0.9

# Limits for clear differences. A family is clear if the overlap of its whole with the hull of its
# parts is at least this share of their union. A lone unit is clear if the units aligned with it
# differ by at most this mean cost, in Δ.
_FITTING = 0.8
_AGREEING = 0.2
# Costs that differ by less, relative to their sum, are a tie.
_ALIKE = 1e-9


class Places(NamedTuple):
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


class Again(NamedTuple):
    """Relation of each unit to each annotator of its document; shape (units, most annotators).

    Attributes
    ----------
    partner
        Unit of that annotator with which the unit is aligned, −1 for none.
    state
        `ALONE`, `PART`, `WHOLE` or `LEVEL` if the unit has no partner.
    cover
        Unit of that annotator that covers this unit together with others, −1 for none.
    several
        Number of units of that annotator that are parts of this one; 0 if this is no whole.
    """

    partner: Indices
    state: Codes
    cover: Indices
    several: Codes


Rows: TypeAlias = tuple[Codes, Codes, Codes, Codes, Codes, Codes, Floats, Indices, Indices]


class _Columns(NamedTuple):
    """Columns of `rows_of` that are filled row by row."""

    form: Codes
    first: Codes
    second: Codes
    bearer: Codes
    clear: Codes
    cost: Floats
    unit: Indices
    other: Indices


class _Costs(NamedTuple):
    """Costs of aligned pairs by part, flat by group and pair, and the cost of an empty unit."""

    position: Floats
    category: Floats
    delta: float


class _Stands(NamedTuple):
    """Summed costs between each annotator of a group and the others, by position and by label."""

    moved: Floats
    renamed: Floats


@kernel
def _share_within(start: float, end: float, low: float, high: float) -> float:
    """Return the share of start–end that lies in low–high; for a point this is 0 or 1."""
    if end <= start:
        if low <= start <= high:
            return 1.0
        return 0.0
    return max(0.0, min(end, high) - max(start, low)) / (end - start)


@kernel
def _first_that_reaches(latest: Floats, low: int, high: int, start: float) -> int:
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
def _mark_levels(document: int, places: Places, again: Again) -> None:
    """Mark units of a document that are on a level of nesting that another annotator lacks.

    This is the case if both annotators have a unit around it, or both have one inside it, and these
    two units are aligned with each other.
    """
    starts = places.starts
    ends = places.ends
    partner = again.partner
    base = places.people_edges[document]
    size = places.people_edges[document + 1] - base
    for u in range(places.unit_edges[document], places.unit_edges[document + 1]):
        owner = places.owner[u]
        high = places.first[base + owner + 1]
        x = _first_that_reaches(places.latest, places.first[base + owner], high, starts[u])
        while x < high and starts[x] <= ends[u]:
            inside = x != u and _is_nested(u, x, starts, ends)
            around = x != u and _is_nested(x, u, starts, ends)
            for j in range(size if inside or around else 0):
                y = partner[x, j]
                if partner[u, j] >= 0 or y < 0 or j == owner:
                    continue
                inner, outer = (u, y) if inside else (y, u)
                if _is_nested(inner, outer, starts, ends):
                    again.state[u, j] = LEVEL
            x += 1


@kernel
def _gather_parts(
    whole: int, low: int, high: int, places: Places, again: Again, parts: Indices
) -> int:
    """Fill `parts` with the units of low–high that a unit covers; return their number.

    A part has no partner by the covering unit's annotator, or the covering unit is its partner. A
    unit that lies in a longer part does not count as a part, because it is nested in it.
    """
    starts = places.starts
    ends = places.ends
    owner = places.owner[whole]
    number = 0
    p = _first_that_reaches(places.latest, low, high, starts[whole])
    while p < high and starts[p] <= ends[whole]:
        mate = again.partner[p, owner]
        free = mate == whole or (mate < 0 and again.state[p, owner] != LEVEL)
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
def _mark_families(document: int, places: Places, again: Again) -> None:
    """Find the units of a document where another annotator has several units instead of one."""
    starts = places.starts
    ends = places.ends
    base = places.people_edges[document]
    size = places.people_edges[document + 1] - base
    begin = places.unit_edges[document]
    end = places.unit_edges[document + 1]
    parts = np.empty(2 * (end - begin) + 2, np.int64)
    filled = np.zeros((end - begin, size))
    for u in range(begin, end):
        owner = places.owner[u]
        length = ends[u] - starts[u]
        for j in range(size if length > 0 else 0):
            if j == owner:
                continue
            first, last = places.first[base + j], places.first[base + j + 1]
            number = _gather_parts(u, first, last, places, again, parts)
            if number < 2:
                continue
            low = starts[parts[0]]
            high = ends[parts[0]]
            for k in range(1, number):
                low = min(low, starts[parts[k]])
                high = max(high, ends[parts[k]])
            if min(high, ends[u]) - max(low, starts[u]) < HALF * length:
                continue
            again.several[u, j] = number
            for k in range(number):
                p = parts[k]
                share = _share_within(starts[p], ends[p], starts[u], ends[u])
                # If several units cover it, choose the one that covers most; then the shortest.
                before = again.cover[p, owner]
                shorter = before >= 0 and length < ends[before] - starts[before]
                most = filled[p - begin, owner]
                if share > most or (share == most and shorter):
                    again.cover[p, owner] = u
                    filled[p - begin, owner] = share


@late_kernel
def read_again(places: Places, groups: Indices, group_edges: Indices, widest: int) -> Again:
    """Return the relation of each unit to each annotator of its document.

    Parameters
    ----------
    places
        The units of all documents.
    groups, group_edges
        Groups of aligned units, flattened, and the start of each document's groups.
    widest
        Largest number of annotators of a document.
    """
    shape = (len(places.starts), widest)
    again = Again(
        np.full(shape, -1, np.int64),
        np.zeros(shape, np.int32),
        np.full(shape, -1, np.int64),
        np.zeros(shape, np.int32),
    )
    for d in range(len(places.unit_edges) - 1):
        size = places.people_edges[d + 1] - places.people_edges[d]
        for at in range(group_edges[d], group_edges[d + 1], size):
            for i in range(size):
                u = groups[at + i]
                for j in range(size if u >= 0 else 0):
                    again.partner[u, j] = groups[at + j]
        _mark_levels(d, places, again)
        _mark_families(d, places, again)
        for u in range(places.unit_edges[d], places.unit_edges[d + 1]):
            for j in range(size):
                is_taken = again.partner[u, j] >= 0 or again.state[u, j] == LEVEL
                if is_taken or j == places.owner[u]:
                    continue
                if again.cover[u, j] >= 0:
                    again.state[u, j] = PART
                elif again.several[u, j] > 0:
                    again.state[u, j] = WHOLE
    return again


@kernel
def _bearer(first: float, second: float) -> int:
    """Return who has the larger disagreement with the others, or `BOTH` in a tie."""
    if abs(first - second) <= _ALIKE * (abs(first) + abs(second)):
        return BOTH
    if first > second:
        return FIRST
    return SECOND


@kernel
def _whole_of(u: int, v: int, i: int, j: int, again: Again) -> int:
    """Return which of two aligned units is a whole that has the other as a part, −1 for neither."""
    if again.several[u, j] > 0 and again.cover[v, i] == u:
        return u
    if again.several[v, i] > 0 and again.cover[u, j] == v:
        return v
    return -1


@kernel
def _fill_row(
    columns: _Columns, row: int, form: int, bearer: int, i: int, j: int, cost: float
) -> None:
    """Fill the form, the bearer, the annotators and the cost of a row."""
    columns.form[row] = form
    columns.bearer[row] = bearer
    columns.first[row] = i
    columns.second[row] = j
    columns.cost[row] = cost


@kernel
def _sum_group(
    group: Indices, pair: int, again: Again, costs: _Costs, stands: _Stands
) -> tuple[int, float]:
    """Sum the costs between each annotator of a group and the others in `stands`.

    Return the number of annotators with a unit and the total cost of their pairs. The costs of the
    group's pairs begin at `pair`.
    """
    present = 0
    within = 0.0
    stands.moved[:] = 0.0
    stands.renamed[:] = 0.0
    k = pair
    for i in range(len(group)):
        u = group[i]
        present += u >= 0
        for j in range(i + 1, len(group)):
            v = group[j]
            if u >= 0 and v >= 0:
                within += costs.position[k] + costs.category[k]
                stands.renamed[i] += costs.category[k]
                stands.renamed[j] += costs.category[k]
                if _whole_of(u, v, i, j, again) < 0:
                    stands.moved[i] += costs.position[k]
                    stands.moved[j] += costs.position[k]
            k += 1
    return present, within


@kernel
def _aligned_rows(
    group: Indices,
    i: int,
    j: int,
    k: int,
    scale: float,
    again: Again,
    costs: _Costs,
    stands: _Stands,
    family_cost: Floats,
    columns: _Columns,
    row: int,
) -> int:
    """Fill rows with the differences of two aligned units; return the row after them.

    The costs of the pair are at index k. If one unit is a part of the other, the cost of position
    is added to the cost of their family and fills no row.
    """
    u = group[i]
    v = group[j]
    whole = _whole_of(u, v, i, j, again)
    if whole == u:
        family_cost[u, j] += costs.position[k] * scale
    elif whole == v:
        family_cost[v, i] += costs.position[k] * scale
    elif costs.position[k] > 0:
        bearer = _bearer(stands.moved[i], stands.moved[j])
        _fill_row(columns, row, POSITION, bearer, i, j, costs.position[k] * scale)
        columns.unit[row] = u
        columns.other[row] = v
        row += 1
    if costs.category[k] > 0:
        bearer = _bearer(stands.renamed[i], stands.renamed[j])
        _fill_row(columns, row, CATEGORY, bearer, i, j, costs.category[k] * scale)
        columns.unit[row] = u
        columns.other[row] = v
        row += 1
    return row


@kernel
def _lone_row(
    group: Indices,
    present_side: int,
    absent_side: int,
    cost: float,
    agreeing: bool,
    again: Again,
    family_cost: Floats,
    columns: _Columns,
    row: int,
) -> int:
    """Fill a row with a unit that one annotator has and another lacks; return the row after it.

    If the unit is a part or a whole, the cost is added to its family and no row is filled.
    """
    x = group[present_side]
    state = again.state[x, absent_side]
    if state == PART:
        family_cost[again.cover[x, absent_side], present_side] += cost
        return row
    if state == WHOLE:
        family_cost[x, absent_side] += cost
        return row
    present = 0
    lacking = 0
    for c in range(len(group)):
        present += group[c] >= 0
        lacking += group[c] < 0 and again.state[x, c] == state
    if state == LEVEL:
        having = present
    else:
        having = len(group) - lacking
    # The annotator with the unit disagrees with those who lack it, and the other way round.
    bearer = _bearer(float(lacking), float(having))
    form = NESTING if state == LEVEL else UNMATCHED
    _fill_row(columns, row, form, bearer, present_side, absent_side, cost)
    columns.clear[row] = 1 if state == LEVEL or agreeing else 0
    columns.unit[row] = x
    columns.other[row] = -1
    return row + 1


@kernel
def _group_rows(
    group: Indices,
    pair: int,
    scale: float,
    again: Again,
    costs: _Costs,
    stands: _Stands,
    family_cost: Floats,
    columns: _Columns,
    row: int,
) -> int:
    """Fill rows with the differences in a group, except families; return the row after them."""
    present, within = _sum_group(group, pair, again, costs, stands)
    absent = len(group) - present
    pairs = present * (present - 1) / 2
    agreeing = pairs > 0 and within <= _AGREEING * costs.delta * pairs
    # The cost of pairs of two empty units is distributed over the pairs with one unit.
    alone = costs.delta
    if absent > 1:
        alone += costs.delta * (absent - 1) / (2 * present)
    k = pair
    for i in range(len(group)):
        for j in range(i + 1, len(group)):
            u = group[i]
            v = group[j]
            if u >= 0 and v >= 0:
                row = _aligned_rows(
                    group, i, j, k, scale, again, costs, stands, family_cost, columns, row
                )
            elif u >= 0 or v >= 0:
                present_side, absent_side = (i, j) if u >= 0 else (j, i)
                row = _lone_row(
                    group,
                    present_side,
                    absent_side,
                    alone * scale,
                    agreeing,
                    again,
                    family_cost,
                    columns,
                    row,
                )
            k += 1
    return row


@kernel
def _family_rows(
    d: int,
    places: Places,
    again: Again,
    family_cost: Floats,
    row: int,
    columns: _Columns,
) -> int:
    """Fill rows with the families of a document; return the row after them."""
    starts = places.starts
    ends = places.ends
    base = places.people_edges[d]
    size = places.people_edges[d + 1] - base
    covered = np.zeros(size, np.int64)
    for u in range(places.unit_edges[d], places.unit_edges[d + 1]):
        owner = places.owner[u]
        against = 0
        for c in range(size):
            against += again.several[u, c] > 0
        for j in range(size):
            if family_cost[u, j] <= 0:
                continue
            covered[:] = 0
            number = 0
            low = ends[u]
            high = starts[u]
            last = places.first[base + j + 1]
            p = _first_that_reaches(places.latest, places.first[base + j], last, starts[u])
            while p < last and starts[p] <= ends[u]:
                if again.cover[p, owner] == u:
                    number += 1
                    low = min(low, starts[p])
                    high = max(high, ends[p])
                    for c in range(size):
                        covered[c] += again.cover[p, c] >= 0
                p += 1
            joining = 0
            for c in range(size):
                joining += c != j and number > 0 and 2 * covered[c] >= number
            common = min(high, ends[u]) - max(low, starts[u])
            whole = max(high, ends[u]) - min(low, starts[u])
            bearer = _bearer(float(against), float(max(1, joining)))
            _fill_row(columns, row, FAMILY, bearer, owner, j, family_cost[u, j])
            columns.clear[row] = 1 if common >= _FITTING * whole else 0
            columns.unit[row] = u
            columns.other[row] = -1
            row += 1
    return row


@late_kernel
def rows_of(
    places: Places,
    again: Again,
    groups: Indices,
    group_edges: Indices,
    position: Floats,
    category: Floats,
    scales: Floats,
    delta: float,
) -> Rows:
    """Return every difference between two annotators, with its cost and its bearer.

    Parameters
    ----------
    places, again
        The units of all documents, and their relations to the annotators.
    groups, group_edges
        Groups as for `read_again`.
    position, category
        Costs of aligned pairs, flat by group and pair of annotators.
    scales
        Factor of each document's costs.
    delta
        Cost of a pair with an empty unit.

    Returns
    -------
    document, form, first, second, bearer, clear, cost, unit, other
        Columns with one row per difference: its document and form, the two annotators, who is
        charged with it, whether it is clear (1 or 0), its cost, and a unit of each annotator. The
        second unit is −1 if there is none, or if there are several (a family). A family is clear if
        the outer boundaries of its two sides fit. A lone unit is clear if the annotators who have
        it agree closely.
    """
    number, widest = again.partner.shape
    family_cost = np.zeros((number, widest))
    most = 2 * len(position) + number * widest
    document = np.empty(most, np.int32)
    columns = _Columns(
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.ones(most, np.int32),
        np.empty(most),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
    )
    costs = _Costs(position, category, delta)
    row = 0
    pair = 0
    for d in range(len(places.unit_edges) - 1):
        size = places.people_edges[d + 1] - places.people_edges[d]
        stands = _Stands(np.zeros(size), np.zeros(size))
        begin = row
        for at in range(group_edges[d], group_edges[d + 1], size):
            group = groups[at : at + size]
            row = _group_rows(
                group, pair, scales[d], again, costs, stands, family_cost, columns, row
            )
            pair += size * (size - 1) // 2
        row = _family_rows(d, places, again, family_cost, row, columns)
        document[begin:row] = d
    return (
        document[:row],
        columns.form[:row],
        columns.first[:row],
        columns.second[:row],
        columns.bearer[:row],
        columns.clear[:row],
        columns.cost[:row],
        columns.unit[:row],
        columns.other[:row],
    )
