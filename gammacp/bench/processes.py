"""Executors on this machine: worker processes that may die, and one thread for `serial`.

`concurrent.futures.ProcessPoolExecutor` fails every pending task when one worker dies and cannot
say which task killed it. Here each worker has its own pipe: a death fails exactly the task it was
at, the worker is replaced and the others go on.

Workers are spawned, never forked: numba and OR-Tools keep threads and locks that a fork copies in
an unknown state. They ignore Ctrl-C (the parent ends them) and end by themselves when the parent
is gone, even by kill −9.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeAlias, TypeVar

from gammacp.errors import GammacpError

T = TypeVar("T")
_Answer: TypeAlias = tuple[Any, Exception | None]

# One thread per task: set before NumPy is imported in the worker.
_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
_PATIENCE = 1.0  # seconds: Ctrl-C ends a sweep within two


class WorkerDied(BrokenExecutor):
    """The worker process that ran a task ended before it answered."""


class TaskError(Exception):
    """An unexpected exception in a worker, as text: the exception itself may not travel."""


class _Item(NamedTuple):
    future: Future[Any]
    call: bytes  # the function and its arguments, pickled


class _Queued(Executor):
    """Threads that take submitted tasks from one queue; how one is run is the subclass' affair."""

    def __init__(self, threads: int) -> None:
        self._queue: SimpleQueue[_Item | None] = SimpleQueue()
        self._closed = False
        # Daemons: a thread that waits for a solver must not keep an interrupted program alive.
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Queue `fn(*args)`."""
        if self._closed:
            raise BrokenExecutor("the executor is shut down")
        future: Future[T] = Future()
        self._queue.put(_Item(future, pickle.dumps((fn, args, kwargs))))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks; wait for those that run, or leave them."""
        self._closed = True
        if cancel_futures:
            while not self._queue.empty():
                item = self._queue.get()
                if item is not None:
                    item.future.cancel()
        for _ in self._threads:
            self._queue.put(None)
        # A chunk ends within about a second: a thread that is in native code when Python goes
        # away would abort it.
        until = time.monotonic() + _PATIENCE
        for thread in self._threads:
            thread.join(None if wait else max(0.0, until - time.monotonic()))

    def _serve(self) -> None:
        raise NotImplementedError


class Serial(_Queued):
    """One task after the other in this process, beside the thread that waits for them.

    The main thread stays free to stop at Ctrl-C while a solver runs.
    """

    def __init__(self) -> None:
        """One thread."""
        super().__init__(1)

    def _serve(self) -> None:
        while (item := self._queue.get()) is not None:
            if item.future.set_running_or_notify_cancel():
                _settle(item.future, *_outcome(item.call))


class Processes(_Queued):
    """`jobs` worker processes.

    Parameters
    ----------
    jobs
        How many; at least 1.
    """

    def __init__(self, jobs: int) -> None:
        """Workers start with the first task they get."""
        self._workers: set[SpawnProcess] = set()
        self._lock = threading.Lock()
        super().__init__(jobs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks; without `wait`, end workers in the midst of theirs."""
        if not wait:
            self._closed = True
            with self._lock:
                for worker in self._workers:
                    worker.kill()
        super().shutdown(wait=wait, cancel_futures=cancel_futures)

    def _serve(self) -> None:
        worker: SpawnProcess | None = None
        pipe: Connection[Any, Any] | None = None
        while (item := self._queue.get()) is not None:
            if not item.future.set_running_or_notify_cancel():
                continue
            if self._closed:
                item.future.set_exception(WorkerDied("the executor was shut down"))
                continue
            try:
                if worker is None or pipe is None or not worker.is_alive():
                    worker, pipe = self._start()
            except (OSError, RuntimeError) as error:  # too many processes or files, say
                _settle(item.future, None, WorkerDied(f"no worker process could start: {error}"))
                continue
            _settle(item.future, *_ask(worker, pipe, item.call))
        if pipe is not None and worker is not None:
            pipe.close()
            worker.join()

    def _start(self) -> tuple[SpawnProcess, Connection[Any, Any]]:
        context = get_context("spawn")
        here, there = context.Pipe()
        worker = context.Process(target=_worker, args=(there,), daemon=True)
        with self._lock, _one_thread_each(), _deaf_to_ctrl_c():
            worker.start()
            self._workers = {w for w in self._workers if w.is_alive()} | {worker}
        there.close()
        try:
            here.recv_bytes()
        except (EOFError, OSError):
            worker.join()
            raise RuntimeError(
                f"it ended with code {worker.exitcode} before its first task (a script that starts "
                'workers does so under `if __name__ == "__main__":`)'
            ) from None
        return worker, here


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Thread limits in the environment that a worker inherits, while it is started."""
    absent = [name for name in _ONE_THREAD if name not in os.environ]
    os.environ.update(dict.fromkeys(absent, "1"))
    try:
        yield
    finally:
        for name in absent:
            del os.environ[name]


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """A process that is started within does not hear Ctrl-C until it says that it ignores it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # multiprocessing's own helper would clear the mask when it is started in between.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ask(worker: SpawnProcess, pipe: Connection[Any, Any], call: bytes) -> _Answer:
    try:
        pipe.send_bytes(call)
        while pipe not in wait([pipe, worker.sentinel]):
            if not pipe.poll():
                raise EOFError
        answer = pipe.recv_bytes()
    except (EOFError, OSError):
        worker.join()
        pipe.close()
        return None, WorkerDied(f"worker process ended with code {worker.exitcode}")
    return _unpickled(answer)


def _unpickled(answer: bytes) -> _Answer:
    try:
        loaded: _Answer = pickle.loads(answer)
    except Exception as error:  # an exception of somebody's own that does not travel, say
        return None, TaskError(f"the answer cannot be read: {type(error).__name__}: {error}")
    return loaded


def _pickled(value: Any, error: Exception | None) -> bytes:
    try:
        return pickle.dumps((value, error))
    except Exception as fault:
        told = f"the answer cannot be sent: {type(fault).__name__}: {fault}"
        return pickle.dumps((None, TaskError(f"{told}; it was {error or type(value).__name__}")))


def _outcome(call: bytes) -> _Answer:
    try:
        function, arguments, named = pickle.loads(call)
        return function(*arguments, **named), None
    except GammacpError as error:
        return None, error
    except BaseException as error:  # whoever waits gets it, as from every executor
        trace = "".join(traceback.format_exception(error)).strip()
        return None, TaskError(f"{type(error).__name__}: {error}\n{trace}")


def _settle(future: Future[Any], value: Any, error: Exception | None) -> None:
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)


def _worker(pipe: Connection[Any, Any]) -> None:
    """A worker's life: take a task, answer, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(OSError):
        pipe.send_bytes(b"ready")
    while True:
        try:
            call = pipe.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            pipe.send_bytes(_pickled(*_outcome(call)))
        except (EOFError, OSError):
            return


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
