"""Observed and expected coincidences of labels, for Krippendorff's unitizing coefficients.

Krippendorff, Mathet, Bouvry & Widlöcher (2016); conventions in `gammacp.measures.krippendorff`.
"""

import math
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.continuum import Continuum
from gammacp.measures.sections import GAP, Sections, intersections, sections_of, units_of


@dataclass(frozen=True)
class Coincidences:
    """Coincidences of labels, symmetric matrices of shape (labels, labels).

    Attributes
    ----------
    labels
        Names of rows and columns.
    observed, expected
        ℓ_ck and ε_ck in positions; `expected` is NaN where nothing can be expected.
    pairs
        How many intersections have these two labels.
    possible
        ℓ.. of all sections, m·L.
    """

    labels: tuple[str, ...]
    observed: Floats
    expected: Floats
    pairs: Floats
    possible: float

    @property
    def total(self) -> float:
        """ℓ.., the sum of the observed coincidences."""
        return float(self.observed.sum())


def of_sections(continuum: Continuum, atom: float) -> Coincidences:
    """ℓ_ck and ε_ck over units and gaps; the gap is the last label, `atom` is τ."""
    sections = sections_of(continuum)
    lengths, pairs = _count(sections)
    observed = lengths / (sections.n_annotators - 1)
    marginal = sections.label_lengths().sum(axis=0)
    total = float(marginal.sum())
    with_itself = np.bincount(sections.labels, sections.lengths**2, minlength=len(sections.names))
    with_itself[-1] = atom * marginal[-1]
    possible = total**2 - with_itself.sum()
    expected = np.outer(marginal, marginal) - np.diag(with_itself)
    if total:
        expected *= total / possible
    return Coincidences(sections.names, observed, expected, pairs, total)


def of_kinds(continuum: Continuum, atom: float) -> Coincidences:
    """The same with two labels, unit and gap."""
    of_labels = of_sections(continuum, atom)
    return Coincidences(
        ("unit", GAP),
        _fold(of_labels.observed),
        _fold(of_labels.expected),
        _fold(of_labels.pairs),
        of_labels.possible,
    )


def of_units(continuum: Continuum) -> Coincidences:
    """ℓ*_ck and ε*_ck over intersecting units, which may overlap within an annotator."""
    units = units_of(continuum)
    lengths, pairs = _count(units)
    others = units.n_annotators - 1
    observed = lengths / others
    marginal = observed.sum(axis=0)
    total = float(marginal.sum())
    squares = np.bincount(units.labels, _squared_cover(units), minlength=len(units.names))
    with_itself = squares / others
    expected = np.full_like(observed, math.nan)
    # Below zero when a single pair of annotators out of many has anything in common.
    possible = total**2 - float(with_itself.sum())
    if possible > 0:
        expected = (np.outer(marginal, marginal) - np.diag(with_itself)) * (total / possible)
    possible_length = units.n_annotators * continuum.length
    return Coincidences(units.names, observed, expected, pairs, possible_length)


def _count(sections: Sections) -> tuple[Floats, Floats]:
    """ℓ_ck · (m − 1) and the number of intersections by label, both symmetric."""
    k = len(sections.names)
    shared = np.zeros(k * k)
    pairs = np.zeros(k * k)
    for met in intersections(sections):
        cell = sections.labels[met.first].astype(np.int64) * k + sections.labels[met.second]
        shared += np.bincount(cell, met.lengths, minlength=k * k)
        pairs += np.bincount(cell, minlength=k * k)
    lengths, counts = shared.reshape(k, k), pairs.reshape(k, k)
    return lengths + lengths.T, counts + counts.T - np.diag(np.diag(counts))


def _squared_cover(sections: Sections) -> Floats:
    """Σ_j (Σ_{h∈j} ℓ(g∩h))² of each section g over the other annotators j, shape (sections,)."""
    n, m = len(sections.starts), sections.n_annotators
    covered = np.zeros(n * m)
    for met in intersections(sections):
        for g, h in ((met.first, met.second), (met.second, met.first)):
            cell = g * m + sections.annotators[h]
            covered += np.bincount(cell, met.lengths, minlength=n * m)
    squares: Floats = (covered.reshape(n, m) ** 2).sum(axis=1)
    return squares


def _fold(matrix: Floats) -> Floats:
    """All labels but the last (the gap) as one: a 2 × 2 matrix."""
    kinds = np.array([[matrix[:-1, :-1].sum(), matrix[:-1, -1].sum()], [0.0, matrix[-1, -1]]])
    kinds[1, 0] = kinds[0, 1]
    return kinds
