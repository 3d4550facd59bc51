"""States of annotators at each time unit, and alignment of sequences of codes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np

from gammacp.base.arguments import number
from gammacp.base.arrays import Codes, Indices
from gammacp.continuum import Continuum
from gammacp.errors import DataError, UsageError

# Largest number of time units (a larger one is probably a mistake in `unit`), and largest number of
# cells in the table that aligns two sequences.
_MOST_STEPS = 2_000_000
_MOST_CELLS = 25_000_000
_GIVE_UNIT = "Give a longer time unit (`unit=`), such as 1000 for milliseconds"


def time_unit(continuum: Continuum, unit: float | None) -> float:
    """Return the length of a time unit.

    Parameters
    ----------
    continuum, unit
        As for `time_unit_kappa`.

    Raises
    ------
    UsageError
        The given `unit` divides the continuum into too many time units, or is not positive.
    DataError
        The default divides the continuum into too many time units.
    """
    seconds = {"s": 1.0, "ms": 1000.0}.get(continuum.offset_unit, 1.0)
    if unit is None:
        step = seconds
    else:
        step = number("unit", unit)
    low = float(continuum.starts.min())
    high = float(continuum.ends.max())
    if not step > 0 or (high - low) / step > _MOST_STEPS:
        message = f"time unit {step:g} is too short for a length of {high - low:g}"
        # A DataError ends only this measure; others still run if just the default does not fit.
        raise UsageError(message) if unit is not None else DataError(message, hint=_GIVE_UNIT)
    return step


def states_of(continuum: Continuum, unit: float | None) -> tuple[Indices, tuple[str, ...]]:
    """Return the state of each annotator at each time unit, and the names of the states.

    Parameters
    ----------
    continuum, unit
        As for `time_unit_kappa`.

    Returns
    -------
    tuple
        The states, as numbers with shape (annotators, times), and their names. A name is the JSON
        list of the categories that the annotator marks at that time, so that equal names mean
        the same in all documents.
    """
    step = time_unit(continuum, unit)
    low = float(continuum.starts.min())
    high = float(continuum.ends.max())
    times = int((high - low) / step + 1e-9) + 1
    around = np.where(continuum.lengths == 0, step / 2, 0.0)
    first = np.ceil((continuum.starts - around - low) / step - 1e-9).astype(np.int64)
    last = np.floor((continuum.ends + around - low) / step + 1e-9).astype(np.int64)
    states = np.zeros((continuum.n_annotators, times), np.int64)
    names: list[list[str | None]] = [[]]
    for kind in np.unique(continuum.category_codes).tolist():
        rows = continuum.category_codes == kind
        changes = np.zeros((continuum.n_annotators, times + 1), np.int64)
        who = continuum.annotator_codes[rows]
        np.add.at(changes, (who, np.maximum(first[rows], 0)), 1)
        np.add.at(changes, (who, np.minimum(last[rows], times - 1) + 1), -1)
        going_on = changes.cumsum(axis=1)[:, :-1] > 0
        different, codes = np.unique(2 * states + going_on, return_inverse=True)
        states = codes.reshape(states.shape)
        if kind >= 0:
            category = continuum.categories[kind]
        else:
            category = None
        names = [names[k // 2] + [category] * (k % 2) for k in different.tolist()]
    return states, tuple(json.dumps(name, ensure_ascii=False) for name in names)


def sequence_pairs(sequences: Sequence[Codes]) -> Iterator[tuple[Codes, Codes, Codes]]:
    """Align every two sequences, in both orders.

    Yields both sequences, and the indices of the pairs (see `align_sequences`).

    Parameters
    ----------
    sequences
        Codes of each annotator.

    Raises
    ------
    DataError
        Two sequences are too long to align.
    """
    from gammacp.observers.sequence_alignment import align_sequences

    for a, b in permutations(sequences, 2):
        if len(a) * len(b) > _MOST_CELLS:
            raise DataError(
                f"sequences of {len(a)} and {len(b)} are too long to align", hint=_GIVE_UNIT
            )
        yield a, b, align_sequences(a, b)
