from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from sweep_toys import forge

from gammacp.bench.export import export_cells
from gammacp.bench.merging import merge
from gammacp.bench.runner import run
from gammacp.bench.schema import VERSION
from gammacp.bench.status import status
from gammacp.bench.store import Store
from gammacp.bench.store_file import StoreError
from gammacp.bench.sweep import Cell, Sweep
from gammacp.errors import DataError, UsageError
from gammacp.pools import open_pool

Build = Callable[..., Sweep]


def filled(path: Path, sweep: Sweep) -> Path:
    with Store.writing(path) as store, open_pool("serial") as pool:
        run(sweep, store, pool)
    return path


def exported(path: Path, suffix: str = ".csv") -> bytes:
    out = path.with_suffix(suffix)
    with Store.reading(path) as store:
        export_cells(store, out)
    return out.read_bytes()


def test_other_files_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text.sqlite"
    text.write_text("annotator,category,start,end\n" * 100)
    database = tmp_path / "database.sqlite"
    other = sqlite3.connect(database)
    other.execute("CREATE TABLE t (x)")
    other.close()
    for path in (text, database):
        for opened in (Store.writing, Store.reading):
            with pytest.raises(DataError, match=r"not a store of sweeps.*Choose another `store=`"):
                opened(path)
    assert text.read_text().startswith("annotator")
    with pytest.raises(DataError, match="no such store"):
        Store.reading(tmp_path / "absent.sqlite")
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(DataError, match="empty: no sweep was started"):
        Store.reading(tmp_path / "empty.sqlite")


@pytest.mark.parametrize("name", ["folder", "", ".", "/"])
def test_a_folder_is_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    for opened in (Store.writing, Store.reading):
        with pytest.raises(DataError, match="a folder, not a store"):
            opened(name)
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_a_store_of_another_version_is_refused(toy_sweep: Build, tmp_path: Path) -> None:
    path = filled(tmp_path / "s.sqlite", toy_sweep())
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {VERSION + 1}")
    database.close()
    for opened in (Store.writing, Store.reading):
        with pytest.raises(
            DataError, match=f"store of version {VERSION + 1}.*Use the gammacp that"
        ):
            opened(path)


def test_a_damaged_store_is_an_error_and_untouched(toy_sweep: Build, tmp_path: Path) -> None:
    path = filled(tmp_path / "s.sqlite", toy_sweep(sets=40))
    content = bytearray(path.read_bytes())
    content[2 * 4096 : 8 * 4096] = b"\xff" * (6 * 4096)
    path.write_bytes(content)
    with pytest.raises(DataError, match="damaged"):
        filled(path, toy_sweep(sets=41))
    assert path.read_bytes() == bytes(content)


def damaged_by(draw: random.Random, content: bytes) -> bytes:
    """Return the store with a bit, a byte, some bytes or a page changed, or cut."""
    changed = bytearray(content)
    place = draw.randrange(len(changed))
    pages = [slice(k, k + 4096) for k in range(0, len(changed), 4096)]
    page, other = draw.choice(pages), draw.choice(pages)
    match draw.choice(("bit", "byte", "some", "cut", "empty page", "stale page", "swapped")):
        case "bit":
            changed[place] ^= 1 << draw.randrange(8)
        case "byte":
            changed[place] = draw.randrange(256)
        case "some":
            changed[place : place + 20] = draw.randbytes(len(changed[place : place + 20]))
        case "cut":
            del changed[place:]
        case "empty page":
            changed[page] = bytes(4096)
        case "stale page":
            changed[page] = changed[other]
        case "swapped":
            changed[page], changed[other] = changed[other], changed[page]
    return bytes(changed)


