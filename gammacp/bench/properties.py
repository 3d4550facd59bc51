"""Properties of units that a sweep tests, counted in pairs of units that cost something.

A fault of a dissimilarity shows only if the units have the property that it concerns. The counted
pairs are of units of different annotators that cost more than 0 and less than two unaligned units:
an alignment may join them, so that a wrong cost changes a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from gammacp.base.arrays import Bools
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import UnitColumns, bind, unit_columns
from shuffling import CategoryModel, Empirical, Layout, ReferenceModel, Uniform

Property: TypeAlias = Callable[[UnitColumns, UnitColumns], Any]

# Long and short units, and points, of every category: a pair of unlike categories costs too much.
_LENGTHS = Empirical((0, 0, 1, 4, 8, 40, 60, 80, 100, 120, 150, 300, 600))
EVERYTHING = ReferenceModel(
    n_units=25,
    layout=Layout.OVERLAPPING,
    gaps=Uniform(-60, 60),
    categories=(
        CategoryModel(name="A", prevalence=0.45, lengths=_LENGTHS),
        CategoryModel(name="B", prevalence=0.35, lengths=_LENGTHS),
        CategoryModel(name=None, prevalence=0.2, lengths=_LENGTHS),
    ),
)
"""A reference with overlapping, embedded, unlabelled, zero-length, long and short units."""

_LONGER = 4.0


def _within(u: UnitColumns, v: UnitColumns) -> Any:
    inside = (u.start >= v.start) & (u.end <= v.end)
    return inside & (u.length < v.length)


PROPERTIES: Mapping[str, Property] = {
    "another start": lambda u, v: u.start != v.start,
    "another end": lambda u, v: u.end != v.end,
    "another category": lambda u, v: (
        (u.category != v.category) & (u.category >= 0) & (v.category >= 0)
    ),
    "one unlabelled": lambda u, v: (u.category < 0) != (v.category < 0),
    "both unlabelled": lambda u, v: (u.category < 0) & (v.category < 0),
    "one of length 0": lambda u, v: (u.length == 0) != (v.length == 0),
    "both of length 0": lambda u, v: (u.length == 0) & (v.length == 0),
    "one within the other": lambda u, v: _within(u, v) | _within(v, u),
    "apart": lambda u, v: (u.end <= v.start) | (v.end <= u.start),
    f"one {_LONGER:g} times as long": lambda u, v: (
        (u.length > _LONGER * v.length) | (v.length > _LONGER * u.length)
    ),
}
"""Of a pair; those of a unit among its annotator's own are counted beside them."""

_BESIDE = "beside a unit that overlaps it"


def count_properties(continua: Iterable[Continuum], dissimilarity: Any) -> dict[str, int]:
    """Count pairs of units of different annotators, by property, that cost something.

    Parameters
    ----------
    continua
        Annotation sets.
    dissimilarity
        Dissimilarity that is tried out.
    """
    counts = dict.fromkeys((*PROPERTIES, _BESIDE), 0)
    for continuum in continua:
        bound = bind(dissimilarity, continuum)
        units = unit_columns(continuum)
        first, second = _pairs(continuum)
        u = units[first]
        v = units[second]
        cost = np.asarray(bound.pairwise(u, v), np.float64)
        counted = (cost > 0) & (cost < 2 * bound.delta)
        for name, has in PROPERTIES.items():
            counts[name] += int((has(u, v) & counted).sum())
        stacked = _overlapped(continuum)
        counts[_BESIDE] += int(((stacked[first] | stacked[second]) & counted).sum())
    return counts


def _pairs(continuum: Continuum) -> tuple[Any, Any]:
    """Return all pairs of units of different annotators."""
    codes = continuum.annotator_codes
    first, second = np.nonzero(np.triu(codes[:, None] != codes, 1))
    return first, second


def _overlapped(continuum: Continuum) -> Bools:
    """Return whether each unit overlaps another one of its annotator."""
    starts = continuum.starts
    ends = continuum.ends
    codes = continuum.annotator_codes
    meets = (starts[:, None] < ends) & (starts < ends[:, None]) & (codes[:, None] == codes)
    np.fill_diagonal(meets, val=False)
    overlaps: Bools = meets.any(axis=1)
    return overlaps
