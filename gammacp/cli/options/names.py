"""Names that options take, from the registries: help texts list what there is.

A help text says where the names go, as in "Solver: {solvers}."; they are looked up when the help
is printed, with what `--import` and installed plug-ins registered.
"""

import re
from collections.abc import Mapping, Sequence
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


def completing(help_text: str, kind: str | None = None) -> dict[str, Any]:
    """What Typer is told, so that a shell offers the names that an option takes.

    Parameters
    ----------
    help_text
        Of the option; the first of its places of registries says what is offered.
    kind
        A registry that it does not name.
    """
    place = _PLACE.search(help_text)
    kind = kind or (_KINDS.get(place[1]) if place else None)
    if kind is None:
        return {}

    def fitting(incomplete: str) -> list[str]:
        return [name for name in names(kind) if name.startswith(incomplete)]

    return {"autocompletion": fitting}


class _Listing:
    """Help that lists names, of a command or of a group of commands."""

    params: list[Any]

    def _fill(self) -> None:
        for parameter in self.params:
            if getattr(parameter, "help", None):
                parameter.help = filled(parameter.help)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, with names in their places."""
        self._fill()
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """What a shell offers, with names in the places of its help."""
        self._fill()
        return super().shell_complete(ctx, incomplete)  # type: ignore[misc]


class Command(_Listing, TyperCommand):
    """A command whose help lists names."""


class Group(_Listing, TyperGroup):
    """A group of commands whose help lists names."""

    sections: Mapping[str, Sequence[str]] = {}

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands under the headings of their sections, where there are any."""
        if not self.sections:
            super().format_commands(ctx, formatter)
        width = max(map(len, self.commands), default=0)
        for title, commands in self.sections.items():
            with formatter.section(title):
                room = formatter.width - 6 - width
                rows = [(n, self.commands[n].get_short_help_str(room)) for n in commands]
                formatter.write_dl([(name.ljust(width), text) for name, text in rows])


def application(*, add_completion: bool = False, **settings: Any) -> typer.Typer:
    """A Typer application as all of ours are: plain text, `-h` beside `--help`."""
    return typer.Typer(
        add_completion=add_completion,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        **settings,
    )
