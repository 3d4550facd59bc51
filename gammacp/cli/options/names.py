"""Names that options take, from the registries: help texts list what there is.

A help text says where the names go, as in "Solver: {solvers}."; they are looked up when the help
is printed, with what `--import` and installed plug-ins registered.
"""

from __future__ import annotations

import re
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from gammacp.registry import names

_KINDS = {
    "chances": "chance model",
    "categorials": "categorial dissimilarity",
    "dissimilarities": "dissimilarity",
    "errors": "error type",
    "positionals": "positional dissimilarity",
    "scores": "score",
    "solvers": "solver",
}
_PLACE = re.compile(r"\{(\w+)\}")


def filled(help_text: str) -> str:
    """A help text with names in the places of registries.

    >>> filled("Positions: {positionals}.").startswith("Positions: sporadic, sporadic-2011")
    True
    """
    return _PLACE.sub(
        lambda place: ", ".join(names(_KINDS[place[1]])) if place[1] in _KINDS else place[0],
        help_text,
    )


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


def application(**settings: Any) -> typer.Typer:
    """A Typer application as all of ours are: plain text, `-h` beside `--help`, no completion."""
    return typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        **settings,
    )
