"""The store of a sweep: every cell is a row of an SQLite database.

One process writes, the sweep's parent; any number may read meanwhile. The cells of a chunk are
committed together and flushed to disk (WAL, synchronous FULL): committed cells survive a kill and a
power cut, others leave no trace. When a store is opened, counts and checksums are compared first
(`gammacp.bench.schema`), so that nothing is read from a damaged store.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeAlias
from uuid import uuid4

from gammacp.base.software import differences, processor, software
from gammacp.bench.schema import check_sound, connect_store, create, is_new
from gammacp.bench.store_file import lock_file, read_only_uri, store_errors
from gammacp.bench.sweep import Cell, Sweep, SweepTask, canonical, configuration_hash
from gammacp.bench.texts import Texts
from gammacp.errors import DataError, UsageError

STORE_NAME = "bench.sqlite"
"""What a sweep calls its store in the folder of its results."""

Values: TypeAlias = Mapping[tuple[str, str, float], Mapping[int, float]]
"""By (error, measure, magnitude), then by set; NaN where undefined."""


class OtherSoftware(UsageError):
    """Error: a store has cells that were computed by other software."""


@dataclass(frozen=True, slots=True)
class StoredSweep:
    """A sweep in a store: its name, its configuration and the hash of that."""

    id: int
    name: str
    hash: str
    configuration: str


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a sweep: software and settings by which cells were computed.

    Attributes
    ----------
    number
        Number by which cells refer to the run.
    began
        Start (UTC).
    executor, software, processor
        Place of the run; the processor is that of the sweep's parent process.
    mixed
        Whether it continued, on request, a sweep that has cells of other software.
    cells, seconds
        Number of cells it computed, and its duration.
    """

    number: int
    began: str
    executor: str
    software: Mapping[str, str]
    processor: str
    mixed: bool
    cells: int
    seconds: float


