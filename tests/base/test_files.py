import os
from concurrent.futures import ThreadPoolExecutor
from errno import EIO, ENOSPC
from pathlib import Path

import pytest

from gammacp.base.files import atomic_write


def test_a_file_is_complete_or_not_there(tmp_path: Path) -> None:
    target = tmp_path / "sub" / "out.csv"
    with atomic_write(target) as temporary:
        assert temporary.suffix == ".csv"
        assert temporary.parent == target.parent
        temporary.write_text("done", encoding="utf-8")
        assert not target.exists()
    assert target.read_text(encoding="utf-8") == "done"
    with pytest.raises(RuntimeError), atomic_write(target) as temporary:
        temporary.write_text("half", encoding="utf-8")
        raise RuntimeError
    assert target.read_text(encoding="utf-8") == "done"
    assert [p.name for p in target.parent.iterdir()] == ["out.csv"]


def test_folders_created_in_vain_are_removed(tmp_path: Path) -> None:
    for name in ("old/new/newer/x.csv", "old/x.csv"):
        (tmp_path / "old").mkdir(exist_ok=True)
        with pytest.raises(RuntimeError), atomic_write(tmp_path / name):
            raise RuntimeError
        assert [p.name for p in tmp_path.rglob("*")] == ["old"]
    with atomic_write(tmp_path / "old/new/x.csv") as temporary:
        temporary.write_text("made", encoding="utf-8")
    assert (tmp_path / "old/new/x.csv").read_text(encoding="utf-8") == "made"


def test_pipes_and_links_are_written_to(tmp_path: Path) -> None:
    """A pipe is written to, and so is the file that a link leads to; neither is replaced."""
    pipe, link, real = tmp_path / "pipe", tmp_path / "link.csv", tmp_path / "real.csv"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        with atomic_write(pipe) as temporary:
            temporary.write_text("through", encoding="utf-8")
        assert read.result(10) == b"through"
    assert pipe.is_fifo()
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)
    with atomic_write(link) as temporary:
        temporary.write_text("new", encoding="utf-8")
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "new"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.csv", "pipe", "real.csv"]


def test_permissions_are_those_of_a_plain_file(tmp_path: Path) -> None:
    plain, ours = tmp_path / "plain", tmp_path / "ours"
    plain.write_text("", encoding="utf-8")
    with atomic_write(ours) as temporary:
        temporary.write_text("", encoding="utf-8")
    assert ours.stat().st_mode == plain.stat().st_mode


def test_errors_name_the_file_that_was_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    other = OSError(EIO, "Input/output error", "elsewhere.csv")
    for error, named in ((OSError(ENOSPC, "No space left on device"), str(target)), (other, None)):
        with pytest.raises(OSError, match=error.strerror) as told, atomic_write(target):
            raise error
        assert told.value.filename == (named or "elsewhere.csv")
    target.mkdir()
    with pytest.raises(IsADirectoryError) as told, atomic_write(target):
        pass
    assert told.value.filename == str(target)
    assert list(tmp_path.iterdir()) == [target]
