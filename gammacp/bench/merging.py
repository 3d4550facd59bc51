"""Merging of stores: the cells of one sweep that was computed in several places."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammacp.base.software import differences
from gammacp.bench.store import Store, check_software
from gammacp.bench.store_file import read_only_uri, store_errors
from gammacp.errors import DataError, UsageError

# Cells of the other store, with its numbers of texts and experiments translated to ours.
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

# Runs that were merged before have the same token; they may have computed more cells since.
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
    """Numbers of cells from one store: added ones, and those already present with equal values."""

    path: Path
    added: int
    present: int


def merge(target: Store, source: str | Path, *, mixed: bool = False) -> MergeCounts:
    """Add the cells that an open store lacks from another one, in one transaction.

    Parameters
    ----------
    mixed
        Accept cells of other software; each cell still names the run that computed it.

    Raises
    ------
    UsageError
        An experiment has another configuration in the other store, or both are the same store.
    OtherSoftware
        An experiment's cells in the other store were computed by other software.
    DataError
        A cell has another value in the other store; the message gives the likely reason.
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
    target_by_name = {e.name: e for e in target.experiments()}
    for other_experiment in other.experiments():
        experiment = target_by_name.get(other_experiment.name)
        if experiment is None:
            continue
        if other_experiment.hash != experiment.hash:
            raise UsageError(
                f"{other.path}: experiment {other_experiment.name!r} has another configuration "
                f"than in {target.path}; see `gammacp bench status` of both"
            )
        ran = target.kinds(experiment)
        for kind in other.kinds(other_experiment):
            if ran and kind not in ran and not mixed:
                check_software(other.path, other_experiment.name, kind, ran[-1])


def _disagreement(target: Path, source: Path, conflict: tuple[Any, ...]) -> DataError:
    """Return the error for a cell with two values, with the likely reason as its hint."""
    error, magnitude, number, measure, value, other_value, *rest = conflict
    signature, other_signature, software, processor, other_software, other_processor = rest
    apart = ""
    if isinstance(value, float) and isinstance(other_value, float) and value != other_value:
        apart = f" (apart by {abs(other_value - value):.1g})"
    elif value == other_value:
        apart = ", with another status, reason or signature"
    if differing := differences(json.loads(other_software), json.loads(software)):
        hint = f"Computed by other software ({differing}): recompute one of them"
    elif signature != other_signature:
        hint = f"Computed in other ways: {other_signature} there, {signature} here"
    elif processor != other_processor:
        hint = (
            f"Computed by the same software on another processor ({other_processor} there, "
            f"{processor} here): the measure's sums round differently there; compute both on one "
            "kind of processor"
        )
    else:
        hint = (
            f"Computed by the same software on the same kind of processor ({processor}): the "
            "measure does not repeat its values, so that none of them can be trusted"
        )
    return DataError(
        f"{measure} of set {number} ({error}, magnitude {magnitude:g}) is {other_value!r}, "
        f"in {target} {value!r}{apart}",
        file=source,
        hint=hint,
    )
