"""Names that options take, from the registries: help texts list what there is.

A help text says where the names go, as in "Solver: {solvers}."; they are looked up when the help
is printed, with what `--import` and installed plug-ins registered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_REGISTRIES = {
    "chances": "gammacp.chance.registry:CHANCE_MODELS",
    "categorials": "gammacp.dissimilarity:CATEGORIAL",
    "dissimilarities": "gammacp.dissimilarity:DISSIMILARITIES",
    "errors": "shuffling.registry:ERRORS",
    "formats": "gammacp.formats.registry:FORMATS",
    "measures": "gammacp.measures.registry:MEASURES",
    "positionals": "gammacp.dissimilarity:POSITIONAL",
    "solvers": "gammacp.alignment.solvers.registry:SOLVERS",
}
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


class Command(TyperCommand):
    """A command whose help lists names."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, with names in their places."""
        _fill(self.params)
        super().format_help(ctx, formatter)


class Group(TyperGroup):
    """A group of commands whose help lists names."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, with names in their places."""
        _fill(self.params)
        super().format_help(ctx, formatter)


def _fill(parameters: Iterable[Any]) -> None:
    for parameter in parameters:
        if getattr(parameter, "help", None):
            parameter.help = filled(parameter.help)


def list_names(app: Any) -> None:
    """Make all commands of an application list names in their help."""
    assert isinstance(app, typer.Typer)
    for command in app.registered_commands:
        command.cls = Command
    for group in app.registered_groups:
        group.cls = Group
        list_names(group.typer_instance)
