"""Numbers of processes, from the cores that this process may use rather than all that exist.

Affinity (`taskset`, batch systems) and the CPU quota of a container (control groups, versions 1 and
2) are both respected.
"""

import math
import os
from collections.abc import Iterator
from pathlib import Path

from gammacp.errors import UsageError

CROWD = 8
"""More processes per core than anybody wants."""


def available_cores(root: Path = Path("/")) -> int:
    """Return the number of cores that this process may use, at least 1.

    Parameters
    ----------
    root
        Folder that holds `/proc` and `/sys`.
    """
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    # A quota of 1.5 cores takes two processes to use up.
    return max(1, min([cores, *(math.ceil(quota) for quota in _quotas(root))]))


def memory_of_machine() -> int:
    """Return the machine's memory in bytes; 0 if the system does not tell (Windows)."""
    if not hasattr(os, "sysconf"):
        return 0
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def processes_for(jobs: int | None, *, pays: bool = True) -> int:
    """Return the number of processes that a command uses.

    Parameters
    ----------
    jobs
        Requested number of processes (`--jobs`). None means one per available core if that `pays`,
        else one.
    pays
        Whether there is enough work to be worth starting processes, which takes seconds.

    Raises
    ------
    UsageError
        `jobs` is below 1, or so large that the machine would be overloaded.
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
    """Yield the CPU quotas, in cores, of this process's control group and all groups around it.

    Inside a container only some of these are visible.
    """
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        for mounted in {controllers, "cpu"} if controllers else {""}:
            inner = Path(mounted, path.lstrip("/"))
            for folder in (root / "sys/fs/cgroup" / part for part in (inner, *inner.parents)):
                names = ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us")  # of both versions
                numbers = " ".join(_read(folder / name) for name in names).split()
                if len(numbers) == 2 and all(n.isdigit() for n in numbers):
                    yield int(numbers[0]) / int(numbers[1])


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
