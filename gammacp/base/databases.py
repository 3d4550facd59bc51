"""Safe opening of untrusted SQLite files, whose journals could lead to other files."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SUPER = bytes.fromhex("d9d505f920a163d7")  # ends a rollback journal that names another file


@contextmanager
def sqlite_errors(replacement: Callable[[Exception], Exception | None]) -> Iterator[None]:
    """Replace any error of opening or reading a database in this block.

    Beside its own errors Python's module raises UnicodeDecodeError, where a damaged name is in
    SQLite's message, and OverflowError, where a content is too large for it.

    Parameters
    ----------
    replacement
        Makes the error to raise instead; None for none, and the block just ends.
    """
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeDecodeError, OverflowError) as error:
        if (other := replacement(error)) is not None:
            raise other from None


def connect(place: str | Path, **options: Any) -> sqlite3.Connection:
    """Return a connection that begins no transaction by itself.

    A rollback journal beside a file may name one more file, which SQLite would then remove.

    Parameters
    ----------
    place
        The file, links followed as SQLite does; ":memory:"; or, with `uri=True`, a URI that only
        reads, with which SQLite obeys no journal.
    **options
        Options of `sqlite3.connect`.

    Raises
    ------
    sqlite3.DatabaseError
        The journal beside it names another file, is a link, or is no file.
    """
    journal = Path(f"{os.path.realpath(place)}-journal")
    if os.path.lexists(journal):
        is_regular_file = journal.is_file() and not journal.is_symlink()
        if not is_regular_file or journal.read_bytes().endswith(_SUPER):
            raise sqlite3.DatabaseError(f"{journal.name} leads to another file")
    database: sqlite3.Connection = sqlite3.connect(place, isolation_level=None, **options)
    return database


def schema_of(database: sqlite3.Connection) -> frozenset[tuple[object, ...]]:
    """Return kind, name, table and statement of all entries of a database except statistics.

    Parameters
    ----------
    database
        Database that is open.
    """
    statement = "SELECT type, name, tbl_name, sql FROM sqlite_master"
    return frozenset(database.execute(f"{statement} WHERE name NOT GLOB 'sqlite_stat[0-9]'"))
