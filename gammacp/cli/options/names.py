"""Names that options take, from the registries: help texts list what there is.

A help text says where the names go, as in "Solver: {solvers}."; they are looked up when the help
is printed, with what `--import` and installed plug-ins registered.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from typer.core import TyperCommand, TyperGroup

_REGISTRIES = {
    "chances": "gammacp.chance.registry:CHANCE_MODELS",
    "categorials": "gammacp.dissimilarity:CATEGORIAL",
    "dissimilarities": "gammacp.dissimilarity:DISSIMILARITIES",
    "errors": "shuffling.registry:ERRORS",
    "formats": "gammacp.formats.registry:FORMATS",
    "measures": "gammacp.measures.registry:MEASURES",
    "positionals": "gammacp.dissimilarity:POSITIONAL",
    "scores": "gammacp.campaign.replace.scores:SCORES",
    "solvers": "gammacp.alignment.solvers.registry:SOLVERS",
}
HELP = {"help_option_names": ["-h", "--help"]}
"""How every command, and every group of commands, is asked for its help."""

_PLACE = re.compile(r"\{(\w+)\}")


def filled(help_text: str) -> str:
    """A help text with names in the places of registries.

    >>> filled("Positions: {positionals}.").startswith("Positions: sporadic, sporadic-2011")
    True
    """
    return _PLACE.sub(lambda place: _names(place[1]) or place[0], help_text)


def _names(kind: str) -> str:
    if kind not in _REGISTRIES:
        return ""
    module, _, name = _REGISTRIES[kind].partition(":")
    return ", ".join(getattr(import_module(module), name))


class _Listing:
    """Help that lists names, of a command or of a group of commands."""

    params: list[Any]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, with names in their places."""
        for parameter in self.params:
            if getattr(parameter, "help", None):
                parameter.help = filled(parameter.help)
        super().format_help(ctx, formatter)  # type: ignore[misc]


class Command(_Listing, TyperCommand):
    """A command whose help lists names."""


class Group(_Listing, TyperGroup):
    """A group of commands whose help lists names."""
