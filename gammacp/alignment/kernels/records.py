"""Named tuples that compiled kernels take and return.

They stand apart from the problem and from what is done with groups, so that kernels import neither.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gammacp.base.arrays import Codes, Floats, Indices


class Graph(NamedTuple):
    """Problem as kernels have it: each unit's annotator, how many there are, and the pairs.

    Neighbours of unit u are `neighbour[start[u]:start[u + 1]]`, ascending, with their weights.
    """

    annotator: Codes
    n_annotators: int
    start: Indices
    neighbour: Codes
    weight: Floats


class Columns(NamedTuple):
    """Groups of two and more units: members of column c are `members[begin[c]:begin[c + 1]]`."""

    begin: Indices
    members: Codes
    gain: Floats

    @property
    def number(self) -> int:
        """Return the number of columns."""
        return len(self.gain)

    @property
    def sizes(self) -> Indices:
        """Return the number of units of each column."""
        return self.begin[1:] - self.begin[:-1]

    @property
    def column_of(self) -> Indices:
        """Return the column of each member."""
        return np.repeat(np.arange(self.number), self.sizes)

    def select(self, which: Indices) -> Columns:
        """Return these columns, in this order."""
        first = self.begin[which]
        sizes = self.begin[which + 1] - first
        begin = np.zeros(len(sizes) + 1, np.int64)
        sizes.cumsum(out=begin[1:])
        return Columns(begin, self.members[spread(first, sizes)], self.gain[which])

    def renumber(self, number: Codes) -> Columns:
        """Return the same columns over units numbered anew, `number[unit]`."""
        return Columns(self.begin, number[self.members], self.gain)

    def compress(self) -> tuple[Columns, Indices]:
        """Return the same columns over units 0 … k − 1, and the rows of those units."""
        units, local = np.unique(self.members, return_inverse=True)
        return Columns(self.begin, local.astype(np.int32), self.gain), units.astype(np.int64)

    def join(self, others: Columns) -> Columns:
        """Return these columns with the others behind them."""
        if not others.number:
            return self
        begin = np.concatenate((self.begin, others.begin[1:] + self.begin[-1]))
        members = np.concatenate((self.members, others.members))
        return Columns(begin, members, np.concatenate((self.gain, others.gain)))

    def losses(self, price: Floats) -> Floats:
        """Return the reduced cost of each column: Σ price − gain."""
        if not self.number:
            return np.zeros(0)
        return np.asarray(np.add.reduceat(price[self.members], self.begin[:-1]) - self.gain)


def spread(starts: Indices, sizes: Indices) -> Indices:
    """Return the numbers from each start on, as many as its size says.

    >>> spread(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    numbers: Indices = (starts + sizes - sizes.cumsum()).repeat(sizes)
    numbers += np.arange(len(numbers))
    return numbers
