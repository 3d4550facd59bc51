"""Test helpers: checks of dissimilarities, formats and other extensions, and random continua.

`check_dissimilarity`, `check_format` and `check_error` only need NumPy. The strategies need
Hypothesis, which is imported when they are called.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gammacp.base.arrays import Bools, Floats
from gammacp.continuum import Continuum, Unit
from gammacp.continuum.fragments import ranks
from gammacp.dissimilarity.base import BoundDissimilarity, UnitColumns, bind, blind_to, unit_columns
from gammacp.errors import DataError
from gammacp.testing.agreement import require_agreement as require_agreement
from gammacp.testing.alignment import check_solver as check_solver
from gammacp.testing.checking import CHANGES, require
from gammacp.testing.checking import check_chance_model as check_chance_model
from gammacp.testing.checking import check_measure as check_measure
from gammacp.testing.constraints import check_constraint as check_constraint
from gammacp.testing.formats import check_format as check_format
from shuffling.checking import check_error as check_error

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Invariance = Literal["moving", "scaling"]

_CUTS = ((0, 3), (7, 10)), ((0, 1), (2, 10)), ((0, 1), (2, 3), (9, 10)), ((0, 1), (199, 200))
_POSITIONS = (0.0, 1.0, 2.0, 3.5, 7.0, 10.0, 10.25, 40.0, 1000.0)


def check_dissimilarity(
    dissimilarity: Any,
    *,
    categories: Sequence[str] = ("1", "2", "3", "5"),
    invariant: Sequence[Invariance] = ("moving", "scaling"),
    seed: int = 0,
) -> None:
    """Raise an AssertionError that names the first promise a dissimilarity breaks, and the units.

    A dissimilarity must broadcast, be ≥ 0 and symmetric, be 0 for equal units and only for them,
    have a sound `reach`, and not change if all units are moved or scaled. If it supports units of
    several fragments, such units are tried, too. A dissimilarity that cannot distinguish some units
    declares it in `blind_to`, a subset of "start", "end" and "category". (Hamming ignores starts:
    only on tilings is it 0 for equal units alone.) It is bound anew to each continuum.

    Parameters
    ----------
    dissimilarity
        The object, not its class.
    categories
        Categories of the units that are tried; unlabelled units are tried, too.
    invariant
        Invariances that the dissimilarity claims, out of the default ones.
    seed
        Seed of the units that are tried.

    Warns
    -----
    UserWarning
        If no two of the units cost so much that aligning them can be ruled out. With a bounded
        dissimilarity, every pair may be worth aligning, however far apart: alignments take many
        times longer.

    Examples
    --------
    >>> import gammacp as gc
    >>> check_dissimilarity(gc.Combined(alpha=2))
    """
    source = _varied_continuum(tuple(categories), seed, broken=True)
    try:
        bound = bind(dissimilarity, source)
    except DataError:
        source = _varied_continuum(tuple(categories), seed)
        bound = bind(dissimilarity, source)
    units = unit_columns(source)
    distances = _broadcast(bound, units)
    name = type(dissimilarity).__name__
    promises = _Said(name, units, distances)
    promises.require(~np.isnan(distances), "is NaN (not a number)")
    promises.require(distances >= 0, "is not >= 0")
    promises.require(distances == distances.T, "is not symmetric", both=True)
    _check_zeros(promises, blind_to(dissimilarity), source)
    _check_reach(promises, bound)
    _remark_bounded(name, bound, distances)
    for kind in invariant:
        changed = CHANGES[kind](source)
        changed_distances = _broadcast(bind(dissimilarity, changed), unit_columns(changed))
        close = np.isclose(changed_distances, distances, rtol=1e-9, atol=1e-12)
        promises.require(close, f"changes with {kind}", then=changed_distances)


@dataclass(frozen=True)
class _Said:
    """Values of a dissimilarity for every pair of units."""

    name: str
    units: UnitColumns
    distances: Floats

    def require(
        self, holds: Bools, broken: str, *, both: bool = False, then: Floats | None = None
    ) -> None:
        """Raise an AssertionError with the first pair for which `holds` is false, and its value.

        With `both`, the message also has the value of the exchanged pair; with `then`, the value in
        this other table.
        """
        for i, j in np.argwhere(~holds)[:1].tolist():
            pair = f"d({self._unit(i)}, {self._unit(j)}) = {self.distances[i, j]:g}"
            if both:
                pair += f", the other way round {self.distances[j, i]:g}"
            else:
                pair += ""
            if then is None:
                pair += ""
            else:
                pair += f", then {then[i, j]:g}"
            raise AssertionError(f"{self.name} {broken}: {pair}")

    def _unit(self, row: int) -> str:
        code = int(self.units.category[row])
        if code < 0:
            label = "unlabelled"
        else:
            label = self.units.categories[code]
        return f"[{self.units.start[row]:g}, {self.units.end[row]:g}] {label}"


def _varied_continuum(categories: tuple[str, ...], seed: int, *, broken: bool = False) -> Continuum:
    generator = np.random.default_rng(seed)
    labels = [*categories, None]
    rows = [
        Unit(annotator, start, start + length, labels[generator.integers(len(labels))])
        for annotator, start, length in product("AB", _POSITIONS, (0.0, 1.0, 3.0, 10.0))
    ]
    rows += [Unit("A", 5.0, 8.0, label) for label in labels]
    rows += [
        Unit(name, s, s + cut[-1][1], labels[0], tuple((s + low, s + high) for low, high in cut))
        for name, s, cut in product("AB", (0.0, 3.5, 10.0, 40.0), _CUTS if broken else ())
    ]
    return Continuum.from_units(rows, categories=categories)


def _broadcast(bound: BoundDissimilarity, units: UnitColumns) -> Floats:
    table = np.asarray(bound.pairwise(units[:, None], units[None, :]))
    size = len(units.start)
    require(table.shape == (size, size), type(bound).__name__, "does not broadcast")
    rows = np.asarray(bound.pairwise(units, units[::-1]))
    straight = table[np.arange(size), np.arange(size)[::-1]]
    same = np.array_equal(rows, straight, equal_nan=True)
    require(same, type(bound).__name__, "depends on the columns' shape")
    return table


def _check_zeros(promises: _Said, blind_to: frozenset[str], source: Continuum) -> None:
    units, distances = promises.units, promises.distances
    inside = np.zeros(len(units.start)) if source.inside is None else ranks(source.inside)
    equal = np.ones(distances.shape, np.bool_)
    indistinct = np.ones(distances.shape, np.bool_)
    for part in ("start", "end", "category", "fragments"):
        if part == "fragments":
            column = inside
        else:
            column = getattr(units, part)
        same = column[:, None] == column[None, :]
        equal &= same
        if part not in blind_to:
            indistinct &= same
    promises.require(~equal | (distances == 0), "is not 0 for equal units")
    promises.require(indistinct | (distances > 0), "is 0 for different units")


def _check_reach(promises: _Said, bound: BoundDissimilarity) -> None:
    units, distances = promises.units, promises.distances
    apart = np.abs(units.start[:, None] - units.start[None, :])
    lengths = units.length[:, None] + units.length[None, :]
    for most in (0.0, 0.01, 0.3, 1.0, 4.0, 30.0):
        absolute, relative = bound.reach(most)
        beyond = apart > absolute + relative * lengths
        promises.require(~beyond | (distances > most), f"comes to {most:g} beyond its reach")


def _remark_bounded(name: str, bound: BoundDissimilarity, distances: Floats) -> None:
    """Warn unless some pair costs too much for any group of three annotators.

    The limit is 2Δ + C(3, 2)·Δ: above it, removing one of both units from the group always lowers
    the cost, whatever the third unit is.
    """
    largest = float(distances.max())
    bearable = 5 * bound.delta
    if largest <= bearable:
        warnings.warn(
            f"{name} is at most {largest:g} here, and with three annotators a pair is worth "
            f"aligning up to {bearable:g} (5Δ): no pair is ever ruled out by its distance, which "
            "makes alignments many times slower. Let it grow with the distance, or be infinite",
            UserWarning,
            stacklevel=3,
        )


def units(
    *,
    annotators: Sequence[str] = ("A", "B", "C"),
    categories: Sequence[str | None] = ("a", "b", None),
    last: int = 20,
) -> SearchStrategy[Unit]:
    """Return a Hypothesis strategy of units that start at whole positions 0 … `last`, length 0 … 8.

    Parameters
    ----------
    annotators, categories
        Names to draw from; the category None is unlabelled.
    """
    from hypothesis import strategies as st

    return st.builds(
        lambda annotator, start, length, category: Unit(annotator, start, start + length, category),
        st.sampled_from(annotators),
        st.integers(0, last),
        st.integers(0, 8),
        st.sampled_from(categories),
    )


def continua(
    *,
    n_annotators: int | tuple[int, int] = (2, 4),
    n_units: tuple[int, int] = (1, 10),
    categories: Sequence[str | None] = ("a", "b", None),
    last: int = 20,
) -> SearchStrategy[Continuum]:
    """Return a Hypothesis strategy of continua with empty annotators, overlaps and duplicates.

    `n_annotators` and `n_units` are pairs (least, most); `n_units` counts the units of all
    annotators together.

    Parameters
    ----------
    categories
        Categories to draw from; None is unlabelled.
    last
        The last position at which a unit may start.
    """
    from hypothesis import strategies as st

    least, most = (n_annotators, n_annotators) if isinstance(n_annotators, int) else n_annotators
    names = [f"A{i}" for i in range(most)]
    labels = [c for c in categories if c is not None]
    return st.integers(least, most).flatmap(
        lambda n: st.lists(
            units(annotators=names[:n], categories=categories, last=last),
            min_size=n_units[0],
            max_size=n_units[1],
        ).map(lambda rows: Continuum.from_units(rows, annotators=names[:n], categories=labels))
    )
