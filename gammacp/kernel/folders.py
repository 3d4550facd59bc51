"""Folders of compiled code, and the lock that lets one process compile at a time."""

import gc
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from hashlib import sha256
from multiprocessing import parent_process
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, cast

from gammacp.base.stopping import told_of_compiling

try:
    import fcntl
except ImportError:  # Windows: two processes may compile the same
    fcntl = None  # type: ignore[assignment]

ROOT = Path(__file__).parents[2]
"""Folder that the package `gammacp` is in."""
SHIPPED = Path(__file__).parent / "shipped"
"""Folder of the code that a wheel may bring (docs/dev/contributing.md)."""

_NUMBA_FILE = "A Numba config file is found"
"""Beginning of numba's warning that it needs PyYAML for its file."""
_compilations: list[bool] = []  # those under way: a kernel compiles what it calls


def cache_folders() -> Iterator[Path]:
    """Yield the folders that compiled code may be in, the preferred one first.

    `NUMBA_CACHE_DIR` alone if it is set; else `__pycache__` beside this module, which serves all
    users of an installation, then the user's own cache.
    """
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(chosen) / _name_of_this_copy()
        return
    yield Path(__file__).parent / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    user = Path(home or os.path.expanduser("~/.cache"))  # noqa: PTH111 (there may be no home)
    if user.is_absolute():
        yield user / "gammacp" / _name_of_this_copy()


def _name_of_this_copy() -> str:
    """Return a folder's name: several copies of gammacp may share a cache folder."""
    return f"kernels-{sha256(os.fsencode(ROOT)).hexdigest()[:12]}"


@cache
def writable_folder() -> Path | None:
    """Return the first of the cache's folders in which a file can be made; None without any."""
    for folder in cache_folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


def is_trusted(path: Path) -> bool:
    """Tell whether nobody else wrote a file: its code runs with the rights of whoever loads it.

    The owner of gammacp's source is trusted, too.
    """
    if not hasattr(os, "getuid"):
        return True
    return path.stat().st_uid in (0, os.getuid(), Path(__file__).stat().st_uid)


@contextmanager
def one_process_compiling() -> Iterator[None]:
    """Hold the lock that keeps other processes from compiling.

    One that had to wait finds what this one has kept. The caller holds numba's lock of compilation.
    Python's garbage collector rests: looking through what numba makes took 9 % of the time.
    """
    while told_of_compiling:
        announce = told_of_compiling.pop()
        announce()
    folder = writable_folder()
    with ExitStack() as stack:
        if fcntl is not None and folder is not None and not _compilations:
            with suppress(OSError):  # a file system without locks
                lock = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, lock)
                fcntl.flock(lock, fcntl.LOCK_EX)
        if gc.isenabled():
            gc.disable()
            stack.callback(gc.enable)
        _compilations.append(True)
        stack.callback(_compilations.pop)
        yield


@contextmanager
def ignoring_numba_files() -> Iterator[None]:
    """Keep numba, which is imported within, from reading `.numba_config.yaml`.

    Numba takes that file from the working directory, which may be a stranger's: one that is damaged
    ends the process, and one that switches compilation off changes numbers in their last digits.
    Without PyYAML numba reads none. Its warning of that is replaced by one that says what to do.
    """
    if "numba" in sys.modules:
        # Somebody else imported it, and has its settings.
        yield
        return
    there = "yaml" in sys.modules
    before = sys.modules.get("yaml")
    sys.modules["yaml"] = cast(Any, None)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=_NUMBA_FILE)
            yield
    finally:
        if there:
            sys.modules["yaml"] = cast(Any, before)
        else:
            del sys.modules["yaml"]
    # Numba looks for the file again whenever it compiles.
    warnings.filterwarnings("ignore", message=_NUMBA_FILE)
    if Path(".numba_config.yaml").is_file() and parent_process() is None:
        warnings.warn(
            ".numba_config.yaml is not read; set variables of the environment (NUMBA_…) instead",
            RuntimeWarning,
            stacklevel=3,
        )
