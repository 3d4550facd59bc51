"""Segmentations out of a continuum that every annotator covers without gaps."""

from __future__ import annotations

import numpy as np

from gammacp.arrays import Floats
from gammacp.continuum import Continuum
from gammacp.errors import DataError
from gammacp.needs import Need, unmet_need
from gammacp.segmentation.value import Segmentation


def inner_boundaries(continuum: Continuum) -> dict[str, Floats]:
    """Per annotator, where one unit ends and the next begins, counted from the first bound.

    Categories do not count. A DataError names the gap or overlap where an annotator's units do
    not tile the bounds, and the unit that has no length.

    Parameters
    ----------
    continuum
        Units of every annotator cover its bounds; positions may be real.
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


def from_continuum(continuum: Continuum) -> dict[str, Segmentation]:
    """Each annotator's segmentation of a full-covering continuum with whole positions.

    One base unit is one unit of the continuum's positions.

    Parameters
    ----------
    continuum
        Its positions are whole numbers.

    Raises
    ------
    DataError
        They are not, or somebody's units do not tile the bounds.
    """
    reason = unmet_need(continuum, {Need.INTEGERS})
    if reason is not None:
        raise DataError(reason, hint="Count in base units: sentences, tokens, milliseconds")
    boundaries = inner_boundaries(continuum)
    mass = int(continuum.length)
    return {
        name: Segmentation.from_positions(places.astype(np.int64).tolist(), mass=mass)
        for name, places in boundaries.items()
    }
