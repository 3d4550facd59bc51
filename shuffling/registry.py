"""The error types by name.

An error type is a frozen dataclass of its parameters, all with defaults, and `apply`. A new one is
one small module that calls `register`. Errors are written as text like this:

    position                              one error with its defaults
    position+category                     several, in the order in which they are made
    split:factor=2+category:overlap=true  with parameters
"""

import math
from collections.abc import Sequence
from dataclasses import Field, fields
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np

from gammacp.errors import UsageError
from gammacp.registry import Registry
from shuffling.setting import Setting, Units


@runtime_checkable
class ErrorType(Protocol):
    """A way to err; a frozen dataclass whose fields are its parameters."""

    name: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def apply(
        self, units: Units, magnitude: float, setting: Setting, rng: np.random.Generator
    ) -> Units:
        """Return the annotator's version of `units` at this magnitude in [0, 1].

        At magnitude 0 the units come back as they were. The result lies inside the bounds.

        Parameters
        ----------
        units
            Sorted columns of one annotator; they stay as they are.
        magnitude
            Severity of the error.
        setting
            Bounds, categories, and what new units are drawn from.
        rng
            The generator of this annotator and error; nothing else is random.
        """
        ...


E = TypeVar("E", bound=ErrorType)

ERRORS: Registry[type[ErrorType]] = Registry("error type")


def register(error: type[E]) -> type[E]:
    """Add an error type under its name."""
    ERRORS.register(error.name, error)
    return error


def parse_errors(text: str) -> tuple[ErrorType, ...]:
    """Return the errors in a text such as `position+category` or `split:factor=2`, in stated order.

    Raises UsageError for an unknown name or parameter, or a value out of range.
    """
    return tuple(_parse(part.strip()) for part in text.split("+"))


def describe(errors: Sequence[ErrorType]) -> str:
    """Return the text that `parse_errors` reads back; parameters at their defaults are left out.

    A parameter without a textual form (a closeness matrix) is written as Python would.

    Parameters
    ----------
    errors
        Errors in the order in which they are made.
    """
    return "+".join(_describe(e) for e in errors)


def _describe(error: ErrorType) -> str:
    values = [(f.name, getattr(error, f.name), f.default) for f in fields(error)]
    changed = [f"{key}={_text(value)}" for key, value, default in values if value != default]
    return error.name + (":" + ",".join(changed) if changed else "")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _parse(part: str) -> ErrorType:
    name, _, rest = part.partition(":")
    error = ERRORS[name]
    parameters = {f.name: f for f in fields(error)}
    values: dict[str, float | bool] = {}
    for assignment in filter(None, rest.split(",")):
        key, _, value = (s.strip() for s in assignment.partition("="))
        key = key.replace("-", "_")
        if key not in parameters or "tuple" in str(parameters[key].type):
            names = ", ".join(k for k, f in parameters.items() if "tuple" not in str(f.type))
            raise UsageError(f"{name} has no parameter {key!r}; there are: {names or 'none'}")
        values[key] = _value(value, f"{name}: {key}", "bool" in str(parameters[key].type))
    return error(**values)


def _value(text: str, what: str, truth: bool) -> float | bool:
    if truth:
        if text not in ("true", "false"):
            raise UsageError(f"{what} = {text!r} is neither true nor false")
        return text == "true"
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{what} = {text!r} is not a number")
    return value
