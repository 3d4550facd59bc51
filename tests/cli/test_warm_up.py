"""Compiling in advance, and an installation that cannot keep what is compiled."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[2]


def test_nothing_is_left_to_compile_afterwards() -> None:
    command = [sys.executable, "-m", "gammacp", "warm-up", "--json"]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
    assert found["kernels"] > 10
    assert found["compiled"] == 0
    assert Path(found["folder"]).is_dir()


def test_without_any_folder_for_the_cache_it_warns_once_and_goes_on() -> None:
    # What numba says where neither the package nor the home can be written.
    code = (
        "import numba.core.caching as caching\n"
        "def nowhere(*_): raise RuntimeError('cannot cache function: no locator available')\n"
        "caching.CacheImpl.__init__ = nowhere\n"
        "from gammacp.kernel import kernel\n"
        "first = kernel(lambda x: x + 1)\n"
        "second = kernel(lambda x: x + 2)\n"
        "print(first(1), second(1))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.stdout == "2 3\n", done.stderr
    assert done.stderr.count("RuntimeWarning") == 1
    assert "NUMBA_CACHE_DIR" in done.stderr
