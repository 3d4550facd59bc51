"""Compiled kernels on slices of an array; NumPy's own take a second or more to compile each."""

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import HALTED, MOST, STEPS, Meter
from gammacp.kernel import kernel


@kernel
def is_over(meter: Meter) -> bool:
    """Tell whether a kernel must end: another thread halted it, or its budget is used up."""
    return meter[HALTED] != 0 or meter[STEPS] >= meter[MOST]  # type: ignore[no-any-return]


@kernel
def widest(start: Indices) -> int:
    """Return the length of the longest run, where run r is from `start[r]` to `start[r + 1]`."""
    most = 0
    for r in range(len(start) - 1):
        most = max(most, start[r + 1] - start[r])
    return most


@kernel
def lowest(values: Codes, begin: int, end: int) -> int:
    """Return the minimum of `values[begin:end]`, which is not empty."""
    least = values[begin]
    for p in range(begin + 1, end):
        least = min(least, values[p])
    return least  # type: ignore[no-any-return]


@kernel
def index_of(values: Codes, begin: int, end: int, value: int) -> int:
    """Return the index of `value` in ascending `values[begin:end]`, or where it would be."""
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def copy_values(source: Codes | Indices | Floats, target: Codes | Indices | Floats) -> None:
    """Copy all values of `source` to `target`, which has as many; lengths are not checked.

    An array of several dimensions can be passed as `array.ravel()` if it is C-contiguous. Otherwise
    `ravel` makes a copy, and values written to it are lost.
    """
    for i in range(len(source)):
        target[i] = source[i]


@kernel
def add_values(source: Floats, target: Floats) -> None:
    """Add the values of `source` to those of `target`; lengths are not checked."""
    for i in range(len(source)):
        target[i] += source[i]