def never_less(folder: Path, whole: Path, damages: int) -> int:
    """Damage a store repeatedly, check that it is refused or read in full, and count the
    refusals.
    """
    content, cells = whole.read_bytes(), exported(whole)
    path, refused = folder / "damaged.sqlite", 0
    for seed in range(damages):
        path.write_bytes(damaged_by(random.Random(seed), content))
        try:
            assert exported(path) == cells, f"damage {seed}"
            Store.writing(path).close()
        except DataError as error:
            refused += 1
            assert path.name in str(error)
        for file in folder.glob("damaged.sqlite-*"):
            file.unlink()
    return refused


@pytest.mark.parametrize("damages", [150, pytest.param(5_000, marks=pytest.mark.slow)])
def test_no_damage_loses_cells_silently(toy_sweep: Build, tmp_path: Path, damages: int) -> None:
    path = filled(tmp_path / "s.sqlite", toy_sweep(sets=10))
    filled(path, toy_sweep(sets=12))  # a second run
    refused = never_less(tmp_path, path, damages)
    # The other damages hit unused bytes.
    assert 0.6 * damages < refused < damages


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ('DELETE FROM cells WHERE "set" = 3', "has 160 cells, but had 200"),
        ("UPDATE cells SET value = value + 1e-15", "cells of run 1 of .* were changed"),
        ("UPDATE cells SET signature = 1", "cells of run 1 of .* were changed"),
        ("UPDATE texts SET text = 'other' WHERE text = 'toy-spread'", "1 texts were changed"),
        ("DELETE FROM texts WHERE text = 'toy-spread'", "names a row of texts that is missing"),
        ("UPDATE experiments SET name = 'other'", "or its record, were changed"),
        ("UPDATE runs SET processor = 'other'", "or its record, were changed"),
        ("DELETE FROM runs", "names a row of runs that is missing"),
        ("DROP TRIGGER sum_cell", "its tables are not those that gammacp makes"),
        ("CREATE VIEW v AS SELECT 1", "its tables are not those that gammacp makes"),
    ],
)
def test_changes_by_others_are_reported(
    toy_sweep: Build, tmp_path: Path, statement: str, told: str
) -> None:
    path = filled(tmp_path / "s.sqlite", toy_sweep())
    database = sqlite3.connect(path)
    database.execute(statement)
    database.commit()
    database.close()
    for opened in (Store.writing, Store.reading):
        with pytest.raises(DataError, match=told):
            opened(path)


def test_a_store_is_sound_while_it_is_written(toy_sweep: Build, tmp_path: Path) -> None:
    """A store can be read between the chunks of a run and after a kill, when its log is still
    there.
    """
    path = tmp_path / "s.sqlite"
    with Store.writing(path) as store, open_pool("serial") as pool:
        states = []

        def look(*_: object) -> None:
            with Store.reading(path) as reader:
                states.append(next(reader.rows("SELECT count(*) FROM cells"))[0])

        run(toy_sweep(), store, pool, progress=look)
        for part in ("s.sqlite", "s.sqlite-wal"):
            (tmp_path / part.replace("s.", "killed.")).write_bytes((tmp_path / part).read_bytes())
    assert sorted(states) == states
    assert states[0] == 0
    assert states[-1] == 200
    assert exported(tmp_path / "killed.sqlite") == exported(path)


def test_one_process_writes_others_read(toy_sweep: Build, tmp_path: Path) -> None:
    path = filled(tmp_path / "s.sqlite", toy_sweep())
    with Store.writing(path):
        with pytest.raises(StoreError, match="another process is writing"):
            Store.writing(path)
        with Store.reading(path) as reader:
            assert status(reader)[0]["experiment"] == "bench"
    Store.writing(path).close()


def test_a_link_to_a_store_has_its_lock(toy_sweep: Build, tmp_path: Path) -> None:
    path = filled(tmp_path / "s.sqlite", toy_sweep(sets=1))
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.sqlite"
    link.symlink_to(path)
    with Store.writing(link), pytest.raises(StoreError, match="another process is writing"):
        Store.writing(path)


