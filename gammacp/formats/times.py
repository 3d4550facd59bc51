"""Conversion of milliseconds to seconds."""

from dataclasses import replace

from gammacp.continuum import Continuum
from gammacp.continuum.fragments import column
from gammacp.formats.spans import MILLISECONDS, SECONDS


def in_seconds(continuum: Continuum) -> Continuum:
    """Convert a continuum from milliseconds to seconds; return any other unit unchanged."""
    if continuum.offset_unit != MILLISECONDS:
        return continuum
    low, high = continuum.bounds
    breaks = continuum.breaks
    shapes = continuum.shapes
    if breaks is not None:
        breaks = column(tuple(x / 1000 for x in places) for places in breaks)
    if shapes is not None:
        shapes = column(shape.along(lambda x: x / 1000) for shape in shapes)
    return replace(
        continuum,
        starts=continuum.starts / 1000,
        ends=continuum.ends / 1000,
        breaks=breaks,
        shapes=shapes,
        bounds=(low / 1000, high / 1000),
        about=replace(continuum.about, offset_unit=SECONDS),
    )
