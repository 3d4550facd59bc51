"""Each annotator's documents permuted: `documents`.

A random annotation set brings together the annotators of one document of the corpus, each with
what he or she did on another document, no two of them on the same one. It answers how far people
agree beyond what they would if none had looked at the document at hand: places that all documents
share (a headline, an opening) are chance, and each annotator's habits are kept.

After §5.2.2 of Mathet, Widlöcher & Métivier (2015), whose `corpus` draws any annotators instead,
with replacement. As there, shorter documents are repeated like a mosaic up to the longest of the
set.

Who annotated fewer documents than a set has annotators may find none that is left; such annotators
are given what anybody did on a document, and the signature counts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.arrays import Indices
from gammacp.canonical import canonical_order, content_key
from gammacp.chance.annotation import Annotation, annotation_of, annotation_set
from gammacp.chance.registry import registered
from gammacp.continuum import Continuum
from gammacp.errors import DataError


@dataclass(frozen=True)
class DocumentsSampler:
    """Sets of annotations of different documents; see the module.

    Attributes
    ----------
    annotations
        All annotations, by annotator and document.
    documents
        Document of each annotation.
    own
        For each annotator: the annotations to draw from.
    sets
        The annotators of every document with as many of them as a set has.
    """

    annotations: tuple[Annotation, ...]
    documents: Indices
    own: tuple[Indices, ...]
    sets: tuple[Indices, ...]
    categories: tuple[str, ...]
    signature: str

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        annotators = rng.permutation(self.sets[rng.integers(len(self.sets))])
        chosen: list[Annotation] = []
        met = np.zeros(int(self.documents.max()) + 1, bool)
        for annotator in annotators:
            left = self.own[annotator][~met[self.documents[self.own[annotator]]]]
            row = int(left[rng.integers(len(left))])
            met[self.documents[row]] = True
            chosen.append(self.annotations[row])
        longest = max(a.length for a in chosen)
        return annotation_set([a.mosaic(longest) for a in chosen], self.categories)


@registered(
    "documents",
    "each annotator's documents permuted, no two annotations of one document meeting",
    "after Mathet, Widlöcher & Métivier 2015, §5.2.2",
    pools=True,
    ratio=True,
)
def prepare_documents(continua: Sequence[Continuum], n_annotators: int) -> DocumentsSampler:
    """The sampler of a corpus.

    Raises
    ------
    DataError
        Fewer documents than annotators in a set, or no document with as many.
    """
    ordered = sorted(continua, key=content_key)
    if len(ordered) < n_annotators:
        raise DataError(
            f"chance model 'documents' needs at least {n_annotators} documents for {n_annotators} "
            f"annotators, and there are {len(ordered)}",
            hint="Give more files, or use --chance cut",
        )
    rank = _ranks(ordered)
    annotations, documents, annotators = [], [], []
    sets = []
    for document, continuum in enumerate(ordered):
        ranks = np.array([rank[name] for name in continuum.annotators], np.int64)
        for code in np.argsort(ranks):
            annotations.append(annotation_of(continuum, int(code)))
            documents.append(document)
            annotators.append(int(ranks[code]))
        if continuum.n_annotators == n_annotators:
            sets.append(np.sort(ranks))
    if not sets:
        raise DataError(f"no document has {n_annotators} annotators")
    who = np.array(annotators)
    everything = np.arange(len(who))
    own = [np.flatnonzero(who == k) for k in range(len(rank))]
    few = [k for k in np.unique(np.concatenate(sets)) if len(own[k]) < n_annotators]
    for k in few:
        own[k] = everything
    return DocumentsSampler(
        tuple(annotations),
        np.array(documents),
        tuple(own),
        tuple(sets),
        ordered[0].categories,
        "documents" + (f"(pooled={len(few)})" if few else ""),
    )


def _ranks(continua: Sequence[Continuum]) -> dict[str, int]:
    """A number for every annotator of the corpus that does not depend on names.

    The documents are laid one after the other; the canonical order of that one continuum is that
    of the annotators.
    """
    names = tuple(dict.fromkeys(name for c in continua for name in c.annotators))
    code = {name: k for k, name in enumerate(names)}
    offset = 0.0
    starts, ends, who, labels = [], [], [], []
    for c in continua:
        low, _ = c.bounds
        starts.append(c.starts - low + offset)
        ends.append(c.ends - low + offset)
        codes = np.array([code[name] for name in c.annotators], np.int32)
        who.append(codes[c.annotator_codes])
        labels.append(c.category_codes)
        offset += c.length + 1.0
    whole = Continuum.from_codes(
        names,
        continua[0].categories,
        np.concatenate(starts),
        np.concatenate(ends),
        np.concatenate(who),
        np.concatenate(labels),
    )
    order, _ = canonical_order(whole)
    return {whole.annotators[int(c)]: place for place, c in enumerate(order)}
