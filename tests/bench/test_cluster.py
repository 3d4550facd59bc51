"""Sweeps on a real Dask scheduler and workers on loopback, started by Dask's own commands."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sweep_toys import ToySource
from test_interruption import kill_and_resume

from gammacp.bench.export import export_cells
from gammacp.bench.runner import run
from gammacp.bench.store import Store
from gammacp.bench.sweep import Sweep
from gammacp.errors import GammacpError, UsageError
from gammacp.pools import PoolError, open_pool

pytest.importorskip("distributed")
Build = Callable[..., Sweep]


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


def address_in(told: Path, scheduler: subprocess.Popen[bytes]) -> str:
    """Return the address that the scheduler writes once it listens."""
    while scheduler.poll() is None:
        try:
            return str(json.loads(told.read_text())["address"])
        except (FileNotFoundError, json.JSONDecodeError):
            time.sleep(0.05)
    raise AssertionError("the scheduler ended")


class Cluster:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = Path(__file__).parents[2]
        self.processes: list[subprocess.Popen[bytes]] = []
        # The scheduler takes a free port by itself, and nobody connects before it listens.
        address_file = folder / "scheduler.json"
        where = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(address_file))
        self.scheduler = self.start("scheduler", *where)
        self.address = address_in(address_file, self.scheduler)
        self.url = self.address.replace("tcp", "dask")

    def start(self, role: str, *arguments: str) -> subprocess.Popen[bytes]:
        return self.run("-m", "dask", role, *arguments, "--no-dashboard")

    def run(self, *arguments: str) -> subprocess.Popen[bytes]:
        here = Path(__file__).parent
        path = os.pathsep.join([str(here), str(self.source), os.environ.get("PYTHONPATH", "")])
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def worker(self) -> subprocess.Popen[bytes]:
        return self.start("worker", *self.options)

    def worker_of_another_version(self) -> subprocess.Popen[bytes]:
        code = (
            "import sys, gammacp.base.version\n"
            "gammacp.base.version.__version__ = '9.9'\n"
            "from distributed.cli.dask_worker import main\n"
            f"main({[*self.options, '--no-dashboard']!r})\n"
        )
        return self.run("-c", code)

    @property
    def options(self) -> tuple[str, ...]:
        options = ("--nthreads", "1", "--nworkers", "1", "--no-nanny", "--host", "127.0.0.1")
        return self.address, *options, "--local-directory", str(self.folder)

    def wait_for(self, workers: int) -> None:
        from distributed import Client

        with Client(self.address, timeout=120, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=120)

    def wait_for_none(self) -> None:
        from distributed import Client

        with Client(self.address, timeout=120, set_as_default=False) as client:
            while client.scheduler_info()["workers"]:
                time.sleep(0.05)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    (tmp_path / "dask").mkdir()
    cluster = Cluster(tmp_path / "dask")
    try:
        yield cluster
    finally:
        for process in cluster.processes:
            process.kill()
        for process in cluster.processes:
            process.wait()


def exported(path: Path) -> bytes:
    with Store.reading(path) as store:
        export_cells(store, path.with_suffix(".csv"))
    return path.with_suffix(".csv").read_bytes()


def swept(sweep: Sweep, path: Path, executor: str) -> None:
    with Store.writing(path) as store, open_pool(executor) as pool:
        outcome = run(sweep, store, pool)
    assert outcome.failures == []
    assert outcome.computed == sweep.n_cells


def once_begun(path: Path, action: Callable[[], object]) -> threading.Thread:
    """Run an action as soon as the store has a cell."""

    def wait() -> None:
        while not (path.exists() and cells(path)):
            time.sleep(0.02)
        action()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def cells(path: Path) -> int:
    try:
        with Store.reading(path) as store:
            return int(next(store.rows("SELECT count(*) FROM cells"))[0])
    except GammacpError:
        return 0


@pytest.mark.slow
def test_a_worker_killed_during_the_sweep_changes_no_bit(
    toy_sweep: Build, cluster: Cluster, tmp_path: Path
) -> None:
    victim, _ = cluster.worker(), cluster.worker()
    cluster.wait_for(2)
    sweep = toy_sweep(source=ToySource(pause=0.02), sets=12)
    killed = once_begun(tmp_path / "dask.sqlite", lambda: victim.send_signal(signal.SIGKILL))
    swept(sweep, tmp_path / "dask.sqlite", cluster.url)
    assert not killed.is_alive(), "the worker was to be killed during the sweep"
    assert victim.wait() == -signal.SIGKILL
    swept(toy_sweep(sets=12), tmp_path / "serial.sqlite", "serial")
    assert exported(tmp_path / "dask.sqlite") == exported(tmp_path / "serial.sqlite")


@pytest.mark.slow
def test_twenty_kills_of_the_client(toy_sweep: Build, cluster: Cluster, tmp_path: Path) -> None:
    cluster.worker(), cluster.worker()
    cluster.wait_for(2)
    kill_and_resume(toy_sweep, tmp_path, kills=20, executor=cluster.url)


@pytest.mark.slow
def test_a_frozen_worker_is_reported(
    toy_sweep: Build,
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A frozen worker is an error before a sweep and a warning during one.

    When it is ended, no bit of the results changes.
    """
    frozen, _ = cluster.worker(), cluster.worker()
    cluster.wait_for(2)
    frozen.send_signal(signal.SIGSTOP)
    with monkeypatch.context() as impatient:
        impatient.setattr("gammacp.pools.cluster.ANSWER", 2)
        refusal = pytest.raises(PoolError, match=r"do not answer within 2 s \(tcp://")
        with refusal, open_pool(cluster.url):
            pass
    frozen.send_signal(signal.SIGCONT)
    monkeypatch.setattr("gammacp.pools.cluster.ASK_EVERY", 0.2)
    monkeypatch.setattr("gammacp.pools.cluster.SILENT", 3)
    path = tmp_path / "dask.sqlite"

    def freeze() -> None:
        frozen.send_signal(signal.SIGSTOP)
        while "has not been heard of for 3 s" not in caplog.text:
            time.sleep(0.05)
        frozen.kill()

    begun = once_begun(path, freeze)
    swept(toy_sweep(source=ToySource(pause=0.02), sets=30), path, cluster.url)
    assert not begun.is_alive(), "the sweep waits for what the frozen worker has"
    assert caplog.text.count("has not been heard of") == 1
    swept(toy_sweep(sets=30), tmp_path / "serial.sqlite", "serial")
    assert exported(path) == exported(tmp_path / "serial.sqlite")


