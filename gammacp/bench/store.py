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
from typing import Self

from gammacp.bench.schema import VERSION, migrate, version_of
from gammacp.bench.software import software
from gammacp.bench.store_file import locked, read_only, sqlite_errors
from gammacp.bench.sweep import Cell, Sweep, Task, canonical, configuration_hash
from gammacp.errors import DataError, GammacpError, UsageError

_TEXT_CACHE = 10_000


@dataclass(frozen=True, slots=True)
class Experiment:
    """A sweep's name in a store, its configuration and the hash of it."""

    id: int
    name: str
    hash: str
    configuration: str


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
        self._texts: dict[str, int] = {}

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
        with sqlite_errors(path):
            if not path.parent.is_dir():
                path.parent.mkdir(parents=True, exist_ok=True)
            lock = locked(path)
            try:
                database = sqlite3.connect(path, timeout=30, isolation_level=None)
                version = version_of(database, path)
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = FULL")
                if version < VERSION:
                    migrate(database, version)
            except (sqlite3.Error, GammacpError):
                lock.close()
                raise
        return cls(path, database, lock)

    @classmethod
    def reading(cls, path: str | Path) -> Store:
        """The store at `path`, for reading; also while a sweep writes to it."""
        path = Path(path)
        if not path.is_file():
            raise DataError("no such store", file=path, hint="Give the --store or --out of a sweep")
        with sqlite_errors(path):
            database = read_only(path)
            version = version_of(database, path)
        if version < VERSION:
            raise DataError(
                f"store of version {version}, this gammacp reads {VERSION}",
                file=path,
                hint="Run the sweep on it once, which brings it up to date",
            )
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

    def experiments(self) -> tuple[Experiment, ...]:
        """The experiments in the order they were begun."""
        with sqlite_errors(self.path):
            rows = self.database.execute(
                "SELECT id, name, hash, configuration FROM experiments ORDER BY id"
            ).fetchall()
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
                _check_same(self.path, known, configuration)
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
        error = self._text_id(task.error)
        if error is None:
            return []
        with sqlite_errors(self.path):
            rows = self.database.execute(
                "SELECT text FROM cells JOIN texts ON texts.id = measure WHERE experiment = ?"
                ' AND error = ? AND magnitude = ? AND "set" = ?',
                (experiment.id, error, task.magnitude, task.set_number),
            ).fetchall()
        return [name for (name,) in rows]

    def count(self, experiment: Experiment, sweep: Sweep) -> int:
        """How many of the sweep's cells are there."""
        with sqlite_errors(self.path):
            rows = self.database.execute(
                "SELECT e.text, magnitude, m.text, n FROM (SELECT error, magnitude, measure,"
                ' count(*) AS n FROM cells WHERE experiment = ? AND "set" < ?'
                " GROUP BY error, magnitude, measure)"
                " JOIN texts e ON e.id = error JOIN texts m ON m.id = measure",
                (experiment.id, sweep.sets),
            )
            wanted = set(sweep.errors), set(sweep.magnitudes), set(sweep.measures)
            return sum(
                n for e, x, m, n in rows if e in wanted[0] and x in wanted[1] and m in wanted[2]
            )

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
        with sqlite_errors(self.path):
            rows = self.database.execute(
                "SELECT began, executor, software, cells, seconds FROM runs"
                " WHERE experiment = ? ORDER BY id",
                (experiment.id,),
            ).fetchall()
        return tuple(Run(b, e, json.loads(s), n, t) for b, e, s, n, t in rows)

    def _row(self, experiment: Experiment, c: Cell) -> tuple[object, ...]:
        return (
            experiment.id,
            self._intern(c.error),
            c.magnitude,
            c.set_number,
            self._intern(c.measure),
            None if math.isnan(c.value) else c.value,
            None if c.reason is None else self._intern(c.reason),
            None if c.status is None else self._intern(c.status),
            c.bound,
            c.samples,
            c.seconds,
            self._intern(c.signature),
        )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, flushed to disk at the end."""
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.database.execute("COMMIT")
        except BaseException:
            # Texts that were interned in this transaction are gone with it.
            self._texts.clear()
            if self.database.in_transaction:
                self.database.execute("ROLLBACK")
            raise

    def _text_id(self, text: str) -> int | None:
        known = self._texts.get(text)
        if known is not None:
            return known
        row = self.database.execute("SELECT id FROM texts WHERE text = ?", (text,)).fetchone()
        if row is None:
            return None
        if len(self._texts) >= _TEXT_CACHE:
            self._texts.clear()
        self._texts[text] = row[0]
        return int(row[0])

    def _intern(self, text: str) -> int:
        known = self._text_id(text)
        if known is not None:
            return known
        self.database.execute("INSERT INTO texts (text) VALUES (?)", (text,))
        return self._intern(text)


def _check_same(path: Path, known: Experiment, configuration: Mapping[str, object]) -> None:
    if known.hash == configuration_hash(configuration):
        return
    old: dict[str, object] = json.loads(known.configuration)
    new: dict[str, object] = json.loads(canonical(configuration))
    keys = sorted(k for k in {*old, *new} if old.get(k) != new.get(k))
    what = "; ".join(_change(k, old.get(k), new.get(k)) for k in keys)
    raise UsageError(
        f"{path}: experiment {known.name!r} was begun with another configuration ({what}). "
        "Choose another --experiment or --store, or --no-resume to drop what it has"
    )


def _change(key: str, old: object, new: object) -> str:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(k for k in {*old, *new} if old.get(k) != new.get(k))
        return "; ".join(_change(f"{key}.{k}", old.get(k), new.get(k)) for k in keys)
    return f"{key} is {_brief(old)} there, {_brief(new)} here"


def _brief(value: object) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "…"
