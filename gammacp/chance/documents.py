"""Each annotator's documents permuted: `documents`.

A random annotation set brings together the annotators of one document of the corpus, each with
what he or she did on another document, no two of them on the same one. It answers how far people
agree beyond what they would if none had looked at the document at hand: places that all documents
share (a headline, an opening) are chance, and each annotator's habits are kept.

After §5.2.2 of Mathet, Widlöcher & Métivier (2015), whose `corpus` draws any annotators instead,
with replacement, and repeats shorter documents like a mosaic. Here units stay as many as they are,
and where they are in their document: counted from its declared beginning, or else as in the file,
from the first unit of all documents. Only documents that begin further apart than the longest is
long (recordings with the time of day), and that are no images, are counted from their own first
unit. Documents of which
all are alike then give independent annotators 0 exactly; short ones repeated, or each moved to its
first unit, meet far too often (γ of −.09 and −.04 for two units per annotator).

Who annotated fewer documents than a set has annotators may find none that is left; such annotators
are given what anybody did on a document, and the signature counts them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from gammacp.arrays import Indices
from gammacp.canonical import canonical_order, in_content_order
from gammacp.chance.annotation import (
    ROUNDING,
    Annotation,
    annotation_of,
    annotation_set,
)
from gammacp.chance.registry import registered
from gammacp.chance.sampling import OnDemand
from gammacp.continuum import Continuum
from gammacp.continuum.fragments import together
from gammacp.errors import DataError


@dataclass(frozen=True)
class DocumentsSampler:
    """Sets of annotations of different documents; see the module.

    Attributes
    ----------
    annotations
        All annotations, by annotator and document.
    documents
        Document of each annotation, ascending.
    own
        For each annotator: the annotations to draw from, by document.
    sets
        The annotators of every document with as many of them as a set has.
    """

    annotations: Sequence[Annotation]
    documents: Indices
    own: tuple[Indices, ...]
    sets: tuple[Indices, ...]
    categories: tuple[str, ...]
    names: tuple[str, ...]
    signature: str

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        annotators = rng.permutation(self.sets[rng.integers(len(self.sets))])
        chosen: list[Annotation] = []
        met: list[int] = []
        for annotator in annotators:
            own = self.own[annotator]
            # Where in the annotator's row those of documents that are taken stand.
            low, high = (
                np.searchsorted(own, np.searchsorted(self.documents, met, side=side))
                for side in ("left", "right")
            )
            gone = sorted(k for s, e in zip(low, high, strict=True) for k in range(s, e))
            place = int(rng.integers(len(own) - len(gone)))
            for k in gone:
                place += place >= k
            met.append(int(self.documents[own[place]]))
            chosen.append(self.annotations[own[place]])
        return annotation_set(chosen, self.categories, tuple(self.names[i] for i in annotators))


@registered(
    "documents",
    "each annotator's documents permuted, no two annotations of one document meeting",
    "after Mathet, Widlöcher & Métivier 2015, §5.2.2",
    pools=True,
    ratio=True,
    named=True,
)
def prepare_documents(continua: Sequence[Continuum], n_annotators: int) -> DocumentsSampler:
    """The sampler of a corpus.

    Raises
    ------
    DataError
        Fewer documents than annotators in a set, or no document with as many.
    """
    if len(continua) < n_annotators:
        raise DataError(
            f"chance model 'documents' needs at least {n_annotators} documents for {n_annotators} "
            f"annotators, and there are {len(continua)}",
            hint="Give more files, or use --chance cut",
        )
    pool = _pool(tuple(continua))
    sets = tuple(s for s in pool.sets if len(s) == n_annotators)
    if not sets:
        raise DataError(f"no document has {n_annotators} annotators")
    own = list(pool.own)
    few = [k for k in np.unique(np.concatenate(sets)) if len(own[k]) < n_annotators]
    for k in few:
        own[k] = np.arange(len(pool.documents))
    pooled = f"(pooled={len(few)})" if few else ""
    return replace(pool, own=tuple(own), sets=sets, signature=f"documents{pooled}")


@lru_cache(maxsize=1)
def _pool(continua: tuple[Continuum, ...]) -> DocumentsSampler:
    """What sets of any number of annotators are drawn from, once for the corpus at hand."""
    ordered = in_content_order(continua)
    rank = _ranks(ordered)
    before = _beginnings(ordered)
    ranks = [np.array([rank[name] for name in c.annotators], np.int64) for c in ordered]
    documents = np.repeat(np.arange(len(ordered)), [len(own) for own in ranks])
    first = np.cumsum([0, *map(len, ranks)])
    sets = tuple(map(np.sort, ranks))
    annotators = np.concatenate(sets)
    order = np.argsort(annotators, kind="stable")
    own = np.split(order, np.cumsum(np.bincount(annotators, minlength=len(rank)))[:-1])
    return DocumentsSampler(
        OnDemand(len(documents), _OfRow(ordered, documents, ranks, first, before)),
        documents,
        tuple(own),
        sets,
        ordered[0].categories,
        tuple(sorted(rank, key=rank.__getitem__)),
        "documents",
    )


@dataclass(frozen=True, eq=False)
class _OfRow:
    """The annotation of a row, in an object that other processes can have too."""

    ordered: Sequence[Continuum]
    documents: Indices
    ranks: Sequence[Indices]
    first: Indices
    before: Sequence[float]

    def __call__(self, row: int) -> Annotation:
        document = int(self.documents[row])
        code = np.argsort(self.ranks[document])[row - self.first[document]]
        units = annotation_of(self.ordered[document], int(code))
        return replace(units, starts=units.starts + self.before[document])


def _beginnings(continua: Sequence[Continuum]) -> list[float]:
    """How far from the beginning of each document its lower bound is."""
    marked = [c for c in continua if c.n_units]
    first = min((c.bounds[0] for c in marked if not c.declared), default=0.0)
    longest = max((c.length for c in continua), default=0.0)
    if any(c.in_space for c in continua):
        first, longest = 0.0, float("inf")
    late = [0.0 if c.declared or not c.n_units else c.bounds[0] - first for c in continua]
    return late if max(late, default=0.0) <= longest * (1 + ROUNDING) else [0.0] * len(late)


def _ranks(continua: Sequence[Continuum]) -> dict[str, int]:
    """A number for every annotator of the corpus that does not depend on names.

    The documents are laid one after the other; the canonical order of that one continuum is that
    of the annotators.
    """
    names = tuple(dict.fromkeys(name for c in continua for name in c.annotators))
    code = {name: k for k, name in enumerate(names)}
    offsets = np.cumsum([0.0, *(c.length + 1.0 for c in continua)])
    placed = list(zip(continua, offsets.tolist(), strict=False))
    codes = [np.array([code[name] for name in c.annotators], np.int32) for c in continua]
    whole = Continuum.from_codes(
        names,
        continua[0].categories,
        np.concatenate([c.starts - c.bounds[0] + offset for c, offset in placed]),
        np.concatenate([c.ends - c.bounds[0] + offset for c, offset in placed]),
        np.concatenate([k[c.annotator_codes] for k, c in zip(codes, continua, strict=True)]),
        np.concatenate([c.category_codes for c in continua]),
        breaks=together([(c.breaks, c.n_units) for c in continua]),
    )
    order, _ = canonical_order(whole)
    return {whole.annotators[int(c)]: place for place, c in enumerate(order)}
