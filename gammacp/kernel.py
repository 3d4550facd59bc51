"""`@kernel`: a function over arrays, compiled by numba at its first call and cached on disk.

Numba is imported only by modules that import this one; keep those out of `import gammacp`. The
cache is beside the package, or in the user's cache folder where that cannot be written, or where
NUMBA_CACHE_DIR says. With none of them kernels are compiled anew in every process.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from multiprocessing import parent_process
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

# Every kernel whose module was imported, for `gammacp warm-up`.
KERNELS: list[Any] = []


def kernel(function: F) -> F:
    """Compile `function` in nopython mode; it releases the GIL and is cached on disk."""
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba finds no folder for its cache
        _warn_once()
        compiled = numba.njit(nogil=True)(function)
    KERNELS.append(compiled)
    return cast(F, compiled)


@cache
def _warn_once() -> None:
    if parent_process() is None:  # workers would say it again
        warnings.warn(
            "compiled code cannot be kept, because no cache folder can be written: every process "
            "compiles anew, which takes some 25 s. Set NUMBA_CACHE_DIR to a folder of your own",
            RuntimeWarning,
            stacklevel=3,
        )
