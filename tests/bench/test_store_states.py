"""Stores through random histories of sweeps, stops, merges and reopenings."""

from __future__ import annotations

import shutil
import tempfile
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sweep_toys import ToySource

from gammacp.bench.merging import merge
from gammacp.bench.runner import SweepError, run
from gammacp.bench.store import Store
from gammacp.bench.sweep import Cell, Sweep, SweepTask
from gammacp.bench.work import compute
from gammacp.pools import WorkerPool

ERRORS = ("drop", "move", "move+drop")
MEASURES = ("toy-spread", "toy-random", "toy-by-category")
MAGNITUDES = (0.0, 0.25, 1.0)

some_of = lambda names: st.lists(st.sampled_from(names), min_size=1, unique=True).map(tuple)  # noqa: E731
sweeps = st.builds(
    Sweep,
    source=st.just(ToySource(units=2)),
    errors=some_of(ERRORS),
    measures=some_of(MEASURES),
    magnitudes=some_of(MAGNITUDES),
    sets=st.integers(1, 3),
    modules=st.just(("sweep_toys",)),
)


class Breaking(Executor):
    """Executor that computes at once in this thread, and breaks for good after some chunks."""

    def __init__(self, chunks: int) -> None:
        self.left = chunks

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.left == 0:
            raise RuntimeError("broken")
        self.left -= 1
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class Histories(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.store = Store.writing(self.folder / "s.sqlite")
        self.wanted: set[tuple[str, float, int, str]] = set()
        self.certain: set[tuple[str, float, int, str]] = set()

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.folder)

    @rule(sweep=sweeps)
    def sweep_all(self, sweep: Sweep) -> None:
        outcome = run(sweep, self.store, WorkerPool(executor=Breaking(-1), width=lambda: 1))
        keys = keys_of(sweep)
        assert outcome.reused <= len(keys & self.wanted)
        assert outcome.reused + outcome.computed == len(keys) == sweep.n_cells
        assert outcome.reused >= len(keys & self.certain)
        self.wanted |= keys
        self.certain |= keys

    @rule(sweep=sweeps, chunks=st.integers(0, 4))
    def sweep_until_it_breaks(self, sweep: Sweep, chunks: int) -> None:
        try:
            run(sweep, self.store, WorkerPool(executor=Breaking(chunks), width=lambda: 1))
        except SweepError:
            self.wanted |= keys_of(sweep)
        else:
            self.wanted |= keys_of(sweep)
            self.certain |= keys_of(sweep)

    @rule(sweep=sweeps)
    def merge_with_another(self, sweep: Sweep) -> None:
        other = self.folder / "other.sqlite"
        with Store.writing(other) as store:
            run(sweep, store, WorkerPool(executor=Breaking(-1), width=lambda: 1))
        merge(self.store, other)
        for path in self.folder.glob("other.sqlite*"):
            path.unlink()
        self.wanted |= keys_of(sweep)
        self.certain |= keys_of(sweep)

    @precondition(lambda self: hasattr(self, "store"))
    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = Store.writing(self.folder / "s.sqlite")

    @invariant()
    def every_cell_is_what_it_is_alone(self) -> None:
        if not hasattr(self, "store"):
            return
        rows = self.store.database.execute(
            'SELECT e.text, magnitude, "set", m.text, value FROM cells'
            " JOIN texts e ON e.id = error JOIN texts m ON m.id = measure"
        ).fetchall()
        values = {row[:4]: row[4] for row in rows if not row[3].endswith("]")}
        assert self.certain <= values.keys() <= self.wanted
        # A measure by category has further rows, one for each category.
        parts = sum(row[3].endswith("]") for row in rows)
        assert parts == 2 * sum(key[3] == "toy-by-category" for key in values)
        for key, value in values.items():
            alone = expected(key)
            assert value == (None if alone.value != alone.value else alone.value)


def keys_of(sweep: Sweep) -> set[tuple[str, float, int, str]]:
    return {(t.error, t.magnitude, t.set_number, m) for t in sweep.tasks() for m in t.measures}


KNOWN: dict[tuple[str, float, int, str], Cell] = {}


def expected(key: tuple[str, float, int, str]) -> Cell:
    """Return the cell computed by itself, from nothing but its key."""
    if key not in KNOWN:
        error, magnitude, number, measure = key
        sweep = Sweep(
            source=ToySource(units=2),
            errors=(error,),
            measures=(measure,),
            modules=("sweep_toys",),
        )
        KNOWN[key] = compute(sweep, [SweepTask(error, magnitude, number, (measure,))])[0]
    return KNOWN[key]


Histories.TestCase.settings = settings(max_examples=6, stateful_step_count=12, deadline=None)
TestHistories = Histories.TestCase


class ManyHistories(Histories):
    """The same state machine with more steps, for the slow run."""


ManyHistories.TestCase.settings = settings(max_examples=20, stateful_step_count=12, deadline=None)
TestManyHistories = pytest.mark.slow(ManyHistories.TestCase)


def test_a_cell_does_not_depend_on_other_cells() -> None:
    sweep = Sweep(
        source=ToySource(units=2), errors=ERRORS, measures=MEASURES, modules=("sweep_toys",)
    )
    together = compute(sweep, [SweepTask("move", 0.25, 2, MEASURES)])
    apart = [
        cell
        for name in MEASURES
        for cell in compute(replace(sweep, errors=("move",)), [SweepTask("move", 0.25, 2, (name,))])
    ]
    bits = [(c.measure, repr(c.value), c.reason, c.signature) for c in together]
    assert bits == [(c.measure, repr(c.value), c.reason, c.signature) for c in apart]
