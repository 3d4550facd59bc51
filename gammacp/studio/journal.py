"""Journal of decisions, with person and time: append-only, in an SQLite file beside the campaign.

A decision is on the disk before it is acknowledged (synchronous=FULL), so it survives a crash of
the page or of the process. All decisions are in this one file (journal_mode=DELETE: there is no log
beside it that a copy would lack). Triggers in the file prevent rows from being changed or removed,
so that two reviewers cannot lose each other's decisions. The decision that counts for a unit is the
latest one that was not undone.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import asdict, astuple, dataclass, fields
from datetime import UTC, datetime
from functools import cache
from math import isfinite
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any, TypeVar, get_type_hints

from gammacp.base.databases import connect, schema_of, sqlite_errors
from gammacp.base.files import is_inside, write_text
from gammacp.base.record_tables import Column, Table
from gammacp.errors import DataError
from gammacp.formats.finding import DECISIONS

T = TypeVar("T")

_TABLES = """
CREATE TABLE IF NOT EXISTS journal (
    number INTEGER PRIMARY KEY AUTOINCREMENT, made TEXT NOT NULL, request TEXT NOT NULL UNIQUE,
    reviewer TEXT NOT NULL, document TEXT NOT NULL, item TEXT NOT NULL, action TEXT NOT NULL,
    annotator TEXT, kept INTEGER NOT NULL, start REAL, "end" REAL, category TEXT,
    evidence TEXT NOT NULL, undoes INTEGER UNIQUE REFERENCES journal (number)
);
CREATE TRIGGER IF NOT EXISTS never_changed BEFORE UPDATE ON journal
    BEGIN SELECT RAISE(ABORT, 'the journal is never changed'); END;
CREATE TRIGGER IF NOT EXISTS never_removed BEFORE DELETE ON journal
    BEGIN SELECT RAISE(ABORT, 'nothing is removed from the journal'); END;
CREATE TABLE IF NOT EXISTS choice (one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT NOT NULL);
"""
_LAST = """reviewer = ? AND action <> 'undo' AND number NOT IN
    (SELECT undoes FROM journal WHERE undoes IS NOT NULL) ORDER BY number DESC LIMIT 1"""
_WAY_OUT = (
    "Put a whole copy in its place, or move it away: the studio then begins a new one, without the "
    "decisions in it"
)
TOGETHER = "all:"
"""Prefix of the requests of decisions that are made together and undone together."""
WAIT = 10.0  # seconds to wait for other processes, counted from the last commit of one of them
_POLL = 0.004  # seconds between two attempts; SQLite itself would sleep up to 0.1
_GIVE_WAY = 0.01  # seconds after a commit, so that other processes can start theirs


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A row of the journal.

    Attributes
    ----------
    number, made
        Number of the row, and time (UTC, ISO 8601). The journal sets both.
    request
        Identifier of the decision, so that one sent twice is stored once.
    reviewer
        Person who made the decision.
    document, item
        Document, and key of the unit or link (`review.item_keys`).
    action
        `take` (the version of an annotator), `merge` (that of the consensus), `edit`, `drop` or
        `undo`.
    annotator
        Annotator whose version was taken.
    kept, start, end, category
        Whether the unit is kept, and its boundaries and category.
    evidence
        Units of the annotators at this place, as JSON.
    undoes
        Number of the decision that an `undo` takes back.
    """

    number: int = 0
    made: str = ""
    request: str
    reviewer: str
    document: str
    item: str
    action: str
    annotator: str | None = None
    kept: bool = False
    start: float | None = None
    end: float | None = None
    category: str | None = None
    evidence: str = ""
    undoes: int | None = None


_COLUMNS = tuple(f.name for f in fields(Decision))
_NAMES = ", ".join(f'"{name}"' for name in _COLUMNS)


