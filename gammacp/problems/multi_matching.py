"""Problems that do not come from annotations: any weights, and multi-matchings from files.

A multi-matching joins points of several sets into groups with at most one point of each set, so
that the sum of the weights within groups is largest. This is the alignment problem with opening 0.
`weighted_problem` makes a `Problem` from given weights. `read_multi_matching` makes one from a file
in the text format of the multi-graph matching literature, if its costs are linear. `solve` finds
the best groups of either and proves them.

References
----------
Swoboda, Kainmüller, Mokarian, Theobalt & Bernard (2019), A convex relaxation for multi-graph
matching: the problem. Torresani, Kolmogorov & Rother (2008): the format for two graphs. Swoboda et
al. (2022), Structured prediction problem archive: for several.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gammacp.alignment.problem import Problem
from gammacp.base.files import text_of
from gammacp.base.text import lines_of
from gammacp.errors import DataError, UsageError


def weighted_problem(
    owner: Sequence[int] | Any,
    first: Sequence[int] | Any,
    second: Sequence[int] | Any,
    weight: Sequence[float] | Any,
    *,
    opening: float = 0.0,
) -> Problem:
    """Return the problem of dividing units into the cheapest groups under given weights.

    A group has at most one unit of each owner, and costs opening − Σ weight of its pairs. Two units
    whose pair is not given are never in one group.

    Parameters
    ----------
    owner
        Number of the set, annotator or graph that each unit belongs to, from 0, in ascending order;
        shape (units,).
    first, second
        Rows of the two units of each pair. They have different owners, and each pair is given
        once; shape (pairs,).
    weight
        Gain of each pair if both units are in one group; negative for a cost; shape (pairs,).
    opening
        Cost of a group.

    Raises
    ------
    UsageError
        Owners are not in ascending order, the units of a pair have one owner, a pair is given
        twice, a weight is not finite, or shapes do not match.

    Examples
    --------
    Three sets of one, one and two points. The group of the points 0, 1 and 2 gains 2 + 1 − 0.5.

    >>> from gammacp.alignment import solve
    >>> problem = weighted_problem([0, 1, 2, 2], [0, 1, 0, 0], [1, 2, 2, 3], [2, 1, -0.5, 0.25])
    >>> found = solve(problem)
    >>> found.groups.tolist(), found.objective, str(found.status)
    ([[0, 1, 2], [-1, -1, 3]], -2.5, 'optimal')
    """
    owners = np.asarray(owner)
    rows = [np.asarray(each, np.int64 if len(each) == 0 else None) for each in (first, second)]
    earned = np.asarray(weight, np.float64)
    _check_lists(owners, rows, earned)
    low = np.minimum(*rows)
    high = np.maximum(*rows)
    _check_pairs(owners, rows, low, high)
    if not np.isfinite([*earned, opening]).all():
        raise UsageError("a weight, or the opening, is not finite; leave out pairs that are barred")
    return Problem(
        annotator=owners.astype(np.int32),
        n_annotators=int(owners[-1]) + 1,
        first=low.astype(np.int32),
        second=high.astype(np.int32),
        weight=earned,
        opening=float(opening),
        delta=float(np.abs(earned).max(initial=0.0)) or 1.0,
    )


def _pair(rows: Sequence[Any], wrong: Any) -> tuple[int, int]:
    at = int(np.flatnonzero(wrong)[0])
    return int(rows[0][at]), int(rows[1][at])


def read_multi_matching(path: str | os.PathLike[str]) -> Problem:
    """Return a multi-matching from the text format of the multi-graph matching literature (`.dd`).

    Every two graphs have a section: a line `gm 0 1` with their numbers, a line
    `p POINTS POINTS ASSIGNMENTS EDGES`, and a line `a NUMBER POINT POINT COST` for each assignment
    that is allowed. The weight of a pair is −COST, so that `solve` minimises the objective of the
    file. Unmatched points cost nothing. Lines that begin with `c` or `#` are comments.

    Parameters
    ----------
    path
        A text file.

    Raises
    ------
    DataError
        The problem is not linear: two assignments together have a cost (`e` lines other than 0);
        the message has the number of such lines. Or two graphs have no section, the size of a graph
        differs between sections, or a line cannot be read; the message names it.
    """
    sizes: dict[int, int] = {}
    seen_pairs: dict[tuple[int, int, int, int], None] = {}
    costs: list[float] = []
    sections: dict[tuple[int, int], int] = {}
    quadratic = 0
    graphs = (0, 1)
    header = False
    for line, (kind, *fields) in _lines(path):
        try:
            if kind == "gm":
                graphs = (int(fields[0]), int(fields[1]))
                header = False
                if not 0 <= graphs[0] < graphs[1]:
                    raise ValueError
            elif kind == "p":
                if header or graphs in sections:
                    raise DataError(f"graphs {graphs[0]} and {graphs[1]} occur twice")
                sections[graphs], header = int(fields[2]), True
                for graph, size in zip(graphs, map(int, fields[:2]), strict=True):
                    if sizes.setdefault(graph, size) != size:
                        raise DataError(f"graph {graph} has {size} points, {sizes[graph]} before")
            elif kind == "a" and header:
                i = int(fields[1])
                j = int(fields[2])
                if not (0 <= i < sizes[graphs[0]] and 0 <= j < sizes[graphs[1]]):
                    raise ValueError
                if (pair := (*graphs, i, j)) in seen_pairs:
                    raise DataError(f"assignment of {i} and {j} occurs twice")
                seen_pairs[pair] = None
                costs.append(float(fields[3]))
                if not math.isfinite(costs[-1]):
                    raise DataError("a cost is not finite", hint="Leave out what is not allowed")
                sections[graphs] -= 1
            elif kind == "e" and header:
                quadratic += float(fields[2]) != 0
            else:
                raise ValueError
        except DataError as error:
            raise DataError(error.message, file=path, line=line, hint=error.hint) from None
        except (ValueError, IndexError):
            line_kinds = "`gm`, `p`, `a` or `e` line"
            raise DataError(
                f"this is not a {line_kinds} for this place", file=path, line=line
            ) from None
    if quadratic:
        hint = "An alignment problem has only costs of single assignments (`a` lines)"
        raise DataError(
            f"{quadratic:,} costs of two assignments together (`e` lines)", file=path, hint=hint
        )
    return _problem(path, sizes, sections, [*seen_pairs], costs)


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of each line that is not empty and not a comment."""
    for number, line in enumerate(lines_of(text_of(path)), 1):
        fields = line.split()
        if fields and fields[0] != "c" and not fields[0].startswith("#"):
            yield number, fields


