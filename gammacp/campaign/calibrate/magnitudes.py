"""Estimate the magnitudes of each annotator's mistakes, as the Corpus Shuffling Tool defines them.

The tool simulates annotators who miss, add, split, merge, mislabel and shift the units of a
reference (Mathet, Widlöcher & Métivier 2015, §6.3.1). This module solves the inverse problem: which
magnitude of each error would make the tool produce an annotator like this one? As there is no
reference, the other annotators take its place. The estimates therefore measure how an annotator
differs from the others. With fewer than three annotators it cannot be determined which one differs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from gammacp.alignment import Alignment
from gammacp.base.arrays import Bools, Codes, Floats
from gammacp.base.record_tables import record_of
from gammacp.base.signature import extend
from gammacp.campaign.calibrate.boundary_slots import PRESENT, UNKNOWN
from gammacp.campaign.calibrate.latent import (
    Patterns,
    rates_of,
    variances,
    wrong_labels,
)
from gammacp.campaign.calibrate.slots import Slots, slots_of
from gammacp.continuum import Continuum
from gammacp.continuum.needs import too_few_annotators
from gammacp.errors import DataError
from gammacp.measures.agreement import Agreement, agreement
from gammacp.measures.random_sets import Basis, Continua, named_continua
from gammacp.measures.settings import GammaOptions, Settings, spelled_out

ERRORS = ("merge", "split", "false-negative", "false-positive", "category", "position")
FEWEST_PEOPLE = 3
FEWEST_DOCUMENTS = 3
CONFIDENCE = 0.95
# Largest number of blocks of documents for the jackknife.
_BLOCKS = 40
# Ends are compared if they are at most this share of the unit's length apart, or this many times
# the median distance if that is more.
_LARGEST_SHIFT = 0.5
_LARGEST_SHIFT_BY_MEDIAN = 4.5
# Extent around an added unit, in lengths, in which another added unit counts as the same one.
_ADDED_MEET = 0.8
# Share of pairs of random cuts of a unit that are one boundary (`LARGEST_DISTANCE`).
_CUTS_MEET = 0.18
# Added to a count, this makes the spread of its square root nearly independent of the count
# (Anscombe 1948).
_ANSCOMBE = 3 / 8


@dataclass(frozen=True, kw_only=True)
class PersonalMagnitude:
    """Magnitude of one kind of error of one annotator.

    Attributes
    ----------
    annotator, error
        Name of the annotator, and name of the tool's error type.
    amount
        As in `gammacp calibrate`: units joined with a neighbour, cuts, units missed or added, per
        unit; the share of wrong labels; the largest shift as a share of the unit's length. None
        if it cannot be estimated.
    interval
        Confidence interval over documents. None if there are fewer than three documents or clusters
        of documents, or if one block of them has all the data.
    cases
        Number of slots from which the amount is estimated.
    reason
        Reason why there is no amount, or no interval.
    """

    annotator: str
    error: str
    amount: float | None = None
    interval: tuple[float, float] | None = None
    cases: int = 0
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return one magnitude as JSON has it."""
        return record_of(self, "annotator error amount interval cases reason")


@dataclass(frozen=True, kw_only=True)
class Magnitudes:
    """Magnitudes of everybody.

    Attributes
    ----------
    people
        One magnitude per annotator and error, annotators in their order.
    documents
        Number of documents with three or more annotators, on which the magnitudes are based.
    left_out
        Number of documents with fewer annotators, which are not used.
    signature
        Signature of γ, with what was read from its alignments.
    confidence
        Confidence of the intervals.
    """

    people: tuple[PersonalMagnitude, ...]
    documents: int
    left_out: int
    signature: str = ""
    confidence: float = CONFIDENCE

    def of(self, annotator: str, error: str) -> PersonalMagnitude:
        """Return the magnitude of an annotator's error."""
        for magnitude in self.people:
            if (magnitude.annotator, magnitude.error) == (annotator, error):
                return magnitude
        raise KeyError((annotator, error))

    @property
    def has_intervals(self) -> bool:
        """Return whether any magnitude has an interval."""
        return any(one.interval is not None for one in self.people)

    def as_dict(self) -> dict[str, Any]:
        """Return the magnitudes as JSON has them."""
        return {
            **record_of(self, "documents left_out confidence signature"),
            "people": [p.as_dict() for p in self.people],
            "notes": list(self.notes()),
        }

    def notes(self) -> tuple[str, ...]:
        """Return what a reader must know of the magnitudes."""
        notes = []
        if self.left_out:
            if self.left_out == 1:
                subject = "document has"
            else:
                subject = "documents have"
            notes.append(
                f"{self.left_out} {subject} fewer than {FEWEST_PEOPLE} annotators: of two who "
                "differ it cannot be said who does"
            )
        if 0 < self.documents < FEWEST_DOCUMENTS:
            notes.append(
                f"magnitudes have no interval: it takes {FEWEST_DOCUMENTS} documents with "
                f"{FEWEST_PEOPLE} annotators, and there are {self.documents}"
            )
        return tuple(notes)


