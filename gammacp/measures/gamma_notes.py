"""Notes on γ and its family: few units, few random sets, and agreement that may be chance."""

from __future__ import annotations

import numpy as np

from gammacp.chance.expected import FEWEST_SAMPLES, ExpectedDisorder
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need, unmet_need
from gammacp.measures.settings import Settings

# Least units per annotator with which sets drawn by `cut` differ enough from the continuum itself.
FEWEST_UNITS = 5.0
# The same where units of one annotator overlap. With five, independent annotators have a γ of −.04
# (experiment zero_continua).
FEWEST_OVERLAPPING = 10.0
# Significance level of the test of agreement above 0.
_LEVEL = 0.05


def not_shown(p: float | None, samples: int) -> tuple[str, ...]:
    """Note that agreement may be chance; the Monte-Carlo interval does not tell.

    Parameters
    ----------
    p
        Share of the random sets, with the data, that agree at least as well.
    samples
        Number of random sets.
    """
    if p is None or p <= _LEVEL or samples + 1 < 1 / _LEVEL:
        return ()
    return (
        f"agreement above 0 is not shown: p = {p:.2g} (share of the random sets, with this "
        "one, that agree at least as well)",
    )


def few_units(
    continuum: Continuum, measure: str = "γ", least: float = FEWEST_UNITS
) -> tuple[str, ...]:
    """Note that units are few, so that independent annotators need not have 0 on average.

    Parameters
    ----------
    continuum
        Continuum that is measured.
    measure
        Name of the measure for people.
    least
        Units per annotator from which on independent annotators have 0 on average. If units of one
        annotator overlap, at least `FEWEST_OVERLAPPING` are needed.
    """
    units = continuum.mean_units
    where = ""
    if units >= max(least, FEWEST_OVERLAPPING):
        return ()
    if units >= least:
        if unmet_need(continuum, (Need.NO_OVERLAP,)) is None:
            return ()
        least = FEWEST_OVERLAPPING
        where = " whose own units overlap"
    return (
        f"few units per annotator ({units:.2g}): below {least:g}, {measure} of independent "
        f"annotators{where} may not average 0",
    )


def notes_on(expected: ExpectedDisorder, settings: Settings) -> tuple[str, ...]:
    """Note a sample-size rule that was not kept, and random sets that are few in all.

    Parameters
    ----------
    expected
        Expected disorder of the random sets.
    settings
        Settings with the precision that was asked for.
    """
    notes: tuple[str, ...] = ()
    different = len(np.unique(expected.disorders.round(12)))
    if different < FEWEST_SAMPLES <= expected.samples:
        if different > 1:
            many = f"only {different} of the"
        else:
            many = "none of the"
        notes = (
            f"{many} {expected.samples} random sets differ in their disorder: the expected "
            "disorder is less sure than its interval says",
        )
    if not expected.capped:
        return notes
    return (
        *notes,
        f"stopped after {expected.samples} random sets, the most for a precision: precision "
        f"{expected.precision:.2g} instead of {settings.rule.precision:.2g}, so the interval is "
        "wider; to draw more, give a number of samples",
    )
