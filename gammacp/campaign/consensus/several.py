"""Make the gold standards of several documents, each from its best alignment."""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gammacp.alignment import Alignment, Solving, Status, align_each
from gammacp.base.arguments import one_of
from gammacp.base.arrays import Indices
from gammacp.base.lazy import Plotted
from gammacp.base.text import first_names
from gammacp.campaign.annotators.models import AnnotatorModel, Fit, fit
from gammacp.campaign.annotators.responses import Responses
from gammacp.campaign.consensus.cells import AlignedCells, Cells
from gammacp.campaign.consensus.consensus import (
    Consensus,
    ConsensusUnit,
    consensus_at,
    to_be_reviewed,
)
from gammacp.campaign.consensus.deciding import ConsensusRules, Decided, Truth, decide
from gammacp.campaign.consensus.records import consensus_document
from gammacp.campaign.consensus.weighing import (
    AnnotatorQuality,
    best_threshold,
    qualities,
    qualities_by_vote,
    shares_of_boundaries,
)
from gammacp.campaign.copies import CopiesFound, copies, count_once
from gammacp.campaign.parts import GOLD
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.document_table import DocumentTable, TableDocuments
from gammacp.continuum.needs import require
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.dissimilarity import Combined, bind
from gammacp.errors import DataError
from gammacp.measures.random_sets import Continua, named_continua
from gammacp.measures.settings import Settings

if TYPE_CHECKING:
    from gammacp.base.pictures import Picture

Value = TypeVar("Value")
# Largest number of values that `Made` keeps.
_KEPT = 2000
WEIGHTS = ("auto", "vote", *AnnotatorModel)
_FITTED = ("iterations", "converged", "log_likelihood")
# Dissimilarity for alignments whose units a model judges. An additional unitary alignment costs
# as much as n(n − 1)/2 empty units. With γ's own α = 1, a mark would therefore be aligned with
# distant ones, the more distant the more annotators there are. A model would then conclude that its
# author saw a unit which the author in fact missed.
MODELLED = Combined(alpha=3, beta=0.5)


@dataclass(frozen=True, kw_only=True)
class Belief:
    """Weights of the annotators in a consensus.

    Attributes
    ----------
    weights
        `vote`, or the name of a model of annotators.
    notes
        Reasons why votes were used although a model was asked for, and limits of the weights.
    threshold
        Least posterior of the category for a unit to be kept; None for votes.
    fit, responses
        The fitted model, and the responses to which it was fitted; None for votes.
    annotators
        Quality of each annotator, estimated by the model or counted against the votes.
    copies
        Pairs of annotators with identical documents.
    counted_once
        For each document, the annotators who are left out because their annotation is identical to
        that of another annotator.
    """

    weights: str
    notes: tuple[str, ...] = ()
    threshold: float | None = None
    fit: Fit | None = None
    responses: Responses | None = None
    annotators: tuple[AnnotatorQuality, ...] = ()
    copies: CopiesFound = field(default_factory=CopiesFound)
    counted_once: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        return {
            "weights": self.weights,
            "notes": list(self.notes),
            "threshold": self.threshold,
            **{name: self.fit and getattr(self.fit, name) for name in _FITTED},
            "annotators": {a.name: a.as_dict() for a in self.annotators},
            "copies": {
                **self.copies.as_dict(),
                "counted_once": {name: list(copied) for name, copied in self.counted_once.items()},
            },
        }