@spelled_out
def magnitudes_of(
    continua: Continua,
    *,
    found: Agreement | None = None,
    executor: Executor | None = None,
    **options: Unpack[GammaOptions],
) -> Magnitudes:
    """Estimate how much of each mistake every annotator makes.

    Parameters
    ----------
    continua
        One continuum, or several of one campaign.
    found
        Agreement of these continua, if it is already computed with the same options.
    executor
        Processes that align random sets; the result is the same to the bit.
    options
        Options of `GammaOptions`.

    Raises
    ------
    DataError
        Units have shapes or several fragments (how many), or no document can be aligned.
    """
    named = named_continua(continua)
    refuse_pieces(named.values())
    names = dict.fromkeys(name for c in named.values() for name in c.annotators)
    if len(names) < 2:
        raise too_few_annotators(named.values(), "magnitudes need two annotators", ", ".join(names))
    if found is None:
        settings = Settings.of(**options).deciding([tuple(named.values())])
        found = agreement(Basis(named, settings, executor=executor))
    aligned = [score.alignment for score in found.computed.values()]
    if not aligned:
        raise DataError(f"no document has an alignment: {found.score.reason}")
    signature = extend(found.score.signature, magnitudes="slots")
    return replace(magnitudes_in(aligned), signature=signature)


def magnitudes_in(aligned: Sequence[Alignment]) -> Magnitudes:
    """Estimate the magnitudes from the best alignments of documents.

    Parameters
    ----------
    aligned
        One of each document; documents of fewer than three annotators are left out.
    """
    names = tuple(dict.fromkeys(n for a in aligned for n in a.continuum.annotators))
    usable = [a for a in aligned if a.continuum.n_annotators >= FEWEST_PEOPLE]
    left_out = len(aligned) - len(usable)
    if not usable:
        reason = f"no document has {FEWEST_PEOPLE} annotators"
        magnitudes = [
            PersonalMagnitude(annotator=n, error=e, reason=reason) for n in names for e in ERRORS
        ]
        return Magnitudes(people=tuple(magnitudes), documents=0, left_out=left_out)
    observations = _Observations.of(usable, names)
    full_estimate = observations.estimate(np.ones(len(usable)))
    blocks = _blocks(usable)
    values_without_block = []
    if len(blocks) >= FEWEST_DOCUMENTS:
        for block in blocks:
            weights = np.ones(len(usable))
            weights[block] = 0.0
            values_without_block.append(observations.estimate(weights).values)
    magnitudes = []
    for a, name in enumerate(names):
        for e, error in enumerate(ERRORS):
            value = float(full_estimate.values[a, e])
            cases = float(full_estimate.cases[a, e])
            parts = np.array([values[a, e] for values in values_without_block])
            magnitudes.append(_magnitude(name, error, value, cases, parts, observations.categories))
    return Magnitudes(people=tuple(magnitudes), documents=len(usable), left_out=left_out)


def refuse_pieces(continua: Iterable[Continuum]) -> None:
    """Raise a DataError if units are not single stretches, as merging and splitting need those."""
    listed = list(continua)
    shapes = sum(c.n_units for c in listed if c.shapes is not None)
    fragments = sum(c.n_broken for c in listed)
    for n, pieces in ((shapes, "shapes"), (fragments, "several fragments")):
        if n:
            if n == 1:
                one = "unit has"
            else:
                one = "units have"
            raise DataError(
                f"{n} {one} {pieces}: magnitudes are read from units of one piece",
                hint="Leave these units out, or read `hulls` of them",
            )


def _blocks(aligned: Sequence[Alignment]) -> list[Codes]:
    """Distribute documents over blocks, keeping the documents of a cluster together."""
    clusters: dict[str, list[int]] = {}
    for index, a in enumerate(aligned):
        # A document without a cluster is one by itself, under a name that no cluster has.
        clusters.setdefault(a.continuum.cluster or f"\0{index}", []).append(index)
    members = list(clusters.values())
    n = min(len(members), _BLOCKS)
    return [np.concatenate([np.array(m) for m in members[k::n]]) for k in range(n)]


@dataclass(frozen=True, eq=False)
class _Estimate:
    """Amounts and the number of cases behind each of them, shape (annotators, errors) each."""

    values: Floats
    cases: Floats


