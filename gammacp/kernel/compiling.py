# mypy: disable-error-code="no-untyped-call"
"""How numba compiles a kernel: what it calls is linked into it, without machine code of its own.

By itself, numba makes each function that a kernel calls, and each of its own for arrays, fit to be
called from Python and from C: optimised alone, then once more in every caller, translated into
machine code, with a wrapper or two. Here this happens once, for the kernel that Python calls.

This takes private parts of numba. Where one is missing, or numba is newer than those it was tried
with, this module is an ImportError, and kernels are compiled as numba does by itself.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

_NEWEST = 0, 68


class _NoMachineCode:
    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """What machine code has of Python's; the kernel that Python calls sets it for all."""


class LinkedLibrary(JITCodeLibrary):
    """Code for other kernels, which optimise it and translate it with their own."""

    codegen = _NoMachineCode

    def add_ir_module(self, ir_module: Any) -> None:
        """Add code, unless it is what C would call."""
        if ir_module.name != "cfunc_wrapper":
            super().add_ir_module(ir_module)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        """None."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> Any:
        """Its code for LLVM: there is no other."""
        return self.serialize_using_bitcode()


_fits = getattr(JITCPUCodegen, "_library_class", None) is JITCodeLibrary
_fits &= all(hasattr(JITCodeLibrary, name) for name in vars(LinkedLibrary))
if numba.version_info[:2] > _NEWEST or not _fits:
    raise ImportError(f"kernels were not linked with numba {numba.__version__} before")


def is_linking(codegen: Any) -> bool:
    """Whether what is compiled now is for the kernel that calls it."""
    return codegen._library_class is LinkedLibrary


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweringForPython(NativeLowering):
    _name = "lowering_for_python"

    def run_pass(self, state: Any) -> bool:
        """With machine code and what Python needs to call it, which releases the GIL.

        Until then all kernels have the flags of numba's functions for arrays, which are compiled
        once for each set of flags.
        """
        state.library = JITCodeLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        flags = state.flags
        flags.no_cpython_wrapper, flags.no_cfunc_wrapper, flags.release_gil = False, True, True
        return super().run_pass(state)  # type: ignore[no-any-return]


class _Compiler(CompilerBase):
    """Numba's compiler; what is compiled while it runs is linked into the kernel."""

    _lowering = NativeLowering

    def compile_extra(self, function: Any) -> Any:
        """The compiled function."""
        codegen = self.state.targetctx.codegen()
        if is_linking(codegen):
            return super().compile_extra(function)
        self._lowering, codegen._library_class = _LoweringForPython, LinkedLibrary
        try:
            return super().compile_extra(function)
        finally:
            del codegen._library_class

    def define_pipelines(self) -> list[Any]:
        """Numba's own passes, but for the last."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (self._lowering if done is NativeLowering else done, text)
            for done, text in passes.passes
        ]
        return [passes]


OPTIONS: dict[str, Any] = {"no_cpython_wrapper": True, "pipeline_class": _Compiler}


def add_overload(kernel: Any, for_python: Callable[[Any], None], result: Any) -> None:
    """Have compiled code called, from Python only where that is possible."""
    if isinstance(result.library, LinkedLibrary):
        kernel.overloads[tuple(result.signature.args)] = result
        return
    for_python(result)
    for environment in result._find_referenced_environments():
        result.codegen.set_env(environment.env_name, environment)


def drop_linked(kernel: Any, signature: Any) -> None:
    """Forget code that only other kernels can call, unless one of them asks for it."""
    known = getattr(kernel.overloads.get(signature), "library", None)
    if isinstance(known, LinkedLibrary) and not is_linking(kernel.targetctx.codegen()):
        del kernel.overloads[signature]
