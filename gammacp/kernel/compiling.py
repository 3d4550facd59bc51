# mypy: disable-error-code="no-untyped-call"
"""How numba compiles a kernel: what it calls is linked into it, without machine code of its own.

By itself, numba makes each function that a kernel calls, and each of its own for arrays, fit to be
called from Python and from C: optimised alone, then once more in every caller, translated into
machine code, with a wrapper or two. Here this happens once, for the kernel that Python calls.
Within `only_for_kernels` numba is set up so: while a kernel is compiled and numba's lock is held.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding.ffi as llvm_ffi  # type: ignore[import-untyped]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

# Passes of numba's compiler for what no kernel has: closures, comprehensions, `with`, `raise`,
# operations that depend on a literal. Each of them looks through everything anew.
_NOT_NEEDED = {
    *("with_lifting", "inline_closure_likes", "make_function_op_code_to_jit_function"),
    *("inline_inlinables", "find_literally", "literal_unroll", "LiteralPropagation"),
    *("rewrite_semantic_constants", "Rewrite dynamic raises"),
}
# Kernels that are compiled or loaded now: the first is what Python calls, the others what it calls.
running: list[Any] = []


def is_nested() -> bool:
    """Whether what is compiled now is for the kernel that calls it."""
    return len(running) > 1


class LinkedLibrary(JITCodeLibrary):
    """Code for other kernels, which optimise it and translate it with their own."""

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


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(NativeLowering):
    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """Of a kernel that Python calls, also what Python needs, which releases the GIL."""
        if not is_nested():
            codegen = state.targetctx.codegen()
            state.library = JITCodeLibrary(codegen, state.func_id.func_qualname)
            state.library.enable_object_caching()
            state.flags.no_cpython_wrapper, state.flags.release_gil = False, True
        return super().run_pass(state)  # type: ignore[no-any-return]


class KernelCompiler(CompilerBase):
    """Numba's compiler, with a lowering that knows who calls.

    Until then all kernels have the flags of numba's functions for arrays, which are compiled once
    for each set of flags.
    """

    def define_pipelines(self) -> list[Any]:
        """Numba's own passes, without those that kernels do not need."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (_KernelLowering, text) if done is NativeLowering else (done, text)
            for done, text in passes.passes
            if done._name not in _NOT_NEEDED
        ]
        return [passes]


@contextmanager
def only_for_kernels(context: Any) -> Iterator[None]:
    """Within, what is compiled is linked into the kernel that Python calls."""
    codegen = context.codegen()
    if codegen._library_class is LinkedLibrary:
        yield
        return
    context.typing_context.refresh()  # in this order: what numba tries first is filled in first
    context.refresh()
    set_env = codegen.set_env

    def set_env_if_loaded(name: str, environment: Any) -> None:
        if codegen._engine.get_global_value_address(name):
            set_env(name, environment)

    lock, collecting = llvm_ffi.lib._lock, gc.isenabled()
    told, lock._cblist = lock._cblist, []  # events for each call of LLVM
    codegen._library_class, codegen.set_env = LinkedLibrary, set_env_if_loaded
    context.create_cfunc_wrapper = lambda *_, **__: None
    gc.disable()  # looking through what numba makes took 9 % of the time
    try:
        yield
    finally:
        del codegen._library_class, codegen.set_env, context.create_cfunc_wrapper
        lock._cblist = told
        if collecting:
            gc.enable()
