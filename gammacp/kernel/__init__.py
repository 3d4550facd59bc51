"""`@kernel` and `@late_kernel`: functions over arrays that numba compiles at their first call.

Compiling all kernels takes minutes, so compiled code is kept on disk (`gammacp.kernel.cache`), and
of several processes one compiles while the others wait for what it keeps. A `late_kernel` is not
even compiled while it has little to do: it runs as plain Python (`gammacp.kernel.plain`), so that
the first γ of a small text is there at once. Deadlines stand still while code is compiled or
loaded.

Both decorators return numba's own kind of function, with the few methods changed at which these
decisions are made. A call whose types have compiled code in this process meets none of them.

Numba is imported only by modules that import this one; keep those out of `import gammacp`.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from gammacp.base.stopping import standstill
from gammacp.kernel.folders import ignoring_numba_files

with standstill(), ignoring_numba_files():
    import numba
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import CPUDispatcher

from gammacp.kernel.cache import KernelCache, warn_of_not_keeping
from gammacp.kernel.folders import one_process_compiling
from gammacp.kernel.numba_code import random_function_numbers
from gammacp.kernel.plain import Plain

F = TypeVar("F", bound=Callable[..., Any])

# As `numba.njit(nogil=True)` has them; nobody calls kernels from C.
_OPTIONS = {"nopython": True, "nogil": True, "boundscheck": None, "no_cfunc_wrapper": True}

KERNELS: list[Any] = []
"""Every kernel whose module was imported, for `gammacp warm-up`."""


class Kernel(CPUDispatcher):
    """A function as numba compiles it, with a cache of gammacp's own."""

    def enable_caching(self) -> None:
        """Keep compiled code in gammacp's cache; warn if the kernel's source is not a file."""
        try:
            self._cache = KernelCache(self.py_func)
        except OSError as error:
            warn_of_not_keeping(error)

    def compile_for(self, *args: Any) -> Any:
        """Compile or load the code for the types of arguments, and return its entry point."""
        return super()._compile_for_args(*args)  # type: ignore[misc]

    def is_kept(self, signature: Any) -> bool:
        """Tell whether the cache has a file for a signature."""
        cache = self._cache
        return isinstance(cache, KernelCache) and cache.is_current(signature, self.targetctx)

    def compile(self, signature: Any) -> Any:
        """Compile or load the code for a signature, and return its entry point.

        Numba's lock is taken before that of the processes, in the order of everybody who compiles.
        """
        with standstill(), global_compiler_lock, random_function_numbers():
            if signature in self.overloads or self.is_kept(signature):
                return super().compile(signature)
            with one_process_compiling():
                return super().compile(signature)


class LateKernel(Kernel):
    """A kernel that is plain Python until it has much to do."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Take what numba takes."""
        super().__init__(*args, **options)
        self.plain = Plain(self.py_func)

    def _compile_for_args(self, *args: Any) -> Any:
        """Return a function that answers a call, for whose types no code is loaded yet.

        Numba calls this, and then what it returns. Code that was kept is used at once.
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
        """Run as plain Python, or compiled if that takes too long."""
        with standstill():
            result = self.plain(*args)
        if result is not None:
            return result[0]
        return self.compile_for(*args)(*args)


def kernel(function: F) -> F:
    """Compile `function` in nopython mode; it releases the GIL and is cached on disk."""
    return _decorate(function, Kernel)


def late_kernel(function: F) -> F:
    """Return a kernel that is compiled once it has much to do; until then it is plain Python.

    For functions that give the same bits and the same types either way.
    """
    return _decorate(function, LateKernel)


def _decorate(function: F, kind: type[Kernel]) -> F:
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    compiled: Any = kind(function, targetoptions=dict(_OPTIONS))
    compiled.enable_caching()
    KERNELS.append(compiled)
    return cast(F, compiled)
