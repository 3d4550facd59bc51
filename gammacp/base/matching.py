"""Maximum-weight matching between two sides, over a sparse set of pairs."""

import numpy as np

from gammacp.base.arrays import Floats, Indices


def largest_matching(left: Indices, right: Indices, gains: Floats) -> Indices:
    """Return the pairs of a matching with the largest total gain; each node is in one at most.

    A minimum-cost assignment: every node on the left may also take a stand-in of its own that gains
    nothing, so that a full matching exists.

    Parameters
    ----------
    left, right
        The nodes of each pair, any whole numbers, shape (pairs,); no pair comes twice.
    gains
        Gain of each pair, of the same shape.

    >>> pairs = np.array([0, 0, 1]), np.array([7, 8, 7])
    >>> largest_matching(*pairs, np.array([2.0, 1.5, 1.0]))
    array([1, 2])
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    if not len(gains):
        return np.zeros(0, np.int64)
    rows, row = np.unique(left, return_inverse=True)
    columns, column = np.unique(right, return_inverse=True)
    # Costs must be positive, as a sparse matrix drops zeros.
    ceiling = gains.max() + 1
    stand_in = np.arange(len(rows))
    costs = csr_array(
        (
            np.concatenate((ceiling - gains, np.full(len(rows), ceiling))),
            (np.concatenate((row, stand_in)), np.concatenate((column, len(columns) + stand_in))),
        ),
        shape=(len(rows), len(columns) + len(rows)),
    )
    taken_rows, taken_columns = min_weight_full_bipartite_matching(costs)
    partner = np.full(len(rows), -1)
    partner[taken_rows] = taken_columns
    return np.flatnonzero(partner[row] == column)
