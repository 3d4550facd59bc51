"""Compute intervals of γ over documents, over annotators, and over both.

γ = 1 − Σ o / Σ e, where the sums run over documents and, within each document, over its pairs of
annotators. γ therefore depends on the sample of annotators as well as on the sample of documents,
and pairs that share an annotator are correlated. The influence of annotator a is measured by
leaving a out: a document with three or more annotators is then represented by the mean of its other
pairs, and a document with two is dropped. This gives θ₋ₐ = 1 − γ without a. The influence ℓₐ is the
logarithm of θ₋ₐ / θ minus the mean of these logarithms, weighted by each annotator's share of Σ e.

- Σ ℓₐ² has two components. The *own* part is the effect of leaving a out of a single document,
  squared and summed over documents; it varies between the documents of one annotator anyway. The
  rest is common to documents that share an annotator, as in the two-way variance of Cameron,
  Gelbach & Miller (2011). It is estimated as Σ ℓₐ² minus `_OWN` times the own part. The quantile of
  Student's t for the rest has Satterthwaite's degrees of freedom from the shares of the annotators,
  which are few. For the own part they follow from the number of cells (document and annotator).
- Distances on the scale of log(1 − γ) are combined as the root of the sum of their squares (MOVER;
  Zou & Donner 2008). The interval over annotators, on these documents, combines the rest and the
  own part. The interval over both combines the rest and the interval over documents
  (`gammacp.inference.resampling`), which already includes the own part. With fewer than five
  documents, Σ ℓₐ² is not split.

Annotators in fixed teams are not independent of each other. A team is then treated as one
annotator, who has all of the documents that the team annotates. Two annotators are too few to
say anything about others, and so are four teams.

In an alignment of more than two annotators, the disorder of a unitary alignment is divided among
its pairs with at least one unit, in proportion to their costs. The others would be aligned
differently without a. This is ignored, which makes Σ ℓₐ² larger. The measured coverage of the
intervals is in docs/populations.md (`experiments/populations.py`).
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
"""Smallest number of annotators for a sentence on their interval; with fewer it is too wide."""
_FEWEST_TEAMS = 5
_FEW_TEAMS = 12
_NUMERALS = {2: "Two", 3: "Three", 4: "Four"}
# Number of pairs whose costs are kept in memory at once.
_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class PairSums:
    """Costs of each annotator's pairs in each document; a row per document and annotator.

    Attributes
    ----------
    document, annotator
        Numbers from 0, shape (rows,).
    observed, expected
        Half of the observed and of the expected cost of the annotator's pairs in the document,
        shape (rows,). The rows of a document thus add up to its contribution to Σ o and Σ e.
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
            Number of the document of each pair, from 0; shape (pairs,).
        pair
            Numbers of the two annotators of each pair, from 0; shape (pairs, 2).
        observed, expected
            Contributions of each pair to the two sums; shape (pairs,).

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
            Number of each annotator's team, shape (annotators,).

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
    """Three intervals of one γ, each for a different population.

    Attributes
    ----------
    documents
        Interval for these annotators on other documents like these; None if there are too few.
    annotators
        Interval for other annotators like these on these documents.
    both
        Interval for other annotators on other documents.
    n_documents, n_annotators
        Number of documents (or clusters of them), and of annotators.
    n_teams
        Number of teams in which the annotators work; None if they do not work in teams. With
        teams, intervals over annotators are intervals over teams.
    confidence
        Nominal coverage.
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
        """Return sentences on the intervals; that over documents alone is described elsewhere."""
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
        The sums whose ratio is 1 − γ.
    documents
        The interval over documents. If it is None, there is no interval over both.
    clusters
        Number of each document's cluster; None if the documents are independent.
    teams
        Number of each annotator's team; None if the annotators are independent.
    error
        Relative standard error of Σ e. The interval over documents already includes it.
    confidence
        Nominal coverage, in (0, 1).

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
    """Determine the independent documents or clusters, and the annotators or teams.

    Returns
    -------
    sums
        The sums by document and team if annotators work in teams, otherwise `sums` unchanged.
    parts
        Document or cluster of each entry of the sums.
    people
        Numbers of the annotators or teams that occur.
    over
        A copy of `over` with the counts, and with the reason if there is no interval over
        annotators.
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
    """Return the sum of the values in each cell, in the order of the cells' numbers."""
    if (cells[1:] > cells[:-1]).all():
        # Without clusters, the cells are already distinct and sorted.
        return values
    places = np.unique(cells, return_inverse=True)[1]
    return np.bincount(places, values).astype(np.float64)


