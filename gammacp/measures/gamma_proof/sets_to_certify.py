"""Alignments behind γ, for certificates: the best ones of the data and of random sets."""

from __future__ import annotations

from gammacp.alignment import Alignment, align_each
from gammacp.measures.agreement import Agreement
from gammacp.measures.random_sets import Basis, Continua
from gammacp.measures.settings import GammaOptions, Settings


def alignments_behind(
    measured: Agreement, continua: Continua, n_sets: int, options: GammaOptions
) -> dict[str, dict[str, Alignment]]:
    """Return each document's alignment under "", and those of its random sets under ".set-K".

    Parameters
    ----------
    measured, continua, options
        The agreement, what it was measured on and with which options.
    n_sets
        Random sets of each document, the first ones that its expected disorder rests on. They are
        drawn again from the seed, and aligned at the gap of random sets.
    """
    basis = Basis(continua, Settings.of(**options))
    behind: dict[str, dict[str, Alignment]] = {}
    for name, score in measured.computed.items():
        continuum = score.alignment.continuum
        drawn = basis.draws(continuum).take(range(n_sets))
        marked = {k: c for k, c in enumerate(drawn) if c.n_units}
        solving = basis.settings.solving_random(continuum.n_annotators)
        aligned = align_each(list(marked.values()), basis.dissimilarity, **solving)
        sets = {f".set-{k}": a for k, a in zip(marked, aligned, strict=False)}
        behind[name] = {"": score.alignment, **sets}
    return behind
