"""The same bits on every processor: reported numbers contain no BLAS product and no fused sum."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).with_name("all_measures.py")


def printed(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, str(SCRIPT)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def optional_features() -> str:
    """Return the features of this processor that NumPy uses beyond its baseline."""
    from numpy._core import _multiarray_umath as umath

    found = umath.__cpu_features__
    return " ".join(f for f in umath.__cpu_dispatch__ if found.get(f))


@pytest.mark.slow
def test_other_kernels_give_the_same_bits() -> None:
    """The most basic kernels of OpenBLAS and NumPy give the results of this machine's best ones."""
    default = printed()
    assert default.count("\n") > 50
    least = {"OPENBLAS_CORETYPE": "Prescott"}
    if optional_features():
        least["NPY_DISABLE_CPU_FEATURES"] = optional_features()
    assert printed(**least) == default


@pytest.mark.slow
def test_kernels_give_different_products() -> None:
    """If kernels did not differ for products of this length, the test above would show nothing."""
    code = (
        "import numpy as np; r = np.random.default_rng(0); "
        "print([float(r.random(n) @ r.random(n)).hex() for n in range(2, 99)])"
    )
    outcomes = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_CORETYPE": kernel},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for kernel in ("Haswell", "Prescott")
    }
    if len(outcomes) == 1:
        pytest.skip(f"this build of NumPy {np.__version__} has one kernel for all processors")