@dataclass(frozen=True, kw_only=True)
class CorpusConsensus(Plotted):
    """Gold standards by document.

    Attributes
    ----------
    documents
        Consensus of each document by name, in order; computed when it is accessed.
    cells
        Best alignments from which the consensus is made.
    belief
        How the annotators were weighed.
    support, boundaries, dissimilarity
        Arguments of `consensus_of_each`; None stands for the default.
    failures
        Errors of documents that have no consensus; each error names its document.
    """

    documents: Mapping[str, Consensus]
    cells: AlignedCells
    belief: Belief
    support: str | float | None = None
    boundaries: str = "majority"
    dissimilarity: Any = None
    failures: tuple[DataError, ...] = ()

    def __repr__(self) -> str:
        """Return the number of documents, the weights and the number of units to review."""
        return (
            f"CorpusConsensus({len(self.documents)} documents by {self.belief.weights}, "
            f"{len(self.review)} units to review)"
        )

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("corpus_consensus", self)

    def _picture(self, width: float) -> "Picture":
        """Draw how many units of each document are agreed on."""
        from gammacp.campaign.consensus.figure import picture_of_all

        return picture_of_all(self, width)

    @cached_property
    def alignments(self) -> Mapping[str, Alignment]:
        """Best alignment of each document."""
        return Made([*self.documents], self.cells.aligned.__getitem__)

    @cached_property
    def continua(self) -> Mapping[str, Continuum]:
        """Gold standard of each document; a table of columns if the documents are one, too."""
        if isinstance(self.cells.continua, TableDocuments) and self.cells.continua.plain:
            return _in_columns(self.documents)
        return {name: c.continuum for name, c in self.documents.items()}

    @property
    def gold(self) -> Continuum | Corpus:
        """Gold standard: a continuum for one document, a corpus for several."""
        one = len(self.continua) == 1
        if one:
            return next(iter(self.continua.values()))
        return Corpus.from_continua(self.continua)

    @property
    def status(self) -> Status:
        """Status of the worst alignment: `OPTIMAL` if all are proven optimal."""
        if self.cells.aligned.optimal.all():
            return Status.OPTIMAL
        return Status.FEASIBLE

    def as_dict(self) -> dict[str, Any]:
        """Return the consensus of each document, and how annotators were weighed, for JSON."""
        results = [
            consensus_document(name, consensus, self.alignments[name])
            for name, consensus in self.documents.items()
        ]
        return {"results": results, **self.belief.as_dict()}

    @property
    def review(self) -> list[tuple[str, ConsensusUnit]]:
        """Units of all documents that a person should review, in the order of `to_be_reviewed`."""
        return to_be_reviewed(self.documents)


def _in_columns(documents: Mapping[str, Consensus]) -> DocumentTable:
    """Return a table of the gold standards, for documents that come from a table."""
    starts = array("d")
    ends = array("d")
    document_numbers = array("i")
    categories = array("i")
    bounds = {}
    like = None
    for k, consensus in enumerate(documents.values()):
        like = consensus.continuum
        if like.declared:
            bounds[k] = like.bounds
        starts.extend(like.starts)
        ends.extend(like.ends)
        categories.extend(like.category_codes)
        if not like.n_units:  # a document without units is a row without positions
            starts.append(np.nan)
            ends.append(np.nan)
            categories.append(-1)
        document_numbers.extend([k] * max(like.n_units, 1))
    assert like is not None
    return DocumentTable.of_rows(
        {name: k for k, name in enumerate(documents)},
        like.annotators,
        like.categories,
        np.array(document_numbers, np.int32),
        np.zeros(len(document_numbers), np.int32),
        np.array(categories, np.int32),
        np.array(starts),
        np.array(ends),
        bounds=bounds,
        offset_unit=like.offset_unit,
    )


