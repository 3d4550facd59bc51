"""Executors by name: `serial`, `processes`, `dask://host:port`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from gammacp.bench.processes import Processes, Serial
from gammacp.bench.runner import Pool
from gammacp.errors import UsageError

_CROWD = 8  # worker processes per core that cannot be meant


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def open_pool(executor: str = "processes", jobs: int | None = None) -> Iterator[Pool]:
    """The pool that a name stands for; its workers end with the block.

    Parameters
    ----------
    executor
        `serial`: in this process. `processes`: `jobs` worker processes, by default one per core.
        `dask://host:port`: the workers of a Dask scheduler (extra `dask`), all of them or at most
        `jobs` at once.
    jobs
        How many tasks run at once.
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs {jobs} < 1")
    local = not executor.startswith("dask://")
    if local and jobs is not None and jobs > _CROWD * available_cores():
        raise UsageError(
            f"{jobs} jobs on {available_cores()} cores would stifle this machine; leave --jobs out"
        )
    if not local:
        from gammacp.bench.cluster import open_cluster

        with open_cluster("tcp://" + executor.removeprefix("dask://"), jobs) as pool:
            yield pool
        return
    workers: Serial | Processes
    width = 1 if executor == "serial" else jobs or available_cores()
    if executor == "serial":
        workers = Serial()
    elif executor == "processes":
        workers = Processes(width)
    else:
        raise UsageError(
            f"executor {executor!r} is unknown; there are: serial, processes, dask://host:port"
        )
    finished = False
    try:
        yield Pool(executor=workers, width=lambda: width)
        finished = True
    finally:
        # After an error or an interrupt workers are ended in the midst of what they do.
        workers.shutdown(wait=finished, cancel_futures=not finished)
