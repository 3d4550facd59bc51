"""Compiled kernel that makes dual prices feasible."""

import numpy as np

from gammacp.alignment.kernels.records import Columns
from gammacp.base.arrays import Floats
from gammacp.kernel import late_kernel


@late_kernel
def make_feasible(price: Floats, columns: Columns, most: float) -> Floats:
    """Raise prices in place until no column gains more than its units' prices; return the losses.

    No price is raised above `most`. A column must not gain more than `most` times its number of
    units.
    """
    begin, members, gain = columns
    for c in range(len(gain)):
        missing = gain[c]
        for p in range(begin[c], begin[c + 1]):
            missing -= price[members[p]]
        for p in range(begin[c], begin[c + 1]):
            raised = max(min(missing, most - price[members[p]]), 0.0)
            price[members[p]] += raised
            missing -= raised
    loss = np.empty(len(gain), np.float64)
    for c in range(len(gain)):
        loss[c] = -gain[c]
        for p in range(begin[c], begin[c + 1]):
            loss[c] += price[members[p]]
    return loss