class Made(Mapping[str, Value]):
    """Mapping whose values are computed when they are accessed.

    A limited number of values is kept in memory; when it is reached, all are discarded.

    Parameters
    ----------
    names
        Names in order.
    make
        Function that returns the value of a name, given the number of the name.
    """

    def __init__(self, names: Sequence[str], make: Callable[[int], Value]) -> None:
        """Store the names and the function; no value is computed yet."""
        self._number = {name: k for k, name in enumerate(names)}
        self._make, self._made = make, dict[str, Value]()

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self._number)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in order."""
        return iter(self._number)

    def __getitem__(self, name: str) -> Value:
        """Return the value of a name; compute it if it is not in memory."""
        if name not in self._made:
            if len(self._made) >= _KEPT:
                self._made.clear()
            self._made[name] = self._make(self._number[name])
        return self._made[name]


def consensus_of_each(
    continua: Continua,
    *,
    dissimilarity: Any = None,
    weights: str = "auto",
    support: str | float | None = None,
    boundaries: str = "majority",
    tolerance: float = 0.25,
    annotator: str = "consensus",
    method: str = "auto",
    gap: float = 0.0,
    time_limit: float | None = None,
    seed: int = 0,
    executor: Executor | None = None,
) -> CorpusConsensus:
    """Return the consensus of each document; documents that cannot be aligned are only listed.

    Parameters
    ----------
    continua
        A continuum, a corpus, or continua by name; the dissimilarity is bound to all of them.
    dissimilarity
        Default: `Combined()` for votes, and `MODELLED` (α = 3, β = ½) for a model, which aligns
        fewer distant units, and more units of different categories.
    weights
        `vote`; or `dawid-skene`, `one-coin` or `mace`, fitted to all documents (`annotators.fit`);
        or `auto` for Dawid & Skene. If the data do not suffice to estimate the weights, votes
        decide, and `belief.notes` gives the reason.
    support, boundaries, tolerance, annotator
        As for `consensus`; with a model, the default support is 1, and medians are weighted.
    method, gap, time_limit, seed
        As for `gammacp.align`.
    executor
        Pool of processes that align documents.

    Raises
    ------
    DataError
        No document can be aligned.
    UsageError
        A value is outside its range.
    """
    rules = ConsensusRules.of(support, boundaries, tolerance, annotator)
    weights = one_of("weights", weights, WEIGHTS)
    corpus, shared, once = _leave_out_copies(continua)
    names = [*corpus]
    every = ContinuumSequence.of(corpus.values())
    failures = _failures(names, every)
    sound = _alignable(len(names), failures)
    solving: Solving = {"method": method, "gap": gap, "time_limit": time_limit, "seed": seed}

    def align_by_default(default: Combined) -> AlignedCells:
        bound = bind(default if dissimilarity is None else dissimilarity, corpus)
        return AlignedCells(align_each(every.at(sound), bound, executor=executor, **solving))

    cells, decided, belief = _align_and_decide(
        align_by_default, weights, rules, dissimilarity is None
    )
    decide_one = _Making(cells, decided, Settings.of(dissimilarity=dissimilarity, **solving))
    documents = Made([names[k] for k in sound.tolist()], decide_one)
    belief = _add_cautions(belief, documents, cells)
    return CorpusConsensus(
        documents=documents,
        cells=cells,
        belief=_add_copies(belief, shared, once),
        support=support,
        boundaries=boundaries,
        dissimilarity=dissimilarity,
        failures=tuple(failures.values()),
    )


def _alignable(documents: int, failures: Mapping[int, DataError]) -> Indices:
    """Return the numbers of the documents without a failure.

    Raises
    ------
    DataError
        There is no such document.
    """
    sound = np.array([k for k in range(documents) if k not in failures], np.int64)
    if not len(sound):
        raise next(iter(failures.values()), DataError("there is no document"))
    return sound


def _add_copies(belief: Belief, shared: CopiesFound, once: dict[str, tuple[str, ...]]) -> Belief:
    """Add the copies and notes on them, if there are any."""
    if not shared.pairs:
        return belief
    notes = (*belief.notes, *shared.in_words(), *_notes_on_copies(once))
    return replace(belief, notes=notes, copies=shared, counted_once=once)


def _leave_out_copies(continua: Continua) -> tuple[Corpus, CopiesFound, dict[str, tuple[str, ...]]]:
    """Leave out copied annotations, so that identical ones count once.

    Returns
    -------
    corpus, copies, once
        The corpus without copied annotations; the copies that were found; and the annotators who
        were left out of each document, as `count_once` returns them.
    """
    corpus = continua
    if not isinstance(corpus, Corpus):
        corpus = Corpus.from_continua(named_continua(continua))
    shared = CopiesFound()
    if len(corpus) > 1:
        shared = copies(corpus)
    if not shared.pairs:
        return corpus, shared, {}
    changed, once = count_once({name: corpus[name] for name in corpus}, shared)
    return Corpus.from_continua(changed), shared, once


def _align_and_decide(
    align_by_default: Callable[[Combined], AlignedCells],
    weights: str,
    rules: ConsensusRules,
    default: bool,
) -> tuple[AlignedCells, Callable[[Cells], Decided], Belief]:
    """Align the documents, and decide by votes or by a model, as `weights` says.

    If the data do not suffice for a model, votes decide; and if the dissimilarity is the `default`
    one, the documents are aligned again with the default for votes.
    """
    if weights == "vote":
        cells = align_by_default(Combined())
    else:
        cells = align_by_default(MODELLED)
    responses = cells.responses()
    untold = None
    if weights != "vote":
        untold = responses.overlap.too_little
    if untold and default:
        cells = align_by_default(Combined())
        responses = cells.responses()
        untold = responses.overlap.too_little
    if weights != "vote" and untold is None:
        return (cells, *_weigh(cells, responses, weights, rules))
    decided: Callable[[Cells], Decided] = partial(_decide, cells, rules)
    notes: tuple[str, ...] = ()
    if untold is not None:
        notes = (f"votes decide, because {untold}",)
    believed = qualities_by_vote(responses, partial(map, decided, cells))
    return cells, decided, Belief(weights="vote", notes=notes, annotators=believed)


def _notes_on_copies(once: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield a note on identical annotations, which count once, if there are any."""
    if once:
        times = Counter(name for copied in once.values() for name in copied)
        people = ", ".join(f"{name} in {number}" for name, number in times.most_common(3))
        more = len(times) - 3
        if more > 0:
            people += f" and {more} more annotators"
        yield (
            f"identical annotations count once, in {len(once)} documents "
            f"({first_names([*once], 3)}): left out is {people}"
        )


