"""Examples in docstrings, module by module."""

from __future__ import annotations

import doctest
import linecache
import pkgutil
from importlib import import_module

import pytest

import gammacp
import shuffling

MODULES = sorted(
    module.name
    for package in (gammacp, shuffling)
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    if not module.name.endswith("__main__")
)
MODULES += ["gammacp", "shuffling"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name: str) -> None:
    pytest.importorskip("spacy") if name.endswith("spacy_docbin") else None
    module = import_module(name)
    # For each docstring, doctest asks the disk whether any line kept here has changed.
    linecache.clearcache()
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0
