"""The alignment problem as an integer program, for solvers that know nothing of alignments.

Two models of the same problem. `pair_program` has a variable x_uv for each pair, 1 where u and v
share a group, and r_v, 1 where v is the first unit of its group (its representative):

    least Σ opening·r_v − Σ w·x_uv
    Σ_{u of annotator k} x_uv [+ r_v if k comes before v's annotator] ≤ 1   for each v and k
    Σ_{u before v} x_uv + r_v ≥ 1                                           for each v
    x_uv + x_vw − x_uw ≤ 1      for each v and two of its neighbours, of different annotators

where x_uw is 0 if u and w are no pair (Grötschel & Wakabayashi 1989 for clique partitioning;
representatives: Campêlo, Campos & Corrêa 2008). `set_program` has a variable for each listed group
and each unit alone, and says that each unit is in exactly one (in a cover: in at least one).

Costs are whole numbers: rounded down, after multiplication by a power of two, so that no alignment
costs less than the program's optimum says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gammacp.alignment.columns import enumerate_columns
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.errors import DataError, UsageError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LARGEST = 2_000_000
"""Rows, and variables, of a program that is still written; files grow to some 100 MB."""
Block: TypeAlias = tuple[list[tuple[Any, Any, int]], float, float]
# Costs are below 2 to this power, so that their sum over all variables is exact in double
# precision.
_BITS = 30


@dataclass(frozen=True, eq=False)
class IntegerProgram:
    """Least Σ cost·x over x in {0, 1} with lower ≤ matrix·x ≤ upper.

    Attributes
    ----------
    names
        Names of the variables: `x_3_17` for a pair of units, `r_3` for a representative,
        `g_3_17_20` for a group. Numbers are the rows of units in the problem.
    cost
        Costs of the variables, int64, shape (variables,).
    matrix
        Coefficients −1 and 1, shape (rows, variables).
    lower, upper
        Bounds of the rows, shape (rows,); −∞ and ∞ for none.
    scale
        The power of two that costs were multiplied by before they were rounded down.
    error
        Largest difference between the least cost of an alignment and the optimum divided by
        `scale`, which is never above it.
    cut
        Number of pairs whose cost was capped. The cap is twice what an alignment could gain by
        having such a pair in one group.
    """

    names: tuple[str, ...]
    cost: Indices
    matrix: csr_array
    lower: Floats
    upper: Floats
    scale: float
    error: float
    cut: int = 0


def pair_program(problem: Problem) -> IntegerProgram:
    """Return the model by pairs.

    Parameters
    ----------
    problem
        A problem that is not a cover. The model has only the problem's pairs: build it with
        `prune=False` to have all of them.

    Raises
    ------
    UsageError
        The problem is a cover: its groups are not determined by the pairs that share one.
    DataError
        There are more than `LARGEST` rows or variables; the message has their number.
    """
    if problem.cover:
        raise UsageError("a cover has no model by pairs; use the model by sets")
    units = problem.n_units
    pairs = len(problem.first)
    check_size("pairs", pair_rows(problem), pairs + units)
    start, neighbour, edge = _adjacency(problem)
    here = np.repeat(np.arange(units), np.diff(start))
    every = np.arange(units)
    owner = problem.annotator[neighbour]
    # A row for each unit and each annotator with neighbours of it. If that annotator comes before
    # the unit's own, the row contains r as well.
    begins = np.flatnonzero(np.diff(here * np.int64(problem.n_annotators) + owner, prepend=-1))
    row = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(here)))
    earlier = np.flatnonzero(owner[begins] < problem.annotator[here[begins]])
    before = np.flatnonzero(neighbour < here)
    left, right, across = _paths(problem, start, neighbour, edge)
    path = np.arange(len(left))
    closed = np.flatnonzero(across >= 0)
    blocks: list[Block] = [
        ([(row, edge, 1), (earlier, pairs + here[begins[earlier]], 1)], -np.inf, 1),
        ([(here[before], edge[before], 1), (every, pairs + every, 1)], 1, np.inf),
        ([(path, left, 1), (path, right, 1), (closed, across[closed], -1)], -np.inf, 1),
    ]
    weight, cut = cut_weights(problem)
    cost = np.append(-weight, np.full(units, problem.opening))
    names = [f"x_{u}_{v}" for u, v in zip(problem.first, problem.second, strict=True)]
    names += [f"r_{u}" for u in range(units)]
    most = units + units * (problem.n_annotators - 1) // 2
    return replace(whole_program(names, cost, blocks, most), cut=cut)


def set_program(problem: Problem, columns: Columns | None = None) -> IntegerProgram:
    """Return the model by sets: all groups that no profitable split beats, and the single units.

    Parameters
    ----------
    problem
        The problem, which may be a cover.
    columns
        Groups to use instead of the default ones.

    Raises
    ------
    DataError
        There are more than `LARGEST` groups, or units.
    """
    units = problem.n_units
    if columns is None:
        columns = enumerate_columns(problem, most_members=LARGEST * problem.n_annotators)
    if columns is None:
        raise DataError(f"the model by sets has more than {LARGEST:,} groups", hint=_hint("pairs"))
    check_size("sets", units, columns.number + units)
    every = np.arange(units)
    number = columns.number
    entries = [(columns.members, columns.column_of, 1), (every, number + every, 1)]
    members = columns.members.astype(str)
    names = ["g_" + "_".join(members[a:b]) for a, b in _spans(columns.begin)]
    cost = columns.sizes * problem.opening - columns.gain
    return whole_program(
        names + [f"g_{u}" for u in range(units)],
        np.append(cost, np.full(units, problem.opening)),
        [(entries, 1, np.inf if problem.cover else 1)],
        units,
    )


MODELS = {"pairs": pair_program, "sets": set_program}
"""The models by name."""


def cut_weights(problem: Problem) -> tuple[Floats, int]:
    """Return the weights with very negative ones capped, and the number of capped weights.

    Suppose that a unit loses more than opening + (n − 2)·(largest weight) with another unit of its
    group. Then it leaves the group: it cannot gain as much with all the others, and a group of its
    own costs only the opening. So such weights are capped at twice that loss. Otherwise very large
    distances would use up all digits of the costs.

    Parameters
    ----------
    problem
        Problem with all its pairs.
    """
    best = max(float(problem.weight.max(initial=0.0)), 0.0)
    worst = max(problem.opening, 0.0) + max(problem.n_annotators - 2, 0) * best
    return np.maximum(problem.weight, -2 * worst), int((problem.weight < -2 * worst).sum())


def pair_rows(problem: Problem) -> int:
    """Return the number of rows of the model by pairs, without making them."""
    ends = np.concatenate((problem.first, problem.second))
    others = problem.annotator[np.concatenate((problem.second, problem.first))]
    degree = np.zeros((problem.n_units, problem.n_annotators), np.int64)
    np.add.at(degree, (ends, others), 1)
    total = degree.sum(axis=1)
    paths = int((total**2 - (degree**2).sum(axis=1)).sum()) // 2
    return int((degree > 0).sum()) + problem.n_units + paths


def check_size(model: str, rows: int, variables: int) -> None:
    """Raise DataError if a program is too large to be written."""
    for count, name in ((rows, "rows"), (variables, "variables")):
        if count > LARGEST:
            message = f"the model by {model} has {count:,} {name}; the limit is {LARGEST:,}"
            raise DataError(message, hint=_hint("sets" if model == "pairs" else "pairs"))


def _hint(other: str) -> str:
    return f"Try the model by {other} (`model={other}`), or use fewer units or annotators"


def _spans(begin: Indices) -> Any:
    return zip(begin[:-1].tolist(), begin[1:].tolist(), strict=True)


def _adjacency(problem: Problem) -> tuple[Indices, Codes, Indices]:
    """Return where each unit's neighbours begin, the neighbours, and the pair with each of them."""
    tail = np.concatenate((problem.first, problem.second))
    head = np.concatenate((problem.second, problem.first))
    order = np.lexsort((head, tail))
    start = np.searchsorted(tail[order], np.arange(problem.n_units + 1))
    return start, head[order], order % max(len(problem.first), 1)


