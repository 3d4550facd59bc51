"""The work of a worker: computing the cells of tasks from the sweep and the tasks alone."""

import math
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from time import process_time
from typing import Any

from gammacp.base.software import software
from gammacp.bench.seeds import measure_seed
from gammacp.bench.sweep import Cell, Sweep, SweepTask, modules_in, to_json
from gammacp.errors import UsageError
from gammacp.measures.beyond_chance import CHANCE_OPTIONS, beyond_chance_of
from gammacp.measures.evaluation import measure_each
from gammacp.measures.registry import MEASURES
from gammacp.measures.score import Score
from gammacp.plugins import load_all
from gammacp.pools.opening import check_same
from shuffling.registry import ERRORS
from shuffling.setting import fewer_errors


def check(sweep: Sweep) -> list[str]:
    """Check a sweep before it runs; return what cannot be done in full (`FewerErrors`).

    Raises
    ------
    UsageError
        A measure, an error or a module is unknown, or an option belongs to no measure.
    DataError
        The reference contradicts itself or the errors.
    """
    load_all(sweep.modules)  # so that what they register is there
    option_names = {option for name in sweep.measures for option in MEASURES[name].options}
    if sweep.beyond_chance:
        option_names |= CHANCE_OPTIONS
    else:
        option_names |= set()
    if not option_names.issuperset(sweep.options):
        # An experiment keeps its options while measures are added to it one by one.
        option_names |= {option for _, m in MEASURES.items() for option in m.options}
    for option in sorted(set(sweep.options) - option_names):
        raise UsageError(f"{option} is an option of no measure")
    notes = []
    for error in sweep.errors:
        with fewer_errors() as fewer:
            _check_applies(sweep.measures, annotation_set(sweep, error, sweep.magnitudes[-1], 0))
        notes += [f"magnitude {sweep.magnitudes[-1]:g}, set 0: {each}" for each in fewer]
    return notes


def compute(sweep: Sweep, tasks: Iterable[SweepTask]) -> tuple[Cell, ...]:
    """Return the cells of these tasks, bit for bit the same wherever and in any order."""
    load_all(sweep.modules)  # so that what they register is there
    return tuple(cell for task in tasks for cell in _cells(sweep, task))


def own_modules(sweep: Sweep) -> tuple[str, ...]:
    """Return the user's own modules that decide values, imported already.

    Those that the sweep names, and those of its measures, errors, source and options.
    """
    errors = (part.partition(":")[0].strip() for e in sweep.errors for part in e.split("+"))
    module_names = {
        *(MEASURES[name].function.__module__ for name in sweep.measures),
        *(ERRORS[name].__module__ for name in errors if name in ERRORS),
        *(type(error).__module__ for error in _panel_errors(sweep)),
        type(sweep.source).__module__,
        *modules_in(to_json(sweep.configuration)),
    }
    ours = {m for m in module_names if m.partition(".")[0] in ("gammacp", "shuffling")}
    named = {module.__name__ for module in load_all(sweep.modules)}
    return tuple(sorted(named | (module_names - ours)))


def _panel_errors(sweep: Sweep) -> tuple[object, ...]:
    """Return the errors that the source's panel names; empty without a panel."""
    panel = getattr(sweep.source, "panel", None)
    return () if panel is None else panel.errors


def compute_on_worker(
    expected: Mapping[str, str], modules: Sequence[str], sweep: Sweep, tasks: Iterable[SweepTask]
) -> tuple[Cell, ...]:
    """Call `compute` if the worker has the sweep's software.

    Raises
    ------
    PoolError
        The worker has loaded other software than `expected`.
    """
    load_all(sweep.modules)  # so that what they register is there
    check_same(f"process {os.getpid()} on {platform.node()}", software(modules), expected)
    return compute(sweep, tasks)


def _check_applies(measures: Iterable[str], annotations: Any) -> None:
    kind = annotations.applies_to
    if kind == "continuum":
        data_name = "units"
    else:
        data_name = kind
    for name in measures:
        if MEASURES[name].applies_to != kind:
            applicable = ", ".join(n for n, m in MEASURES.items() if m.applies_to == kind)
            raise UsageError(
                f"measure {name!r} does not apply to {data_name}; these do: {applicable}"
            )


def annotation_set(sweep: Sweep, error: str, magnitude: float, set_number: int) -> Any:
    """Return the annotation set of a cell."""
    return sweep.source.draw(
        error, magnitude, set_number, n_annotators=sweep.n_annotators, seed=sweep.seed
    )


def _cells(sweep: Sweep, task: SweepTask) -> Iterator[Cell]:
    began = process_time()
    with fewer_errors():  # the parent's check says so
        drawn = annotation_set(sweep, task.error, task.magnitude, task.set_number)
    option_names = {option for name in task.measures for option in MEASURES[name].options}
    seed = measure_seed(sweep.seed, task.set_number)
    options = {key: value for key, value in sweep.options.items() if key in option_names}
    if "seed" in option_names:
        options["seed"] = seed
    chance = {k: v for k, v in sweep.options.items() if k in CHANCE_OPTIONS} | {"seed": seed}
    for name, score in measure_each(drawn, task.measures, **options):
        if sweep.beyond_chance:
            # One by one: a measure's random sets must not depend on what else is asked for.
            score = beyond_chance_of(drawn, {name: score}, {**options, **chance})[name]
        ended = process_time()
        yield from _rows(task, name, score, ended - began)
        began = ended


def _rows(task: SweepTask, name: str, score: Score, seconds: float) -> Iterator[Cell]:
    """Yield the measure's own cell and, for measures by category, one per category.

    The first is there for every measure: it says that the measure is done.
    """
    status = score.status
    bound = getattr(score, "bound", None)
    reported = score.beyond_chance or score
    samples = getattr(reported, "samples", None)
    cell = Cell(
        task.error,
        task.magnitude,
        task.set_number,
        name,
        float(reported.value),
        reason=reported.reason,
        status=None if status is None else str(status),
        bound=None if bound is None or math.isnan(bound) else float(bound),
        samples=None if samples is None else int(samples),
        seconds=seconds,
        signature=reported.signature,
    )
    yield cell
    # By category only γ_k is beyond chance, by itself.
    if not MEASURES[name].per_category:
        return
    if score.beyond_chance is not None and MEASURES[name].counts:
        return
    for category, value in score.by_category.items():
        if math.isnan(value):
            reason = "undefined for this category"
        else:
            reason = None
        yield replace(
            cell,
            measure=f"{name}[{category}]",
            value=float(value),
            reason=reason,
            bound=None,
            samples=None,
            seconds=0.0,
        )