@dataclass(frozen=True, eq=False)
class _Observations:
    """Data from the slots of all documents.

    `labels` has a row for each slot with two labels or more, and `document` is the index of its
    document. `squares` and `pairs` are the sums and the numbers of squared differences of places,
    shape (documents, annotators, annotators). `crowding` is, for each document, the total length of
    the mean annotator's units divided by the length of the document.
    """

    units: Patterns
    boundaries: Patterns
    labels: Codes
    document: Codes
    categories: int
    squares: Floats
    pairs: Floats
    crowding: Floats

    @classmethod
    def of(cls, aligned: Sequence[Alignment], names: Sequence[str]) -> _Observations:
        index_of = {name: k for k, name in enumerate(names)}
        labels_of = {
            label: k
            for k, label in enumerate(
                dict.fromkeys(c for a in aligned for c in a.continuum.categories)
            )
        }
        n = len(aligned)
        n_annotators = len(names)
        units, boundaries, labels = ([] for _ in range(3))
        squares, pairs = np.zeros((2, n, n_annotators, n_annotators))
        for index, a in enumerate(aligned):
            c = a.continuum
            columns = np.array([index_of[name] for name in c.annotators])
            slots = slots_of(c, a.groups)
            units.append(_widen(slots.units, columns, n_annotators, -2))
            boundaries.append(_widen(slots.boundaries, columns, n_annotators, UNKNOWN))
            codes = np.array([*(labels_of[x] for x in c.categories), -1], np.int32)
            labels.append(_widen(_labels(c, slots, codes), columns, n_annotators, -1))
            squares[index], pairs[index] = _shifts(c, slots, columns, n_annotators)
        return cls(
            units=_patterns(units, lambda rows: rows >= 0, -2),
            boundaries=_patterns(boundaries, lambda rows: rows == PRESENT, UNKNOWN),
            labels=np.concatenate(labels),
            document=_document_of_rows(labels),
            categories=len(labels_of),
            squares=squares,
            pairs=pairs,
            crowding=np.array([_crowding(a.continuum) for a in aligned]),
        )

    def estimate(self, weights: Floats) -> _Estimate:
        """Return the amounts of everybody.

        Parameters
        ----------
        weights
            Weight of each document, shape (documents,).
        """
        crowded = float(weights @ self.crowding / weights.sum())
        units = rates_of(self.units, weights, _ADDED_MEET * crowded)
        boundaries = rates_of(self.boundaries, weights, _CUTS_MEET)
        # The rates are per boundary, but amounts are per unit. A document with b boundaries has
        # b + 1 units.
        boundaries_per_document = float(boundaries.real.max() / weights.sum())
        boundaries_per_unit = boundaries_per_document / (boundaries_per_document + 1)
        labels = np.full(len(units.failing), np.nan)
        if self.categories > 1:
            labels = wrong_labels(self.labels, self.categories, weights[self.document])
        pairs = np.tensordot(weights, self.pairs, 1)
        shifts = variances(np.tensordot(weights, self.squares, 1), pairs)
        labelled = weights[self.document] @ (self.labels >= 0)
        columns = {
            "merge": (boundaries.failing * boundaries_per_unit, boundaries.real),
            "split": (boundaries.adding * boundaries_per_unit, boundaries.real),
            "false-negative": (units.failing, units.real),
            "false-positive": (units.adding, units.real),
            "category": (labels, labelled),
            "position": (shifts, pairs.sum(axis=1)),
        }
        values, cases = zip(*(columns[e] for e in ERRORS), strict=True)
        return _Estimate(np.stack(values, axis=1), np.stack(cases, axis=1))


def _crowding(continuum: Continuum) -> float:
    """Return the total length of the mean annotator's units as a share of the continuum."""
    lengths = float((continuum.ends - continuum.starts).sum())
    return lengths / continuum.n_annotators / (continuum.length or 1.0)


def _widen(rows: Codes, columns: Codes, n_annotators: int, empty: int) -> Codes:
    """Return rows with columns for all annotators, `empty` for those not in the document."""
    wide = np.full((len(rows), n_annotators), empty, np.int32)
    wide[:, columns] = rows
    return wide


def _document_of_rows(rows: Sequence[Codes]) -> Codes:
    """Return the index of the document of each row, from the rows of each document."""
    lengths = [len(r) for r in rows]
    return np.repeat(np.arange(len(rows), dtype=np.int32), lengths)


def _patterns(rows: Sequence[Codes], present: Callable[[Codes], Bools], unknown: int) -> Patterns:
    joined = np.concatenate(rows)
    return Patterns.of(present(joined), joined != unknown, _document_of_rows(rows), len(rows))


