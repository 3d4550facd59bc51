"""Kernels as plain Python, for data so small that compiling takes longer than the work.

What runs is the kernel's own source, where operations are counted: a kernel that takes too many
starts again as compiled code. They are counted, and not seconds, so that no machine's speed decides
what runs.
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

# Operations of one kernel in a process, some .2 s, and of all together that end as plain Python:
# the most that each later run loses if none is ever compiled. And of one where much is to come:
# some take .02 s for all of 3by100, and a second to compile.
ONE, _TOGETHER, _FEW = 6_000_000, 10_000_000, 200_000
_BYTES = 1 << 17  # of arrays that would have to be copied
# A record's attribute takes Python as long as several others.
_COUNTS = {ast.Attribute: 5, ast.BinOp: 1, ast.Call: 1, ast.Compare: 1, ast.Subscript: 1}
_COUNTED = (ast.For, ast.FunctionDef, ast.While)
# What another thread sets while a kernel runs; the kernel does not.
_SET_FROM_OUTSIDE = "halted"

_one, _left = ONE, _TOGETHER
_left_now = 0  # of the kernel that runs
_one_at_a_time = Lock()


class _TooManyError(Exception):
    pass


class Plain:
    """A kernel as plain Python, until it has taken too many operations."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """`function` is the kernel as it was written."""
        self._function = function
        self._names = tuple(inspect.signature(function).parameters)
        self._spent = 0
        self.begun = False

    @property
    def rest(self) -> int:
        """How many operations it may still take."""
        return max(min(_one - self._spent, _left), 0)

    def stop(self) -> None:
        """From now on only compiled code."""
        self._spent = ONE

    def __call__(self, *args: Any) -> tuple[Any] | None:
        """The result in a tuple; None if it takes too long, and then nothing has changed."""
        global _left, _left_now
        self.begun = True
        named = zip(self._names, args, strict=True)
        arrays = [a for name, of in named if name != _SET_FROM_OUTSIDE for a in _arrays(of)]
        if sum(a.nbytes for a in arrays) > _BYTES:
            self.stop()
            return None
        before = [(a, a.copy()) for a in arrays if a.flags.writeable]
        with _one_at_a_time, np.errstate(all="ignore"):
            _left_now = most = self.rest
            try:
                result = _functions(self._function.__module__)[self._function.__name__](*args)
            except Exception:  # what else there may be, compiled code tells as well
                self.stop()
                for array, content in before:
                    array[...] = content
                return None
            self._spent += most - _left_now
            _left -= most - _left_now
        return (_python_value(result),)


def compile_at_once() -> None:
    """From now on no kernel is run as plain Python."""
    global _left
    _left = 0


def compile_soon() -> None:
    """From now on only kernels that have next to nothing to do are run as plain Python."""
    global _one
    _one = _FEW


def _charge(operations: int) -> None:
    global _left_now
    _left_now -= operations
    if _left_now < 0:
        raise _TooManyError


def _arrays(value: Any) -> Iterator[NDArray[Any]]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _arrays(part)


def _python_value(value: Any) -> Any:
    """Compiled code returns numbers of Python."""
    if isinstance(value, tuple):
        parts = map(_python_value, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value.item() if isinstance(value, np.generic) else value


@cache
def _functions(module: str) -> dict[str, Any]:
    """What a module of kernels defines, counted; the kernels that it calls are so, too."""
    there = sys.modules[module]
    tree = ast.parse(inspect.getsource(there))
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []
        if isinstance(node, _COUNTED):
            node.body = ast.parse(f"_charge({_operations(node)})").body + node.body
    found = {**vars(there), "_charge": _charge}
    exec(compile(ast.fix_missing_locations(tree), there.__file__ or "", "exec"), found)
    for name, value in vars(there).items():
        written = getattr(value, "py_func", None)
        if written is not None:
            own = written.__module__ == module
            found[name] = (found if own else _functions(written.__module__))[written.__name__]
    return found


def _operations(node: ast.AST) -> int:
    """How many there are in one turn, without those of the loops within."""
    parts = (part for part in ast.iter_child_nodes(node) if not isinstance(part, _COUNTED))
    return _COUNTS.get(type(node), 0) + sum(map(_operations, parts))
