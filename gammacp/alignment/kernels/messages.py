"""Compiled kernels that bound the best group of one root by messages between annotators.

A group of the root assigns a label to each of m other annotators: one of the annotator's units, or
none (label 0). Each label has a value, and so has each pair of labels of two annotators; the table
of such a pair of annotators is called an edge. Messages move value between labels and edges without
changing the total of any assignment. When messages are passed along the order of annotators,
forwards and backwards, the sum of the best labels and the best entries of edges falls. This sum is
an upper bound on every assignment. The order and the shares are those of sequential tree-reweighted
message passing (Kolmogorov 2006), whose bound never rises.

For annotators s < t, `edge[pair_at(s, t, m)]` has rows for the labels of s and columns for those of
t; `sent[pair, 0]` is what has been moved from the edge to the labels of s, `sent[pair, 1]` to those
of t. Only the labels `alive[s, :count[s]]` count.
"""

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.kernel import kernel


@kernel
def pair_at(s: int, t: int, m: int) -> int:
    """Return the number of the pair s < t among all pairs of m annotators."""
    return s * m - s * (s + 1) // 2 + t - s - 1


@kernel
def pass_messages(
    value: Floats, edge: Floats, sent: Floats, alive: Codes, count: Indices, total: Floats
) -> None:
    """Pass messages forwards and backwards, changing `sent` in place.

    `total` is working space, one number per label.
    """
    m = len(count)
    for step in range(2 * m):
        forth = step < m
        if forth:
            s = step
        else:
            s = 2 * m - 1 - step
        for i in range(count[s]):
            total[i] = value[s, alive[s, i]]
        for t in range(m):
            if t == s:
                continue
            lower = t < s
            if lower:
                pair = pair_at(t, s, m)
            else:
                pair = pair_at(s, t, m)
            if lower == forth:
                _collect(edge[pair], sent[pair], alive, count, s, t)
            side = 1 if lower else 0
            for i in range(count[s]):
                total[i] += sent[pair, side, alive[s, i]]
        share = 1.0 / max(s, m - 1 - s, 1)
        for t in range(s + 1 if forth else 0, m if forth else s):
            if forth:
                pair = pair_at(s, t, m)
            else:
                pair = pair_at(t, s, m)
            side = 0 if forth else 1
            for i in range(count[s]):
                sent[pair, side, alive[s, i]] -= share * total[i]


@kernel
def _collect(edge: Floats, sent: Floats, alive: Codes, count: Indices, s: int, t: int) -> None:
    """Move as much value as possible from an edge to the labels of s."""
    for i in range(count[s]):
        x = alive[s, i]
        best = -1e300
        for j in range(count[t]):
            y = alive[t, j]
            if t < s:
                rest = edge[y, x] - sent[0, y]
            else:
                rest = edge[x, y] - sent[1, y]
            best = max(best, rest)
        sent[1 if t < s else 0, x] = best


@kernel
def bound_labels(
    value: Floats,
    edge: Floats,
    sent: Floats,
    alive: Codes,
    count: Indices,
    short: Floats,
    rows: Floats,
    columns: Floats,
) -> float:
    """Return an upper bound on all assignments, and write how far each label stays below it.

    With label i of annotator s, no assignment exceeds the bound + `short[s, i]` (≤ 0). `rows` and
    `columns` are working space.
    """
    m = len(count)
    bound = 0.0
    for s in range(m):
        best = -1e300
        for i in range(count[s]):
            x = alive[s, i]
            total = value[s, x]
            for t in range(m):
                if t < s:
                    total += sent[pair_at(t, s, m), 1, x]
                elif t > s:
                    total += sent[pair_at(s, t, m), 0, x]
            short[s, i] = total
            best = max(best, total)
        bound += best
        for i in range(count[s]):
            short[s, i] -= best
    pair = -1
    for s in range(m):
        for t in range(s + 1, m):
            pair += 1
            for j in range(count[t]):
                columns[j] = -1e300
            best = -1e300
            for i in range(count[s]):
                x = alive[s, i]
                most = -1e300
                for j in range(count[t]):
                    y = alive[t, j]
                    rest = edge[pair, x, y] - sent[pair, 1, y]
                    most = max(most, rest)
                    columns[j] = max(columns[j], rest - sent[pair, 0, x])
                rows[i] = most - sent[pair, 0, x]
                best = max(best, rows[i])
            bound += best
            for i in range(count[s]):
                short[s, i] += rows[i] - best
            for j in range(count[t]):
                short[t, j] += columns[j] - best
    return bound
