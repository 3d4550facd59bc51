"""Option groups: options that several commands share, declared once as a frozen dataclass.

A command takes a group as one argument; `flatten` shows Typer its fields as single options.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Sampling:
...     seed: int = 0
>>> def command(sampling: Sampling) -> None: ...
>>> list(inspect.signature(flatten(command)).parameters)
['seed']
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def flatten(command: Callable[..., None]) -> Callable[..., None]:
    """The same command with every dataclass argument replaced by the dataclass' fields."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {n: t for n, t in hints.items() if is_dataclass(t)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in groups:
            parameters += _parameters(groups[parameter.name])
        else:
            hint = hints[parameter.name]
            parameters.append(
                parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY)
            )

    @wraps(command)
    def flat(**values: Any) -> None:
        built = {
            name: group(**{f.name: values.pop(f.name) for f in fields(group)})
            for name, group in groups.items()
        }
        command(**values, **built)

    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {p.name: p.annotation for p in parameters}
    del flat.__wrapped__
    return flat


def _parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            f.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=f.default,
            annotation=hints[f.name],
        )
        for f in fields(group)
    ]
