"""Declarations about a continuum: bounds, annotators, where reading stopped, grid, weight.

Each function returns a changed copy and notes the declaration in the signature.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from gammacp.base.arguments import number, several
from gammacp.base.signature import fingerprint, shortest
from gammacp.continuum.columns import Bounds, check_known, checked_bounds
from gammacp.continuum.continuum import Continuum
from gammacp.continuum.grid import Grid
from gammacp.errors import DataError, UsageError

# Share of a grid's step up to which a boundary counts as on the grid.
_OFF_GRID = 1e-6
# Length, in positions, of the shortest step whose share is taken.
_LEAST_STEP = 1e-3


def declare_weight(continuum: Continuum, weight: float) -> Continuum:
    """Return the same continuum with a weight: the number of documents that it represents.

    Parameters
    ----------
    continuum
        Continuum that gets the weight.
    weight
        Weight of a stratified sample: one over the share of its stratum that was drawn; > 0.

    Raises
    ------
    UsageError
        The weight is not a finite number > 0.
    """
    if not 0 < number("weight", weight) < math.inf:
        raise UsageError(f"weight {weight!r} is not a finite number > 0")
    return continuum.with_about(weight=float(weight))


def declare_bounds(continuum: Continuum, bounds: Bounds) -> Continuum:
    """Return a copy with other bounds.

    Parameters
    ----------
    continuum
        Continuum that gets the bounds.
    bounds
        Start and end; all units must lie inside.

    Raises
    ------
    DataError
        A unit lies outside the bounds, or they are not in order.
    """
    low, high = checked_bounds(bounds, continuum.starts, continuum.ends)
    until = tuple((a, position) for a, position in continuum.read_until if low <= position < high)
    if (low, high) == continuum.bounds:
        return continuum
    about = replace(continuum.about, read_until=until)
    about = about.noting("bounds", shortest(low), shortest(high))
    return replace(continuum, bounds=(low, high), about=about)


def declare_annotators(continuum: Continuum, names: Iterable[str]) -> Continuum:
    """Return the same continuum with further annotators that have no units.

    Parameters
    ----------
    continuum
        Continuum that gets the annotators.
    names
        Annotators to declare; those that are there already stay as they are.
    """
    distinct = dict.fromkeys(several("annotators", names))
    new = [name for name in distinct if name not in continuum.annotators]
    if not new:
        return continuum
    return replace(continuum, annotators=(*continuum.annotators, *new)).noting("annotators", *new)


def declare_read_until(continuum: Continuum, positions: Mapping[str, float]) -> Continuum:
    """Declare where annotators stopped reading; random continua move their units up to there.

    Parameters
    ----------
    continuum
        Continuum that gets the positions.
    positions
        Positions by annotator, within the bounds, and after the annotator's units.

    Raises
    ------
    DataError
        An annotator is unknown, a position lies outside the bounds or before units, or units
        are on an image or a scan.

    >>> from gammacp.continuum.unit import Unit
    >>> c = Continuum.from_units([Unit("Ann", 2, 9), Unit("Bob", 3, 40)])
    >>> stopped = declare_read_until(c, {"Ann": 12})
    >>> stopped.read("Ann"), stopped.read("Bob")
    (12.0, 40.0)
    """
    check_known(positions, continuum.annotators, "annotator")
    if positions and continuum.in_space:
        raise DataError(
            f"{continuum.n_units} units have shapes on an axis that is not time, so nobody reads "
            "along it",
            hint="Leave `read_until=` out; if the first axis is time, say so (in CSV with a "
            "line: # offset unit: s)",
        )
    low, high = continuum.bounds
    for name, position in positions.items():
        if not low <= position <= high:
            raise DataError(
                f"{name!r} read until {shortest(position)}, which lies outside the text, "
                f"{shortest(low)} to {shortest(high)}",
                hint="Say where the text ends with `bounds=`",
            )
        reached = float(continuum.ends[continuum.rows_of(name)].max(initial=low))
        if reached > position:
            raise DataError(
                f"{name!r} read until {shortest(position)}, but has units up to "
                f"{shortest(reached)}",
                hint=f"Give at least {shortest(reached)}",
            )
    until = dict(continuum.read_until)
    until.update((name, float(position)) for name, position in positions.items())
    # An annotator without a declaration has read everything, so reading to the end is not stored.
    early = sorted((name, position) for name, position in until.items() if position < high)
    if tuple(early) == continuum.read_until:
        return continuum
    stopped = continuum.with_about(read_until=tuple(early))
    return stopped.noting(
        "read-until", *(f"{name}:{shortest(position)}" for name, position in early)
    )


def declare_grid(continuum: Continuum, grid: Grid) -> Continuum:
    """Return a copy that declares that all boundaries of units lie on a grid.

    Parameters
    ----------
    continuum
        Continuum that gets the grid.
    grid
        Grid of words, frames, …

    Raises
    ------
    DataError
        A boundary lies on none of its places, or units have shapes.

    >>> from gammacp.continuum.unit import Unit
    >>> c = Continuum.from_units([Unit("Ann", 2, 9), Unit("Bob", 3, 40)])
    >>> declare_grid(c, Grid("frames", 0.5)).selection
    ('grid=0.5',)
    """
    if continuum.shapes is not None:
        raise DataError(
            f"a grid has one axis, but {continuum.n_units} units have shapes",
            hint="Leave `grid=` out, or read only the first axis with `read(shapes=no)`",
        )
    low = float(continuum.starts.min(initial=0.0))
    high = float(continuum.ends.max(initial=0.0))
    starts, ends = grid.edges(low, high)
    for edges, wanted in ((starts, continuum.starts), (ends, continuum.ends)):
        # With infinity appended, boundaries before the first or beyond the last place have two
        # neighbours, too (index −1 is infinity).
        near = np.append(edges, np.inf)
        after = np.searchsorted(edges, wanted)
        gap = np.minimum(np.abs(near[after] - wanted), np.abs(near[after - 1] - wanted))
        off = np.flatnonzero(gap > _OFF_GRID * max(grid.step, _LEAST_STEP))
        if off.size:
            unit = continuum.unit(int(off[0]))
            raise DataError(
                f"unit {shortest(unit.start)}-{shortest(unit.end)} of {unit.annotator!r} does not "
                "begin and end on the grid",
                hint="Give the grid that all units lie on, or leave `grid=` out",
            )
    if grid.step:
        what = shortest(grid.step)
    else:
        what = fingerprint(repr((grid.starts, grid.ends)))
    return continuum.with_about(grid=grid).noting("grid", what)
