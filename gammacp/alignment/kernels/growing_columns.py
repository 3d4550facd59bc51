"""Compiled kernels for a list of groups with their gains that grows as groups are found."""

from typing import Any, NamedTuple

import numpy as np

from gammacp.alignment.kernels.records import Columns
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.kernel import kernel


class Growing(NamedTuple):
    """Columns found so far, `number` of them, in arrays with spare room (see `Columns`)."""

    begin: Indices
    members: Codes
    gain: Floats
    number: int


@kernel
def no_columns() -> Growing:
    """Return an empty list."""
    begin = np.zeros(512, np.int64)
    return Growing(begin, np.empty(1024, np.int32), np.empty(512, np.float64), 0)


@kernel
def append(columns: Growing, group: Codes, size: int, gain: float) -> Growing:
    """Return the list with `group[:size]` appended; the list passed in must not be used again."""
    begin, members, gains, count = columns
    filled = begin[count]
    if filled + size > len(members):
        members = grow(members, filled + size)
    if count + 2 > len(begin):
        begin = grow(begin, count + 2)
        gains = grow(gains, count + 2)
    for i in range(size):
        members[filled + i] = group[i]
    gains[count] = gain
    begin[count + 1] = filled + size
    return Growing(begin, members, gains, count + 1)


@kernel
def n_members(columns: Growing) -> int:
    """Return the total number of members of all columns."""
    return columns.begin[columns.number]  # type: ignore[no-any-return]


@kernel
def trim(columns: Growing) -> Columns:
    """Return the columns without the spare room."""
    begin, members, gains, count = columns
    return Columns(begin[: count + 1], members[: begin[count]], gains[:count])


@kernel
def grow(array: Any, least: int) -> Any:
    """Return a copy with room for at least `least` entries and at least twice as many as before."""
    larger = np.empty(max(2 * len(array), least), array.dtype)
    for i in range(len(array)):  # a slice takes seconds to compile
        larger[i] = array[i]
    return larger
