"""Folders of compiled code, and the lock that lets only one process compile at a time."""

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

from gammacp.base.stopping import compile_listeners

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

    If `NUMBA_CACHE_DIR` is set, only a folder in it is used. Otherwise the first folder is
    `__pycache__` beside this module, which serves all users of an installation, and the second is
    in the user's own cache folder.
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
    """Return a folder name for this installation, as several may share a cache folder."""
    return f"kernels-{sha256(os.fsencode(ROOT)).hexdigest()[:12]}"


@cache
def writable_folder() -> Path | None:
    """Return the first cache folder in which a file can be created, or None."""
    for folder in cache_folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


def is_trusted(path: Path) -> bool:
    """Tell whether a file was written by this user, by root, or by the owner of gammacp's source.

    Code from a file runs with the rights of the user who loads it.
    """
    if not hasattr(os, "getuid"):
        return True
    return path.stat().st_uid in (0, os.getuid(), Path(__file__).stat().st_uid)


@contextmanager
def one_process_compiling() -> Iterator[None]:
    """Hold the lock that keeps other processes from compiling.

    A process that had to wait then finds the code that the other one has kept. The caller must hold
    numba's compiler lock. Python's garbage collector is switched off in the block: walking through
    numba's objects took 9 % of the time.
    """
    while compile_listeners:
        announce = compile_listeners.pop()
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
    """Keep numba, which is imported in this block, from reading `.numba_config.yaml`.

    Numba reads that file from the working directory, which may be a stranger's. A damaged file ends
    the process, and a file that switches off compilation changes the last digits of results. Numba
    reads the file only if PyYAML can be imported, so that import is made to fail. Numba's warning
    about that is replaced by one that says what to do.
    """
    if "numba" in sys.modules:
        # Another package has imported numba, with the settings of its file.
        yield
        return
    is_yaml_loaded = "yaml" in sys.modules
    before = sys.modules.get("yaml")
    sys.modules["yaml"] = cast(Any, None)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=_NUMBA_FILE)
            yield
    finally:
        if is_yaml_loaded:
            sys.modules["yaml"] = cast(Any, before)
        else:
            del sys.modules["yaml"]
    # Numba looks for the file again whenever it compiles, so the warning stays switched off.
    warnings.filterwarnings("ignore", message=_NUMBA_FILE)
    if Path(".numba_config.yaml").is_file() and parent_process() is None:
        warnings.warn(
            ".numba_config.yaml is not read; set variables of the environment (NUMBA_…) instead",
            RuntimeWarning,
            stacklevel=3,
        )
