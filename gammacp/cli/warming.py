"""Compile everything once, in container images or CI, so that later runs need not wait."""

import os
import pkgutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np

import gammacp
from gammacp.continuum import Continuum, Unit

# Number of annotators, units per annotator, and mean distance of starts. The cases range from
# sparse to crowded, so that every alignment algorithm is used.
_CASES = ((2, 12, 6), (3, 12, 6), (3, 80, 1), (5, 25, 3), (8, 8, 3))
_SECONDS = 30.0  # time limit of an alignment: only compiling matters here
_MOST_ROUNDS = 5  # compiling uses up the time limit, so alignments are repeated


@dataclass(frozen=True)
class WarmUp:
    """Record of what a warm-up did.

    Attributes
    ----------
    kernels
        Number of compiled functions that were called. Functions called by them are not counted.
    compiled
        Number of kernels that had to be compiled; 0 if all were compiled before.
    seconds, processor_seconds
        Elapsed and processor time; about a second if all kernels were compiled before.
    folder
        Folder of the compiled code. None if no folder is writable, so that nothing was saved.
    """

    kernels: int
    compiled: int
    seconds: float
    processor_seconds: float
    folder: str | None


def warm_up(progress: Callable[[int, int], None] | None = None) -> WarmUp:
    """Compile all kernels by aligning and comparing small random data of every kind.

    Parameters
    ----------
    progress
        Called with the number of finished cases and their total.
    """
    from gammacp.kernel import KERNELS
    from gammacp.kernel.folders import writable_folder
    from gammacp.kernel.plain import compile_at_once
    from gammacp.registry import import_listed

    compile_at_once()
    began = time.monotonic()
    used = time.process_time()
    names = [m.name for m in pkgutil.walk_packages(gammacp.__path__, "gammacp.")]
    for name in names:
        if "kernel" in name:
            import_module(name)

    def ready() -> int:
        return sum(bool(k.signatures) for k in KERNELS)

    tasks = [
        *(lambda case=case: _align(*case) for case in _CASES),
        # Subjects register examples for kernels that these alignments do not call.
        *(example for _, example in import_listed("warm")),
    ]
    for done, task in enumerate(tasks, start=1):
        for _ in range(_MOST_ROUNDS):
            before = ready()
            task()
            if ready() == before:
                break
        if progress is not None:
            progress(done, len(tasks))
    folder = writable_folder()
    return WarmUp(
        kernels=ready(),
        compiled=sum(bool(k.stats.cache_misses) for k in KERNELS),
        seconds=time.monotonic() - began,
        processor_seconds=time.process_time() - used,
        folder=None if folder is None else os.fspath(folder),
    )


def _align(annotators: int, units: int, spacing: int) -> None:
    from gammacp.alignment import align
    from gammacp.dissimilarity import Combined

    rng = np.random.default_rng(0)
    continuum = Continuum.from_units(
        Unit(f"a{k}", start, start + float(rng.integers(2, 8)), "xyz"[int(rng.integers(3))])
        for k in range(annotators)
        for start in np.sort(rng.integers(0, units * spacing, units)).tolist()
    )
    for dissimilarity in (Combined(), Combined(positional="hamming")):
        _ = align(continuum, dissimilarity, time_limit=_SECONDS).disorders
    align(continuum, method="greedy")
