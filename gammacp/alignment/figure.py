"""Alignments as pictures: a lane per annotator, unitary alignments joined, disorder as shade."""

from __future__ import annotations

import numpy as np

from gammacp.alignment.alignment import Alignment
from gammacp.alignment.problem import Status
from gammacp.base.lane_pictures import lane_panels
from gammacp.base.lanes import Lanes
from gammacp.base.pictures import Picture
from gammacp.base.text import counted, sentence, visible
from gammacp.errors import DataError


def picture_of(alignment: Alignment, width: float) -> Picture:
    """Return the picture of an alignment.

    Parameters
    ----------
    alignment
        The alignment to draw.
    width
        Width of the figure, in inches.

    Raises
    ------
    DataError
        There is no unit.
    """
    if not alignment.continuum.n_units:
        raise DataError("there is nothing to draw: no unit")
    panels, notes, finish = lane_panels(lanes_of(alignment), width)
    return Picture(panels, " ".join([*caption_of(alignment), *notes]), finish=finish)


def lanes_of(alignment: Alignment) -> Lanes:
    """Return a lane of units for each annotator, with the unitary alignments as groups of units.

    Parameters
    ----------
    alignment
        An alignment of at least one unit.
    """
    continuum = alignment.continuum
    groups = alignment.groups
    occupied = groups >= 0
    joined = np.zeros(continuum.n_units, np.bool_)
    joined[groups[(occupied.sum(axis=1) > 1)[:, None] & occupied]] = True
    pieces = {}
    if continuum.breaks is not None:
        for row in range(continuum.n_units):
            if parts := continuum.unit(row).fragments:
                pieces[row] = tuple((float(a), float(b)) for a, b in parts)
    return Lanes(
        names=continuum.annotators,
        lane=continuum.annotator_codes,
        start=continuum.starts,
        end=continuum.ends,
        labels=tuple(continuum.category_of(row) for row in range(continuum.n_units)),
        pieces=pieces,
        groups=groups,
        cost=alignment.disorders,
        hollow=~joined,
        offset_unit=continuum.offset_unit,
        scale=("disorder", max(alignment.dissimilarity.delta, float(alignment.disorders.max()))),
    )


def caption_of(alignment: Alignment) -> list[str]:
    """Return the caption: how much is drawn, its disorder, and what the drawing means.

    Parameters
    ----------
    alignment
        The alignment that is drawn.
    """
    continuum = alignment.continuum
    if continuum.name:
        begin = f"{visible(continuum.name)}: "
    else:
        begin = ""
    words = [
        f"{begin}{counted(continuum.n_annotators, 'annotator')}, "
        f"{counted(continuum.n_units, 'unit')} in "
        f"{counted(len(alignment), 'unitary alignment')}.",
        f"Disorder {alignment.disorder:.3f}{_proof(alignment)}.",
        "The darker, the more disorder.",
    ]
    if (np.count_nonzero(alignment.groups >= 0, axis=1) == 1).any():
        words.append("Dashed: marked by one annotator alone.")
    words += [sentence(note) for note in alignment.notes if alignment.status is Status.OPTIMAL]
    if continuum.shapes is not None:
        words.append("Only the first axis is drawn.")
    empty = continuum.n_annotators - len(np.unique(continuum.annotator_codes))
    if empty:
        words.append(f"{counted(empty, 'annotator')} without units.")
    return words


def _proof(alignment: Alignment) -> str:
    if alignment.status is Status.OPTIMAL:
        return ", proven to be the least"
    return f", not proven to be the least (at least {alignment.bound:.3f})"
