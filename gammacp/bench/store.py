"""The store of a sweep: every cell is a row of an SQLite database.

One process writes (the sweep's parent), any number may read while it does. A chunk's cells are
committed together and flushed to disk (WAL, synchronous FULL): what was committed survives a
kill and a power cut, what was not leaves no trace.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gammacp.bench.experiment import Experiment, check_same
from gammacp.bench.schema import VERSION, migrate, version_of
from gammacp.bench.store_file import locked, read_only, sqlite_errors
from gammacp.bench.sweep import Cell, Sweep, Task, canonical, configuration_hash
from gammacp.bench.texts import Texts
from gammacp.errors import DataError, GammacpError
from gammacp.software import software


@dataclass(frozen=True, slots=True)
class Run:
    """When a run began (UTC), on which executor and software, its cells and its seconds."""

    began: str
    executor: str
    software: Mapping[str, str]
    cells: int
    seconds: float


class Store:
    """An open store.

    Build it with `Store.writing(path)`, which makes the file, migrates an older one and holds it
    against other writers until it is closed, or with `Store.reading(path)`.
    """

    def __init__(
        self, path: Path, database: sqlite3.Connection, lock: sqlite3.Connection | None
    ) -> None:
        """An open database; `lock` is held as long as the store is open for writing."""
        self.path = path
        self.database = database
        self._lock = lock
        self._texts = Texts(database)

    @classmethod
    def writing(cls, path: str | Path) -> Store:
        """The store at `path`, made if it is not there yet.

        Raises
        ------
        DataError
            It is no store, a damaged one, or of a newer version.
        StoreError
            It cannot be written to, or another process is writing to it.
        """
        path = Path(path)
        # One file has one lock, also by the name of a link to it.
        place = path.resolve()
        if place.is_dir():
            raise _a_folder(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        with sqlite_errors(path):
            lock = locked(place)
            database = None
            try:
                # `uri` lets `merge` attach another store that can only be read.
                database = sqlite3.connect(place, timeout=30, isolation_level=None, uri=True)
                version = version_of(database, path)
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = FULL")
                if version < VERSION:
                    migrate(database, version)
            except (sqlite3.Error, GammacpError):
                if database is not None:
                    database.close()
                lock.close()
                raise
        return cls(path, database, lock)

    @classmethod
    def reading(cls, path: str | Path) -> Store:
        """The store at `path`, for reading; also while a sweep writes to it."""
        path = Path(path)
        if path.is_dir():
            raise _a_folder(path)
        if not path.is_file():
            raise DataError("no such store", file=path, hint="Give the --store of a sweep")
        with sqlite_errors(path):
            database = read_only(path)
            try:
                version = version_of(database, path)
                if version < VERSION:
                    raise _too_old(path, version)
            except (sqlite3.Error, GammacpError):
                database.close()
                raise
        return cls(path, database, None)

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the database and let others write."""
        self.database.close()
        if self._lock is not None:
            self._lock.close()

    def rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """What a SELECT finds, row by row; SQLite's errors in the user's terms."""
        with sqlite_errors(self.path):
            yield from self.database.execute(query, values)

    def experiments(self) -> tuple[Experiment, ...]:
        """The experiments in the order they were begun."""
        rows = self.rows("SELECT id, name, hash, configuration FROM experiments ORDER BY id")
        return tuple(Experiment(*row) for row in rows)

    def begin(self, sweep: Sweep, *, resume: bool = True) -> Experiment:
        """The sweep's experiment, made if it is not there yet.

        Without `resume` the cells it has are dropped first. With it, an experiment of that name
        under another configuration is refused.
        """
        configuration = sweep.configuration
        known = {e.name: e for e in self.experiments()}.get(sweep.experiment)
        with sqlite_errors(self.path), self.transaction():
            if known is not None and not resume:
                for table, key in (
                    ("cells", "experiment"),
                    ("runs", "experiment"),
                    ("experiments", "id"),
                ):
                    self.database.execute(f"DELETE FROM {table} WHERE {key} = ?", (known.id,))
            elif known is not None:
                check_same(self.path, known, configuration)
                return known
            text, digest = canonical(configuration), configuration_hash(configuration)
            cursor = self.database.execute(
                "INSERT INTO experiments (name, hash, configuration) VALUES (?, ?, ?)",
                (sweep.experiment, digest, text),
            )
        assert cursor.lastrowid is not None
        return Experiment(cursor.lastrowid, sweep.experiment, digest, text)

    def done(self, experiment: Experiment, task: Task) -> list[str]:
        """Names of the measures of this annotation set that are there."""
        with sqlite_errors(self.path):
            error = self._texts.find(task.error)
        if error is None:
            return []
        rows = self.rows(
            "SELECT text FROM cells JOIN texts ON texts.id = measure WHERE experiment = ?"
            ' AND error = ? AND magnitude = ? AND "set" = ?',
            *(experiment.id, error, task.magnitude, task.set_number),
        )
        return [name for (name,) in rows]

    def count(self, experiment: Experiment, sweep: Sweep) -> int:
        """How many of the sweep's cells are there."""
        rows = self.rows(
            "SELECT e.text, magnitude, m.text, n FROM (SELECT error, magnitude, measure,"
            ' count(*) AS n FROM cells WHERE experiment = ? AND "set" < ?'
            " GROUP BY error, magnitude, measure)"
            " JOIN texts e ON e.id = error JOIN texts m ON m.id = measure",
            *(experiment.id, sweep.sets),
        )
        wanted = set(sweep.errors), set(sweep.magnitudes), set(sweep.measures)
        return sum(n for e, x, m, n in rows if e in wanted[0] and x in wanted[1] and m in wanted[2])

    def begin_run(self, experiment: Experiment, executor: str) -> int:
        """Note that a run begins, and with what software; returns its number."""
        values = (experiment.id, executor, json.dumps(software()))
        with sqlite_errors(self.path), self.transaction():
            cursor = self.database.execute(
                "INSERT INTO runs (experiment, began, executor, software, cells, seconds)"
                " VALUES (?, datetime('now'), ?, ?, 0, 0)",
                values,
            )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def add(
        self,
        experiment: Experiment,
        cells: Sequence[Cell],
        *,
        run: int | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Commit these cells together; a cell that is there already is an error.

        `run` is the run that computed them, `seconds` how long it has been going on.
        """
        with sqlite_errors(self.path), self.transaction():
            self.database.executemany(
                "INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (self._row(experiment, cell) for cell in cells),
            )
            self.database.execute(
                "UPDATE runs SET cells = cells + ?, seconds = ? WHERE id = ?",
                (len(cells), seconds, run),
            )

    def runs(self, experiment: Experiment) -> tuple[Run, ...]:
        """The runs that worked on an experiment, in order."""
        rows = self.rows(
            "SELECT began, executor, software, cells, seconds FROM runs"
            " WHERE experiment = ? ORDER BY id",
            experiment.id,
        )
        return tuple(Run(b, e, json.loads(s), n, t) for b, e, s, n, t in rows)

    def _row(self, experiment: Experiment, c: Cell) -> tuple[object, ...]:
        return (
            experiment.id,
            self._texts.number(c.error),
            c.magnitude,
            c.set_number,
            self._texts.number(c.measure),
            None if math.isnan(c.value) else c.value,
            None if c.reason is None else self._texts.number(c.reason),
            None if c.status is None else self._texts.number(c.status),
            c.bound,
            c.samples,
            c.seconds,
            self._texts.number(c.signature),
        )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, flushed to disk at the end."""
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.database.execute("COMMIT")
        except BaseException:
            self._texts.forget()
            if self.database.in_transaction:
                self.database.execute("ROLLBACK")
            raise


def _a_folder(path: Path) -> DataError:
    return DataError("a folder, not a store", file=path, hint="Give a file in it")


def _too_old(path: Path, version: int) -> DataError:
    if version == 0:
        return DataError("empty: no sweep has begun here", file=path, hint="Run one with --store")
    return DataError(
        f"store of version {version}, this gammacp reads {VERSION}",
        file=path,
        hint="Run the sweep on it once, which brings it up to date",
    )
