"""The store's SQLite schema, and how a store is told from other databases."""

import sqlite3
from pathlib import Path

from gammacp.errors import DataError

APPLICATION_ID = 0x67616D63  # "gamc", by which `file` and we tell a store from other databases
VERSION = 3  # stores of 1 and 2 were never released

_TABLES = """
CREATE TABLE experiments (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL,
    configuration TEXT NOT NULL
);
-- What computed the cells: `token` is the run's name in every store that it comes into, `mixed`
-- whether it went on with cells of other software on purpose.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    experiment INTEGER NOT NULL REFERENCES experiments (id),
    began TEXT NOT NULL,
    executor TEXT NOT NULL,
    software TEXT NOT NULL,
    processor TEXT NOT NULL,
    mixed INTEGER NOT NULL,
    cells INTEGER NOT NULL,
    seconds REAL NOT NULL
);
-- Texts that many cells share: names, reasons, signatures.
CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE cells (
    experiment INTEGER NOT NULL REFERENCES experiments (id),
    error INTEGER NOT NULL REFERENCES texts (id),
    magnitude REAL NOT NULL,
    "set" INTEGER NOT NULL,
    measure INTEGER NOT NULL REFERENCES texts (id),
    value REAL,
    reason INTEGER REFERENCES texts (id),
    status INTEGER REFERENCES texts (id),
    bound REAL,
    samples INTEGER,
    seconds REAL NOT NULL,
    signature INTEGER NOT NULL REFERENCES texts (id),
    run INTEGER NOT NULL REFERENCES runs (id),
    PRIMARY KEY (experiment, error, magnitude, "set", measure)
) WITHOUT ROWID;
"""


def is_new(database: sqlite3.Connection, path: Path) -> bool:
    """Whether an open store is new and empty.

    Raises
    ------
    DataError
        The database is something else, or a store of another version.
    """
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (application or version or tables):
        raise DataError("not a store of sweeps", file=path, hint="Choose another --store")
    if version not in (0, VERSION):
        raise DataError(
            f"store of version {version}, this gammacp reads {VERSION}",
            file=path,
            hint="Use the gammacp that made it, or choose another --store",
        )
    return bool(version == 0)


def create(database: sqlite3.Connection) -> None:
    """Make the tables of a new store, all or nothing."""
    marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
    try:
        database.executescript(f"BEGIN IMMEDIATE; {_TABLES} {marks} COMMIT;")
    except sqlite3.Error:
        if database.in_transaction:
            database.rollback()
        raise
