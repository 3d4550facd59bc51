"""The software that decides values: what a store notes and what cluster workers must share."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version

from gammacp import __version__

_PACKAGES = ("numpy", "scipy", "numba", "ortools", "networkx")


def software() -> dict[str, str]:
    """Versions of Python, gammacp and the packages that it computes with."""
    versions = {"python": ".".join(map(str, sys.version_info[:3])), "gammacp": __version__}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "absent"
    return versions
