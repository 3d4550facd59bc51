"""S: the share of potential boundaries that no edit touches (Fournier & Inkpen 2012, eq. 4).

A near miss is a *mirrored* window: the two sides differ in it, one is the reverse of the other, and
the second has a boundary at an end of the window. Only windows around boundaries are examined, so
that the running time grows with the boundaries and not with the mass.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TypeAlias

from gammacp.base.arguments import whole
from gammacp.segmentation.measures.edits import (
    Differences,
    EditCosts,
    Edits,
    EditSearch,
    Transposition,
    differences,
    substitutions,
)
from gammacp.segmentation.measures.value import Segmentation, check_comparable

_TOLERANCE = 1e-9
# A mirrored window: start, end, type code, number of boundaries.
_Window: TypeAlias = tuple[int, int, int, int]
# The windows chosen so far as a linked list, last one first: (earlier ones, window).
_Opened: TypeAlias = "tuple[_Opened, _Window] | None"


@dataclass(frozen=True, kw_only=True)
class Similarity:
    """S of two segmentations, with the edits behind it.

    Attributes
    ----------
    distance
        d: cost of the edits, in potential boundaries.
    potential_boundaries
        PB = t·(mass − 1).
    optimal_distance
        Cost of the cheapest edits; below `distance` where the published search misses them.
    found
        Function that returns the edits.
    """

    distance: float
    potential_boundaries: int
    optimal_distance: float
    found: Callable[[], Edits] = field(repr=False, compare=False)

    @cached_property
    def edits(self) -> Edits:
        """Return the full and near misses, which are listed on first use."""
        return self.found()

    @property
    def value(self) -> float:
        """Return S = (PB − d)/PB; 1 for an item of one base unit, in which nothing can differ."""
        if self.potential_boundaries == 0:
            return 1.0
        return (self.potential_boundaries - self.distance) / self.potential_boundaries

    @property
    def warning(self) -> str | None:
        """Return a warning if the best edits would give a higher value; otherwise None."""
        if self.distance <= self.optimal_distance + _TOLERANCE:
            return None
        return (
            f"the published search finds edits that cost {self.distance:g}, "
            f"the cheapest cost {self.optimal_distance:g}"
        )


def segmentation_similarity(
    a: Segmentation,
    b: Segmentation,
    *,
    n: int = 2,
    costs: EditCosts | None = None,
    search: EditSearch | str = EditSearch.PUBLISHED,
) -> Similarity:
    """Compute S (2012, eq. 4): symmetric, 1 iff equal, 0 for all boundaries against none.

    Parameters
    ----------
    a, b
        Segmentations of one item.
    n
        Largest number of potential boundaries that a transposition may span; 1 excludes
        transpositions.
    costs
        w_sub, w_trp, and whether te weights transpositions; by default 1, 1 and yes.
    search
        `published` (2012, §3.3) or `optimal`. With n ≥ 3 the published search can take a window
        that costs more than it saves, and S can fall below 0; `warning` reports this.

    >>> s1 = Segmentation.from_masses([1, 2, 2, 3, 3, 1, 2])
    >>> s2 = Segmentation.from_masses([1, 2, 1, 2, 6, 2])
    >>> s = segmentation_similarity(s1, s2)
    >>> s.edits.full, s.edits.near, round(s.value, 4)  # 9/13
    (3, 1, 0.6923)
    """
    check_comparable(a, b)
    n = whole("n", n, 1)
    costs = costs or EditCosts()
    search = EditSearch(search)

    def list_edits() -> Edits:
        if search is EditSearch.OPTIMAL:
            return optimal_edits(a, b, n=n, costs=costs)
        return published_edits(a, b, n=n)

    if len(a.types) == 1:
        from gammacp.segmentation.measures.pair_kernels import pair_columns

        optimal = search is EditSearch.OPTIMAL
        columns = pair_columns(a.positions, b.positions, a.mass, n, costs.parts, optimal=optimal)
        distance = columns["distance"]
        least = columns["least"]
    else:
        distance = costs.of(list_edits())
        least = costs.of(optimal_edits(a, b, n=n, costs=costs))
    return Similarity(
        distance=distance,
        potential_boundaries=a.potential_boundaries,
        optimal_distance=least,
        found=list_edits,
    )


def published_edits(a: Segmentation, b: Segmentation, *, n: int = 2) -> Edits:
    """Return the edits that the search of 2012, §3.3 finds.

    The search takes windows of 2, then 3, … then n potential boundaries, from left to right, for
    each type separately. A window that overlaps earlier ones replaces them only if it has more
    boundaries than they have together. With n = 2, one type and default costs the result has least
    cost; otherwise there may be cheaper edits. n < 2 allows no transposition.

    Parameters
    ----------
    a, b
        Segmentations of one item.
    n, costs
        As for `segmentation_similarity`.
    """
    from gammacp.segmentation.measures.edit_kernels import published_windows

    check_comparable(a, b)
    n = whole("n", n, 1)
    windows = [
        (start, end, code, count)
        for code, name in enumerate(a.types)
        for start, end, count in published_windows(
            a.of_type(name), b.of_type(name), a.mass, n
        ).tolist()
    ]
    return _edits(windows, differences(a, b), a.types)


def optimal_edits(
    a: Segmentation, b: Segmentation, *, n: int = 2, costs: EditCosts | None = None
) -> Edits:
    """Find the cheapest edits with the same operations, by dynamic programming on differences.

    Windows of one type must not overlap, as in the published search; those of different types may.
    If the two sides are equal at the ends of a mirrored window, it contains a narrower one that
    removes the same differences at no higher cost. So only windows that start and end at a
    difference are considered.

    Parameters
    ----------
    a, b
        Segmentations of one item.
    n, costs
        As for `segmentation_similarity`.
    """
    from gammacp.segmentation.measures.edit_kernels import cheapest, mirror_windows

    check_comparable(a, b)
    n = whole("n", n, 1)
    costs = costs or EditCosts()
    codes_by_position = differences(a, b)
    if len(a.types) == 1:
        _, windows = cheapest(a.positions, b.positions, a.mass, n, *costs.parts)
        return _edits(
            [(s, e, 0, count) for s, e, count in windows.tolist()], codes_by_position, a.types
        )
    opening: dict[tuple[int, int], list[_Window]] = {}
    for code, name in enumerate(a.types):
        differing = {
            p for p, (one, other) in codes_by_position.items() if code in one or code in other
        }
        for width in range(2, min(n, a.mass - 1) + 1):
            starts, counts = mirror_windows(a.of_type(name), b.of_type(name), a.mass, width)
            for start, count in zip(starts.tolist(), counts.tolist(), strict=True):
                if start in differing:
                    window = (start, start + width - 1, code, count)
                    opening.setdefault((start, code), []).append(window)
    return _edits(
        _cheapest(codes_by_position, opening, len(a.types), costs), codes_by_position, a.types
    )


def _cheapest(
    codes_by_position: Differences,
    opening: dict[tuple[int, int], list[_Window]],
    n_types: int,
    costs: EditCosts,
) -> list[_Window]:
    """Return the windows of least total cost, by dynamic programming over differences.

    A state consists of the end of the open window of each type.
    """
    states: dict[tuple[int, ...], tuple[float, _Opened]] = {(0,) * n_types: (0.0, None)}
    for place, (one, other) in codes_by_position.items():
        following: dict[tuple[int, ...], tuple[float, _Opened]] = {}
        for ends, (cost, open_windows) in states.items():
            free = [code for code in sorted(one | other) if ends[code] < place]
            choices = [(None, *opening.get((place, code), ())) for code in free]
            for chosen in product(*choices):
                missed = {code for code, w in zip(free, chosen, strict=True) if w is None}
                total = cost + costs.substitution * max(len(one & missed), len(other & missed))
                open_until = [end if end > place else 0 for end in ends]
                links = open_windows
                for window in chosen:
                    if window is not None:
                        start, end, code, boundaries = window
                        total += costs.window_cost_of(end - start + 1, boundaries)
                        open_until[code] = end
                        links = (links, window)
                state = tuple(open_until)
                if state not in following or total < following[state][0]:
                    following[state] = (total, links)
        states = following
    links = min(states.values(), key=lambda state: state[0])[1]
    windows = []
    while links is not None:
        links, window = links
        windows.append(window)
    return windows


def _edits(windows: list[_Window], codes_by_position: Differences, types: tuple[str, ...]) -> Edits:
    """Return the windows as near misses, and the remaining differences as full misses."""
    windows.sort(key=lambda w: (w[0], w[2]))
    for start, end, code, _ in windows:
        for position in range(start, end + 1):
            for side in codes_by_position.get(position, ()):
                side.discard(code)
    moved = (Transposition(start, end, types[code], count) for start, end, code, count in windows)
    return Edits(substitutions=substitutions(codes_by_position, types), transpositions=tuple(moved))
