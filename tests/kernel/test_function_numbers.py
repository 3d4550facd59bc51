"""Function names in compiled code, which no other process may have used.

Loaded together, functions of one name and number would be called for each other (numba issue
10486). Numba's counter must stay as it was for other packages.
"""

import json
import shutil
from pathlib import Path

import pytest

from gammacp.kernel.numba_code import FIRST_RANDOM_NUMBER, function_numbers
from tests.kernel.test_kernel import execute, package

__all__ = ["package"]  # a fixture

KERNELS = """
from gammacp.kernel import kernel
import numpy as np

@kernel
def first(x):
    copy = np.empty(1)
    copy[0] = x[0]
    return copy[0]

@kernel
def total(x):
    result = 0.0
    for value in x:
        result += value
    return result

@kernel
def both(x):
    return first(x) + total(x)

@kernel
def untypable(x):
    return x.nothing_of_this_name
"""
# Functions of another package; tests compile some of them.
FOREIGN = """
import sys
sys.path.insert(0, sys.argv[1])
import json, numba, numpy as np, warnings
from numba.core.bytecode import FunctionIdentity

@numba.njit
def foreign_scalar(x):
    return x + 1

@numba.njit
def foreign_ones(n):
    return np.ones(n)

x = np.arange(9.0)
counter = FunctionIdentity._unique_ids
"""
CALLS = """
import kernels
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    before = repr(counter)
    values = [call(x) for call in (kernels.both, kernels.first, kernels.total)]
    after = repr(counter)
print(json.dumps({
    "values": values,
    "warnings": [str(warning.message) for warning in caught],
    "counter": before == after and FunctionIdentity._unique_ids is counter,
}))
"""


def call_kernels(package: Path, before: str = "") -> tuple[list[str], list[str]]:
    """Return the names of kernels kept and the warnings, after other code was compiled."""
    (package / "kernels.py").write_text(KERNELS)
    printed = json.loads(execute(FOREIGN + before + CALLS, package).stdout.splitlines()[-1])
    assert printed["values"] == [36.0, 0.0, 36.0]
    assert printed["counter"], "numba's counter has changed"
    files = list((package / "cache").rglob("*.kernel"))
    for file in files:
        numbers = function_numbers(file.read_bytes())
        assert numbers, f"{file.name} names no function"
        assert min(numbers) >= FIRST_RANDOM_NUMBER
        assert b"foreign" not in file.read_bytes()
    return sorted(file.name.split("-")[0] for file in files), printed["warnings"]


ALL = ["kernels.both", "kernels.first", "kernels.total"]


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        ("foreign_scalar(x[0])\n", ALL),
        # The same function of numba allocates the memory of all arrays.
        ("foreign_ones(2)\n", ["kernels.total"]),
    ],
)
def test_functions_that_others_compiled_are_not_cached(
    before: str, kept: list[str], package: Path
) -> None:
    found, messages = call_kernels(package, before)
    assert found == kept
    assert len(messages) == (kept != ALL)
    assert all("for another package" in message for message in messages)


@pytest.mark.slow
def test_an_uncached_kernel_is_cached_by_a_process_without_others(package: Path) -> None:
    call_kernels(package, "foreign_ones(2)\n")
    assert call_kernels(package) == (ALL, [])
    assert call_kernels(package, "foreign_ones(2)\n") == (ALL, []), "and then used by all"


@pytest.mark.slow
def test_caches_of_two_processes_have_no_function_in_common(package: Path) -> None:
    numbers = []
    for _ in range(2):
        call_kernels(package)
        found = set()
        for file in (package / "cache").rglob("*.kernel"):
            found |= function_numbers(file.read_bytes())
        numbers.append(found)
        shutil.rmtree(package / "cache")
    assert numbers[0].isdisjoint(numbers[1])


def test_numbas_counter_continues_where_it_was(package: Path) -> None:
    """The counter is right also if a foreign function calls a kernel, or a kernel fails to
    compile.
    """
    code = """
import kernels

@numba.njit
def foreign_caller(x):
    return kernels.total(x) + 1

@numba.njit
def foreign_afterwards(x):
    return x[0]

def number(function):
    (result,) = function.overloads.values()
    return result.fndesc.uid

print(foreign_caller(x))
first = number(foreign_caller)
try:
    kernels.untypable(x)
except numba.TypingError:
    print("does not compile")
foreign_afterwards(x)
print(number(foreign_afterwards) - first, first < 2**40 < number(kernels.total))
"""
    (package / "kernels.py").write_text(KERNELS)
    printed = execute(FOREIGN + code, package).stdout.splitlines()
    assert printed[:2] == ["37.0", "does not compile"]
    step, apart = printed[2].split()
    assert 1 <= int(step) < 100
    assert apart == "True"


def test_a_numba_without_the_counter_computes_without_a_cache(package: Path) -> None:
    without = "import types, gammacp.kernel.numba_code as n\nn.bytecode = types.SimpleNamespace()\n"
    (package / "kernels.py").write_text(KERNELS)
    done = execute(FOREIGN + without + "import kernels\nprint(kernels.both(x))", package)
    assert float(done.stdout) == 36.0
    assert done.stderr.count("(this numba names functions in another way)") == 1
    assert list((package / "cache").rglob("*.kernel")) == []


def test_numbers_are_read_from_symbols() -> None:
    symbols = b"_ZN8__main__4loopB2v1B38c8tJTI_ZN3fooB15v12345678901234B2xyz B3v1B4 B2vxB3"
    assert function_numbers(symbols) == {1, 12345678901234}
