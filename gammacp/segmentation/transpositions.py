"""Which windows are near misses: the published search, and the cheapest choice.

A window is *mirrored* if the two sides differ in it, one is the reverse of the other, and the
second has a boundary at one of its ends. Only windows around boundaries are looked at, so that the
cost grows with the boundaries and not with the mass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from gammacp.arguments import whole
from gammacp.arrays import Bools, Indices
from gammacp.segmentation.edits import (
    Differences,
    EditCosts,
    Edits,
    Transposition,
    differences,
    remove,
    substitutions,
)
from gammacp.segmentation.value import Segmentation, check_comparable


@dataclass(frozen=True, slots=True)
class _Window:
    """A mirrored window of one type."""

    start: int
    end: int
    code: int
    boundaries: int

    @property
    def width(self) -> int:
        return self.end - self.start + 1


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
    check_comparable(a, b)
    whole("n", n, 1)
    kept: list[_Window] = []
    for name in a.types:
        owner: dict[int, _Window] = {}
        for width in range(2, min(n, a.mass - 1) + 1):
            for window in _mirrored(a, b, name, width):
                _keep_if_larger(window, owner)
        kept += set(owner.values())
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
    check_comparable(a, b)
    whole("n", n, 1)
    found = differences(a, b)
    opening: dict[tuple[int, int], list[_Window]] = {}
    for code, name in enumerate(a.types):
        places = [p for p, (one, other) in found.items() if code in one or code in other]
        differing = set(places)
        for width in _widths(places, n):
            for window in _mirrored(a, b, name, width):
                if window.start in differing:
                    opening.setdefault((window.start, code), []).append(window)
    chosen = _cheapest(found, opening, len(a.types), costs or EditCosts())
    return _edits(chosen, found, a.types)


def _widths(places: Sequence[int], n: int) -> list[int]:
    """Widths up to n of windows that begin and end at one of the places."""
    widths = set()
    for i, start in enumerate(places):
        for end in places[i + 1 :]:
            if end - start >= n:
                break
            widths.add(end - start + 1)
    return sorted(widths)


def _mirrored(a: Segmentation, b: Segmentation, name: str, width: int) -> Iterator[_Window]:
    """Mirrored windows of one type and width, from left to right."""
    one, other = a.of_type(name), b.of_type(name)
    starts = np.unique(np.concatenate((other, other - width + 1)))
    starts = starts[(starts >= 1) & (starts + width <= a.mass)]
    ends = starts + width - 1
    # Most windows fail at their ends already; the others are compared in full.
    possible = (_has(one, starts) == _has(other, ends)) & (_has(other, starts) == _has(one, ends))
    for start in starts[possible].tolist():
        end = start + width - 1
        left = _within(one, start, end)
        right = _within(other, start, end)
        if left != right and left == [start + end - p for p in reversed(right)]:
            yield _Window(start, end, a.types.index(name), len(left) + len(right))


def _has(positions: Indices, places: Indices) -> Bools:
    if not len(positions):
        return np.zeros(len(places), np.bool_)
    index = np.minimum(np.searchsorted(positions, places), len(positions) - 1)
    found: Bools = positions[index] == places
    return found


def _within(positions: Indices, start: int, end: int) -> list[int]:
    lo, hi = np.searchsorted(positions, (start, end + 1))
    return list(positions[lo:hi].tolist())


def _keep_if_larger(window: _Window, owner: dict[int, _Window]) -> None:
    places = range(window.start, window.end + 1)
    overlapped = {owner[p] for p in places if p in owner}
    if overlapped and window.boundaries <= sum(w.boundaries for w in overlapped):
        return
    for old in overlapped:
        for p in range(old.start, old.end + 1):
            del owner[p]
    owner.update(dict.fromkeys(places, window))


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
                        total += costs.of_window(window.width, window.boundaries)
                        open_until[window.code] = window.end
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


def _edits(windows: list[_Window], found: Differences, types: tuple[str, ...]) -> Edits:
    remove(found, ((w.start, w.end, w.code) for w in windows))
    moved = (
        Transposition(w.start, w.end, types[w.code], w.boundaries)
        for w in sorted(windows, key=lambda w: (w.start, w.code))
    )
    return Edits(substitutions=substitutions(found, types), transpositions=tuple(moved))
