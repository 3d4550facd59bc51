"""Work that continues when workers die and when a cluster goes away."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from pathlib import Path
from typing import Any

import pytest

from gammacp.pools import PoolError, Processes, WorkerDied, WorkerPool, open_pool, workers
from gammacp.pools.steady import RETRIES, Steady
from tests.conftest import Run


class _Here(Executor):
    """Executor that computes at once, with given failures."""

    def __init__(self, *faults: Exception | None) -> None:
        self.faults = list(faults)
        self.tasks = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.tasks += 1
        future: Future[Any] = Future()
        fault = self.faults.pop(0) if self.faults else None
        if fault is None:
            future.set_result(fn(*args, **kwargs))
        elif not isinstance(fault, TimeoutError):  # a timeout means no answer at all
            future.set_exception(fault)
        return future


def _steady(here: _Here, width: Callable[[], int] = lambda: 2) -> Steady:
    return Steady(WorkerPool(executor=here, width=width))


def test_answers_come_in_order_and_in_chunks() -> None:
    here = _Here()
    assert list(_steady(here).map(pow, range(7), [2] * 7, chunksize=3)) == [k * k for k in range(7)]
    assert here.tasks == 3
    assert list(_steady(here).map(abs, [])) == []


def test_the_task_of_a_dead_worker_is_tried_again() -> None:
    here = _Here(WorkerDied("killed"), None, CancelledError())
    assert list(_steady(here).map(abs, range(5))) == [0, 1, 2, 3, 4]
    assert here.tasks == 7
    with pytest.raises(PoolError, match="died 3 times at the same documents"):
        list(_steady(_Here(*[WorkerDied("killed")] * 9)).map(abs, [1]))
    assert RETRIES == 2


def test_other_errors_are_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        list(_steady(_Here(None, ZeroDivisionError())).map(abs, range(5)))


def test_after_the_loss_of_a_cluster_this_process_does_the_rest(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked = iter([2, 2])

    def width() -> int:
        for known in asked:
            return known
        raise PoolError("lost the connection", sweeps="run again")

    silent = [None, TimeoutError(), CancelledError(), TimeoutError()]
    with caplog.at_level(logging.WARNING):
        assert list(_steady(_Here(*silent), width).map(abs, range(9))) == [*range(9)]
    assert [r.getMessage() for r in caplog.records] == [
        "lost the connection: what is left is computed in this process"
    ]


def _die_once(flag: Path, value: int) -> int:
    if value == 2 and not flag.exists():
        flag.touch()
        os._exit(9)
    return value


def test_killed_processes_change_no_result(tmp_path: Path) -> None:
    flag = tmp_path / "died"
    with open_pool("processes", 1) as pool:
        assert isinstance(pool.executor, Processes)
        assert list(Steady(pool).map(_die_once, [flag] * 4, range(4))) == [0, 1, 2, 3]
    assert flag.exists()
    with workers(None, pays=False) as none:
        assert none is None
    with workers(4, executor="serial") as none:
        assert none is None


@pytest.mark.slow
def test_workers_and_scheduler_of_a_cluster_are_killed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("distributed")
    from test_cluster import Cluster

    def square(value: int) -> int:
        time.sleep(0.02)
        return value * value

    cluster = Cluster(tmp_path)
    try:
        first, _ = cluster.worker(), cluster.worker()
        deadline = time.monotonic() + 120
        while True:
            try:
                with workers(2, executor=cluster.url) as pool:
                    assert pool is not None
                    break
            except PoolError:
                assert time.monotonic() < deadline
                time.sleep(0.5)
        with workers(None, executor=cluster.url) as pool:
            assert pool is not None
            found = []
            for k, value in enumerate(pool.map(square, range(120))):
                if k == 20:
                    first.kill()
                if k == 60:
                    cluster.scheduler.kill()
                found.append(value)
        assert found == [k * k for k in range(120)]
        assert "what is left is computed in this process" in caplog.text
        # Pending requests of Dask fail in tornado's loop, which would print a traceback.
        assert not logging.getLogger("tornado.application").isEnabledFor(logging.ERROR)
        assert "Traceback" not in caplog.text
    finally:
        for process in cluster.processes:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_a_cluster_of_another_version_is_refused(tmp_path: Path, run: Run) -> None:
    """Commands refuse such a cluster before they send any document, and name the difference."""
    pytest.importorskip("distributed")
    from test_cluster import Cluster

    units = tmp_path / "units.csv"
    rows = [f"{who},x,{10 * k + i},{10 * k + 6}\n" for i, who in enumerate("AB") for k in range(6)]
    units.write_text("".join(rows))
    cluster = Cluster(tmp_path)
    try:
        cluster.worker_of_another_version()
        cluster.wait_for(1)
        for command in ("gamma", "measure"):
            refused = run(command, units, "--executor", cluster.url)
            assert (refused.code, refused.out) == (1, "")
            told = r"worker tcp://\S+ runs other software \(gammacp 9\.9 there, \S+ here\)"
            assert re.search(told, refused.err)
    finally:
        for process in cluster.processes:
            process.kill()
            process.wait()
