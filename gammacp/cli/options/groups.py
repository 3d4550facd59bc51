"""Option groups: options that several commands share, declared once as a frozen dataclass.

A command takes a group as one argument, and a group may contain other groups; `flatten` presents
their fields to Typer as single options. If two groups have a field of the same name, it is one
option whose value both receive. `--help` lists the fields of a group under its attribute `heading`,
or without one under the first line of its docstring. If a group has a method `said_by`, the method
is called with the paths of the command, so that the group can take values from a campaign.toml.
A parameter of type `Brought` receives the groups that subjects add to the command.

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
        """Return the options that users set, from the groups that have a method `given`."""
        values: dict[str, Any] = {}
        for group in self.groups:
            if hasattr(group, "given"):
                values |= group.given()
        return values


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
        Default value; a switch with the default False has no `--no-…`.
    names
        Names that replace the one made from the parameter, such as `("--measures", "-m")`.
    of
        Registry whose names the shell completes; by default the one that the help text lists.
    rules
        Other arguments of `typer.Option`, such as `min` and `max`.
    """
    texts = {"help": help, "metavar": metavar, **completing(help, of)}
    rules |= {"kind": typer.Option, "names": names}
    return field(default=default, metadata={**texts, **rules})


def argument(help: str, metavar: str | None = None, *, default: Any = None) -> Any:
    """Return an argument of a command; `inspect.Parameter.empty` as `default` makes it required."""
    rules = {"help": help, "metavar": metavar, "show_default": default is not None}
    return field(default=default, metadata={"kind": typer.Argument, "names": (), **rules})


def given(group: Any) -> list[str]:
    """Return the names of the options of a group that differ from their defaults."""
    names = (f.name for f in fields(group) if getattr(group, f.name) != f.default)
    return [name.replace("_", "-") for name in names]


def flatten(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with groups replaced by their fields, in the form that Typer expects."""
    hints = get_type_hints(command, include_extras=True)
    brought = _brought_to(command, hints)
    parameter_by_name: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if hints[name] is Brought:
            groups = brought
        else:
            groups = (hints[name],)
        for group in groups:
            for one in _parameters(name, group, parameter.default):
                parameter_by_name.setdefault(one.name, one)
    parameters = list(parameter_by_name.values())

    @wraps(command)
    def flat(**values: Any) -> None:
        built = {}
        for name, hint in hints.items():
            if hint is Brought:
                built[name] = Brought(tuple(_build(name, group, values) for group in brought))
            elif name != "return":
                built[name] = _build(name, hint, values)
        paths = next((built[name] for name in ("files", "file", "folder") if built.get(name)), ())
        path_list = [paths] if isinstance(paths, Path) else paths
        with ending():
            command(
                **{
                    n: v.said_by(path_list) if hasattr(v, "said_by") else v
                    for n, v in built.items()
                }
            )

    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {p.name: p.annotation for p in parameters}
    # Otherwise Typer would read the signature of the wrapped function.
    del flat.__wrapped__
    return flat


def _brought_to(command: Callable[..., None], hints: dict[str, Any]) -> tuple[type, ...]:
    """Return the option groups of subjects for a command; empty if it has no `Brought`."""
    if Brought not in hints.values():
        return ()
    return tuple(group for _, group in import_listed(f"option {command.__name__.strip('_')}"))


def _parameters(
    name: str, hint: Any, default: Any, heading: str | None = None
) -> Iterator[inspect.Parameter]:
    """Yield the parameters for Typer: the parameter itself, or the fields of a group."""
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
