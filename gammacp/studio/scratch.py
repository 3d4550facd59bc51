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
_LOCK = "lock"  # held as long as the studio lives, however it ends
_YOUNG = 60.0  # seconds in which a studio that starts may not hold it yet


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a folder that only its owner can read, for everything temporary within the block.

    Folders of studios that are gone without having removed theirs are removed.
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
        tempfile.tempdir = name
        try:
            yield Path(name)
        finally:
            tempfile.tempdir = before


def _is_left_behind(folder: Path) -> bool:
    is_free = False
    with sqlite_errors(lambda _: None):  # somebody holds it, or it is none of ours
        found = folder.lstat()
        mine = found.st_uid == getattr(os, "getuid", lambda: found.st_uid)()
        if mine and time.time() - found.st_mtime >= _YOUNG and (folder / _LOCK).is_file():
            with closing(connect(folder / _LOCK, timeout=0)) as lock:
                lock.execute("BEGIN EXCLUSIVE")
                is_free = True
    return is_free
