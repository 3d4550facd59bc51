# mypy: disable-error-code="no-untyped-call"
"""How numba compiles a kernel: what it calls is linked into it, without machine code of its own.

By itself, numba makes each function that a kernel calls, and each of its own for arrays, fit to be
called from Python and from C: optimised alone, then once more in every caller, translated into
machine code, with a wrapper or two. Here this happens once, for the kernel that Python calls.

This takes private parts of numba. Where one is missing, or numba is newer than those it was tried
with, this module is an ImportError, and kernels are compiled as numba does by itself.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
from llvmlite.binding import newpassmanagers  # type: ignore[import-untyped]
from llvmlite.binding.ffi import lib  # type: ignore[import-untyped]
from numba.core import types
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.registry import cpu_target
from numba.core.typed_passes import NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

_NEWEST = 0, 68
# Numba would compile them for each literal number once more.
_NEW_ARRAYS = np.empty, np.full, np.zeros


class _NoMachineCode:
    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """What machine code has of Python's; the kernel that Python calls sets it for all."""


class _Library(JITCodeLibrary):
    """Code for Python."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Add code; what Python calls, and what hands over to the kernel, is not optimised."""
        for function in ir_module.functions if ir_module.name == "wrapper" else ():
            if function.blocks:
                function.attributes.add("noinline")
                function.attributes.add("optnone")
        super().add_ir_module(ir_module)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Little, for its size; the whole kernel is optimised at the end."""
        passes = newpassmanagers.create_new_function_pass_manager()
        if not hasattr(passes, "add_sroa_pass"):  # before numba 0.62
            super()._optimize_functions(ll_module)
            return
        ll_module.data_layout = self._codegen._data_layout
        builder = self._codegen._pass_builder()
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.add_instruction_combine_pass()
        passes.add_refprune_pass()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)


class LinkedLibrary(_Library):
    """Code for other kernels, which optimise it and translate it with their own."""

    codegen = _NoMachineCode

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
_fits &= all(hasattr(JITCodeLibrary, name) for name in (*vars(_Library), *vars(LinkedLibrary)))
_context = cpu_target.target_context
_fits &= hasattr(_context, "create_cfunc_wrapper") and hasattr(lib, "_lock")
_fits &= hasattr(_context, "load_additional_registries") and hasattr(_context, "_registries")
if numba.version_info[:2] > _NEWEST or not _fits:
    raise ImportError(f"kernels were not linked with numba {numba.__version__} before")


def is_linking(codegen: Any) -> bool:
    """Whether what is compiled now is for the kernel that calls it."""
    return codegen._library_class is LinkedLibrary


@contextmanager
def _exchange(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Within, an attribute of this object alone is another."""
    before = {name: vars(owner)[name]} if name in vars(owner) else {}
    vars(owner)[name] = value
    try:
        yield
    finally:
        del vars(owner)[name]
        vars(owner).update(before)


def _memory_of(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """How numba types operations, which it asks for each one and in every round of inference."""
    known: dict[Any, Any] = {}

    def resolve_once(function: Any, arguments: Any, keywords: Any) -> Any:
        kinds = all(isinstance(argument, types.Type) for argument in arguments)
        if keywords or not kinds or isinstance(function, types.Dispatcher):
            return resolve(function, arguments, keywords)
        if getattr(function, "typing_key", None) in _NEW_ARRAYS:
            arguments = tuple(map(types.unliteral, arguments))
        key = function, arguments
        if key not in known:
            known[key] = resolve(function, arguments, keywords)
        return known[key]

    return resolve_once


def _install_what_is_new() -> None:
    """What functions have registered since; numba would import each of its modules again."""
    for registry in [*_context._registries]:
        _context.install_registry(registry)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweringForPython(NativeLowering):
    _name = "lowering_for_python"

    def run_pass(self, state: Any) -> bool:
        """With machine code and what Python needs to call it, which releases the GIL.

        Until then all kernels have the flags of numba's functions for arrays, which are compiled
        once for each set of flags.
        """
        state.library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
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
        self._lowering = _LoweringForPython
        typing = self.state.typingctx
        with (
            _exchange(codegen, "_library_class", LinkedLibrary),
            _exchange(typing, "resolve_function_type", _memory_of(typing.resolve_function_type)),
            _exchange(_context, "create_cfunc_wrapper", lambda *_: None),
            _exchange(_context, "load_additional_registries", _install_what_is_new),
            _exchange(lib._lock, "_cblist", []),  # 37 000 events
        ):
            return super().compile_extra(function)

    def define_pipelines(self) -> list[Any]:
        """Numba's own passes, but for the last; none for arithmetic with whole arrays.

        Kernels are loops. Few of them define functions, which there is a pass for, too.
        """
        inner = any(hasattr(value, "co_code") for value in self.state.func_id.code.co_consts)
        spared = [NopythonRewrites] if inner else [NopythonRewrites, InlineClosureLikes]
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (self._lowering if done is NativeLowering else done, text)
            for done, text in passes.passes
            if done not in spared
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
