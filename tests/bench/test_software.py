"""Versions of the software that computed the cells: stores and workers of others are refused."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from sweep_toys import forge

from gammacp.base.software import differences, software
from gammacp.bench.export import export_cells
from gammacp.bench.merging import merge
from gammacp.bench.results import write_results
from gammacp.bench.runner import Outcome, run
from gammacp.bench.schema import connect_store
from gammacp.bench.store import OtherSoftware, Store
from gammacp.bench.sweep import Sweep
from gammacp.bench.work import compute_on_worker, own_modules
from gammacp.errors import DataError
from gammacp.pools import PoolError, open_pool

Build = Callable[..., Sweep]

_SOURCE = """
from sweep_toys import ToySource
import own_helper

class OwnSource(ToySource):
    def draw(self, error, magnitude, number, *, n_annotators, seed):
        from own_late import FACTOR
        seed = seed + own_helper.SHIFT * FACTOR
        return super().draw(error, magnitude, number, n_annotators=n_annotators, seed=seed)
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Return a user's own source, which imports one module at its top and one late."""
    (tmp_path / "own_source.py").write_text(_SOURCE)
    (tmp_path / "own_helper.py").write_text("SHIFT = 1\n")
    (tmp_path / "own_late.py").write_text("FACTOR = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("own_source")
    for name in ("own_source", "own_helper", "own_late"):
        sys.modules.pop(name, None)


def changed(module: ModuleType, path: Path, text: str) -> ModuleType:
    """Return the module after a file was changed and the module reloaded."""
    path.write_text(text)
    importlib.invalidate_caches()
    return importlib.reload(module)


def swept(sweep: Sweep, path: Path, *, mixed: bool = False) -> Outcome:
    with Store.writing(path) as store, open_pool("serial") as pool:
        return run(sweep, store, pool, mixed=mixed)


def edit(path: Path, change: str, *values: object) -> None:
    """Change runs as if they had been so from the beginning."""
    database = connect_store(path)
    database.execute(f"UPDATE runs SET {change}, cells = cells", values)
    database.close()


def of_other_numpy(path: Path) -> Path:
    """Change a store as if another version of numpy had filled it."""
    other = software(("sweep_toys",)) | {"numpy": "1.0"}
    edit(path, "software = ?", json.dumps(other))
    return path


def test_software_is_versions_and_sources(own: ModuleType) -> None:
    del own
    versions = software(("own_source", "no_such_module"))
    assert versions["numpy"] == importlib.import_module("numpy").__version__
    assert {"python", "ortools", "scipy", "numba", "source of gammacp"} <= versions.keys()
    assert len(versions["source of own_source"]) == 12
    assert versions["source of no_such_module"] == "not in a file"


@pytest.mark.parametrize("name", ["own_source", "own_helper", "own_late"])
def test_a_change_in_a_module_or_in_its_imports_is_seen(
    own: ModuleType, tmp_path: Path, name: str
) -> None:
    before = software(("own_source",))
    path = tmp_path / f"{name}.py"
    text = path.read_text()
    path.write_text(text + "# changed\n")
    # The loaded code counts, so that a change of the file alone is not seen.
    assert software(("own_source",)) == before
    changed(own, path, text + "# changed\n")
    assert list(differences(before, software(("own_source",))).split())[:3] == [
        "source",
        "of",
        "own_source",
    ]


def test_modules_of_source_measures_and_those_named_count(
    own: ModuleType, toy_sweep: Build
) -> None:
    assert own_modules(toy_sweep(source=own.OwnSource())) == ("own_source", "sweep_toys")
    assert own_modules(toy_sweep(modules=())) == ("sweep_toys",)


def test_a_store_of_other_software_is_refused(toy_sweep: Build, tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    swept(toy_sweep(sets=2), path)
    of_other_numpy(path)
    complaint = (
        r"'bench' were computed by other software \(numpy 1\.0 there, \d\S+ here\).*`mixed=`"
    )
    for sets in (2, 3):  # also where nothing is left to compute
        with pytest.raises(OtherSoftware, match=complaint):
            swept(toy_sweep(sets=sets), path)
    with Store.writing(path) as store, open_pool("serial") as pool:
        assert run(toy_sweep(sets=2), store, pool, resume=False).reused == 0


def test_a_sweep_continued_with_other_software_is_recorded(
    toy_sweep: Build, tmp_path: Path
) -> None:
    path = tmp_path / "s.sqlite"
    swept(toy_sweep(sets=2), path)
    of_other_numpy(path)
    swept(toy_sweep(sets=3), path, mixed=True)
    swept(toy_sweep(sets=4), path)  # the run before had this software
    with Store.writing(path) as store:
        (experiment,) = store.experiments()
        assert [r.mixed for r in store.runs(experiment)] == [False, True, False]
        written = write_results(toy_sweep(sets=4), store, tmp_path, figures=False)
        export_cells(store, tmp_path / "cells.csv", times=True)
    assert written.notes[0].startswith(
        "cells were computed by 2 kinds of software (numpy 1.0 there"
    )
    assert len(json.loads((tmp_path / "move.json").read_text())["software"]) == 2
    rows = [line.split(",") for line in (tmp_path / "cells.csv").read_text().splitlines()]
    runs = {int(row[3]): int(row[-1]) for row in rows[1:]}
    assert runs == {0: 1, 1: 1, 2: 2, 3: 3}


def test_a_worker_with_other_code_computes_nothing(
    own: ModuleType, toy_sweep: Build, tmp_path: Path
) -> None:
    """A worker that was started before a change refuses to compute for a client started
    after it.
    """
    sweep = toy_sweep(source=own.OwnSource())
    modules = own_modules(sweep)
    wanted = software(modules)
    task = next(sweep.tasks())
    assert compute_on_worker(wanted, modules, sweep, [task])
    path = tmp_path / "own_helper.py"
    changed(own, path, "SHIFT = 2\n")
    with pytest.raises(
        PoolError, match=r"other software \(source of own_source \w+ there, \w+ here"
    ):
        compute_on_worker(wanted, modules, sweep, [task])


def test_merging_stores_of_other_software_must_be_asked_for(
    toy_sweep: Build, tmp_path: Path
) -> None:
    one, other = tmp_path / "one.sqlite", tmp_path / "other.sqlite"
    swept(toy_sweep(sets=2), one)
    swept(toy_sweep(sets=3), other)
    of_other_numpy(other)
    with Store.writing(one) as target:
        with pytest.raises(OtherSoftware, match=r"numpy 1\.0 there"):
            merge(target, other)
        assert merge(target, other, mixed=True).added == 40
        (experiment,) = target.experiments()
        assert len({tuple(r.software.items()) for r in target.runs(experiment)}) == 2
        runs = target.rows('SELECT DISTINCT "set", run FROM cells ORDER BY 1')
        assert list(runs) == [(0, 1), (1, 1), (2, 2)]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (None, "same software on the same kind of processor .*: the measure does not repeat"),
        ("processor", r"same software on another processor \(Elbrus there, .* here\): .* round"),
        ("software", r"Computed by other software \(numpy 1\.0 there"),
    ],
)
def test_a_conflict_says_what_differs(
    toy_sweep: Build, tmp_path: Path, change: str | None, told: str
) -> None:
    one, other = tmp_path / "one.sqlite", tmp_path / "other.sqlite"
    swept(toy_sweep(sets=2), one)
    swept(toy_sweep(sets=2), other)
    forge(other, 'value = value + 1e-15 WHERE magnitude = 0.5 AND "set" = 1')
    if change == "processor":
        edit(other, "processor = 'Elbrus'")
    elif change == "software":
        of_other_numpy(other)
    with (
        Store.writing(one) as target,
        pytest.raises(DataError, match=rf"\(apart by 1e-15\)\. .*{told}"),
    ):
        merge(target, other, mixed=True)
