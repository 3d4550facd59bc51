"""Intervals of γ over documents, over annotators, and over both drawn anew.

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
  and the interval over documents (`gammacp.inference.resampling`), which has the own part in it. Of
  fewer than five documents Σ ℓₐ² is not taken apart.

Annotators of fixed teams are not independent of each other: a team is then one annotator, who has
all of the documents that it annotates. Two annotators tell nothing of others, nor do four teams.
Within an alignment of many, a unitary alignment's disorder
is borne by its pairs of which one has a unit, each by its cost; that the others would be aligned
anew without a is left out, which makes Σ ℓₐ² larger. What the intervals cover is in
docs/populations.md (`experiments/populations.py`).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gammacp.alignment import Alignment
from gammacp.alignment.aligned import AlignedPart
from gammacp.alignment.alignment import costs_of_pairs
from gammacp.base.arrays import Floats, Indices
from gammacp.base.record_tables import record_of
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.dissimilarity.base import BoundDissimilarity, joined_columns
from gammacp.errors import DataError
from gammacp.inference.part_tests import FEWEST_ANNOTATORS, FEWEST_PARTS

Interval = tuple[float, float]
_OWN = 0.9
_FEW = 8
TOLD_FROM = 5
"""Annotators from which an interval over them is told in words; it is so wide with fewer."""
_FEWEST_TEAMS = 5
_FEW_TEAMS = 12
_NUMERALS = {2: "Two", 3: "Three", 4: "Four"}
# Pairs whose costs are held at once.
_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class PairSums:
    """Costs of each annotator's pairs in each document; a row per document and annotator.

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
        """Return the sums of a measure that is 1 − Σ observed / Σ expected over pairs.

        Parameters
        ----------
        document
            The document of each pair, numbers from 0; shape (pairs,).
        pair
            The two annotators of each pair, numbers from 0; shape (pairs, 2).
        observed, expected
            Amounts that the pair adds to the two sums; shape (pairs,).

        >>> PairSums.of_pairs([0, 0], [(0, 1), (0, 2)], [1.0, 3.0], [4.0, 4.0]).observed.tolist()
        [2.0, 0.5, 1.5]
        """
        where = np.asarray(document, np.int64)
        people = np.asarray(pair, np.int64)
        size = int(people.max(initial=0)) + 1
        cells = (where[:, None] * size + people).ravel()
        distinct, place = np.unique(cells, return_inverse=True)
        halves = [np.repeat(np.asarray(x, np.float64) / 2, 2) for x in (observed, expected)]
        sums = [np.bincount(place, half, len(distinct)).astype(np.float64) for half in halves]
        return cls(distinct // size, distinct % size, *sums)

    def by_team(self, teams: Sequence[int] | Indices) -> "PairSums":
        """Return the sums by document and team.

        Parameters
        ----------
        teams
            The team of each annotator, by its number; shape (annotators,).

        Raises
        ------
        DataError
            A document has annotators of two teams.

        >>> one = PairSums.of_pairs([0, 1], [(0, 1), (2, 3)], [1.0, 3.0], [4.0, 4.0])
        >>> one.by_team([0, 0, 1, 1]).observed.tolist()
        [1.0, 3.0]
        """
        of = np.asarray(teams, np.int64)[self.annotator]
        documents, first, place = np.unique(self.document, return_index=True, return_inverse=True)
        if (mixed := np.flatnonzero(of != of[first][place])).size:
            raise DataError(
                f"{np.unique(self.document[mixed]).size} documents have annotators of several "
                "teams: an interval over teams takes documents by one team each"
            )
        sums = (np.bincount(place, x).astype(np.float64) for x in (self.observed, self.expected))
        return PairSums(documents, of[first], *sums)


@dataclass(frozen=True, kw_only=True)
class Over:
    """Three intervals of one γ, each about another population.

    Attributes
    ----------
    documents
        Interval of these annotators, on other documents like these; None where there are too few.
    annotators
        Interval of other annotators like these, on these documents.
    both
        Interval of other annotators on other documents.
    n_documents, n_annotators
        Number of documents (or clusters of them), and of annotators.
    n_teams
        Number of teams that the annotators work in; None if each is by itself. Intervals over
        annotators are over teams then.
    confidence
        Coverage that is aimed at.
    reason
        Reason why there is no interval over annotators.
    documents_reason
        Reason why there is no interval over documents, where one was asked for.
    """

    documents: Interval | None = None
    annotators: Interval | None = None
    both: Interval | None = None
    n_documents: int = 0
    n_annotators: int = 0
    n_teams: int | None = None
    confidence: float = 0.95
    reason: str | None = None
    documents_reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the intervals by population, and in `reason` why some are missing."""
        reasons = [reason for reason in (self.documents_reason, self.reason) if reason]
        record = record_of(self, "documents annotators both")
        if self.n_teams is not None:
            record["teams"] = self.n_teams
        return {**record, "reason": "; ".join(reasons) or None}

    def in_words(self) -> str:
        """Whom each interval is about; that over documents has a sentence of its own."""
        if self.n_teams is None and 1 < self.n_annotators < TOLD_FROM:
            many = _NUMERALS[self.n_annotators]
            few = f"{many} annotators are too few to say what others would reach."
            if self.documents is None:
                return few
            return f"{few} {self._of_these()}"
        if self.annotators is None:
            if self.n_teams is None:
                over = "annotators"
            else:
                over = "teams"
            return f"No interval over {over}: {self.reason}."
        who, people = self._people()
        alone = _span(self.annotators)
        if self.both is None:
            sentence = (
                f"If other {who} like these had marked these documents, γ would probably be "
                f"{alone} ({self.confidence:.0%} confidence; {people})."
            )
        else:
            sentence = (
                f"If other {who} like these marked other documents like these, γ would probably "
                f"be {_span(self.both)} ({self.confidence:.0%} confidence; {people}; "
                f"{self.n_documents} documents); with other {who} on these documents {alone}"
            )
            if self.documents is not None:
                if self.n_teams is None:
                    same = "annotators"
                else:
                    same = "teams"
                sentence += f", with these {same} on others {_span(self.documents)}"
            sentence += "."
        if self.n_teams is None and self.n_annotators < _FEW:
            sentence += " This says nothing about annotators of another kind, such as novices."
        elif self.n_teams is not None and self.n_teams < _FEW_TEAMS:
            sentence += (
                f" A bad team may be missing among these {self.n_teams}, and is not covered."
            )
        return sentence

    def _people(self) -> tuple[str, str]:
        """Return whom the intervals are about, and how many of them there are."""
        if self.n_teams is None:
            independent = "who must be independent of each other (else name `teams=`)"
            return "annotators", f"{self.n_annotators} annotators, {independent}"
        return "teams", f"{self.n_teams} teams of {self.n_annotators} annotators"

    def _of_these(self) -> str:
        """Return the sentence on these annotators' γ on other documents."""
        assert self.documents is not None
        return (
            f"γ of these annotators on other such documents: {_span(self.documents)} "
            f"({self.confidence:.0%} confidence; {self.n_documents} documents)."
        )


def _span(interval: Interval) -> str:
    """Return an interval in words.

    A low end below −1 tells no more than that there is too little data, so it is not printed.
    """
    low, high = interval
    if low >= -1:
        return f"{low:.3f} to {high:.3f}"
    return f"anything up to {high:.3f}"


def intervals_over(
    sums: PairSums,
    documents: Interval | None = None,
    *,
    clusters: Sequence[int] | Indices | None = None,
    teams: Sequence[int] | Indices | None = None,
    error: float = 0.0,
    confidence: float = 0.95,
) -> Over:
    """Return the intervals over annotators and over both.

    Parameters
    ----------
    sums
        Sums that γ is a ratio of.
    documents
        The interval over documents; without it there is none over both.
    clusters
        The cluster of each document, by its number; None if each is one by itself.
    teams
        The team of each annotator, by its number; None if each is independent of the others.
    error
        Relative standard error of Σ e; the interval over documents has it already.
    confidence
        Coverage that is aimed at, in (0, 1).

    Raises
    ------
    DataError
        A document has annotators of two teams.

    >>> pairs, people = [*range(5)] * 3, [(0, 1), (0, 2), (1, 2)]
    >>> pairs.sort()
    >>> found = intervals_over(PairSums.of_pairs(pairs, people * 5, [1, 2, 3] * 5, [8] * 15))
    >>> tuple(round(end, 3) for end in found.annotators)
    (-5.184, 0.99)
    """
    from scipy.special import stdtrit

    over = Over(documents=documents, confidence=confidence)
    sums, parts, people, over = _populations(over, sums, clusters, teams)
    if over.reason is not None:
        return over
    observed, expected, moved = _left_out(sums)
    whole = float(sums.observed.sum()), float(sums.expected.sum())
    theta = whole[0] / whole[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(observed[people] / expected[people] / theta)
    if not np.isfinite(logs).all():
        return replace(over, reason="without one of them, no disorder or no document is left")
    share = np.bincount(sums.annotator, sums.expected)[people] / whole[1]
    variance = float(((logs - (share * logs).sum()) ** 2).sum())
    few = max(1.0, float((share**2).sum() ** 2 / (share**4).sum()) - 1)
    tail = (1 - confidence) / 2
    if over.n_documents < FEWEST_PARTS:
        leg = -float(stdtrit(few, tail)) * math.sqrt(variance + error**2)
        return replace(over, annotators=_around(theta, (leg, leg)))
    moved /= whole[1]
    moved /= theta
    moved = _summed_by_cell(moved, parts * (int(people[-1]) + 1) + sums.annotator)
    squares = float((moved**2).sum())
    many = max(few, float(len(moved)) + 1 - over.n_documents - len(people))
    rest = -float(stdtrit(few, tail)) * math.sqrt(max(0.0, variance - _OWN * squares))
    alone = math.hypot(rest, float(stdtrit(many, tail)) * math.sqrt(squares + error**2))
    over = replace(over, annotators=_around(theta, (alone, alone)))
    if documents is None:
        return over
    with np.errstate(divide="ignore"):
        low, high = (abs(float(np.log((1 - end) / theta))) for end in documents)
    return replace(over, both=_around(theta, (math.hypot(low, rest), math.hypot(high, rest))))


def _populations(
    over: Over,
    sums: PairSums,
    clusters: Sequence[int] | Indices | None,
    teams: Sequence[int] | Indices | None,
) -> tuple[PairSums, Indices, Indices, Over]:
    """Count documents or clusters of them, and annotators or teams.

    Returns
    -------
    sums
        Those of teams, if annotators work in teams.
    parts
        The document or cluster of each entry of the sums.
    people
        Numbers of the annotators or teams that occur.
    over
        With the counts, and with the reason if there is no interval over annotators.
    """
    n_annotators = int(np.count_nonzero(np.bincount(sums.annotator)))
    if teams is not None:
        sums = sums.by_team(teams)
    parts = sums.document
    if clusters is not None:
        parts = np.asarray(clusters)[sums.document]
    people = np.flatnonzero(np.bincount(sums.annotator))
    over = replace(
        over,
        n_annotators=n_annotators,
        n_documents=int(np.count_nonzero(np.bincount(parts))),
        n_teams=None if teams is None else len(people),
        reason=_unknown(sums, len(people), teams is not None),
    )
    return sums, parts, people, over


def _summed_by_cell(values: Floats, cells: Indices) -> Floats:
    """Return the sums of values of the same cell, in the order of the cells' numbers."""
    if (cells[1:] > cells[:-1]).all():
        # As they are where no documents are clustered.
        return values
    places = np.unique(cells, return_inverse=True)[1]
    return np.bincount(places, values).astype(np.float64)


def _around(theta: float, legs: Interval) -> Interval:
    """γ so far below and above, on the scale of log θ."""
    with np.errstate(over="ignore"):
        return 1 - theta * float(np.exp(legs[0])), 1 - theta * float(np.exp(-legs[1]))


def _unknown(sums: PairSums, people: int, teams: bool) -> str | None:
    """Return why nothing is known of other annotators or teams; None if something is."""
    if teams and people < _FEWEST_TEAMS:
        if people == 1:
            few = "1 team is"
        else:
            few = f"{people} teams are"
        return f"{few} too few to tell how others would differ; it takes {_FEWEST_TEAMS}"
    if people < FEWEST_ANNOTATORS:
        return f"{people} annotators are too few to tell how others would differ"
    if sums.observed.sum() > 0:
        return None
    return "there is no disorder"


def _left_out(sums: PairSums) -> tuple[Floats, Floats, Floats]:
    """Σ o and Σ e without each annotator, and what leaving out in one document moves (rows).

    A document of n annotators without one of them has C(n − 1, 2) pairs, whose mean stands for it.
    """
    n = np.bincount(sums.document)
    pairs = np.maximum(n - 2, 1)
    few = (n <= 2)[sums.document]
    moves: list[Floats] = []
    for values in (sums.observed, sums.expected):
        total = np.bincount(sums.document, values).astype(np.float64)
        moved = total[sums.document]  # changed where it is: there may be millions
        moved -= n[sums.document] * values
        moved *= 2
        moved /= pairs[sums.document]
        np.copyto(moved, -total[sums.document], where=few)
        moves.append(moved)
    wholes = sums.observed.sum(), sums.expected.sum()
    sides = [w + np.bincount(sums.annotator, m) for w, m in zip(wholes, moves, strict=True)]
    moves[1] *= wholes[0] / wholes[1]
    moves[0] -= moves[1]
    return sides[0], sides[1], moves[0]


@dataclass(frozen=True, eq=False)
class PairCells:
    """Amounts that pairs of annotators add to Σ o and Σ e, by document and category.

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
        """Return a cell per document and pair."""
        keys = np.column_stack((self.document, self.pair))
        distinct, place = np.unique(keys, axis=0, return_inverse=True)
        o, e = (
            np.bincount(place.ravel(), x).astype(np.float64) for x in (self.observed, self.expected)
        )
        return PairCells(distinct[:, 0], np.zeros(len(distinct), np.int64), distinct[:, 1:], o, e)

    def sums(self, weights: Sequence[float] | Floats = ()) -> PairSums:
        """Return the sums by document and annotator.

        Parameters
        ----------
        weights
            Weights of the documents; none: 1 each.
        """
        w = np.asarray(weights)[self.document] if len(weights) else 1.0
        return PairSums.of_pairs(self.document, self.pair, w * self.observed, w * self.expected)


@dataclass(frozen=True, eq=False)
class AlignedDocuments:
    """Documents with their best alignments and what these are compared with.

    Attributes
    ----------
    continua
        Continua in order, with the same categories.
    columns
        The alignments of some neighbours of as many annotators, by their numbers.
    expected
        The expected disorder of each.
    dissimilarity
        Dissimilarity by which they are aligned.
    """

    continua: ContinuumSequence
    columns: Callable[[Indices], AlignedPart]
    expected: Floats
    dissimilarity: BoundDissimilarity | None

    @classmethod
    def of(cls, scored: Sequence[tuple[Alignment, float]]) -> "AlignedDocuments":
        """Return the same of alignments by one dissimilarity.

        Parameters
        ----------
        scored
            Each document's best alignment and its expected disorder.
        """
        part = AlignedPart.of([alignment for alignment, _ in scored])
        continua = ContinuumSequence.of(alignment.continuum for alignment, _ in scored)
        if scored:
            by = scored[0][0].dissimilarity
        else:
            by = None
        return cls(continua, part.at, np.array([e for _, e in scored]), by)

    def blocks(self) -> Iterator[Indices]:
        """Numbers of neighbours that have as many annotators, so many at once."""
        n = self.continua.n_annotators
        if len(n):
            kinds = len(self.continua[0].categories) + 1
        else:
            kinds = 0
        size = np.cumsum((self.continua.n_units + kinds) * n**2) // (_AT_ONCE // 10)
        new = (n[1:] != n[:-1]) | (size[1:] != size[:-1])
        if self.continua.beside:
            broken = np.array([c.inside is not None for c in self.continua.beside])
            new |= broken[1:] | broken[:-1]
        if len(n):
            yield from np.split(np.arange(len(n)), np.flatnonzero(new) + 1)


def pair_cells_of(scored: AlignedDocuments) -> PairCells:
    """Return the costs of the pairs of alignments, one alignment per document.

    A pair of units costs half for the category of either, a unit alone all for its own.

    Parameters
    ----------
    scored
        The documents.

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


def pair_sums_of(scored: AlignedDocuments, weights: Sequence[float] = ()) -> PairSums:
    """Return the costs of each annotator's pairs in each document, block by block to save memory.

    Parameters
    ----------
    scored
        As for `pair_cells_of`.
    weights
        Weights of the documents; none: 1 each.

    Raises
    ------
    DataError
        There is no document.
    """
    heavy = np.asarray(weights, np.float64)
    sums = [vars(cells.sums(heavy)) for cells in _cells_of_blocks(scored)]
    if not sums:
        raise DataError("no document has a γ")
    # No column is there twice for longer than it takes.
    return PairSums(**{name: np.concatenate([s.pop(name) for s in sums]) for name in [*sums[0]]})


def _cells_of_blocks(scored: AlignedDocuments) -> Iterator[PairCells]:
    people: dict[str, int] = {}
    for block in scored.blocks():
        continua = scored.continua.at(block)
        n = int(continua.n_annotators[0])
        kinds = len(continua[0].categories) + 1
        names, whose = continua.people
        number = np.array([people.setdefault(a, len(people)) for a in names])
        who = number[whose].reshape(-1, n)
        # Unlabelled ones are the first kind.
        kind = continua.all_units().category_codes.astype(np.int64) + 1
        owner = np.repeat(np.arange(len(block)), continua.n_units)
        i, j = np.triu_indices(n, 1)
        shape = len(block), n, kinds
        slots = owner * n + continua.all_units().annotator_codes
        units = np.bincount(slots * kinds + kind, minlength=math.prod(shape)).reshape(shape)
        expected = scored.expected[block][:, None, None]
        chance = (units[:, i] + units[:, j]) / 2 / len(i) * expected
        assert scored.dissimilarity is not None
        borne = _borne(continua, scored.columns(block), scored.dissimilarity, kind, kinds)
        cell = which, at, of = np.nonzero((borne > 0) | (chance > 0))
        pairs = np.stack((who[which, i[at]], who[which, j[at]]), axis=1)
        yield PairCells(block[0] + which, of, pairs, borne[cell], chance[cell])


def _borne(
    continua: ContinuumSequence,
    aligned: AlignedPart,
    dissimilarity: BoundDissimilarity,
    kind: Indices,
    kinds: int,
) -> Floats:
    """Return each pair of annotators' share of x̄·δ, shape (documents, pairs, kinds).

    A unitary alignment's disorder is borne by its pairs of which one has a unit, each by its cost.
    """
    n = int(continua.n_annotators[0])
    own = aligned.groups.reshape(-1, n)
    owner = np.repeat(np.arange(len(continua)), np.diff(aligned.edges) // n)
    every = np.where(own < 0, -1, own + continua.edges[owner][:, None])
    units = joined_columns(continua)
    i, j = np.triu_indices(n, 1)
    borne = np.zeros(len(continua) * len(i) * kinds)
    step = max(1, _AT_ONCE // len(i))
    for at in range(0, len(every), step):
        groups = every[at : at + step]
        costs = costs_of_pairs(groups, units, dissimilarity)
        real = groups >= 0
        costs_of_units = np.where(real[:, i] | real[:, j], costs, 0.0)
        totals = costs_of_units.sum(axis=1)
        scale = np.divide(costs.mean(axis=1), totals, out=np.zeros(len(totals)), where=totals > 0)
        halves = (scale[:, None] * costs_of_units / 2).ravel()
        cells = (owner[at : at + step, None] * len(i) + np.arange(len(i))) * kinds
        for one, other in ((i, j), (j, i)):
            of = kind[np.where(real[:, one], groups[:, one], groups[:, other])]
            borne += np.bincount((cells + of).ravel(), halves, len(borne))
    return borne.reshape(len(continua), len(i), kinds)
