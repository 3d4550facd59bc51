"""Stretches of a recording or a text in which something can be marked; between them are pauses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from gammacp.base.signature import fingerprint, shortest
from gammacp.base.text import first_names
from gammacp.continuum.columns import Bounds
from gammacp.continuum.continuum import Continuum
from gammacp.errors import DataError

Stretch: TypeAlias = tuple[float, float]
# If more than this share of units lies in pauses, the file probably lists the pauses instead.
_MOST_IN_PAUSES = 1 / 2
# A γ below `_SMALL` with a p of at most `_LEVEL` may come from declared pauses. The rate is the
# largest share of corpora of independent annotators in which that occurs, of all processes that
# were tried (benchmarks/pauses_zero.py, docs/chance.md).
_SMALL = 0.15
_LEVEL = 0.05
_RATE_OF_SIX = "24%"
_RATE_OF_THIRTY = "74%"
# Largest number of units that a message names.
_NAMED = 3


class WrongStretch(NamedTuple):
    """An invalid stretch.

    Attributes
    ----------
    number
        Index of the stretch, from 0.
    message, hint
        Description of the mistake, and of what would be right.
    """

    number: int
    message: str
    hint: str


def find_wrong_stretch(
    stretches: Sequence[Stretch], bounds: Bounds | None = None
) -> WrongStretch | None:
    """Return the first stretch that is empty, reversed, outside the bounds or reaches into another.

    Parameters
    ----------
    stretches
        (start, end) of each, in any order.
    bounds
        Beginning and end of the continuum, where they are declared.

    >>> find_wrong_stretch([(0, 9), (5, 12)]).message
    'stretch 5-12 overlaps 0-9'
    """
    for number, (start, end) in enumerate(stretches):
        called = f"stretch {shortest(start)}-{shortest(end)}"
        if not (np.isfinite(start) and np.isfinite(end)):
            return WrongStretch(number, f"{called} is not finite", "Give numbers")
        if start >= end:
            if start == end:
                what = "is empty"
            else:
                what = "ends before it begins"
            return WrongStretch(number, f"{called} {what}", "Give the start before the end")
        if bounds is not None and (start < bounds[0] or end > bounds[1]):
            return WrongStretch(
                number,
                f"{called} lies outside the document, {shortest(bounds[0])} to "
                f"{shortest(bounds[1])}",
                "Give positions in the unit of the annotations, or say where the document ends "
                "with `bounds=`",
            )
    order = sorted(range(len(stretches)), key=lambda number: stretches[number])
    for before, number in pairwise(order):
        (low, high), (start, end) = stretches[before], stretches[number]
        if start < high:
            message = (
                f"stretch {shortest(start)}-{shortest(end)} overlaps "
                f"{shortest(low)}-{shortest(high)}"
            )
            return WrongStretch(number, message, "Write each part of a document once")
    return None


def declare_markable(continuum: Continuum, stretches: Iterable[Stretch]) -> Continuum:
    """Declare that only some stretches of a document can be marked.

    Random continua move units in the time that remains without the pauses. If no bounds were
    declared, the first and last stretch define them; a single stretch then has no other effect.

    Parameters
    ----------
    continuum
        Continuum that gets the stretches.
    stretches
        (start, end) of each, in any order; those that touch are joined. An empty sequence removes
        earlier stretches.

    Raises
    ------
    DataError
        A stretch is empty, reversed, outside declared bounds or reaches into another; more units
        lie in pauses than in stretches; units have several fragments, or shapes.

    >>> from gammacp.continuum.unit import Unit
    >>> c = Continuum.from_units([Unit("Ann", 2, 9), Unit("Bob", 33, 40)])
    >>> declared = declare_markable(c, [(30, 50), (0, 10)])
    >>> declared.markable, declared.bounds
    (((0.0, 10.0), (30.0, 50.0)), (0.0, 50.0))
    """
    rows = [(float(start), float(end)) for start, end in stretches]
    if continuum.inside is not None and rows:
        if continuum.shapes is not None:
            what = "shapes"
        else:
            what = "several fragments"
        raise DataError(
            f"units with {what} cannot be moved around pauses",
            hint="Leave `markable=` out"
            + ("" if continuum.shapes is not None else ", or use `read(discontinuous=cover)`"),
        )
    if wrong := find_wrong_stretch(rows, continuum.bounds if continuum.declared else None):
        raise DataError(wrong.message, hint=wrong.hint)
    joined = _joined(rows)
    low, high = continuum.bounds
    if joined:
        low = min(low, joined[0][0])
        high = max(high, joined[-1][1])
    if joined == ((low, high),):
        joined = ()
    if joined == continuum.markable and (low, high) == continuum.bounds:
        return continuum
    declared = replace(continuum, bounds=(low, high)).with_about(markable=joined)
    _check_units(declared)
    return declared.noting("markable", fingerprint(repr(rows)))


def _joined(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """Return stretches in order, with those that touch joined."""
    joined: list[Stretch] = []
    for start, end in sorted(stretches):
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)


def units_in_pauses(continuum: Continuum) -> tuple[list[int], int]:
    """Return the rows of units that lie wholly in pauses, and how many others begin or end in one.

    Parameters
    ----------
    continuum
        Continuum with its stretches.
    """
    if not continuum.markable:
        return [], 0
    starts, ends = np.array(continuum.markable).T
    # The first stretch that ends after a unit's start is the first that the unit can overlap.
    first = np.searchsorted(ends, continuum.starts, side="right").clip(0, len(ends) - 1)
    reaches = (starts[first] < continuum.ends) & (ends[first] > continuum.starts)
    points = continuum.starts == continuum.ends
    begun, ended = (
        np.searchsorted(starts, positions, side="right") - 1
        for positions in (continuum.starts, continuum.ends)
    )
    held = (begun >= 0) & (ends[begun] >= continuum.starts)
    markable = (ended >= 0) & (ends[ended] >= continuum.ends)
    in_pauses = np.where(points, ~held, ~reaches)
    partly = ~in_pauses & ~(held & markable)
    return np.flatnonzero(in_pauses).tolist(), int(partly.sum())


def _check_units(continuum: Continuum) -> None:
    """Raise an error if most units lie in pauses."""
    in_pauses, _ = units_in_pauses(continuum)
    if len(in_pauses) > _MOST_IN_PAUSES * continuum.n_units:
        raise DataError(
            f"{len(in_pauses)} of {continuum.n_units} units lie in pauses, outside all stretches",
            hint="Give the stretches in which something can be marked, not the pauses, in the "
            "unit of the annotations",
        )


def pauses_in_words(continuum: Continuum) -> tuple[str, ...]:
    """Return warnings about units that lie in pauses, one sentence each.

    Parameters
    ----------
    continuum
        Continuum with its stretches.
    """
    in_pauses, partly = units_in_pauses(continuum)
    sentences = []
    if in_pauses:
        units = [continuum.unit(row) for row in in_pauses]
        names = [f"{u.annotator} {shortest(u.start)}-{shortest(u.end)}" for u in units]
        if len(units) == 1:
            many = "1 unit lies"
        else:
            many = f"{len(units)} units lie"
        sentences.append(
            f"{many} in a pause, where nothing can be marked ({first_names(names, _NAMED)}): "
            "chance has them elsewhere"
        )
    if partly:
        if partly == 1:
            many = "1 unit begins or ends"
        else:
            many = f"{partly} units begin or end"
        sentences.append(f"{many} in a pause: chance has the part that lies outside")
    return tuple(sentences)


def small_value_in_words(value: float, p: float | None) -> tuple[str, ...]:
    """Return a warning if γ is so small that declared pauses alone may have given it a small p.

    Parameters
    ----------
    value, p
        γ against chance that knows the stretches, and its p.
    """
    if p is None or p > _LEVEL or value >= _SMALL:
        return ()
    return (
        f"γ below {_SMALL:g} may come from pauses, although these are declared: independent "
        f"annotators had p ≤ {_LEVEL:g} in up to {_RATE_OF_SIX} of simulated corpora of six "
        f"recordings, and in up to {_RATE_OF_THIRTY} of thirty",
    )
