"""Prices of units where all columns are listed: by diffusion, or by linear programs.

A column is a group of units with its gain. Prices pay a column if the prices of its units add up
to at least its gain; the lower such prices are in sum, the better the bound that they give.

With few annotators, diffusion finds good prices in a fraction of a linear program's time. A few
passes over all columns show which ones could matter. The following passes go over those alone, and
readmit any column that the prices do not pay. A block of units whose prices still fall after that,
or are far above what a greedy alignment gains, is priced again by a linear program, with all prices
outside it held fixed. So the prices always pay every column. They may be higher than necessary;
`proof.components` closes that gap. The time grows linearly with the length of the continuum.
"""

from dataclasses import dataclass

import numpy as np

from gammacp.alignment.duals import lp
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import DIFFUSED, Stage
from gammacp.base.arrays import Floats, Indices
from gammacp.base.stopping import current_work, due, note, spend

# After `_FIRST_PASSES` over all columns, those that lose more than `_KEPT_LOSS` of the scale are
# left out. Each round then makes `_PASSES` over the others. Tuned on 3by100, 3 × 500, 3 × 3000 and
# 4 × 100.
_FIRST_PASSES = 4
_PASSES = 10
_KEPT_LOSS = 0.2
# Rounds end once prices fall by more than this share of their fall in the round before: such a slow
# decrease is not worth further rounds.
_SLOWING = 0.9
# Largest gap between a block's prices and a greedy alignment, per unit and as a share of the scale;
# a block with a larger gap is priced by a linear program (tuned on 3 × 500).
_LOST = 0.02


@dataclass(frozen=True)
class PriceTuning(Stage):
    """Tuning of prices where all columns are listed.

    Attributes
    ----------
    block
        Number of units that one linear program prices in long continua. GLOP's time grows faster
        than this number.
    rounds
        Largest number of rounds of diffusion (tuned on 3by100, 3 × 500, 3 × 3000, 4 × 100).
    falling
        Largest fall of prices in the last round, per unit and as a share of the scale. A block
        whose prices fall by more is priced by a linear program.
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
    """Return the prices of units that are numbered by position; in a cover at most `cover_cost`.

    `scale` is the cost of opening a group, or Δ if that is larger. Raises TimeoutError if a linear
    program is needed and the deadline comes first.
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
    """Return the start of each block of about `size` units, and the end of the last one."""
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
    """Return prices that pay every column, and how far each fell in the last round.

    Rounds end when every column is paid and prices hardly fall any more, or fall too slowly.
    """
    from gammacp.alignment.kernels.diffusion import diffuse, readmit
    from gammacp.alignment.kernels.feasible_prices import make_feasible

    # Sort columns by their first unit, so that a pass moves along the continuum and along memory.
    first = np.minimum.reduceat(columns.members, columns.begin[:-1])
    along = columns.select(np.argsort(first, kind="stable"))
    share = np.repeat(along.gain / along.sizes, along.sizes)
    every = np.arange(along.number, dtype=np.int32)
    price = diffuse(n_units, along, every, share, _FIRST_PASSES)
    cheap = along.losses(price) <= _KEPT_LOSS * scale
    # `fell` is how far each unit's price fell in a round, and `falls` the sum. Rounds use only the
    # columns that lose little; `readmit` adds those that are no longer paid.
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
    """Return what each unit loses in a greedy alignment: disjoint columns, least loss first.

    The loss of a column that is taken is put on its first unit; a unit in none loses its price.
    Large losses show that diffusion stopped far above the least possible prices.
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
