"""Copies of a continuum whose units of several fragments, or with shapes, are simpler."""

from dataclasses import replace

import numpy as np

from gammacp.continuum.columns import sort_columns
from gammacp.continuum.continuum import Continuum
from gammacp.continuum.fragments import column
from gammacp.continuum.shapes import Shape


def split_into_atoms(continuum: Continuum) -> Continuum:
    """Return each fragment as a unit of its own, without links.

    Parameters
    ----------
    continuum
        Continuum whose units are split.

    >>> from gammacp.continuum.unit import Unit
    >>> c = Continuum.from_units([Unit("Ann", 0, 9, "a", ((0, 2), (5, 9))), Unit("Bob", 3, 9)])
    >>> [(u.start, u.end) for u in split_into_atoms(c)], split_into_atoms(c).selection
    ([(0.0, 2.0), (5.0, 9.0), (3.0, 9.0)], ('fragments=atoms',))
    """
    if not continuum.n_broken:
        return continuum
    edges: list[tuple[float, float]] = []
    rows: list[int] = []
    for row, unit in enumerate(continuum):
        fragments = unit.fragments or ((unit.start, unit.end),)
        edges.extend(fragments)
        rows.extend([row] * len(fragments))
    starts, ends = np.array(edges).T
    columns = sort_columns(
        starts, ends, continuum.annotator_codes[rows], continuum.category_codes[rows]
    )
    return replace(continuum, **columns, links=()).noting("fragments", "atoms")


def reduce_to_hulls(continuum: Continuum) -> Continuum:
    """Return every unit as one piece, from its first start to its last end.

    Of shapes the extent on the first axis is left.

    Parameters
    ----------
    continuum
        Continuum whose units are reduced.
    """
    if continuum.inside is None:
        return continuum
    columns = sort_columns(
        continuum.starts,
        continuum.ends,
        continuum.annotator_codes,
        continuum.category_codes,
        None,
        continuum.ids,
    )
    hulls = replace(continuum, **columns)
    if continuum.shapes is None:
        return hulls.noting("fragments", "hulls")
    return hulls.noting("shapes", "no")


def enclose_in_boxes(continuum: Continuum) -> Continuum:
    """Return every unit with the box around its shape in the shape's place.

    Parameters
    ----------
    continuum
        Continuum whose units are enclosed.
    """
    if continuum.shapes is None or continuum.kinds == {"box"}:
        return continuum
    columns = sort_columns(
        continuum.starts,
        continuum.ends,
        continuum.annotator_codes,
        continuum.category_codes,
        column(Shape("box", s.extents) for s in continuum.shapes),
        continuum.ids,
    )
    return replace(continuum, **columns).noting("shapes", "boxes")
