"""Classes of the user's own, by name."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from gammacp.errors import UsageError


def load_class(name: str) -> type[Any]:
    """The class that `package.module:Class` names; the working directory is searched too.

    Raises
    ------
    UsageError
        The name has no colon, or there is no such module or class.
    """
    module_name, colon, class_name = name.partition(":")
    if not (colon and module_name and class_name):
        raise UsageError(f"{name!r} is not MODULE:CLASS")
    search_here()
    try:
        module = import_module(module_name)
    except ImportError as error:
        raise UsageError(f"{name!r} cannot be imported: {error}") from None
    found = getattr(module, class_name, None)
    if not isinstance(found, type):
        raise UsageError(f"module {module_name!r} has no class {class_name!r}")
    return found


def search_here() -> None:
    """Look for modules in the working directory as well, as `python -m` does."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
