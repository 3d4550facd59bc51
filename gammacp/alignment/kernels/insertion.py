"""Compiled kernel that lists the groups that parts of other groups can join."""

import numpy as np

from gammacp.alignment.kernels.records import Graph
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.kernel import kernel


@kernel
def insertions(
    part_from: Indices, units: Codes, graph: Graph, opening: float, group_of: Codes, size: Codes
) -> tuple[Indices, Codes, Floats]:
    """List the groups that each part can join, and the gains of joining if > 0.

    A part can join a group if all its units are neighbours of all the group's units. Part i is
    `units[part_from[i]:part_from[i + 1]]`; its groups and gains are those from `begin[i]` on.
    `group_of` is −1 for units in no group.
    """
    n_parts = len(part_from) - 1
    most = 0
    for u in units:
        most += graph.start[u + 1] - graph.start[u]
    begin = np.zeros(n_parts + 1, np.int64)
    group = np.empty(most, np.int32)
    gain = np.empty(most, np.float64)
    inside = np.zeros(len(size), np.int32)
    total = np.zeros(len(size), np.float64)
    count = 0
    for i in range(n_parts):
        part = units[part_from[i] : part_from[i + 1]]
        for u in part:
            for p in range(graph.start[u], graph.start[u + 1]):
                g = group_of[graph.neighbour[p]]
                if g >= 0:
                    inside[g] += 1
                    total[g] += graph.weight[p]
        for u in part:
            for p in range(graph.start[u], graph.start[u + 1]):
                g = group_of[graph.neighbour[p]]
                if g >= 0:
                    if inside[g] == size[g] * len(part) and opening + total[g] > 0.0:
                        group[count] = g
                        gain[count] = opening + total[g]
                        count += 1
                    inside[g] = 0
                    total[g] = 0.0
        begin[i + 1] = count
    return begin, group[:count], gain[:count]
