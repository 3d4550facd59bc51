"""Compiled kernels that turn every coding of a corpus on a circle of its own."""

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.kernel import kernel

# Least number of whole segments in an item from which a torn one is completed; items with fewer use
# the segments of all items.
FEWEST_WHOLE = 3


@kernel
def completed(part: int, wholes: Indices, pool: Indices, torn: Indices, chance: float) -> int:
    """Draw the whole length of a torn segment of which `part` is left, by `chance` in [0, 1).

    If a segment of length l in a stationary sequence is torn at a random place, all parts up to l
    are equally probable. So the whole length is drawn uniformly from the lengths of at least
    `part`: those of the item (`wholes`), or those of all the coder's items (`pool`) where the item
    has none. Items with fewer than `FEWEST_WHOLE` whole segments use the Kaplan–Meier estimate from
    `pool` and `torn`.
    """
    if len(wholes) >= FEWEST_WHOLE:
        fit = wholes[np.searchsorted(wholes, part) :]
        if not len(fit):
            fit = pool[np.searchsorted(pool, part) :]
        return fit[int(chance * len(fit))] if len(fit) else part
    # Kaplan & Meier: lengths of whole segments are observed, those of torn ones are censored.
    survival = 1.0
    k = np.searchsorted(pool, part)
    longest = part
    while k < len(pool):
        longest = int(pool[k])
        same = k
        while same < len(pool) and pool[same] == longest:
            same += 1
        at_risk = len(pool) - k + len(torn) - np.searchsorted(torn, longest)
        survival *= 1 - (same - k) / at_risk
        if chance >= survival:
            return longest
        k = same
    return longest


@kernel
def _turn(
    row: Indices,
    kinds: Indices,
    mass: int,
    pool: Indices,
    torn: Indices,
    chances: Floats,
    turned: Indices,
    source: Indices,
) -> None:
    """Turn one row: fill `turned` with the new places, `source` with the boundary moved to each.

    The torn segments at both ends are completed, and the ends are joined to a circle. Of all
    windows of length `mass` on the circle that hold as many boundaries of each type as the row, one
    is chosen at random.
    """
    n = len(row)
    whole_lengths = np.sort(row[1:] - row[:-1])
    first = completed(row[0], whole_lengths, pool, torn, chances[0])
    last = completed(mass - row[n - 1], whole_lengths, pool, torn, chances[1])
    circle = first + row[n - 1] - row[0] + last
    joint = int(chances[3] * n)  # where the ends meet, a boundary is as one of the row
    edges = np.empty(2 * (n + 1), np.int64)  # twice round
    for i in range(n):
        edges[i] = first - row[0] + row[i]
    edges[n] = circle
    for i in range(n + 1):
        edges[n + 1 + i] = edges[i] + circle
    # Slide the start `at` of a window along the circle. `passed` edges lie at or before the start,
    # and `reached` before the end; up to `until` these numbers do not change. The first round
    # counts the windows that hold the same types as the row (`wrong` is 0), the second one stops at
    # the window that was drawn.
    fitting = 0
    target = -1
    for _ in range(2):
        missing = np.bincount(kinds, minlength=kinds.max() + 1)
        wrong = np.count_nonzero(missing)
        at = passed = reached = 0
        while at < circle:
            while reached < len(edges) and edges[reached] < at + mass:
                i = reached % (n + 1)
                kind = kinds[i if i < n else joint]
                wrong += (missing[kind] == 0) - (missing[kind] == 1)
                missing[kind] -= 1
                reached += 1
            while edges[passed] <= at:
                i = passed % (n + 1)
                kind = kinds[i if i < n else joint]
                wrong += (missing[kind] == 0) - (missing[kind] == -1)
                missing[kind] += 1
                passed += 1
            until = min(circle, edges[passed])
            if reached < len(edges):
                until = min(until, edges[reached] - mass + 1)
            if not wrong:
                if target < 0:
                    fitting += until - at
                elif target < until - at:
                    for k in range(n):
                        i = (passed + k) % (n + 1)
                        turned[k] = edges[passed + k] - at - target
                        source[k] = i if i < n else joint
                    return
                else:
                    target -= until - at
            at = until
        target = int(chances[2] * fitting)


@kernel
def turned_rows(
    places: Indices,
    offsets: Indices,
    masses: Indices,
    kinds: Indices,
    whose: Indices,
    pools: Indices,
    pool_offsets: Indices,
    torn: Indices,
    torn_offsets: Indices,
    chances: Floats,
) -> tuple[Indices, Indices]:
    """Return the boundaries of all rows after turning, and for each its original in the row.

    Parameters
    ----------
    places, offsets, masses
        Boundaries of all codings in sequence, the offset at which those of each coding begin, and
        the mass of each coding.
    kinds
        Type of each boundary, ≥ 0. Turning keeps the number of boundaries of each type in a row.
    whose
        Number of the coder of each row.
    pools, pool_offsets, torn, torn_offsets
        Lengths of all whole and all torn segments, grouped by coder and sorted, with the offset of
        each coder's group.
    chances
        Random numbers in [0, 1), shape (rows, 4).
    """
    turned = np.empty_like(places)
    source = np.empty_like(places)
    for r in range(len(masses)):
        i = offsets[r]
        j = offsets[r + 1]
        person = whose[r]
        if j > i:
            whole = pools[pool_offsets[person] : pool_offsets[person + 1]]
            parts = torn[torn_offsets[person] : torn_offsets[person + 1]]
            row_kinds = kinds[i:j]
            to = turned[i:j]
            of = source[i:j]
            _turn(places[i:j], row_kinds, masses[r], whole, parts, chances[r], to, of)
    return turned, source


def example() -> None:
    """Call these kernels so that they are compiled (`gammacp warm-up`)."""
    from itertools import pairwise

    from gammacp.continuum import Continuum, Unit
    from gammacp.measures.measuring import measure
    from gammacp.segmentation.measures.rows import Rows
    from gammacp.segmentation.measures.tiling import from_continuum
    from gammacp.segmentation.measures.turned import TurnedSegments

    ends = {"a": (0, 3, 5, 9), "b": (0, 4, 9)}
    tiles = [Unit(who, *pair) for who, positions in ends.items() for pair in pairwise(positions)]
    tiled = Continuum.from_units(tiles)
    measure(tiled, ["s", "windowdiff", "ghd"])
    rows = Rows.of({"x": from_continuum(tiled)}, ("boundary",))
    TurnedSegments.of(rows, "ab").draw(np.random.default_rng(0))
