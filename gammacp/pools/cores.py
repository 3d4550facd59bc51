"""Numbers of processes from the cores this process may use, not those the machine has.

Affinity (`taskset`, batch systems) and the CPU quota of a container (control groups, version 1 and
2) both count.
"""

import math
import os
from collections.abc import Iterator
from pathlib import Path

from gammacp.errors import UsageError

CROWD = 8
"""More processes per core than anybody wants."""


def available_cores(root: Path = Path("/")) -> int:
    """Cores that this process may use, at least 1.

    Parameters
    ----------
    root
        Folder that holds `/proc` and `/sys`.
    """
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    # A quota of 1.5 cores is used up by two processes, not by one.
    return max(1, min([cores, *(math.ceil(quota) for quota in _quotas(root))]))


def memory_of_machine() -> int:
    """Bytes of memory that the machine has; 0 where the system does not say (Windows)."""
    if not hasattr(os, "sysconf"):
        return 0
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def processes_for(jobs: int | None, *, pays: bool = True) -> int:
    """Return the number of processes that a command uses.

    Parameters
    ----------
    jobs
        Number of processes that was asked for (`--jobs`); None: one per available core if it
        `pays`, else one.
    pays
        Whether there is enough to do that starting processes, which takes seconds, is worth it.

    Raises
    ------
    UsageError
        `jobs` is below 1, or so many that they would stifle the machine.
    """
    if jobs is None:
        if pays:
            return available_cores()
        return 1
    if jobs < 1:
        raise UsageError(f"jobs {jobs} < 1")
    cores = available_cores()
    if jobs > CROWD * cores:
        raise UsageError(
            f"{jobs} jobs on {cores} cores would overload this machine; leave `jobs=` out"
        )
    return jobs


def _quotas(root: Path) -> Iterator[float]:
    """Quotas, in cores, of this process' control groups and of all groups around them.

    Inside a container only some of these can be seen.
    """
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, place = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        for mounted in {controllers, "cpu"} if controllers else {""}:
            inner = Path(mounted, place.lstrip("/"))
            for folder in (root / "sys/fs/cgroup" / part for part in (inner, *inner.parents)):
                names = ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us")  # of both versions
                said = " ".join(_read(folder / name) for name in names).split()
                if len(said) == 2 and all(n.isdigit() for n in said):
                    yield int(said[0]) / int(said[1])


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
