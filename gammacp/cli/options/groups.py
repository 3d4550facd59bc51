"""Option groups: options that several commands share, declared once as a frozen dataclass.

A command takes a group as one argument, and a group other groups; `flatten` shows Typer their
fields as single options. A field that two groups have is one option, which both are given. In
`--help` the fields of a group stand together under its `heading`, or where it has none under the
first line of its docstring. A group with a method `said_by` learns from it what a campaign.toml
among the command's files says.
A parameter of the type `Brought` stands for the groups that subjects bring to the command.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Sampling:
...     seed: int = option("Seed of everything random.", default=0)
>>> def command(sampling: Sampling) -> None: ...
>>> list(inspect.signature(flatten(command)).parameters)
['seed']
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import Field, dataclass, field, fields, is_dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from gammacp.cli.incomplete import ending
from gammacp.cli.options.names import completing
from gammacp.registry import import_listed


@dataclass(frozen=True)
class Brought:
    """The option groups that subjects list for a command under `[option COMMAND]`.

    Attributes
    ----------
    groups
        The filled groups, in the order of the tables.
    """

    groups: tuple[Any, ...]

    def given(self) -> dict[str, Any]:
        """Return the options that were given, of groups that have a method `given`."""
        found: dict[str, Any] = {}
        for group in self.groups:
            if hasattr(group, "given"):
                found |= group.given()
        return found


def option(
    help: str,
    metavar: str | None = None,
    *,
    default: Any = None,
    names: tuple[str, ...] = (),
    of: str | None = None,
    **rules: Any,
) -> Any:
    """Return an option: a field of a group, or the default of a command's parameter.

    Parameters
    ----------
    help, metavar
        Text of the option in `--help`, and the placeholder of its value.
    default
        Value if it is not given; a switch that is off has no `--no-…`.
    names
        Other than the parameter's own, such as `("--measures", "-m")`.
    of
        The registry whose names it takes, for completion; by default the one its help lists.
    rules
        Whatever else `typer.Option` takes: `min`, `max`, ….
    """
    said = {"help": help, "metavar": metavar, **completing(help, of)}
    rules |= {"kind": typer.Option, "names": names}
    return field(default=default, metadata={**said, **rules})


def argument(help: str, metavar: str | None = None, *, default: Any = None) -> Any:
    """Make a command's argument; `default` is `inspect.Parameter.empty` if it is needed."""
    rules = {"help": help, "metavar": metavar, "show_default": default is not None}
    return field(default=default, metadata={"kind": typer.Argument, "names": (), **rules})


def given(group: Any) -> list[str]:
    """Return the options of a group that differ from their defaults, as they are called."""
    names = (f.name for f in fields(group) if getattr(group, f.name) != f.default)
    return [name.replace("_", "-") for name in names]


def flatten(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with groups replaced by their fields, and options as Typer wants them."""
    hints = get_type_hints(command, include_extras=True)
    brought = _brought_to(command, hints)
    found: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if hints[name] is Brought:
            groups = brought
        else:
            groups = (hints[name],)
        for group in groups:
            for one in _parameters(name, group, parameter.default):
                found.setdefault(one.name, one)
    parameters = list(found.values())

    @wraps(command)
    def flat(**values: Any) -> None:
        built = {}
        for name, hint in hints.items():
            if hint is Brought:
                built[name] = Brought(tuple(_build(name, group, values) for group in brought))
            elif name != "return":
                built[name] = _build(name, hint, values)
        paths = next((built[name] for name in ("files", "file", "folder") if built.get(name)), ())
        given = [paths] if isinstance(paths, Path) else paths
        with ending():
            command(
                **{n: v.said_by(given) if hasattr(v, "said_by") else v for n, v in built.items()}
            )

    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {p.name: p.annotation for p in parameters}
    # Typer reads the signature of what is wrapped, otherwise.
    del flat.__wrapped__
    return flat


def _brought_to(command: Callable[..., None], hints: dict[str, Any]) -> tuple[type, ...]:
    """Return the option groups of subjects for a command that takes them."""
    if Brought not in hints.values():
        return ()
    return tuple(group for _, group in import_listed(f"option {command.__name__.strip('_')}"))


def _parameters(
    name: str, hint: Any, default: Any, heading: str | None = None
) -> Iterator[inspect.Parameter]:
    """Yield what Typer sees of a parameter, or of a group's fields."""
    if isinstance(hint, type) and is_dataclass(hint):
        first_line = str(hint.__doc__).partition("\n")[0].rstrip(".")
        heading = getattr(hint, "heading", first_line)
        for f in fields(hint):
            inner = _hints(hint)[f.name]
            yield from _parameters(f.name, inner, f if f.metadata else f.default, heading)
        return
    if isinstance(default, Field):
        rules = {**default.metadata, "rich_help_panel": heading}
        default = default.default
        kind = rules.pop("kind")
        names = rules.pop("names")
        if not names and default is False:
            names = (f"--{name.replace('_', '-')}",)
        hint = Annotated[hint, kind(*names, **rules)]
    keyword = inspect.Parameter.KEYWORD_ONLY
    yield inspect.Parameter(name, keyword, default=default, annotation=hint)


def _build(name: str, hint: Any, values: dict[str, Any]) -> Any:
    if not (isinstance(hint, type) and is_dataclass(hint)):
        return values[name]
    return hint(**{f.name: _build(f.name, _hints(hint)[f.name], values) for f in fields(hint)})


@cache
def _hints(group: Any) -> dict[str, Any]:
    return get_type_hints(group, include_extras=True)
