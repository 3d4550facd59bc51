"""`@kernel`: a function over arrays, compiled by numba at its first call and cached on disk.

Numba is imported only by modules that import this one; keep those out of `import gammacp`. How
compiled code is kept is in `gammacp.kernel.cache`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

from gammacp.base.stopping import standstill

with standstill():
    import numba
    from numba.core.compiler_lock import global_compiler_lock

from gammacp.kernel.cache import KernelCache, alone, not_kept
from gammacp.kernel.plain import Plain

try:
    from gammacp.kernel import compiling
except ImportError:  # by itself numba compiles the same, a quarter slower
    compiling = None  # type: ignore[assignment]

F = TypeVar("F", bound=Callable[..., Any])

# Every kernel whose module was imported, for `gammacp warm-up`.
KERNELS: list[Any] = []


def kernel(function: F) -> F:
    """Compile `function` in nopython mode; it releases the GIL and is cached on disk.

    What other kernels call of it is compiled for them alone (`gammacp.kernel.compiling`).
    """
    options = {"nogil": True, "no_cfunc_wrapper": True} if compiling is None else compiling.OPTIONS
    compiled: Any = numba.njit(**options)(function)
    if compiled is function:  # NUMBA_DISABLE_JIT
        return function
    if compiling is not None:
        compiled.add_overload = partial(compiling.add_overload, compiled, compiled.add_overload)
    try:
        compiled._cache = KernelCache(function)
    except OSError as error:  # its source is not a file
        not_kept(error)
    compiled.get_call_template = partial(_call_kernel, compiled.get_call_template)
    compiled.compile = standstill()(partial(_compile, compiled, compiled.compile))
    KERNELS.append(compiled)
    return cast(F, compiled)


def late_kernel(function: F) -> F:
    """A kernel that is compiled once it has much to do; until then it is plain Python.

    For kernels that give the same bits and the same types either way. Code that was kept is used
    at once.
    """
    compiled: Any = kernel(function)
    if isinstance(getattr(compiled, "_cache", None), KernelCache):
        compiled.plain = Plain(function)
        compile_now = compiled._compile_for_args
        compiled._compile_for_args = partial(_who_answers, compiled, compile_now)
    return cast(F, compiled)


def _who_answers(kernel: Any, compile_now: Callable[..., Any], *args: Any) -> Callable[..., Any]:
    """What a call is handed to that has no compiled code in this process yet."""
    plain = kernel.plain
    if plain.rest and not plain.begun:
        signature = tuple(map(kernel.typeof_pyval, args))
        if kernel._cache.is_current(signature, kernel.targetctx):
            plain.stop()
    if not plain.rest:
        return compile_now(*args)  # type: ignore[no-any-return]

    def answer(*args: Any) -> Any:
        with standstill():
            result = plain(*args)
        return compile_now(*args)(*args) if result is None else result[0]

    return answer


def _compile(kernel: Any, compile_or_load: Callable[[Any], Any], signature: Any) -> Any:
    """Of several processes one compiles, and the others load what it has kept."""
    with global_compiler_lock:  # first, as whoever compiles with numba does
        if compiling is not None:
            compiling.drop_linked(kernel, signature)
        kept = getattr(kernel._cache, "is_current", None)
        if kept is None or kept(signature, kernel.targetctx) or signature in kernel.overloads:
            return compile_or_load(signature)
        with alone():
            return compile_or_load(signature)


def _call_kernel(template: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What a kernel calls takes any integer: else it is compiled once more for each kind."""

    def plain(kind: Any) -> Any:
        kind_of = numba.types.unliteral(kind)  # type: ignore[no-untyped-call]
        signed = kind_of in numba.types.signed_domain
        return numba.types.int64 if signed else kind

    return template(tuple(map(plain, arguments)), {k: plain(v) for k, v in keywords.items()})
