"""κ_d: a coefficient of categorisation over positions, blanks being one more category.

Mathet, Widlöcher & Métivier (2015), §6.2: every position of the continuum is an item, and what
covers it is its category. It is computed from the intersections of sections, so its cost depends
on the number of units and positions may be real numbers.
"""

import math

import numpy as np

from gammacp.base.arguments import one_of
from gammacp.base.signature import signature
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need, require
from gammacp.measures.counting import Counts
from gammacp.measures.labels.coefficients import (
    COEFFICIENTS,
    coefficient_score,
    counting_of_choices,
    counts_of_choices,
    disagreement_of_choices,
)
from gammacp.measures.registry import registered
from gammacp.measures.score import Score, undefined
from gammacp.measures.unitizing.sections import NO_LENGTH, atom_of, intersections, sections_of


def count_positions(
    continuum: Continuum, *, coefficient: str = "fleiss", atom: float | None = None
) -> Counts:
    """Count over how many positions annotators choose which category, and differ.

    Parameters
    ----------
    continuum
        Units of one annotator must not overlap.
    coefficient, atom
        As for `kappa_d`.
    """
    sections = sections_of(continuum)
    m = sections.n_annotators
    length = continuum.length
    unlike_lengths = np.zeros(m * m)
    for met in intersections(sections):
        unlike = sections.labels[met.first] != sections.labels[met.second]
        i = sections.annotators[met.first[unlike]].astype(np.int64)
        j = sections.annotators[met.second[unlike]]
        unlike_lengths += np.bincount(i * m + j, met.lengths[unlike], minlength=m * m)
    square = unlike_lengths.reshape(m, m)
    if coefficient == "alpha":
        tau = atom_of(continuum, atom)
    else:
        tau = 0.0
    return counts_of_choices(
        continuum,
        coefficient,
        sections.label_lengths(),
        square + square.T,
        items=length,
        values=length / tau if tau else math.inf,
        units=continuum.mean_units,
        labels=sections.names,
    )


@registered(
    "kappa-d",
    "Fleiss' K over positions, blanks being a category",
    "Mathet, Widlöcher & Métivier 2015, §6.2",
    needs={Need.NO_OVERLAP},
    range="[−1, 1]",
    disagreement=disagreement_of_choices,
    fragments="atoms",
    counting=counting_of_choices(count_positions),
)
def kappa_d(
    continuum: Continuum, *, coefficient: str = "fleiss", atom: float | None = None
) -> Score:
    """κ_d of a continuum whose units do not overlap within an annotator.

    Parameters
    ----------
    coefficient
        "fleiss" (default), "cohen" (mean over pairs), "conger" or "alpha": see
        `gammacp.measures.labels.coefficients`.
    atom
        Length of a position. It matters only to "alpha", which counts positions; by default 1 for
        whole numbers, and the limit 0 otherwise.

    Worked values (L = 24, Bertha 1 on [1,9) and [13,19), Bill 1 on [3,7) and [14,16)): cohen
    0.384615, fleiss (Scott's π for two) 0.314286, alpha 0.328571.

    Raises
    ------
    DataError
        Units of one annotator overlap (the unit is named), or nothing can be compared.
    UsageError
        The coefficient is unknown.
    """
    one_of("coefficient", coefficient, COEFFICIENTS)
    require(continuum, {Need.NO_OVERLAP})
    if coefficient == "alpha":
        tau = atom_of(continuum, atom)
    else:
        tau = None
    line = signature("kappa-d", selection=continuum.selection, coefficient=coefficient, atom=tau)
    if continuum.length == 0:
        return undefined(NO_LENGTH, signature=line)
    counts = count_positions(continuum, coefficient=coefficient, atom=atom)
    return coefficient_score(counts, coefficient, line)
