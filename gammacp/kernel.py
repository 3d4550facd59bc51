"""`@kernel`: a function over arrays, compiled by numba at its first call and cached on disk.

Numba is imported only by modules that import this one; keep those out of `import gammacp`. The
cache is beside the package, or in the user's cache folder where that cannot be written, or where
NUMBA_CACHE_DIR says. With none of them kernels are compiled anew in every process.

Numba keeps compiled code for as long as the kernel's own file has its size and date. A kernel also
has the kernels that it calls and the constants of other modules compiled into it, so code is kept
here for as long as the content of none of these files changes.
"""

import re
import warnings
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, TypeVar, cast

from gammacp.stopping import standstill

with standstill():
    import numba

F = TypeVar("F", bound=Callable[..., Any])

_ROOT = Path(__file__).parent.parent
_KERNELS = "from gammacp.kernel import"
_IMPORTED = re.compile(r"^from (gammacp(?:\.\w+)+) import", re.MULTILINE)
# Nobody hands kernels to compiled code as C functions: without these it is compiled 7 % faster.
_HOW: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
# Every kernel whose module was imported, for `gammacp warm-up`.
KERNELS: list[Any] = []


def kernel(function: F) -> F:
    """Compile `function` in nopython mode; it releases the GIL and is cached on disk."""
    try:
        compiled: Any = numba.njit(cache=True, **_HOW)(function)
        index = compiled._cache._cache_file
        index._source_stamp = sources(Path(function.__code__.co_filename))
        # Read before what is kept is unpickled, which may name classes that are gone.
        index._version = f"{index._version} {index._source_stamp}"
        _load_alone(compiled._cache)
    except (RuntimeError, AttributeError):  # no folder for the cache, or a numba that keeps others
        _warn_once()
        compiled = numba.njit(**_HOW)(function)
    compiled.get_call_template = partial(_called, compiled.get_call_template)
    compiled.compile = standstill()(compiled.compile)
    KERNELS.append(compiled)
    return cast(F, compiled)


def _called(template: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What a kernel calls takes any integer: else it is compiled once more for each literal one."""

    def plain(kind: Any) -> Any:
        return numba.types.int64 if isinstance(kind, numba.types.IntegerLiteral) else kind

    return template(tuple(map(plain, arguments)), {k: plain(v) for k, v in keywords.items()})


def _load_alone(kept: Any) -> None:
    """Have code loaded from the cache without filling numba's tables, which take half a second.

    They are for compiling alone, which fills them itself. A numba that does this otherwise is left
    as it is.
    """
    try:
        from numba.core.runtime.nrt import rtsys

        initialize, load = rtsys.initialize, kept._load_overload
        guarded = kept._guard_against_spurious_io_errors
    except (AttributeError, ImportError):
        return

    def load_overload(signature: object, context: Any) -> object:
        initialize(context)
        with guarded():
            return load(signature, context)

    kept.load_overload = load_overload


@cache
def sources(module: Path) -> str:
    """A hash of a file with kernels, and of all of gammacp that is compiled into them.

    These are the files with kernels that it imports from, theirs in turn, and the modules that any
    of them takes constants from.
    """
    files, waiting = {module}, [module]
    while waiting:
        text = waiting.pop().read_text(encoding="utf-8")
        for name in _IMPORTED.findall(text) if _KERNELS in text else ():
            found = _ROOT.joinpath(*name.split("."))
            there = {f for f in (found.with_suffix(".py"), found / "__init__.py") if f.is_file()}
            waiting += there - files
            files |= there
    digest = sha256()
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _warn_once() -> None:
    if parent_process() is None:  # workers would say it again
        warnings.warn(
            "compiled code cannot be kept, because no cache folder can be written: every process "
            "compiles anew, which takes some 25 s. Set NUMBA_CACHE_DIR to a folder of your own",
            RuntimeWarning,
            stacklevel=3,
        )
