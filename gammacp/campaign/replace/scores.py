"""Agreement of two annotators on one document or place, by which `replace` compares people.

A score gives, for every instance, the agreement of each pair of annotators, and says how a row of
it becomes the agreement of one annotator with the others. An instance is a document where units
are placed freely, and a place within one where units are predefined and only labelled.
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
from gammacp.measures.f1 import f1_overlap
from gammacp.measures.partial_credit import SOFT
from gammacp.registry import Registry

CROWD_GAP = 0.005
"""Of alignments of dozens of people: half a percent changed none of 456 wins."""


def default_gap(continuum: Continuum) -> float:
    """`CROWD_GAP` for a crowd, whose proofs take minutes; else 0."""
    if continuum.n_annotators >= CROWD:
        return CROWD_GAP
    return 0.0


@dataclass(frozen=True)
class Aligning:
    """Options of alignments where a score needs them, as for `gammacp.align`.

    `unproven` collects the relative gaps of those that were not proven optimal, and `made` keeps
    all for further scores. Documents without the `candidate` are not aligned: nothing in them is
    compared. Where no gap is asked for, those of 28 annotators and more need no proof beyond
    `CROWD_GAP`.
    """

    dissimilarity: Any = None
    executor: Executor | None = None
    solving: Mapping[str, Any] = field(default_factory=dict)
    unproven: list[float] = field(default_factory=list)
    candidate: str | None = None
    made: dict[Continuum, Alignment] = field(default_factory=dict)

    def needs(self, continuum: Continuum) -> bool:
        """Return whether an alignment of this continuum tells anything."""
        there = self.candidate is None or self.candidate in continuum.annotators
        return there and continuum.n_units > 0

    def bound(self, continua: Mapping[str, Continuum]) -> BoundDissimilarity:
        """Return the dissimilarity of all these continua."""
        return bind(self.distance, Corpus.from_continua(continua))

    @property
    def distance(self) -> Any:
        """The dissimilarity, as it was asked for or as it is by default."""
        if self.dissimilarity is None:
            return Combined()
        return self.dissimilarity

    def align(self, continua: Mapping[str, Continuum]) -> dict[str, Alignment]:
        """Return the alignment of each continuum that needs one, by its name."""
        marked = {name: c for name, c in continua.items() if self.needs(c)}
        asked = self.solving.get("gap")
        lacking: dict[float, list[Continuum]] = {}
        for c in dict.fromkeys(marked.values()):
            if c not in self.made:
                lacking.setdefault(default_gap(c) if asked is None else asked, []).append(c)
        for gap, some in lacking.items():
            options = {**self.solving, "gap": gap}
            found = align_each(some, self.bound(continua), executor=self.executor, **options)
            self.made.update(zip(some, found, strict=True))
            self.unproven.extend(a.gap for a in found if a.status is not Status.OPTIMAL)
        return {name: self.made[c] for name, c in marked.items()}

    def proof_notes(self) -> tuple[str, ...]:
        """Return how many alignments are not proven, and how far off they may be."""
        if not self.unproven:
            return ()
        n = len(self.unproven)
        gap = max(self.unproven)
        if n == 1:
            are = "alignment is"
        else:
            are = "alignments are"
        told = f"{n} {are} not proven optimal (within {gap:.2%} of the best)"
        if "gap" in self.solving:
            asked = ""
        else:
            asked = "; `gap=0` searches longer"
        return (told + asked,)


@dataclass(frozen=True, eq=False)
class Instance:
    """A document or place: who annotated it, and how well each pair agrees, shape (k, k).

    More is better; the diagonal is not used. `cluster` is that of the document, "" for none, and
    `weight` what it stands for.
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
    """A score by name.

    Attributes
    ----------
    title
        Name of the score for people.
    instances
        The instances of some continua, with the agreement of pairs.
    rest
        Agreement with the others from that with each of them, shape (others,).
    of
        Name of an instance, in the plural.
    aligned
        Whether it needs alignments: these take long, and a signature names their dissimilarity.
    beside
        Place among the scores of documents that are tried beside the one that is asked for;
        0 for one that is not.
    applies
        Whether some continua have what it compares; without it, it is not tried beside others.
    """

    title: str
    instances: Instances
    rest: Rest = mean
    of: str = "documents"
    aligned: bool = False
    beside: int = 0
    applies: Callable[[Mapping[str, Continuum]], bool] = _always


