"""Late kernels, which run as plain Python for small data: with the same bits, and not for long."""

import os
import pkgutil
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from functools import partial, wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammacp.alignment
import gammacp.continuum.canonical_kernels
from gammacp import align, gamma
from gammacp.alignment.kernels import chains
from gammacp.base.subjects import subjects
from gammacp.datasets import load
from gammacp.dissimilarity import kernels
from gammacp.kernel import KERNELS, plain
from gammacp.kernel.plain import Plain
from tests.alignment.continua import DISSIMILARITIES, random_continuum
from tests.kernel.test_kernel import execute, package

__all__ = ["package"]  # a fixture


def exactly(value: Any) -> Any:
    """Return a value with its type, so that equal ones are equal to the bit."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple):
        return type(value), *map(exactly, value)
    return type(value), value.hex() if isinstance(value, float) else value


def as_plain(kernel: Any, args: Any) -> Any:
    """Return the result of a kernel as plain Python, however long that takes."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_one", "_left", "_BYTES"):
            patch.setattr(plain, name, 10**12)
        answer = Plain(kernel.py_func)(*args)
    assert answer is not None, f"{kernel.py_func.__name__} fails as plain Python"
    return answer[0]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Run every late kernel both ways, and count the calls."""
    calls: Counter[str] = Counter()
    for found in pkgutil.walk_packages(gammacp.alignment.__path__, "gammacp.alignment."):
        import_module(found.name)

    def both(kernel: Any, *args: Any) -> Any:
        copies = deepcopy(args)
        found, result = as_plain(kernel, copies), kernel(*args)
        name = kernel.py_func.__name__
        calls[name] += 1
        assert exactly((found, copies)) == exactly((result, args)), name
        return result

    monkeypatch.setattr(plain, "_left", 0)
    for module in [m for name, m in sys.modules.items() if name.startswith("gammacp")]:
        for name, value in list(vars(module).items()):
            if hasattr(value, "py_func") and hasattr(value, "plain"):
                checked = wraps(value.py_func)(partial(both, value))
                checked.py_func = value.py_func
                monkeypatch.setattr(module, name, checked)
    return calls


def is_of_the_core(function: Any) -> bool:
    """Return whether a kernel belongs to no subject; subjects have tests of their own."""
    parts = function.py_func.__module__.split(".")
    return parts[1] not in subjects()


@pytest.mark.slow
def test_small_data_have_the_same_bits_in_both_ways(compared: Counter[str]) -> None:
    rng = np.random.default_rng(0)
    for seed in range(24):
        continuum = random_continuum(seed, 2 + seed % 4, int(rng.integers(2, 24)))
        dissimilarity = DISSIMILARITIES[seed % len(DISSIMILARITIES)]
        align(continuum, dissimilarity, cover=seed % 3 == 0)
        gamma(continuum, dissimilarity=dissimilarity, samples=5)
        chains.heaviest_chain(rng.integers(0, 9, 12), rng.random(12))
        kernels.positional_costs(seed % 3, 2.0, *rng.integers(0, 3, (4, 9)).astype(float))
    late = {k.py_func.__name__ for k in KERNELS if hasattr(k, "plain") and is_of_the_core(k)}
    assert len(late) > 10
    assert set(compared) == late


OUTER = """
from gammacp.kernel import kernel, late_kernel
import numpy as np

@kernel
def _next(x):
    return x + 1

@late_kernel
def fill(x, turns):
    for i in range(turns):
        x[0] = _next(x[0])
    return x[0]

@late_kernel
def whole(x):
    while x > 9:
        x //= 2
    return np.int64(x), np.int32(1) / 2 == 0.5

@late_kernel
def wide(x):
    return x[0] + 3_000_000_000
"""
CALLS = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np, outer
from gammacp.kernel import plain
def fill(turns):
    x = np.zeros(1, np.int64)
    return outer.fill(x, turns), int(x[0]), len(outer.fill.signatures)
"""


def run(code: str, package: Path) -> list[str]:
    (package / "outer.py").write_text(OUTER)
    return execute(CALLS + code, package).stdout.splitlines()