def _around(theta: float, legs: Interval) -> Interval:
    """Return the interval of γ whose ends have these distances from it on the scale of log θ."""
    with np.errstate(over="ignore"):
        return 1 - theta * float(np.exp(legs[0])), 1 - theta * float(np.exp(-legs[1]))


def _unknown(sums: PairSums, people: int, teams: bool) -> str | None:
    """Return why there is no interval over annotators or teams; None if there can be one."""
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
    """Return Σ o and Σ e without each annotator, and the influence of each row of the sums.

    The influence of a row is the change when its annotator is left out of its document alone. A
    document of n annotators without one of them has C(n − 1, 2) pairs, and their mean represents
    it.
    """
    n = np.bincount(sums.document)
    pairs = np.maximum(n - 2, 1)
    few = (n <= 2)[sums.document]
    moves: list[Floats] = []
    for values in (sums.observed, sums.expected):
        total = np.bincount(sums.document, values).astype(np.float64)
        moved = total[sums.document]  # modified in place, as there may be millions of rows
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
    """Contributions of pairs of annotators to Σ o and Σ e, by document and category.

    Attributes
    ----------
    document, category
        Numbers of the document and of the category, from 0, shape (cells,) each.
    pair
        Numbers of the two annotators, shape (cells, 2).
    observed, expected
        Contributions to Σ o and Σ e, shape (cells,) each.
    """

    document: Indices
    category: Indices
    pair: Indices
    observed: Floats
    expected: Floats

    def without_categories(self) -> "PairCells":
        """Return the cells summed over categories, one per document and pair."""
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
    """Documents with their best alignments and expected disorders.

    Attributes
    ----------
    continua
        Continua in order, with the same categories.
    columns
        Function that returns the alignments of some documents, given their numbers. The documents
        must be neighbours with equal numbers of annotators.
    expected
        Expected disorder of each document.
    dissimilarity
        Dissimilarity used for the alignments; None if there are no documents.
    """

    continua: ContinuumSequence
    columns: Callable[[Indices], AlignedPart]
    expected: Floats
    dissimilarity: BoundDissimilarity | None

    @classmethod
    def of(cls, scored: Sequence[tuple[Alignment, float]]) -> "AlignedDocuments":
        """Build the documents from alignments that use the same dissimilarity.

        Parameters
        ----------
        scored
            Best alignment and expected disorder of each document.
        """
        part = AlignedPart.of([alignment for alignment, _ in scored])
        continua = ContinuumSequence.of(alignment.continuum for alignment, _ in scored)
        if scored:
            by = scored[0][0].dissimilarity
        else:
            by = None
        return cls(continua, part.at, np.array([e for _, e in scored]), by)

    def blocks(self) -> Iterator[Indices]:
        """Yield blocks of neighbouring documents with equal numbers of annotators.

        Each block contains the numbers of its documents. Its size is limited to save memory.
        """
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
    """Return the costs of the pairs of annotators, by document and category.

    The cost of a pair of units is divided equally between the categories of the two units. The cost
    of an unaligned unit belongs to its own category.

    Parameters
    ----------
    scored
        The documents with their alignments.

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
    # Free each block's column as soon as it is concatenated, so that only one exists twice.
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
        # Unlabelled units have code −1, so they become kind 0.
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
    """Return the share of each pair of annotators in x̄·δ, shape (documents, pairs, kinds).

    The disorder of a unitary alignment is divided among its pairs with at least one unit, in
    proportion to their costs.
    """
    n = int(continua.n_annotators[0])
    group_table = aligned.groups.reshape(-1, n)
    owner = np.repeat(np.arange(len(continua)), np.diff(aligned.edges) // n)
    every = np.where(group_table < 0, -1, group_table + continua.edges[owner][:, None])
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
