"""gammacp: exact, certified inter-annotator agreement.

γ (Mathet, Widlöcher & Métivier 2015) and every measure it is compared with, over an alignment
that is solved exactly as a graph partition problem. Heavy parts are imported at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from gammacp.continuum import Continuum, Corpus, Unit
    from gammacp.errors import DataError, GammacpError, UsageError
    from gammacp.formats.reading import read, read_corpus
    from gammacp.formats.writing import write
    from gammacp.measures.registry import measure
    from gammacp.measures.score import Score

_HOMES = {
    "Continuum": "gammacp.continuum",
    "Corpus": "gammacp.continuum",
    "DataError": "gammacp.errors",
    "GammacpError": "gammacp.errors",
    "Score": "gammacp.measures.score",
    "Unit": "gammacp.continuum",
    "UsageError": "gammacp.errors",
    "measure": "gammacp.measures.registry",
    "read": "gammacp.formats.reading",
    "read_corpus": "gammacp.formats.reading",
    "write": "gammacp.formats.writing",
}

__all__ = [
    "Continuum",
    "Corpus",
    "DataError",
    "GammacpError",
    "Score",
    "Unit",
    "UsageError",
    "__version__",
    "measure",
    "read",
    "read_corpus",
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
