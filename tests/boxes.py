"""Random boxes on several axes."""

from __future__ import annotations

import random

from gammacp import Continuum, Unit


def random_boxes(seed: int, axes: int, annotators: int, most: int) -> Continuum:
    """Return up to `most` boxes by each annotator, at whole positions.

    So boxes are often equal, touch or overlap.
    """
    r = random.Random(seed)
    units = []
    for name in "ABCD"[:annotators]:
        for _ in range(r.randint(0, most)):
            lows = [r.randint(0, 6) for _ in range(axes)]
            extents = [(low, low + r.randint(1, 5)) for low in lows]
            units.append(Unit.box(name, *extents, category=r.choice("ab")))
    units = units or [Unit.box("A", *[(0, 1)] * axes)]
    return Continuum.from_units(units, annotators="ABCD"[:annotators])