def _labels(continuum: Continuum, slots: Slots, codes: Codes) -> Codes:
    """Return the label codes at slots where two or more annotators have a comparable label.

    −1 stands for the other annotators; shape (such slots, annotators).
    """
    rows = slots.units
    is_compared = (rows >= 0) & slots.is_comparable[rows]
    labels = np.where(is_compared, codes[continuum.category_codes[rows]], -1).astype(np.int32)
    compared: Codes = labels[(labels >= 0).sum(axis=1) > 1]
    return compared


def _shifts(
    continuum: Continuum, slots: Slots, columns: Codes, n_annotators: int
) -> tuple[Floats, Floats]:
    """Return the sums and numbers of squared differences of starts and ends by pair of annotators.

    Differences are divided by the length of the unit, which is the median over the annotators who
    have it. Large differences are left out, because the two are then hardly the same unit.
    """
    squares, pairs = np.zeros((2, n_annotators, n_annotators))
    rows = slots.units
    is_compared = (rows >= 0) & slots.is_comparable[rows]
    chosen = np.flatnonzero(is_compared.sum(axis=1) > 1)
    rows = rows[chosen]
    is_compared = is_compared[chosen]
    lengths = np.where(is_compared, (continuum.ends - continuum.starts)[rows], np.nan)
    if len(rows):
        sizes = np.nanmedian(lengths, axis=1)
    else:
        sizes = np.zeros(0)
    for one in range(len(columns)):
        for other in range(one):
            both = is_compared[:, one] & is_compared[:, other] & (sizes > 0)
            first = rows[both, one]
            second = rows[both, other]
            for ends in (continuum.starts, continuum.ends):
                apart = np.abs(ends[first] - ends[second]) / sizes[both]
                if len(apart):
                    median = float(np.median(apart))
                else:
                    median = 0.0
                near = apart[apart <= max(_LARGEST_SHIFT, _LARGEST_SHIFT_BY_MEDIAN * median)]
                at = [columns[one], columns[other]], [columns[other], columns[one]]
                squares[at] += (near**2).sum()
                pairs[at] += len(near)
    return squares, pairs


def _magnitude(
    name: str, error: str, value: float, cases: float, parts: Floats, categories: int
) -> PersonalMagnitude:
    """Return the magnitude of one annotator's error, with a jackknife interval over blocks.

    Parameters
    ----------
    name, error
        Name of the annotator, and name of the error.
    value, cases
        Estimate from all documents, and the number of cases behind it.
    parts
        Estimates without each block of documents; empty if there are too few blocks.
    categories
        Number of categories in all documents.
    """
    if math.isnan(value):
        why = "too little is known: it takes two others at the same places"
        if error == "category" and categories < 2:
            why = "there is one label only"
        return PersonalMagnitude(annotator=name, error=error, cases=round(cases), reason=why)
    interval: tuple[float, float] | None = None
    reason: str | None = None
    if not len(parts):
        reason = f"an interval takes {FEWEST_DOCUMENTS} documents or clusters of documents"
    elif np.isnan(parts).any():
        reason = "all that is known comes from a single document or group of documents"
    elif error == "position":
        interval = _around_variance(value, parts)
    else:
        interval = _around_rate(value, parts, cases)
    if error == "position":
        amount = _largest_shift(value)
    else:
        amount = value
    return PersonalMagnitude(
        annotator=name,
        error=error,
        amount=amount,
        interval=interval,
        cases=round(cases),
        reason=reason,
    )


def _largest_shift(variance: float) -> float:
    """Return the largest shift m if shifts with this variance are uniform on [−m, m]."""
    return math.sqrt(3 * max(0.0, variance))


def _around_rate(value: float, parts: Floats, cases: float) -> tuple[float, float]:
    """Return the interval of a rate, computed on the scale of square roots.

    The standard error is at least that of independent cases, because a rate of 0 in the data does
    not prove that the true rate is 0.
    """
    more = _ANSCOMBE / max(cases, 1.0)
    middle = math.sqrt(value + more)
    standard_error = max(_jackknife(np.sqrt(parts + more)), 0.5 / math.sqrt(max(cases, 1.0)))
    reach = _quantile(len(parts)) * standard_error
    return max(0.0, max(0.0, middle - reach) ** 2 - more), (middle + reach) ** 2 - more


def _around_variance(value: float, parts: Floats) -> tuple[float, float]:
    reach = _quantile(len(parts)) * _jackknife(parts)
    return _largest_shift(value - reach), _largest_shift(value + reach)


def _jackknife(parts: Floats) -> float:
    """Return the jackknife standard error from the values without each block (Tukey 1958)."""
    n = len(parts)
    return math.sqrt((n - 1) / n * float(((parts - parts.mean()) ** 2).sum()))


def _quantile(parts: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(parts - 1, (1 + CONFIDENCE) / 2))
