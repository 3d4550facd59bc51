"""Express magnitudes of errors in words that are meaningful in an annotation campaign."""

import math
from collections.abc import Mapping

from shuffling import Category, Merge, Position, ReferenceModel, Split, parse_errors
from shuffling.false_positive import FalsePositive


def amount(error: str, magnitude: float, model: ReferenceModel) -> float:
    """Convert a magnitude into the share that `phrase` mentions; ∞ stays ∞.

    The share depends on the error: for position, the largest shift divided by the unit's length;
    for category, the share of units with a wrong category; for false-negative, the share of missed
    units; for false-positive, split and merge, the number of operations per unit.
    """
    kind = parse_errors(error)[0]
    if isinstance(kind, Category) and math.isfinite(magnitude):
        unchanged = kind.matrix(magnitude, model.prevalence).diagonal()
        return float(1 - (model.prevalence * unchanged).sum())
    return magnitude * (
        kind.factor if isinstance(kind, Position | FalsePositive | Split | Merge) else 1
    )


def least_amount(error: str, units: float) -> float:
    """Return the amount of one error for each annotator and document of `units` units.

    False positives, splits and merges are made a whole number of times, the same for each
    annotator, so smaller amounts cannot be simulated. For other errors, the result is 0.
    """
    if isinstance(parse_errors(error)[0], FalsePositive | Split | Merge):
        return 1 / units
    return 0.0


def phrase(error: str, share: str) -> str:
    """Return a clause to follow "as if", with an amount such as "31 %"."""
    kind = parse_errors(error)[0]
    return _PHRASES.get(kind.name, f"{kind.name} errors had magnitude {{}}").format(share)


def unit_of_amount(error: str) -> str:
    """Return the text for tables that says what the amount is a share of."""
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
