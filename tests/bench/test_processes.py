"""Worker processes that cannot start, answers that cannot travel, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gammacp.bench.processes import Processes, TaskError, WorkerDied
from gammacp.errors import GammacpError


class Untransportable(GammacpError):
    """Is pickled with one argument and wants two."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def fail() -> None:
    raise Untransportable("a ", "reason")


def a_function_of_this_call() -> Callable[[], int]:
    return lambda: 1


def test_what_cannot_travel_is_an_error_and_the_worker_goes_on() -> None:
    pool = Processes(1)
    worker = pool.submit(os.getpid).result(timeout=30)
    with pytest.raises(TaskError, match="cannot be read: TypeError"):
        pool.submit(fail).result(timeout=30)
    with pytest.raises(TaskError, match=r"cannot be sent: .*it was function"):
        pool.submit(a_function_of_this_call).result(timeout=30)
    assert pool.submit(os.getpid).result(timeout=30) == worker
    pool.shutdown()


def test_a_worker_that_cannot_start_fails_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Processes) -> Any:
        raise BlockingIOError("Resource temporarily unavailable")

    pool = Processes(1)
    with monkeypatch.context() as patch:
        patch.setattr(Processes, "_start", refuse)
        with pytest.raises(WorkerDied, match="could start: Resource temporarily unavailable"):
            pool.submit(os.getpid).result(timeout=30)
    assert pool.submit(os.getpid).result(timeout=30) != os.getpid()
    pool.shutdown()


def test_a_script_that_workers_would_run_again_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(
        "import os\n"
        "from gammacp.bench.processes import Processes\n"
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
    assert "ended with code 1 before its first task" in told
    assert 'under `if __name__ == "__main__":`' in told


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no signal masks here")
def test_a_starting_worker_does_not_hear_ctrl_c() -> None:
    """Before it can say that it ignores it: the parent blocks the signal while it starts it."""
    pool = Processes(1)
    blocked = pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result(timeout=30)
    assert signal.SIGINT in blocked
    assert pool.submit(signal.getsignal, signal.SIGINT).result(timeout=30) == signal.SIG_IGN
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    pool.shutdown()
