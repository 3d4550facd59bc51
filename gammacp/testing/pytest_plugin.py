"""The fixture `require_agreement` for pytest, which a conftest.py asks for.

It is no entry point: pytest would load it in every project of whoever has installed gammacp.

    pytest_plugins = ["gammacp.testing.pytest_plugin"]
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gammacp.continuum import Continuum, Corpus
from gammacp.testing.agreement import require_agreement as check


@pytest.fixture(name="require_agreement", scope="session")
def _require_agreement(pytestconfig: pytest.Config) -> Callable[..., Any]:
    """`gammacp.testing.require_agreement`, with paths from the root of the project."""
    root = pytestconfig.rootpath

    def require_agreement(data: Any, measure: str = "gamma", **options: Any) -> Any:
        __tracebackhide__ = True
        if isinstance(data, Continuum | Corpus):
            found: Any = data
        elif isinstance(data, str | os.PathLike):
            found = _short(root / data)
        else:
            found = [_short(root / path) for path in data]
        return check(found, measure, **options)

    return require_agreement


def _short(path: Path) -> Path:
    """Return a path as messages show it best, from the working directory if it is below that."""
    here = Path.cwd()
    if path.is_relative_to(here):
        return path.relative_to(here)
    return path
