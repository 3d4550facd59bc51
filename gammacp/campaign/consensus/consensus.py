"""Make a gold standard and a review list from a best alignment.

A unitary alignment of the best alignment (Mathet, Widlöcher & Métivier 2015, §4.5) has the units
with which the annotators marked the same phenomenon. Each becomes one consensus unit, which is kept
if enough annotators support it and, with a model of the annotators (`Truth`), if its posterior is
high enough. Units on which the annotators differ by more than a tolerance go to the review list,
worst first. Votes do not guess: if categories are tied, the category stays open, and the review
list says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

from gammacp.alignment import Alignment
from gammacp.alignment.aligned import Aligned
from gammacp.base.arguments import instance
from gammacp.base.lazy import Plotted
from gammacp.base.text import category_name
from gammacp.campaign.consensus.cells import AlignedCells
from gammacp.campaign.consensus.deciding import ConsensusRules, Decided, Piece, decide
from gammacp.campaign.consensus.votes import CategoryVote, vote_on_category
from gammacp.continuum import Continuum, Link, Unit
from gammacp.continuum.fragments import Fragments
from gammacp.continuum.label import category_of
from gammacp.continuum.shapes import Shape
from gammacp.formats.spans import MILLISECONDS, SECONDS

if TYPE_CHECKING:
    from gammacp.base.pictures import Picture


@dataclass(frozen=True, kw_only=True)
class ConsensusLink:
    """Consensus of the annotators on one link.

    Attributes
    ----------
    type, kind
        Type and kind, by vote of the annotators who have a link with these ends; the type is "" if
        it is tied.
    source, target
        Consensus units that the link joins.
    support
        Number of annotators who have a link with these ends.
    vote
        Votes by type, and ties.
    links
        Type and ends of each annotator's link; None if the annotator has none.
    groups
        Unitary alignments of both ends of each annotator's link, for annotators who have one.
    kept
        Whether the link is in the gold standard.
    reasons
        Reasons why a person should review the link; empty if all annotators agree.
    """

    type: str
    kind: str
    source: ConsensusUnit
    target: ConsensusUnit
    support: int
    vote: CategoryVote
    links: Mapping[str, Mapping[str, Any] | None]
    groups: Mapping[str, tuple[int, int]]
    kept: bool
    reasons: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        ends = {
            side: {"start": unit.start, "end": unit.end}
            for side, unit in (("source", self.source), ("target", self.target))
        }
        fields = {name: getattr(self, name) for name in ("type", "kind", "support", "kept")}
        votes = [{"type": name, "votes": n} for name, n in self.vote.votes.items()]
        listed = {"reasons": [*self.reasons], "votes": votes, "tied": [*self.vote.tied]}
        return {**fields, **ends, **listed, "links": dict(self.links)}


@dataclass(frozen=True, kw_only=True)
class ConsensusUnit:
    """Consensus of the annotators on one unitary alignment.

    Attributes
    ----------
    start, end
        Start and end, by the rule of boundaries.
    category
        Category, by votes or by a model; None if it is tied, or if "unlabelled" won. If units have
        features, it is a `Label`: the annotators who chose the category vote on each feature, and a
        tied feature is left open.
    fragments
        Fragments of the unit; empty for a single stretch. If units have several fragments, the
        consensus unit is what most of them cover, whatever the rule of boundaries.
    support
        Number of annotators who marked the unit.
    confidence
        1 − `disorder`, but at least 0: 1 if all annotators agree exactly, 0 for a unit that only
        one annotator marked. **(choice)**
    disorder
        Disorder of the unitary alignment, in units of Δ.
    vote
        Votes by category, and ties.
    units
        Unit of each annotator; None if an annotator has none.
    kept
        Whether the unit is in the gold standard.
    reasons
        Reasons why a person should review the unit, worst first; empty if all annotators agree.
    group
        Number of the unitary alignment in the alignment.
    text
        Text that the unit covers; None if positions are not those of characters of a text.
    posterior
        Probability, by the model of the annotators, that there is a unit of the most probable
        category, in [0, 1]. It depends on the assumptions of the model, and says nothing about
        boundaries. None without a model.
    entropy
        Entropy of the posterior, in bits; None without a model.
    tied_spans
        Spans that are tied according to the rule of boundaries, the chosen one first; empty without
        a tie.
    shape
        Shape of the unit. For boxes, the rule of boundaries is applied to each axis; of outlines,
        the one with the least cost against the others is chosen.
    id
        Id of the unit for links of the gold standard; "" if there are none.
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

    def __repr__(self) -> str:
        """Return the place and the category of the unit, and the reasons to review it."""
        place = f"{self.start:g}, {self.end:g}, {self.category!r}"
        if self.reasons:
            reasons = f": {'; '.join(self.reasons)}"
        else:
            reasons = ""
        return f"ConsensusUnit({place}, confidence {self.confidence:.2f}{reasons})"

    def by(self, annotator: str) -> Unit:
        """Return the consensus unit as a unit of an annotator.

        Parameters
        ----------
        annotator
            Name of the annotator.
        """
        inside = self.fragments, self.shape, self.id
        return Unit(annotator, self.start, self.end, self.category, *inside)


