"""gammacp: exact, certified inter-annotator agreement.

γ (Mathet, Widlöcher & Métivier 2015) and every measure it is compared with, over an alignment
that is solved exactly as a graph partition problem. Heavy parts are imported at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gammacp.base.version import __version__

if TYPE_CHECKING:
    from gammacp.alignment.align import align, best_disorder
    from gammacp.alignment.alignment import Alignment, UnitaryAlignment
    from gammacp.alignment.alternatives.pool import alignments
    from gammacp.alignment.certificate import certificate
    from gammacp.campaign.calibrate.calibration import calibrate as calibrate
    from gammacp.campaign.compare.comparison import compare as compare
    from gammacp.campaign.consensus.consensus import Consensus as Consensus
    from gammacp.campaign.consensus.either import consensus as consensus
    from gammacp.campaign.plan.advice import Goal as Goal
    from gammacp.campaign.plan.advice import Prices as Prices
    from gammacp.campaign.plan.planning import plan as plan
    from gammacp.campaign.replace.replacement import replace as replace
    from gammacp.continuum import Continuum, Corpus, Label, Unit
    from gammacp.dissimilarity.combined import Combined
    from gammacp.errors import DataError, GammacpError, UsageError
    from gammacp.formats.arrow import read_table
    from gammacp.formats.reading import read, read_corpus
    from gammacp.formats.writing import write
    from gammacp.kinds.kinds import Kinds as Kinds
    from gammacp.kinds.kinds import kinds_of as kinds_of
    from gammacp.measures.gamma import GammaScore, gamma, soft_gamma
    from gammacp.measures.gamma_corpus import CorpusGamma, gamma_corpus
    from gammacp.measures.measuring import measure
    from gammacp.measures.score import Score
    from gammacp.report.building import report as report

_HOMES = {
    name: f"gammacp.{module}"
    for module, names in (
        ("alignment.align", "align best_disorder"),
        ("alignment.alignment", "Alignment UnitaryAlignment"),
        ("alignment.alternatives.pool", "alignments"),
        ("alignment.certificate", "certificate"),
        ("continuum", "Continuum Corpus Label Unit"),
        ("dissimilarity.combined", "Combined"),
        ("errors", "DataError GammacpError UsageError"),
        ("formats.arrow", "read_table"),
        ("formats.reading", "read read_corpus"),
        ("formats.writing", "write"),
        ("measures.gamma", "GammaScore gamma soft_gamma"),
        ("measures.gamma_corpus", "CorpusGamma gamma_corpus"),
        ("measures.measuring", "measure"),
        ("measures.score", "Score"),
    )
    for name in names.split()
}

__all__ = [
    "Alignment",
    "Combined",
    "Continuum",
    "Corpus",
    "CorpusGamma",
    "DataError",
    "GammaScore",
    "GammacpError",
    "Label",
    "Score",
    "Unit",
    "UnitaryAlignment",
    "UsageError",
    "__version__",
    "align",
    "alignments",
    "best_disorder",
    "certificate",
    "gamma",
    "gamma_corpus",
    "measure",
    "read",
    "read_corpus",
    "read_table",
    "soft_gamma",
    "write",
]


def _home_of(name: str) -> str:
    """Return the module of a public name; an AttributeError where there is none."""
    from gammacp.base.subjects import table, why_missing

    if name in _HOMES:
        return _HOMES[name]
    for module, listed in table("name").items():
        if name in listed.split():
            return module
    why = why_missing("name", name) or f"module 'gammacp' has no attribute {name!r}"
    raise AttributeError(why)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # asked for by protocols, such as `__wrapped__` by `inspect`
        raise AttributeError(f"module 'gammacp' has no attribute {name!r}")
    value = getattr(import_module(_home_of(name)), name)
    # The import may have set a package of this name. Such a package can be called as its function
    # (see `base.subjects`), and modules below it are found through it, so it stays.
    return globals().setdefault(name, value)


def __dir__() -> list[str]:
    from gammacp.base.subjects import table

    brought = " ".join(table("name").values()).split()
    return sorted([*__all__, *brought])