def _paths(
    problem: Problem, start: Indices, neighbour: Codes, edge: Indices
) -> tuple[Indices, Indices, Indices]:
    """Return every two pairs that share a unit, and the pair of their other units (−1 for none)."""
    key = problem.first.astype(np.int64) * problem.n_units + problem.second
    order = np.argsort(key, kind="stable")
    paths = []
    for begin, end in _spans(start):
        i, j = np.triu_indices(end - begin, 1)
        u = neighbour[begin:end][i]
        w = neighbour[begin:end][j]
        different = problem.annotator[u] != problem.annotator[w]
        i = i[different]
        j = j[different]
        sought = u[different].astype(np.int64) * problem.n_units + w[different]
        index = np.minimum(np.searchsorted(key, sought, sorter=order), max(len(key) - 1, 0))
        third = np.where(key[order[index]] == sought, order[index], -1)
        paths.append((edge[begin:end][i], edge[begin:end][j], third))
    left, right, across = (
        np.concatenate(part).astype(np.int64) for part in zip(*paths, strict=True)
    )
    return left, right, across


def whole_program(
    names: list[str], cost: Floats, blocks: Sequence[Block], most: int
) -> IntegerProgram:
    """Return the program of these rows, with its costs scaled and rounded down to integers.

    Parameters
    ----------
    names, cost
        Names and costs of the variables; shape (variables,).
    blocks
        Blocks of rows: entries (row, variable, ±1), and the lower and upper bound of all rows of
        the block.
    most
        Largest number of variables that are 1 in a solution.
    """
    from scipy.sparse import coo_array, vstack

    matrices = []
    for entries, _, _ in blocks:
        row, variable, sign = zip(*entries, strict=True)
        signs = [np.full(len(r), float(s)) for r, s in zip(row, sign, strict=True)]
        count = max((int(r.max()) + 1 for r in row if len(r)), default=0)
        coordinates = np.concatenate(row), np.concatenate(variable)
        matrices.append(coo_array((np.concatenate(signs), coordinates), (count, len(names))))
    counts = [part.shape[0] for part in matrices]
    scale = 2.0 ** float(_BITS - np.frexp(np.abs(cost).max(initial=0.0))[1])
    return IntegerProgram(
        names=tuple(names),
        cost=np.floor(cost * scale).astype(np.int64),
        matrix=vstack(matrices, format="csr"),
        lower=np.repeat([float(lower) for _, lower, _ in blocks], counts),
        upper=np.repeat([float(upper) for _, _, upper in blocks], counts),
        scale=scale,
        error=most / scale,
    )
