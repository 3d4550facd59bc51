"""Dissimilarities between two units: positional, categorial, combined."""

from typing import TYPE_CHECKING, Any

from gammacp.dissimilarity.base import (
    Annotations,
    BoundDissimilarity,
    Pairwise,
    Reach,
    UnitColumns,
    bind,
    unit_columns,
)
from gammacp.dissimilarity.categorial import (
    CATEGORIAL,
    Categorial,
    Interval,
    Levenshtein,
    Matrix,
    Nominal,
    Ordinal,
    Ratio,
)
from gammacp.dissimilarity.combined import Combined
from gammacp.dissimilarity.features import Features, Part
from gammacp.dissimilarity.positional import POSITIONAL, Hamming, Positional, Sporadic, Sporadic2011

if TYPE_CHECKING:
    from gammacp.dissimilarity.named import DISSIMILARITIES, dissimilarity
    from gammacp.dissimilarity.structured import LabelTree, Sets

__all__ = [
    "CATEGORIAL",
    "DISSIMILARITIES",
    "POSITIONAL",
    "Annotations",
    "BoundDissimilarity",
    "Categorial",
    "Combined",
    "Features",
    "Hamming",
    "Interval",
    "LabelTree",
    "Levenshtein",
    "Matrix",
    "Nominal",
    "Ordinal",
    "Pairwise",
    "Part",
    "Positional",
    "Ratio",
    "Reach",
    "Sets",
    "Sporadic",
    "Sporadic2011",
    "UnitColumns",
    "bind",
    "dissimilarity",
    "unit_columns",
]


def __getattr__(name: str) -> Any:
    """Import at first use what few data need: distances of structures, and registered names."""
    if name in ("LabelTree", "Sets"):
        from gammacp.dissimilarity import structured

        return getattr(structured, name)
    if name in ("DISSIMILARITIES", "dissimilarity"):
        from gammacp.dissimilarity import named

        return getattr(named, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
