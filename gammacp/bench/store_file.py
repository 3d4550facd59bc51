"""The store's file: opening it for one writer or many readers, and its errors in plain words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gammacp.errors import DataError, GammacpError


class StoreError(GammacpError):
    """The store could not be written; what it held before is intact."""


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """SQLite's errors in the user's terms."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise _operational(path, error) from None
    except sqlite3.DatabaseError as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: sqlite3.Error) -> DataError:
    return DataError(
        f"not a store of sweeps, or a damaged one ({error})",
        file=path,
        hint="Choose another --store; nothing was written to this one",
    )


def _operational(path: Path, error: sqlite3.OperationalError) -> GammacpError:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_FULL"):
        what = "no space left on the device; free some and run again, cells so far are kept"
    elif name.startswith("SQLITE_IOERR"):
        what = f"cannot be written ({error}); cells so far are kept"
    elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        what = "cannot be opened for writing: check the folder and its permissions"
    elif name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        what = "another process is writing to it; wait for it or choose another --store"
    else:
        return _damaged(path, error)
    return StoreError(f"{path}: store {what}")


def locked(path: Path) -> sqlite3.Connection:
    """A lock that every system frees when the process ends, however it ends."""
    lock = sqlite3.connect(path.with_name(path.name + "-lock"), timeout=0, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error:
        lock.close()
        raise
    return lock


def read_only(path: Path) -> sqlite3.Connection:
    """A connection that cannot write, also in a folder where nobody can."""
    uri = path.resolve().as_uri() + "?mode=ro"
    database = sqlite3.connect(uri, uri=True, timeout=30, isolation_level=None)
    try:
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        database.close()
        wal = path.with_name(path.name + "-wal")
        if wal.exists() and wal.stat().st_size:
            raise
        # A read-only folder cannot hold the shared-memory file; without a log none is needed.
        database = sqlite3.connect(uri + "&immutable=1", uri=True, timeout=30, isolation_level=None)
    return database
