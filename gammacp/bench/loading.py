"""The user's own modules and classes, by name."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from gammacp.errors import UsageError


def load_module(name: str) -> ModuleType:
    """The module of that name, imported.

    Raises
    ------
    UsageError
        There is no such module, or it fails while it is imported.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(f"module {name!r} cannot be imported: {error}") from None
    except Exception as error:
        place = extract_tb(error.__traceback__)[-1]
        where = "" if isinstance(error, SyntaxError) else f" ({place.filename}:{place.lineno})"
        raise UsageError(
            f"module {name!r} fails when imported: {type(error).__name__}: {error}{where}"
        ) from None


def load_dissimilarity(name: str) -> Any:
    """An object of the class that `package.module:Class` names, made without arguments.

    The working directory is searched too.

    Raises
    ------
    UsageError
        The name has no colon, there is no such module or class, or it is no dissimilarity.
    """
    module_name, colon, class_name = name.partition(":")
    if not (colon and module_name and class_name):
        raise UsageError(f"{name!r} is not MODULE:CLASS")
    search_here()
    found = getattr(load_module(module_name), class_name, None)
    if not isinstance(found, type):
        raise UsageError(f"module {module_name!r} has no class {class_name!r}")
    if not (hasattr(found, "pairwise") or hasattr(found, "bind")):
        raise UsageError(f"{name!r} is no dissimilarity: it has no method 'pairwise'")
    try:
        return found()
    except TypeError as error:
        raise UsageError(f"{name!r} cannot be made without arguments: {error}") from None


def search_here() -> None:
    """Look for modules in the working directory as well, as `python -m` does."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
