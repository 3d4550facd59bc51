"""Option groups: options that several commands share, declared once as a frozen dataclass.

A command takes a group as one argument, and a group may contain other groups; `flatten` presents
their fields to Typer as single options. If two groups have a field of the same name, it is one
option whose value both receive; the first group gives its help and default. `--help` lists the
fields of a group under its attribute `heading`, or without one under the first line of its
docstring.

If a group has a method `with_campaign_file`, the command receives the result of this method for the
paths in its argument `files`, `file` or `folder`, so that the group can take values from a
campaign.toml. A parameter of type `Brought` receives the groups that subjects add to the command;
such a group may have a method `chosen_values`, which returns the options that users set.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Sampling:
...     seed: int = option("Seed of everything random.", default=0)
>>> def command(sampling: Sampling) -> None: ...
>>> list(inspect.signature(flatten(command)).parameters)
['seed']
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from gammacp.cli.incomplete import exit_code_of_incomplete_input
from gammacp.cli.options.names import completing
from gammacp.registry import import_listed


@dataclass(frozen=True)
class Brought:
    """Option groups that subjects add to a command in their tables `[option COMMAND]`.

    Attributes
    ----------
    groups
        The filled groups, in the order of these tables.
    """

    groups: tuple[Any, ...]

    def chosen_values(self) -> dict[str, Any]:
        """Return the options that users set, from the groups that have a method `chosen_values`."""
        values: dict[str, Any] = {}
        for group in self.groups:
            if hasattr(group, "chosen_values"):
                values |= group.chosen_values()
        return values


def option(
    help: str,
    metavar: str | None = None,
    *,
    default: Any = None,
    names: tuple[str, ...] = (),
    complete_from: str | None = None,
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
    complete_from
        Registry whose names the shell completes; by default the one that the help text lists.
    rules
        Other arguments of `typer.Option`, such as `min` and `max`.
    """
    arguments = {"help": help, "metavar": metavar, **completing(help, complete_from), **rules}
    return _typer_field(typer.Option, default, names, arguments)


def argument(help: str, metavar: str | None = None, *, default: Any = None) -> Any:
    """Return an argument of a command; `inspect.Parameter.empty` as `default` makes it required."""
    arguments = {"help": help, "metavar": metavar, "show_default": default is not None}
    return _typer_field(typer.Argument, default, (), arguments)


def _typer_field(
    make: Callable[..., Any], default: Any, names: tuple[str, ...], arguments: Mapping[str, Any]
) -> Any:
    """Return a field from which `_option_parameter` makes an option or an argument of Typer."""
    return field(default=default, metadata={"make": make, "names": names, "arguments": arguments})


def changed_option_names(group: Any) -> list[str]:
    """Return the names of the options of a group that differ from their defaults.

    All fields of the group are options, which have plain defaults (no factories).
    """
    names = (f.name for f in fields(group) if getattr(group, f.name) != f.default)
    return [name.replace("_", "-") for name in names]


def flatten(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with groups replaced by their fields, in the form that Typer expects."""
    hints = get_type_hints(command, include_extras=True)
    brought = _brought_to(command, hints)
    parameters = _flat_parameters(command, hints, brought)

    @wraps(command)
    def flat(**values: Any) -> None:
        built = {}
        for name, hint in hints.items():
            if hint is Brought:
                built[name] = Brought(tuple(_build(name, group, values) for group in brought))
            elif name != "return":
                built[name] = _build(name, hint, values)
        paths = _paths_of(built)
        for name, value in built.items():
            if hasattr(value, "with_campaign_file"):
                built[name] = value.with_campaign_file(paths)
        with exit_code_of_incomplete_input():
            command(**built)

    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {p.name: p.annotation for p in parameters}
    # Otherwise Typer would read the signature of the wrapped function.
    del flat.__wrapped__
    return flat


def _flat_parameters(
    command: Callable[..., None], hints: Mapping[str, Any], brought: tuple[type, ...]
) -> list[inspect.Parameter]:
    """Return the parameters of a command for Typer, with groups replaced by their fields."""
    parameter_by_name: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if hints[name] is Brought:
            groups = brought
        else:
            groups = (hints[name],)
        for group in groups:
            for flat_parameter in _parameters(name, group, parameter.default):
                parameter_by_name.setdefault(flat_parameter.name, flat_parameter)
    return list(parameter_by_name.values())


def _paths_of(values: Mapping[str, Any]) -> Sequence[Path]:
    """Return the paths that a command reads: the value of `files`, `file` or `folder`, if any."""
    for name in ("files", "file", "folder"):
        paths = values.get(name)
        if isinstance(paths, Path):
            return [paths]
        if paths:
            return list(paths)
    return []


def _brought_to(command: Callable[..., None], hints: dict[str, Any]) -> tuple[type, ...]:
    """Return the option groups of subjects for a command; empty if it has no `Brought`."""
    if Brought not in hints.values():
        return ()
    return tuple(group for _, group in import_listed(f"option {command.__name__.strip('_')}"))


def _parameters(name: str, hint: Any, default: Any) -> Iterator[inspect.Parameter]:
    """Yield the parameters for Typer: the parameter itself, or the fields of a group."""
    if _is_group(hint):
        yield from _group_parameters(hint)
    elif isinstance(default, Field):
        yield _option_parameter(name, hint, default, None)
    else:
        yield _keyword(name, hint, default)


def _group_parameters(group: Any) -> Iterator[inspect.Parameter]:
    """Yield a parameter for each field of a group and of the groups in it."""
    first_line = str(group.__doc__).partition("\n")[0].rstrip(".")
    heading = getattr(group, "heading", first_line)
    for option_field in fields(group):
        name = option_field.name
        hint = _hints(group)[name]
        if _is_group(hint):
            yield from _group_parameters(hint)
        elif option_field.metadata:
            yield _option_parameter(name, hint, option_field, heading)
        else:
            yield _keyword(name, hint, option_field.default)


def _option_parameter(
    name: str, hint: Any, option_field: Field[Any], heading: str | None
) -> inspect.Parameter:
    """Return the parameter for a field that `option` or `argument` made."""
    default = option_field.default
    names = option_field.metadata["names"]
    if not names and default is False:
        # With an explicit name, Typer adds no `--no-…` to a switch.
        names = (f"--{name.replace('_', '-')}",)
    arguments = option_field.metadata["arguments"]
    typer_option = option_field.metadata["make"](*names, **arguments, rich_help_panel=heading)
    return _keyword(name, Annotated[hint, typer_option], default)


def _keyword(name: str, hint: Any, default: Any) -> inspect.Parameter:
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword_only, default=default, annotation=hint)


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint)


def _build(name: str, hint: Any, values: dict[str, Any]) -> Any:
    """Return the value of a parameter, or a group filled from `values`."""
    if not _is_group(hint):
        return values[name]
    return hint(**{f.name: _build(f.name, _hints(hint)[f.name], values) for f in fields(hint)})


@cache
def _hints(group: Any) -> dict[str, Any]:
    return get_type_hints(group, include_extras=True)
