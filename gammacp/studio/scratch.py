"""The studio's temporary folder, and those that killed studios left behind."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import rmtree

from gammacp.base.databases import connect, sqlite_errors

_PREFIX = "gammacp-studio-"
_LOCK = "lock"  # locked as long as the studio runs, however it ends
_YOUNG = 60.0  # seconds in which a starting studio may not hold its lock yet


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a folder that only its owner can read, and remove it after the block.

    Folders left behind by studios that were killed are removed as well.
    """
    before = tempfile.tempdir
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if _is_left_behind(folder):
            rmtree(folder, ignore_errors=True)
    with (
        tempfile.TemporaryDirectory(prefix=_PREFIX) as name,
        closing(connect(Path(name) / _LOCK)) as lock,
    ):
        lock.execute("BEGIN EXCLUSIVE")
        tempfile.tempdir = name  # within the block, for the whole process
        try:
            yield Path(name)
        finally:
            tempfile.tempdir = before


def _is_left_behind(folder: Path) -> bool:
    is_free = False
    # An error means that a studio holds the lock or that the folder is not ours: it is kept.
    with sqlite_errors(lambda _: None):
        state = folder.lstat()
        is_ours = state.st_uid == getattr(os, "getuid", lambda: state.st_uid)()
        if is_ours and time.time() - state.st_mtime >= _YOUNG and (folder / _LOCK).is_file():
            with closing(connect(folder / _LOCK, timeout=0)) as lock:
                lock.execute("BEGIN EXCLUSIVE")
                is_free = True
    return is_free
