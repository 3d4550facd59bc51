"""Numbers of processes, and pools of processes that survive the death of a worker.

How many processes a command starts is decided here and nowhere else (`processes_for`). A pool
(`open_pool`) is a `concurrent.futures.Executor` that runs tasks in this process, on this machine's
cores or on a Dask cluster; the results are the same everywhere.
"""

from gammacp.pools.cores import available_cores, memory_of_machine, processes_for
from gammacp.pools.local import Processes, Serial, TaskError, WorkerDied
from gammacp.pools.opening import PoolError, WorkerPool, open_pool, workers

__all__ = [
    "PoolError",
    "Processes",
    "Serial",
    "TaskError",
    "WorkerDied",
    "WorkerPool",
    "available_cores",
    "memory_of_machine",
    "open_pool",
    "processes_for",
    "workers",
]
