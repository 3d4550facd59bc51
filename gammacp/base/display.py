"""Views of results in notebooks, registered so that lower layers need not know the report.

A result's `_repr_html_` asks for the view of its kind here. `Registry` imports the module that
registers a view when the view is first looked up.
"""

from collections.abc import Callable
from typing import Any

from gammacp.registry import Registry

VIEWS: Registry[Callable[[Any], str]] = Registry("view")


def as_html(kind: str, result: object) -> str:
    """Return the result as HTML, by the view that is registered for its kind."""
    return VIEWS[kind](result)
