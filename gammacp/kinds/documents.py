"""Extract aligned documents from the results of measurements, to read their differences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gammacp.alignment import Alignment
from gammacp.base.arrays import Codes
from gammacp.dissimilarity import BoundDissimilarity
from gammacp.errors import DataError, UsageError
from gammacp.kinds.differences import check_parts, check_pieces
from gammacp.measures.agreement import Agreement
from gammacp.measures.gamma import GammaScore
from gammacp.measures.gamma_corpus import CorpusGamma

_NEEDED = "an Alignment, a γ of one continuum or of a corpus, continua, or an Agreement"


@dataclass(frozen=True)
class DocumentAlignments:
    """Documents with their best alignments.

    Attributes
    ----------
    alignments
        Alignments by name, at least one.
    weights
        Weights of documents that stand for more or fewer than one.
    """

    alignments: Mapping[str, Alignment]
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that the differences have kinds.

        Raises
        ------
        DataError
            If there is no alignment, if units are not single stretches, if an alignment is a cover
            (soft γ), or if the dissimilarity has no separate parts.
        """
        if not self.alignments:
            raise DataError("no document has an alignment, so there are no differences")
        if any(a.cover for a in self.alignments.values()):
            raise DataError(
                "in soft γ a unit may be aligned more than once, so its differences have no kinds",
                hint="Use the alignment of γ",
            )
        check_pieces([a.continuum for a in self.alignments.values()])
        check_parts(self.dissimilarity)

    @property
    def dissimilarity(self) -> BoundDissimilarity:
        """Return the dissimilarity that is bound to all documents."""
        return next(iter(self.alignments.values())).dissimilarity

    @cached_property
    def people(self) -> tuple[str, ...]:
        """Return the names of all annotators, in the order of their first occurrence."""
        names = (name for a in self.alignments.values() for name in a.continuum.annotators)
        return tuple(dict.fromkeys(names))

    @cached_property
    def slots(self) -> list[Codes]:
        """Return, for each document, the indices in `people` of its annotators."""
        code = {name: k for k, name in enumerate(self.people)}
        continua = (a.continuum for a in self.alignments.values())
        return [np.array([code[name] for name in c.annotators], np.int32) for c in continua]

    @cached_property
    def sizes(self) -> list[float]:
        """Return the weight of each document in the overall disorder: x̄ times its weight."""
        return [
            a.continuum.mean_units * self.weights.get(name, 1.0)
            for name, a in self.alignments.items()
        ]

    @property
    def scales(self) -> list[float]:
        """Return the factor that converts a document's sum of disorders to the overall disorder."""
        total = math.fsum(self.sizes)
        return [self.weights.get(name, 1.0) / total for name in self.alignments]

    @property
    def charging(self) -> bool:
        """Return whether some document has more than two annotators."""
        return any(a.continuum.n_annotators > 2 for a in self.alignments.values())


def documents_of(source: Any) -> DocumentAlignments:
    """Return the aligned documents of a result.

    Parameters
    ----------
    source
        An `Alignment`, `GammaScore`, `CorpusGamma` or `Agreement`.

    Raises
    ------
    UsageError
        If `source` is something else.
    DataError
        If its differences have no kinds.
    """
    if isinstance(source, Alignment):
        return DocumentAlignments({source.continuum.name: source})
    if isinstance(source, GammaScore):
        return DocumentAlignments({source.alignment.continuum.name: source.alignment})
    if isinstance(source, CorpusGamma):
        scores = {n: s for n, s in source.scores.items() if isinstance(s, GammaScore)}
        alignments = {name: s.alignment for name, s in scores.items()}
        weights = {name: a.continuum.weight for name, a in alignments.items()}
        return DocumentAlignments(alignments, weights)
    if isinstance(source, Agreement):
        alignments = {name: s.alignment for name, s in source.computed.items()}
        return DocumentAlignments(alignments, source.weights)
    raise UsageError(f"kinds_of needs {_NEEDED}, not {type(source).__name__}")
