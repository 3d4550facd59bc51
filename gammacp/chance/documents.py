"""Each annotator's documents permuted: `documents`.

A random annotation set brings together the annotators of one document of the corpus, each with an
annotation that he or she made of another document, no two of the same one. So γ tells how far
people agree beyond what they would if nobody had looked at the document at hand. Places that all
documents share (a headline, an opening) count as chance, and each annotator's habits are kept.

After §5.2.2 of Mathet, Widlöcher & Métivier (2015), whose `corpus` draws any annotators instead,
with replacement, and repeats shorter documents like a mosaic. Here units stay as many as they are,
and where they are in their document: counted from its declared beginning, or else as in the file,
from the first unit of all documents. Only documents that begin further apart than the longest is
long (recordings with the time of day), and that are no images, are counted from their own first
unit. If all documents are alike, independent annotators then have exactly 0. If short documents
were repeated, or each were counted from its own first unit, their units would meet far too often (γ
would be −.09 and −.04 for two units per annotator).

Annotators with fewer documents than a set has annotators may have no document left to draw from.
Such a random annotator gets the units of any annotator instead; the signature says how many do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.chance.annotation import (
    ROUNDING,
    Annotation,
    annotation_of,
    annotation_set,
)
from gammacp.chance.refusals import check_enough
from gammacp.chance.registry import registered
from gammacp.chance.sampling import OnDemand
from gammacp.continuum import Continuum
from gammacp.continuum.canonical import canonical_people, in_content_order
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.errors import DataError


@dataclass(frozen=True)
class DocumentsSampler:
    """Sets of annotations of different documents; see the module.

    Attributes
    ----------
    annotations
        All annotations, by document and annotator.
    edges
        Annotations of document d are those with numbers `edges[d]` to `edges[d + 1]`.
    rows_by_annotator
        For each annotator: the annotations to draw from, by document.
    sets
        The annotators of every document with as many of them as a set has, a row each.
    """

    annotations: Sequence[Annotation]
    edges: Indices
    rows_by_annotator: tuple[Codes, ...]
    sets: Codes
    categories: tuple[str, ...]
    names: tuple[str, ...]
    signature: str

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        annotators = rng.permutation(self.sets[rng.integers(len(self.sets))])
        chosen: list[Annotation] = []
        met_documents: list[int] = []
        for annotator in annotators:
            rows = self.rows_by_annotator[annotator]
            # Find the annotator's annotations of documents that were already taken, and skip them.
            taken_documents = np.array(met_documents, np.int64)
            around = np.stack(
                (self.edges[taken_documents], self.edges[taken_documents + 1])
            ).astype(rows.dtype)
            low, high = np.searchsorted(rows, around)
            skipped_rows = sorted(k for s, e in zip(low, high, strict=True) for k in range(s, e))
            place = int(rng.integers(len(rows) - len(skipped_rows)))
            for k in skipped_rows:
                place += place >= k
            met_documents.append(int(np.searchsorted(self.edges, rows[place], side="right")) - 1)
            chosen.append(self.annotations[rows[place]])
        return annotation_set(chosen, self.categories, tuple(self.names[i] for i in annotators))


@registered(
    "documents",
    "each annotator's documents permuted, no two annotations of one document meeting",
    "after Mathet, Widlöcher & Métivier 2015, §5.2.2",
    built_from_all=True,
    weighs_by_units=True,
    keeps_names=True,
)
def prepare_documents(continua: Sequence[Continuum], n_annotators: int) -> DocumentsSampler:
    """Return the sampler of a corpus.

    Raises
    ------
    DataError
        There are fewer documents than annotators in a set, or no document has that many annotators.
    """
    check_enough(continua, n_annotators, "documents", noun="documents", alternatives="cut")
    pool = _pool(ContinuumSequence.of(continua))
    sizes = np.diff(pool.edges)
    fit = sizes == n_annotators
    if fit.all():
        sets = pool.sets
    else:
        sets = pool.sets[np.repeat(fit, sizes)]
    sets = sets.reshape(-1, n_annotators)
    if not len(sets):
        raise DataError(f"no document has {n_annotators} annotators")
    rows_by_annotator = list(pool.rows_by_annotator)
    few = [k for k in np.unique(sets) if len(rows_by_annotator[k]) < n_annotators]
    for k in few:
        rows_by_annotator[k] = np.arange(pool.edges[-1], dtype=np.int32)
    if few:
        pooled = f"(pooled={len(few)})"
    else:
        pooled = ""
    return replace(
        pool, rows_by_annotator=tuple(rows_by_annotator), sets=sets, signature=f"documents{pooled}"
    )


@lru_cache(maxsize=1)
def _pool(continua: ContinuumSequence) -> DocumentsSampler:
    """Build a sampler for sets of any number of annotators; that of the last corpus is kept.

    Its `sets` is a flat array of the annotators of all documents, one document after the other.
    """
    ordered = in_content_order(continua)
    names, rank, whose = canonical_people(ordered)
    edges = ordered.people_edges
    owner = np.repeat(np.arange(len(ordered), dtype=np.int32), np.diff(edges))
    annotators = rank[whose]
    annotators = annotators[np.lexsort((annotators, owner))]
    order = np.argsort(annotators, kind="stable").astype(np.int32)
    rows_by_annotator = np.split(
        order, np.cumsum(np.bincount(annotators, minlength=len(rank)))[:-1]
    )
    called = tuple(names[k] for k in np.argsort(rank))
    beginnings = _beginnings(ordered)
    ordered.forget_numbers()
    return DocumentsSampler(
        OnDemand(len(order), _OfRow(ordered, annotators, called, beginnings)),
        edges,
        tuple(rows_by_annotator),
        annotators,
        ordered[0].categories,
        called,
        "documents",
    )


@dataclass(frozen=True, eq=False)
class _OfRow:
    """Function that returns the annotation of a row; an object, so that it can be pickled."""

    ordered: ContinuumSequence
    annotators: Codes
    names: tuple[str, ...]
    before: Floats

    def __call__(self, row: int) -> Annotation:
        document = int(np.searchsorted(self.ordered.people_edges, row, side="right")) - 1
        continuum = self.ordered[document]
        code = continuum.annotators.index(self.names[self.annotators[row]])
        units = annotation_of(continuum, code)
        return replace(units, starts=units.starts + self.before[document])


def _beginnings(continua: ContinuumSequence) -> Floats:
    """Return the distance of each document's lower bound from its beginning."""
    low, high = continua.bounds
    declared = np.asarray(continua.own_bounds, np.bool_)
    marked = continua.n_units > 0
    first = float(low[marked & ~declared].min(initial=np.inf))
    longest = float((high - low).max(initial=0.0))
    if any(c.in_space for c in continua.structured):
        first = 0.0
        longest = float("inf")
    late = np.where(declared | ~marked, 0.0, low - (first if np.isfinite(first) else 0.0))
    if late.max(initial=0.0) <= longest * (1 + ROUNDING):
        return late
    return np.zeros(len(late))
