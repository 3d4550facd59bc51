"""Run kernels as plain Python on data so small that compiling takes longer than the work.

A kernel is a function that numba compiles. Here its Python source is run, with a counter added to
each function and loop. A kernel that takes too many operations is interrupted, its arrays are
restored, and it starts again as compiled code. Operations are counted rather than seconds, so that
the speed of the machine does not decide what runs. A kernel runs as plain Python

- while it has taken fewer than `ONE` operations in this process (`_FEW` after `compile_soon`), and
  all kernels together fewer than `_TOGETHER`;
- if its arrays have at most `_BYTES` bytes, because they are copied first;
- and if the cache has no compiled code of it (`gammacp.kernel.LateKernel` checks this).
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

# About 0.2 s, which is the most that later runs lose to a kernel that is never compiled.
ONE = 6_000_000
_TOGETHER = 10_000_000
# Some kernels take 0.02 s for all of their work on a large text, but a second to compile.
_FEW = 200_000
_BYTES = 1 << 17
# Reading an attribute of a record takes Python as long as several other operations.
_COUNTS = {ast.Attribute: 5, ast.BinOp: 1, ast.Call: 1, ast.Compare: 1, ast.Subscript: 1}
_COUNTED = (ast.For, ast.FunctionDef, ast.While)
# Name of the argument whose first cell another thread may set while a kernel runs.
_SET_FROM_OUTSIDE = "meter"

_one = ONE  # operations that each kernel may take
_left = _TOGETHER  # operations that all kernels may still take
_left_now = 0  # operations that the kernel which runs may still take
_one_at_a_time = Lock()


class _TooManyError(Exception):
    pass


class Plain:
    """A kernel that runs as plain Python until it has used up its operations."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Take the Python function of the kernel."""
        self._function = function
        self._names = tuple(inspect.signature(function).parameters)
        self._spent = 0
        self.begun = False

    @property
    def rest(self) -> int:
        """Number of operations that this kernel may still take."""
        return max(min(_one - self._spent, _left), 0)

    def stop(self) -> None:
        """Run this kernel only as compiled code from now on."""
        self._spent = ONE

    def __call__(self, *args: Any) -> tuple[Any] | None:
        """Return a tuple of the result; None, with arrays restored, if it must be compiled."""
        global _left, _left_now
        self.begun = True
        arrays: list[NDArray[Any]] = []
        for name, value in zip(self._names, args, strict=True):
            # The cell that another thread may set must not be restored.
            arrays.extend(_arrays(value[1:] if name == _SET_FROM_OUTSIDE else value))
        if sum(array.nbytes for array in arrays) > _BYTES:
            self.stop()
            return None
        before = [(array, array.copy()) for array in arrays if array.flags.writeable]
        with _one_at_a_time, np.errstate(all="ignore"):
            most = self.rest
            _left_now = most
            try:
                counted = _functions(self._function.__module__)[self._function.__name__]
                result = counted(*args)
            except Exception:  # compiled code raises it again if the arguments are wrong
                self.stop()
                for array, content in before:
                    array[...] = content
                return None
            self._spent += most - _left_now
            _left -= most - _left_now
        return (_python_value(result),)


def compile_at_once() -> None:
    """Run no kernel as plain Python from now on."""
    global _left
    _left = 0


def compile_soon() -> None:
    """Run, from now on, only kernels with very little work as plain Python."""
    global _one
    _one = _FEW


def _charge(operations: int) -> None:
    """Count operations; `_functions` inserts calls of this into the source of kernels."""
    global _left_now
    _left_now -= operations
    if _left_now < 0:
        raise _TooManyError


def _arrays(value: Any) -> Iterator[NDArray[Any]]:
    """Yield an array, or all arrays in a tuple."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _arrays(part)


def _python_value(value: Any) -> Any:
    """Convert NumPy numbers to Python numbers, as compiled code would return them."""
    if isinstance(value, tuple):
        parts = map(_python_value, value)
        if hasattr(value, "_fields"):
            return type(value)(*parts)
        return tuple(parts)
    if isinstance(value, np.generic):
        return value.item()
    return value


@cache
def _functions(module: str) -> dict[str, Any]:
    """Return the functions of a module of kernels by name, with counters added to their source.

    The kernels that they call have counters, too, even if they are from other modules.
    """
    written = sys.modules[module]
    tree = ast.parse(inspect.getsource(written))
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []
        if isinstance(node, _COUNTED):
            counter = ast.parse(f"_charge({_operations(node)})")
            node.body = counter.body + node.body
    ast.fix_missing_locations(tree)
    counted = {**vars(written), "_charge": _charge}
    exec(compile(tree, written.__file__ or "", "exec"), counted)
    for name, value in vars(written).items():
        function = getattr(value, "py_func", None)
        if function is None:
            continue
        is_in_module = function.__module__ == module
        if is_in_module:
            functions = counted
        else:
            functions = _functions(function.__module__)
        counted[name] = functions[function.__name__]
    return counted


def _operations(node: ast.AST) -> int:
    """Return the number of operations in one pass through a loop or function, less inner loops."""
    operations = _COUNTS.get(type(node), 0)
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, _COUNTED):
            operations += _operations(part)
    return operations
