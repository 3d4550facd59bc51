"""Whose population: intervals of γ over documents, over annotators, and over both drawn anew.

γ = 1 − Σ o / Σ e over documents and, within each, over its pairs of annotators, so who the
annotators are moves γ as the documents do, and pairs that share an annotator move together. Without
annotator a each of a's documents of three and more has the mean of the other pairs, and one of two
is gone: that is θ₋ₐ = 1 − γ without a. What a moves it by is counted as a logarithm, ℓₐ, the mean
over annotators (weighted by their share of Σ e) taken off:

- Σ ℓₐ² is two things: what leaving a out of one document moves, squared and summed over documents
  (its *own* part, which varies between the documents of an annotator anyway), and the rest, which
  documents with an annotator in common have in common (as in the two-way variance of Cameron,
  Gelbach & Miller 2011). `_OWN` of the own part is taken off for the rest. Student's t is that of
  few annotators for the rest, with Satterthwaite's degrees of freedom from their shares, and that
  of many cells for the own part.
- Distances on the scale of log(1 − γ) are added as the sides of a right triangle are (Zou & Donner
  2008, MOVER): over annotators, on these documents, the rest and the own part; over both, the rest
  and the interval over documents (`gammacp.measures.resampling`), which has the own part in it. Of
  fewer than five documents Σ ℓₐ² is not taken apart.

Two annotators tell nothing of others. Within an alignment of many, a unitary alignment's disorder
is borne by its pairs of which one has a unit, each by its cost; that the others would be aligned
anew without a is left out, which makes Σ ℓₐ² larger. What the intervals cover is in
docs/populations.md (`experiments/populations.py`).
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.alignment import Alignment
from gammacp.alignment.alignment import costs_of_pairs
from gammacp.arrays import Floats, Indices
from gammacp.dissimilarity.base import joined_columns
from gammacp.errors import DataError
from gammacp.measures.part_tests import FEWEST_ANNOTATORS, FEWEST_PARTS

Interval = tuple[float, float]
_OWN = 0.9
_FEW = 8
# Pairs whose costs are held at once.
_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class PairSums:
    """What the pairs of each annotator cost in each document; a row per document and annotator.

    Attributes
    ----------
    document, annotator
        Numbers from 0, shape (rows,).
    observed, expected
        Half of what the annotator's pairs cost there: the rows of a document sum to what the
        document adds to Σ o and Σ e. Shape (rows,).
    """

    document: Indices
    annotator: Indices
    observed: Floats
    expected: Floats

    @classmethod
    def of_pairs(
        cls,
        document: Sequence[int] | Indices,
        pair: Sequence[tuple[int, int]] | Indices,
        observed: Sequence[float] | Floats,
        expected: Sequence[float] | Floats,
    ) -> "PairSums":
        """Of any measure that is 1 − Σ observed / Σ expected over pairs of annotators.

        Parameters
        ----------
        document
            The document of each pair, numbers from 0; shape (pairs,).
        pair
            Its two annotators, numbers from 0; shape (pairs, 2).
        observed, expected
            What the pair adds to the two sums; shape (pairs,).

        >>> PairSums.of_pairs([0, 0], [(0, 1), (0, 2)], [1.0, 3.0], [4.0, 4.0]).observed.tolist()
        [2.0, 0.5, 1.5]
        """
        where, people = np.asarray(document, np.int64), np.asarray(pair, np.int64)
        size = int(people.max(initial=0)) + 1
        cells = (where[:, None] * size + people).ravel()
        found, place = np.unique(cells, return_inverse=True)
        halves = [np.repeat(np.asarray(x, np.float64) / 2, 2) for x in (observed, expected)]
        sums = [np.bincount(place, half, len(found)).astype(np.float64) for half in halves]
        return cls(found // size, found % size, *sums)


@dataclass(frozen=True, kw_only=True)
class Over:
    """Three intervals of one γ, each about another population.

    Attributes
    ----------
    documents
        Of these annotators, on other documents like these; None where there are too few.
    annotators
        Of other annotators like these, on these documents.
    both
        Of other annotators on other documents.
    n_documents, n_annotators
        How many documents (or clusters of them) and annotators there are.
    confidence
        Coverage that is aimed at.
    reason
        Why there is none over annotators.
    """

    documents: Interval | None = None
    annotators: Interval | None = None
    both: Interval | None = None
    n_documents: int = 0
    n_annotators: int = 0
    confidence: float = 0.95
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The intervals by population, and why those over annotators are missing."""
        names = ("documents", "annotators", "both", "reason")
        return {name: getattr(self, name) for name in names}

    def in_words(self) -> str:
        """Whom each interval is about; that over documents has a sentence of its own."""
        if self.annotators is None:
            return f"No interval over annotators: {self.reason}."
        people = f"{self.n_annotators} annotators"
        alone = _span(self.annotators)
        if self.both is None:
            said = (
                f"γ of other such annotators on these documents: {alone} "
                f"({self.confidence:.0%} confidence; {people})."
            )
        else:
            said = (
                f"γ of other such annotators on other such documents: {_span(self.both)} "
                f"({self.confidence:.0%} confidence; {people}, {self.n_documents} documents); "
                f"of other annotators on these documents {alone}"
            )
            if self.documents is not None:
                said += f", of these annotators on others {_span(self.documents)}"
            said += "."
        if self.n_annotators < _FEW:
            said += f" Kinds of annotators that these {self.n_annotators} lack are not in it."
        return said


