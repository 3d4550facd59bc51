"""Stopped and killed sweeps: what is kept, how fast they end and what they give."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from sweep_toys import ToySource

from gammacp.bench.export import export_cells
from gammacp.bench.runner import run
from gammacp.bench.store import Store
from gammacp.bench.sweep import Sweep
from gammacp.errors import GammacpError
from gammacp.pools import open_pool

Build = Callable[..., Sweep]

_CODE = """
import sys
from sweep_toys import ToySource
from gammacp.pools import open_pool
from gammacp.bench.runner import run
from gammacp.bench.store import Store
from gammacp.bench.sweep import Sweep

if __name__ == "__main__":
    sweep = Sweep(
        source=ToySource(pause=float(sys.argv[4])),
        errors=("move", "move+drop"),
        measures=("toy-spread", "toy-random", "toy-by-category"),
        magnitudes=(0, 0.25, 0.5, 1),
        sets=int(sys.argv[5]),
        modules=("sweep_toys",),
    )
    with Store.writing(sys.argv[1]) as store, open_pool(sys.argv[2], int(sys.argv[3])) as pool:
        print("ready", flush=True)
        outcome = run(sweep, store, pool)
        print(outcome.reused, outcome.computed, outcome.interrupted, flush=True)
        if outcome.interrupted:
            raise KeyboardInterrupt
"""


def start(
    path: Path, executor: str = "processes", *, pause: float = 0.01, sets: int = 40
) -> subprocess.Popen[str]:
    """Start a sweep in a process group of its own."""
    script = path.with_name("sweep.py")
    script.write_text(_CODE, encoding="utf-8")
    here = Path(__file__).parent
    python_path = os.environ.get("PYTHONPATH", "")
    environment = os.environ | {
        "PYTHONPATH": f"{here}{os.pathsep}{here.parents[1]}{os.pathsep}{python_path}"
    }
    command = [sys.executable, str(script), str(path), executor, "2", str(pause), str(sets)]
    return subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def exported(path: Path) -> bytes:
    with Store.reading(path) as store:
        export_cells(store, path.with_suffix(".csv"))
    return path.with_suffix(".csv").read_bytes()


def undisturbed(sweep: Sweep, path: Path) -> bytes:
    with Store.writing(path) as store, open_pool("serial") as pool:
        run(sweep, store, pool)
    return exported(path)


def rows(path: Path) -> int:
    with Store.reading(path) as store:
        count: int = store.database.execute("SELECT count(*) FROM cells").fetchone()[0]
        return count


def wait_for_rows(path: Path) -> None:
    end = time.monotonic() + 60
    while not begun(path) or not rows(path):
        assert time.monotonic() < end, "the sweep computes nothing"
        time.sleep(0.02)


def begun(path: Path) -> bool:
    """Return whether the store exists."""
    try:
        Store.reading(path).close()
    except GammacpError:
        return False
    return True


def gone(group: int) -> bool:
    """Return whether all processes of the group end within five seconds."""
    end = time.monotonic() + 5
    while left(group) and time.monotonic() < end:
        time.sleep(0.02)
    return not left(group)


def left(group: int) -> bool:
    """Return whether a process of the group is left; zombies do not count."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            return True
    return False


@pytest.mark.slow
def test_kills_at_random_moments_lose_and_repeat_nothing(toy_sweep: Build, tmp_path: Path) -> None:
    kill_and_resume(toy_sweep, tmp_path, kills=2)


@pytest.mark.slow
def test_a_sweep_killed_fifty_times_is_completed(toy_sweep: Build, tmp_path: Path) -> None:
    kill_and_resume(toy_sweep, tmp_path, kills=50)


def kill_and_resume(
    toy_sweep: Build, tmp_path: Path, *, kills: int, executor: str = "processes"
) -> None:
    """Kill the parent (−9) repeatedly at random moments, then let the sweep end."""
    sweep = toy_sweep(source=ToySource(pause=0.01), sets=12 * kills)
    path = tmp_path / "killed.sqlite"
    moments = random.Random(kills)
    held = 0
    for kill in range(kills):
        process = start(path, executor, sets=sweep.sets)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        if kill == kills - 1 and not held:
            # On a busy machine, no earlier kill may have come after some work was done.
            wait_for_rows(path)
        time.sleep(moments.uniform(0, 1.5))
        process.kill()
        process.communicate()
        # Workers notice that their parent is gone.
        assert gone(process.pid)
        # All rows committed before the kill are still there.
        now = rows(path)
        assert now >= held
        held = now
    assert held > 0
    process = start(path, executor, sets=sweep.sets, pause=0)
    printed, _ = process.communicate(timeout=120)
    reused, computed, _ = printed.split()[1:]
    assert int(reused) + int(computed) == sweep.n_cells
    # there are three measures, and two of the five rows are by category
    assert int(reused) * 5 == held * 3
    with Store.reading(path) as store:
        assert store.database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (experiment,) = store.experiments()
        ran = store.runs(experiment)
    # Exactly one run wrote each row, so that nothing was computed twice into the store.
    assert sum(r.cells for r in ran) == rows(path)
    # The pause of the source does not change its cells.
    at_once = toy_sweep(sets=sweep.sets)
    assert exported(path) == undisturbed(at_once, tmp_path / "undisturbed.sqlite")


# `test_ctrl_c_twice_leaves_no_traceback` interrupts worker processes by Ctrl-C.
@pytest.mark.parametrize(
    ("executor", "number"),
    [
        ("serial", signal.SIGINT),
        pytest.param("processes", signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_a_signal_stops_after_the_current_work_and_keeps_all_done(
    toy_sweep: Build, tmp_path: Path, executor: str, number: signal.Signals
) -> None:
    path = tmp_path / "s.sqlite"
    process = start(path, executor, pause=0.03)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    wait_for_rows(path)
    stored_rows = rows(path)
    # A terminal sends the signal to the whole group, workers included.
    os.killpg(process.pid, number)
    printed, errors = process.communicate(timeout=10)
    # Two workers and the queue hold at most four sets of five rows when the signal comes.
    assert rows(path) <= stored_rows + 5 * 4
    assert "KeyboardInterrupt" in errors
    _, computed, interrupted = printed.split()
    assert interrupted == "True"
    assert int(computed) * 5 == rows(path) * 3 > 0
    assert gone(process.pid)
    sweep = toy_sweep(sets=40)
    with Store.writing(path) as store, open_pool("serial") as pool:
        run(sweep, store, pool)
    assert exported(path) == undisturbed(sweep, tmp_path / "undisturbed.sqlite")


@pytest.mark.parametrize(
    ("executor", "measure"),
    [pytest.param("serial", "gamma", marks=pytest.mark.slow), ("processes", "ser")],
)
def test_ctrl_c_twice_leaves_no_traceback(tmp_path: Path, executor: str, measure: str) -> None:
    """A command that is interrupted during its work and again on its way out prints no
    traceback.
    """
    command = ("bench", "--error", "split", "--measures", measure, "--executor", executor)
    process = subprocess.Popen(
        [sys.executable, "-m", "gammacp", *command, "--sets", "1000", "--store", "s.sqlite"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for_rows(tmp_path / "s.sqlite")
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(0.1)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    _, printed = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "interrupted; s.sqlite keeps what is done, run again to go on" in printed
    assert "Traceback" not in printed
    assert gone(process.pid)
