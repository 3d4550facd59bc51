"""The store's SQLite schema: what version it has, and how older ones become the current one.

A new store runs all steps; an older one those that it lacks, in one transaction. Steps are never
edited once they are released: a change is a new step.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from gammacp.errors import DataError

APPLICATION_ID = 0x67616D63  # "gamc", by which `file` and we tell a store from other databases

_CELLS = """
CREATE TABLE experiments (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL,
    configuration TEXT NOT NULL
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
    PRIMARY KEY (experiment, error, magnitude, "set", measure)
) WITHOUT ROWID;
"""

# Version 2: what software computed the cells, how many and for how long.
_RUNS = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    experiment INTEGER NOT NULL REFERENCES experiments (id),
    began TEXT NOT NULL,
    executor TEXT NOT NULL,
    software TEXT NOT NULL,
    cells INTEGER NOT NULL,
    seconds REAL NOT NULL
);
"""

STEPS: tuple[str, ...] = (_CELLS, _RUNS)
VERSION = len(STEPS)


def version_of(database: sqlite3.Connection, path: Path) -> int:
    """The version of an open store, 0 if it is new and empty.

    Raises
    ------
    DataError
        The database is something else, or a newer gammacp's.
    """
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (application or version or tables):
        raise DataError("not a store of sweeps", file=path, hint="Choose another --store")
    if version > VERSION:
        raise DataError(
            f"store of version {version}, this gammacp reads up to {VERSION}",
            file=path,
            hint="Upgrade gammacp, or choose another --store",
        )
    return int(version)


def migrate(database: sqlite3.Connection, version: int) -> None:
    """Bring a store from `version` to the current one, all or nothing."""
    script = ["BEGIN IMMEDIATE;", *STEPS[version:]]
    script += [f"PRAGMA application_id = {APPLICATION_ID};", f"PRAGMA user_version = {VERSION};"]
    try:
        database.executescript("".join([*script, "COMMIT;"]))
    except sqlite3.Error:
        if database.in_transaction:
            database.rollback()
        raise
