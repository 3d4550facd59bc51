"""What a sweep will take, from the measured costs of a few of its cells."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from statistics import median

import numpy as np

from gammacp.bench.experiment import Experiment
from gammacp.bench.store import Store
from gammacp.bench.sweep import Sweep
from gammacp.measures.registry import MEASURES

PILOT_SETS = 3
_PILOT_MAGNITUDES = 5


@dataclass(frozen=True, slots=True)
class Cost:
    """What an error's part of a sweep takes.

    Attributes
    ----------
    sets, cells
        Annotation sets and cells.
    alignments
        Best alignments to solve, of observed and random sets.
    core_seconds
        Processor time.
    storage
        Bytes in the store.
    """

    error: str
    sets: int
    cells: int
    alignments: int
    core_seconds: float
    storage: int


def pilot(sweep: Sweep) -> Sweep:
    """The few cells to measure: they are the sweep's own, so that nothing is computed in vain."""
    last = len(sweep.magnitudes) - 1
    chosen = {round(i * last / (_PILOT_MAGNITUDES - 1)) for i in range(_PILOT_MAGNITUDES)}
    magnitudes = tuple(sweep.magnitudes[i] for i in sorted(chosen))
    return replace(sweep, magnitudes=magnitudes, sets=min(PILOT_SETS, sweep.sets))


def plan(sweep: Sweep, store: Store, experiment: Experiment) -> list[Cost]:
    """The cost of each error, from every cell of it that the store has.

    The median over sets is taken, so that a worker's first cell, which pays for imports, does not
    count; between measured magnitudes costs are interpolated.
    """
    per_cell = _bytes_per_cell(store)
    costs = []
    for error in sweep.errors:
        measured = _measured(store, experiment, error)
        seconds = sum(_over_magnitudes(sweep, measured, name, 0) for name in sweep.measures)
        cells = len(sweep.magnitudes) * sweep.sets * len(sweep.measures)
        costs.append(
            Cost(
                error,
                len(sweep.magnitudes) * sweep.sets,
                cells,
                round(_alignments(sweep, measured) * sweep.sets),
                seconds * sweep.sets,
                round(per_cell * cells),
            )
        )
    return costs


def total(costs: Iterable[Cost]) -> Cost:
    """The sum over errors."""
    columns = zip(*(astuple(cost)[1:] for cost in costs), strict=True)
    return Cost("all", *map(sum, columns))


_Measured = dict[tuple[str, float], tuple[float, float]]


def _measured(store: Store, experiment: Experiment, error: str) -> _Measured:
    """(measure, magnitude) → median seconds and median alignments."""
    rows = store.rows(
        "SELECT m.text, magnitude, seconds, samples FROM cells"
        " JOIN texts m ON m.id = measure JOIN texts e ON e.id = error"
        ' WHERE experiment = ? AND e.text = ? AND "set" < 100',
        *(experiment.id, error),
    )
    groups: dict[tuple[str, float], list[tuple[float, float]]] = {}
    for name, magnitude, seconds, samples in rows:
        alignments = 0 if samples is None else samples + 1
        groups.setdefault((name, magnitude), []).append((seconds, alignments))
    return {
        key: (median(s for s, _ in values), median(a for _, a in values))
        for key, values in groups.items()
    }


def _over_magnitudes(sweep: Sweep, measured: _Measured, name: str, column: int) -> float:
    known = sorted((m, values[column]) for (n, m), values in measured.items() if n == name)
    if not known:
        return 0.0
    places, costs = zip(*known, strict=True)
    return float(np.interp(sweep.magnitudes, places, costs).sum())


def _alignments(sweep: Sweep, measured: _Measured) -> float:
    """Over all magnitudes of one set; measures of a family share theirs."""
    # Random sets of a measure that is held against chance are not aligned.
    aligned = [n for n in sweep.measures if not (sweep.beyond_chance and MEASURES[n].counts)]
    counts = [(MEASURES[n].shares, _over_magnitudes(sweep, measured, n, 1)) for n in aligned]
    shared = max((count for shares, count in counts if shares), default=0.0)
    return shared + sum(count for shares, count in counts if not shares)


def _bytes_per_cell(store: Store) -> float:
    """Size of the store over its cells; a typical size where a small pilot would mislead."""
    ((cells,),) = store.rows("SELECT count(*) FROM cells")
    ((pages,),) = store.rows("PRAGMA page_count")
    ((page,),) = store.rows("PRAGMA page_size")
    return float(pages * page / cells) if cells >= 1000 else 120.0
