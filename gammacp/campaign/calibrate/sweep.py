"""γ of shuffled sets that have the statistics of the user's own continua."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gammacp.arrays import Floats
from gammacp.continuum import Continuum, Corpus
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
    which are draws from one model, so that 30 random sets serve all of them.

    Raises
    ------
    DataError
        The error cannot be made on this model, or no set has a γ.
    """
    from gammacp.chance.registry import CHANCE_MODELS
    from gammacp.dissimilarity import bind
    from shuffling import shuffled_sets

    settings = cell.settings
    sets = _same_categories(
        {
            str(i): s
            for i, s in enumerate(
                shuffled_sets(
                    cell.model,
                    cell.error,
                    cell.magnitude,
                    cell.n_annotators,
                    sets=cell.sets,
                    seed=settings.seed,
                )
            )
            if s.n_units
        },
        cell.categories,
    )
    if not sets:
        raise DataError("no unit is left in any shuffled set")
    chance = CHANCE_MODELS[settings.chance]
    groups = [sets] if chance.pools else [{n: s} for n, s in sets.items()]
    observed = [settings.solve(s, bind(settings.dissimilarity, s)).disorder for s in sets.values()]
    expected = np.concatenate(
        [
            _random_disorders(g, cell.n_annotators, settings, -(-SAMPLES // len(groups)), i)
            for i, g in enumerate(groups)
        ]
    )
    mean = float(expected.mean())
    if mean == 0:
        raise DataError("the expected disorder of the shuffled sets is 0")
    return 1 - np.array(observed) / mean


def _same_categories(
    sets: Mapping[str, Continuum], categories: tuple[str, ...]
) -> Mapping[str, Continuum]:
    """Categories in the user's order: ordinal and matrix distances depend on it."""
    return Corpus.from_continua(sets, categories=categories).continua


def _random_disorders(
    group: Mapping[str, Continuum], n_annotators: int, settings: Settings, samples: int, key: int
) -> Floats:
    from gammacp.chance.registry import CHANCE_MODELS
    from gammacp.dissimilarity import bind

    continua = list(group.values())
    source = continua[0] if len(continua) == 1 else Corpus(dict(group), continua[0].categories)
    bound = bind(settings.dissimilarity, source)
    sampler = CHANCE_MODELS[settings.chance].prepare(continua, n_annotators)
    found = []
    for index in range(samples):
        seed = np.random.SeedSequence(settings.seed, spawn_key=(key, index))
        random = sampler.draw(np.random.default_rng(seed))
        found.append(settings.solve(random, bound).disorder if random.n_units else 0.0)
    return np.array(found)


def attempt(cell: Cell) -> tuple[Cell, Floats | None, str]:
    """`shuffled_gammas`, or None with the reason; errors do not stop the other cells."""
    try:
        return cell, shuffled_gammas(cell), ""
    except DataError as error:
        return cell, None, str(error)
