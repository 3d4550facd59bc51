"""What a magnitude means, in the words of somebody who runs an annotation campaign."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from shuffling import Category, Merge, Position, ReferenceModel, Split, parse_errors
from shuffling.false_positive import FalsePositive
from shuffling.registry import ErrorType


def amount(error: str, magnitude: float, model: ReferenceModel) -> float:
    """The magnitude as the share that `phrase` speaks of; ∞ stays ∞.

    position: largest shift as a share of the unit's length; category: share of units with a wrong
    category; false-negative: share missed; false-positive, split, merge: operations per unit.
    """
    if math.isinf(magnitude):
        return math.inf
    kind = parse_errors(error)[0]
    return _AMOUNTS.get(kind.name, _itself)(kind, magnitude, model)


def phrase(error: str, share: str) -> str:
    """A clause after "as if", with an amount such as "31 %"."""
    kind = parse_errors(error)[0]
    return _PHRASES.get(kind.name, f"{kind.name} errors had magnitude {{}}").format(share)


def unit_of_amount(error: str) -> str:
    """What the amount is a share of, for a table."""
    return _UNITS.get(parse_errors(error)[0].name, "magnitude")


def _itself(_kind: ErrorType, magnitude: float, _model: ReferenceModel) -> float:
    return magnitude


def _times_factor(kind: ErrorType, magnitude: float, _model: ReferenceModel) -> float:
    assert isinstance(kind, Position | FalsePositive | Split | Merge)
    return kind.factor * magnitude


def _wrong(kind: ErrorType, magnitude: float, model: ReferenceModel) -> float:
    """1 − Σ p·M(m)_cc: how many units end up with another category than they had."""
    assert isinstance(kind, Category)
    prevalence = model.prevalence
    kept = kind.matrix(magnitude, prevalence).diagonal()
    return float(1 - (prevalence * kept).sum())


_AMOUNTS: Mapping[str, Callable[[ErrorType, float, ReferenceModel], float]] = {
    "position": _times_factor,
    "category": _wrong,
    "false-positive": _times_factor,
    "split": _times_factor,
    "merge": _times_factor,
}

_PHRASES: Mapping[str, str] = {
    "position": "each annotator's boundaries were off by up to ±{} of the unit's length",
    "category": "each annotator gave {} of the units a wrong category",
    "false-negative": "each annotator missed {} of the units",
    "false-positive": "each annotator added {} more units that are not there",
    "split": "each annotator cut units apart, with as many cuts as {} of their number",
    "merge": "each annotator ran neighbours together at {} of the units",
}

_UNITS: Mapping[str, str] = {
    "position": "the unit's length, at most",
    "category": "the units",
    "false-negative": "the units",
    "false-positive": "the units, added",
    "split": "the units, cuts",
    "merge": "the units, merged",
}
