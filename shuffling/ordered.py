"""Places drawn inside their ranges under the condition that they stay in order.

Independent uniform draws are rarely in order, so that they cannot be repeated until they are.
Instead every place gets candidates inside its range. The ordered arrangements of candidates are
counted backwards from the last place, by sums over later candidates. One arrangement is then drawn
forwards, each with equal probability. This is the exact conditional distribution, in time linear in
the number of places.
"""

import numpy as np

from gammacp.base.arrays import Bools, Floats

_CANDIDATES = 256
# Weight of the present place among sampled candidates: it only ensures that an arrangement exists.
_LAST_RESORT = 1e-9


def draw_ordered(
    present: Floats,
    reach: Floats,
    lowest: float,
    highest: float,
    strict: Bools,
    *,
    integer: bool,
    rng: np.random.Generator,
) -> Floats:
    """Return new places, each within `reach` of its present one, in the same order.

    Parameters
    ----------
    present
        Shape (n,), in order already, inside [lowest, highest].
    reach
        Shape (n,), ≥ 0.
    strict
        Shape (n − 1,): whether place i + 1 must lie beyond place i, not at it.
    integer
        Whether places are whole numbers; all of a range are then candidates up to 256, otherwise
        256 candidates are drawn, one in each equal part of the range.
    """
    low = np.maximum(present - reach, lowest)
    high = np.minimum(present + reach, highest)
    # Every place takes its random numbers, needed or not, so that ranges of another magnitude get
    # the same ones.
    u = rng.random(len(present))
    drawn = [
        _candidates(*ends, rng.random(_CANDIDATES), integer=integer)
        for ends in zip(present, low, high, strict=True)
    ]
    tails = _tails(drawn, strict)
    chosen = np.empty(len(drawn))
    first = 0
    for i, (places, _) in enumerate(drawn):
        if i:
            first = _first_after(places, chosen[i - 1], strict[i - 1])
        sums = np.cumsum(tails[i][first:])
        k = int(np.searchsorted(sums, u[i] * sums[-1], side="right"))
        chosen[i] = places[first + min(k, int(np.flatnonzero(tails[i][first:])[-1]))]
    return chosen


def _candidates(
    present: float, low: float, high: float, u: Floats, *, integer: bool
) -> tuple[Floats, Floats]:
    """Return the candidates of each place, sorted, with their weights."""
    if integer:
        low = np.ceil(low)
        high = np.floor(high)
        if high - low < _CANDIDATES:
            places = np.arange(low, high + 1)
            return places, np.ones(len(places))
        high += 1
    elif high == low:
        return np.array([present]), np.ones(1)
    parts = low + (np.arange(_CANDIDATES) + u) * ((high - low) / _CANDIDATES)
    if integer:
        parts = np.floor(parts)
    at = int(np.searchsorted(parts, present))
    places = np.insert(np.minimum(parts, high - 1 if integer else high), at, present)
    weights = np.ones(len(places))
    weights[at] = _LAST_RESORT
    return places, weights


def _tails(drawn: list[tuple[Floats, Floats]], strict: Bools) -> list[Floats]:
    """Return the weight of all ordered arrangements from each candidate on, up to a factor."""
    tails = [drawn[-1][1]]
    for i in range(len(drawn) - 2, -1, -1):
        places, weights = drawn[i]
        following = drawn[i + 1][0]
        beyond = np.append(np.cumsum(tails[-1][::-1])[::-1], 0.0)
        weight = (
            weights
            * beyond[np.searchsorted(following, places, side="right" if strict[i] else "left")]
        )
        tails.append(weight / weight.max())
    return tails[::-1]


def _first_after(places: Floats, place: float, strict: bool) -> int:
    return int(np.searchsorted(places, place, side="right" if strict else "left"))
