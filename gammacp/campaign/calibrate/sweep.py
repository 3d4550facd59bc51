"""γ of shuffled sets that have the statistics of the user's own continua."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gammacp.arrays import Floats
from gammacp.continuum import Corpus
from gammacp.errors import DataError

if TYPE_CHECKING:
    from gammacp.measures.settings import Settings
    from shuffling import ReferenceModel

SAMPLES = 30
"""Random annotation sets per magnitude, spread over its sets."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What one magnitude of one error needs; small enough to send to another process.

    Attributes
    ----------
    model
        Learnt from the user's continua.
    error
        Name of the error type, with parameters if any (`split:factor=2`).
    magnitude
        In (0, 1].
    n_annotators, categories
        Of the user's continua.
    sets
        How many shuffled sets.
    settings
        Of γ; `settings.chance` is the model that chance is drawn from.
    """

    model: ReferenceModel
    error: str
    magnitude: float
    n_annotators: int
    categories: tuple[str, ...]
    sets: int
    settings: Settings


def shuffled_gammas(cell: Cell) -> Floats:
    """γ of each set of a cell, shape (defined sets,).

    Disorders are observed on every set; their expectation is pooled over the sets of the cell,
    which are draws from one model, so that 30 random sets serve all of them. Random sets are drawn
    and dissimilarities bound as for the γ that was measured.

    Raises
    ------
    DataError
        The error cannot be made on this model, or no set has a γ.
    """
    from gammacp.measures.random_sets import Basis
    from shuffling import shuffled_sets
    from shuffling.setting import fewer_errors

    shuffled = shuffled_sets(
        cell.model,
        cell.error,
        cell.magnitude,
        cell.n_annotators,
        sets=cell.sets,
        seed=cell.settings.seed,
    )
    # Categories in the user's order: ordinal and matrix distances depend on it.
    with fewer_errors():
        sets = Corpus.from_continua(
            {str(i): s for i, s in enumerate(shuffled) if s.n_units}, categories=cell.categories
        )
    if not sets:
        raise DataError("no unit is left in any shuffled set")
    together = [Basis(sets, _sampled(cell.settings, SAMPLES))]
    if not together[0].model.pools:
        settings = _sampled(cell.settings, -(-SAMPLES // len(sets)))
        together = [Basis(s, settings) for s in sets.values()]
    observed = [a.disorder for b in together for a in b.align(b.continua)]
    expected = np.concatenate([b.chance(b.continua[0]).expected.disorders for b in together])
    mean = float(expected.mean())
    if mean == 0:
        raise DataError("the expected disorder of the shuffled sets is 0")
    return 1 - np.array(observed) / mean


def _sampled(settings: Settings, samples: int) -> Settings:
    """The settings with a fixed number of random sets, at least two."""
    return replace(settings, rule=replace(settings.rule, samples=max(2, samples)))


def attempt(cell: Cell) -> tuple[Cell, Floats | None, str]:
    """`shuffled_gammas`, or None with the reason; errors do not stop the other cells."""
    try:
        return cell, shuffled_gammas(cell), ""
    except DataError as error:
        return cell, None, str(error)
