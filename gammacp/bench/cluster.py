"""Sweeps on a Dask cluster (extra `dask`): workers on any number of machines."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from gammacp.bench.runner import Pool, SweepError
from gammacp.bench.software import software
from gammacp.errors import UsageError

_ASK_EVERY = 5.0  # seconds between questions for the number of workers
_CONNECT = 10.0  # seconds to wait for the scheduler


@contextmanager
def open_cluster(address: str, jobs: int | None = None) -> Iterator[Pool]:
    """The workers of the scheduler at `address` (`tcp://host:port`), at most `jobs` at once.

    Raises
    ------
    SweepError
        The scheduler cannot be reached, has no worker, or a worker runs other software.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise UsageError(
            "dask:// needs the extra 'dask': pip install 'gammacp[dask]', or --executor processes"
        ) from None
    # Lost connections are reported by the sweep, once, in its own words.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise SweepError(
            f"no Dask scheduler answers at {address} ({error}); start one with `dask scheduler`"
        ) from None
    try:
        _check_workers(client, address)
        executor = client.get_executor(pure=False)
        yield Pool(
            executor=executor,
            width=_width(client, address, jobs),
            gave_up=lambda error: isinstance(error, distributed.KilledWorker),
        )
    finally:
        # Tasks that nobody waits for any more are cancelled with the client.
        client.close(timeout=2)


def _check_workers(client: Any, address: str) -> None:
    found: dict[str, dict[str, str]] = client.run(software)
    if not found:
        raise SweepError(f"the scheduler at {address} has no workers; start some: `dask worker`")
    here = software()
    for worker, there in found.items():
        wrong = [
            f"{name} {there.get(name)} there, {here[name]} here"
            for name in here
            if there.get(name) != here[name]
        ]
        if wrong:
            raise SweepError(
                f"worker {worker} runs other software ({'; '.join(wrong)}); "
                "give client and workers the same environment"
            )


def _width(client: Any, address: str, jobs: int | None) -> Callable[[], int]:
    """How many tasks the workers run at once, asked now and then: workers come and go."""
    asked, known = -math.inf, 1
    lost = SweepError(
        f"lost the connection to the Dask scheduler at {address}; cells so far are kept, "
        "run again to go on"
    )

    def width() -> int:
        nonlocal asked, known
        if client.status != "running":
            raise lost
        if time.monotonic() - asked >= _ASK_EVERY:
            try:
                threads = sum(client.nthreads().values())
            except (OSError, TimeoutError):
                raise lost from None
            asked, known = time.monotonic(), min(threads, jobs or threads)
        return known

    return width
