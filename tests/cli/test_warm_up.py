"""Compilation in advance, also where the cache folder cannot be written."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[2]


def test_a_second_run_has_nothing_to_compile() -> None:
    command = [sys.executable, "-m", "gammacp", "warm-up", "--json"]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
    assert found["kernels"] > 10
    assert found["compiled"] == 0
    assert Path(found["folder"]).is_dir()


def test_without_a_cache_folder_there_is_one_warning(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code = (
        "import numpy as np\n"
        "from gammacp.continuum.canonical_kernels import mix\n"
        "print(mix(np.uint64(7)) == mix(np.uint32(7)))\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(HERE),
        "NUMBA_CACHE_DIR": str(tmp_path / "file" / "folder"),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.stdout == "True\n", done.stderr
    assert done.stderr.count("RuntimeWarning") == 1
    assert "no cache folder can be written" in done.stderr
    assert "NUMBA_CACHE_DIR" in done.stderr
