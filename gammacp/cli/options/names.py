"""Help texts and completion that list the registered names an option accepts.

A help text marks the place of the names, as in "Solver: {solvers}.". The names are looked up when
the help is printed, so they include what `--import` and installed plug-ins registered.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from gammacp.base.arguments import did_you_mean
from gammacp.errors import UsageError
from gammacp.registry import names

_KINDS = {
    "chances": "chance model",
    "categorials": "categorial dissimilarity",
    "constraints": "constraint",
    "dissimilarities": "dissimilarity",
    "errors": "error type",
    "positionals": "positional dissimilarity",
    "scores": "score",
    "solvers": "solver",
}
# While lines are wrapped, this character replaces the hyphen in names such as `non-overlapping`, so
# that they are not broken.
_HYPHEN = re.compile(r"(?<=[a-z])-(?=[a-z])")
_WHOLE = "\ue000"
_KINDS_OF_VALUES = {
    "int": "N",
    "int range": "N",
    "float": "X",
    "float range": "X",
    "str": "TEXT",
    "path": "FILE",
    "list[int]": "N",
}
"""Default placeholders of values in `--help`, by type."""
# Choices of an option that may be repeated, and the type of an argument, as Typer prints them.
_CHOICES = re.compile(r"<list\[([^\]]*)\]>")
_TYPE = re.compile(r" ?<[^<>]*>$")
_PLACE = re.compile(r"\{(\w+)\}")
_NO_CHOICE = re.compile(r"'(.*?)' is not one of (.*)")


def fill(help_text: str) -> str:
    """Return a help text with the placeholders of registries replaced by names.

    >>> fill("Positions: {positionals}.").startswith("Positions: sporadic, sporadic-2011")
    True
    """
    return _PLACE.sub(
        lambda place: ", ".join(names(_KINDS[place[1]])) if place[1] in _KINDS else place[0],
        help_text,
    )


def completing(help_text: str, kind: str | None = None) -> dict[str, Any]:
    """Return arguments for Typer that make the shell complete the names an option accepts.

    Parameters
    ----------
    help_text
        Help of the option. Its first placeholder chooses the registry.
    kind
        Registry to use instead of the one in the help text.
    """
    place = _PLACE.search(help_text)
    kind = kind or (_KINDS.get(place[1]) if place else None)
    if kind is None:
        return {}

    def fitting(incomplete: str) -> list[str]:
        return [name for name in names(kind) if name.startswith(incomplete)]

    return {"autocompletion": fitting}


def plain_name(option: str, text: str) -> str:
    """Return the value of an option that takes a plain name, of a distance or of a feature.

    Earlier versions accepted `NAME=…`, `NAME:TYPE` and `@WEIGHT` to state an order, a tree or a
    weight. For those raise a UsageError that shows the equivalent TOML.
    """
    feature, colon, plain_value = text.rpartition(":") if option == "--feature" else ("", ":", text)
    plain_value, _, weight = plain_value.partition("@")
    kind, sign, argument = plain_value.partition("=")
    old = feature or sign or weight
    if not (colon and old) or kind not in (*names(_KINDS["categorials"]), "matrix"):
        return text
    listed = argument.split("<" if "<" in argument else ",")
    value, order = (json.dumps(v, ensure_ascii=False) for v in (argument, listed))
    key = {"ordinal": "order", "jaccard": "separator", "masi": "separator"}.get(kind, "file")
    parts = [f'type = "{kind}"']
    if argument:
        parts += [f"{key} = {order if kind == 'ordinal' else value}"]
    else:
        parts += []
    if weight:
        parts += [f"weight = {weight}"]
    else:
        parts += []
    if feature:
        name = f"features.{json.dumps(feature, ensure_ascii=False)}"
    else:
        name = "category"
    raise UsageError(
        f"{option} takes only a name, not {text!r}. Write {name} = {{{', '.join(parts)}}} into "
        f"a file and give {'--metric' if option == '--metric' else '--dissimilarity'} FILE.toml"
    )


class _Listing:
    """Mixin for commands and groups of commands whose help lists registered names."""

    params: list[Any]

    def _fill(self) -> None:
        for parameter in self.params:
            if getattr(parameter, "help", None):
                parameter.help = fill(parameter.help)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, with placeholders replaced by names."""
        self._fill()
        super().format_help(ctx, formatter)  # type: ignore[misc]
        formatter.buffer[:] = [line.replace(_WHOLE, "-") for line in formatter.buffer]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Print the options under the headings of their groups, the command's own ones first."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in ctx.command.get_params(ctx):
            is_option = parameter.param_type_name == "option"
            if is_option:
                heading = parameter.rich_help_panel or "Options"
            else:
                heading = "Arguments"
            if record := parameter.get_help_record(ctx):
                name, text = record
                if is_option:
                    for kind, word in _KINDS_OF_VALUES.items():
                        name = name.replace(f"<{kind}>", word)
                    name = _CHOICES.sub(r"<\1>", name)
                else:
                    name = _TYPE.sub("", name)
                sections.setdefault(heading, []).append((name, _HYPHEN.sub(_WHOLE, text)))
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
        if commands := getattr(self, "format_commands", None):
            commands(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Return the completions of the shell, with registered names for placeholders."""
        self._fill()
        return super().shell_complete(ctx, incomplete)  # type: ignore[misc]


class Command(_Listing, TyperCommand):
    """A command whose help lists names."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; the error about an unknown choice suggests the most similar one."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            text = error.message.removeprefix("Value error, ")
            if match := _NO_CHOICE.match(text):
                guess = did_you_mean(match[1], re.findall(r"'([^']*)'", match[2]))
                if guess:
                    text = f"{text.rstrip('.')}; {guess.rstrip()}"
            error.message = text
            raise


class CommandGroup(_Listing, TyperGroup):
    """A group of commands whose help lists names."""

    sections: Mapping[str, Sequence[str]] = {}

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Print the commands under the headings of their sections, where there are any."""
        if not self.sections:
            super().format_commands(ctx, formatter)
        width = max(map(len, self.commands), default=0)
        for title, commands in self.sections.items():
            with formatter.section(title):
                # The limit exceeds any sentence, so that long ones are wrapped rather than cut.
                rows = [(n, self.commands[n].get_short_help_str(limit=1000)) for n in commands]
                formatter.write_dl([(name.ljust(width), text) for name, text in rows])


def application(*, add_completion: bool = False, **settings: Any) -> typer.Typer:
    """Return a Typer application with the settings common to gammacp: plain text, and `-h`."""
    return typer.Typer(
        add_completion=add_completion,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        **settings,
    )


def numbers_of(name: str, said: str) -> tuple[float, ...]:
    """Return the numbers in `said`, the value of the option `name`, which commas separate.

    Raises
    ------
    UsageError
        An entry is not a number.
    """
    try:
        return tuple(float(entry) for entry in said.split(","))
    except ValueError:
        raise UsageError(f"{name} {said!r} is not numbers separated by commas") from None
