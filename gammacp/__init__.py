"""gammacp: exact, certified inter-annotator agreement.

γ (Mathet, Widlöcher & Métivier 2015) and every measure it is compared with, over an alignment
that is solved exactly as a graph partition problem. Heavy parts are imported at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from gammacp.alignment.align import align, best_disorder
    from gammacp.alignment.alignment import Alignment, UnitaryAlignment
    from gammacp.campaign.consensus.consensus import Consensus, consensus
    from gammacp.continuum import Continuum, Corpus, Unit
    from gammacp.dissimilarity.combined import Combined
    from gammacp.errors import DataError, GammacpError, UsageError
    from gammacp.formats.reading import read, read_corpus
    from gammacp.formats.writing import write
    from gammacp.measures.gamma import GammaScore, gamma, soft_gamma
    from gammacp.measures.gamma_corpus import CorpusGamma, gamma_corpus
    from gammacp.measures.registry import measure
    from gammacp.measures.score import Score

_HOMES = {
    "Alignment": "gammacp.alignment.alignment",
    "Combined": "gammacp.dissimilarity.combined",
    "CorpusGamma": "gammacp.measures.gamma_corpus",
    "gamma_corpus": "gammacp.measures.gamma_corpus",
    "GammaScore": "gammacp.measures.gamma",
    "soft_gamma": "gammacp.measures.gamma",
    "gamma": "gammacp.measures.gamma",
    "Consensus": "gammacp.campaign.consensus.consensus",
    "consensus": "gammacp.campaign.consensus.consensus",
    "Continuum": "gammacp.continuum",
    "Corpus": "gammacp.continuum",
    "DataError": "gammacp.errors",
    "GammacpError": "gammacp.errors",
    "Score": "gammacp.measures.score",
    "Unit": "gammacp.continuum",
    "UnitaryAlignment": "gammacp.alignment.alignment",
    "UsageError": "gammacp.errors",
    "align": "gammacp.alignment.align",
    "best_disorder": "gammacp.alignment.align",
    "measure": "gammacp.measures.registry",
    "read": "gammacp.formats.reading",
    "read_corpus": "gammacp.formats.reading",
    "write": "gammacp.formats.writing",
}

__all__ = [
    "Alignment",
    "Combined",
    "Consensus",
    "Continuum",
    "Corpus",
    "CorpusGamma",
    "DataError",
    "GammaScore",
    "GammacpError",
    "Score",
    "Unit",
    "UnitaryAlignment",
    "UsageError",
    "__version__",
    "align",
    "best_disorder",
    "consensus",
    "gamma",
    "gamma_corpus",
    "measure",
    "read",
    "read_corpus",
    "soft_gamma",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gammacp' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
