"""`@kernel`: a function over arrays, compiled by numba at its first call and cached on disk.

Numba is imported only by modules that import this one; keep those out of `import gammacp`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` in nopython mode; it releases the GIL and is cached on disk."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))
