"""The store's SQLite schema, how a store is told from other databases, and a sound one from others.

Triggers keep a count and a checksum of the cells of every run, and checksums of the texts and of
the runs. Rows and their checksums are always written in one transaction. `check_sound` compares
them with the contents.
"""

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from struct import Struct
from zlib import crc32

from gammacp.base.databases import connect, schema_of
from gammacp.bench.store_file import damage_error
from gammacp.errors import DataError

APPLICATION_ID = 0x67616D63  # "gamc", by which `file` and we tell a store from other databases
VERSION = 4  # those before were never released

# Columns that may be NULL count as infinite in a checksum.
_NUMBERS = (
    '{0}experiment, {0}error, {0}magnitude, {0}"set", {0}measure, ifnull({0}value, 9e999),'
    " ifnull({0}reason, 9e999), ifnull({0}status, 9e999), ifnull({0}bound, 9e999),"
    " ifnull({0}samples, 9e999), {0}seconds, {0}signature"
)
_RUN = (
    "checksum({0}id, {0}token, {0}began, {0}executor, {0}software, {0}processor, {0}mixed,"
    " {0}cells, {0}seconds, e.id, e.name, e.hash, e.configuration)"
)

_TABLES = f"""
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
    seconds REAL NOT NULL,
    -- How many of its cells are here, their sum, and a checksum of the columns above.
    kept INTEGER NOT NULL DEFAULT 0,
    total INTEGER NOT NULL DEFAULT 0,
    seal INTEGER
);
-- Texts that many cells share: names, reasons, signatures.
CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, seal INTEGER);
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
CREATE TRIGGER sum_cell AFTER INSERT ON cells BEGIN
    UPDATE runs SET kept = kept + 1, total = total + cell_sum({_NUMBERS.format("NEW.")})
    WHERE id = NEW.run;
END;
CREATE TRIGGER seal_text AFTER INSERT ON texts BEGIN
    UPDATE texts SET seal = checksum(id, text) WHERE id = NEW.id;
END;
CREATE TRIGGER seal_new_run AFTER INSERT ON runs BEGIN
    UPDATE runs SET cells = cells WHERE id = NEW.id;
END;
CREATE TRIGGER seal_run AFTER UPDATE OF cells, seconds ON runs BEGIN
    UPDATE runs SET seal = (
        SELECT {_RUN.format("NEW.")} FROM experiments e WHERE e.id = NEW.experiment
    ) WHERE id = NEW.id;
END;
"""


def is_new(database: sqlite3.Connection, path: Path) -> bool:
    """Return whether an open store is new and empty.

    Raises
    ------
    DataError
        The database is something else, or a store of another version.
    """
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (application or version or tables):
        raise DataError("not a store of sweeps", file=path, hint="Choose another `store=`")
    if version not in (0, VERSION):
        raise DataError(
            f"store of version {version}, this gammacp reads {VERSION}",
            file=path,
            hint="Use the gammacp that made it, or choose another `store=`",
        )
    return bool(version == 0)


def create(database: sqlite3.Connection) -> None:
    """Create the tables of a new store, all or none."""
    marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
    try:
        database.executescript(f"BEGIN IMMEDIATE; {_TABLES} {marks} COMMIT;")
    except sqlite3.Error:
        if database.in_transaction:
            database.rollback()
        raise


def connect_store(place: str | Path) -> sqlite3.Connection:
    """Open a connection with the SQL functions of the schema; nothing is read yet.

    Parameters
    ----------
    place
        The file, or a URI of it; others can be attached by theirs.
    """
    database = connect(place, uri=True, timeout=30)
    # Triggers call functions of ours, which some builds of SQLite must be told to trust.
    database.execute("PRAGMA trusted_schema = ON")
    database.create_function("cell_sum", 12, _cell_sum)
    database.create_function("checksum", -1, _checksum)
    return database


def check_sound(database: sqlite3.Connection, path: Path) -> None:
    """Compare the contents of a store, at one moment, with its counts and checksums.

    Raises
    ------
    DataError
        Something is missing or changed; the message says what.
    """
    database.execute("BEGIN")
    try:
        damage = _damage(database)
    finally:
        if database.in_transaction:  # an error of reading may have ended it
            database.rollback()
    if damage:
        raise damage_error(path, damage)


def _damage(database: sqlite3.Connection) -> str:
    """Return what is wrong with a store; empty if nothing is."""
    if schema_of(database) != _schema_of():
        return "its tables are not those that gammacp makes"
    (verdict,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        return str(verdict).splitlines()[-1]
    if lost := database.execute("PRAGMA foreign_key_check").fetchone():
        return f"a row of {lost[0]} names a row of {lost[2]} that is missing"
    (texts,) = database.execute(
        "SELECT count(*) FROM texts WHERE seal IS NOT checksum(id, text)"
    ).fetchone()
    if texts:
        return f"{texts} texts were changed"
    summed = database.execute(
        f"SELECT run, count(*), sum(cell_sum({_NUMBERS.format('')})) FROM cells GROUP BY run"
    )
    sums_by_run = {run: (count, total) for run, count, total in summed}
    runs = database.execute(
        f"SELECT r.id, began, kept, total, r.seal IS {_RUN.format('r.')} FROM runs r"
        " JOIN experiments e ON e.id = r.experiment ORDER BY r.id"
    )
    for run, began, recorded_count, recorded_total, sealed in runs:
        count, actual_total = sums_by_run.get(run, (0, 0))
        if count != recorded_count:
            return f"run {run} of {began} has {count} cells, but had {recorded_count}"
        if actual_total != recorded_total or not sealed:
            return f"cells of run {run} of {began}, or its record, were changed"
    return ""


@cache
def _schema_of() -> frozenset[tuple[object, ...]]:
    """Return the schema as SQLite keeps it."""
    with closing(connect_store(":memory:")) as database:
        create(database)
        return schema_of(database)


_pack = Struct("<12d").pack


def _cell_sum(*numbers: float) -> int:
    """Return a check sum of a cell.

    The sum over 2 000 million cells is an integer of SQLite's.
    """
    return crc32(_pack(*numbers))


def _checksum(*values: object) -> int:
    return crc32(repr(values).encode())
