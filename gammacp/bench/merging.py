"""Stores of one sweep that was computed in several places, put together."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammacp.base.software import differences
from gammacp.bench.store import Store, check_software
from gammacp.bench.store_file import read_only_uri, store_errors
from gammacp.errors import DataError, UsageError

# Cells of the other store with texts and experiments numbered as here.
_OTHER = """
CREATE TEMP TABLE text_number AS
    SELECT o.id AS old, t.id AS new FROM other.texts o JOIN main.texts t ON t.text = o.text;
CREATE UNIQUE INDEX temp.text_number_old ON text_number (old);
CREATE TEMP VIEW other_cells AS
    SELECT y.id AS experiment, e.new AS error, c.magnitude, c."set", m.new AS measure, c.value,
           r.new AS reason, s.new AS status, c.bound, c.samples, c.seconds, g.new AS signature,
           n.id AS run
    FROM other.cells c
    JOIN other.experiments x ON x.id = c.experiment JOIN main.experiments y ON y.name = x.name
    JOIN text_number e ON e.old = c.error JOIN text_number m ON m.old = c.measure
    LEFT JOIN text_number r ON r.old = c.reason LEFT JOIN text_number s ON s.old = c.status
    JOIN text_number g ON g.old = c.signature
    JOIN other.runs o ON o.id = c.run JOIN main.runs n ON n.token = o.token;
"""

# Seconds are a measurement, not a result: they may differ.
_CONFLICT = """
SELECT e.text, magnitude, "set", m.text, mine.value, theirs.value, a.text, b.text,
       r.software, r.processor, s.software, s.processor
FROM other_cells theirs JOIN main.cells mine USING (experiment, error, magnitude, "set", measure)
JOIN main.texts e ON e.id = error JOIN main.texts m ON m.id = measure
JOIN main.texts a ON a.id = mine.signature JOIN main.texts b ON b.id = theirs.signature
JOIN main.runs r ON r.id = mine.run JOIN main.runs s ON s.id = theirs.run
WHERE mine.value IS NOT theirs.value OR mine.reason IS NOT theirs.reason
   OR mine.status IS NOT theirs.status OR mine.signature IS NOT theirs.signature
LIMIT 1
"""

# Runs that came with an earlier merge are known by their token, and may have gone on since.
_RUNS = """
INSERT INTO main.runs
    (token, experiment, began, executor, software, processor, mixed, cells, seconds)
SELECT token, y.id, began, executor, software, processor, mixed, cells, seconds FROM other.runs r
JOIN other.experiments x ON x.id = r.experiment JOIN main.experiments y ON y.name = x.name
WHERE true ORDER BY began
ON CONFLICT (token) DO UPDATE
SET cells = max(cells, excluded.cells), seconds = max(seconds, excluded.seconds)
"""


@dataclass(frozen=True, slots=True)
class MergeCounts:
    """Counts of cells from one store: new ones, and ones that were there with the same value."""

    path: Path
    added: int
    known: int


def merge(target: Store, source: str | Path, *, mixed: bool = False) -> MergeCounts:
    """Add to an open store what another one has and it lacks; all or nothing.

    Parameters
    ----------
    mixed
        Also cells of other software; each cell goes on naming the run that computed it.

    Raises
    ------
    UsageError
        An experiment has another configuration there, or the store is merged with itself.
    OtherSoftware
        An experiment's cells were computed by other software there.
    DataError
        A cell has another value there; the message says what may be why.
    """
    source = Path(source)
    if source.exists() and target.path.samefile(source):
        raise UsageError(f"{source}: a store cannot be merged with itself")
    with Store.reading(source) as other:
        _check_experiments(target, other, mixed=mixed)
    database = target.database
    with store_errors(source):
        database.execute("ATTACH ? AS other", (read_only_uri(source),))
    try:
        with store_errors(target.path), target.transaction():
            return _merge_store(target, source)
    finally:
        database.execute("DROP VIEW IF EXISTS temp.other_cells")
        database.execute("DROP TABLE IF EXISTS temp.text_number")
        database.execute("DETACH other")


def _merge_store(target: Store, source: Path) -> MergeCounts:
    database = target.database
    database.execute(
        "INSERT OR IGNORE INTO main.experiments (name, hash, configuration)"
        " SELECT name, hash, configuration FROM other.experiments"
    )
    database.execute("INSERT OR IGNORE INTO main.texts (text) SELECT text FROM other.texts")
    database.execute(_RUNS)
    for statement in _OTHER.split(";\n")[:-1]:
        database.execute(statement)
    conflict = database.execute(_CONFLICT).fetchone()
    if conflict is not None:
        raise _disagreement(target.path, source, conflict)
    (total,) = database.execute("SELECT count(*) FROM other.cells").fetchone()
    added = database.execute("INSERT OR IGNORE INTO main.cells SELECT * FROM other_cells").rowcount
    return MergeCounts(source, added, total - added)


def _check_experiments(target: Store, other: Store, *, mixed: bool) -> None:
    known = {e.name: e for e in target.experiments()}
    for there in other.experiments():
        here = known.get(there.name)
        if here is None:
            continue
        if there.hash != here.hash:
            raise UsageError(
                f"{other.path}: experiment {there.name!r} has another configuration than in "
                f"{target.path}; see `gammacp bench status` of both"
            )
        ran = target.kinds(here)
        for kind in other.kinds(there):
            if ran and kind not in ran and not mixed:
                check_software(other.path, there.name, kind, ran[-1])


def _disagreement(target: Path, source: Path, conflict: tuple[Any, ...]) -> DataError:
    """Two values of one cell, and what is known of why."""
    error, magnitude, number, measure, mine, theirs, *rest = conflict
    signed, also_signed, here, on, there, also_on = rest
    apart = ""
    if isinstance(mine, float) and isinstance(theirs, float) and mine != theirs:
        apart = f" (apart by {abs(theirs - mine):.1g})"
    elif mine == theirs:
        apart = ", with another status, reason or signature"
    if differing := differences(json.loads(there), json.loads(here)):
        why = f"Computed by other software ({differing}): recompute one of them"
    elif signed != also_signed:
        why = f"Computed in other ways: {also_signed} there, {signed} here"
    elif on != also_on:
        why = (
            f"Computed by the same software on another processor ({also_on} there, {on} here): "
            "the measure's sums round differently there; compute both on one kind of processor"
        )
    else:
        why = (
            f"Computed by the same software on the same kind of processor ({on}): the measure "
            "does not repeat its values, so that none of them can be trusted"
        )
    return DataError(
        f"{measure} of set {number} ({error}, magnitude {magnitude:g}) is {theirs!r}, "
        f"in {target} {mine!r}{apart}",
        file=source,
        hint=why,
    )