@dataclass(frozen=True, kw_only=True)
class Consensus(Plotted):
    """Gold standard of one document, with its evidence.

    Attributes
    ----------
    units
        A consensus unit for each unitary alignment, kept or not, in order of positions.
    continuum
        The gold standard: the kept units, as those of one annotator.
    needed
        Number of annotators that a unit needs to be kept.
    threshold
        Posterior that a unit needs to be kept; None without a model.
    links
        Consensus links, kept or not.
    """

    units: tuple[ConsensusUnit, ...]
    continuum: Continuum
    needed: int
    threshold: float | None = None
    links: tuple[ConsensusLink, ...] = ()

    def __repr__(self) -> str:
        """Return the numbers of units that are kept, left out and to be reviewed."""
        out = len(self.units) - len(self.kept)
        return f"Consensus({len(self.kept)} units, {out} left out, {len(self.review)} to review)"

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("consensus", self)

    def _picture(self, width: float) -> Picture:
        """Draw the annotators' lanes with the consensus below."""
        from gammacp.campaign.consensus.figure import picture_of

        return picture_of(self, width)

    @property
    def kept(self) -> tuple[ConsensusUnit, ...]:
        """The units of the gold standard."""
        return tuple(u for u in self.units if u.kept)

    @property
    def entropy(self) -> float | None:
        """Sum of the entropies of the units, in bits; None without a model."""
        open_bits = [u.entropy for u in self.units if u.entropy is not None]
        if self.threshold is None:
            return None
        return sum(open_bits)

    @property
    def review(self) -> tuple[ConsensusUnit, ...]:
        """Units that a person should review, in the order of `to_be_reviewed`."""
        return tuple(unit for _, unit in to_be_reviewed({"": self}))


def to_be_reviewed(
    documents: Mapping[str, Consensus] | Iterable[tuple[str, Consensus]], most: int | None = None
) -> list[tuple[str, ConsensusUnit]]:
    """Return the units to review, each with the name of its document, worst first.

    Units are sorted by decreasing entropy or, without a model, by decreasing disorder. Among equal
    ones, units with tied categories come first; then the order is that of documents and positions.

    Parameters
    ----------
    documents
        Consensus of each document, by name.
    most
        Largest number of units to return; default: all.
    """

    def review_key(row: tuple[str, ConsensusUnit]) -> tuple[float, bool]:
        unit = row[1]
        return -(unit.disorder if unit.entropy is None else unit.entropy), not unit.vote.tied

    each = documents.items() if isinstance(documents, Mapping) else documents
    doubtful = ((name, unit) for name, c in each for unit in c.units if unit.reasons)
    if most is None:
        return sorted(doubtful, key=review_key)
    return nsmallest(most, doubtful, key=review_key)


def consensus(
    alignment: Alignment,
    *,
    support: str | float | None = None,
    boundaries: str = "majority",
    tolerance: float = 0.25,
    annotator: str = "consensus",
) -> Consensus:
    """Return the consensus of a best alignment.

    Parameters
    ----------
    alignment
        Result of `gammacp.align`; it must be a partition, not a cover.
    support
        Least number or share of annotators who must have marked a unit (`needed_support`); default:
        more than half.
    boundaries
        `majority`, `median` or `mean` of the starts and of the ends. If positions count characters
        or tokens, each boundary is one that some annotator chose (`spans`).
    tolerance
        Largest distance between boundaries, as a share of the mean length of the units, that is not
        yet a reason to review a unit; ≥ 0.
    annotator
        Name of the annotator of the gold standard.

    Raises
    ------
    UsageError
        A value is outside its range, or the name of the annotator is empty.
    """
    instance("alignment", alignment, Alignment, "an Alignment (gammacp.align makes one)")
    rules = ConsensusRules.of(support, boundaries, tolerance, annotator)
    every = AlignedCells(Aligned.of(alignment))
    cells = every.stretch(0)
    return consensus_at(decide(cells, every.labels, rules, alignment.dissimilarity), 0)


