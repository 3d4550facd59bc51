"""Named tuples that compiled kernels take and return.

They have a module of their own, so that kernels need not import the modules of problems and groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gammacp.base.arrays import Codes, Floats, Indices


class Graph(NamedTuple):
    """A problem as kernels see it: each unit's annotator, the number of annotators, and the pairs.

    The neighbours of unit u are `neighbour[start[u]:start[u + 1]]`, ascending, and `weight` has
    their weights.
    """

    annotator: Codes
    n_annotators: int
    start: Indices
    neighbour: Codes
    weight: Floats


class Columns(NamedTuple):
    """Groups of two or more units: the members of column c are `members[begin[c]:begin[c + 1]]`."""

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
        """Return the column that each member belongs to."""
        return np.repeat(np.arange(self.number), self.sizes)

    def select(self, which: Indices) -> Columns:
        """Return these columns, in this order."""
        first = self.begin[which]
        sizes = self.begin[which + 1] - first
        begin = np.zeros(len(sizes) + 1, np.int64)
        sizes.cumsum(out=begin[1:])
        return Columns(begin, self.members[spread(first, sizes)], self.gain[which])

    def renumber(self, number: Codes) -> Columns:
        """Return the same columns with units renumbered: unit u becomes `number[u]`."""
        return Columns(self.begin, number[self.members], self.gain)

    def compress(self) -> tuple[Columns, Indices]:
        """Return the same columns with units renumbered 0 … k − 1, and the rows of those units."""
        units, local = np.unique(self.members, return_inverse=True)
        return Columns(self.begin, local.astype(np.int32), self.gain), units.astype(np.int64)

    def join(self, others: Columns) -> Columns:
        """Return these columns followed by the others."""
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
    """Return consecutive numbers from each start on, as many as the corresponding size.

    >>> spread(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    numbers: Indices = (starts + sizes - sizes.cumsum()).repeat(sizes)
    numbers += np.arange(len(numbers))
    return numbers
