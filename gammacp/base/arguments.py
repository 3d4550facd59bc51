"""Checks of arguments: an impossible value is a UsageError that names the argument."""

import math
from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

from gammacp.errors import UsageError


def whole(name: str, value: Any, least: int) -> int:
    """A whole number ≥ `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise UsageError(f"{name} {value!r} is not a whole number")
    if value < least:
        raise UsageError(f"{name} {value} < {least}")
    return int(value)


def number(name: str, value: Any, least: float = -math.inf) -> float:
    """A finite number ≥ `least`."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise UsageError(f"{name} {value!r} is not a finite number")
    if value < least:
        raise UsageError(f"{name} {value} < {least:g}")
    return float(value)


def text(name: str, value: Any) -> str:
    """A string."""
    if not isinstance(value, str):
        raise UsageError(f"{name} {value!r} is not text")
    return value


def several(name: str, value: Any) -> tuple[str, ...]:
    """Several names; a single text is refused, because it would be read letter by letter."""
    if isinstance(value, str):
        raise UsageError(f"{name} {value!r} is a single text; give a list: [{value!r}]")
    try:
        found = tuple(value)
    except TypeError:
        raise UsageError(f"{name} {value!r} is not a list of names") from None
    return tuple(text(name, entry) for entry in found)


def instance(name: str, value: Any, kind: type | tuple[type, ...], what: str) -> None:
    """Raise a UsageError unless the value is an instance of `kind`, which `what` names."""
    if not isinstance(value, kind):
        raise UsageError(f"{name} is {type(value).__name__}, where {what} is needed")


def one_of(name: str, value: Any, known: Iterable[str]) -> str:
    """One of the `known` names; otherwise a UsageError lists them, the most similar one first."""
    names = [str(k) for k in known]
    if value not in names:
        near = get_close_matches(str(value), names, n=1)
        if near:
            guess = f"did you mean {near[0]!r}? "
        else:
            guess = ""
        raise UsageError(f"{name} {value!r} is unknown; {guess}there are: {', '.join(names)}")
    return str(value)
