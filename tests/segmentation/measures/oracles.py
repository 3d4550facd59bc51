"""Conversions of boundary strings, the sets of types at each potential boundary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gammacp.segmentation import Segmentation


def segmentation_of_sets(sets: Sequence[Iterable[str]], types: Iterable[str]) -> Segmentation:
    """Return the segmentation of a boundary string (Fournier & Inkpen 2012, Figure 3)."""
    placed = {name: [p for p, names in enumerate(sets, 1) if name in names] for name in types}
    return Segmentation.from_typed(placed, mass=len(sets) + 1, types=tuple(types))


def sets_of(segmentation: Segmentation) -> list[set[str]]:
    """Return the boundary string of a segmentation."""
    sets: list[set[str]] = [set() for _ in range(segmentation.mass - 1)]
    for name in segmentation.types:
        for p in segmentation.of_type(name).tolist():
            sets[p - 1].add(name)
    return sets
