"""Distributions of lengths and gaps: a range, or the values that were observed."""

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from gammacp.base.arrays import Floats, freeze
from gammacp.errors import DataError


@dataclass(frozen=True)
class Uniform:
    """Every value from `minimum` to `maximum` is equally likely.

    Raises DataError for minimum > maximum and for values that are not finite.
    """

    minimum: float
    maximum: float

    def __post_init__(self) -> None:
        """Raise DataError for an invalid range."""
        if not (np.isfinite(self.minimum) and np.isfinite(self.maximum)):
            raise DataError(f"range {self.minimum:g} to {self.maximum:g} is not finite")
        if self.minimum > self.maximum:
            raise DataError(f"minimum {self.minimum:g} > maximum {self.maximum:g}")

    @property
    def mean(self) -> float:
        """Return the middle of the range."""
        return (self.minimum + self.maximum) / 2

    @property
    def whole(self) -> bool:
        """Return whether both ends are whole numbers."""
        return float(self.minimum).is_integer() and float(self.maximum).is_integer()

    def draw(self, rng: np.random.Generator, size: int, *, integer: bool) -> Floats:
        """Draw independent values, shape (size,); whole numbers, both ends included, if `integer`.

        Parameters
        ----------
        rng
            Generator of the random numbers.
        size
            Number of values.
        integer
            Whether positions are whole numbers.
        """
        if integer:
            return rng.integers(int(self.minimum), int(self.maximum) + 1, size).astype(np.float64)
        return rng.uniform(self.minimum, self.maximum, size)


@dataclass(frozen=True)
class Empirical:
    """The observed values, each as likely as it was frequent.

    `values` may be any sequence of finite numbers, at least one; it is kept as a sorted tuple.
    """

    values: tuple[float, ...]
    _column: Floats = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sort the values and refuse an empty or non-finite list."""
        column = np.sort(np.array(self.values, np.float64))
        if not len(column):
            raise DataError("list of observed values is empty")
        if not np.isfinite(column).all():
            raise DataError("list of observed values holds a value that is not finite")
        freeze(column)
        object.__setattr__(self, "values", tuple(column.tolist()))
        object.__setattr__(self, "_column", column)

    @property
    def minimum(self) -> float:
        """Return the smallest observed value."""
        return self.values[0]

    @property
    def maximum(self) -> float:
        """Return the largest observed value."""
        return self.values[-1]

    @property
    def mean(self) -> float:
        """Return the mean of the observed values."""
        return float(self._column.mean())

    @property
    def whole(self) -> bool:
        """Return whether all values are whole numbers."""
        return bool((self._column % 1 == 0).all())

    def draw(self, rng: np.random.Generator, size: int, *, integer: bool) -> Floats:
        """Draw independent values, shape (size,), rounded to whole numbers if `integer`.

        Parameters
        ----------
        rng
            Generator of the random numbers.
        size
            Number of values.
        integer
            Whether positions are whole numbers.
        """
        drawn = self._column[rng.integers(len(self._column), size=size)]
        if integer:
            return np.floor(drawn + 0.5)
        return drawn


Distribution: TypeAlias = Uniform | Empirical
"""What a reference model draws lengths and gaps from."""