def _span(interval: Interval) -> str:
    """In words; below −1 no number tells more than that there is too little."""
    low, high = interval
    return f"{low:.3f} to {high:.3f}" if low >= -1 else f"anything up to {high:.3f}"


def intervals_over(
    sums: PairSums,
    documents: Interval | None = None,
    *,
    clusters: Sequence[int] | Indices | None = None,
    error: float = 0.0,
    confidence: float = 0.95,
) -> Over:
    """The intervals over annotators and over both.

    Parameters
    ----------
    sums
        What γ is a ratio of.
    documents
        The interval over documents; without it there is none over both.
    clusters
        The cluster of each document, by its number; None if each is one by itself.
    error
        Relative standard error of Σ e; the interval over documents has it already.
    confidence
        Coverage that is aimed at, in (0, 1).

    >>> pairs, people = [*range(5)] * 3, [(0, 1), (0, 2), (1, 2)]
    >>> pairs.sort()
    >>> found = intervals_over(PairSums.of_pairs(pairs, people * 5, [1, 2, 3] * 5, [8] * 15))
    >>> tuple(round(end, 3) for end in found.annotators)
    (-5.184, 0.99)
    """
    from scipy.special import stdtrit

    parts = sums.document if clusters is None else np.asarray(clusters)[sums.document]
    told: dict[str, Any] = {
        "documents": documents,
        "n_documents": len(np.unique(parts)),
        "n_annotators": len(np.unique(sums.annotator)),
        "confidence": confidence,
    }
    if (reason := _unknown(sums)) is not None:
        return Over(**told, reason=reason)
    observed, expected, moved = _left_out(sums)
    whole = float(sums.observed.sum()), float(sums.expected.sum())
    theta = whole[0] / whole[1]
    there = np.unique(sums.annotator)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(observed[there] / expected[there] / theta)
    if not np.isfinite(logs).all():
        return Over(**told, reason="without one of them there is no disorder, or no document left")
    share = np.bincount(sums.annotator, sums.expected)[there] / whole[1]
    variance = float(((logs - (share * logs).sum()) ** 2).sum())
    few = max(1.0, float((share**2).sum() ** 2 / (share**4).sum()) - 1)
    tail = (1 - confidence) / 2
    if told["n_documents"] < FEWEST_PARTS:
        leg = -float(stdtrit(few, tail)) * math.sqrt(variance + error**2)
        return Over(**told, annotators=_around(theta, (leg, leg)))
    people = int(sums.annotator.max()) + 1
    cells = np.unique(parts * people + sums.annotator, return_inverse=True)[1]
    own = float((np.bincount(cells, moved / whole[1] / theta) ** 2).sum())
    many = max(few, float(cells.max()) + 2 - told["n_documents"] - told["n_annotators"])
    rest = -float(stdtrit(few, tail)) * math.sqrt(max(0.0, variance - _OWN * own))
    alone = math.hypot(rest, float(stdtrit(many, tail)) * math.sqrt(own + error**2))
    found = _around(theta, (alone, alone))
    if documents is None:
        return Over(**told, annotators=found)
    with np.errstate(divide="ignore"):
        low, high = (abs(float(np.log((1 - end) / theta))) for end in documents)
    both = _around(theta, (math.hypot(low, rest), math.hypot(high, rest)))
    return Over(**told, annotators=found, both=both)


