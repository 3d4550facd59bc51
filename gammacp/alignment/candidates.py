"""Build a `Problem` from a continuum and a dissimilarity, with only the pairs that can be useful.

Units u and v can be in one group of an optimal alignment only if removing u from the group does not
lower the cost: Σ_{x} w(u, x) + opening ≥ 0 over the other units x of the group. Each w(u, x) is at
most Δ, so that d(u, v) ≤ Δ + opening + (n − 2)·Δ. The dissimilarity's `reach` converts this limit
to a window of positions, and a scan along the continuum finds the pairs within the window.
"""

import math
from typing import Any

import numpy as np

from gammacp.alignment.costs import pair_count, reuse_price
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Codes, Floats, Indices, freeze
from gammacp.base.stopping import halting
from gammacp.base.subjects import advice
from gammacp.continuum import Continuum
from gammacp.continuum.needs import require
from gammacp.dissimilarity.base import NO_FORMULA, BoundDissimilarity, check_fragments, unit_columns
from gammacp.errors import DataError, UsageError

# Difference of the length classes of two owners: larger than that of any two exponents of lengths.
_EXPONENTS = 1 << 12

# Number of candidate pairs that is always accepted: all pairs of 2000 units by each of two
# annotators, 0.2 GB with the graph.
MOST_PAIRS = 4_000_000

# Largest number of candidate pairs in memory (0.5 GB).
_PAIRS_IN_MEMORY = 32_000_000
# Number of pairs passed to `pairwise` of a dissimilarity at a time (some 100 MB of columns).
_PAIRS_AT_ONCE = 1_000_000
# Number of units up to which the scan takes milliseconds, so that no second thread has to watch it.
_UNITS_UNWATCHED = 5000
# Read-only, as real tables of category costs are: kernels are compiled for one of the two only.
_NO_TABLE = np.zeros((1, 1))
freeze(_NO_TABLE)


class TooManyPairsError(DataError):
    """Raised if there are too many candidate pairs for memory or time."""


def build_problem(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    *,
    rate: float = 0.0,
    cover: bool = False,
    reuse: float = 0.0,
    prune: bool = True,
    most: float | None = None,
    most_pairs: int = MOST_PAIRS,
    owner: Indices | None = None,
    deadline: float = math.inf,
) -> Problem:
    """Return the candidate pairs of a continuum with their weights.

    Parameters
    ----------
    continuum, dissimilarity
        The units to align, and the dissimilarity bound to them.
    rate
        λ of Dinkelbach's iterations: opening a group costs (Δ − λ)·C(n, 2).
    cover
        Whether a unit may be in several groups (soft γ).
    reuse
        Cost of each further group that a unit of a cover is in, as a share of (n − 1)·Δ.
    prune
        Whether to leave out pairs that cannot be in an optimal alignment. Otherwise all pairs with
        a finite d are listed (for the greedy algorithm of 2011 and for brute force).
    most
        Largest d of the listed pairs, whether or not others could matter; by default, derived from
        `prune`.
    most_pairs
        Largest number of pairs; with more, TooManyPairsError is raised.
    owner
        Owner of each unit, shape (units,). Units of different owners are never candidate pairs.
    deadline
        Time at which to give up, on the clock of `stopping.clock`.

    Raises
    ------
    DataError
        One annotator or no unit; TooManyPairsError if there are more than `most_pairs` pairs, or
        they are not found by the deadline.
    """
    require(continuum, fragments=True)
    n = continuum.n_annotators
    delta = dissimilarity.delta
    opening = (delta - rate) * pair_count(n)
    if most is None:
        most = (n - 1) * delta + opening if prune else math.inf
    first, second, cost = pairs_within(
        continuum,
        dissimilarity,
        most * (1 + 1e-12),
        most_pairs=most_pairs,
        owner=owner,
        deadline=deadline,
    )
    return Problem(
        annotator=continuum.annotator_codes,
        n_annotators=n,
        first=first,
        second=second,
        weight=delta - cost,
        opening=opening,
        delta=delta,
        cover=cover,
        rank=position_ranks(continuum, owner),
        reuse=reuse_price(reuse, n, delta),
    )


def position_ranks(continuum: Continuum, owner: Indices | None = None) -> Codes:
    """Return the rank of each unit by owner, start, end and row, shape (units,)."""
    keys = (continuum.ends, continuum.starts, *(() if owner is None else (owner,)))
    rank = np.empty(continuum.n_units, np.int32)
    rank[np.lexsort(keys)] = np.arange(continuum.n_units)
    return rank


