"""The fixture `require_agreement` for pytest.

A project loads it in its conftest.py:

    pytest_plugins = ["gammacp.testing.pytest_plugin"]

It is not registered as an entry point of pytest, because pytest would then load it in every
project of everybody who has installed gammacp.
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
    """Return `gammacp.testing.require_agreement`, with paths from the root of the project."""
    root = pytestconfig.rootpath

    def require_agreement(data: Any, measure: str = "gamma", **options: Any) -> Any:
        __tracebackhide__ = True
        if isinstance(data, Continuum | Corpus):
            paths: Any = data
        elif isinstance(data, str | os.PathLike):
            paths = _short(root / data)
        else:
            paths = [_short(root / path) for path in data]
        return check(paths, measure, **options)

    return require_agreement


def _short(path: Path) -> Path:
    """Return a path for messages: relative to the working directory if it is below that."""
    here = Path.cwd()
    if path.is_relative_to(here):
        return path.relative_to(here)
    return path
