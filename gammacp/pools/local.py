"""Executors on this machine: worker processes that may die, and a single thread for `serial`.

In `concurrent.futures.ProcessPoolExecutor`, the death of a worker fails every pending task, and the
task that killed it is unknown. Pebble's pool fails only the task that the worker was running,
replaces the worker and continues. Here Pebble's pool gets the `Executor` interface, answers that
can always be sent between processes, and workers that end with their parent.

Workers are spawned, never forked: numba and OR-Tools keep threads and locks that a fork copies in
an unknown state. They ignore Ctrl-C (the parent ends them) and end by themselves when the parent is
gone, even by kill −9.
"""

import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from concurrent.futures import TimeoutError as TimedOut
from contextlib import contextmanager, suppress
from multiprocessing import parent_process, resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, TypeAlias, TypeVar

from gammacp.errors import GammacpError
from gammacp.plugins import load_all, loaded_names

T = TypeVar("T")
_Answer: TypeAlias = tuple[Any, Exception | None]

# One thread per task: set before NumPy is imported in the worker.
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
# Workers start as `python -c`, which looks for modules in the working directory first. There a
# stranger's file called `multiprocessing.py` would be run. This variable prevents that.
_SAFE_PATH = {"PYTHONSAFEPATH": "1"}
# Pools start workers from threads, and all of these change the same environment.
_ENVIRONMENT = threading.RLock()
# In a worker: the error that keeps it from computing, if there is one.
_unfit: list[GammacpError] = []
# Seconds to wait for the pool's thread at the end: Ctrl-C must end a sweep within two seconds.
_PATIENCE = 1.0


class WorkerDied(BrokenExecutor):
    """The worker process that ran a task ended before it answered."""


class TaskError(Exception):
    """An unexpected exception in a worker, as text, because the exception may not be picklable."""


class _Pooled(Executor):
    """A Pebble pool with the interface of executors."""

    def __init__(self, pool: Callable[[], Any], timeout: float | None = None) -> None:
        self._make, self._pool = pool, pool()
        if timeout is None:
            self._limit = {}
        else:
            self._limit = {"timeout": timeout}
        self._futures: dict[Future[Any], Future[Any]] = {}
        self._closed = False

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Queue `fn(*args)`; cancelling a running task also ends its worker."""
        if self._closed:
            raise BrokenExecutor("the executor is shut down")
        future: Future[T] = Future()
        call = pickle.dumps((fn, args, kwargs))
        try:
            task = self._schedule(call)
        except (OSError, RuntimeError) as error:  # for example too many processes or files
            future.set_exception(WorkerDied(f"no worker process could start: {_root(error)}"))
            return future
        self._futures[future] = task
        future.add_done_callback(lambda f: task.cancel() if f.cancelled() else None)
        task.add_done_callback(lambda t: self._settle(future, t))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more tasks; wait for those that run, or end them with their workers."""
        self._closed = True
        if cancel_futures:
            for future, task in tuple(self._futures.items()):
                if not task.running():
                    future.cancel()
        if wait:
            self._pool.close()
        else:
            self._pool.stop()
        ending = threading.Thread(target=self._pool.join, daemon=True)
        ending.start()
        # A thread that still runs native code would abort Python at its exit.
        ending.join(None if wait else _PATIENCE)

    def _schedule(self, call: bytes) -> Future[bytes]:
        try:
            task: Future[bytes] = self._pool.schedule(_outcome, args=(call,), **self._limit)
        except RuntimeError:
            # A pool whose workers all died while idle cannot be used any more.
            self._pool.stop()
            self._pool = self._make()
            task = self._pool.schedule(_outcome, args=(call,), **self._limit)
        return task

    def _settle(self, future: Future[Any], task: Future[bytes]) -> None:
        self._futures.pop(future, None)
        if task.cancelled() or not future.set_running_or_notify_cancel():
            future.cancel()
            return
        error = task.exception()
        value, fault = (
            (None, _worker_error(error)) if error is not None else _unpickle(task.result())
        )
        if fault is None:
            future.set_result(value)
        else:
            future.set_exception(fault)


class Serial(_Pooled):
    """Executor that runs one task after the other, in another thread of this process.

    The main thread stays free to react to Ctrl-C while a solver runs.
    """

    def __init__(self) -> None:
        """Make a pool of one thread."""
        from pebble import ThreadPool  # takes a tenth of a second, and few commands need it

        super().__init__(lambda: ThreadPool(1))


