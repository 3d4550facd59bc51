"""Names of the array types used throughout, and arrays that are computed once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int32]
Indices: TypeAlias = NDArray[np.int64]
Hashes: TypeAlias = NDArray[np.uint64]
Bools: TypeAlias = NDArray[np.bool_]
Value = TypeVar("Value")


def freeze(array: NDArray[np.generic]) -> None:
    """Make an array read-only in place."""
    array.flags.writeable = False


def smallest(values: NDArray[Any]) -> NDArray[Any]:
    """Return the same numbers in the smallest type that holds them exactly, the sign of zero too.

    Parameters
    ----------
    values
        Integers, or floats without NaN.

    >>> [smallest(np.array(x)).dtype.name for x in ([7.0, 300.0], [0.5], [-0.0], [70000])]
    ['int16', 'float32', 'float32', 'int64']
    """
    kinds: list[type] = [np.int8, np.int16]
    if values.dtype.kind == "f":
        # Whole numbers have no −0.
        kinds = [*([] if np.signbit(values[values == 0]).any() else kinds), np.float32]
    for kind in kinds:
        with np.errstate(over="ignore", invalid="ignore"):
            smaller_array: NDArray[Any] = values.astype(kind)
        if np.array_equal(smaller_array, values):
            return smaller_array
    return values


def rows_at(edges: Indices, numbers: Indices) -> tuple[Indices, Indices]:
    """Return the concatenated rows of some parts, and where the rows of each begin.

    Parameters
    ----------
    edges
        The rows of part k are `edges[k]:edges[k + 1]`.
    numbers
        Numbers of the parts, in any order.

    >>> [x.tolist() for x in rows_at(np.array([0, 2, 5]), np.array([1, 0]))]
    [[2, 3, 4, 0, 1], [0, 3, 5]]
    """
    sizes = edges[numbers + 1] - edges[numbers]
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return np.repeat(edges[numbers] - offsets[:-1], sizes) + np.arange(offsets[-1]), offsets


def places_within(counts: Indices) -> Indices:
    """Return the index of each member within its group, for consecutive groups.

    Parameters
    ----------
    counts
        Number of members of each group, shape (groups,).

    >>> places_within(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


class MadeWhenRead(Sequence[Value]):
    """A sequence that makes each entry when it is read.

    Parameters
    ----------
    size
        Number of entries.
    most
        Largest number of entries that are kept once they are made; None: all.
    """

    def __init__(self, size: int, most: int | None = None) -> None:
        """Start with no entries made."""
        self._size = size
        self._most = most
        self._made: dict[int, Value] = {}

    @abstractmethod
    def make(self, number: int) -> Value:
        """Return the entry with a number, from 0."""

    def __len__(self) -> int:
        """Return the number of entries."""
        return self._size

    @overload
    def __getitem__(self, place: int) -> Value: ...
    @overload
    def __getitem__(self, place: slice) -> list[Value]: ...
    def __getitem__(self, place: int | slice) -> Value | list[Value]:
        """Return the entry, or those of a slice."""
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(self._size))]
        number = range(self._size)[place]
        if number not in self._made:
            if len(self._made) == self._most:
                self._made.clear()
            self._made[number] = self.make(number)
        return self._made[number]


class Cached(Generic[Value]):
    """A variant of `functools.cached_property` for classes with very many instances.

    `functools.cached_property` needs a dictionary per object, of 0.8 kB for a continuum.

    Parameters
    ----------
    compute
        The method that gives the value, never None.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        """Wrap a method whose value is computed when first asked for."""
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Choose where to store the value: the method's name with a leading underscore."""
        self._name = f"_{name}"

    @overload
    def __get__(self, instance: None, owner: type) -> Cached[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: object | None, owner: type) -> Any:
        """Return the value, computed at the first access."""
        if instance is None:
            return self
        stored_value = getattr(instance, self._name, None)
        if stored_value is None:
            stored_value = self._compute(instance)
            object.__setattr__(instance, self._name, stored_value)
        return stored_value