class Journal:
    """The journal of a campaign, whose file is created with its first entry.

    Parameters
    ----------
    folder
        Folder of the campaign.
    """

    def __init__(self, folder: Path) -> None:
        """Set the path of the journal; the file is opened at its first use."""
        self.path = folder / DECISIONS
        self._lock = _lock_of(os.path.realpath(self.path))
        self._opened: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    def add(self, decision: Decision) -> Decision:
        """Store a decision, and return its row once it is on the disk.

        Parameters
        ----------
        decision
            Decision without number and time. It is not stored again if its request is known.
        """
        with self._writing() as connection:
            return _add(connection, decision)

    def add_all(self, decisions: Sequence[Decision]) -> list[Decision]:
        """Store several decisions, all of them or none.

        Parameters
        ----------
        decisions
            Decisions as for `add`.
        """
        with self._writing() as connection:
            return [_add(connection, decision) for decision in decisions]

    def undo(self, request: str, reviewer: str) -> Decision:
        """Undo the latest standing decision of a reviewer, and return it.

        Decisions that were made together are undone together.

        Parameters
        ----------
        request
            Identifier of this undo, as for a decision.
        reviewer
            Person whose decision is undone; those of others are not touched.

        Raises
        ------
        DataError
            No decision is left to undo.
        """
        with self._writing() as connection:
            earlier_undo = connection.execute(
                "SELECT undoes FROM journal WHERE request = ?", (request,)
            ).fetchone()
            last = connection.execute(
                f"SELECT {_NAMES} FROM journal WHERE {'number = ?' if earlier_undo else _LAST}",
                earlier_undo or (reviewer,),
            ).fetchone()
            if last is None:
                raise DataError(f"{reviewer} has no decision to undo")
            undone = _decision(last)
            for number, row in enumerate([undone, *_made_with(connection, undone)]):
                if number:
                    name = f"{request}:{number}"
                else:
                    name = request
                _add(
                    connection,
                    Decision(
                        request=name, reviewer=reviewer, document=row.document,
                        item=row.item, action="undo", undoes=row.number,
                    ),
                )  # fmt: skip
            return undone

    def rows(self, after: int = 0) -> list[Decision]:
        """Return all decisions in order, including those of other processes.

        Parameters
        ----------
        after
            Number of the last known row; only later ones are returned.
        """
        query = f"SELECT {_NAMES} FROM journal WHERE number > ? ORDER BY number"
        return self._read(query, after, convert=_decision)

    def standing(self) -> dict[tuple[str, str], Decision]:
        """Return the latest decision of each document and item that was not undone."""
        rows = self.rows()
        undone = {row.undoes for row in rows}
        return {
            (row.document, row.item): row
            for row in rows
            if row.action != "undo" and row.number not in undone
        }

    def keep_choice(self, text: str) -> None:
        """Store the choices made on the page, as JSON, for the next start."""
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO choice VALUES (1, ?)", (text,))

    def choice(self) -> str | None:
        """Return the last stored choices; None if there are none."""
        choices = self._read("SELECT json FROM choice", convert=lambda row: str(row[0]))
        if choices:
            return choices[0]
        return None

    def _read(
        self, query: str, *values: object, convert: Callable[[tuple[object, ...]], T]
    ) -> list[T]:
        """Query the file and convert each row; without a file return an empty list."""
        if self._opened is None and not os.path.lexists(self.path):
            return []
        with self._lock, self._as_data_errors():
            connection = self._connection()
            return [
                convert(row)
                for row in self._patiently(lambda: connection.execute(query, values).fetchall())
            ]

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._as_data_errors():
            connection = self._connection()
            self._patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
            try:
                self._check_in_place()  # from here on nobody else writes
                yield connection
                self._patiently(connection.commit)
            except BaseException:
                connection.rollback()
                raise
            # Give way to other processes, which this lock does not stop, before other threads.
            sleep(_GIVE_WAY)
        sleep(_GIVE_WAY)

    def _patiently(self, ask: Callable[[], T]) -> T:
        """Repeat a query while other processes lock the file and still write to it.

        A process that waits behind many others is served in the end. If the process that holds the
        lock writes nothing for `WAIT` seconds, the query fails.
        """
        growth = _growth(self.path)
        since = monotonic()
        while True:
            try:
                return ask()
            except sqlite3.OperationalError as error:
                # Errors of the sqlite3 module itself have no code.
                code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
                if code & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                if (now := _growth(self.path)) != growth:
                    growth = now
                    since = monotonic()
                if monotonic() - since > WAIT:
                    raise
            sleep(_POLL)

    def _connection(self) -> sqlite3.Connection:
        if self._opened is not None:
            self._check_in_place()
            return self._opened
        return self._patiently(self._open)

    def _open(self) -> sqlite3.Connection:
        # The path may be a link made by somebody else, which SQLite would follow.
        if not is_inside(self.path, self.path.parent):
            raise sqlite3.DatabaseError("a link leads out of the folder")
        with ExitStack() as refused:
            opening = connect(self.path, timeout=0, check_same_thread=False)
            connection = refused.enter_context(closing(opening))
            connection.execute("PRAGMA trusted_schema = OFF")
            (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
            if mode != "delete":
                raise sqlite3.OperationalError(f"another program keeps it in mode {mode}")
            connection.execute("PRAGMA synchronous = FULL")
            connection.executescript(_TABLES)
            (fault,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if schema_of(connection) != _own_schema():
                fault = "it is not as the studio makes it"
            if fault != "ok":
                raise sqlite3.DatabaseError(fault)
            for row in connection.execute(f"SELECT {_NAMES} FROM journal"):
                _decision(row)
            refused.pop_all()
        self._opened, self._file = connection, _identity(self.path)
        return connection

    def _check_in_place(self) -> None:
        """Raise a DataError if the file was moved away, which would lose later decisions."""
        if _identity(self.path) != self._file:
            raise DataError(
                "the file of decisions was moved, removed or replaced while it was open",
                file=self.path,
                hint="Put it back, or close the studio and start it again to go on with what is "
                "there now; nothing was kept meanwhile",
            )

    def _as_data_errors(self) -> AbstractContextManager[None]:
        return sqlite_errors(
            lambda error: DataError(
                f"decisions cannot be read or kept: {error}",
                file=self.path,
                hint=f"Check the disk and who may write there. If the file is damaged: {_WAY_OUT}",
            )
        )

    def close(self) -> None:
        """Close the file."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None


@cache
def _lock_of(_path: str) -> Lock:
    """Return the lock of a file, which all journals of the file in this process share."""
    return Lock()


def _growth(path: Path) -> tuple[int, int] | None:
    """Return time and size of a file, which change with each commit; None without a file."""
    try:
        state = path.stat()
    except FileNotFoundError:
        return None
    return state.st_mtime_ns, state.st_size


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the device and inode of a file; None if there is no file."""
    try:
        state = path.stat()
    except FileNotFoundError:
        return None
    return state.st_dev, state.st_ino


def write_journal(path: Path, rows: Sequence[Decision]) -> None:
    """Write the journal as CSV or JSON, by the ending of the file.

    Parameters
    ----------
    path
        File to write. An interrupted write leaves no partial file.
    rows
        Decisions to write.

    Raises
    ------
    DataError
        The ending is neither `.csv` nor `.json`.
    """
    records = [asdict(row) for row in rows]
    if path.suffix == ".csv":
        Table(tuple(Column(name, name) for name in _COLUMNS), records).write_csv(path)
    elif path.suffix == ".json":
        write_text(path, json.dumps({"decisions": records}, ensure_ascii=False, indent=1) + "\n")
    else:
        raise DataError(f"a journal is written as .csv or .json, not {path.suffix!r}")


def _made_with(connection: sqlite3.Connection, decision: Decision) -> list[Decision]:
    """Return the other decisions made together with the given one that still stand."""
    if not decision.request.startswith(TOGETHER):
        return []
    begin = decision.request.rpartition(":")[0] + ":"
    rows = connection.execute(
        f"SELECT {_NAMES} FROM journal WHERE substr(request, 1, ?) = ? AND reviewer = ? AND "
        "number <> ? AND action <> 'undo' AND number NOT IN "
        "(SELECT undoes FROM journal WHERE undoes IS NOT NULL) ORDER BY number DESC",
        (len(begin), begin, decision.reviewer, decision.number),
    )
    return [_decision(row) for row in rows.fetchall()]


def _add(connection: sqlite3.Connection, decision: Decision) -> Decision:
    values = astuple(decision)[2:]
    connection.execute(
        f"INSERT INTO journal ({', '.join(_NAMES.split(', ')[1:])}) VALUES "
        f"({', '.join('?' * (len(values) + 1))}) ON CONFLICT (request) DO NOTHING",
        (datetime.now(UTC).isoformat(timespec="milliseconds"), *values),
    )
    row = connection.execute(
        f"SELECT {_NAMES} FROM journal WHERE request = ?", (decision.request,)
    ).fetchone()
    return _decision(row)


def _decision(row: tuple[object, ...]) -> Decision:
    named: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    named["kept"] = {0: False, 1: True}.get(named["kept"], named["kept"])
    for name, kind in _kinds().items():
        value = named[name]
        if not isinstance(value, kind) or (isinstance(value, float) and not isfinite(value)):
            raise sqlite3.DatabaseError(f"a decision has {value!r:.40} as its {name}")
    return Decision(**named)


@cache
def _kinds() -> dict[str, Any]:
    return get_type_hints(Decision)


@cache
def _own_schema() -> frozenset[tuple[object, ...]]:
    with closing(connect(":memory:")) as connection:
        connection.executescript(_TABLES)
        return schema_of(connection)
