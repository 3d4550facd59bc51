"""A studio started in a foreign folder with modules, none of which may run."""

import subprocess
from pathlib import Path

import pytest

from tests.pools.hostile import ROOT, console_script, set_traps
from tests.studio.conftest import Running


@pytest.mark.slow
def test_the_worker_runs_nothing_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    ran = set_traps(folder)
    process = subprocess.Popen(
        [*console_script(folder), "studio", ".", "--no-browser", "--samples", "5"],
        cwd=folder, env={"PYTHONPATH": str(ROOT)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    studio = Running(folder, process, process.stdout.readline().strip())
    try:
        studio.wait("done")
    finally:
        studio.close()
    assert not ran.exists(), ran.read_text()
