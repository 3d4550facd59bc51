"""What a worker does: the cells of a chunk of tasks, from the sweep and the tasks alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from time import process_time

from gammacp.bench.seeds import measure_seed
from gammacp.bench.sweep import Cell, Sweep, Task
from gammacp.continuum import Continuum
from gammacp.errors import UsageError
from gammacp.measures.registry import MEASURES, measure_each
from gammacp.measures.score import Score
from gammacp.plugins import load_all


def import_modules(sweep: Sweep) -> None:
    """Import the user's own modules, so that what they register is there."""
    load_all(sweep.modules)


def check(sweep: Sweep) -> None:
    """Fail at once rather than in every task.

    Raises
    ------
    UsageError
        A measure, an error or a module is unknown, or an option belongs to no measure.
    DataError
        The reference contradicts itself or the errors.
    """
    import_modules(sweep)
    known = {option for name in sweep.measures for option in MEASURES[name].options}
    if not known.issuperset(sweep.options):
        # An experiment keeps its options while measures are added to it one by one.
        known |= {option for _, m in MEASURES.items() for option in m.options}
    for option in sorted(set(sweep.options) - known):
        raise UsageError(f"option {option!r} belongs to no measure")
    for error in sweep.errors:
        continuum_of(sweep, error, sweep.magnitudes[0], 0)


def compute(sweep: Sweep, tasks: Iterable[Task]) -> tuple[Cell, ...]:
    """The cells of these tasks; the same bits wherever and in whatever order it runs."""
    import_modules(sweep)
    return tuple(cell for task in tasks for cell in _cells(sweep, task))


def continuum_of(sweep: Sweep, error: str, magnitude: float, set_number: int) -> Continuum:
    """The annotation set of a cell."""
    return sweep.source.continuum(
        error, magnitude, set_number, n_annotators=sweep.n_annotators, seed=sweep.seed
    )


def _cells(sweep: Sweep, task: Task) -> Iterator[Cell]:
    began = process_time()
    continuum = continuum_of(sweep, task.error, task.magnitude, task.set_number)
    known = {option for name in task.measures for option in MEASURES[name].options}
    options = {key: value for key, value in sweep.options.items() if key in known}
    if "seed" in known:
        options["seed"] = measure_seed(sweep.seed, task.error, task.magnitude, task.set_number)
    for name, score in measure_each(continuum, task.measures, **options):
        ended = process_time()
        yield from _rows(task, name, score, ended - began)
        began = ended


def _rows(task: Task, name: str, score: Score, seconds: float) -> Iterator[Cell]:
    """The measure's own cell and, for measures by category, one per category.

    The first is there for every measure: it says that the measure is done.
    """
    status, bound = getattr(score, "status", None), getattr(score, "bound", None)
    samples = getattr(score, "samples", None)
    yield Cell(
        task.error,
        task.magnitude,
        task.set_number,
        name,
        float(score.value),
        reason=score.reason,
        status=None if status is None else str(status),
        bound=None if bound is None or math.isnan(bound) else float(bound),
        samples=None if samples is None else int(samples),
        seconds=seconds,
        signature=score.signature,
    )
    if not MEASURES[name].per_category:
        return
    for category, value in score.by_category.items():
        yield Cell(
            task.error,
            task.magnitude,
            task.set_number,
            f"{name}[{category}]",
            float(value),
            reason="undefined for this category" if math.isnan(value) else None,
            status=None if status is None else str(status),
            signature=score.signature,
        )
