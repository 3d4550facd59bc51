"""Checks of arguments: an impossible value is a UsageError that names the argument."""

import math
from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

from gammacp.errors import UsageError

# If there are more names than this, a message lists only those most similar to the wrong one.
_LISTED = 20
MOST_DRAWS = 10**9
"""How many random sets, shuffled sets or bootstrap draws can be asked for."""
MOST_ANNOTATORS = 10**6
"""How many annotators can be drawn for one document."""
_NEAREST = 5


def whole(name: str, value: Any, least: int, most: float = math.inf) -> int:
    """Return a whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise UsageError(f"{name} {value!r} is not a whole number")
    if value < least:
        raise UsageError(f"{name} {value} < {least}")
    integer = int(value)
    if integer > most:
        raise UsageError(f"{name} {value} > {most:,}")
    return integer


def number(name: str, value: Any, least: float = -math.inf) -> float:
    """Return a finite number ≥ `least`."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise UsageError(f"{name} {value!r} is not a finite number")
    if value < least:
        raise UsageError(f"{name} {value} < {least:g}")
    return float(value)


def text(name: str, value: Any) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise UsageError(f"{name} {value!r} is not text")
    return value


def several(name: str, value: Any) -> tuple[str, ...]:
    """Return several names; refuse a single text, which would be read letter by letter."""
    if isinstance(value, str):
        raise UsageError(f"{name} {value!r} is a single text; give a list: [{value!r}]")
    try:
        entries = tuple(value)
    except TypeError:
        raise UsageError(f"{name} {value!r} is not a list of names") from None
    return tuple(text(name, entry) for entry in entries)


def instance(name: str, value: Any, kind: type | tuple[type, ...], what: str) -> None:
    """Raise a UsageError unless the value is an instance of `kind`, which `what` names."""
    if not isinstance(value, kind):
        raise UsageError(f"{name} is {type(value).__name__}, where {what} is needed")


def one_of(name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return one of the `allowed` names; a UsageError for any other lists the similar ones."""
    names = [str(k) for k in allowed]
    if value not in names:
        guess = did_you_mean(str(value), names)
        listed = f"there are: {', '.join(names)}"
        if len(names) > _LISTED:
            near = get_close_matches(str(value), names, n=_NEAREST, cutoff=0)
            listed = f"the nearest of {len(names)} are: {', '.join(near)}"
        raise UsageError(f"{name} {value!r} is unknown; {guess}{listed}")
    return str(value)


def did_you_mean(value: str, names: Iterable[str]) -> str:
    """Return the question whether the most similar name was meant; "" if none is similar.

    Parameters
    ----------
    value
        An unknown name.
    names
        The known names.

    >>> did_you_mean("categry", ["pair", "category"])
    "did you mean 'category'? "
    """
    near = get_close_matches(value, list(names), n=1)
    if near:
        return f"did you mean {near[0]!r}? "
    return ""
