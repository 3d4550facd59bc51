"""Which windows are near misses: the published search, and the cheapest choice.

A window is *mirrored* if the two sides differ in it, one is the reverse of the other, and the
second has a boundary at one of its ends. Only windows around boundaries are looked at, so that the
cost grows with the boundaries and not with the mass.
"""

from collections.abc import Iterable
from itertools import product
from typing import TypeAlias

from gammacp.arguments import whole
from gammacp.arrays import Indices
from gammacp.measures.segmentations.edits import (
    Differences,
    EditCosts,
    Edits,
    Transposition,
    differences,
    remove,
    substitutions,
)
from gammacp.measures.segmentations.value import Segmentation, check_comparable

# A mirrored window: start, end, type code, boundaries.
_Window: TypeAlias = tuple[int, int, int, int]
# The windows opened so far, last one first: (earlier ones, window).
_Opened: TypeAlias = "tuple[_Opened, _Window] | None"


def published_edits(a: Segmentation, b: Segmentation, *, n: int = 2) -> Edits:
    """The edits that the search of 2012, §3.3 finds.

    Windows of 2, then 3, … then n potential boundaries, each from left to right, each type on its
    own; a window that overlaps earlier ones replaces them only if it has more boundaries than they
    have together. With n = 2, one type and default costs no choice is cheaper; otherwise one may
    be. n < 2 allows no transposition.

    Parameters
    ----------
    a, b
        Segmentations of one item.
    n, costs
        As for `segmentation_similarity`.
    """
    from gammacp.measures.segmentations.edit_kernels import published_windows

    check_comparable(a, b)
    n = whole("n", n, 1)
    kept = [
        window
        for code, name in enumerate(a.types)
        for window in _windows_of_type(
            published_windows(a.of_type(name), b.of_type(name), a.mass, n), code
        )
    ]
    return _edits(kept, differences(a, b), a.types)


def optimal_edits(
    a: Segmentation, b: Segmentation, *, n: int = 2, costs: EditCosts | None = None
) -> Edits:
    """The cheapest edits with the same operations, by a dynamic programme over the differences.

    Windows of one type must not overlap, as in the published search; those of different types may.
    A mirrored window whose ends do not differ holds a narrower one that undoes as much for no
    more, so only windows that reach from one difference to another are weighed.

    Parameters
    ----------
    a, b
        Segmentations of one item.
    n, costs
        As for `segmentation_similarity`.
    """
    from gammacp.measures.segmentations.edit_kernels import cheapest, mirror_windows

    check_comparable(a, b)
    n, costs = whole("n", n, 1), costs or EditCosts()
    found = differences(a, b)
    if len(a.types) == 1:
        _, windows = cheapest(a.positions, b.positions, a.mass, n, *costs.parts)
        return _edits(_windows_of_type(windows, 0), found, a.types)
    opening: dict[tuple[int, int], list[_Window]] = {}
    for code, name in enumerate(a.types):
        differing = {p for p, (one, other) in found.items() if code in one or code in other}
        for width in range(2, min(n, a.mass - 1) + 1):
            starts, counts = mirror_windows(a.of_type(name), b.of_type(name), a.mass, width)
            for start, count in zip(starts.tolist(), counts.tolist(), strict=True):
                if start in differing:
                    window = (start, start + width - 1, code, count)
                    opening.setdefault((start, code), []).append(window)
    return _edits(_cheapest(found, opening, len(a.types), costs), found, a.types)


def _windows_of_type(windows: Indices, code: int) -> list[_Window]:
    return [(start, end, code, count) for start, end, count in windows.tolist()]


def _cheapest(
    found: Differences,
    opening: dict[tuple[int, int], list[_Window]],
    n_types: int,
    costs: EditCosts,
) -> list[_Window]:
    """Windows of the least total cost; the state is where the open window of each type ends."""
    states: dict[tuple[int, ...], tuple[float, _Opened]] = {(0,) * n_types: (0.0, None)}
    for place, (one, other) in found.items():
        following: dict[tuple[int, ...], tuple[float, _Opened]] = {}
        for ends, (cost, opened) in states.items():
            free = [code for code in sorted(one | other) if ends[code] < place]
            choices = [(None, *opening.get((place, code), ())) for code in free]
            for chosen in product(*choices):
                missed = {code for code, w in zip(free, chosen, strict=True) if w is None}
                total = cost + costs.substitution * max(len(one & missed), len(other & missed))
                open_until = [end if end > place else 0 for end in ends]
                links = opened
                for window in chosen:
                    if window is not None:
                        start, end, code, boundaries = window
                        total += costs.of_window(end - start + 1, boundaries)
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


def _edits(windows: Iterable[_Window], found: Differences, types: tuple[str, ...]) -> Edits:
    listed = sorted(windows, key=lambda w: (w[0], w[2]))
    remove(found, (window[:3] for window in listed))
    moved = (Transposition(start, end, types[code], count) for start, end, code, count in listed)
    return Edits(substitutions=substitutions(found, types), transpositions=tuple(moved))
