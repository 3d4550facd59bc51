"""Export of all cells of a store as CSV or Parquet, in an order independent of its history."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from gammacp.base.csv_files import quote_field
from gammacp.base.files import atomic_write
from gammacp.bench.store import Store, StoredSweep
from gammacp.errors import UsageError

_KEPT = ("magnitude", "set", "measure", "value", "reason", "status", "bound", "samples")
_TIMES = ("seconds", "run")
_READ = (*_KEPT, "signature", *_TIMES)  # columns read for one experiment and error
COLUMNS = ("experiment", "error", *_KEPT, "signature", "configuration")
_BATCH = 50_000

# The primary key yields the rows in order; only the few measures of each set are sorted. Reasons
# and statuses are few as well, and each is looked up once.
_QUERY = """
SELECT magnitude, "set", m.text, value, reason, status, bound, samples, g.text, seconds, run
FROM cells JOIN texts m ON m.id = measure JOIN texts g ON g.id = signature
WHERE experiment = ? AND error = ? ORDER BY magnitude, "set", m.text
"""


def export_cells(
    store: Store, path: str | Path, *, experiment: str | None = None, times: bool = False
) -> int:
    """Write every cell, or those of one experiment, and return their number.

    The file's ending, `.csv` or `.parquet`, chooses the format. Rows are ordered by experiment,
    error, magnitude, set and measure. Without `times` (seconds and the number of the run) the file
    is the same whenever and wherever the cells were computed.
    """
    path = Path(path)
    writers = {".csv": _write_csv, ".parquet": _write_parquet}
    if path.suffix not in writers:
        raise UsageError(f"{path}: cells are exported as .csv or .parquet")
    chosen = _experiments_named(store, experiment)
    batches = (b for e in chosen for b in _batches(store, e))
    return writers[path.suffix](path, store, batches, times=times)


def _columns(times: bool) -> tuple[str, ...]:
    if times:
        return (*COLUMNS, *_TIMES)
    return COLUMNS


def _experiments_named(store: Store, name: str | None) -> list[StoredSweep]:
    experiments = sorted(store.experiments(), key=lambda e: e.name)
    if name is None:
        return experiments
    chosen = [e for e in experiments if e.name == name]
    if not chosen:
        names = ", ".join(e.name for e in experiments) or "none"
        raise UsageError(f"{store.path}: no experiment {name!r}; there are: {names}")
    return chosen


class _Texts(dict[int | None, str]):
    """Texts by number, in the form for writing, read from the store on first use; "" for None."""

    def __init__(self, store: Store, form: Callable[[str], str]) -> None:
        super().__init__({None: ""})
        self.store = store
        self.form = form

    def __missing__(self, number: int) -> str:
        ((text,),) = self.store.rows("SELECT text FROM texts WHERE id = ?", number)
        self[number] = self.form(text)
        return self[number]


# An experiment, an error, and their rows as selected by `_QUERY`.
_Batch: TypeAlias = tuple[StoredSweep, str, list[tuple[Any, ...]]]


def _batches(store: Store, experiment: StoredSweep) -> Iterator[_Batch]:
    errors = store.rows(
        "SELECT DISTINCT error, text FROM cells JOIN texts ON texts.id = error"
        " WHERE experiment = ? ORDER BY text",
        experiment.id,
    )
    for number, error in list(errors):
        rows = store.rows(_QUERY, experiment.id, number)
        while batch := list(islice(rows, _BATCH)):
            yield experiment, error, batch


def _write_csv(path: Path, store: Store, batches: Iterable[_Batch], *, times: bool) -> int:
    """Write CSV without the csv module, which scans every character of a million signatures."""
    count = 0
    texts = _Texts(store, quote_field)
    with atomic_write(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as f:
        f.write(",".join(_columns(times)) + "\n")
        for batch in batches:
            f.writelines(_csv_lines(batch, texts, times))
            count += len(batch[2])
    return count


def _csv_lines(batch: _Batch, texts: _Texts, times: bool) -> Iterator[str]:
    experiment, error, rows = batch
    begin = f"{quote_field(experiment.name)},{quote_field(error)}"
    digest = experiment.hash
    for m, number, measure, value, reason, status, bound, samples, sign, seconds, run in rows:
        yield (
            f"{begin},{m!r},{number},{quote_field(measure)},{_number(value)},{texts[reason]},"
            f"{texts[status]},{_number(bound)},{'' if samples is None else samples},"
            f"{quote_field(sign)},{digest}{f',{seconds!r},{run}' if times else ''}\n"
        )


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return repr(value)


def _write_parquet(path: Path, store: Store, batches: Iterable[_Batch], *, times: bool) -> int:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError(
            "Parquet needs the extra 'parquet': pip install 'gammacp[parquet]', or export .csv"
        ) from None
    kinds = dict.fromkeys(("magnitude", "value", "bound", "seconds"), pa.float64())
    kinds |= dict.fromkeys(("set", "samples", "run"), pa.int64())
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in _columns(times)])
    count = 0
    texts = _Texts(store, str)
    with atomic_write(path) as temporary, pq.ParquetWriter(temporary, schema) as writer:
        for experiment, error, rows in batches:
            columns: dict[str, Any] = dict(zip(_READ, zip(*rows, strict=True), strict=True))
            size = len(rows)
            columns["experiment"] = pa.repeat(experiment.name, size)
            columns["error"] = pa.repeat(error, size)
            columns["configuration"] = pa.repeat(experiment.hash, size)
            for name in ("reason", "status"):
                columns[name] = [texts[number] or None for number in columns[name]]
            arrays = [pa.array(columns[field.name], field.type) for field in schema]
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            count += size
    return count
