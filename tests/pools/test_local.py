"""Worker processes: failing starts, answers that cannot be pickled, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from multiprocessing.context import SpawnProcess
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from gammacp.errors import GammacpError
from gammacp.pools import Processes, TaskError, WorkerDied, memory_of_machine


class Untransportable(GammacpError):
    """Error that is pickled with one argument and needs two."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def fail() -> None:
    raise Untransportable("a ", "reason")


def a_function_of_this_call() -> Callable[[], int]:
    return lambda: 1


def test_an_unpicklable_answer_is_an_error_and_the_worker_continues() -> None:
    pool = Processes(1)
    worker = pool.submit(os.getpid).result(timeout=30)
    with pytest.raises(TaskError, match="cannot be read: TypeError"):
        pool.submit(fail).result(timeout=30)
    with pytest.raises(TaskError, match=r"cannot be sent: .*it was function"):
        pool.submit(a_function_of_this_call).result(timeout=30)
    assert pool.submit(os.getpid).result(timeout=30) == worker
    pool.shutdown()


def test_a_worker_that_cannot_start_fails_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: BaseProcess) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    pool = Processes(1)
    with monkeypatch.context() as patch:
        patch.setattr(SpawnProcess, "start", refuse)
        with pytest.raises(WorkerDied, match="could start: Resource temporarily unavailable"):
            pool.submit(os.getpid).result(timeout=30)
    assert pool.submit(os.getpid).result(timeout=30) != os.getpid()
    pool.shutdown()


@pytest.mark.parametrize("code", [0, 9])
def test_the_death_of_a_worker_fails_only_its_own_task(code: int) -> None:
    """A death with code 0, which looks like a normal end, counts too."""
    pool = Processes(2)
    dying, others = pool.submit(os._exit, code), [pool.submit(abs, -k) for k in range(20)]
    with pytest.raises(WorkerDied, match=f"ended with code {code}"):
        dying.result(timeout=30)
    assert [f.result(timeout=30) for f in others] == list(range(20))
    pool.shutdown()


def test_a_worker_that_dies_while_it_is_idle_is_replaced() -> None:
    pool = Processes(1)
    os.kill(pool.submit(os.getpid).result(timeout=30), signal.SIGKILL)
    end = time.monotonic() + 30
    while True:  # the pool may take a moment to notice
        try:
            assert pool.submit(abs, -1).result(timeout=30) == 1
            break
        except WorkerDied:
            assert time.monotonic() < end
    pool.shutdown()


def test_the_watchdog_ends_a_task_that_takes_too_long() -> None:
    pool = Processes(1, timeout=0.5)
    with pytest.raises(WorkerDied, match=r"no answer within 0\.5 s"):
        pool.submit(time.sleep, 60).result(timeout=30)
    assert pool.submit(abs, -1).result(timeout=30) == 1
    pool.shutdown()


def begin_and_sleep(begun: Path) -> None:
    begun.touch()
    time.sleep(60)


def test_a_running_task_can_be_cancelled(tmp_path: Path) -> None:
    pool = Processes(1)
    worker = pool.submit(os.getpid).result(timeout=30)
    task = pool.submit(begin_and_sleep, tmp_path / "begun")
    while not (tmp_path / "begun").exists():
        time.sleep(0.01)
    assert task.cancel()
    assert pool.submit(os.getpid).result(timeout=30) != worker
    pool.shutdown()


def test_shutdown_cancels_waiting_tasks_and_ends_running_ones() -> None:
    pool = Processes(1)
    worker = pool.submit(os.getpid).result(timeout=30)
    tasks = [pool.submit(time.sleep, 60) for _ in range(3)]
    pool.shutdown(wait=False, cancel_futures=True)
    assert all(t.cancelled() for t in tasks[1:])
    # If shutdown had waited for the running task, it would have finished.
    assert tasks[0].cancelled() or tasks[0].exception(timeout=30) is not None
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
    with pytest.raises(BrokenExecutor, match="shut down"):
        pool.submit(abs, -1)


def test_a_script_that_workers_would_run_again_gets_advice(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(
        "import os\n"
        "from gammacp.pools import Processes\n"
        "print(Processes(1).submit(os.getpid).result(timeout=30))\n"
    )
    here = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | {"PYTHONPATH": here},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    told = done.stderr.splitlines()[-1]
    assert "end before their first task" in told
    assert 'under `if __name__ == "__main__":`' in told


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no signal masks here")
def test_a_starting_worker_ignores_ctrl_c() -> None:
    """The parent blocks the signal during the start, when the worker cannot ignore it yet."""
    pool = Processes(1)
    blocked = pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result(timeout=30)
    assert signal.SIGINT in blocked
    assert pool.submit(signal.getsignal, signal.SIGINT).result(timeout=30) == signal.SIG_IGN
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    pool.shutdown()


def _take(size: int) -> int:
    return len(bytearray(size))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit")
def test_a_worker_has_a_limit_of_memory() -> None:
    pool = Processes(1, memory=1 << 30)
    assert pool.submit(_take, 1 << 20).result() == 1 << 20
    with pytest.raises(TaskError, match="MemoryError"):
        pool.submit(_take, 1 << 31).result()
    assert pool.submit(_take, 1 << 20).result() == 1 << 20
    pool.shutdown()
    assert memory_of_machine() > 1 << 28
