"""γ over Δ: how it depends on what counts as the same object, and on where chance dominates."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Unpack

import numpy as np

from gammacp.base.arguments import number
from gammacp.base.arrays import Floats
from gammacp.base.signature import shortest
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import PairCosts, scale_costs, unit_columns
from gammacp.errors import DataError, UsageError
from gammacp.measures.agreement import agreement
from gammacp.measures.gamma import Gamma
from gammacp.measures.random_sets import Basis, Continua
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing

# Number of random units whose nearest units are sought; number of pairs compared in this search.
_UNITS, _PAIRS = 1000, 50_000_000
_AT_ONCE = 2_000_000


class Anchor(NamedTuple):
    """The positional cost that best separates real nearest units from random ones.

    The nearest unit of a unit is the one of another annotator with the least positional cost. The
    share of nearest units with a cost of at most x is higher in the texts than in random annotation
    sets. `cost` is the x with the largest difference of both shares. There the two densities cross.

    Attributes
    ----------
    cost
        Cost in units of Δ. It can be ∞, as the cost of disjoint units is under IoU.
    low, high
        Range of costs with nearly the largest difference of shares: within one standard error.
    kept, by_chance
        Shares of units, in [0, 1], whose nearest unit has at most this cost: observed, and in
        random annotation sets.
    units, random_units
        Number of units that were examined, in the texts and in random annotation sets.
    of
        Number of units in the texts; if it is very large, only some are examined, evenly spread.
    """

    cost: float
    low: float
    high: float
    kept: float
    by_chance: float
    units: int
    random_units: int
    of: int

    @property
    def factor(self) -> float:
        """Return the factor of Δ below which units this far apart cost more together: cost/2."""
        return self.cost / 2


@dataclass(frozen=True)
class OverDelta:
    """γ at several Δ.

    Attributes
    ----------
    scores
        γ by factor, by which the cost of a missing unit in the settings is multiplied. All values
        use the same random annotation sets.
    anchor
        The anchor; None if there is none.
    reason
        Reason why there is no anchor; empty if there is one.
    """

    scores: Mapping[float, Gamma]
    anchor: Anchor | None
    reason: str = ""


@spelled_out_with_computing
def gamma_over_delta(
    continua: Continua, factors: Sequence[float], **options: Unpack[FamilyOptions]
) -> OverDelta:
    """Return γ where Δ, the cost of a missing unit, is multiplied by each factor; and the anchor.

    Δ decides what counts as the same object: two units that differ by more than 2Δ cost more
    together than alone (2015, §4.3), so that the best alignment never joins them.

    Parameters
    ----------
    continua
        A continuum, a corpus, or continua by name, as for `agreement`.
    factors
        Factors of Δ, > 0, each once.
    options
        Options of `FamilyOptions`, as for `gamma`.

    Raises
    ------
    UsageError
        There is no factor, or one is not > 0 or occurs twice; otherwise as for `agreement`.

    γ of two equal annotations is 1 at every Δ:

    >>> from gammacp.continuum import Unit
    >>> units = [Unit(a, s, s + 5, "x") for a in "AB" for s in (0, 10, 40)]
    >>> found = gamma_over_delta(Continuum.from_units(units), [0.5, 2.0], samples=30)
    >>> {factor: score.value for factor, score in found.scores.items()}
    {0.5: 1.0, 2.0: 1.0}
    >>> found.anchor.cost
    0.0
    """
    chosen = [number("factor of Δ", f) for f in factors]
    if not chosen or min(chosen) <= 0 or len(set(chosen)) < len(chosen):
        raise UsageError(f"factors of Δ {list(factors)} are not numbers > 0, each once")
    settings, how = Settings.and_computing(options)
    basis = Basis(continua, settings, **how)
    other_options: Any = {
        k: v for k, v in options.items() if k not in ("alpha", "beta", "delta", "shared")
    }
    scores = {}
    for factor in chosen:
        costs = scale_costs(basis.dissimilarity, 1 / factor)
        d = replace(costs, signature=f"{basis.dissimilarity.signature}/{shortest(factor)}")
        scores[factor] = agreement(continua, **{**other_options, "dissimilarity": d}).score
    try:
        return OverDelta(scores, anchor_of(basis))
    except DataError as error:
        return OverDelta(scores, None, str(error))


def anchor_of(basis: Basis) -> Anchor:
    """Return the anchor of continua under the chance model and the dissimilarity that they share.

    Parameters
    ----------
    basis
        Alignments and random sets that they share.

    Raises
    ------
    DataError
        Nobody marked anything, there is no chance to compare with, or all places cost the same.
    """
    place = basis.dissimilarity.positional_part or basis.dissimilarity.pairwise
    together = [c for c in basis.continua if c.n_annotators > 1]
    draws = Counter(basis.draws(c) for c in together)
    of = sum(c.n_units for c in together)
    times = math.ceil(_UNITS / max(1, of))
    observed = _nearest_of_each(place, together)
    random = _nearest_of_each(
        place, [c for d, n in draws.items() for c in d.take(range(n * times))]
    )
    if not (len(observed) and len(random)):
        raise DataError("nobody marked anything")
    if observed.min() == observed.max() == random.min() == random.max():
        raise DataError("all places cost the same")
    return crossing(observed / basis.dissimilarity.delta, random / basis.dissimilarity.delta, of)


def crossing(observed: Floats, random: Floats, of: int | None = None) -> Anchor:
    """Return the value up to which the share of `observed` exceeds that of `random` by most.

    Parameters
    ----------
    observed, random
        Costs of nearest units, at least one value each, ∞ among them or not.
    of
        Number of all units; default: the number of observed ones.

    >>> found = crossing(np.array([1.0, 2.0, 2.0, 9.0]), np.array([2.0, 5.0, 8.0, 9.0]))
    >>> found.cost, found.kept, found.by_chance
    (2.0, 0.75, 0.25)
    """
    values = np.unique(np.concatenate((observed, random)))
    near, by_chance = (
        np.searchsorted(np.sort(some), values, side="right") for some in (observed, random)
    )
    gain = near * len(random) - by_chance * len(observed)  # whole: ties stay ties
    best = int(np.argmax(gain))
    share_near = float(near[best] / len(observed))
    error = math.sqrt(share_near * (1 - share_near) / len(observed))
    alike = values[gain >= gain[best] - error * len(observed) * len(random)]
    return Anchor(
        cost=float(values[best]),
        low=float(alike[0]),
        high=float(alike[-1]),
        kept=share_near,
        by_chance=float(by_chance[best] / len(random)),
        units=len(observed),
        random_units=len(random),
        of=len(observed) if of is None else of,
    )


def _nearest_of_each(place: PairCosts, continua: Sequence[Continuum]) -> Floats:
    """Return the cost of each unit's nearest of another annotator, for evenly spread units."""
    pairs = sum(c.n_units**2 for c in continua)
    every = max(1, math.ceil(pairs / _PAIRS))
    return np.concatenate([np.zeros(0), *(_nearest(place, c, every) for c in continua)])


def _nearest(place: PairCosts, continuum: Continuum, every: int) -> Floats:
    """Return the cost of the nearest unit of others for some units; ∞ without others."""
    columns, codes = unit_columns(continuum), continuum.annotator_codes
    chosen = np.arange(0, continuum.n_units, every)
    lowest = [np.zeros(0)]
    for rows in np.array_split(chosen, math.ceil(len(chosen) * len(codes) / _AT_ONCE) or 1):
        costs = np.array(place(columns[rows, None], columns[None]), dtype=np.float64)
        costs[codes[rows, None] == codes] = np.inf
        lowest.append(costs.min(axis=1, initial=np.inf))
    return np.concatenate(lowest)
