"""Pools on a Dask cluster (extra `dask`): workers on any number of machines."""

import logging
import math
import pickle
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar
from urllib.parse import urlsplit
from warnings import catch_warnings, simplefilter

from gammacp.base.software import software
from gammacp.errors import UsageError
from gammacp.pools.opening import PoolError, WorkerPool, check_same

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_SAME = "give client and workers the same environment"
ASK_EVERY = 5.0  # seconds between requests for the number of workers
CONNECT = 10.0  # seconds to wait for the scheduler
ANSWER = 60.0  # seconds to wait for answers of scheduler and workers
SILENT = 30.0  # seconds of silence after which a warning names a worker


@contextmanager
def open_cluster(address: str, jobs: int | None = None) -> Iterator[WorkerPool]:
    """Yield a pool of a scheduler's workers; `address` is `tcp://host:port`.

    At most `jobs` tasks run at once.

    Raises
    ------
    PoolError
        The scheduler cannot be reached, has no worker, or a worker runs other software.
    """
    _check_address(address)
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise UsageError(
            "dask:// needs the extra 'dask': pip install 'gammacp[dask]', or `executor=processes`"
        ) from None
    _be_quiet()
    try:
        with catch_warnings():
            # Dask's warning of different versions is not needed: `_check_workers` compares more.
            simplefilter("ignore")
            client = distributed.Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise PoolError(
            f"no Dask scheduler answers at {address} ({error}); start one with `dask scheduler`"
        ) from None
    try:
        _check_workers(client, address)
        yield WorkerPool(
            executor=Cluster(client.get_executor(pure=False)),
            width=_width(client, address, jobs),
            gave_up=lambda error: isinstance(error, distributed.KilledWorker),
        )
    finally:
        # Closing the client also cancels tasks that nobody waits for any more.
        client.close(timeout=2)


def _be_quiet() -> None:
    """Silence Dask's own messages: lost connections are reported once, by this package."""
    loggers = logging.root.manager.loggerDict
    for name in [n for n in loggers if n.startswith(("distributed", "tornado"))]:
        logging.getLogger(name).setLevel(logging.CRITICAL)


class Cluster(Executor):
    """Dask's executor, with a check of each worker's software before each call.

    So workers that join later are checked, too.
    """

    def __init__(self, executor: Executor) -> None:
        """Wrap `executor`, the executor of a Dask client."""
        self._executor = executor
        self._dumps = import_module("cloudpickle").dumps
        self._software = software()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Compute `fn(*args)` on some worker."""
        call = self._dumps((fn, args, kwargs))
        return self._executor.submit(_call_with_same_software, self._software, call)


def _call_with_same_software(versions: Mapping[str, str], call: bytes) -> Any:
    """Make a call on a worker and return its result; PoolError unless it has these `versions`."""
    worker = import_module("distributed").get_worker().address
    check_same(worker, software(), versions)
    try:
        function, arguments, named = pickle.loads(call)
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"worker {worker}: {error}; start workers with your modules on PYTHONPATH"
        ) from None
    return function(*arguments, **named)


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        complete = bool(parts.hostname and parts.port)
    except ValueError:
        complete = False
    if not complete:
        raise UsageError(f"executor 'dask:{address.removeprefix('tcp:')}' is not dask://host:port")


def _check_workers(client: Any, address: str) -> None:
    try:
        software_by_worker: dict[str, dict[str, str] | Exception] = client.run(
            software, on_error="return", callback_timeout=ANSWER
        )
    except TimeoutError:
        silent = ", ".join(_silent(_workers(client), ANSWER / 2)) or "some"
        raise PoolError(
            f"workers of {address} do not answer within {ANSWER:g} s ({silent}); stop or "
            "restart them, and run again"
        ) from None
    if not software_by_worker:
        raise PoolError(f"the scheduler at {address} has no workers; start some: `dask worker`")
    here = software()
    for worker, answer in software_by_worker.items():
        if isinstance(answer, Exception):
            raise PoolError(f"worker {worker} cannot run gammacp ({answer}); {_SAME}")
        check_same(worker, answer, here)


def _workers(client: Any) -> dict[str, tuple[int, float]]:
    """Return each worker's number of threads, and the seconds since it last reported."""

    # This function is pickled by value, as the scheduler need not have gammacp.
    def ask(dask_scheduler: Any) -> dict[str, tuple[int, float]]:
        from distributed.metrics import time as now

        workers = dask_scheduler.workers.values()
        return {w.address: (w.nthreads, now() - w.last_seen) for w in workers}

    answer: dict[str, tuple[int, float]] = client.run_on_scheduler(ask, callback_timeout=ANSWER)
    return answer


def _silent(workers: Mapping[str, tuple[int, float]], seconds: float) -> list[str]:
    return [worker for worker, (_, unheard) in workers.items() if unheard > seconds]


def _width(client: Any, address: str, jobs: int | None) -> Callable[[], int]:
    """Return a function that returns the number of tasks that the workers run at once.

    Workers come and go, so it asks the scheduler every few seconds.
    """
    asked_at = -math.inf
    last_width = 1
    reported: set[str] = set()
    lost = PoolError(
        f"lost the connection to the Dask scheduler at {address}",
        sweeps="what is done is kept, run again to go on",
    )

    def width() -> int:
        nonlocal asked_at, last_width, reported
        if client.status != "running":
            raise lost
        if time.monotonic() - asked_at >= ASK_EVERY:
            try:
                workers = _workers(client)
            except (OSError, TimeoutError):
                raise lost from None
            threads = sum(n for n, _ in workers.values())
            silent = set(_silent(workers, SILENT))
            for worker in sorted(silent - reported):
                _LOG.warning(
                    "worker %s has not been heard of for %g s: end it and others compute its tasks "
                    "(Dask does so on its own after some minutes: worker-ttl)",
                    *(worker, SILENT),
                )
            reported = silent
            if not threads and last_width:
                _LOG.warning("no worker is left at %s; waiting for one", address)
            asked_at = time.monotonic()
            last_width = min(threads, jobs or threads)
        return last_width

    return width
