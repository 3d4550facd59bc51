"""Compiled kernels that find groups by their reduced cost, and prove that there are no others.

The root of a group is its first unit. For each root there is a branch and bound over *labels*: the
label of an annotator is one of its units, or none. Messages between annotators (`messages`) bound
the gain of the remaining labels, and exclude most of them at once.
"""

from typing import NamedTuple

import numpy as np

from gammacp.alignment.kernels.array_slices import copy_values, is_over, widest
from gammacp.alignment.kernels.growing_columns import Growing, append, n_members, no_columns, trim
from gammacp.alignment.kernels.messages import bound_labels, pair_at, pass_messages
from gammacp.alignment.kernels.records import Columns, Graph
from gammacp.alignment.kernels.roots import label_starts, loose_bound, reduce_candidates, root_graph
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.base.stopping import NODES, STEPS, Meter
from gammacp.kernel import kernel

EXACT = 0
UNSURE = 1
GIVEN_UP = -1

# Number of passes of messages at a node, and four times as many at a root (20 × 30). Passes
# continue only while each reduces the distance of the bound from its goal by more than the share
# `_PROGRESS`.
_MESSAGES = 3
_PROGRESS = 0.02
# A label whose bound only just reaches the threshold has the weight exp(−this) in the choice of the
# annotator to branch on.
_DECISIVENESS = 2.5
# Largest size of a root's table of label pairs, 240 MB. Above it, the half-sum bound is used.
_EDGES = 30_000_000


class RootGraph(NamedTuple):
    """Candidates for the groups of a root: the units of annotator s begin at `begin[s]`.

    `value` and `edge` are the values of labels and of pairs of labels; see `messages`.
    """

    root: int
    price: float
    unit: Codes
    begin: Indices
    value: Floats
    edge: Floats


@kernel
def price_groups(
    graph: Graph,
    price: Floats,
    opening: float,
    floor: float,
    every: bool,
    roots: Indices,
    nodes: int,
    members: int,
    meter: Meter,
) -> tuple[Columns, Floats, Bools, bool]:
    """Return the groups of these roots whose gain exceeds their units' prices by more than `floor`.

    `floor` may be negative. With `every`, all of these groups are returned (enumeration). Otherwise
    a few groups of each root are returned, each better than the one before (pricing). `nodes`
    limits the search of each root, and `members` the total number of members of all groups.

    Return (groups, excess, unsure, complete). No group of a root gains more than its prices plus
    `excess[root]` ≥ max(floor, 0). This number is exact unless `unsure[root]`: then the limit of
    nodes was reached, or the root's graph is too large. If there are more members than the limit,
    or if the meter is over during an enumeration, the search stops and `complete` is False. If the
    meter is over during pricing, the remaining roots are bounded without a search.
    """
    n_units = len(graph.annotator)
    n_annotators = graph.n_annotators
    columns = no_columns()
    excess = np.zeros(n_units, np.float64)
    unsure = np.zeros(n_units, np.bool_)
    place = np.full(n_units, -1, np.int32)
    longest = widest(graph.start)
    unit = np.empty(longest, np.int32)
    value = np.empty(longest, np.float64)
    near = np.empty((longest, n_annotators + 1), np.float64)
    best_of = np.zeros(n_annotators + 2, np.float64)
    most_weight = _largest_weight(graph)
    never = 1.0 + 10.0 * n_annotators * (abs(opening) + n_annotators * most_weight)
    for root in roots:
        excess[root] = max(floor, 0.0)
        if is_over(meter):
            if every:
                return trim(columns), excess, unsure, False
            loose = loose_bound(graph, price, opening, most_weight, root)
            excess[root] = max(excess[root], loose)
            unsure[root] = True
            continue
        size = _later_neighbours(graph, price, opening, root, unit, value)
        size, most = reduce_candidates(
            graph, unit, value, size, floor + price[root], place, near, best_of, meter
        )
        if size == 0:
            continue
        m, begin, labels = label_starts(graph.annotator, unit, size)
        if is_over(meter) or m * (m - 1) // 2 * labels * labels > _EDGES:
            state = GIVEN_UP if every else UNSURE
            excess[root] = max(excess[root], most - price[root])
        else:
            values, edge = root_graph(graph, unit, value, place, begin, labels, never)
            meter[STEPS] += m * m * labels * labels
            inside = RootGraph(root, price[root], unit, begin, values, edge)
            columns, state, most = _search_root(
                inside, price, floor, every, nodes, members, columns, meter
            )
            excess[root] = max(excess[root], most)
        if state == GIVEN_UP:
            return trim(columns), excess, unsure, False
        unsure[root] = state == UNSURE
        for i in range(size):
            place[unit[i]] = -1
    return trim(columns), excess, unsure, True