def test_a_scheduler_that_does_not_answer_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gammacp.pools.cluster.CONNECT", 1)
    refusal = pytest.raises(PoolError, match=r"no Dask scheduler answers at tcp://127.0.0.1:\d+")
    with refusal, open_pool(f"dask://127.0.0.1:{free_port()}"):
        pass


def test_a_scheduler_without_workers_is_an_error(cluster: Cluster) -> None:
    with pytest.raises(PoolError, match="has no workers"), open_pool(cluster.url):
        pass


@pytest.mark.parametrize("url", ["dask://", "dask://localhost", "dask://localhost:x"])
def test_an_address_without_a_port_is_an_error(url: str) -> None:
    with pytest.raises(UsageError, match=r"is not dask://host:port"), open_pool(url):
        pass


@pytest.mark.slow
def test_workers_with_other_software_are_an_error(
    toy_sweep: Build, cluster: Cluster, tmp_path: Path
) -> None:
    """A worker with other software is an error, whether it is there at the start or joins later."""
    complaint = r"worker tcp://\S+ runs other software \(gammacp 9.9 there, 0\.\S+ here\)"
    odd = cluster.worker_of_another_version()
    cluster.wait_for(1)
    with pytest.raises(PoolError, match=complaint), open_pool(cluster.url):
        pass
    odd.kill()
    cluster.wait_for_none()
    cluster.worker()
    cluster.wait_for(1)
    once_begun(tmp_path / "s.sqlite", cluster.worker_of_another_version)
    sweep = toy_sweep(source=ToySource(pause=0.02), sets=2000)
    with pytest.raises(PoolError, match=complaint):
        swept(sweep, tmp_path / "s.sqlite", cluster.url)
    assert exported(tmp_path / "s.sqlite").count(b"\n") > 1, "what was computed is kept"


def test_a_worker_with_another_version_of_our_source_is_an_error(
    cluster: Cluster, tmp_path: Path
) -> None:
    """A worker whose package source differs is an error, even with the same version number."""
    ours = cluster.source
    cluster.source = tmp_path / "other"
    for name in ("gammacp", "shuffling"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ours / name, cluster.source / name, ignore=ignored)
    with next((cluster.source / "gammacp" / "campaign").glob("*/*.py")).open("a") as text:
        text.write("# changed\n")
    cluster.worker()
    cluster.wait_for(1)
    complaint = r"runs other software \(source of gammacp \w+ there, \w+ here\)"
    with pytest.raises(PoolError, match=complaint), open_pool(cluster.url):
        pass


def test_a_module_that_a_worker_lacks_is_named(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.worker()
    cluster.wait_for(1)
    (tmp_path / "only_here.py").write_text("def one():\n    return 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    one = importlib.import_module("only_here").one
    with open_pool(cluster.url) as pool:
        future = pool.executor.submit(one)
        with pytest.raises(UsageError, match=r"No module named 'only_here'; .* PYTHONPATH"):
            future.result(timeout=30)
        assert pool.executor.submit(abs, -1).result(timeout=30) == 1


@pytest.mark.slow
def test_a_worker_with_stale_code_is_an_error(
    toy_sweep: Build, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that loaded a module before it was changed is an error."""
    text = "from sweep_toys import ToySource\nclass Stale(ToySource):\n    shift = {}\n"
    path = cluster.folder / "stale_source.py"
    path.write_text(text.format(1))
    monkeypatch.syspath_prepend(cluster.folder)
    module = importlib.import_module("stale_source")
    cluster.worker()
    cluster.wait_for(1)
    swept(toy_sweep(source=module.Stale(), sets=1), tmp_path / "1.sqlite", cluster.url)
    path.write_text(text.format("22"))
    importlib.invalidate_caches()
    module = importlib.reload(module)
    with pytest.raises(PoolError, match=r"source of stale_source \w+ there, \w+ here"):
        swept(toy_sweep(source=module.Stale(), sets=1), tmp_path / "2.sqlite", cluster.url)
    assert exported(tmp_path / "2.sqlite").count(b"\n") == 1


@pytest.mark.slow
def test_losing_the_scheduler_keeps_what_was_done(
    toy_sweep: Build, cluster: Cluster, tmp_path: Path
) -> None:
    cluster.worker()
    cluster.wait_for(1)
    sweep = toy_sweep(source=ToySource(pause=0.02), sets=100)
    path = tmp_path / "s.sqlite"
    once_begun(path, cluster.scheduler.kill)
    with pytest.raises(PoolError, match=r"lost the connection .* what is done is kept"):
        swept(sweep, path, cluster.url)
    done = exported(path).count(b"\n") - 1
    assert 0 < done < 5 / 3 * sweep.n_cells
    with Store.writing(path) as store, open_pool("serial") as pool:
        assert run(toy_sweep(sets=100), store, pool).computed == sweep.n_cells - done * 3 // 5
