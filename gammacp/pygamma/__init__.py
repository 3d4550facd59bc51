"""The interface of pygamma-agreement 0.5.9, computed by gammacp; only the import line changes.

    import gammacp.pygamma as pa          # was: import pygamma_agreement as pa

Alignments are exact and proven. Random continua are drawn as in pygamma-agreement, from
`numpy.random`. So the same `numpy.random.seed` gives the same γ in both, to the seven digits of
pygamma-agreement's single precision. A `PygammaDifference` warns once of each difference in
behaviour (docs/coming-from-pygamma.md). `Continuum.to_gammacp()` gives access to the rest of
gammacp.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    name: module
    for module, names in (
        ("alignment", "Alignment SetPartitionError SoftAlignment UnitaryAlignment"),
        ("continuum", "Continuum DisorderError GammaResults"),
        ("cst", "CorpusShufflingTool"),
        ("dissimilarity", "AbstractDissimilarity dissimilarity_dec"),
        ("dissimilarity", "PositionalSporadicDissimilarity CombinedCategoricalDissimilarity"),
        ("dissimilarity", "CategoricalDissimilarity AbsoluteCategoricalDissimilarity"),
        ("dissimilarity", "PrecomputedCategoricalDissimilarity LambdaCategoricalDissimilarity"),
        ("dissimilarity", "LevenshteinCategoricalDissimilarity OrdinalCategoricalDissimilarity"),
        ("dissimilarity", "NumericalCategoricalDissimilarity"),
        ("notebook", "show_alignment show_continuum"),
        ("sampler", "AbstractContinuumSampler ShuffleContinuumSampler StatisticalContinuumSampler"),
        ("units", "PygammaDifference Segment Unit"),
    )
    for name in names.split()
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in {*_HOMES, *_HOMES.values()}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        home = import_module(f"{__name__}.{_HOMES.get(name, name)}")
    except ModuleNotFoundError as error:
        if error.name != "sortedcontainers":
            raise
        needs = f"{__name__} needs sortedcontainers: pip install 'gammacp[pygamma]'"
        raise ImportError(needs, name=error.name) from None
    if name in _HOMES:
        return getattr(home, name)
    return home