def _around(theta: float, legs: Interval) -> Interval:
    """γ so far below and above, on the scale of log θ."""
    with np.errstate(over="ignore"):
        return 1 - theta * float(np.exp(legs[0])), 1 - theta * float(np.exp(-legs[1]))


def _unknown(sums: PairSums) -> str | None:
    """Why nothing is known of other annotators."""
    people = len(np.unique(sums.annotator))
    if people < FEWEST_ANNOTATORS:
        return f"{people} annotators do not tell how others would differ"
    return None if sums.observed.sum() > 0 else "there is no disorder"


def _left_out(sums: PairSums) -> tuple[Floats, Floats, Floats]:
    """Σ o and Σ e without each annotator, and what leaving out in one document moves (rows).

    A document of n annotators without one of them has C(n − 1, 2) pairs, whose mean stands for it.
    """
    n = np.bincount(sums.document)[sums.document]
    moves = []
    for values in (sums.observed, sums.expected):
        total = np.bincount(sums.document, values)[sums.document]
        kept = 2 * (total - n * values) / np.maximum(n - 2, 1)
        moves.append(np.where(n > 2, kept, -total))
    wholes = sums.observed.sum(), sums.expected.sum()
    sides = [w + np.bincount(sums.annotator, m) for w, m in zip(wholes, moves, strict=True)]
    theta = wholes[0] / wholes[1]
    return sides[0], sides[1], moves[0] - theta * moves[1]


@dataclass(frozen=True, eq=False)
class PairCells:
    """What each pair of annotators adds to Σ o and Σ e, by document and category.

    Attributes
    ----------
    document, category
        Numbers from 0, shape (cells,).
    pair
        Numbers of the two annotators, shape (cells, 2).
    observed, expected
        Shape (cells,).
    """

    document: Indices
    category: Indices
    pair: Indices
    observed: Floats
    expected: Floats

    def without_categories(self) -> "PairCells":
        """A cell per document and pair."""
        keys = np.column_stack((self.document, self.pair))
        found, place = np.unique(keys, axis=0, return_inverse=True)
        o, e = (
            np.bincount(place.ravel(), x).astype(np.float64) for x in (self.observed, self.expected)
        )
        return PairCells(found[:, 0], np.zeros(len(found), np.int64), found[:, 1:], o, e)

    def sums(self, weights: Sequence[float] | Floats = ()) -> PairSums:
        """By document and annotator.

        Parameters
        ----------
        weights
            Of the documents; none: 1 each.
        """
        w = np.asarray(weights)[self.document] if len(weights) else 1.0
        return PairSums.of_pairs(self.document, self.pair, w * self.observed, w * self.expected)


def pair_cells_of(scored: Iterable[tuple[Alignment, float]]) -> PairCells:
    """What the pairs of alignments cost, one per document.

    A pair of units costs half for the category of either, a unit alone all for its own.

    Parameters
    ----------
    scored
        Each document's best alignment and its expected disorder.

    Raises
    ------
    DataError
        There is no document.
    """
    blocks = [*_cells_of_blocks(scored)]
    if not blocks:
        raise DataError("no document has a γ")
    columns = zip(*(vars(cells).values() for cells in blocks), strict=True)
    return PairCells(*map(np.concatenate, columns))


def pair_sums_of(
    scored: Iterable[tuple[Alignment, float]], weights: Sequence[float] = ()
) -> PairSums:
    """What the pairs of each annotator cost in each document; a block's cells are kept no longer.

    Parameters
    ----------
    scored
        As for `pair_cells_of`.
    weights
        Of the documents; none: 1 each.

    Raises
    ------
    DataError
        There is no document.
    """
    heavy = np.asarray(weights, np.float64)
    sums = [cells.sums(heavy) for cells in _cells_of_blocks(scored)]
    if not sums:
        raise DataError("no document has a γ")
    columns = zip(*(vars(some).values() for some in sums), strict=True)
    return PairSums(*map(np.concatenate, columns))


