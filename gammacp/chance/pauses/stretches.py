"""Places in the time without pauses: stretches in which units lie, and room between units."""

from __future__ import annotations

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.chance.annotation import ROUNDING


def stretches_of(edges: Floats, starts: Floats, ends: Floats) -> tuple[Indices, Indices]:
    """Return the number of the stretch in which each unit begins, and in which it ends.

    Parameters
    ----------
    edges
        Start of each stretch, and the end of the last one.
    starts, ends
        Starts and ends of the units, in the time without pauses. A unit of no length at an edge
        belongs to the later stretch.
    """
    allowance = ROUNDING * float(edges[-1])
    most = len(edges) - 2
    first = np.searchsorted(edges, starts + allowance, side="right") - 1
    last = np.searchsorted(edges, ends - allowance) - 1
    first = first.clip(0, most)
    return first, np.clip(last, first, most)


def find_room(
    edges: Floats,
    starts: Floats,
    lengths: Floats,
    length: float,
    rng: np.random.Generator,
    *,
    whole: bool,
) -> float | None:
    """Return a random place between an annotator's other units; None if there is no room.

    Parameters
    ----------
    edges
        Edges of the stretches in the time without pauses, none of which the unit may cross.
    starts, lengths
        Starts and lengths of the other units.
    length
        Length of the unit that looks for a place.
    rng
        Chooses the place.
    whole
        Whether places are whole numbers.
    """
    blocked = np.concatenate([edges, starts])
    order = np.argsort(blocked, kind="stable")
    ends = np.concatenate([edges, starts + lengths])[order]
    low = np.maximum.accumulate(ends)[:-1]
    high = blocked[order][1:]
    room = high - low - length
    allowance = ROUNDING * float(edges[-1])
    fits = np.flatnonzero(room >= -allowance)
    if not len(fits):
        return None
    # Every possible start has the same weight. A gap that the unit just fills offers one start.
    weight = np.maximum(room[fits], 0.0) + (1.0 if whole else allowance)
    k = int(rng.choice(len(fits), p=weight / weight.sum()))
    point = rng.random() * weight[k]
    return float(low[fits[k]]) + (float(np.floor(point)) if whole else point)
