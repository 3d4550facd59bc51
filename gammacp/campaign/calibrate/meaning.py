"""Magnitudes in the words of somebody who runs an annotation campaign."""

import math
from collections.abc import Mapping

from shuffling import Category, Merge, Position, ReferenceModel, Split, parse_errors
from shuffling.false_positive import FalsePositive


def amount(error: str, magnitude: float, model: ReferenceModel) -> float:
    """Return the magnitude as the share that `phrase` speaks of; ∞ stays ∞.

    position: largest shift as a share of the unit's length; category: share of units with a wrong
    category; false-negative: share missed; false-positive, split, merge: operations per unit.
    """
    kind = parse_errors(error)[0]
    if isinstance(kind, Category) and math.isfinite(magnitude):
        kept = kind.matrix(magnitude, model.prevalence).diagonal()
        return float(1 - (model.prevalence * kept).sum())
    return magnitude * (
        kind.factor if isinstance(kind, Position | FalsePositive | Split | Merge) else 1
    )


def least_amount(error: str, units: float) -> float:
    """One error for each annotator and document of so many units; 0 of errors that are no counts.

    Splits and the like are made a whole number of times, the same for every annotator: amounts
    below this one cannot be simulated.
    """
    if isinstance(parse_errors(error)[0], FalsePositive | Split | Merge):
        return 1 / units
    return 0.0


def phrase(error: str, share: str) -> str:
    """Return a clause after "as if", with an amount such as "31 %"."""
    kind = parse_errors(error)[0]
    return _PHRASES.get(kind.name, f"{kind.name} errors had magnitude {{}}").format(share)


def unit_of_amount(error: str) -> str:
    """Return what the amount is a share of, for a table."""
    return _UNITS.get(parse_errors(error)[0].name, "magnitude")


_PHRASES: Mapping[str, str] = {
    "position": "each annotator's boundaries were off by up to ±{} of the unit's length",
    "category": "each annotator gave {} of the units a wrong category",
    "false-negative": "each annotator missed {} of the units",
    "false-positive": "each annotator added {} more units that are not there",
    "split": "each annotator cut units apart, with {} as many cuts as units",
    "merge": "each annotator merged {} of the units with a neighbour",
    "opposed": "each annotator gave {} of the units the opposite category",
    "complement": "each annotator marked the gap behind {} of the units instead of them",
}

_UNITS: Mapping[str, str] = {
    "position": "the unit's length, at most",
    "category": "the units",
    "false-negative": "the units",
    "false-positive": "the units, added",
    "split": "the units, cuts",
    "merge": "the units, merged",
    "opposed": "the units",
    "complement": "the units",
}
