"""Scratch folders: those of killed studios are removed, all others stay."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gammacp.studio import scratch as module
from gammacp.studio.scratch import scratch

KILLED = """
import os, sys, tempfile
from gammacp.studio.scratch import scratch
tempfile.tempdir = sys.argv[1]
with scratch() as folder:
    (folder / "findings").write_text("of somebody")
    print(folder, flush=True)
    os.kill(os.getpid(), 9)
"""


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(module, "_YOUNG", 0.0)
    return tmp_path


def killed(top: Path) -> Path:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(top)],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    return Path(done.stdout.strip())


def test_scratch_folders_of_killed_studios_are_removed(top: Path) -> None:
    remaining = killed(top)
    assert (remaining / "findings").is_file()
    with scratch() as first:
        assert not remaining.exists()
        assert Path(tempfile.gettempdir()) == first
        tempfile.tempdir = str(top)
        with scratch() as second:  # of another studio, while the first one lives
            assert first.is_dir()
            assert second != first
    assert Path(tempfile.gettempdir()) == top
    assert list(top.iterdir()) == []


def test_other_folders_stay(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = killed(top).rename(top / "mine")
    (top / "gammacp-studio-link").symlink_to(target)
    (top / "gammacp-studio-new").mkdir()
    monkeypatch.setattr(module, "_YOUNG", 3600.0)
    young = killed(top)
    with scratch():
        assert young.is_dir()
    monkeypatch.setattr(module, "_YOUNG", 0.0)
    monkeypatch.setattr(os, "getuid", lambda: -1)
    with scratch():
        pass
    assert {p.name for p in top.iterdir()} == {
        "mine", "gammacp-studio-link", "gammacp-studio-new", young.name,
    }  # fmt: skip
    assert (target / "findings").is_file()
