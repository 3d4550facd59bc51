"""The gold standard that a best alignment suggests, and what a person should look at.

Each unitary alignment of the best alignment (Mathet, Widlöcher & Métivier 2015, §4.5) is what the
annotators say about one phenomenon. Those that enough annotators support, or that a model of the
annotators (`Truth`) believes in, become consensus units; those on which they differ (beyond a
tolerance) go to the review list, worst first. Votes guess nothing: a category that is level with
another stays open, and the review list says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.alignment import Alignment
from gammacp.arguments import instance, number, one_of
from gammacp.campaign.consensus.votes import (
    BoundaryRule,
    CategoryVote,
    common_fragments,
    needed_support,
    span,
    vote_on_category,
)
from gammacp.campaign.consensus.weighing import Truth
from gammacp.continuum import Continuum, Link, Unit
from gammacp.continuum.fragments import Fragments
from gammacp.continuum.label import category_of, features_of, to_label
from gammacp.continuum.shapes import Shape, box
from gammacp.dissimilarity import unit_columns
from gammacp.errors import UsageError
from gammacp.formats.spans import MILLISECONDS, SECONDS
from gammacp.text import category_name

if TYPE_CHECKING:
    from gammacp.campaign.consensus.links import ConsensusLink

# Probabilities that differ by less are equal: a category is not guessed by its place in a list.
_EQUAL = 1e-9


@dataclass(frozen=True, kw_only=True)
class ConsensusUnit:
    """What the annotators say together about one unitary alignment.

    Attributes
    ----------
    start, end, category, fragments
        By the rules. Where some of the units are of several fragments, the unit is what most of
        them cover, whatever the rule of boundaries. Category is None where it is tied or where
        "unlabelled" won. Of units with
        features it is a `Label`: each feature is voted on by those who have the category, and one
        that is tied is left open.
    support
        How many annotators marked it.
    confidence
        1 − disorder/Δ, not below 0: 1 when all annotators agree exactly, 0 for a unit that one
        marked alone. **(choice)**
    disorder
        Of the unitary alignment.
    vote
        Votes per category and ties.
    units
        Unit by annotator; None where an annotator has none.
    kept
        Whether the support suffices for the gold standard.
    reasons
        Why a person should look at it, worst first; empty when all agree.
    group
        Number of the unitary alignment in the alignment.
    text
        What the unit covers, where the continuum has a text whose characters positions count.
    posterior
        What the model gives to something of this category being there, in [0, 1]; it is as right
        as the model's assumptions, and says nothing of boundaries. None without a model.
    entropy
        Of what is there, in bits; None without a model.
    tied_spans
        Spans that the rule of boundaries holds level, the chosen one first; empty without a tie.
    shape
        Of boxes by the rule of boundaries on each axis; of outlines the one that costs least
        against the others.
    id
        What links of the gold standard call it; "" where there are none.
    """

    start: float
    end: float
    category: str | None
    support: int
    confidence: float
    disorder: float
    vote: CategoryVote
    units: Mapping[str, Unit | None]
    kept: bool
    reasons: tuple[str, ...]
    group: int
    text: str | None = None
    posterior: float | None = None
    entropy: float | None = None
    fragments: Fragments = ()
    tied_spans: tuple[tuple[float, float], ...] = ()
    shape: Shape | None = None
    id: str = ""

    def by(self, annotator: str) -> Unit:
        """The unit of the gold standard.

        Parameters
        ----------
        annotator
            Under whose name.
        """
        inside = self.fragments, self.shape, self.id
        return Unit(annotator, self.start, self.end, self.category, *inside)


@dataclass(frozen=True, kw_only=True)
class Consensus:
    """A gold standard with its evidence.

    Attributes
    ----------
    units
        One per unitary alignment, in the order of positions, those left out too.
    continuum
        The gold standard: the kept units, by one annotator.
    needed
        How many annotators a unit needed.
    threshold
        The posterior it needed, too; None without a model.
    links
        What the annotators say of links, those left out too.
    """

    units: tuple[ConsensusUnit, ...]
    continuum: Continuum
    needed: int
    threshold: float | None = None
    links: tuple[ConsensusLink, ...] = ()

    def __repr__(self) -> str:
        """How many units there are, were left out, and should be looked at."""
        out = len(self.units) - len(self.kept)
        return f"Consensus({len(self.kept)} units, {out} left out, {len(self.review)} to review)"

    def _repr_html_(self) -> str:
        from gammacp.display import as_html

        return as_html("consensus", self)

    @property
    def kept(self) -> tuple[ConsensusUnit, ...]:
        """The units of the gold standard."""
        return tuple(u for u in self.units if u.kept)

    @property
    def entropy(self) -> float | None:
        """Bits that are open in the document; None without a model."""
        open_bits = [u.entropy for u in self.units if u.entropy is not None]
        return None if self.threshold is None else sum(open_bits)

    @property
    def review(self) -> tuple[ConsensusUnit, ...]:
        """What a person should look at, in the order of `to_be_reviewed`."""
        return tuple(unit for _, unit in to_be_reviewed({"": self}))


def to_be_reviewed(documents: Mapping[str, Consensus]) -> list[tuple[str, ConsensusUnit]]:
    """Every unit with a reason, beside its document: by falling entropy (of votes: disorder).

    At the same one ties of categories come first, then documents in their order, and positions.

    Parameters
    ----------
    documents
        By name.
    """

    def review_key(row: tuple[str, ConsensusUnit]) -> tuple[float, bool]:
        unit = row[1]
        return -(unit.disorder if unit.entropy is None else unit.entropy), not unit.vote.tied

    doubtful = [(name, unit) for name, c in documents.items() for unit in c.units if unit.reasons]
    return sorted(doubtful, key=review_key)


def consensus(
    alignment: Alignment,
    *,
    support: str | float | None = None,
    boundaries: str = "majority",
    tolerance: float = 0.25,
    annotator: str = "consensus",
    truth: Truth | None = None,
) -> Consensus:
    """The consensus of a best alignment.

    Parameters
    ----------
    alignment
        What `gammacp.align` returns; it must be a partition, not a cover.
    support
        Least number or share of annotators (`needed_support`); default: more than half.
    boundaries
        `majority`, `median` or `mean` of the starts and of the ends. Where positions count things
        (whole numbers that are no times), boundaries are some that annotators drew (`span`).
    tolerance
        How far apart boundaries may be, as a share of the mean length of the units, before they
        are a reason to look at it; ≥ 0.
    annotator
        Name under which the gold standard is written.
    truth
        What a model says of the unitary alignments: it decides in place of the votes, and a unit
        needs only the support that is asked for.

    Raises
    ------
    UsageError
        A value is outside its range, or the annotator has no name.
    """
    instance("alignment", alignment, Alignment, "an Alignment (gammacp.align makes one)")
    if not annotator.strip():
        raise UsageError("annotator is empty: the gold standard needs a name")
    continuum = alignment.continuum
    rules = _Rules.of(continuum, support, boundaries, tolerance, truth)
    units = [_consensus_unit(alignment, i, rules, truth) for i in range(len(alignment.groups))]
    units.sort(key=lambda u: (u.start, u.end, u.group))
    kept = [u.by(annotator) for u in units if u.kept]
    return Consensus(
        units=tuple(units),
        continuum=gold_of(continuum, kept, [annotator]),
        needed=rules.needed,
        threshold=None if truth is None else truth.threshold,
    )


def gold_units(
    alignment: Alignment,
    *,
    support: str | float | None = None,
    boundaries: str = "majority",
    tolerance: float = 0.25,
    annotator: str = "consensus",
    truth: Truth | None = None,
) -> list[tuple[Unit, Mapping[str, Unit | None]]]:
    """The units of the gold standard alone, each with those that it is made of, as in `consensus`.

    Parameters
    ----------
    alignment, support, boundaries, tolerance, annotator, truth
        As for `consensus`, which takes three times as long.
    """
    rules = _Rules.of(alignment.continuum, support, boundaries, tolerance, truth)
    each = (_Decided.of(alignment, k, rules, truth) for k in range(len(alignment.groups)))
    return [(d.by(annotator), d.units) for d in each if d.kept]


# What is said before starts and ends on each axis.
_AXES = ("", "y ", "z ")


@dataclass(frozen=True)
class _Rules:
    boundaries: BoundaryRule
    needed: int
    tolerance: float
    whole: bool

    @classmethod
    def of(
        cls,
        continuum: Continuum,
        support: str | float | None,
        boundaries: str,
        tolerance: float,
        truth: Truth | None,
    ) -> _Rules:
        if truth is not None and support is None:
            support = 1
        return cls(
            BoundaryRule(one_of("boundaries", boundaries, BoundaryRule)),
            needed_support(support, continuum.n_annotators),
            number("tolerance", tolerance, 0.0),
            not any((places % 1).any() for places in (continuum.starts, continuum.ends)),
        )


@dataclass(frozen=True)
class _Decided:
    """What a unitary alignment becomes by votes or a model, without the evidence."""

    units: Mapping[str, Unit | None]
    real: list[Unit]
    vote: CategoryVote
    votes: Mapping[str, CategoryVote]
    category: str | None
    model: str
    posterior: float | None
    kept: bool
    start: float
    end: float
    tied_spans: tuple[tuple[float, float], ...]
    fragments: Fragments
    shape: Shape | None

    @classmethod
    def of(cls, alignment: Alignment, number: int, rules: _Rules, truth: Truth | None) -> _Decided:
        continuum, group = alignment.continuum, alignment.groups[number]
        units = {
            name: continuum.unit(row) if row >= 0 else None
            for name, row in zip(continuum.annotators, group.tolist(), strict=True)
        }
        real = [u for u in units.values() if u is not None]
        labels = [u.category for u in real]
        vote = vote_on_category([category_of(x) for x in labels])
        weights = None if truth is None else truth.boundaries[group >= 0].tolist()
        category, tied = vote.winner, bool(vote.tied)
        posterior = None
        kept = len(real) >= rules.needed
        if truth is not None:
            category, tied, posterior = _believed(truth, number)
            kept = kept and posterior >= truth.threshold
        # Whoever has the category decides on its features.
        votes = {} if tied else _on_features(labels, category)
        by_model = posterior is not None and category not in (None, vote.winner)
        return cls(
            units,
            real,
            vote,
            votes,
            to_label(category, {name: v.winner for name, v in votes.items()}),
            f", {category} by the model ({posterior:.2f})" if by_model else "",
            posterior,
            kept,
            *_place(alignment, number, real, rules, weights),
        )

    def by(self, annotator: str) -> Unit:
        inside = self.fragments if len(self.fragments) > 1 else (), self.shape
        return Unit(annotator, self.start, self.end, self.category, *inside)


def _consensus_unit(
    alignment: Alignment, number: int, rules: _Rules, truth: Truth | None
) -> ConsensusUnit:
    found = _Decided.of(alignment, number, rules, truth)
    continuum, real, vote = alignment.continuum, found.real, found.vote
    relative = float(alignment.disorders[number]) / float(alignment.dissimilarity.delta)
    places = found.fragments or ((found.start, found.end),)
    covered = [part for p in places if (part := continuum.text_between(*p)) is not None]
    level = " = ".join(f"{s:.15g}-{e:.15g}" for s, e in found.tied_spans)
    return ConsensusUnit(
        start=found.start,
        end=found.end,
        category=found.category,
        support=len(real),
        confidence=min(max(1 - relative, 0.0), 1.0),
        disorder=relative,
        vote=vote,
        units=found.units,
        kept=found.kept,
        reasons=(
            *_reasons(vote, found.model, real, continuum, found.kept, rules.tolerance),
            *([f"boundaries tied: {level}, the first was taken"] if level else []),
            *(v.in_words(name, _or_none) for name, v in found.votes.items() if not v.unanimous),
        ),
        group=number,
        text=" … ".join(covered) if covered else None,
        fragments=found.fragments if len(found.fragments) > 1 else (),
        shape=found.shape,
        posterior=found.posterior,
        entropy=None if truth is None else truth.entropies[number],
        tied_spans=found.tied_spans,
    )


def _place(
    alignment: Alignment,
    number: int,
    real: Sequence[Unit],
    rules: _Rules,
    weights: Sequence[float] | None,
) -> tuple[float, float, tuple[tuple[float, float], ...], Fragments, Shape | None]:
    """Start, end, spans that are level, fragments and shape of a unit of the gold standard."""
    continuum = alignment.continuum
    shapes = [u.shape for u in real if u.shape]
    if {s.kind for s in shapes} - {"box"}:
        # Outlines have no median: the one that costs least against all others, by their weights.
        columns = unit_columns(continuum)[alignment.groups[number][alignment.groups[number] >= 0]]
        costs = alignment.dissimilarity.pairwise(columns[:, None], columns[None])
        middle = real[int(np.argmin(costs @ np.array(weights or [1.0] * len(real))))]
        return middle.start, middle.end, (), (), middle.shape

    def on_axis(spans: Sequence[tuple[float, float]]) -> Any:
        return span(
            [low for low, _ in spans],
            [high for _, high in spans],
            rules.boundaries,
            # Positions that count things are somebody's; times and places may be averaged.
            discrete=rules.whole
            and continuum.axes == 1
            and continuum.offset_unit not in (SECONDS, MILLISECONDS),
            whole=rules.whole,
            weights=weights,
        )

    start, end, tied_spans = on_axis([(u.start, u.end) for u in real])
    if shapes:
        further = [on_axis(spans) for spans in zip(*(s.extents for s in shapes), strict=True)]
        return start, end, tied_spans, (), box((start, end), *(s[:2] for s in further))[1]
    if any(u.fragments for u in real):
        fragments = common_fragments(real)
        return fragments[0][0], fragments[-1][1], (), fragments, None
    return start, end, tied_spans, (), None


def _believed(truth: Truth, number: int) -> tuple[str | None, bool, float]:
    """What a model holds likeliest, whether other categories are as likely, and its posterior."""
    shares = truth.shares[number][:-1]
    posterior = max(shares)
    likely = [k for k, share in enumerate(shares) if share >= posterior - _EQUAL]
    tied = len(likely) != 1
    return None if tied else truth.labels[likely[0]], tied, posterior


def _or_none(value: str | None) -> str:
    return "none" if value is None else value


def _on_features(labels: list[str | None], category: str | None) -> dict[str, CategoryVote]:
    """Votes on each feature, of those who have the category."""
    theirs = [features_of(x) for x in labels if category_of(x) == category]
    names = sorted({name for known in theirs for name in known})
    return {name: vote_on_category([known.get(name) for known in theirs]) for name in names}


def _reasons(
    vote: CategoryVote, model: str, real: list[Unit], of: Continuum, kept: bool, tolerance: float
) -> list[str]:
    reasons, people = [], of.n_annotators
    if not vote.unanimous:
        reasons.append(vote.in_words("category", category_name) + model)
    if len(real) < people or not kept:
        left_out = "" if kept else ", left out"
        reasons.append(f"marked by {len(real)} of {people}{left_out}")
    boxes = [((u.start, u.end), *(u.shape.extents if u.shape else ())) for u in real]
    for axis, spans in zip(_AXES, zip(*boxes, strict=True), strict=False):
        allowed = tolerance * sum(high - low for low, high in spans) / len(real)
        for name, positions in zip(("start", "end"), zip(*spans, strict=True), strict=True):
            spread = max(positions) - min(positions)
            if spread > allowed:
                unit = "" if axis else of.offset_unit.removesuffix("s" * (spread == 1))
                reasons.append(f"{axis}{name}s {spread:g}{' ' * bool(unit)}{unit} apart")
    if len({u.fragments for u in real}) > 1:
        reasons.append("fragments differ")
    if len({u.shape.rings for u in real if u.shape}) > 1:
        reasons.append("outlines differ")
    return reasons


def gold_of(
    like: Continuum, units: Sequence[Unit], annotators: Sequence[str], links: Sequence[Link] = ()
) -> Continuum:
    """A continuum of these units where `like` is; rounding outwards can reach over its bounds.

    Parameters
    ----------
    like
        Whose name, categories, offset unit, text and bounds it has.
    units, annotators, links
        What is in it, and by whom.
    """
    edges = [*like.bounds, *(edge for u in units for edge in (u.start, u.end))]
    return Continuum.from_units(
        units,
        annotators=annotators,
        categories=like.categories,
        bounds=(min(edges), max(edges)),
        name=like.name,
        offset_unit=like.offset_unit,
        text=like.text,
        links=links,
    )
