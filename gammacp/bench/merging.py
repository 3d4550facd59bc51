"""Stores of one sweep that was computed in several places, put together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gammacp.bench.store import Store
from gammacp.bench.store_file import damaged, read_only_uri, sqlite_errors
from gammacp.errors import DataError, UsageError

# Cells of the other store with texts and experiments numbered as here.
_OTHER = """
CREATE TEMP TABLE text_number AS
    SELECT o.id AS old, t.id AS new FROM other.texts o JOIN main.texts t ON t.text = o.text;
CREATE UNIQUE INDEX temp.text_number_old ON text_number (old);
CREATE TEMP VIEW other_cells AS
    SELECT y.id AS experiment, e.new AS error, c.magnitude, c."set", m.new AS measure, c.value,
           r.new AS reason, s.new AS status, c.bound, c.samples, c.seconds, g.new AS signature
    FROM other.cells c
    JOIN other.experiments x ON x.id = c.experiment JOIN main.experiments y ON y.name = x.name
    JOIN text_number e ON e.old = c.error JOIN text_number m ON m.old = c.measure
    LEFT JOIN text_number r ON r.old = c.reason LEFT JOIN text_number s ON s.old = c.status
    JOIN text_number g ON g.old = c.signature;
"""

# Seconds are a measurement, not a result: they may differ.
_CONFLICT = """
SELECT e.text, magnitude, "set", m.text, mine.value, theirs.value
FROM other_cells theirs JOIN main.cells mine USING (experiment, error, magnitude, "set", measure)
JOIN main.texts e ON e.id = error JOIN main.texts m ON m.id = measure
WHERE mine.value IS NOT theirs.value OR mine.reason IS NOT theirs.reason
   OR mine.status IS NOT theirs.status OR mine.signature IS NOT theirs.signature
LIMIT 1
"""

# Who computed the cells; runs that came with an earlier merge are not told twice.
_RUNS = """
INSERT INTO main.runs (experiment, began, executor, software, cells, seconds)
SELECT y.id, began, executor, software, cells, seconds FROM other.runs r
JOIN other.experiments x ON x.id = r.experiment JOIN main.experiments y ON y.name = x.name
EXCEPT SELECT experiment, began, executor, software, cells, seconds FROM main.runs
ORDER BY began
"""


@dataclass(frozen=True, slots=True)
class Merged:
    """What came from one store: new cells, and cells that were there with the same value."""

    path: Path
    added: int
    known: int


def merge(target: Store, source: str | Path) -> Merged:
    """Add to an open store what another one has and it lacks; all or nothing.

    Raises
    ------
    UsageError
        An experiment has another configuration there, or the store is merged with itself.
    DataError
        A cell has another value there: one of the stores was computed by other software.
    """
    source = Path(source)
    if source.exists() and target.path.samefile(source):
        raise UsageError(f"{source}: a store cannot be merged with itself")
    with Store.reading(source) as other:
        _check_sound(other)
        _check_experiments(target, other)
    database = target.database
    with sqlite_errors(source):
        database.execute("ATTACH ? AS other", (read_only_uri(source),))
    try:
        with sqlite_errors(target.path), target.transaction():
            return _merged(target, source)
    finally:
        database.execute("DROP VIEW IF EXISTS temp.other_cells")
        database.execute("DROP TABLE IF EXISTS temp.text_number")
        database.execute("DETACH other")


def _merged(target: Store, source: Path) -> Merged:
    database = target.database
    database.execute(
        "INSERT OR IGNORE INTO main.experiments (name, hash, configuration)"
        " SELECT name, hash, configuration FROM other.experiments"
    )
    database.execute("INSERT OR IGNORE INTO main.texts (text) SELECT text FROM other.texts")
    for statement in _OTHER.split(";\n")[:-1]:
        database.execute(statement)
    conflict = database.execute(_CONFLICT).fetchone()
    if conflict is not None:
        error, magnitude, number, measure, mine, theirs = conflict
        raise DataError(
            f"{measure} of set {number} ({error}, magnitude {magnitude:g}) is {theirs!r}, "
            f"in {target.path} {mine!r}",
            file=source,
            hint="One of the stores was computed by other software: compute it anew",
        )
    (total,) = database.execute("SELECT count(*) FROM other.cells").fetchone()
    added = database.execute("INSERT OR IGNORE INTO main.cells SELECT * FROM other_cells").rowcount
    database.execute(_RUNS)
    return Merged(source, added, total - added)


def _check_sound(other: Store) -> None:
    """Damage is found before anything of it is taken."""
    ((verdict,),) = other.rows("PRAGMA quick_check(1)")
    if verdict != "ok":
        raise damaged(other.path, verdict)


def _check_experiments(target: Store, other: Store) -> None:
    known = {e.name: e.hash for e in target.experiments()}
    for experiment in other.experiments():
        if known.get(experiment.name, experiment.hash) != experiment.hash:
            raise UsageError(
                f"{other.path}: experiment {experiment.name!r} has another configuration than in "
                f"{target.path}; see `gammacp bench status` of both"
            )
