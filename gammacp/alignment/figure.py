"""Pictures of alignments: a lane per annotator, unitary alignments connected, disorder as shade."""

from __future__ import annotations

import numpy as np

from gammacp.alignment.alignment import Alignment
from gammacp.alignment.problem import Status
from gammacp.base.arrays import Codes, Indices
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
    return Picture(panels, " ".join([*caption_sentences(alignment), *notes]), finish=finish)


def lanes_of(alignment: Alignment) -> Lanes:
    """Return a lane of units for each annotator, with the unitary alignments as groups of units.

    Parameters
    ----------
    alignment
        An alignment of at least one unit.
    """
    continuum = alignment.continuum
    groups = alignment.groups
    shared_groups = groups[_group_sizes(groups) > 1]
    is_aligned = np.zeros(continuum.n_units, np.bool_)
    is_aligned[shared_groups[shared_groups >= 0]] = True
    pieces = {}
    # Without breaks no unit has fragments; making all units takes long.
    if continuum.breaks is not None:
        for row in range(continuum.n_units):
            if fragments := continuum.unit(row).fragments:
                pieces[row] = tuple((float(a), float(b)) for a, b in fragments)
    # At least up to Δ, the cost of a unit alone, so that pictures can be compared.
    largest = max(alignment.dissimilarity.delta, float(alignment.disorders.max()))
    return Lanes(
        names=continuum.annotators,
        lane=continuum.annotator_codes,
        start=continuum.starts,
        end=continuum.ends,
        labels=tuple(continuum.category_of(row) for row in range(continuum.n_units)),
        pieces=pieces,
        groups=groups,
        cost=alignment.disorders,
        hollow=~is_aligned,
        offset_unit=continuum.offset_unit,
        scale=("disorder", largest),
    )


def caption_sentences(alignment: Alignment) -> list[str]:
    """Return the caption's sentences: what is drawn, its disorder, and how to read the picture.

    Parameters
    ----------
    alignment
        The alignment that is drawn.
    """
    continuum = alignment.continuum
    if continuum.name:
        prefix = f"{visible(continuum.name)}: "
    else:
        prefix = ""
    sentences = [
        f"{prefix}{counted(continuum.n_annotators, 'annotator')}, "
        f"{counted(continuum.n_units, 'unit')} in "
        f"{counted(len(alignment), 'unitary alignment')}.",
        f"Disorder {alignment.disorder:.3f}{_proof_clause(alignment)}.",
        "The darker, the more disorder.",
    ]
    if (_group_sizes(alignment.groups) == 1).any():
        sentences.append("Dashed: marked by one annotator alone.")
    if alignment.status is Status.OPTIMAL:
        # Otherwise the notes would repeat that it is not proven.
        sentences += map(sentence, alignment.notes)
    if continuum.shapes is not None:
        sentences.append("Only the first axis is drawn.")
    empty = continuum.n_annotators - len(np.unique(continuum.annotator_codes))
    if empty:
        sentences.append(f"{counted(empty, 'annotator')} without units.")
    return sentences


def _group_sizes(groups: Codes) -> Indices:
    """Return the number of units of each group."""
    return np.asarray(np.count_nonzero(groups >= 0, axis=1))


def _proof_clause(alignment: Alignment) -> str:
    """Return the end of the sentence on disorder: whether it is proven minimal."""
    if alignment.status is Status.OPTIMAL:
        return ", proven to be the least"
    return f", not proven to be the least (at least {alignment.bound:.3f})"
