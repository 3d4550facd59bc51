"""SER: the slot error rate, from the best one-to-one alignment of overlapping units.

Makhoul, Kubala, Schwartz & Weischedel (1999), "Performance measures for information extraction";
Galibert et al. (2010) for the typed boundaries. It has no chance correction, needs a reference and
may exceed 1; for m annotators each is the reference of every other in turn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Bools, Indices
from gammacp.base.matching import largest_matching
from gammacp.base.signature import signature
from gammacp.continuum import Continuum
from gammacp.continuum.needs import require
from gammacp.measures.counting import Counting, Counts, Numbers, Rates, share
from gammacp.measures.matching.overlapping import Overlaps, overlaps
from gammacp.measures.registry import registered
from gammacp.measures.score import Score

# Of alignments with the same cost the one with more overlap is taken; the preference adds up to
# less than the smallest difference of two costs, 1/2.
_PREFERENCE = 0.25


@dataclass(frozen=True)
class SlotErrors:
    """Slot errors of the annotator `hypothesis` measured against the annotator `reference`.

    Attributes
    ----------
    type_errors, boundary_errors, both_errors
        T, B, TB: aligned units whose category, a boundary, or both differ.
    insertions, deletions
        I, D: unaligned units of the hypothesis, of the reference.
    correct
        Aligned units that are the same.
    aligned
        Rows of the continuum, shape (aligned units, 2): reference, hypothesis.
    """

    reference: str
    hypothesis: str
    type_errors: int
    boundary_errors: int
    both_errors: int
    insertions: int
    deletions: int
    correct: int
    aligned: Indices

    @property
    def units(self) -> int:
        """Units of the reference."""
        return len(self.aligned) + self.deletions

    @property
    def cost(self) -> float:
        """T/2 + B/2 + TB + I + D."""
        half = (self.type_errors + self.boundary_errors) / 2
        return half + self.both_errors + self.insertions + self.deletions

    @property
    def rate(self) -> float:
        """SER = cost / units; 0 if neither has a unit, NaN if only the reference has none."""
        return float(error_rates(_counts_of([self]).numbers).disagreement[0])


@dataclass(frozen=True, kw_only=True)
class SlotErrorScore(Score):
    """1 − SER, with the errors of every ordered pair of annotators; `observed` is SER itself."""

    pairs: tuple[SlotErrors, ...]


def error_rates(numbers: Numbers) -> Rates:
    """Return SER = cost / units of the reference: 0 if neither has a unit, NaN if only it has none.

    Parameters
    ----------
    numbers
        `cost`, `correct`, `first_units` (of the reference) and `second_units`.
    """
    first = numbers["first_units"]
    second = numbers["second_units"]
    error = np.where((first == 0) & (second == 0), 0.0, share(numbers["cost"], first))
    return Rates(
        value=1 - error,
        disagreement=error,
        size=first,
        recall=share(numbers["correct"], first),
        precision=share(numbers["correct"], second),
    )


def count_errors(continuum: Continuum) -> Counts:
    """Count what slot errors cost each ordered pair of annotators.

    Parameters
    ----------
    continuum
        At least two annotators.
    """
    return _counts_of(_errors_of_pairs(continuum))


def _counts_of(pairs: Sequence[SlotErrors]) -> Counts:
    columns = {
        "cost": [p.cost for p in pairs],
        "correct": [p.correct for p in pairs],
        "first_units": [p.units for p in pairs],
        "second_units": [p.units + p.insertions - p.deletions for p in pairs],
    }
    return Counts(
        tuple((p.reference, p.hypothesis) for p in pairs),
        {name: np.array(values, np.float64) for name, values in columns.items()},
        ordered=True,
    )


@registered(
    "ser",
    "1 − slot error rate, from the cheapest one-to-one alignment of overlapping units",
    "Makhoul et al. 1999; Galibert et al. 2010",
    chance_corrected=False,
    counting=Counting(count=count_errors, rates=error_rates, nothing="the references have no unit"),
)
def slot_error_rate(continuum: Continuum) -> SlotErrorScore:
    """Agreement 1 − SER of a continuum, the mean over ordered pairs of annotators.

    Costs: T and B ½, TB, I and D 1; a boundary differs unless it is the same number. Units may
    overlap, and unlabelled units are of one type. Undefined if an annotator without any unit is
    the reference of one with units.

    Worked value: reference (0,10,a)(15,25,b)(30,40,c)(50,60,a)(70,80,b), hypothesis
    (0,10,a)(15,25,a)(31,40,c)(49,60,b)(90,95,c): SER 0.8.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.

    Raises
    ------
    DataError
        There is one annotator, or no unit at all.
    """
    require(continuum)
    pairs = _errors_of_pairs(continuum)
    counts = _counts_of(pairs)
    rates = error_rates(counts.numbers).disagreement
    rate = float(np.mean(rates))
    empty = (pairs[k] for k in np.flatnonzero(np.isnan(rates)))
    reasons = (
        f"{p.reference} has no unit, so it cannot be a reference for {p.hypothesis}" for p in empty
    )
    reason = next(reasons, None)
    return SlotErrorScore(
        value=1 - rate,
        observed=None if reason else rate,
        reason=reason,
        signature=signature("ser", selection=continuum.selection),
        counts=counts,
        pairs=pairs,
    )


def _errors_of_pairs(continuum: Continuum) -> tuple[SlotErrors, ...]:
    """Return the errors of every ordered pair of annotators."""
    return tuple(
        errors
        for met in overlaps(continuum)
        for errors in _both_ways(continuum, met, _cheapest_alignment(continuum, met))
    )


def _unlike(c: Continuum, left: Indices, right: Indices) -> tuple[Bools, Bools]:
    """Return whether pairs differ in their categories, and in their boundaries."""
    typed = c.category_codes[left] != c.category_codes[right]
    return typed, (c.starts[left] != c.starts[right]) | (c.ends[left] != c.ends[right])


def _cheapest_alignment(continuum: Continuum, met: Overlaps) -> Indices:
    """Rows (left, right) of the cheapest alignment, shape (aligned, 2)."""
    typed, bounded = _unlike(continuum, met.left, met.right)
    costs = 0.5 * typed + 0.5 * bounded
    # Units whose only overlap is each other are aligned: that costs at most 1, not 2.
    alone = np.bincount(met.left)[met.left] == 1
    alone &= np.bincount(met.right)[met.right] == 1
    chosen = alone.copy()
    contested = np.flatnonzero(~alone)
    if len(contested):
        ratios = np.divide(met.lengths, met.spans, out=np.ones_like(costs), where=met.spans > 0)
        gains = 2 - costs + _PREFERENCE * ratios / (len(contested) + 1)
        left = met.left[contested]
        right = met.right[contested]
        chosen[contested[largest_matching(left, right, gains[contested])]] = True
    return np.stack((met.left[chosen], met.right[chosen]), axis=1)


def _both_ways(c: Continuum, met: Overlaps, aligned: Indices) -> Iterator[SlotErrors]:
    """Yield the errors of the second annotator by the first, and of the first by the second."""
    typed, bounded = _unlike(c, aligned[:, 0], aligned[:, 1])
    t, b, both = (
        int(np.count_nonzero(x)) for x in (typed & ~bounded, bounded & ~typed, typed & bounded)
    )
    for sides, rows in (
        ((met.first, met.second), aligned),
        ((met.second, met.first), aligned[:, ::-1]),
    ):
        reference, hypothesis = sides
        units, others = c.counts[[*sides]].tolist()
        yield SlotErrors(
            reference=c.annotators[reference],
            hypothesis=c.annotators[hypothesis],
            type_errors=t,
            boundary_errors=b,
            both_errors=both,
            insertions=others - len(rows),
            deletions=units - len(rows),
            correct=len(rows) - t - b - both,
            aligned=rows,
        )