class Store:
    """An open store.

    Build it with `Store.writing(path)`, which makes the file and holds it against other writers
    until it is closed, or with `Store.reading(path)`.
    """

    def __init__(
        self, path: Path, database: sqlite3.Connection, lock: sqlite3.Connection | None
    ) -> None:
        """Open a database; `lock` is held as long as the store is open for writing."""
        self.path = path
        self.database = database
        self._lock = lock
        self._texts = Texts(database)

    @classmethod
    def writing(cls, path: str | Path) -> Store:
        """Open the store at `path` for writing, and create it if necessary.

        Raises
        ------
        DataError
            It is no store, a damaged one, or of another version.
        StoreError
            It cannot be written to, or another process is writing to it.
        """
        path = Path(path)
        # Resolve links, so that a file has one lock whatever its name.
        place = path.resolve()
        if place.is_dir():
            raise _a_folder(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        with store_errors(path), ExitStack() as refused:
            lock = refused.enter_context(closing(lock_file(place)))
            database = refused.enter_context(closing(connect_store(place)))
            new = is_new(database, path)
            if not new:
                check_sound(database, path)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            if new:
                create(database)
            refused.pop_all()
        return cls(path, database, lock)

    @classmethod
    def reading(cls, path: str | Path) -> Store:
        """Open the store at `path` for reading, even while a sweep writes to it.

        Parameters
        ----------
        path
            Path of the store.

        Raises
        ------
        DataError
            There is no store, it is damaged, or no sweep has begun in it.
        """
        path = Path(path)
        if path.is_dir():
            raise _a_folder(path)
        if not path.is_file():
            raise DataError("no such store", file=path, hint="Give the `store=` of a sweep")
        with store_errors(path), ExitStack() as refused:
            database = refused.enter_context(closing(connect_store(read_only_uri(path))))
            if is_new(database, path):
                hint = "Run one with `store=`"
                raise DataError(
                    "the store is empty: no sweep was started in it", file=path, hint=hint
                )
            check_sound(database, path)
            refused.pop_all()
        return cls(path, database, None)

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Close the database and release the lock."""
        self.database.close()
        if self._lock is not None:
            self._lock.close()

    def rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a SELECT; translate SQLite's errors into the user's terms.

        Parameters
        ----------
        query
            Query with a question mark for each value.
        values
            Values in their order.
        """
        with store_errors(self.path):
            yield from self.database.execute(query, values)

    def experiments(self) -> tuple[StoredSweep, ...]:
        """Return the experiments in the order they were begun."""
        rows = self.rows("SELECT id, name, hash, configuration FROM experiments ORDER BY id")
        return tuple(StoredSweep(*row) for row in rows)

    def begin(self, sweep: Sweep, *, resume: bool = True) -> StoredSweep:
        """Return the experiment of a sweep, and create it if necessary.

        Without `resume`, its existing cells are dropped first. With `resume`, an experiment of the
        same name with another configuration is refused.
        """
        configuration = sweep.configuration
        existing = {e.name: e for e in self.experiments()}.get(sweep.experiment)
        with store_errors(self.path), self.transaction():
            if existing is not None and not resume:
                for place in (
                    "cells WHERE experiment",
                    "runs WHERE experiment",
                    "experiments WHERE id",
                ):
                    self.database.execute(f"DELETE FROM {place} = ?", (existing.id,))
            elif existing is not None:
                _check_same(self.path, existing, configuration)
                return existing
            text = canonical(configuration)
            digest = configuration_hash(configuration)
            cursor = self.database.execute(
                "INSERT INTO experiments (name, hash, configuration) VALUES (?, ?, ?)",
                (sweep.experiment, digest, text),
            )
        assert cursor.lastrowid is not None
        return StoredSweep(cursor.lastrowid, sweep.experiment, digest, text)

    def measures_done(self, experiment: StoredSweep, task: SweepTask) -> list[str]:
        """Return the names of the measures that this annotation set already has.

        Parameters
        ----------
        experiment
            Sweep as it was begun.
        task
            One annotation set.
        """
        with store_errors(self.path):
            error = self._texts.find(task.error)
        if error is None:
            return []
        rows = self.rows(
            "SELECT text FROM cells JOIN texts ON texts.id = measure WHERE experiment = ?"
            ' AND error = ? AND magnitude = ? AND "set" = ?',
            *(experiment.id, error, task.magnitude, task.set_number),
        )
        return [name for (name,) in rows]

    def count(self, experiment: StoredSweep, sweep: Sweep) -> int:
        """Count the sweep's cells in the store.

        Parameters
        ----------
        experiment
            Sweep as it was begun.
        sweep
            Sweep whose cells are counted.
        """
        rows = self.rows(
            "SELECT e.text, magnitude, m.text, n FROM (SELECT error, magnitude, measure,"
            ' count(*) AS n FROM cells WHERE experiment = ? AND "set" < ?'
            " GROUP BY error, magnitude, measure)"
            " JOIN texts e ON e.id = error JOIN texts m ON m.id = measure",
            *(experiment.id, sweep.sets),
        )
        selection = set(sweep.errors), set(sweep.magnitudes), set(sweep.measures)
        return sum(
            n
            for e, x, m, n in rows
            if e in selection[0] and x in selection[1] and m in selection[2]
        )

    def values(self, experiment: StoredSweep, sets: int = 2**62) -> Values:
        """Return the values of single sets with numbers below `sets`.

        Parameters
        ----------
        experiment
            Sweep as it was begun.
        """
        rows = self.rows(
            'SELECT e.text, m.text, magnitude, "set", value FROM cells'
            " JOIN texts e ON e.id = error JOIN texts m ON m.id = measure"
            ' WHERE experiment = ? AND "set" < ? ORDER BY error, magnitude, "set"',
            *(experiment.id, sets),
        )
        values_by_point: dict[tuple[str, str, float], dict[int, float]] = {}
        for error, measure, magnitude, number, value in rows:
            values_of_point = values_by_point.setdefault((error, measure, magnitude), {})
            values_of_point[number] = math.nan if value is None else value
        return values_by_point

    def first(
        self, column: str, order: str, experiment: StoredSweep, error: str, measure: str
    ) -> str | None:
        """Return the first text in a column among the cells of an error and a measure.

        Parameters
        ----------
        column, order
            The column, and what rows are ordered by, in SQL.
        experiment, error, measure
            Selection of the cells.
        """
        rows = self.rows(
            f"SELECT t.text FROM cells JOIN texts t ON t.id = {column} WHERE experiment = ?"
            " AND error = (SELECT id FROM texts WHERE text = ?)"
            f" AND measure = (SELECT id FROM texts WHERE text = ?) ORDER BY {order} LIMIT 1",
            *(experiment.id, error, measure),
        )
        return next((str(text) for (text,) in rows), None)

    def begin_run(
        self,
        experiment: StoredSweep,
        executor: str = "Serial",
        here: Mapping[str, str] | None = None,
        *,
        mixed: bool = False,
    ) -> int:
        """Record the start of a run with its software, and return its number.

        Parameters
        ----------
        experiment
            Name and configuration.
        executor
            Name of the run in `status`.
        here
            Software that computes; None for `software()`, without any module of the user.
        mixed
            Whether to continue although there are cells of other software; this is recorded.

        Raises
        ------
        OtherSoftware
            The experiment has cells of other software.
        """
        if here is None:
            here = software()
        earlier = self.kinds(experiment)
        is_other = bool(earlier) and here not in earlier
        if is_other and not mixed:
            check_software(self.path, experiment.name, earlier[-1], here)
        if executor == "Cluster":
            where = "those of a cluster"
        else:
            where = processor()
        with store_errors(self.path), self.transaction():
            cursor = self.database.execute(
                "INSERT INTO runs (token, experiment, began, executor, software, processor,"
                " mixed, cells, seconds) VALUES (?, ?, datetime('now'), ?, ?, ?, ?, 0, 0)",
                (uuid4().hex, experiment.id, executor, json.dumps(here), where, is_other),
            )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def add(
        self, experiment: StoredSweep, cells: Sequence[Cell], *, run: int, seconds: float = 0.0
    ) -> None:
        """Commit these cells together; a cell that is already there is an error.

        `run` is the number of the run that computed them, `seconds` its duration so far.

        Parameters
        ----------
        experiment
            Sweep as it was begun.
        cells
            Cells that were computed.
        """
        with store_errors(self.path), self.transaction():
            self.database.executemany(
                f"INSERT INTO cells VALUES ({', '.join('?' * 13)})",
                ((*self._row(experiment, cell), run) for cell in cells),
            )
            self.database.execute(
                "UPDATE runs SET cells = cells + ?, seconds = ? WHERE id = ?",
                (len(cells), seconds, run),
            )

    def runs(self, experiment: StoredSweep) -> tuple[Run, ...]:
        """Return the runs that worked on an experiment, in order."""
        rows = self.rows(
            "SELECT id, began, executor, software, processor, mixed, cells, seconds FROM runs"
            " WHERE experiment = ? ORDER BY id",
            experiment.id,
        )
        return tuple(
            Run(i, began, executor, json.loads(software), cpu, bool(mixed), cells, seconds)
            for i, began, executor, software, cpu, mixed, cells, seconds in rows
        )

    def kinds(self, experiment: StoredSweep) -> list[Mapping[str, str]]:
        """Return the different kinds of software that computed cells of an experiment, in order."""
        kinds: list[Mapping[str, str]] = []
        for run in self.runs(experiment):
            if run.cells and run.software not in kinds:
                kinds.append(run.software)
        return kinds

    def _row(self, experiment: StoredSweep, c: Cell) -> tuple[object, ...]:
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
        """Run the block as one transaction, flushed to disk at the end; roll back on any error."""
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
    return DataError("is a folder, not a store", file=path, hint="Give the file of a store")


def _check_same(path: Path, experiment: StoredSweep, configuration: Mapping[str, object]) -> None:
    """Raise UsageError, with the differences, if the configuration of an experiment differs."""
    if experiment.hash == configuration_hash(configuration):
        return
    old: dict[str, object] = json.loads(experiment.configuration)
    new: dict[str, object] = json.loads(canonical(configuration))
    raise UsageError(
        f"{path}: experiment {experiment.name!r} was started with another configuration "
        f"({configuration_changes(old, new)}). "
        "Choose another `experiment=` or `store=`, or `resume=False` to discard its cells"
    )


def check_software(
    path: Path, name: str, earlier: Mapping[str, str], current: Mapping[str, str]
) -> None:
    """Raise OtherSoftware, with the differences, if the software differs.

    Parameters
    ----------
    path, name
        Path of the store and name of the experiment.
    earlier, current
        The software that computed cells, and the one that is to compute more.

    Raises
    ------
    OtherSoftware
        They differ.
    """
    if differing := differences(earlier, current):
        raise OtherSoftware(
            f"{path}: cells of experiment {name!r} were computed by other software ({differing}), "
            "which may give other values. Choose another `experiment=` or `store=`, `resume=False` "
            "to recompute them, or `mixed=` to keep them, which the store records"
        )


def configuration_changes(
    old: Mapping[str, object], new: Mapping[str, object], under: str = ""
) -> str:
    """Describe the differences between two configurations.

    Parameters
    ----------
    old, new
        Configuration in the store, and the current one.
    under
        Name of the key that holds both, with a dot.
    """
    keys = sorted(k for k in {*old, *new} if old.get(k) != new.get(k))
    return "; ".join(_change(f"{under}{k}", old.get(k), new.get(k)) for k in keys)


def _change(key: str, old: object, new: object) -> str:
    if isinstance(old, dict) and isinstance(new, dict):
        return configuration_changes(old, new, f"{key}.")
    return f"{key}: {_brief(old)} versus {_brief(new)}"


def _brief(value: object) -> str:
    if value is None:
        text = "absent"
    else:
        text = str(value)
    if len(text) <= 60:
        return text
    return text[:57] + "…"