def consensus_at(decided: Decided, document: int) -> Consensus:
    """Return the consensus of one document of a stretch.

    Parameters
    ----------
    decided
        Decisions about the unitary alignments of the stretch.
    document
        Place of the document in the stretch.
    """
    continuum = decided.cells.continua[document]
    first, end = decided.cells.edges[document : document + 2].tolist()
    units = [
        _unit(decided, continuum, document, group, group - first) for group in range(first, end)
    ]
    units.sort(key=lambda u: (u.start, u.end, u.group))
    annotator = decided.rules.annotator
    truth = decided.truth
    gold_units = [u.by(annotator) for u in units if u.kept]
    return Consensus(
        units=tuple(units),
        continuum=gold_of(continuum, gold_units, [annotator]),
        needed=int(decided.needed[document]),
        threshold=None if truth is None else truth.threshold,
    )


# Prefix of "starts" and "ends" on each axis.
_AXES = ("", "y ", "z ")


def _unit(
    d: Decided, continuum: Continuum, document: int, group: int, number: int
) -> ConsensusUnit:
    """Make the consensus unit of a unitary alignment.

    `group` is the number of the unitary alignment in the stretch, `number` that in its document.
    """
    first = int(d.cells.continua.edges[document])
    units = {
        name: None if row < 0 else continuum.unit(row - first)
        for name, row in zip(continuum.annotators, d.rows(group), strict=True)
    }
    real = [u for u in units.values() if u is not None]
    categories = [u.category for u in real]
    vote = vote_on_category([category_of(x) for x in categories])
    category, features = d.category(group, categories)
    start, end, is_kept, disorder, posterior = d.decisions[group]
    believed = category_of(category)
    by_model = posterior is not None and believed not in (None, vote.winner)
    if by_model:
        model = f", {believed} by the model ({posterior:.2f})"
    else:
        model = ""
    piece = d.pieces.get(group, Piece())
    tied_spans = d.spans.tied.get(group, ())
    places = piece.fragments or ((start, end),)
    covered = [part for p in places if (part := continuum.text_between(*p)) is not None]
    level = " = ".join(f"{s:.15g}-{e:.15g}" for s, e in tied_spans)
    return ConsensusUnit(
        start=start,
        end=end,
        category=category,
        support=len(real),
        confidence=min(max(1 - disorder, 0.0), 1.0),
        disorder=disorder,
        vote=vote,
        units=units,
        kept=is_kept,
        reasons=(
            *_reasons(vote, model, real, continuum, is_kept, d.rules.tolerance),
            *([f"boundaries tied: {level}, the first was taken"] if level else []),
            *(v.in_words(name, _or_none) for name, v in features.items() if not v.unanimous),
        ),
        group=number,
        text=" … ".join(covered) if covered else None,
        fragments=piece.fragments if len(piece.fragments) > 1 else (),
        shape=piece.shape,
        posterior=posterior,
        entropy=None if d.truth is None else d.truth.entropies[group],
        tied_spans=tied_spans,
    )


def _or_none(value: str | None) -> str:
    if value is None:
        return "none"
    return value


def _reasons(
    vote: CategoryVote, model: str, real: list[Unit], of: Continuum, is_kept: bool, tolerance: float
) -> list[str]:
    reasons = []
    people = of.n_annotators
    if not vote.unanimous:
        reasons.append(vote.in_words("category", category_name) + model)
    if len(real) < people or not is_kept:
        if is_kept:
            left_out = ""
        else:
            left_out = ", left out"
        reasons.append(f"marked by {len(real)} of {people}{left_out}")
    boxes = [((u.start, u.end), *(u.shape.extents if u.shape else ())) for u in real]
    for axis, spans in zip(_AXES, zip(*boxes, strict=True), strict=False):
        allowed = tolerance * sum(high - low for low, high in spans) / len(real)
        for name, positions in zip(("start", "end"), zip(*spans, strict=True), strict=True):
            spread = max(positions) - min(positions)
            if spread > allowed:
                if axis:
                    unit = ""
                else:
                    unit = of.offset_unit
                if spread == 1 and unit not in (SECONDS, MILLISECONDS):
                    unit = unit.removesuffix("s")
                reasons.append(f"{axis}{name}s {spread:g}{' ' * bool(unit)}{unit} apart")
    if len({u.fragments for u in real}) > 1:
        reasons.append("fragments differ")
    if len({u.shape.rings for u in real if u.shape}) > 1:
        reasons.append("outlines differ")
    return reasons


def gold_of(
    like: Continuum, units: Sequence[Unit], annotators: Sequence[str], links: Sequence[Link] = ()
) -> Continuum:
    """Return a continuum of these units with the name, text and bounds of another one.

    Parameters
    ----------
    like
        Continuum whose name, categories, offset unit, text and bounds are used. The bounds are
        extended if rounded units reach beyond them.
    units, annotators, links
        Units, annotators and links of the result.
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