@kernel
def _largest_weight(graph: Graph) -> float:
    """Return the largest weight of a pair, at least 0."""
    largest = 0.0
    if len(graph.weight):
        largest = max(graph.weight.max(), largest)
    return largest


@kernel
def _later_neighbours(
    graph: Graph, price: Floats, opening: float, root: int, unit: Codes, value: Floats
) -> int:
    """Write the root's later neighbours to `unit`, and their gains in a pair with it to `value`.

    Return their number.
    """
    size = 0
    for p in range(graph.start[root], graph.start[root + 1]):
        if graph.neighbour[p] > root:
            unit[size] = graph.neighbour[p]
            value[size] = opening - price[graph.neighbour[p]] + graph.weight[p]
            size += 1
    return size


class SearchTree(NamedTuple):
    """State of a branch and bound, level by level: remaining labels, messages, and branching.

    `short` is how far each label falls short of the bound at the current level. `room` is working
    space for `messages`.
    """

    alive: Codes
    n_alive: Indices
    sent: Floats
    short: Floats
    room: Floats
    branch: Indices
    choice: Codes
    ceiling: Floats
    next_at: Indices
    n_choices: Indices


@kernel
def _search_root(
    inside: RootGraph,
    price: Floats,
    floor: float,
    every: bool,
    most_nodes: int,
    members: int,
    columns: Growing,
    meter: Meter,
) -> tuple[Growing, int, float]:
    """Search the groups of one root by branch and bound, with at most one level per annotator.

    Return `columns` with the new groups added, the state (exact, unsure or given up), and an upper
    bound on the excess of gain over prices.
    """
    tree = _plant(inside)
    group = np.empty(len(inside.value) + 1, np.int32)
    threshold = floor
    open_bound = -np.inf
    state = EXACT
    nodes = 0
    depth = 0
    entered = True
    while depth >= 0:
        if not entered:
            entered, depth = _descend(tree, depth, threshold)
            continue
        entered = False
        nodes += 1
        meter[NODES] += 1
        bound = _bound_after_messages(inside, tree, depth, threshold, meter)
        over = is_over(meter)
        if bound <= threshold:
            depth -= 1
            continue
        if over and every:
            return columns, GIVEN_UP, bound
        if over or nodes > most_nodes:
            open_bound = bound
            state = UNSURE
            break
        s = _most_decided(tree.n_alive[depth], tree.short, bound - threshold)
        if s >= 0:
            _branch(tree, depth, s, bound)
            continue
        size, total = _group_of_labels(inside, tree.alive[depth], group)
        depth -= 1
        # A root alone is no group.
        if total <= threshold or size == 1:
            continue
        if not every:
            threshold = total
        if n_members(columns) + size > members:
            return columns, GIVEN_UP, bound
        columns = append(columns, group, size, total + price[group[:size]].sum())
    for d in range(depth):
        for i in range(tree.next_at[d], tree.n_choices[d]):
            open_bound = max(open_bound, tree.ceiling[d, i])
    return columns, state, max(open_bound, floor if every else threshold)