def pairs_within(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    largest_cost: float,
    *,
    most_pairs: int,
    owner: Indices | None = None,
    deadline: float = math.inf,
) -> tuple[Codes, Codes, Floats]:
    """Return (first, second, d) of all pairs of units with finite d ≤ `largest_cost`.

    The units of a pair are of different annotators and, with `owner`, of the same owner.
    """
    from gammacp.alignment.kernels.pairs import GIVEN_UP, Classes, Costs, Further, UnitArrays, scan

    check_fragments(dissimilarity, continuum)
    if math.isfinite(largest_cost):
        absolute, relative = dissimilarity.reach(largest_cost)
    else:
        absolute, relative = math.inf, 0.0
    order, class_start, block_end, longest = length_classes(continuum, owner)
    formula, factor = dissimilarity.formula
    table = dissimilarity.category_costs
    if table is None or continuum.inside is not None:  # `pairwise` alone reads fragments.
        formula, factor = NO_FORMULA
    with np.errstate(invalid="ignore"):  # ∞·0 is NaN: a window that leaves nothing out
        reach = 0.5 * absolute + relative * longest
    units = UnitArrays(
        continuum.starts,
        continuum.ends,
        continuum.category_codes,
        continuum.annotator_codes,
    )
    classes = Classes(order, class_start, block_end, reach)
    further = Further(continuum.extents, float(absolute), float(relative))
    costs = Costs(formula, float(factor), _NO_TABLE if table is None else table)
    largest_cost = min(float(largest_cost), np.finfo(np.float64).max)
    limit = min(most_pairs, _PAIRS_IN_MEMORY)
    first, second, cost, count = halting(
        lambda meter: scan(units, classes, further, costs, largest_cost, limit, meter),
        deadline,
        quick=continuum.n_units <= _UNITS_UNWATCHED,
    )
    if count == GIVEN_UP:
        raise TooManyPairsError("no time left to find the pairs of units that can be aligned")
    if count < 0:
        raise TooManyPairsError(
            f"more than {most_pairs:,} pairs of units are close enough to be aligned"
        )
    if formula < 0:
        return _costs_of_pairs(continuum, dissimilarity, first, second, largest_cost)
    return first, second, cost


def _costs_of_pairs(
    continuum: Continuum, dissimilarity: Any, first: Codes, second: Codes, largest_cost: float
) -> tuple[Codes, Codes, Floats]:
    units = unit_columns(continuum)
    cost = np.empty(len(first), np.float64)
    for lo in range(0, len(first), _PAIRS_AT_ONCE):
        part = slice(lo, lo + _PAIRS_AT_ONCE)
        values = dissimilarity.pairwise(units[first[part]], units[second[part]])
        cost[part] = _check_values(continuum, values, first[part], second[part])
    keep = (cost <= largest_cost) & np.isfinite(cost)
    return first[keep], second[keep], cost[keep]


def length_classes(
    continuum: Continuum, owner: Indices | None = None
) -> tuple[Indices, Indices, Indices, Floats]:
    """Sort units by length class (powers of two) and start.

    Each class has its own window, so that a long unit does not widen the window of short ones.
    Owners have separate classes. Returns (order, start of each class, end of the classes of its
    owner, length of the longest unit in each class).
    """
    lengths = continuum.lengths
    kind = np.frexp(lengths)[1].astype(np.int64)
    kind[lengths == 0] = -2000
    if owner is not None:
        kind += _EXPONENTS * owner
    order = np.lexsort((continuum.starts, kind))
    along = kind[order]
    new = np.ones(len(order), np.bool_)
    np.not_equal(along[1:], along[:-1], out=new[1:])
    begins = np.flatnonzero(new)
    class_start = np.empty(len(begins) + 1, np.int64)
    class_start[:-1] = begins
    class_start[-1] = len(order)
    if len(order):
        longest = np.maximum.reduceat(lengths[order], begins)
    else:
        longest = np.zeros(0)
    block_end = np.full(len(begins), len(begins))
    if owner is not None:
        block = owner[order[begins]]
        block_end = np.searchsorted(block, block, side="right")
    return order.astype(np.int64), class_start, block_end.astype(np.int64), longest


def _check_values(continuum: Continuum, values: Any, first: Codes, second: Codes) -> Floats:
    """Return the values of a dissimilarity as an array; raise UsageError if they are not valid."""
    cost = np.asarray(values, np.float64)
    if cost.shape != first.shape:
        pairs = f"{len(first)} pairs of units"
        raise UsageError(f"the dissimilarity returns no array of a number for each of {pairs}")
    for i in np.flatnonzero(~(cost >= 0))[:1]:
        rows = list(continuum)
        a = rows[first[i]]
        b = rows[second[i]]
        raise UsageError(
            f"the dissimilarity of {a.category} {a.start:g}–{a.end:g} by {a.annotator} and "
            f"{b.category} {b.start:g}–{b.end:g} by {b.annotator} is {cost[i]:g}. It must be 0 or "
            f"more, or infinite{advice('dissimilarity refused')}"
        )
    return cost