SCORES: Registry[Scoring] = Registry("score")


def scores_beside(score: str, continua: Mapping[str, Continuum]) -> list[str]:
    """Return the scores of documents that are tried beside the one that is asked for, in order.

    Parameters
    ----------
    score
        The one that is asked for.
    continua
        Documents that the others have to apply to.
    """
    tried = [(s.beside, name) for name, s in SCORES.items() if s.beside and name != score]
    return [name for _, name in sorted(tried) if SCORES[name].applies(continua)]


def pairwise_score(
    name: str, title: str, *, beside: int = 0
) -> Callable[[Callable[[Continuum], Floats]], Callable[[Continuum], Floats]]:
    """Register a function from a continuum to the agreement of its pairs, shape (k, k).

    It is given continua with at least one unit; without any unit everybody agrees.

    Parameters
    ----------
    name
        Name by which the score is chosen.
    title
        Name of the score for people.
    beside
        Field `beside` of `Scoring`.
    """

    def register(pairs: Callable[[Continuum], Floats]) -> Callable[[Continuum], Floats]:
        SCORES.register(name, Scoring(title, partial(_of_documents, pairs), beside=beside))
        return pairs

    return register


def _of_documents(
    pairs: Callable[[Continuum], Floats], continua: Mapping[str, Continuum], _: Aligning
) -> Iterator[Instance]:
    for name, c in continua.items():
        empty = np.zeros((c.n_annotators, c.n_annotators))
        yield Instance(name, c.annotators, pairs(c) if c.n_units else empty, c.cluster, c.weight)


def disorders(continua: Mapping[str, Continuum], aligning: Aligning) -> Iterator[Instance]:
    """Minus the disorder of each pair within the best alignment of all (2015, eq. 7 for two)."""
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
    """Disorder of each pair of annotators within an alignment of all, shape (k, k).

    Σ d(u, v) / x̄ over the groups in which either of the two has a unit, x̄ the mean of their
    numbers of units; 0 where neither has any. With two annotators it is the alignment's disorder.
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
    "overlap", "F₁ of units that overlap, one to one, whatever their category", beside=2
)
def _overlap(c: Continuum) -> Floats:
    """`f1-overlap` of every pair; two who marked nothing agree."""
    units = c.counts[:, None] + c.counts[None, :]
    matches = 2.0 * f1_overlap(c).matches
    found: Floats = np.divide(matches, units, out=np.ones(units.shape), where=units > 0)
    return found


@pairwise_score(
    "soft-f1", "F₁ with credit for partial overlap (Da San Martino et al. 2019, §5)", beside=1
)
def _soft_f1(c: Continuum) -> Floats:
    """`soft-f1` of every pair; two who marked nothing agree, and unlabelled units are alike."""
    require_whole(c)
    values = SOFT.rates_of(SOFT.count(c)).value
    found = np.ones((c.n_annotators, c.n_annotators))
    i, j = np.triu_indices(c.n_annotators, 1)
    found[i, j] = found[j, i] = np.where(np.isnan(values), 1.0, values)
    return found


def _places(
    pairs: Callable[[list[str]], Floats], continua: Mapping[str, Continuum], _: Aligning
) -> Iterator[Instance]:
    """Yield an instance per place of a continuum; who has no label there did not annotate it."""
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
            found = pairs(list(labels.values()))
            yield Instance(place, tuple(labels), found, c.cluster, c.weight)


def _equal(labels: list[str]) -> Floats:
    codes = np.unique(labels, return_inverse=True)[1]
    return np.asarray(codes[:, None] == codes[None, :], np.float64)


def _squares(labels: list[str]) -> Floats:
    """Minus the squared differences."""
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
    """Minus the root of the mean square, from minus the squares."""
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
