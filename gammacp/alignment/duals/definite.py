"""Diagonal shifts that are proven to make a matrix positive semidefinite."""

import numpy as np

from gammacp.base.arrays import Floats

_HALF_ULP = 2.0**-53


def least_shift(matrix: Floats) -> float:
    """Return about the least s ≥ 0 for which matrix + s·I is proven to be positive semidefinite.

    The proof is a successful Cholesky factorisation of the matrix shifted by s minus a bound on the
    factorisation's own rounding errors (Rump 2006, Verification of positive definiteness, Theorem
    2.3: c·Σ|diagonal| with c = (n + 1)·u / (1 − (n + 1)·u), doubled here for the rounding of the
    shift).
    """
    size = len(matrix)
    smallest = float(np.linalg.eigvalsh(matrix)[0])
    diagonal = np.diag(matrix)
    unit = (size + 2) * _HALF_ULP / (1 - (size + 2) * _HALF_ULP)
    shift = max(-smallest, 0.0)
    while True:
        total = float(np.abs(diagonal).sum()) + size * shift
        error = 2 * unit * total + np.finfo(np.float64).tiny * size**2
        shift = shift + 2 * error
        try:
            np.linalg.cholesky(matrix + (shift - error) * np.eye(size))
        except np.linalg.LinAlgError:
            shift = 2 * shift
            continue
        return shift
