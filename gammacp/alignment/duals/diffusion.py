"""Prices of units for columns that are all listed: by diffusion, or by linear programs.

Of few annotators, groups compete so little that diffusion finds the prices in a fraction of a
linear program's time. A few passes over all columns tell which ones could matter; the following
passes are over those alone, and take columns back in that are not paid. Where prices still fall
after that, a linear program prices the block anew, what is outside held fixed. So prices always
pay every column, only perhaps more than they must, which `proof.components` makes good. Time is
linear in the continuum's length.
"""

import numpy as np

from gammacp.alignment.columns import Columns
from gammacp.alignment.duals import lp
from gammacp.alignment.tuning import DEFAULT, Tuning
from gammacp.arrays import Floats
from gammacp.stopping import due


def prices(
    n_units: int,
    columns: Columns,
    scale: float,
    cover_cost: float | None = None,
    *,
    deadline: float = np.inf,
    tuning: Tuning = DEFAULT,
) -> Floats:
    """Prices of units that are numbered by position; in a cover at most `cover_cost`.

    `scale` is what a group costs to open, or Δ if that is more. TimeoutError if a linear program
    was needed and the deadline came first.
    """
    if not columns.number:
        return np.zeros(n_units)
    if cover_cost is not None or np.diff(columns.begin).max() > tuning.diffused:
        return lp.block_prices(n_units, columns, cover_cost, deadline=deadline, tuning=tuning)
    price, fell = diffusion(n_units, columns, scale, deadline, tuning)
    lost = _lost(
        columns.select(np.flatnonzero(columns.losses(price) <= tuning.kept_loss * scale)), price
    )
    blocks = np.linspace(0, n_units, max(n_units // tuning.block, 1) + 1).astype(np.int64)
    falls, loses = np.add.reduceat(np.stack((fell, lost)), blocks[:-1], axis=1)
    share = scale * np.diff(blocks)
    poor = (np.abs(falls) > tuning.falling * share) | (loses > tuning.lost * share)
    if poor.any() and not due(deadline):
        windows = np.column_stack((blocks[:-1], blocks[1:]))[poor].tolist()
        lp.reprice(columns, price, windows, deadline=deadline)
    return price


def diffusion(
    n_units: int, columns: Columns, scale: float, deadline: float = np.inf, tuning: Tuning = DEFAULT
) -> tuple[Floats, Floats]:
    """Prices once every column is paid and they hardly fall, or too slowly; their last fall."""
    from gammacp.alignment.kernels.diffusion import by_first_unit, diffuse, equal_shares, readmit
    from gammacp.alignment.kernels.duals import make_feasible

    share = equal_shares(columns)
    kept = np.ones(columns.number, np.bool_)
    order = by_first_unit(n_units, columns, kept)
    price = diffuse(n_units, columns, order, share, tuning.first_passes)
    kept = columns.losses(price) <= tuning.kept_loss * scale
    fell, falls = price, np.inf
    for _ in range(tuning.rounds):
        if due(deadline):
            break
        before, falls_before = price, falls
        order = by_first_unit(n_units, columns, kept)
        price = diffuse(n_units, columns, order, share, tuning.passes)
        fell = before - price
        falls = abs(float(fell.sum()))
        missing = readmit(columns, price, 1e-9 * scale, kept, share)
        if not missing and (
            falls <= tuning.falling * scale * n_units or falls > tuning.slowing * falls_before
        ):
            break
    make_feasible(price, columns, np.inf)
    return price, fell


def _lost(columns: Columns, price: Floats) -> Floats:
    """What each unit loses when columns are taken by their loss, as long as they are disjoint.

    Prices may have come to rest far above the least ones; then this is much.
    """
    from gammacp.alignment.kernels.greedy import take_disjoint

    lost = price.copy()
    if columns.number:
        losses = columns.losses(price)
        taken = take_disjoint(len(price), columns, np.argsort(losses))
        picked = columns.select(taken)
        lost[picked.members] = 0.0
        lost[picked.members[picked.begin[:-1]]] = losses[taken]
    return lost
