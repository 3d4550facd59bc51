"""Prices of units for columns that are all listed: by diffusion, or by linear programs.

Of few annotators, groups compete so little that diffusion finds the prices in a fraction of a
linear program's time. A few passes over all columns tell which ones could matter; the following
passes are over those alone, and take columns back in that are not paid. Where prices still fall
after that, a linear program prices the block anew, what is outside held fixed. So prices always
pay every column, only perhaps more than they must, which `proof.components` makes good. Time is
linear in the continuum's length.
"""

from dataclasses import dataclass

import numpy as np

from gammacp.alignment.duals import lp
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import DIFFUSED, Stage
from gammacp.base.arrays import Floats, Indices
from gammacp.base.stopping import current_work, due, note, spend

# Passes over all columns before those are left out that lose more than this share of the scale, and
# per round over the columns that are left (3by100, 3 × 500, 3 × 3000, 4 × 100).
_FIRST_PASSES = 4
_PASSES = 10
_KEPT_LOSS = 0.2
# Share of what prices fell in one round from which on the next does not fall by much more.
_SLOWING = 0.9
# Of the scale, per unit: what a quick alignment may lose against a block's prices before they are
# priced by a linear program (3 × 500).
_LOST = 0.02


@dataclass(frozen=True)
class PriceTuning(Stage):
    """Tuning of prices where all columns are listed.

    Attributes
    ----------
    block
        Units priced by one linear program in long continua. GLOP's time grows faster than these.
    rounds
        Rounds of diffusion at most (3by100, 3 × 500, 3 × 3000, 4 × 100).
    falling
        Largest fall of prices in the last round, per unit, as a share of the scale; a block where
        they fall by more is priced by a linear program.
    """

    block: int = lp.BLOCK
    rounds: int = 18
    falling: float = 1e-4


_DEFAULT = PriceTuning()


def prices(
    n_units: int,
    columns: Columns,
    scale: float,
    cover_cost: float | None = None,
    *,
    deadline: float = np.inf,
    tuning: PriceTuning = _DEFAULT,
) -> Floats:
    """Prices of units that are numbered by position; in a cover at most `cover_cost`.

    `scale` is what a group costs to open, or Δ if that is more. TimeoutError if a linear program
    was needed and the deadline came first.
    """
    if not columns.number:
        return np.zeros(n_units)
    note(prices_by="diffusion")
    if cover_cost is not None or np.diff(columns.begin).max() > DIFFUSED:
        note(prices_by="GLOP")
        return lp.block_prices(n_units, columns, cover_cost, deadline=deadline, block=tuning.block)
    price, fell = diffusion(n_units, columns, scale, deadline, tuning)
    lost = _losses(
        columns.select(np.flatnonzero(columns.losses(price) <= _KEPT_LOSS * scale)), price
    )
    blocks = _blocks(n_units, tuning.block)
    falls, loses = np.add.reduceat(np.stack((fell, lost)), blocks[:-1], axis=1)
    share = scale * np.diff(blocks)
    poor = (np.abs(falls) > tuning.falling * share) | (loses > _LOST * share)
    if poor.any() and not due(deadline):
        windows = np.column_stack((blocks[:-1], blocks[1:]))[poor].tolist()
        note(prices_by="diffusion and GLOP")
        lp.reprice(columns, price, windows, deadline=deadline)
    return price


def _blocks(n_units: int, size: int) -> Indices:
    """Return where each block of about `size` units begins, and the end."""
    if n_units < 2 * size:
        return np.array([0, n_units])
    return np.linspace(0, n_units, n_units // size + 1).astype(np.int64)


def diffusion(
    n_units: int,
    columns: Columns,
    scale: float,
    deadline: float = np.inf,
    tuning: PriceTuning = _DEFAULT,
) -> tuple[Floats, Floats]:
    """Prices once every column is paid and they hardly fall, or too slowly; their last fall."""
    from gammacp.alignment.kernels.diffusion import diffuse, readmit
    from gammacp.alignment.kernels.duals import make_feasible

    # By their first unit, so that a pass over them goes along the continuum, and the memory.
    first = np.minimum.reduceat(columns.members, columns.begin[:-1])
    along = columns.select(np.argsort(first, kind="stable"))
    share = np.repeat(along.gain / along.sizes, along.sizes)
    every = np.arange(along.number, dtype=np.int32)
    price = diffuse(n_units, along, every, share, _FIRST_PASSES)
    cheap = along.losses(price) <= _KEPT_LOSS * scale
    fell = price
    falls = np.inf
    for _ in range(tuning.rounds):
        if due(deadline):
            break
        before = price
        falls_before = falls
        current_work().rounds += 1
        spend(2 * _PASSES * len(along.members))
        price = diffuse(n_units, along, every[cheap], share, _PASSES)
        fell = before - price
        falls = abs(float(fell.sum()))
        missing = readmit(along, price, 1e-9 * scale, cheap, share)
        if not missing and (
            falls <= tuning.falling * scale * n_units or falls > _SLOWING * falls_before
        ):
            break
    make_feasible(price, columns, np.inf)
    return price, fell


def _losses(columns: Columns, price: Floats) -> Floats:
    """Return the loss of each unit when columns are taken by their loss while they are disjoint.

    Prices may have come to rest far above the least ones; then this is much.
    """
    from gammacp.alignment.kernels.greedy import take_disjoint

    lost = price.copy()
    if columns.number:
        losses = columns.losses(price)
        disjoint = take_disjoint(len(price), columns, np.argsort(losses))
        picked = columns.select(disjoint)
        lost[picked.members] = 0.0
        lost[picked.members[picked.begin[:-1]]] = losses[disjoint]
    return lost
