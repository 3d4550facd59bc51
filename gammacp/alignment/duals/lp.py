"""Prices of units from the linear relaxation of the set packing problem (OR-tools' GLOP).

The relaxation is max Σ gain·x with Σ_{G∋u} x_G ≤ 1 for each unit u; its duals y ≥ 0 are the prices
of the units. Long continua are priced block by block, in time linear in their length: first one
block after the other, then windows around the seams, each with the prices outside held fixed. Near
the seams these prices may be higher than necessary, and they may be too low for a column that has
no unit in any window; `proof.components` corrects both.
"""

from collections.abc import Iterable
from importlib import import_module
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gammacp.alignment.kernels.records import Columns
from gammacp.base.arrays import Floats, Indices
from gammacp.base.stopping import current_work, due, spend, watched

# Number of units that one linear program prices in long continua. GLOP's time grows faster than
# this number.
BLOCK = 1000

# Estimated steps of a linear program: this number for each entry of its matrix, times the square
# root of the number of its rows.
_PER_ENTRY = 30


class Relaxation(NamedTuple):
    """Solution of the relaxation: x of each column, and price y ≥ 0 of each unit."""

    value: Floats
    price: Floats


def relax(
    n_units: int,
    columns: Columns,
    cover_cost: float | None = None,
    *,
    capacity: Indices | None = None,
    deadline: float = np.inf,
) -> Relaxation:
    """Solve the linear relaxation over these columns.

    With `cover_cost` (the opening) the problem is a cover: units may be in several groups, and
    their prices are at most `cover_cost`. It is then min Σ (|G|·opening − gain)·x + opening·alone
    with Σ_{G∋u} x_G + alone_u ≥ 1. With `capacity` a unit may be in that many groups instead of
    one. Raises TimeoutError at the deadline (on `stopping.clock`) and on Ctrl-C (`stopping`).
    """
    from scipy.sparse import csc_matrix, eye_array, hstack

    builder: Any = import_module("ortools.linear_solver.python.model_builder_helper")
    size = columns.number
    if not size:
        return Relaxation(np.zeros(0), np.zeros(n_units))
    matrix: Any = csc_matrix(
        (np.ones(len(columns.members)), columns.members, columns.begin), shape=(n_units, size)
    )
    cost = -columns.gain
    low = np.full(n_units, -np.inf)
    high = np.ones(n_units)
    if capacity is not None:
        high = capacity.astype(np.float64)
    if cover_cost is not None:
        cost = np.diff(columns.begin) * cover_cost - columns.gain
        cost = np.concatenate((cost, np.full(n_units, cover_cost)))
        matrix = csc_matrix(hstack((matrix, eye_array(n_units))))
        low = np.ones(n_units)
        high = np.full(n_units, np.inf)
    model = builder.ModelBuilderHelper()
    model.fill_model_from_sparse_data(
        np.zeros(len(cost)), np.full(len(cost), np.inf), cost, low, high, matrix.tocsr()
    )
    solver = builder.ModelSolverHelper("glop")
    watched(lambda: solver.solve(model), solver.interrupt_solve, deadline)
    # GLOP does not report its steps, so they are estimated from the size of the matrix.
    current_work().rounds += 1
    spend(_PER_ENTRY * len(columns.members) * np.sqrt(n_units))
    solved = solver.status() == builder.SolveStatus.OPTIMAL
    if not solved and (np.isfinite(deadline) or due()):
        raise TimeoutError("no time left for the linear relaxation")
    if not solved:
        raise RuntimeError(f"GLOP ended with {solver.status()} on a packing problem")
    dual = np.asarray(solver.dual_values())
    if cover_cost is None:
        price = -dual
    else:
        price = cover_cost - dual
    value = np.asarray(solver.variable_values())[:size]
    return Relaxation(value, np.maximum(price, 0.0))


def block_prices(
    n_units: int,
    columns: Columns,
    cover_cost: float | None = None,
    *,
    deadline: float = np.inf,
    block: int = BLOCK,
) -> Floats:
    """Return prices that are computed block by block; units are numbered by position."""
    if n_units <= 2 * block:
        return relax(n_units, columns, cover_cost, deadline=deadline).price
    price = np.zeros(n_units)
    seams = np.linspace(0, n_units, n_units // block + 1).astype(np.int64)
    # Windows around seams are so wide that they contain every column across a seam, unless the
    # column is wider than a block.
    margin = min(max(block // 5, _widest(columns)), block)
    about = [(max(s - margin, 0), min(s + margin, n_units)) for s in seams[1:-1].tolist()]
    reprice(columns, price, [*pairwise(seams.tolist()), *about], cover_cost, deadline=deadline)
    return price


def _widest(columns: Columns) -> int:
    """Return the largest distance between the first and the last unit of a column."""
    ends = np.maximum.reduceat(columns.members, columns.begin[:-1])
    return int((ends - np.minimum.reduceat(columns.members, columns.begin[:-1])).max())


def reprice(
    columns: Columns,
    price: Floats,
    windows: Iterable[tuple[int, int]],
    cover_cost: float | None = None,
    *,
    deadline: float = np.inf,
) -> None:
    """Compute prices again, in place, window by window, with the prices outside held fixed.

    A window is a pair (first unit, last unit + 1).
    """
    ends = np.maximum.reduceat(columns.members, columns.begin[:-1])
    starts = np.minimum.reduceat(columns.members, columns.begin[:-1])
    by_start = np.argsort(starts, kind="stable")
    widest = _widest(columns)
    for first, last in windows:
        lo, hi = np.searchsorted(starts[by_start], (first - widest, last))
        inside = by_start[lo:hi]
        part = truncate(columns.select(inside[ends[inside] >= first]), price, first, last)
        price[first:last] = relax(last - first, part, cover_cost, deadline=deadline).price


def truncate(columns: Columns, price: Floats, first: int, last: int) -> Columns:
    """Restrict columns to units first … last − 1; their gain falls by the prices of other units.

    Columns without a unit in this range are left out: no price in the range can pay for them.
    """
    outside = (columns.members < first) | (columns.members >= last)
    column_of = columns.column_of
    paid = np.bincount(
        column_of[outside], weights=price[columns.members[outside]], minlength=columns.number
    )
    remaining = np.bincount(column_of[~outside], minlength=columns.number)
    begin: Indices = np.concatenate(([0], np.cumsum(remaining))).astype(np.int64)
    members = (columns.members[~outside] - first).astype(np.int32)
    return Columns(begin, members, columns.gain - paid).select(np.flatnonzero(remaining))
