"""Whole dissimilarities by name, beside the parts that `Combined` puts together."""

from __future__ import annotations

from typing import Any

from gammacp.dissimilarity.combined import Combined
from gammacp.plugins import instance_of
from gammacp.registry import Registry

DISSIMILARITIES: Registry[Any] = Registry("dissimilarity")
DISSIMILARITIES.register("combined", Combined())


def dissimilarity(name: str) -> Any:
    """The dissimilarity that is registered under a name, or `MODULE:CLASS` made without arguments.

    Raises
    ------
    UsageError
        There is no such name, module or class, or it is no dissimilarity.
    """
    if ":" in name:
        return instance_of(name, needs=("pairwise", "bind"))
    return DISSIMILARITIES[name]