def test_a_transaction_is_all_or_nothing(toy_sweep: Build, tmp_path: Path) -> None:
    with Store.writing(tmp_path / "s.sqlite") as store:
        experiment = store.begin(toy_sweep())
        run = store.begin_run(experiment)
        new = Cell("e", 0.5, 1, "m", 0.25, reason="a new text")
        twice = [new, Cell("e", 0.5, 2, "m", 0.5), Cell("e", 0.5, 2, "m", 0.5)]
        with pytest.raises(DataError, match="UNIQUE"):
            store.add(experiment, twice, run=run)
        store.add(experiment, [new], run=run)
        assert store.database.execute("SELECT count(*), sum(value) FROM cells").fetchone() == (
            1,
            0.25,
        )


def test_a_full_disk_keeps_what_was_committed(toy_sweep: Build, tmp_path: Path) -> None:
    """Cells committed before the disk is full are kept.

    RLIMIT_FSIZE, in a process of its own, makes writes fail beyond a size.
    """
    path = filled(tmp_path / "s.sqlite", toy_sweep(sets=1))
    before = exported(path)
    code = (
        "import resource, signal, sys\n"
        "from gammacp.bench.store import Store\n"
        "from gammacp.bench.sweep import Cell\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"store = Store.writing({str(path)!r})\n"
        "(experiment,) = store.experiments()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))\n"
        "for i in range(100):\n"
        "    store.add(experiment, [Cell('move', 2.0, 100 * i + j, 'm', 1.0, signature='x' * 200)"
        " for j in range(100)], run=1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert "StoreError" in done.stderr
    assert "cells so far are kept" in done.stderr
    after = exported(path)
    assert after.startswith(before[:200])
    stored_rows = [row for row in after.decode().splitlines() if ",2.0," in row]
    assert len(stored_rows) % 100 == 0
    with Store.writing(path) as store:
        assert store.database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_read_only_folder_is_an_error(toy_sweep: Build, tmp_path: Path) -> None:
    """Writing to a read-only folder is an error.

    A process of its own gives up root's right to write everywhere.
    """
    folder = tmp_path / "folder"
    filled(folder / "s.sqlite", toy_sweep())
    merged = tmp_path / "merged" / "m.sqlite"
    merged.parent.mkdir()
    modes = {folder / "s.sqlite": 0o444, folder: 0o555, merged.parent: 0o777, tmp_path: 0o755}
    for path, mode in modes.items():
        path.chmod(mode)
    # Another user must be able to enter; with pytest-xdist there is one more folder above.
    for above in tmp_path.relative_to(tempfile.gettempdir()).parents:
        place = Path(tempfile.gettempdir()) / above
        if place.stat().st_uid == os.getuid() and place != Path(tempfile.gettempdir()):
            place.chmod(0o755)
    code = (
        "import os\n"
        "from gammacp.bench.merging import merge\n"
        "from gammacp.bench.status import status\n"
        "from gammacp.bench.store import Store\n"
        "from gammacp.bench.store_file import StoreError\n"
        "if os.geteuid() == 0: os.seteuid(65534)\n"
        f"with Store.reading({str(folder / 's.sqlite')!r}) as store: print(len(status(store)))\n"
        "for name in ('s.sqlite', 'new.sqlite'):\n"
        "    try:\n"
        f"        Store.writing(os.path.join({str(folder)!r}, name))\n"
        "    except StoreError as error:\n"
        "        print(error)\n"
        f"with Store.writing({str(merged)!r}) as target:\n"
        f"    print(merge(target, {str(folder / 's.sqlite')!r}).added)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "1", done.stderr
    assert len(lines) == 4, done.stderr
    assert all("cannot be opened for writing: check the folder" in line for line in lines[1:3])
    assert lines[3] == "200"


def test_merging_two_halves_gives_the_whole(toy_sweep: Build, tmp_path: Path) -> None:
    first = filled(tmp_path / "first.sqlite", toy_sweep(errors=("move",)))
    second = filled(tmp_path / "second.sqlite", toy_sweep(sets=3))
    whole = filled(tmp_path / "whole.sqlite", toy_sweep())
    with Store.writing(first) as target:
        merged = merge(target, second)
        # There are 2 errors × 4 magnitudes × 3 sets × (3 measures + 2 categories); half are known.
        assert (merged.added, merged.present) == (60, 60)
        assert merge(target, whole).present == 160
        assert merge(target, whole).added == 0
        (experiment,) = target.experiments()
        # Each store's run appears once, in the order in which they began.
        assert [r.cells for r in target.runs(experiment)] == [100, 120, 200]
    assert exported(first) == exported(whole)


def test_merging_a_damaged_store_names_it(toy_sweep: Build, tmp_path: Path) -> None:
    one = filled(tmp_path / "one.sqlite", toy_sweep(sets=2))
    other = filled(tmp_path / "other.sqlite", toy_sweep(sets=40))
    before = exported(one)
    content = bytearray(other.read_bytes())
    content[8 * 4096 : 12 * 4096] = b"\xff" * (4 * 4096)
    other.write_bytes(content)
    with Store.writing(one) as target, pytest.raises(DataError, match=r"other\.sqlite: .*damaged"):
        merge(target, other)
    assert exported(one) == before


def test_a_store_of_other_draws_is_refused(
    toy_sweep: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as former:
        former.setattr("gammacp.bench.sweep.DRAWS", "of each magnitude's own")
        one = filled(tmp_path / "one.sqlite", toy_sweep())
    with pytest.raises(UsageError, match="draws: of each magnitude's own versus common to"):
        filled(one, toy_sweep())


def test_merging_refuses_unrelated_stores(toy_sweep: Build, tmp_path: Path) -> None:
    one = filled(tmp_path / "one.sqlite", toy_sweep())
    other = filled(tmp_path / "other.sqlite", toy_sweep(seed=1))
    before = exported(one)
    with Store.writing(one) as target:
        with pytest.raises(UsageError, match="another configuration"):
            merge(target, other)
        with pytest.raises(UsageError, match="with itself"):
            merge(target, one)
        with pytest.raises(DataError, match="no such store"):
            merge(target, tmp_path / "absent.sqlite")
    forged = filled(tmp_path / "forged.sqlite", toy_sweep(sets=6))
    forge(forged, 'value = value + 1e-15 WHERE magnitude = 0.5 AND "set" = 2')
    refusal = pytest.raises(DataError, match=r"set 2 .*magnitude 0.5\) is 0\.\d+, in")
    with Store.writing(one) as target, refusal:
        merge(target, forged)
    assert exported(one) == before


def test_parquet_holds_the_same_cells(toy_sweep: Build, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = filled(tmp_path / "s.sqlite", toy_sweep())
    exported(path, ".parquet")
    rows = parquet.read_table(path.with_suffix(".parquet")).to_pylist()
    lines = exported(path).decode().splitlines()
    assert len(rows) == len(lines) - 1 == 200
    assert list(rows[0]) == lines[0].split(",")
    assert [("" if r["value"] is None else repr(r["value"])) for r in rows] == [
        line.split(",")[5] for line in lines[1:]
    ]


def test_status_counts(toy_sweep: Build, tmp_path: Path) -> None:
    path = filled(tmp_path / "s.sqlite", toy_sweep(sets=3, errors=("move",)))
    filled(path, toy_sweep(sets=5, errors=("move",), magnitudes=(0, 0.5), measures=("toy-spread",)))
    with Store.reading(path) as store:
        (contents,) = status(store)
    spread = next(h for h in contents["holdings"] if h["measure"] == "toy-spread")
    keys = ("cells", "magnitudes", "fewest_sets", "most_sets")
    assert tuple(spread[key] for key in keys) == (16, 4, 3, 5)
    assert contents["configuration"]["n_annotators"] == 3
