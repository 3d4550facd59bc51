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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.base.record_tables import record_of
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
class PopulationIntervals:
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

    def in_words(self, *, documents: bool = True) -> str:
        """Return sentences on the intervals.

        Parameters
        ----------
        documents
            Whether to give the interval over documents, too. It is left out where it is printed in
            a sentence of its own.
        """
        if self.n_teams is None and 1 < self.n_annotators < TOLD_FROM:
            many = _NUMERALS[self.n_annotators]
            few = f"{many} annotators are too few to say what others would reach."
            if self.documents is None or not documents:
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
                f"γ of other {who} of this kind on these documents: {alone} "
                f"({self.confidence:.0%} confidence; {people})."
            )
        else:
            sentence = (
                f"γ of other {who} of this kind on other documents of this kind: "
                f"{_span(self.both)} ({self.confidence:.0%} confidence; {people}; "
                f"{self.n_documents} documents); of other {who} on these documents: {alone}"
            )
            if self.documents is not None and documents:
                sentence += f"; of these {who} on other documents: {_span(self.documents)}"
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
            f"γ of these annotators on other documents of this kind: {_span(self.documents)} "
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
) -> PopulationIntervals:
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

    over = PopulationIntervals(documents=documents, confidence=confidence)
    sums, parts, people, over = _populations(over, sums, clusters, teams)
    if over.reason is not None:
        return over
    observed, expected, moved = _left_out(sums)
    total_sums = float(sums.observed.sum()), float(sums.expected.sum())
    theta = total_sums[0] / total_sums[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(observed[people] / expected[people] / theta)
    if not np.isfinite(logs).all():
        return replace(over, reason="without one of them, no disorder or no document is left")
    share = np.bincount(sums.annotator, sums.expected)[people] / total_sums[1]
    variance = float(((logs - (share * logs).sum()) ** 2).sum())
    few = max(1.0, float((share**2).sum() ** 2 / (share**4).sum()) - 1)
    tail = (1 - confidence) / 2
    if over.n_documents < FEWEST_PARTS:
        leg = -float(stdtrit(few, tail)) * math.sqrt(variance + error**2)
        return replace(over, annotators=_around(theta, (leg, leg)))
    moved /= total_sums[1]
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
    over: PopulationIntervals,
    sums: PairSums,
    clusters: Sequence[int] | Indices | None,
    teams: Sequence[int] | Indices | None,
) -> tuple[PairSums, Indices, Indices, PopulationIntervals]:
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
    cell_codes = np.unique(cells, return_inverse=True)[1]
    return np.bincount(cell_codes, values).astype(np.float64)


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
