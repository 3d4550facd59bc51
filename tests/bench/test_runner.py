from __future__ import annotations

import math
import signal
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sweep_toys import ToySource

from gammacp.bench.curves import curves
from gammacp.bench.export import export_cells
from gammacp.bench.results import write_results
from gammacp.bench.runner import Outcome, SweepError, run
from gammacp.bench.seeds import measure_seed
from gammacp.bench.source import Shuffled
from gammacp.bench.store import Store, StoredSweep
from gammacp.bench.sweep import Sweep, SweepTask
from gammacp.bench.work import annotation_set, check, compute
from gammacp.errors import UsageError
from gammacp.measures.measuring import measure
from gammacp.pools import open_pool

Build = Callable[..., Sweep]


def swept(sweep: Sweep, folder: Path, executor: str = "serial", jobs: int = 1) -> Outcome:
    with Store.writing(folder / "s.sqlite") as store, open_pool(executor, jobs) as pool:
        return run(sweep, store, pool)


def exported(folder: Path) -> str:
    with Store.reading(folder / "s.sqlite") as store:
        export_cells(store, folder / "cells.csv")
    return (folder / "cells.csv").read_text(encoding="utf-8")


def test_serial_and_processes_give_the_same_rows(toy_sweep: Build, tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    sweep = toy_sweep()
    one = swept(sweep, tmp_path / "1")
    two = swept(sweep, tmp_path / "2", "processes", 2)
    assert one.computed == two.computed == sweep.n_cells == 2 * 4 * 5 * 3
    assert exported(tmp_path / "1") == exported(tmp_path / "2")
    # The cells by category come in addition: two categories each.
    assert exported(tmp_path / "1").count("\n") == 1 + sweep.n_cells + 2 * 4 * 5 * 2


@pytest.mark.slow
def test_real_measures_do_not_depend_on_executor_or_order(tmp_path: Path) -> None:
    """Real measures give the same cells in one process, in two, and in reverse order in
    two parts.
    """
    sweep = Sweep(
        source=Shuffled(),
        errors=("split", "position+category"),
        measures=("gamma", "gamma-cat", "cu-alpha", "ser"),
        magnitudes=(0.2, 0.8),
        sets=2,
        options={"samples": 4},
    )
    stores = {name: tmp_path / name for name in ("serial", "processes", "parts")}
    for folder in stores.values():
        folder.mkdir()
    swept(sweep, stores["serial"])
    swept(sweep, stores["processes"], "processes", 2)
    for part in (
        replace(sweep, measures=("ser", "gamma-cat"), errors=("position+category",)),
        replace(sweep, measures=sweep.measures[::-1], errors=sweep.errors[::-1]),
    ):
        swept(part, stores["parts"])
    whole = exported(stores["serial"])
    assert whole == exported(stores["processes"]) == exported(stores["parts"])
    assert whole.count(",optimal,") == 16


def test_extending_computes_only_what_is_new(toy_sweep: Build, tmp_path: Path) -> None:
    parts = [
        toy_sweep(magnitudes=(0, 0.5), sets=2, errors=("move",), measures=("toy-random",)),
        toy_sweep(magnitudes=(0, 0.5), sets=2, errors=("move",)),  # more measures
        toy_sweep(magnitudes=(0, 0.5), errors=("move",)),  # more sets
        toy_sweep(errors=("move",)),  # finer steps
        toy_sweep(),  # more errors
        toy_sweep(),  # nothing
    ]
    (tmp_path / "parts").mkdir()
    (tmp_path / "whole").mkdir()
    outcomes = [swept(part, tmp_path / "parts") for part in parts]
    assert [o.computed for o in outcomes] == [4, 8, 18, 30, 60, 0]
    assert [o.reused for o in outcomes] == [0, 4, 12, 30, 60, 120]
    swept(toy_sweep(), tmp_path / "whole")
    assert exported(tmp_path / "parts") == exported(tmp_path / "whole")


def test_a_signal_is_noticed_while_missing_cells_are_looked_up(
    toy_sweep: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal ends the search for missing cells, which takes long in a store of millions
    of cells.
    """
    swept(toy_sweep(), tmp_path)
    measures_done, asked = Store.measures_done, list[SweepTask]()

    def done(store: Store, experiment: StoredSweep, task: SweepTask) -> list[str]:
        asked.append(task)
        if len(asked) == 3:
            signal.raise_signal(signal.SIGINT)
        return measures_done(store, experiment, task)

    monkeypatch.setattr(Store, "measures_done", done)
    assert swept(toy_sweep(), tmp_path).computed == len(asked) == 0
    outcome = swept(toy_sweep(sets=6), tmp_path)
    assert (outcome.interrupted, outcome.computed, len(asked)) == (True, 0, 3)


def test_another_configuration_is_refused(toy_sweep: Build, tmp_path: Path) -> None:
    swept(toy_sweep(), tmp_path)
    with pytest.raises(UsageError, match=r"n_annotators: 3 versus 4.*`experiment=`"):
        swept(toy_sweep(n_annotators=4), tmp_path)
    with pytest.raises(UsageError, match=r"source.units: 4 versus 5"):
        swept(toy_sweep(source=ToySource(units=5)), tmp_path)
    with pytest.raises(UsageError, match=r"options.factor: absent versus 0.5"):
        swept(toy_sweep(options={"factor": 0.5}), tmp_path)
    assert swept(toy_sweep(n_annotators=4, experiment="four"), tmp_path).reused == 0


def test_without_resume_the_experiment_starts_anew(toy_sweep: Build, tmp_path: Path) -> None:
    swept(toy_sweep(), tmp_path)
    with Store.writing(tmp_path / "s.sqlite") as store, open_pool("serial") as pool:
        outcome = run(toy_sweep(seed=1), store, pool, resume=False)
        assert outcome.reused == 0
        assert [e.name for e in store.experiments()] == ["bench"]


def test_unknown_measures_and_options_are_refused_at_once(toy_sweep: Build, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'toy-spread'"):
        swept(toy_sweep(measures=("toy-sprad",)), tmp_path)
    with pytest.raises(UsageError, match="factr is an option of no measure"):
        swept(toy_sweep(options={"factr": 1}), tmp_path)
    with pytest.raises(UsageError, match="module 'no_such' cannot be imported"):
        swept(toy_sweep(modules=("no_such",)), tmp_path)


@pytest.mark.slow
def test_a_dying_worker_costs_only_its_own_task(toy_sweep: Build, tmp_path: Path) -> None:
    sweep = toy_sweep(source=ToySource(deadly=(0.25, 3)), errors=("move",))
    outcome = swept(sweep, tmp_path, "processes", 2)
    assert [(f.task.magnitude, f.task.set_number) for f in outcome.failures] == [(0.25, 3)]
    assert "ended with code 9; tried 3 times" in outcome.failures[0].why
    assert outcome.computed == sweep.n_cells - 3
    # Running again, without the death, computes the missing cells.
    again = swept(toy_sweep(errors=("move",)), tmp_path)
    assert (again.computed, again.failures) == (3, [])


@pytest.mark.slow
def test_a_worker_that_dies_twice_is_forgiven(toy_sweep: Build, tmp_path: Path) -> None:
    source = ToySource(deadly=(0.5, 1), deaths=2, log=str(tmp_path))
    sweep = toy_sweep(source=source, errors=("move",), sets=2)
    outcome = swept(sweep, tmp_path, "processes", 2)
    assert (outcome.computed, outcome.failures) == (sweep.n_cells, [])


@pytest.mark.parametrize("executor", ["serial", pytest.param("processes", marks=pytest.mark.slow)])
def test_a_fault_costs_only_its_own_task(toy_sweep: Build, tmp_path: Path, executor: str) -> None:
    sweep = toy_sweep(source=ToySource(faulty=(0.25, 3)))
    outcome = swept(sweep, tmp_path, executor, 1)
    assert {(f.task.magnitude, f.task.set_number) for f in outcome.failures} == {(0.25, 3)}
    assert "ZeroDivisionError: a fault of the source" in outcome.failures[0].why
    assert outcome.computed == sweep.n_cells - 2 * 3


def test_a_sweep_in_which_nothing_succeeds_is_given_up(toy_sweep: Build, tmp_path: Path) -> None:
    sweep = toy_sweep(magnitudes=(0.5,), sets=200, measures=("toy-faulty",))
    with pytest.raises(SweepError, match=r"tasks all failed: .*ZeroDivisionError"):
        swept(sweep, tmp_path)


def test_old_failures_do_not_keep_a_sweep_from_being_extended(
    toy_sweep: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gammacp.bench.runner.HOPELESS", 2)
    source = ToySource(faulty=(0.25, 0))
    swept(toy_sweep(source=source, sets=1), tmp_path)
    again = swept(toy_sweep(source=source, sets=1), tmp_path)
    assert (again.computed, len(again.failures)) == (0, 2)
    assert swept(toy_sweep(source=source, sets=2), tmp_path).computed == 2 * 4 * 3


def test_cells_say_why_they_are_undefined(toy_sweep: Build, tmp_path: Path) -> None:
    swept(toy_sweep(sets=30), tmp_path)  # the sets of a sweep share their seeds
    database = sqlite3.connect(tmp_path / "s.sqlite")
    rows = database.execute(
        "SELECT m.text, r.text FROM cells JOIN texts m ON m.id = measure"
        " LEFT JOIN texts r ON r.id = reason WHERE value IS NULL"
    ).fetchall()
    assert set(rows) == {("toy-random", "too small"), ("toy-by-category", None)}
    database.close()


def test_curves_are_mean_sd_and_counts_of_the_cells(toy_sweep: Build, tmp_path: Path) -> None:
    swept(toy_sweep(), tmp_path)
    with Store.reading(tmp_path / "s.sqlite") as store:
        (experiment,) = store.experiments()
        points = curves(store, experiment)
        values = store.database.execute(
            "SELECT value FROM cells JOIN texts ON texts.id = measure WHERE text = 'toy-random'"
            " AND magnitude = 1 AND value IS NOT NULL AND error IN"
            " (SELECT id FROM texts WHERE text = 'move')"
        ).fetchall()
    point = next(p for p in points if (p.error, p.magnitude) == ("move", 1) and "dom" in p.measure)
    mean = math.fsum(v for (v,) in values) / len(values)
    assert point.mean == pytest.approx(mean, abs=1e-15)
    variance = math.fsum((v - mean) ** 2 for (v,) in values) / (len(values) - 1)
    assert point.sd == pytest.approx(math.sqrt(variance), abs=1e-15)
    assert (point.sets, point.undefined) == (5, 5 - len(values))
    assert {p.measure for p in points} == {
        "toy-spread",
        "toy-random",
        "toy-by-category[a]",
        "toy-by-category[b]",
    }


def test_values_beyond_chance_do_not_depend_on_other_measures() -> None:
    """A value beyond chance is that of `measure(…, beyond_chance=True)`, whatever else is swept."""
    names = ("gamma", "ser", "f1-overlap", "ku-alpha", "s")
    sweep = Sweep(
        source=Shuffled(),
        errors=("position",),
        measures=names,
        magnitudes=(0.5,),
        sets=2,
        options={"samples": 5},
        beyond_chance=True,
    )
    cells = {c.measure: c for c in compute(sweep, [SweepTask("position", 0.5, 1, names)])}
    alone = {n: compute(sweep, [SweepTask("position", 0.5, 1, (n,))])[0] for n in names}
    drawn = annotation_set(sweep, "position", 0.5, 1)
    seed = measure_seed(0, 1)
    for name in ("gamma", "ser", "f1-overlap"):
        wanted = measure(drawn, [name], beyond_chance=True, samples=5, seed=seed)[name]
        assert wanted.beyond_chance is not None
        assert cells[name].value == alone[name].value == wanted.beyond_chance.value
        assert cells[name].samples == 5
        assert "|chance:cut" in cells[name].signature
    assert cells["ser"].value != measure(drawn, ["ser"])["ser"].value
    assert cells["ku-alpha"].reason
    assert cells["s"].reason
    assert set(cells) == set(names)  # values of categories are not beyond chance
    assert check(sweep) == []


def test_random_sets_without_a_value_are_counted(tmp_path: Path) -> None:
    """Random sets without a value are counted, and a few of them leave the value defined."""
    sweep = Sweep(
        source=ToySource(),
        errors=("move",),
        measures=("toy-sometimes",),
        magnitudes=(0.5,),
        sets=3,
        options={"samples": 100},
        beyond_chance=True,
    )
    with Store.writing(tmp_path / "s.sqlite") as store, open_pool("serial") as pool:
        run(sweep, store, pool)
        written = write_results(sweep, store, tmp_path, figures=False)
    rows = exported(tmp_path).splitlines()[1:]
    some = sum("|without:" in row for row in rows)
    assert some
    note = f"{some} values rest on random sets, some of which have no value"
    assert note in " ".join(written.notes)
