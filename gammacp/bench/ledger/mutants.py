"""Mutants of claims: changed data, in nine ways that should make most claims false.

A claim that holds for any data says nothing. So each curve that a claim reads is made flat, bent,
reversed, and so on, and the claim is checked again. A claim that still holds after all of these
changes cannot fail: its tolerance is too wide, or its `where` selects the wrong data.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.bench.ledger.checks import CHECKS
from gammacp.bench.ledger.claims import Claim, Ledger, Predicate
from gammacp.bench.ledger.series import Series
from gammacp.errors import DataError

Pair = tuple[Series, Series | None]
"""The series that is tested, and the one that it is compared with, if any."""

Change = Callable[[Series, Series | None], Pair | None]
"""Return the pair as changed, or None where the change would change nothing."""


def with_values(series: Series, y: Any) -> Series:
    """Return a series with other means.

    The values of single sets are shifted along with the means.

    Parameters
    ----------
    series
        Any.
    y
        A number for all points, or one for each.
    """
    means = np.broadcast_to(np.asarray(y, np.float64), series.y.shape).copy()
    values = None
    if series.values is not None:
        values = series.values - series.y + means
    return replace(series, y=means, text=tuple(map(str, means)), values=values)


def _middle(y: Floats) -> float:
    if np.isnan(y).all():
        return np.nan
    return float(np.nanmean(y))


def _reach(series: Series, other: Series | None) -> float:
    """Return a distance that is large compared with all values of both series."""
    y = series.y
    if other is not None:
        y = np.concatenate([y, other.y])
    defined_y = y[~np.isnan(y)]
    if not len(defined_y):
        return 1.0
    return 2.0 * (float(np.abs(defined_y).max()) + 1.0)


def flat(series: Series, other: Series | None) -> Pair:
    """Put the mean everywhere."""
    return with_values(series, _middle(series.y)), other


def half_flat(series: Series, other: Series | None) -> Pair | None:
    """Let the first half go on as it is, and the second stay where it begins."""
    half = len(series.y) // 2
    if len(series.y) < 3:
        return None
    first = np.arange(len(series.y)) < half
    return with_values(series, np.where(first, series.y, series.y[half])), other


def turned_around(series: Series, other: Series | None) -> Pair | None:
    """Put the values in the opposite order."""
    if len(series.y) < 2:
        return None
    return with_values(series, series.y[::-1]), other


def two_points_exchanged(series: Series, other: Series | None) -> Pair | None:
    """Exchange the values at a quarter and at the half."""
    first = len(series.y) // 4
    second = len(series.y) // 2
    if first == second:
        return None
    y = series.y.copy()
    y[[first, second]] = y[[second, first]]
    return with_values(series, y), other


def raised(series: Series, other: Series | None) -> Pair:
    """Raise every value far beyond all that was measured."""
    return with_values(series, series.y + _reach(series, other)), other


def lowered(series: Series, other: Series | None) -> Pair:
    """Lower every value far beyond all that was measured."""
    return with_values(series, series.y - _reach(series, other)), other


def bent(series: Series, other: Series | None) -> Pair | None:
    """Go from the first value to the last as the sixth power does."""
    if len(series.y) < 3:
        return None
    share = np.linspace(1.0, 0.0, len(series.y)) ** 6
    y = series.y[-1] + (series.y[0] - series.y[-1]) * share
    return with_values(series, y), other


def exchanged(series: Series, other: Series | None) -> Pair | None:
    """Exchange the two series."""
    if other is None:
        return None
    return other, series


def filled(series: Series, other: Series | None) -> Pair | None:
    """Put a number where something is undefined."""
    if not np.isnan(series.y).any():
        return None
    return with_values(series, np.where(np.isnan(series.y), 0.5, series.y)), other


CHANGES: dict[str, Change] = {
    "flat": flat,
    "half flat": half_flat,
    "turned around": turned_around,
    "two points exchanged": two_points_exchanged,
    "raised": raised,
    "lowered": lowered,
    "bent": bent,
    "series exchanged": exchanged,
    "filled": filled,
}
"""The nine changes by name."""


@dataclass(frozen=True)
class Tried:
    """A claim with the changes that make it false, and those that it withstands."""

    ledger: str
    claim: Claim
    false_after: tuple[str, ...]
    withstands: tuple[str, ...]

    @property
    def can_fail(self) -> bool:
        """Return whether some change makes it false."""
        return bool(self.false_after)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "paper": self.ledger,
            "place": self.claim.place,
            "claim": self.claim.words,
            "can_fail": self.can_fail,
            "false_after": list(self.false_after),
            "withstands": list(self.withstands),
        }


def try_changes(ledger: Ledger, claims: Sequence[Claim], results: Path) -> list[Tried]:
    """Try all changes on claims.

    Parameters
    ----------
    ledger, claims
        A ledger, and those of its claims whose results are there.
    results
        The folder with a folder per experiment.

    Raises
    ------
    DataError
        The results that a claim reads are not there.
    """
    return [_tried(ledger, claim, results) for claim in claims]


def _tried(ledger: Ledger, claim: Claim, results: Path) -> Tried:
    false_after = []
    withstands = []
    try:
        read = [(test, test.series(results)) for test in claim.tests]
    except DataError as error:
        raise error.within(f"claim {claim.words!r}") from None
    for name, change in CHANGES.items():
        verdicts = [_holds(test, pair, change) for test, pair in read]
        applied = [verdict for verdict in verdicts if verdict is not None]
        if not applied:
            continue
        if all(applied):
            withstands.append(name)
        else:
            false_after.append(name)
    return Tried(ledger.name, claim, tuple(false_after), tuple(withstands))


def _holds(test: Predicate, pair: Pair, change: Change) -> bool | None:
    """Return whether a test holds for the changed data; None if the change does not apply."""
    changed = change(*pair)
    if changed is None:
        return None
    try:
        return CHECKS[test.check].call(*changed, test.parameters).holds
    except (ValueError, IndexError, FloatingPointError):
        # A check that cannot be computed on changed data does not hold for it.
        return False
