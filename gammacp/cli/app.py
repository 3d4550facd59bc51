"""All commands under one Typer application."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from gammacp import __version__
from gammacp.cli.options.names import list_names
from gammacp.plugins import load_all

# Each module has `add_to(app)`. They import what they need inside their functions, so that
# `--help` stays quick.
_COMMANDS: tuple[str, ...] = (
    "gamma",
    "align",
    "measure",
    "compare",
    "calibrate",
    "consensus",
    "report",
    "bench",
    "shuffle",
    "inspect",
    "convert",
    "formats",
    "segmentation",
    "syntax",
    "solvers",
    "warm_up",
    "cite",
    "reproduce",
    "measures",
)


def build() -> typer.Typer:
    """The application with every command."""
    app = typer.Typer(
        name="gammacp",
        help="How far annotators agree beyond chance on where their units are and what they are.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in _COMMANDS:
        import_module(f"gammacp.cli.commands.{name}").add_to(app)
    list_names(app)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gammacp {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[  # noqa: ARG001
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
    imports: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            help="Module of your own, by name or as a .py file, that registers measures, chance "
            "models, dissimilarities, error types, formats or solvers (repeatable).",
            metavar="MODULE",
        ),
    ] = None,
) -> None:
    load_all(imports or ())
