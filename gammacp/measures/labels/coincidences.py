"""Observed and expected coincidences of labels, for Krippendorff's unitizing coefficients.

Krippendorff, Mathet, Bouvry & Widlöcher (2016); conventions in
`gammacp.measures.unitizing.krippendorff`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.chance.beyond import ratios
from gammacp.continuum import Continuum
from gammacp.measures.counting import Counts, Numbers, Rates, share
from gammacp.measures.unitizing.sections import GAP, Sections, intersections, sections_of, units_of


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
        Number of intersections that have these two labels.
    possible
        ℓ.. of all sections, m·L.
    counts
        Counts that the coincidences are made of.
    """

    labels: tuple[str, ...]
    observed: Floats
    expected: Floats
    pairs: Floats
    possible: float
    counts: Counts

    @classmethod
    def of(cls, counts: Counts) -> Coincidences:
        """Return the coincidences of one document.

        Parameters
        ----------
        counts
            Counts of one party.
        """
        numbers = {name: values[0] for name, values in counts.numbers.items()}
        return cls(
            counts.labels,
            numbers["observed"],
            expected_coincidences(numbers["marginal"], numbers["alone"]),
            numbers["pairs"],
            float(numbers["possible"]),
            counts,
        )

    @property
    def total(self) -> float:
        """ℓ.., the sum of the observed coincidences."""
        return float(self.observed.sum())


def expected_coincidences(marginal: Floats, alone: Floats) -> Floats:
    """Return ε_ck, which pairs every position with every other one, except pairs that cannot meet.

    Parameters
    ----------
    marginal
        ℓ_c of each label, shape (…, labels).
    alone
        Number of pairs of positions of each label that cannot meet, of the same shape.

    Returns
    -------
    array
        Matrix with the same sum as `marginal`, shape (…, labels, labels); NaN if no pair can meet.
    """
    total = marginal.sum(axis=-1)[..., None, None]
    possible = total**2 - alone.sum(axis=-1)[..., None, None]
    together = marginal[..., :, None] * marginal[..., None, :]
    together = together - alone[..., None] * np.eye(alone.shape[-1])
    with np.errstate(invalid="ignore", divide="ignore"):
        # Below zero when a single pair of annotators out of many has anything in common.
        expected: Floats = np.where(possible > 0, together * (total / possible), math.nan)
    return np.where(total == 0, 0.0, expected)


def coincidence_rates(numbers: Numbers, *, squared: Floats) -> Rates:
    """Return 1 − D_o/D_e of coincidences.

    Parameters
    ----------
    numbers
        `observed`, `marginal`, `alone` and `units`.
    squared
        δ² of labels, shape (labels, labels).
    """
    coincidences = numbers["observed"]
    total = coincidences.sum(axis=(-2, -1))
    chance = expected_coincidences(numbers["marginal"], numbers["alone"])
    observed = share((squared * coincidences).sum(axis=(-2, -1)), total)
    expected = share((squared * chance).sum(axis=(-2, -1)), total)
    return Rates(
        value=ratios(observed, expected),
        disagreement=observed,
        size=numbers["units"],
        expected=expected,
        most=float(squared.max(initial=0.0)),
    )


def count_sections(continuum: Continuum, atom: float) -> Counts:
    """Count ℓ_ck and what ε_ck is made of over units and gaps.

    Parameters
    ----------
    continuum
        Units of one annotator must not overlap; the gap is the last label.
    atom
        τ, the length of a position.
    """
    sections = sections_of(continuum)
    lengths, pairs = _count(sections)
    marginal = sections.label_lengths().sum(axis=0)
    with_itself = np.bincount(sections.labels, sections.lengths**2, minlength=len(sections.names))
    with_itself[-1] = atom * marginal[-1]
    return _together(
        continuum,
        sections.names,
        observed=lengths / (sections.n_annotators - 1),
        marginal=marginal,
        alone=with_itself,
        pairs=pairs,
        possible=np.array(marginal.sum()),
    )


def count_units_and_gaps(continuum: Continuum, atom: float) -> Counts:
    """Count ℓ_ck and what ε_ck is made of with two labels, unit and gap.

    Parameters
    ----------
    continuum, atom
        As for `count_sections`.
    """
    counts = count_sections(continuum, atom)
    numbers = dict(counts.numbers)
    for name, values in counts.numbers.items():
        if values.ndim > 1:
            fold = _fold if values.ndim > 2 else _fold_row
            numbers[name] = fold(values[0])[None]
    return Counts(counts.parties, numbers, ("unit", GAP))


def count_intersections(continuum: Continuum) -> Counts:
    """Count ℓ*_ck and what ε*_ck is made of over intersecting units.

    Parameters
    ----------
    continuum
        Units may overlap within an annotator.
    """
    units = units_of(continuum)
    lengths, pairs = _count(units)
    others = units.n_annotators - 1
    observed = lengths / others
    squares = np.bincount(units.labels, _squared_cover(units), minlength=len(units.names))
    return _together(
        continuum,
        units.names,
        observed=observed,
        marginal=observed.sum(axis=0),
        alone=squares / others,
        pairs=pairs,
        possible=np.array(units.n_annotators * continuum.length),
    )


def _together(
    continuum: Continuum, labels: tuple[str, ...], **numbers: np.ndarray[Any, Any]
) -> Counts:
    """Return counts of all annotators together, with their mean number of units."""
    units = np.array([continuum.mean_units])
    columns = {name: values[None].astype(np.float64) for name, values in numbers.items()}
    return Counts((continuum.annotators,), {**columns, "units": units}, labels)


def _count(sections: Sections) -> tuple[Floats, Floats]:
    """Return ℓ_ck · (m − 1), and the number of intersections by label, both symmetric."""
    k = len(sections.names)
    shared = np.zeros(k * k)
    pairs = np.zeros(k * k)
    for met in intersections(sections):
        cell = sections.labels[met.first].astype(np.int64) * k + sections.labels[met.second]
        shared += np.bincount(cell, met.lengths, minlength=k * k)
        pairs += np.bincount(cell, minlength=k * k)
    lengths = shared.reshape(k, k)
    counts = pairs.reshape(k, k)
    return lengths + lengths.T, counts + counts.T - np.diag(np.diag(counts))


def _squared_cover(sections: Sections) -> Floats:
    """Return Σ_j (Σ_{h∈j} ℓ(g∩h))² over other annotators j, for each section g."""
    n = len(sections.starts)
    m = sections.n_annotators
    covered = np.zeros(n * m)
    for met in intersections(sections):
        for g, h in ((met.first, met.second), (met.second, met.first)):
            cell = g * m + sections.annotators[h]
            covered += np.bincount(cell, met.lengths, minlength=n * m)
    squares: Floats = (covered.reshape(n, m) ** 2).sum(axis=1)
    return squares


def _fold_row(row: Floats) -> Floats:
    """Merge all labels except the last one (the gap)."""
    return np.array([row[:-1].sum(), row[-1]])


def _fold(matrix: Floats) -> Floats:
    """Merge all labels except the last one (the gap), which gives a 2 × 2 matrix."""
    kinds = np.array([[matrix[:-1, :-1].sum(), matrix[:-1, -1].sum()], [0.0, matrix[-1, -1]]])
    kinds[1, 0] = kinds[0, 1]
    return kinds
