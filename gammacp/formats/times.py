"""Milliseconds and seconds."""

from dataclasses import replace

from gammacp.continuum import Continuum
from gammacp.continuum.fragments import column
from gammacp.continuum.shapes import Shape
from gammacp.formats.spans import MILLISECONDS, SECONDS


def in_seconds(continuum: Continuum) -> Continuum:
    """The continuum with milliseconds turned into seconds; in any other unit as it is."""
    if continuum.offset_unit != MILLISECONDS:
        return continuum
    low, high = continuum.bounds
    breaks = continuum.breaks
    if breaks is not None:
        breaks = column(
            b.along(lambda x: x / 1000) if isinstance(b, Shape) else tuple(x / 1000 for x in b)
            for b in breaks
        )
    return replace(
        continuum,
        starts=continuum.starts / 1000,
        ends=continuum.ends / 1000,
        breaks=breaks,
        bounds=(low / 1000, high / 1000),
        offset_unit=SECONDS,
    )
