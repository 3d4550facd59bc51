"""The store's file: opening it for one writer or many readers, and its errors in plain words."""

import sqlite3
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path

from gammacp.base.databases import connect, sqlite_errors
from gammacp.base.files import in_words
from gammacp.errors import DataError, GammacpError


class StoreError(GammacpError):
    """The store could not be written; what it held before is intact."""


def store_errors(path: Path) -> AbstractContextManager[None]:
    """Turn SQLite's errors in this block into errors in the user's terms.

    Parameters
    ----------
    path
        The store.
    """
    return sqlite_errors(lambda error: _in_words(path, error))


def _in_words(path: Path, error: Exception) -> GammacpError:
    if isinstance(error, sqlite3.OperationalError):
        return _operational(path, error)
    if isinstance(error, OSError):
        return StoreError(f"{path}: the store cannot be opened: {in_words(error)}")
    return damage_error(path, error)


def damage_error(path: Path, why: object) -> DataError:
    """Build the error for a file whose contents cannot be trusted."""
    return DataError(
        f"not a store of sweeps, or a damaged one ({why})",
        file=path,
        hint="Choose another `store=`, or put a copy of this one in its place",
    )


def _operational(path: Path, error: sqlite3.OperationalError) -> GammacpError:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_FULL"):
        problem = "no space left for the store; free some and run again, cells so far are kept"
    elif name.startswith("SQLITE_IOERR"):
        problem = f"the store cannot be written ({error}); cells so far are kept"
    elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        problem = "the store cannot be opened for writing: check the folder and its permissions"
    elif name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        problem = "another process is writing to the store; wait for it or choose another `store=`"
    else:
        return damage_error(path, error)
    return StoreError(f"{path}: {problem}")


def lock_file(path: Path) -> sqlite3.Connection:
    """Return a lock that every system frees when the process ends, however it ends."""
    with ExitStack() as refused:
        lock = refused.enter_context(
            closing(connect(path.with_name(f"{path.name}-lock"), timeout=0))
        )
        lock.execute("BEGIN EXCLUSIVE")
        refused.pop_all()
    return lock


def read_only_uri(path: Path) -> str:
    """Return the name under which a store can be read and not written."""
    place = path.resolve()
    uri = place.as_uri() + "?mode=ro"
    with closing(connect(uri, uri=True, timeout=30)) as database:
        try:
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            log = place.with_name(place.name + "-wal")
            if log.exists() and log.stat().st_size:
                raise
            # A read-only folder cannot hold the shared-memory file; without a log none is needed.
            return uri + "&immutable=1"
    return uri
