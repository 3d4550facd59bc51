"""Executors on this machine: worker processes that may die, and one thread for `serial`.

`concurrent.futures.ProcessPoolExecutor` fails every pending task when one worker dies and cannot
say which task killed it. Pebble's pool fails exactly the task that the worker was at, replaces the
worker and goes on; here it gets the `Executor` interface, answers that always travel, and workers
that end with their parent.

Workers are spawned, never forked: numba and OR-Tools keep threads and locks that a fork copies in
an unknown state. They ignore Ctrl-C (the parent ends them) and end by themselves when the parent
is gone, even by kill −9.
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
# Threads of pools start workers, and all of them change the one environment.
_ENVIRONMENT = threading.RLock()
# In a worker: why it cannot compute, if it cannot.
_unfit: list[GammacpError] = []
# Seconds to wait for the pool's thread at the end, so that Ctrl-C ends a sweep within two.
_PATIENCE = 1.0


class WorkerDied(BrokenExecutor):
    """The worker process that ran a task ended before it answered."""


class TaskError(Exception):
    """An unexpected exception in a worker, as text: the exception itself may not travel."""


class _Pooled(Executor):
    """A Pebble pool behind the interface of executors."""

    def __init__(self, pool: Callable[[], Any], timeout: float | None = None) -> None:
        self._make, self._pool = pool, pool()
        if timeout is None:
            self._limit = {}
        else:
            self._limit = {"timeout": timeout}
        self._futures: dict[Future[Any], Future[Any]] = {}
        self._closed = False

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Queue `fn(*args)`; a task that is cancelled while it runs is ended with its worker."""
        if self._closed:
            raise BrokenExecutor("the executor is shut down")
        future: Future[T] = Future()
        call = pickle.dumps((fn, args, kwargs))
        try:
            task = self._schedule(call)
        except (OSError, RuntimeError) as error:  # too many processes or files, say
            future.set_exception(WorkerDied(f"no worker process could start: {_root(error)}"))
            return future
        self._futures[future] = task
        future.add_done_callback(lambda f: task.cancel() if f.cancelled() else None)
        task.add_done_callback(lambda t: self._settle(future, t))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks; wait for those that run, or end them with their workers."""
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
        # A thread that is in native code when Python goes away would abort it.
        ending.join(None if wait else _PATIENCE)

    def _schedule(self, call: bytes) -> Future[bytes]:
        try:
            task: Future[bytes] = self._pool.schedule(_outcome, args=(call,), **self._limit)
        except RuntimeError:
            # A pool of which every worker died when it had nothing to do is broken for good.
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
    """One task after the other in this process, beside the thread that waits for them.

    The main thread stays free to stop at Ctrl-C while a solver runs.
    """

    def __init__(self) -> None:
        """One thread."""
        from pebble import ThreadPool  # a tenth of a second, which most commands need not take

        super().__init__(lambda: ThreadPool(1))


class Processes(_Pooled):
    """`jobs` worker processes, which start with the first task.

    Parameters
    ----------
    jobs
        Number of processes; at least 1.
    timeout
        Seconds after which a task that still runs fails with `WorkerDied`, and its worker ends;
        None for no limit.
    memory
        Bytes of address space of each worker, beyond which it gets a MemoryError or dies; None for
        no limit. Where the system has no such limit there is none.
    """

    def __init__(
        self, jobs: int, *, timeout: float | None = None, memory: int | None = None
    ) -> None:
        """Describe the workers; they start with the first call."""
        from pebble import ProcessPool

        super().__init__(
            lambda: ProcessPool(
                jobs, initializer=_prepare, initargs=(loaded_names(), memory), context=_Context()
            ),
            timeout,
        )

    def _schedule(self, call: bytes) -> Future[bytes]:
        # With the first task a pool makes locks, and these start multiprocessing's own helper, a
        # process like the workers.
        with _environment_of_workers():
            return super()._schedule(call)


class _Worker(SpawnProcess):
    """A worker as Pebble starts, ends and watches it."""

    def start(self) -> None:
        with _environment_of_workers(), _deaf_to_ctrl_c():
            super().start()

    def terminate(self) -> None:
        """Kill the process: a solver in native code would not hear a request for seconds."""
        self.kill()

    @property
    def exitcode(self) -> int | None:
        """Return the exit code, None for 0.

        Pebble would take 0 for no death, and wait for an answer.
        """
        return super().exitcode or None


class _Context(SpawnContext):
    Process = _Worker


@contextmanager
def _environment_of_workers() -> Iterator[None]:
    """Set the environment of processes started in this block: a safe path and thread limits.

    A limit that the user has set stays.
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
    # multiprocessing's own helper would clear the mask when it is started in between.
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
        # Kept for the answer to each task, as a worker that ended would only be started again.
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
        # Sent back, as every executor does.
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
        # For example a custom exception that cannot be unpickled.
        return None, TaskError(f"the answer cannot be read: {type(error).__name__}: {error}")
    return loaded


def _worker_error(error: BaseException) -> Exception:
    """Translate the end of a worker for whoever waits for its answer."""
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
