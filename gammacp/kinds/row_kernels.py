"""Compiled kernels that write a row for every difference between two annotators, with its kind.

Families and levels of nesting are known already (`gammacp.kinds.relation_kernels`, where the arrays
are described); the other differences are those within a group of the alignment.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.kernel import kernel, late_kernel
from gammacp.kinds.codes import (
    BEARER_BOTH,
    BEARER_FIRST,
    BEARER_SECOND,
    FORM_CATEGORY,
    FORM_FAMILY,
    FORM_NESTING,
    FORM_POSITION,
    FORM_UNMATCHED,
    STATE_OTHER_LEVEL,
    STATE_PART,
    STATE_WHOLE,
)
from gammacp.kinds.relation_kernels import UnitRelations, UnitSpans, first_that_reaches

# Limits for clear differences. A family is clear if the overlap of its whole with the hull of its
# parts is at least this share of their union. A lone unit is clear if the units aligned with it
# differ by at most this mean cost, in Δ.
_FITTING = 0.8
_AGREEING = 0.2
# Costs that differ by less, relative to their sum, are a tie.
_ALIKE = 1e-9


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


class _PairCosts(NamedTuple):
    """Costs of aligned pairs by part, flat by group and pair, and the cost of an empty unit."""

    position: Floats
    category: Floats
    delta: float


class _Stands(NamedTuple):
    """Summed costs between each annotator of a group and the others, by position and by label."""

    moved: Floats
    renamed: Floats


@kernel
def _bearer(first: float, second: float) -> int:
    """Return who has the larger disagreement with the others, or `BEARER_BOTH` in a tie."""
    if abs(first - second) <= _ALIKE * (abs(first) + abs(second)):
        return BEARER_BOTH
    if first > second:
        return BEARER_FIRST
    return BEARER_SECOND


@kernel
def _whole_of(u: int, v: int, i: int, j: int, relations: UnitRelations) -> int:
    """Return which of two aligned units is a whole that has the other as a part, −1 for neither."""
    if relations.several[u, j] > 0 and relations.cover[v, i] == u:
        return u
    if relations.several[v, i] > 0 and relations.cover[u, j] == v:
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
    group: Indices, pair: int, relations: UnitRelations, costs: _PairCosts, stands: _Stands
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
                if _whole_of(u, v, i, j, relations) < 0:
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
    relations: UnitRelations,
    costs: _PairCosts,
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
    whole = _whole_of(u, v, i, j, relations)
    if whole == u:
        family_cost[u, j] += costs.position[k] * scale
    elif whole == v:
        family_cost[v, i] += costs.position[k] * scale
    elif costs.position[k] > 0:
        bearer = _bearer(stands.moved[i], stands.moved[j])
        _fill_row(columns, row, FORM_POSITION, bearer, i, j, costs.position[k] * scale)
        columns.unit[row] = u
        columns.other[row] = v
        row += 1
    if costs.category[k] > 0:
        bearer = _bearer(stands.renamed[i], stands.renamed[j])
        _fill_row(columns, row, FORM_CATEGORY, bearer, i, j, costs.category[k] * scale)
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
    relations: UnitRelations,
    family_cost: Floats,
    columns: _Columns,
    row: int,
) -> int:
    """Fill a row with a unit that one annotator has and another lacks; return the row after it.

    If the unit is a part or a whole, the cost is added to its family and no row is filled.
    """
    x = group[present_side]
    state = relations.state[x, absent_side]
    if state == STATE_PART:
        family_cost[relations.cover[x, absent_side], present_side] += cost
        return row
    if state == STATE_WHOLE:
        family_cost[x, absent_side] += cost
        return row
    present = 0
    lacking = 0
    for c in range(len(group)):
        present += group[c] >= 0
        lacking += group[c] < 0 and relations.state[x, c] == state
    if state == STATE_OTHER_LEVEL:
        having = present
    else:
        having = len(group) - lacking
    # The annotator with the unit disagrees with those who lack it, and the other way round.
    bearer = _bearer(float(lacking), float(having))
    form = FORM_NESTING if state == STATE_OTHER_LEVEL else FORM_UNMATCHED
    _fill_row(columns, row, form, bearer, present_side, absent_side, cost)
    columns.clear[row] = 1 if state == STATE_OTHER_LEVEL or agreeing else 0
    columns.unit[row] = x
    columns.other[row] = -1
    return row + 1


@kernel
def _group_rows(
    group: Indices,
    pair: int,
    scale: float,
    relations: UnitRelations,
    costs: _PairCosts,
    stands: _Stands,
    family_cost: Floats,
    columns: _Columns,
    row: int,
) -> int:
    """Fill rows with the differences in a group, except families; return the row after them."""
    present, within = _sum_group(group, pair, relations, costs, stands)
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
                    group, i, j, k, scale, relations, costs, stands, family_cost, columns, row
                )
            elif u >= 0 or v >= 0:
                present_side, absent_side = (i, j) if u >= 0 else (j, i)
                row = _lone_row(
                    group,
                    present_side,
                    absent_side,
                    alone * scale,
                    agreeing,
                    relations,
                    family_cost,
                    columns,
                    row,
                )
            k += 1
    return row


@kernel
def _family_rows(
    d: int,
    spans: UnitSpans,
    relations: UnitRelations,
    family_cost: Floats,
    row: int,
    columns: _Columns,
) -> int:
    """Fill rows with the families of a document; return the row after them."""
    starts = spans.starts
    ends = spans.ends
    base = spans.people_edges[d]
    size = spans.people_edges[d + 1] - base
    covered = np.zeros(size, np.int64)
    for u in range(spans.unit_edges[d], spans.unit_edges[d + 1]):
        owner = spans.owner[u]
        against = 0
        for c in range(size):
            against += relations.several[u, c] > 0
        for j in range(size):
            if family_cost[u, j] <= 0:
                continue
            covered[:] = 0
            number = 0
            low = ends[u]
            high = starts[u]
            last = spans.first[base + j + 1]
            p = first_that_reaches(spans.latest, spans.first[base + j], last, starts[u])
            while p < last and starts[p] <= ends[u]:
                if relations.cover[p, owner] == u:
                    number += 1
                    low = min(low, starts[p])
                    high = max(high, ends[p])
                    for c in range(size):
                        covered[c] += relations.cover[p, c] >= 0
                p += 1
            joining = 0
            for c in range(size):
                joining += c != j and number > 0 and 2 * covered[c] >= number
            common = min(high, ends[u]) - max(low, starts[u])
            whole = max(high, ends[u]) - min(low, starts[u])
            bearer = _bearer(float(against), float(max(1, joining)))
            _fill_row(columns, row, FORM_FAMILY, bearer, owner, j, family_cost[u, j])
            columns.clear[row] = 1 if common >= _FITTING * whole else 0
            columns.unit[row] = u
            columns.other[row] = -1
            row += 1
    return row


@kernel
def _new_columns(rows: int) -> _Columns:
    """Return columns for this number of rows, all of them clear, and otherwise not filled."""
    return _Columns(
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.ones(rows, np.int32),
        np.empty(rows),
        np.empty(rows, np.int64),
        np.empty(rows, np.int64),
    )


@late_kernel
def rows_of(
    spans: UnitSpans,
    relations: UnitRelations,
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
    spans, relations
        The units of all documents, and their relations to the annotators.
    groups, group_edges
        Groups as for `relate_units`.
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
    number, widest = relations.partner.shape
    family_cost = np.zeros((number, widest))
    most = 2 * len(position) + number * widest
    document = np.empty(most, np.int32)
    columns = _new_columns(most)
    costs = _PairCosts(position, category, delta)
    row = 0
    pair = 0
    for d in range(len(spans.unit_edges) - 1):
        size = spans.people_edges[d + 1] - spans.people_edges[d]
        stands = _Stands(np.zeros(size), np.zeros(size))
        begin = row
        for at in range(group_edges[d], group_edges[d + 1], size):
            group = groups[at : at + size]
            row = _group_rows(
                group, pair, scales[d], relations, costs, stands, family_cost, columns, row
            )
            pair += size * (size - 1) // 2
        row = _family_rows(d, spans, relations, family_cost, row, columns)
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
