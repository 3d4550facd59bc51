"""Segmentations from continua that every annotator covers without gaps."""

from dataclasses import replace

import numpy as np

from gammacp.base.arguments import number
from gammacp.base.arrays import Floats
from gammacp.base.text import UNLABELLED
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need, unmet_need
from gammacp.errors import DataError, UsageError
from gammacp.segmentation.measures.value import Segmentation


def inner_boundaries(continuum: Continuum) -> dict[str, Floats]:
    """Return the boundaries between the units of each annotator, counted from the first bound.

    Categories are ignored. A DataError names the gap or overlap where units do not tile the bounds,
    or the unit of length 0.

    Parameters
    ----------
    continuum
        Continuum that the units of every annotator cover; positions may be real numbers.
    """
    reason = unmet_need(continuum, {Need.FULL_COVERING})
    if reason is not None:
        raise DataError(reason, hint="A segmentation covers the continuum once, without gaps")
    for row in np.flatnonzero(continuum.lengths == 0)[:1]:
        unit = continuum.unit(row)
        raise DataError(f"unit {unit.start:g}-{unit.end:g} of {unit.annotator} has no length")
    origin = continuum.bounds[0]
    return {
        name: continuum.ends[continuum.rows_of(name)][:-1] - origin for name in continuum.annotators
    }


def _close_gaps(continuum: Continuum, unit: float) -> Continuum:
    """Close gaps and overlaps that vanish when positions are rounded to base units.

    Those smaller than half a base unit are closed as well, even if their two sides are rounded to
    different places. The boundary is then where the earlier unit ends.
    """
    low, high = continuum.bounds
    starts = continuum.starts.copy()
    ends = continuum.ends.copy()

    for name in continuum.annotators:
        rows = continuum.rows_of(name)
        before = np.append(low, ends[rows])
        after = np.append(starts[rows], high)
        rounded = [np.floor((x - low) / unit + 0.5) for x in (before, after)]
        shut = (rounded[0] == rounded[1]) | (np.abs(after - before) < unit / 2)
        starts[rows] = np.where(shut, before, after)[:-1]
        ends[rows][-1:] = np.where(shut, after, before)[-1:]
    return replace(continuum, starts=starts, ends=ends)


def from_continuum(
    continuum: Continuum, *, unit: float | None = None, typed: bool = False
) -> dict[str, Segmentation]:
    """Return each annotator's segmentation of a full-covering continuum.

    Parameters
    ----------
    continuum
        Continuum; if `unit` is None, positions must be whole numbers of base units.
    unit
        Length of a base unit in the positions of the continuum, > 0. Boundaries are rounded to base
        units. A gap or overlap is ignored if its two sides are rounded to the same place, or if it
        is less than half a base unit.
    typed
        Whether the type of a boundary is the category of the unit that ends there, as for prosodic
        units and turns. Otherwise all boundaries have one type.

    Raises
    ------
    DataError
        Positions are not whole numbers, an annotator's units do not tile the bounds, or two
        boundaries of an annotator coincide after rounding.
    UsageError
        The unit is not positive.
    """
    if unit is not None and number("unit", unit) <= 0:
        raise UsageError(f"unit {unit:g} is not positive")
    if unit is None:
        reason = unmet_need(continuum, {Need.INTEGERS})
    else:
        reason = None
    if reason is not None:
        raise DataError(reason, hint="Count in base units (tokens, milliseconds), or say `unit=`")
    boundaries = inner_boundaries(continuum if unit is None else _close_gaps(continuum, unit))
    mass = int(np.floor(continuum.length / (unit or 1.0) + 0.5))
    segmentations = {}
    for name, positions in boundaries.items():
        places = np.floor(positions / (unit or 1.0) + 0.5).astype(np.int64)
        near = np.flatnonzero(np.diff(places, prepend=0, append=mass) < 1)
        if unit is not None and len(near):
            k = min(int(near[0]), len(places) - 1)
            if len(places):
                at = f"boundary {positions[k] + continuum.bounds[0]:g} of {name}"
            else:
                at = name
            raise DataError(
                f"{at} coincides with another one or an end, in base units of {unit:g}",
                hint="Take a smaller `unit=`",
            )
        if typed:
            codes = continuum.category_codes[continuum.rows_of(name)][:-1]
            names = (*continuum.categories, UNLABELLED)
            positions_by_type = {
                names[code]: places[codes == code].tolist() for code in np.unique(codes)
            }
            if (continuum.category_codes < 0).any():
                used = names
            else:
                used = continuum.categories
            segmentations[name] = Segmentation.from_typed(positions_by_type, mass=mass, types=used)
        else:
            segmentations[name] = Segmentation.from_positions(places.tolist(), mass=mass)
    return segmentations
