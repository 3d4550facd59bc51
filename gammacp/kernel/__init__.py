"""`@kernel` and `@late_kernel`: functions over arrays that numba compiles at their first call.

Compiling all kernels takes minutes, so compiled code is kept on disk (`gammacp.kernel.cache`). If
several processes need the same code, one compiles it while the others wait and then load it. A
`late_kernel` is not compiled as long as it has little to do: it runs as plain Python
(`gammacp.kernel.plain`), so that the first γ of a small text does not wait for numba. Time spent on
compiling or loading does not count towards deadlines.

Both decorators return numba's own kind of function; only the few methods that make these decisions
are changed. A call whose types already have compiled code in this process calls none of them.

Numba is imported only by modules that import this one; keep those out of `import gammacp`.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from gammacp.base.stopping import standstill
from gammacp.kernel.folders import ignoring_numba_files

with standstill(), ignoring_numba_files():
    import numba
    from numba import types
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import CPUDispatcher

from gammacp.kernel.cache import KernelCache, warn_of_not_keeping
from gammacp.kernel.folders import one_process_compiling
from gammacp.kernel.numba_code import random_function_numbers
from gammacp.kernel.plain import Plain

F = TypeVar("F", bound=Callable[..., Any])

# The options of `numba.njit(nogil=True)`, without wrappers for C, as nobody calls kernels from C.
_OPTIONS = {"nopython": True, "nogil": True, "boundscheck": None, "no_cfunc_wrapper": True}

KERNELS: list[Any] = []
"""Every kernel whose module was imported, for `gammacp warm-up`."""


class Kernel(CPUDispatcher):
    """A function that numba compiles, with gammacp's own cache of compiled code."""

    def enable_caching(self) -> None:
        """Keep compiled code in gammacp's cache; warn if the kernel's source is not a file."""
        try:
            self._cache = KernelCache(self.py_func)
        except OSError as error:
            warn_of_not_keeping(error)

    def compile_for(self, *args: Any) -> Any:
        """Compile or load the code for the types of these arguments, and return its entry point."""
        return super()._compile_for_args(*args)  # type: ignore[misc]

    def is_kept(self, signature: Any) -> bool:
        """Tell whether the cache has current code for a signature."""
        cache = self._cache
        return isinstance(cache, KernelCache) and cache.is_current(signature, self.targetctx)

    def compile(self, signature: Any) -> Any:
        """Compile or load the code for a signature, and return its entry point.

        Numba's lock is taken before the lock between processes. All callers must use this order.

        A constant in a kernel that calls this one has a type of its own, such as "the integer 0".
        The code for any integer serves it as well, and need not be compiled again. (Therefore
        `numba.literally` does not work in kernels.)
        """
        if isinstance(signature, tuple):
            signature = tuple(map(types.unliteral, signature))
        with standstill(), global_compiler_lock, random_function_numbers():
            if signature in self.overloads or self.is_kept(signature):
                return super().compile(signature)
            with one_process_compiling():
                return super().compile(signature)


class LateKernel(Kernel):
    """A kernel that runs as plain Python until it has much to do."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Take the arguments of numba's dispatcher."""
        super().__init__(*args, **options)
        self.plain = Plain(self.py_func)

    def _compile_for_args(self, *args: Any) -> Any:
        """Return a function that computes the result of a call whose code is not loaded yet.

        Numba calls this method, and then the function that it returns. If the cache has compiled
        code, that is used at once.
        """
        plain = self.plain
        if plain.rest and not plain.begun:
            signature = tuple(self.typeof_pyval(argument) for argument in args)
            if self.is_kept(signature):
                plain.stop()
        if not plain.rest:
            return self.compile_for(*args)
        return self._answer_plainly

    def _answer_plainly(self, *args: Any) -> Any:
        """Run the kernel as plain Python; compile it if that takes too long."""
        with standstill():
            result = self.plain(*args)
        if result is not None:
            return result[0]
        return self.compile_for(*args)(*args)


def kernel(function: F) -> F:
    """Return a kernel: compiled at its first call, without the GIL, and kept on disk."""
    return _decorate(function, Kernel)


def late_kernel(function: F) -> F:
    """Return a kernel that runs as plain Python and is compiled once it has much to do.

    The function must return the same bits and the same types either way.
    """
    return _decorate(function, LateKernel)


def _decorate(function: F, kind: type[Kernel]) -> F:
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    compiled: Any = kind(function, targetoptions=dict(_OPTIONS))
    compiled.enable_caching()
    KERNELS.append(compiled)
    return cast(F, compiled)