class _Making:
    """Function that makes the consensus of a document, given its number.

    It keeps the decisions on the last stretch, because documents are usually accessed in order.
    """

    def __init__(
        self, cells: AlignedCells, decided: Callable[[Cells], Decided], joining: Settings
    ) -> None:
        self._cells = cells
        self._decided = decided
        self._joining = joining
        self._last: tuple[int, Decided] | None = None

    def __call__(self, number: int) -> Consensus:
        part = bisect_right(self._cells.parts, number, key=itemgetter(1))
        if self._last is None or self._last[0] != part:
            self._last = part, self._decided(self._cells.stretch(part))
        decided = self._last[1]
        consensus = consensus_at(decided, number - decided.cells.first)
        if not self._cells.continua.structured:
            return consensus
        alignment = self._cells.aligned[number]
        for _, addition in GOLD.items():
            if addition.applies(alignment.continuum):
                consensus = addition.add(consensus, alignment, self._joining)
        return consensus


def _add_cautions(
    belief: Belief, documents: Mapping[str, Consensus], cells: AlignedCells
) -> Belief:
    """Add notes on what the model does not decide, if there is a model."""
    if belief.fit is None:
        return belief
    return replace(belief, notes=(*belief.notes, *_cautions(documents, cells)))


def _cautions(documents: Mapping[str, Consensus], cells: AlignedCells) -> Iterator[str]:
    """Yield notes on what a model does not decide, at most one for each part of `GOLD`."""
    for _, part in GOLD.items():
        for name, continuum in zip(documents, cells.continua.structured, strict=False):
            if part.applies(continuum):
                caution = part.caution(documents[name])
            else:
                caution = None
            if caution is not None:
                yield caution
                break


def _decide(
    every: AlignedCells, rules: ConsensusRules, cells: Cells, truth: Truth | None = None
) -> Decided:
    if truth is None:
        part_truth = None
    else:
        part_truth = truth.of(cells)
    return decide(cells, every.labels, rules, every.aligned.dissimilarity, part_truth)


def _weigh(
    cells: AlignedCells, responses: Responses, model: str, rules: ConsensusRules
) -> tuple[Callable[[Cells], Decided], Belief]:
    """Fit a model to all documents; return the function that decides by it, and its belief."""
    fitted = fit(responses, "dawid-skene" if model == "auto" else model, unseen=True)
    posterior = fitted.of_kinds
    even = np.ones(len(responses.annotators))
    times = np.bincount(fitted.kind).astype(np.float64)
    threshold = best_threshold(posterior, float(fitted.unseen[:-1].sum()), times)
    alike = Truth(posterior, fitted.kind, threshold, even)
    decided = partial(_decide, cells, rules, truth=alike)
    shares = shares_of_boundaries(len(responses.annotators), map(decided, cells))
    decided = partial(_decide, cells, rules, truth=replace(alike, boundaries=shares))
    cautions = (
        responses.overlap.caution,
        _note_on_majorities(str(fitted.model), map(decided, cells)),
    )
    notes = [note for note in cautions if note is not None]
    if not fitted.converged:
        notes.append(f"the model had not converged after {fitted.iterations} iterations")
    return decided, Belief(
        weights=str(fitted.model),
        notes=tuple(notes),
        threshold=threshold,
        fit=fitted,
        responses=responses,
        annotators=qualities(responses, fitted.counts, fitted.confusion, map(decided, cells)),
    )


def _note_on_majorities(model: str, each: Iterable[Decided]) -> str | None:
    """Return a note on units on which the model contradicts the majority; None without such."""
    many = dropped = lone = kept_lone = 0
    for d in each:
        support = d.cells.support
        most = 2 * support > d.cells.continua.n_annotators[d.cells.document]
        many = many + int(most.sum())
        lone = lone + int((support == 1).sum())
        dropped += int((most & ~d.is_kept).sum())
        kept_lone += int(((support == 1) & d.is_kept).sum())
    if not dropped and not kept_lone:
        return None
    return (
        f"the model {model} leaves out {dropped} of the {many} units that more than half of "
        f"the annotators marked, and keeps {kept_lone} of the {lone} that only one marked; "
        'with the weights "vote", every annotator counts the same'
    )


def _failures(names: Sequence[str], continua: ContinuumSequence) -> dict[int, DataError]:
    """Return the errors of documents that cannot be aligned, by number of the document."""
    looked: Iterable[int] = range(len(continua))
    if continua.plain:
        looked = np.flatnonzero((continua.n_units == 0) | (continua.n_annotators < 2)).tolist()
    failures: dict[int, DataError] = {}
    for k in looked:
        try:
            require(continua[k], fragments=True)
        except DataError as error:
            failures[k] = error.at(names[k])
    return failures
