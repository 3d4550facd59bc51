"""Pools by name: `serial`, `processes`, `dask://host:port`."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from gammacp.errors import GammacpError, UsageError
from gammacp.pools.cores import processes_for
from gammacp.pools.local import Processes, Serial

_DASK = "dask://"


class PoolError(GammacpError):
    """Tasks cannot be run: there is no scheduler or no worker, or a worker runs other software.

    Parameters
    ----------
    message
        Description of what happened.
    sweeps
        What the error means for a sweep, which it ends. Other work continues in the calling
        process, so there only `message` is shown.
    """

    def __init__(self, message: str, sweeps: str = "") -> None:
        """Join both parts for a sweep; keep `message` for other work."""
        super().__init__(f"{message}; {sweeps}" if sweeps else message)
        self.message = message


def check_same(worker: str, remote: Mapping[str, str], local: Mapping[str, str]) -> None:
    """Raise a PoolError that lists the differences if a worker has loaded other software."""
    # Imported here, as only workers on other machines are compared.
    from gammacp.base.software import differences

    if differing := differences(remote, local):
        raise PoolError(
            f"worker {worker} runs other software ({differing}); give client and workers the same "
            "environment and the same files, and restart workers after a change"
        )


@dataclass(frozen=True, kw_only=True)
class WorkerPool:
    """An executor with the facts that its users need.

    Attributes
    ----------
    executor
        Any `concurrent.futures.Executor`.
    width
        Function that returns the number of tasks that run at once. It is called repeatedly, as the
        number may change.
    gave_up
        Function that tells whether an exception means that the executor itself tried a task on
        several workers, all of which died.
    """

    executor: Executor
    width: Callable[[], int]
    gave_up: Callable[[BaseException], bool] = lambda _: False


_SHARED: ContextVar[WorkerPool | None] = ContextVar("shared pool", default=None)


@contextmanager
def shared_pool() -> Iterator[None]:
    """Share one default pool in this block, because processes take seconds to start."""
    with open_pool() as pool:
        token = _SHARED.set(pool)
        try:
            yield
        finally:
            _SHARED.reset(token)


@contextmanager
def open_pool(executor: str = "processes", jobs: int | None = None) -> Iterator[WorkerPool]:
    """Yield the pool with the given name; its workers end with the block.

    Within `shared_pool`, the default pool is the shared one, which is not ended.

    Parameters
    ----------
    executor
        `serial`: in this process. `processes`: `jobs` worker processes, by default one per
        available core. `dask://host:port`: the workers of a Dask scheduler (extra `dask`), all of
        them or at most `jobs` at once.
    jobs
        Number of tasks that run at once.

    Raises
    ------
    UsageError
        The name is unknown, or `jobs` is out of range.
    PoolError
        The scheduler cannot be reached, has no worker, or a worker runs other software.
    """
    if executor.startswith(_DASK):
        from gammacp.pools.cluster import open_cluster

        if jobs is not None and jobs < 1:
            raise UsageError(f"jobs {jobs} < 1")
        with open_cluster("tcp://" + executor.removeprefix(_DASK), jobs) as pool:
            yield pool
        return
    if executor not in ("serial", "processes"):
        raise UsageError(
            f"executor {executor!r} is unknown; there are: serial, processes, dask://host:port"
        )
    shared = _SHARED.get()
    if shared is not None and executor == "processes" and jobs is None:
        yield shared
        return
    width = processes_for(1 if executor == "serial" else jobs)
    processes = Serial() if executor == "serial" else Processes(width)
    finished = False
    try:
        yield WorkerPool(executor=processes, width=lambda: width)
        finished = True
    finally:
        # After an error or an interrupt, workers are ended in the middle of their tasks.
        processes.shutdown(wait=finished, cancel_futures=not finished)


@contextmanager
def workers(
    jobs: int | None, *, pays: bool = True, executor: str | None = None
) -> Iterator[Executor | None]:
    """Yield an executor with a number of processes, or None if one process is enough.

    None means that the caller computes in its own process. Workers end with the block; if it ends
    with an error, they end at once. The `map` of the executor survives the death of workers.

    Parameters
    ----------
    jobs
        Number of processes; None for the default.
    pays
        Whether there is enough work to start several processes by default.
    executor
        Kind of workers, as for `open_pool`; None for processes, if they pay.

    Raises
    ------
    UsageError, PoolError
        As for `open_pool`.
    """
    if executor == "serial" or (executor is None and processes_for(jobs, pays=pays) == 1):
        yield None
        return
    from gammacp.pools.steady import Steady

    with open_pool(executor or "processes", jobs) as pool:
        yield Steady(pool)