class Processes(_Pooled):
    """Executor with `jobs` worker processes, which are started with the first task.

    Parameters
    ----------
    jobs
        Number of processes; at least 1.
    timeout
        Seconds after which a task that still runs fails with `WorkerDied`, and its worker ends;
        None for no limit.
    memory
        Largest address space of each worker, in bytes; beyond it, the worker gets a MemoryError or
        dies. None for no limit. Ignored on systems that cannot limit it.
    """

    def __init__(
        self, jobs: int, *, timeout: float | None = None, memory: int | None = None
    ) -> None:
        """Keep the settings of the workers, which are started with the first task."""
        from pebble import ProcessPool

        super().__init__(
            lambda: ProcessPool(
                jobs, initializer=_prepare, initargs=(loaded_names(), memory), context=_Context()
            ),
            timeout,
        )

    def _schedule(self, call: bytes) -> Future[bytes]:
        # With its first task a pool makes locks. These start multiprocessing's helper process,
        # which needs the same environment as the workers.
        with _environment_of_workers():
            return super()._schedule(call)


class _Worker(SpawnProcess):
    """A worker process with the methods that Pebble uses to start, end and watch it."""

    def start(self) -> None:
        with _environment_of_workers(), _deaf_to_ctrl_c():
            super().start()

    def terminate(self) -> None:
        """Kill the process: a solver in native code would react to a request only after seconds."""
        self.kill()

    @property
    def exitcode(self) -> int | None:
        """Return the exit code, but None for 0.

        With 0 Pebble would not notice that the worker ended, and wait for its answer.
        """
        return super().exitcode or None


class _Context(SpawnContext):
    Process = _Worker


@contextmanager
def _environment_of_workers() -> Iterator[None]:
    """Set the environment of processes started in this block: a safe path and thread limits.

    Thread limits that the user has set are kept.
    """
    with _ENVIRONMENT:
        absent = {name: "1" for name in _ONE_THREAD if name not in os.environ}
        changed = {**absent, **_SAFE_PATH}
        before = {name: os.environ.get(name) for name in changed}
        os.environ.update(changed)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Block Ctrl-C in processes started in this block, until they ignore it themselves."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Start multiprocessing's helper process now: starting it later would unblock Ctrl-C.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare(modules: tuple[str, ...], memory: int | None) -> None:
    """Prepare a new worker: end it with its parent, load the parent's extensions, limit memory."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if memory is not None:
        with suppress(ImportError, OSError, ValueError):  # Windows; macOS
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    try:
        load_all(modules)
    except GammacpError as error:
        # The error is the answer to each task. If the worker ended instead, it would only be
        # restarted.
        _unfit.append(error)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _outcome(call: bytes) -> bytes:
    """Make a call in a worker and pickle what it returns or raises."""
    try:
        if _unfit:
            raise _unfit[0]
        function, arguments, named = pickle.loads(call)
        return _pickle(function(*arguments, **named), None)
    except GammacpError as error:
        return _pickle(None, error)
    except BaseException as error:
        # The error is sent back, as every executor does.
        trace = "".join(traceback.format_exception(error)).strip()
        return _pickle(None, TaskError(f"{type(error).__name__}: {error}\n{trace}"))


def _pickle(value: Any, error: Exception | None) -> bytes:
    try:
        return pickle.dumps((value, error))
    except Exception as fault:
        message = f"the answer cannot be sent: {type(fault).__name__}: {fault}"
        return pickle.dumps((None, TaskError(f"{message}; it was {error or type(value).__name__}")))


def _unpickle(answer: bytes) -> _Answer:
    try:
        loaded: _Answer = pickle.loads(answer)
    except Exception as error:
        # This happens with custom exceptions that cannot be unpickled, for example.
        return None, TaskError(f"the answer cannot be read: {type(error).__name__}: {error}")
    return loaded


def _worker_error(error: BaseException) -> Exception:
    """Return the exception for a caller whose worker ended before it answered."""
    from pebble import ProcessExpired

    if isinstance(error, ProcessExpired):
        return WorkerDied(f"worker process ended with code {error.exitcode or 0}")
    if isinstance(error, TimedOut):
        return WorkerDied(f"no answer within {error.args[-1]:g} s, its worker was ended")
    return WorkerDied(
        f"worker processes end before their first task ({_root(error)}; a script that starts "
        'workers does so under `if __name__ == "__main__":`)'
    )


def _root(error: BaseException) -> BaseException:
    return error.__cause__ or error
