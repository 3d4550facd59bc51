"""Units of two annotators that lie in nuclei, for Staccato's degree of organization."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.arrays import Floats
from gammacp.continuum import Continuum
from gammacp.measures.counting import Counting, Counts, Numbers, Rates, share


def count_nuclei(
    continuum: Continuum, *, samples: int | None = None, seed: int = 0, **_: Any
) -> Counts:
    """Count the units that lie in nuclei, and estimate how many randomly placed ones would.

    Parameters
    ----------
    continuum, samples, seed
        As for `staccato`.
    """
    sets = whole("samples", 1000 if samples is None else samples, 1)
    if continuum.offset_unit == "s":
        scale = 1000.0
    else:
        scale = 1.0
    lowest = continuum.bounds[0]
    if continuum.declared:
        origin = lowest
    else:
        origin = min(0.0, lowest)
    parties = []
    columns = []
    for i, j in combinations(range(continuum.n_annotators), 2):
        rows = np.isin(continuum.annotator_codes, (i, j))
        starts, ends = (scale * (x[rows] - origin) for x in (continuum.starts, continuum.ends))
        if not len(starts):
            continue
        # The same generator for every pair makes results independent of the order of annotators.
        random = _random_nuclei(starts, ends, sets, np.random.default_rng(seed))
        parties.append((continuum.annotators[i], continuum.annotators[j]))
        columns.append((_in_nuclei(starts, ends), random.mean(), random.var(), len(starts)))
    names = ("nuclei", "expected", "variance", "units")
    table = np.array(columns, np.float64).reshape(-1, len(names))
    return Counts(tuple(parties), dict(zip(names, table.T.copy(), strict=True)))


def _random_nuclei(starts: Floats, ends: Floats, sets: int, rng: np.random.Generator) -> Floats:
    """Return the number of units in nuclei for each random set, drawn as in Staccato 1.0.0."""
    low = (ends - starts).min()
    high = (ends - starts).max()
    random = np.zeros(sets)
    for k in range(sets):
        lengths = low + np.floor(rng.random(len(starts)) * high)
        first = np.floor(rng.random(len(starts)) * (ends.max() - lengths))
        random[k] = _in_nuclei(first, first + lengths)
    return random


def _in_nuclei(starts: Floats, ends: Floats) -> int:
    order = np.argsort(starts, kind="stable")
    starts = starts[order]
    ends = ends[order]
    # For each unit, the number of units that start before it ends, and of units that have ended
    # when it starts. Neighbours with equal numbers overlap the same units.
    begun = np.searchsorted(starts, ends)
    ended = np.searchsorted(np.sort(ends), starts, side="right")
    alike = (begun[1:] == begun[:-1]) & (ended[1:] == ended[:-1])
    alike &= begun[:-1] > np.arange(1, len(starts))
    return int(np.count_nonzero(np.append(alike, False) | np.append(False, alike)))


def nuclei_rates(numbers: Numbers) -> Rates:
    """Return Staccato's degree of organization.

    Parameters
    ----------
    numbers
        Number of units in `nuclei`, number `expected` there by chance, and number of all `units`.
    """
    units = numbers["units"]
    observed = share(numbers["nuclei"], units)
    expected = np.clip(share(numbers["expected"], units), 0, 1)
    return Rates(
        value=degrees(observed, expected),
        disagreement=1 - observed,
        size=units / 2,
        expected=1 - expected,
    )


def degrees(observed: Floats, expected: Floats) -> Floats:
    """Return Staccato's degree: (k − E)/(n − E) where k ≥ E, else (k − E)/E; NaN for 0/0.

    Parameters
    ----------
    observed, expected
        Shares of units in nuclei: observed (k/n), and expected by chance (E/n).
    """
    room = np.where(observed >= expected, 1 - expected, expected)
    return share(observed - expected, room)


NUCLEI = Counting(
    count=count_nuclei,
    rates=nuclei_rates,
    nothing="random units always lie in nuclei, or never, just as these do",
)