def _problem(
    path: str | os.PathLike[str],
    sizes: dict[int, int],
    sections: dict[tuple[int, int], int],
    pairs: list[tuple[int, int, int, int]],
    costs: list[float],
) -> Problem:
    graphs = range(max(sizes, default=-1) + 1)
    missing = [(k, m) for k in graphs for m in graphs[k + 1 :] if (k, m) not in sections]
    if missing or not pairs:
        if missing:
            what = "no section for graphs {} and {}".format(*missing[0])
        else:
            what = "no assignment"
        raise DataError(what, file=path)
    for (k, m), n_missing in sections.items():
        if n_missing:
            kind = "missing" if n_missing > 0 else "more"
            what = f"graphs {k} and {m}: {abs(n_missing)} assignments {kind}"
            raise DataError(f"{what} than the `p` line says", file=path)
    counts = [sizes[k] for k in graphs]
    begin = np.concatenate(([0], np.cumsum(counts)))
    table = np.array(pairs, np.int64)
    return weighted_problem(
        np.repeat(np.arange(len(counts)), counts),
        begin[table[:, 0]] + table[:, 2],
        begin[table[:, 1]] + table[:, 3],
        -np.array(costs),
    )


def _check_lists(owners: Any, rows: Sequence[Any], weights: Any) -> None:
    """Raise UsageError unless owners, pairs and weights are lists of matching lengths."""
    for name, array in (("owner", owners), ("first", rows[0]), ("second", rows[1])):
        if array.ndim != 1 or (len(array) and not np.issubdtype(array.dtype, np.integer)):
            raise UsageError(f"{name} is not a list of whole numbers")
    if not len(rows[0]) == len(rows[1]) == len(weights) or weights.ndim != 1:
        raise UsageError("first, second and weight need an entry for each pair")
    if not len(owners) or owners[0] < 0 or (np.diff(owners) < 0).any():
        raise UsageError("owner needs an entry for each unit, 0 or more, ascending")


def _check_pairs(owners: Any, rows: Sequence[Any], low: Any, high: Any) -> None:
    """Raise UsageError unless the units of each pair have two owners, and no pair comes twice.

    `low` and `high` are the smaller and the larger row of each pair.
    """
    units = len(owners)
    outside = (low < 0) | (high >= units)
    if outside.any():
        raise UsageError(f"pair {_pair(rows, outside)} is not among the {units} units")
    within = owners[low] == owners[high]
    if within.any():
        raise UsageError(f"both units of pair {_pair(rows, within)} have one owner")
    key = low.astype(np.int64) * units + high
    again = np.ones(len(key), np.bool_)
    again[np.unique(key, return_index=True)[1]] = False
    if again.any():
        raise UsageError(f"pair {_pair(rows, again)} is given twice")
