"""Identity of the cells of a sweep, to the last bit, whichever kernels the linear algebra uses."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_CODE = """
from gammacp.bench.source import Shuffled
from gammacp.bench.sweep import Sweep, SweepTask
from gammacp.bench.work import compute

sweep = Sweep(
    source=Shuffled(),
    errors=("position+category",),
    measures=("gamma", "u-alpha-2013", "cu-alpha", "ku-alpha", "kappa-d", "ser"),
    options={"samples": 3},
)
tasks = [SweepTask("position+category", m, k, sweep.measures) for m in (0.2, 0.7) for k in (0,)]
for cell in compute(sweep, tasks):
    print(cell.measure, cell.value.hex(), cell.bound and cell.bound.hex())
"""


def cells(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _CODE],
        env={k: v for k, v in os.environ.items() if k != "OPENBLAS_CORETYPE"} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


# The fast test of such kernels is tests/measures/test_processors.py.
@pytest.mark.slow
def test_cells_do_not_depend_on_the_processor() -> None:
    values = cells()
    assert values.count("\n") > 2 * 6
    assert cells(OPENBLAS_CORETYPE="Haswell") == values