@kernel
def _plant(inside: RootGraph) -> SearchTree:
    """Return a new tree whose first level contains all labels."""
    m, labels = inside.value.shape
    alive = np.zeros((m + 1, m, labels), np.int32)
    count = np.zeros((m + 1, m), np.int64)
    for s in range(m):
        count[0, s] = inside.begin[s + 1] - inside.begin[s] + 1
        for x in range(labels):
            alive[0, s, x] = x
    # Each level is copied from the one above, so a level that is never reached takes no memory.
    # With hundreds of annotators all levels would take a gigabyte.
    sent = np.empty((m + 1, m * (m - 1) // 2, 2, labels), np.float64)
    sent[0] = 0.0
    return SearchTree(
        alive,
        count,
        sent,
        np.zeros((m, labels), np.float64),
        np.zeros((3, labels), np.float64),
        np.zeros(m + 1, np.int64),
        np.zeros((m + 1, labels), np.int32),
        np.zeros((m + 1, labels), np.float64),
        np.zeros(m + 1, np.int64),
        np.zeros(m + 1, np.int64),
    )


@kernel
def _branch(tree: SearchTree, depth: int, s: int, bound: float) -> None:
    """Branch on annotator s: list its labels, the best first, with an upper bound for each."""
    size = tree.n_alive[depth, s]
    tree.n_choices[depth] = size
    tree.next_at[depth] = 0
    tree.branch[depth] = s
    order = np.argsort(-tree.short[s, :size])
    for i in range(size):
        tree.choice[depth, i] = tree.alive[depth, s, order[i]]
        tree.ceiling[depth, i] = bound + tree.short[s, order[i]]


@kernel
def _descend(tree: SearchTree, depth: int, threshold: float) -> tuple[bool, int]:
    """Go one level down with the next label whose bound exceeds the threshold, else go up."""
    i = tree.next_at[depth]
    # Labels are sorted by their bounds (`ceiling`): if this one is too low, so are all later ones.
    if i >= tree.n_choices[depth] or tree.ceiling[depth, i] <= threshold:
        return False, depth - 1
    tree.next_at[depth] = i + 1
    copy_values(tree.alive[depth].ravel(), tree.alive[depth + 1].ravel())
    copy_values(tree.n_alive[depth], tree.n_alive[depth + 1])
    copy_values(tree.sent[depth].ravel(), tree.sent[depth + 1].ravel())
    s = tree.branch[depth]
    tree.n_alive[depth + 1, s] = 1
    tree.alive[depth + 1, s, 0] = tree.choice[depth, i]
    return True, depth + 1


@kernel
def _group_of_labels(inside: RootGraph, alive: Codes, group: Codes) -> tuple[int, float]:
    """Write the group of the remaining labels; return its size and its gain minus its prices."""
    m = len(inside.value)
    group[0] = inside.root
    size = 1
    total = -inside.price
    for t in range(m):
        x = alive[t, 0]
        if x:
            group[size] = inside.unit[inside.begin[t] + x - 1]
            size += 1
            total += inside.value[t, x]
            for r in range(t):
                total += inside.edge[pair_at(r, t, m), alive[r, 0], x]
    return size, total


@kernel
def _bound_after_messages(
    inside: RootGraph, tree: SearchTree, depth: int, threshold: float, meter: Meter
) -> float:
    """Return the bound after passing messages, and drop labels that cannot exceed the threshold.

    The bound is −∞ if an annotator has no label left.
    """
    value = inside.value
    edge = inside.edge
    short = tree.short
    room = tree.room
    sent = tree.sent[depth]
    alive = tree.alive[depth]
    count = tree.n_alive[depth]
    bound = np.inf
    goal = threshold + inside.price
    for _ in range(_MESSAGES if depth else 4 * _MESSAGES):
        before = bound
        meter[STEPS] += 12 * int(np.sum(count)) ** 2
        pass_messages(value, edge, sent, alive, count, room[0])
        bound = bound_labels(value, edge, sent, alive, count, short, room[1], room[2])
        for s in range(len(count)):
            n_alive = 0
            for i in range(count[s]):
                if bound + short[s, i] > goal:
                    alive[s, n_alive] = alive[s, i]
                    short[s, n_alive] = short[s, i]
                    n_alive += 1
            count[s] = n_alive
            if n_alive == 0:
                return -np.inf
        if bound <= goal or before - bound <= _PROGRESS * (bound - goal):
            break
    return bound - inside.price


@kernel
def _most_decided(count: Indices, short: Floats, slack: float) -> int:
    """Return the annotator to branch on, −1 if all have a single label.

    It is the one with the fewest labels, weighted: a label counts less, the farther it falls short
    of the bound, since a subtree whose bound is nearer to the threshold is smaller by orders of
    magnitude.
    """
    chosen = -1
    least = np.inf
    for s in range(len(count)):
        if count[s] > 1:
            weight = 0.0
            for i in range(count[s]):
                weight += np.exp(_DECISIVENESS * short[s, i] / slack)
            if weight < least:
                least = weight
                chosen = s
    return chosen
