"""Names of the array types used throughout."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int32]
Indices: TypeAlias = NDArray[np.int64]
Hashes: TypeAlias = NDArray[np.uint64]
Bools: TypeAlias = NDArray[np.bool_]


def freeze(array: NDArray[np.generic]) -> None:
    """Make an array read-only in place."""
    array.flags.writeable = False
