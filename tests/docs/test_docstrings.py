"""Parameters and raised errors of public functions in their docstrings."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import gammacp.errors

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "api"
MODULES = tuple(
    name
    for page in sorted(PAGES.glob("*.md"))
    for name in re.findall(r"automodule:: (\S+)", page.read_text(encoding="utf-8"))
)
ERRORS = tuple(name for name, value in vars(gammacp.errors).items() if inspect.isclass(value))
# After "Arguments as for `gamma`" or "See `GammaOptions`", the docstring mentioned counts too.
_AS_THERE = re.compile(r"\b(?:for|of|in|see) `([\w.]+)`", re.IGNORECASE)


@cache
def functions() -> dict[str, Callable[..., Any]]:
    """Return public functions and methods of the documented modules, by their qualified names."""
    found: dict[str, Callable[..., Any]] = {}
    for module in map(import_module, MODULES):
        for name in getattr(module, "__all__", None) or dir(module):
            value = getattr(module, name)
            if name.startswith("_") or not getattr(value, "__module__", "").startswith(
                ("gammacp", "shuffling")
            ):
                continue
            if not hasattr(module, "__all__") and value.__module__ != module.__name__:
                continue
            found |= {f"{f.__module__}.{f.__qualname__}": f for f in _of(value)}
    return found


def _of(value: Any) -> Iterator[Callable[..., Any]]:
    if inspect.isfunction(value):
        yield inspect.unwrap(value)
    elif inspect.isclass(value):
        for name, member in vars(value).items():
            function = getattr(member, "__func__", member)
            if not name.startswith("_") and inspect.isfunction(function):
                yield function


def said(function: Callable[..., Any]) -> str:
    """Return the docstring, those it refers to, and those of protocols with a method of
    that name.
    """
    seen: list[Any] = []
    texts = list(_of_protocols(function))
    todo: list[Any] = [function]
    while todo:
        one = todo.pop()
        if one is None or any(one is other for other in seen):
            continue
        seen.append(one)
        text = inspect.getdoc(one) or ""
        texts.append(text)
        todo += [_named(name, inspect.getmodule(one)) for name in _AS_THERE.findall(text)]
    return "\n".join(texts)


def _named(name: str, module: Any) -> Any:
    """Return the object that a docstring of this module means by a name."""
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        last = name.split(".")[-1]
        same = [function for function in functions().values() if function.__name__ == last]
        found = same[0] if same else None
    return found


def _of_protocols(function: Callable[..., Any]) -> Iterator[str]:
    """Yield the docstrings of a protocol's method, which implementations need not repeat."""
    if "." in function.__qualname__:
        for other in functions().values():
            owner = getattr(inspect.getmodule(other), other.__qualname__.split(".")[0], None)
            if other.__name__ == function.__name__ and getattr(owner, "_is_protocol", False):
                yield inspect.getdoc(other) or ""


def unnamed(function: Callable[..., Any]) -> list[str]:
    """Return the parameters that the docstring does not name."""
    text = said(function)
    return [
        name
        for name in inspect.signature(function).parameters
        if name not in ("self", "cls")
        and not name.startswith("_")
        and not re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)
    ]


def unsaid(function: Callable[..., Any]) -> list[str]:
    """Return our own errors that the function raises itself and the docstring does not name."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raised = {
        node.exc.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and isinstance(node.exc.func, ast.Name)
    }
    text = said(function)
    return sorted(name for name in raised & set(ERRORS) if name not in text)


def missing() -> dict[str, list[str]]:
    """Return the omissions of docstrings, function by function."""
    return {
        name: lacks
        for name, function in sorted(functions().items())
        if (lacks := unnamed(function) + unsaid(function))
    }


def test_parameters_and_errors_are_named() -> None:
    assert missing() == {}


def test_there_is_something_to_check() -> None:
    assert len(functions()) > 150
    assert {"gammacp.measures.gamma.gamma", "shuffling.shuffle.shuffle"} <= set(functions())


def _raises(count: int, other: int) -> int:
    """Take a count."""
    if count < other:
        raise gammacp.errors.UsageError("fewer")
    if count:
        raise _error()
    return count


def _error() -> Exception:
    return ValueError()


def test_omissions_are_found() -> None:
    assert unnamed(_raises) == ["other"]


@pytest.mark.parametrize("module", MODULES)
def test_every_module_has_a_docstring(module: str) -> None:
    assert import_module(module).__doc__
