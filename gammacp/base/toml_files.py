"""TOML files: read with clear errors, and the lines on which their keys stand."""

import json
import re
import tomllib
from os import PathLike
from typing import Any

from gammacp.base.files import content_of
from gammacp.errors import DataError

_KEY = re.compile(r"""((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'=#\[\]])+)=""")
_TABLE = re.compile(r"\s*\[([^\[\]]+)\]\s*(#|$)")


def read_toml(path: str | PathLike[str]) -> tuple[dict[str, Any], str]:
    """Return the contents of a TOML file, and its text (for `line_of`).

    Parameters
    ----------
    path
        Of the file.

    Raises
    ------
    DataError
        It cannot be read, is not UTF-8 or not TOML; then with the line.
    """
    try:
        text = content_of(path).decode("utf-8")
    except UnicodeDecodeError:
        raise DataError("not a text file in UTF-8", file=path) from None
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        what, _, place = str(error).partition(" (at ")
        known = re.match(r"line (\d+)", place)
        line = int(known[1]) if known else text.count("\n", 0, len(text.rstrip())) + 1
        raise DataError(f"not TOML: {what}", file=path, line=line) from None
    except (ValueError, RecursionError) as error:  # a number without end, lists in lists
        raise DataError(f"not TOML that can be read: {error}", file=path) from None


def line_of(text: str, *keys: str, value: str | None = None) -> int | None:
    """The line of a key, or of the last of its tables that stands on a line of its own.

    Parameters
    ----------
    text
        Of a TOML file.
    keys
        From the outermost table to the key.
    value
        A text that the key has: its line, where it stands on a later one.

    >>> line_of("a = 1\\n[b]\\nc = [\\n  'x',\\n]\\n", "b", "c", value="x")
    4
    """
    lines, found = text.splitlines(), _lines_of_keys(text)
    while keys and keys not in found:
        keys = keys[:-1]
    line = found.get(keys)
    if line is None or value is None:
        return line
    following = (n for n in found.values() if n > line)
    own = range(line, min(following, default=len(lines) + 1))
    return next((n for n in own if value in lines[n - 1]), line)


def toml_key(name: str) -> str:
    """A name as a key: bare where it can be.

    >>> toml_key("Ann"), toml_key("Ann B.")
    ('Ann', '"Ann B."')
    """
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if bare else toml_value(name)


def toml_value(value: Any) -> str:
    """A text, a number, a truth value or a list of them, as TOML writes it.

    >>> toml_value([1.0, 2.5, "a"])
    '[1, 2.5, "a"]'
    """
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    # TOML's basic strings are JSON's, but for DEL, which TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _lines_of_keys(text: str) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if opened := _TABLE.match(line):
            table = _keys(opened[1])
            found.setdefault(table, number)
        elif (said := _KEY.match(line)) and (keys := _keys(said[1])):
            for end in range(1, len(keys) + 1):
                found.setdefault((*table, *keys[:end]), number)
    return found


def _keys(dotted: str) -> tuple[str, ...]:
    """The parts of a dotted key; none if it is no key."""
    try:
        document: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    keys = []
    while isinstance(document, dict) and document:
        ((key, document),) = document.items()
        keys.append(key)
    return tuple(keys)
