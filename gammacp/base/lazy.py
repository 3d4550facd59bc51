"""Public names of a package that are imported when somebody first asks for them."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package whose commands must not import what computes.

    Parameters
    ----------
    package
        The package's name, for the error about an unknown name.
    homes
        By public name, the module that has it.

    >>> lazy_names("here", {"pi": "math"})("pi")
    3.141592653589793
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return get