def test_small_work_is_not_compiled_and_large_work_restarts_compiled(package: Path) -> None:
    few, many = "print(fill(5), type(fill(5)[0]).__name__)", f"print(fill({plain.ONE}))"
    assert run(few, package) == ["(5, 5, 0) int"]
    assert list((package / "cache").rglob("*.kernel")) == []
    assert run(f"{few}\n{many}\n{few}", package) == [
        "(5, 5, 0) int",
        f"({plain.ONE}, {plain.ONE}, 1)",
        "(5, 5, 1) int",
    ]
    assert run(few, package) == ["(5, 5, 1) int"], "code that was kept is used"


def test_kernels_together_have_a_limit(package: Path) -> None:
    together = "plain._left = 100\nprint(fill(5))\nprint(fill(90))\nprint(fill(1))"
    assert run(together, package) == ["(5, 5, 0)", "(90, 90, 1)", "(1, 1, 1)"]


def test_if_much_is_expected_only_tiny_work_is_not_compiled(package: Path) -> None:
    soon = "plain.compile_soon()\nprint(fill(5))\nprint(fill(plain._FEW))\nprint(fill(1))"
    assert run(soon, package) == ["(5, 5, 0)", "(200000, 200000, 1)", "(1, 1, 1)"]
    late = "print(fill(plain._FEW))\nplain.compile_soon()\nprint(fill(5))"
    assert run(late, package) == ["(200000, 200000, 1)", "(5, 5, 1)"], "code that was kept is used"


@pytest.mark.parametrize(("samples", "told"), [(30, 0), (300, 1)])
def test_the_expected_work_is_known_from_units_and_random_sets(
    samples: int, told: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    monkeypatch.setattr(plain, "compile_soon", lambda: calls.append(1))
    gammacp.gamma(load("alex-paul-suzan"), samples=samples)  # the text has 16 units
    assert len(calls) == told


def test_large_data_are_not_copied(package: Path) -> None:
    large = "x = np.zeros(plain._BYTES + 1, np.int8)\n"
    code = f"{large}print(outer.fill(x[:9], 1), outer.fill(x, 1), len(outer.fill.signatures))"
    assert run(code, package) == ["1 2 1"]


def test_compilation_can_be_requested(package: Path) -> None:
    assert run("plain.compile_at_once()\nprint(fill(5))", package) == ["(5, 5, 1)"]


def test_code_that_fails_as_plain_python_is_compiled(package: Path) -> None:
    code = "x = np.ones(1, np.int32)\nprint(outer.wide(x), len(outer.wide.signatures))"
    assert run(code, package) == ["3000000001 1"]


def test_results_have_the_types_of_compiled_code(package: Path) -> None:
    results = "print(found, *(type(x).__name__ for x in found))"
    code = f"found = outer.whole(40)\n{results}\nplain.compile_at_once()\nfound = outer.whole(40)\n"
    assert run(code + results, package) == ["(5, True) int bool"] * 2


def test_a_flag_set_by_another_thread_is_kept(package: Path) -> None:
    """A flag that is set while a kernel takes too long as plain Python is not reset."""
    stopped = OUTER + (
        "@late_kernel\ndef until(meter, x):\n    x[0] += 1\n"
        "    while not meter[0] and x[0] < 99:\n        x[0] += 1\n    return x[0]\n"
    )
    code = (
        "meter, x = np.zeros(4, np.int64), np.zeros(1, np.int64)\n"
        "def set_late(n):\n    meter[0] = 1\n    raise plain._TooManyError\n"
        "plain._charge = set_late\nprint(outer.until(meter, x), bool(meter[0]), x[0])\n"
    )
    (package / "outer.py").write_text(stopped)
    assert execute(CALLS + code, package).stdout.split() == ["1", "True", "1"]


def test_the_example_of_the_readme_compiles_nothing(tmp_path: Path) -> None:
    command = "gamma --dataset alex-paul-suzan --alignment"
    cache = tmp_path / "cache"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-m", "gammacp", *command.split()],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "0.5621" in done.stdout, done.stderr
    assert list(cache.rglob("*.kernel")) == []
