"""Score the agreement of pairs of annotators on one instance, for the test of `replace`.

For each instance, a score gives the agreement of each pair of annotators. It also defines how the
agreement of one annotator with each of the others is combined into one number. If units are placed
freely, an instance is a document. If units are predefined and only labelled, an instance is a place
within a document.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from gammacp.alignment import Alignment, Status, align_each
from gammacp.alignment.limits import CROWD
from gammacp.base.arrays import Floats
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.needs import require_whole
from gammacp.dissimilarity import Combined, bind
from gammacp.dissimilarity.base import BoundDissimilarity
from gammacp.errors import DataError
from gammacp.measures.matching.f1 import f1_overlap
from gammacp.measures.matching.partial_credit import SOFT
from gammacp.registry import Registry

CROWD_GAP = 0.005
"""Default gap for alignments of crowds: a gap of half a percent changed none of 456 wins."""


def default_gap(continuum: Continuum) -> float:
    """Return `CROWD_GAP` for a crowd, for which proofs of optimality take minutes; otherwise 0."""
    if continuum.n_annotators >= CROWD:
        return CROWD_GAP
    return 0.0


@dataclass(frozen=True)
class Aligning:
    """Options of alignments for scores that need them, and the alignments that were made.

    Attributes
    ----------
    dissimilarity, executor
        As for `gammacp.align`.
    solving
        Further options of `gammacp.align`. Without a `gap`, it is `default_gap` of each document.
    unproven
        Relative gaps of the alignments that are not proven optimal.
    candidate
        Name of the candidate. Documents without the candidate are not aligned, because nothing in
        them is compared. None: all documents with units are aligned.
    alignments
        All alignments that were made, for use by further scores.
    """

    dissimilarity: Any = None
    executor: Executor | None = None
    solving: Mapping[str, Any] = field(default_factory=dict)
    unproven: list[float] = field(default_factory=list)
    candidate: str | None = None
    alignments: dict[Continuum, Alignment] = field(default_factory=dict)

    def needs(self, continuum: Continuum) -> bool:
        """Return whether a continuum has to be aligned: if it has units, and the candidate."""
        has_candidate = self.candidate is None or self.candidate in continuum.annotators
        return has_candidate and continuum.n_units > 0

    def bound(self, continua: Mapping[str, Continuum]) -> BoundDissimilarity:
        """Return the dissimilarity, bound to all of these continua."""
        return bind(self.distance, Corpus.from_continua(continua))

    @property
    def distance(self) -> Any:
        """The given dissimilarity, or the default one."""
        if self.dissimilarity is None:
            return Combined()
        return self.dissimilarity

    def align(self, continua: Mapping[str, Continuum]) -> dict[str, Alignment]:
        """Return the alignment of each continuum that needs one, by name."""
        marked = {name: c for name, c in continua.items() if self.needs(c)}
        requested_gap = self.solving.get("gap")
        lacking: dict[float, list[Continuum]] = {}
        for c in dict.fromkeys(marked.values()):
            if c not in self.alignments:
                lacking.setdefault(
                    default_gap(c) if requested_gap is None else requested_gap, []
                ).append(c)
        for gap, some in lacking.items():
            options = {**self.solving, "gap": gap}
            alignments = align_each(some, self.bound(continua), executor=self.executor, **options)
            self.alignments.update(zip(some, alignments, strict=True))
            self.unproven.extend(a.gap for a in alignments if a.status is not Status.OPTIMAL)
        return {name: self.alignments[c] for name, c in marked.items()}

    def proof_notes(self) -> tuple[str, ...]:
        """Return a note on the number and the gap of unproven alignments, if there are any."""
        if not self.unproven:
            return ()
        n = len(self.unproven)
        gap = max(self.unproven)
        if n == 1:
            are = "alignment is"
        else:
            are = "alignments are"
        note = f"{n} {are} not proven optimal (within {gap:.2%} of the best)"
        if "gap" in self.solving:
            advice = ""
        else:
            advice = "; `gap=0` searches longer"
        return (note + advice,)


@dataclass(frozen=True, eq=False)
class Instance:
    """Instance of the test: a document, or a place in one.

    Attributes
    ----------
    name
        Name of the instance.
    annotators
        Names of its annotators.
    pairs
        Agreement of each pair of annotators, shape (annotators, annotators). Higher is better, and
        the diagonal is not used.
    cluster
        Cluster of the document; "" without one.
    weight
        Weight of the document.
    """

    name: str
    annotators: tuple[str, ...]
    pairs: Floats
    cluster: str = ""
    weight: float = 1.0


Rest: TypeAlias = Callable[[Floats], float]
Instances: TypeAlias = Callable[[Mapping[str, Continuum], Aligning], Iterable[Instance]]


def mean(agreement: Floats) -> float:
    """Return the plain mean of the agreement with each of the others."""
    return float(agreement.mean())


def _always(_: Mapping[str, Continuum]) -> bool:
    return True


@dataclass(frozen=True)
class Scoring:
    """Definition of a score.

    Attributes
    ----------
    title
        Name of the score in texts.
    instances
        Function that yields the instances of continua, with the agreement of pairs.
    rest
        Function that combines the agreement of an annotator with each of the others, shape
        (others,), into one number.
    of
        Word for the instances, in the plural.
    aligned
        Whether the score needs alignments. These take long, and the signature names their
        dissimilarity.
    further_rank
        Place in the order of the scores that are computed in addition to the chosen one; 0 if the
        score is computed only when it is chosen.
    applies
        Function that returns whether the score can be computed for continua; if not, it is not
        computed in addition to others.
    """

    title: str
    instances: Instances
    rest: Rest = mean
    of: str = "documents"
    aligned: bool = False
    further_rank: int = 0
    applies: Callable[[Mapping[str, Continuum]], bool] = _always


SCORES: Registry[Scoring] = Registry("score")


def further_scores(score: str, continua: Mapping[str, Continuum]) -> list[str]:
    """Return the names of the scores to compute in addition to the chosen one, in order.

    Parameters
    ----------
    score
        Name of the chosen score.
    continua
        Documents; scores that do not apply to them are left out.
    """
    ranked = [
        (s.further_rank, name) for name, s in SCORES.items() if s.further_rank and name != score
    ]
    return [name for _, name in sorted(ranked) if SCORES[name].applies(continua)]


def pairwise_score(
    name: str, title: str, *, further_rank: int = 0
) -> Callable[[Callable[[Continuum], Floats]], Callable[[Continuum], Floats]]:
    """Register a function from a continuum to the agreement of its pairs, shape (k, k).

    The function is called only for continua with at least one unit. Without units, all annotators
    agree equally.

    Parameters
    ----------
    name
        Name by which users choose the score.
    title
        Name of the score in texts.
    further_rank
        Field `further_rank` of `Scoring`.
    """

    def register(pairs: Callable[[Continuum], Floats]) -> Callable[[Continuum], Floats]:
        SCORES.register(
            name, Scoring(title, partial(_document_instances, pairs), further_rank=further_rank)
        )
        return pairs

    return register


def _document_instances(
    pairs: Callable[[Continuum], Floats], continua: Mapping[str, Continuum], _: Aligning
) -> Iterator[Instance]:
    for name, c in continua.items():
        empty = np.zeros((c.n_annotators, c.n_annotators))
        yield Instance(name, c.annotators, pairs(c) if c.n_units else empty, c.cluster, c.weight)


def disorders(continua: Mapping[str, Continuum], aligning: Aligning) -> Iterator[Instance]:
    """Yield instances scored by the negative disorder of each pair in the best alignment of all.

    The disorder is that of Mathet, Widlöcher & Métivier (2015, eq. 7), restricted to a pair.
    """
    aligned = aligning.align(continua)
    for name, c in continua.items():
        if name in aligned:
            pairs = -pair_disorders(aligned[name])
        else:
            pairs = no_scores(c)
        yield Instance(name, c.annotators, pairs, c.cluster, c.weight)


def no_scores(continuum: Continuum) -> Floats:
    """Return a score of 0 for each pair of annotators, shape (annotators, annotators)."""
    return np.zeros((continuum.n_annotators, continuum.n_annotators))


def per_size(total: Floats, size: Floats) -> Floats:
    """Return each total divided by its size, and 0 where the size is 0."""
    return np.divide(total, size, out=np.zeros(len(total)), where=size > 0)


def pair_disorders(alignment: Alignment) -> Floats:
    """Return the disorder of each pair of annotators in an alignment, shape (k, k).

    It is Σ d(u, v) / x̄ over the unitary alignments in which at least one of the two has a unit,
    where x̄ is the mean of their numbers of units; 0 if neither has a unit. With two annotators in
    all, it is the disorder of the alignment.
    """
    c = alignment.continuum
    real = alignment.groups >= 0
    i, j = np.triu_indices(c.n_annotators, 1)
    total = np.where(real[:, i] | real[:, j], alignment.pair_costs, 0.0).sum(axis=0)
    units = (c.counts[i] + c.counts[j]) / 2
    pairs = np.zeros((c.n_annotators, c.n_annotators))
    pairs[i, j] = pairs[j, i] = per_size(total, units)
    return pairs


@pairwise_score(
    "overlap", "F₁ of units that overlap, one to one, whatever their category", further_rank=2
)
def _overlap(c: Continuum) -> Floats:
    """Return `f1-overlap` of each pair; it is 1 for two annotators without units."""
    units = c.counts[:, None] + c.counts[None, :]
    matches = 2.0 * f1_overlap(c).matches
    values: Floats = np.divide(matches, units, out=np.ones(units.shape), where=units > 0)
    return values


@pairwise_score(
    "soft-f1", "F₁ with credit for partial overlap (Da San Martino et al. 2019, §5)", further_rank=1
)
def _soft_f1(c: Continuum) -> Floats:
    """Return `soft-f1` of each pair; it is 1 for two annotators without units."""
    require_whole(c)
    values = SOFT.rates_of(SOFT.count(c)).value
    matrix = np.ones((c.n_annotators, c.n_annotators))
    i, j = np.triu_indices(c.n_annotators, 1)
    matrix[i, j] = matrix[j, i] = np.where(np.isnan(values), 1.0, values)
    return matrix


def _places(
    pairs: Callable[[list[str]], Floats], continua: Mapping[str, Continuum], _: Aligning
) -> Iterator[Instance]:
    """Yield an instance for each labelled place, with only the annotators who labelled it."""
    for name, c in continua.items():
        places: dict[tuple[Any, ...], dict[str, str]] = {}
        for unit in c:
            if unit.category is None:
                continue
            here = places.setdefault((unit.start, unit.end, unit.fragments, unit.shape), {})
            if unit.annotator in here:
                raise DataError(
                    f"{unit.start:.15g}-{unit.end:.15g} is labelled twice by {unit.annotator}",
                    file=name,
                    hint="Labels need places that each annotator labels once; use `score=disorder`",
                )
            here[unit.annotator] = unit.category
        for key, labels in places.items():
            place = f"{name}:{key[0]:.15g}-{key[1]:.15g}"
            agreement = pairs(list(labels.values()))
            yield Instance(place, tuple(labels), agreement, c.cluster, c.weight)


def _equal(labels: list[str]) -> Floats:
    codes = np.unique(labels, return_inverse=True)[1]
    return np.asarray(codes[:, None] == codes[None, :], np.float64)


def _squares(labels: list[str]) -> Floats:
    """Return the negative squared differences of numeric labels."""
    try:
        values = np.array([float(label) for label in labels])
    except ValueError:
        values = np.array([math.nan])
    if not np.isfinite(values).all():
        raise DataError(
            f"labels such as {labels[0]!r} are not all numbers",
            hint="neg-rmse takes numbers; use `score=accuracy`",
        )
    return np.asarray(-((values[:, None] - values[None, :]) ** 2))


def _root(agreement: Floats) -> float:
    """Return the negative root of the mean square, given the negative squares."""
    return -math.sqrt(-float(agreement.mean()))


_LABELS = "labelled places"
_RMSE = "minus the root of the mean squared difference of numeric labels"
SCORES.register(
    "disorder",
    Scoring("minus the disorder within the best alignment", disorders, aligned=True),
)
SCORES.register(
    "accuracy",
    Scoring("share of the others who chose the same label", partial(_places, _equal), of=_LABELS),
)
SCORES.register("neg-rmse", Scoring(_RMSE, partial(_places, _squares), _root, _LABELS))
