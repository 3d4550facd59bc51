"""The packing problem: which columns to use, and how often, so that their total gain is largest."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gammacp.alignment.kernels.records import Columns
from gammacp.base.arrays import Indices


@dataclass(frozen=True, eq=False)
class PackingProblem:
    """Columns to be packed; each unit in at most `capacity` of them, in a cover in at least one.

    Attributes
    ----------
    columns
        Columns to choose from; units that are in none of them are ignored.
    capacity
        Number of groups that each unit may be in, shape (units,); 1 in a cover, where it is no
        limit.
    opening
        Cost of a unit alone, relative to which columns gain; in a cover, also the cost of each
        further group that a unit is in.
    cover
        Whether each unit must be in at least one group and may be in more.
    """

    columns: Columns
    capacity: Indices
    opening: float
    cover: bool = False

    @property
    def most_uses(self) -> Indices:
        """Largest number of times that each column can be used."""
        if not self.columns.number:
            return np.zeros(0, np.int64)
        return np.minimum.reduceat(self.capacity[self.columns.members], self.columns.begin[:-1])


class Packing(NamedTuple):
    """Number of uses of each column, an upper bound on Σ gain, and whether it is proven optimal."""

    times: Indices
    bound: float
    proven: bool
