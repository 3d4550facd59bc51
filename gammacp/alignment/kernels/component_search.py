"""Compiled kernels that search each component for its best alignment, without any solver.

Let prices y ≥ 0 of units pay every column: Σ y over its units ≥ its gain. Then the problem can be
written with losses. A column loses Σ y − gain ≥ 0; a unit left alone loses its price; and in a
cover a unit loses opening − y each further time it is covered. An alignment gains Σ y − Σ losses,
so the best alignment is the one that loses least.

The search is depth first and continues from each state at its first uncovered unit. Units are
numbered by position here, so the columns of a component span few units. A state is therefore the
first uncovered unit and one 64-bit word for the covered units after it.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gammacp.alignment.kernels.array_slices import lowest, widest
from gammacp.alignment.kernels.records import Columns
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.base.stopping import NODES, STEPS, Meter
from gammacp.kernel import kernel, late_kernel

# Number of places for states in the table: at first, when it fits in the CPU's cache, and at most
# (powers of two). Components of up to `_SMALL` units need no table.
_FEW = 1 << 9
_TABLE = 1 << 17
_SMALL = 6
_ONE = np.uint64(1)

Words: TypeAlias = NDArray[np.uint64]
Records: TypeAlias = Any  # of a structured dtype


class SearchCosts(NamedTuple):
    """Losses of each column, of a unit alone and of covering a unit again, and a second criterion.

    `category_cost` is Σ d_cat of each column. It decides between alignments with equal loss and
    equally many groups.
    """

    loss: Floats
    category_cost: Floats
    alone: Floats
    over: Floats


class Index(NamedTuple):
    """Units and active columns by component.

    Units of the component labelled r are `unit[unit_start[r]:unit_start[r + 1]]`, and `place` is a
    unit's number among them. Columns to try at unit u are `option[option_start[u]:…]`: those that
    begin there (in a cover: those that contain it). `bits` are the units of a column, counted from
    its first one; they are valid if the column is `narrow`, that is, fits in one word.
    """

    unit_start: Indices
    unit: Codes
    place: Codes
    option_start: Indices
    option: Indices
    bits: Words
    narrow: Bools


def _record(formats: str, names: str) -> np.dtype[np.void]:
    return np.dtype((np.record, {"names": names.split(), "formats": formats.split()}))


# A visited state: its first uncovered unit, the units covered after it, its loss, Σ d_cat and
# number of groups. `stamp` is the component's root + 1, as 0 marks an empty place.
_VISITED = _record("u8 f8 f8 i8 i4 i4", "covered loss category_cost first groups stamp")
# A state on the way from the root of the search, with the option to try next and the one taken.
# `best` holds the columns of the best solution.
_STEP = _record("u8 f8 f8 i8 i8 i8 i8", "covered loss category_cost first option taken best")


class SearchRules(NamedTuple):
    """Rules of a search: covers, ties, the tolerance for equal costs, and the largest search.

    `nodes` is the largest number of states that are visited in a component.
    """

    cover: bool
    ties: bool
    tolerance: float
    nodes: int


class Search(NamedTuple):
    """Columns, costs and rules of a search."""

    columns: Columns
    costs: SearchCosts
    listed: Index
    rules: SearchRules


@late_kernel
def search_components(
    columns: Columns,
    costs: SearchCosts,
    active: Bools,
    label: Codes,
    searched_size: Codes,
    least: Floats,
    chosen: Bools,
    rules: SearchRules,
    meter: Meter,
) -> Indices:
    """Find the least loss of each component that has changed; return the roots of those too hard.

    Parameters
    ----------
    searched_size
        Number of active columns of each root's component when it was last searched (−1: never);
        updated in place.
    least, chosen
        Results, written in place: the loss of each root's component, and which columns the best
        solution contains.
    rules
        Rules of the search. If ties are broken, `least` must be the optimum already. Of the
        solutions within the tolerance, the one with the fewest groups is taken, then the one with
        the least `category_cost`, then the first one in the order of the columns.
    meter
        Counts the states. It does not end the search; only `rules` do.
    """
    n = len(label)
    index = _index(columns, rules.cover, active, label)
    search = Search(columns, costs, index, rules)
    column_count = np.zeros(n, np.int32)
    for c in range(len(active)):
        if active[c]:
            column_count[label[columns.members[columns.begin[c]]]] += 1
    hard = np.empty(n, np.int64)
    n_hard = 0
    table = np.zeros(1, _VISITED)
    path = np.zeros(widest(index.unit_start) + 2, _STEP)
    for root in range(n):
        lo = index.unit_start[root]
        size = index.unit_start[root + 1] - lo
        if size == 0 or searched_size[root] == column_count[root]:
            continue
        searched_size[root] = column_count[root]
        if size == 1:
            least[root] = costs.alone[root]
            continue
        best = np.inf
        depth = -1
        complete = False
        if not _too_wide(index, lo, size):
            if size > _SMALL and len(table) == 1:
                table = np.zeros(_FEW, _VISITED)
            best, depth, complete = _search(search, root, least[root], table, path, meter)
        if not complete or depth < 0:
            hard[n_hard] = root
            n_hard += 1
        if not rules.ties or depth >= 0:
            _unchoose(index, lo, size, chosen)
        if depth < 0:
            continue
        if not rules.ties:
            least[root] = best
        for i in range(depth):
            if path[i].best >= 0:
                chosen[path[i].best] = True
    return hard[:n_hard]


@kernel
def _index(columns: Columns, cover: bool, active: Bools, label: Codes) -> Index:
    """Sort the units by component and the active columns by unit (counting sorts)."""
    begin, members, _ = columns
    n = len(label)
    m = len(active)
    unit_start = np.zeros(n + 1, np.int64)
    option_start = np.zeros(n + 1, np.int64)
    for u in range(n):
        unit_start[label[u] + 1] += 1
    for c in range(m):
        if active[c]:
            if cover:
                for p in range(begin[c], begin[c + 1]):
                    option_start[members[p] + 1] += 1
            else:
                option_start[lowest(members, begin[c], begin[c + 1]) + 1] += 1
    for u in range(n):
        unit_start[u + 1] += unit_start[u]
        option_start[u + 1] += option_start[u]
    unit = np.empty(n, np.int32)
    place = np.empty(n, np.int32)
    fill = unit_start[:-1].copy()
    for u in range(n):
        root = label[u]
        place[u] = fill[root] - unit_start[root]
        unit[fill[root]] = u
        fill[root] += 1
    option = np.empty(option_start[n], np.int64)
    narrow = np.zeros(m, np.bool_)
    bits = np.zeros(m, np.uint64)
    fill = option_start[:-1].copy()
    for c in range(m):
        if not active[c]:
            continue
        first = lowest(members, begin[c], begin[c + 1])
        highest = first
        for p in range(begin[c], begin[c + 1]):
            highest = max(highest, members[p])
            if cover:
                option[fill[members[p]]] = c
                fill[members[p]] += 1
        if not cover:
            option[fill[first]] = c
            fill[first] += 1
        narrow[c] = place[highest] - place[first] < 64
        if narrow[c]:
            for p in range(begin[c], begin[c + 1]):
                bits[c] |= _ONE << np.uint64(place[members[p]] - place[first])
    return Index(unit_start, unit, place, option_start, option, bits, narrow)


@kernel
def _too_wide(index: Index, lo: int, size: int) -> bool:
    """Return whether a column of the component spans too many units for one word."""
    for i in range(lo, lo + size):
        u = index.unit[i]
        for o in range(index.option_start[u], index.option_start[u + 1]):
            if not index.narrow[index.option[o]]:
                return True
    return False


@kernel
def _unchoose(index: Index, lo: int, size: int, chosen: Bools) -> None:
    """Remove the columns of the component from `chosen`, in place."""
    for i in range(lo, lo + size):
        u = index.unit[i]
        for o in range(index.option_start[u], index.option_start[u + 1]):
            chosen[index.option[o]] = False


@kernel
def _search(
    search: Search, root: int, optimum: float, table: Records, path: Records, meter: Meter
) -> tuple[float, int, bool]:
    """Return the least loss of one component, its number of groups, and whether this is proven.

    The groups are in the `best` fields of the path; their number is −1 if no solution was found.
    """
    index = search.listed
    cover, ties, tolerance, most_nodes = search.rules
    lo = index.unit_start[root]
    size = index.unit_start[root + 1] - lo
    stored = 0
    if ties:
        best = optimum + tolerance
    else:
        best = np.inf
    best_groups = 1 << 30
    best_category_cost = np.inf
    best_depth = -1
    nodes = 0
    depth = 0
    _enter(path[0], index.option_start[index.unit[lo]], 0, np.uint64(0), 0.0, 0.0)
    while depth >= 0:
        here = path[depth]
        u = index.unit[lo + here.first]
        o = here.option
        here.option += 1
        if o > index.option_start[u + 1]:
            depth -= 1
            continue
        if o < index.option_start[u + 1]:
            c = index.option[o]
        else:
            c = -1
        if c >= 0 and not cover and here.covered & index.bits[c]:
            continue
        after, lost, other = _after(search, u, c, here)
        if lost > best if ties else lost >= best - tolerance:
            continue
        nodes += 1
        meter[NODES] += 1
        meter[STEPS] += 200
        if nodes > most_nodes:
            return best, best_depth, False
        g = here.first
        while after & _ONE:
            after >>= _ONE
            g += 1
        here.taken = c
        groups = depth + 1
        if g < size:
            new = path[depth + 1]
            _enter(new, index.option_start[index.unit[lo + g]], g, after, lost, other)
            if size > _SMALL:
                if 2 * stored >= len(table) and len(table) < _TABLE:
                    table = _grow(table, root)
                dominated, stored = _is_worse(table, root, new, groups, search.rules, stored)
                if dominated:
                    continue
            depth += 1
            continue
        fewer = groups < best_groups or (
            groups == best_groups and other < best_category_cost - tolerance
        )
        if ties and not fewer:
            continue
        best_groups = groups
        best_category_cost = other
        best_depth = groups
        for g in range(groups):
            path[g].best = path[g].taken
        if not ties:
            best = lost
            if best <= tolerance:
                break
    return best, best_depth, True


@kernel
def _enter(
    step: Any, option: int, first: int, covered: Any, loss: float, category_cost: float
) -> None:
    """Write a state into a step of the path, in place."""
    step.option = option
    step.first = first
    step.covered = covered
    step.loss = loss
    step.category_cost = category_cost


@kernel
def _after(search: Search, u: int, c: int, here: Any) -> tuple[Any, float, float]:
    """Return covered units, loss and category cost after taking column c (−1: none) at unit u."""
    covered = here.covered
    costs = search.costs
    if c < 0:
        return covered | _ONE, here.loss + costs.alone[u], here.category_cost
    lost = here.loss + costs.loss[c]
    category_cost = here.category_cost + costs.category_cost[c]
    if not search.rules.cover:
        return covered | search.listed.bits[c], lost, category_cost
    after, again = _covered_again(search, c, here.first, covered)
    return after, lost + again, category_cost


@kernel
def _covered_again(search: Search, c: int, first: int, covered: Any) -> tuple[Any, float]:
    """Return the units covered after column c of a cover, and the loss for those covered again."""
    begin, members, _ = search.columns
    after = covered
    lost = 0.0
    for p in range(begin[c], begin[c + 1]):
        i = search.listed.place[members[p]]
        if i < first or (covered >> np.uint64(i - first)) & _ONE:
            lost += search.costs.over[members[p]]
        else:
            after |= _ONE << np.uint64(i - first)
    return after, lost


@kernel
def _is_worse(
    table: Records, root: int, state: Any, groups: int, rules: SearchRules, stored: int
) -> tuple[bool, int]:
    """Return whether an equal state with no more loss is stored, and the number of stored states.

    If there is none, the state is stored.
    """
    entry = table[_place(table, root, state.first, state.covered)]
    if entry.stamp == root + 1:
        fewer = entry.groups < groups or (
            entry.groups == groups and entry.category_cost <= state.category_cost + rules.tolerance
        )
        worse = state.loss >= entry.loss - (rules.tolerance if rules.ties else 0.0)
        if worse and (fewer or not rules.ties):
            return True, stored
    elif 2 * stored < len(table):
        stored += 1
        entry.stamp = root + 1
        entry.first = state.first
        entry.covered = state.covered
    else:
        return False, stored
    entry.loss = state.loss
    entry.groups = groups
    entry.category_cost = state.category_cost
    return False, stored


@kernel
def _place(table: Records, root: int, first: int, covered: Any) -> np.int64:
    """Return the place of a state of this component in the table, or a free place for it."""
    slot = (
        (covered ^ (covered >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
        + np.uint64(first) * np.uint64(0xC2B2AE3D27D4EB4F)
    ) >> np.uint64(47)
    most = len(table) - 1
    at = np.int64(slot) & most
    while table[at].stamp == root + 1 and not (
        table[at].first == first and table[at].covered == covered
    ):
        at = (at + 1) & most
    return at


@kernel
def _grow(table: Records, root: int) -> Records:
    """Return a table four times as large that contains the states of this component."""
    larger = np.zeros(4 * len(table), _VISITED)
    for state in table:
        if state.stamp == root + 1:
            larger[_place(larger, root, state.first, state.covered)] = state
    return larger