def _cells_of_blocks(scored: Iterable[tuple[Alignment, float]]) -> Iterator[PairCells]:
    people: dict[str, int] = {}
    labels: dict[object, int] = {None: 0}
    seen_before = 0
    for block in _blocks(scored):
        continua = [alignment.continuum for alignment, _ in block]
        n, named = continua[0].n_annotators, [*continua[0].categories, None]
        who = np.array(
            [[people.setdefault(a, len(people)) for a in c.annotators] for c in continua]
        )
        place = np.array([labels.setdefault(x, len(labels)) for x in named])
        i, j = np.triu_indices(n, 1)
        shape = len(block), n, len(named)
        codes = np.concatenate([c.category_codes for c in continua]) % shape[2]
        owner = np.repeat(np.arange(len(block)), [c.n_units for c in continua])
        slots = owner * n + np.concatenate([c.annotator_codes for c in continua])
        units = np.bincount(slots * shape[2] + codes, minlength=math.prod(shape)).reshape(shape)
        expected = np.array([e for _, e in block])[:, None, None]
        chance = (units[:, i] + units[:, j]) / 2 / len(i) * expected
        seen = _borne([alignment for alignment, _ in block], codes, shape[2])
        which, at, of = np.nonzero((seen > 0) | (chance > 0))
        pairs = np.stack((who[which, i[at]], who[which, j[at]]), axis=1)
        cell = which, at, of
        yield PairCells(seen_before + which, place[of], pairs, seen[cell], chance[cell])
        seen_before += len(block)


def _blocks(scored: Iterable[tuple[Alignment, float]]) -> Iterator[list[tuple[Alignment, float]]]:
    """Neighbours that have as many annotators and the same categories, so many at once."""
    block: list[tuple[Alignment, float]] = []
    alike: object = None
    size = 0
    for entry in scored:
        c = entry[0].continuum
        own = (len(entry[0]) + len(c.categories) + 1) * c.n_annotators**2
        costs, broken = id(entry[0].dissimilarity), 0 if c.breaks is None else id(c)
        key = c.n_annotators, c.categories, costs, broken
        size += own
        if block and (size > _AT_ONCE // 10 or key != alike):
            yield block
            block, size = [], own
        block.append(entry)
        alike = key
    if block:
        yield block


def _borne(alignments: Sequence[Alignment], codes: Indices, categories: int) -> Floats:
    """What each pair of annotators bears of x̄·δ, shape (documents, pairs, categories).

    A unitary alignment's disorder is borne by its pairs of which one has a unit, each by its cost.
    """
    continua = [a.continuum for a in alignments]
    first = np.cumsum([0, *(c.n_units for c in continua)])
    moved = [
        np.where(a.groups < 0, -1, a.groups + k) for a, k in zip(alignments, first, strict=False)
    ]
    every, owner = np.concatenate(moved), np.repeat(np.arange(len(moved)), [*map(len, moved)])
    units = joined_columns(continua)
    i, j = np.triu_indices(every.shape[1], 1)
    borne = np.zeros(len(alignments) * len(i) * categories)
    step = max(1, _AT_ONCE // len(i))
    for at in range(0, len(every), step):
        groups = every[at : at + step]
        costs = costs_of_pairs(groups, units, alignments[0].dissimilarity)
        real = groups >= 0
        there = np.where(real[:, i] | real[:, j], costs, 0.0)
        known = there.sum(axis=1)
        scale = np.divide(costs.mean(axis=1), known, out=np.zeros(len(known)), where=known > 0)
        halves = (scale[:, None] * there / 2).ravel()
        cells = (owner[at : at + step, None] * len(i) + np.arange(len(i))) * categories
        for one, other in ((i, j), (j, i)):
            own = codes[np.where(real[:, one], groups[:, one], groups[:, other])]
            borne += np.bincount((cells + own).ravel(), halves, len(borne))
    return borne.reshape(len(alignments), len(i), categories)
