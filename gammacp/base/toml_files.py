"""TOML files: read with clear errors, and the lines on which their keys stand."""

import json
import re
import tomllib
from os import PathLike
from pathlib import Path
from typing import Any

from gammacp.base.files import content_of
from gammacp.base.text import lines_of, visible
from gammacp.errors import DataError

_KEY = re.compile(r"""((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'=#\[\]])+)=""")
LONGEST = 2_000_000
"""Bytes of the longest TOML file that is read."""
DEEPEST = 64
"""Levels of tables and lists that what people write may have."""
# Every alternative takes what it has looked at, so that the time is linear in the text.
_PIECE = re.compile(
    r"""(?P<name>"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|[\w-]+)|(?P<dot>\.)|(?P<blank>[ \t]+)|(?s:.)"""
)
_TABLE = re.compile(r"\s*\[([^\[\]]+)\]\s*(#|$)")


def read_toml(path: str | PathLike[str]) -> tuple[dict[str, Any], str]:
    """Return the contents of a TOML file, and its text (for `line_of`).

    Parameters
    ----------
    path
        Path of the file.

    Raises
    ------
    DataError
        It cannot be read, is not UTF-8 or not TOML, then with the line; or it is longer than
        `LONGEST` or nested deeper than `DEEPEST`.
    """
    _check_size(path)
    try:
        text = content_of(path).decode("utf-8")
    except UnicodeDecodeError:
        raise DataError("not a text file in UTF-8", file=path) from None
    _check_keys(text, path)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, _, place = str(error).partition(" (at ")
        match = re.match(r"line (\d+)", place)
        if match:
            line = int(match[1])
        else:
            line = text.count("\n", 0, len(text.rstrip())) + 1
        raise DataError(f"not TOML: {what}", file=path, line=line) from None
    except (ValueError, RecursionError) as error:  # a number without end, lists in lists
        raise DataError(f"not TOML that can be read: {error}", file=path) from None
    check_depth(document, file=path)
    return document, text


def check_depth(document: Any, *, file: str | PathLike[str] | None = None) -> None:
    """DataError unless a document is nested at most `DEEPEST` levels deep.

    Parameters
    ----------
    document
        Document as parsed from TOML or JSON.
    file
        File that the document is from.
    """
    level = [document]
    for _ in range(DEEPEST + 1):
        inner = (x.values() if isinstance(x, dict) else x for x in level)
        level = [y for x in inner for y in x if isinstance(y, dict | list)]
        if not level:
            return
    raise DataError(
        f"is nested more than {DEEPEST} levels deep", file=file, hint="Write it flatter"
    )


def _check_size(path: str | PathLike[str]) -> None:
    """DataError for a file that is too long to be read at all; others are judged later."""
    try:
        size = Path(path).stat().st_size
    except (OSError, ValueError):
        return
    if size > LONGEST:
        raise DataError(
            f"has {size} bytes, more than the {LONGEST} that a TOML file may have", file=path
        )


def _check_keys(text: str, path: str | PathLike[str]) -> None:
    """DataError for a key of too many parts, whose tables take tomllib quadratic time to make."""
    if text.count(".") <= DEEPEST:
        return
    parts = 0
    last = ""
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup
        if kind == "blank":
            continue
        if kind and kind != last:
            parts = parts + (kind == "dot")
        else:
            parts = 0
        last = kind or ""
        if parts > DEEPEST:
            line = text.count("\n", 0, piece.start()) + 1
            what = f"a key has more than {DEEPEST} parts"
            raise DataError(what, file=path, line=line, hint="Write it flatter")


def line_of(text: str, *keys: str, value: str | None = None) -> int | None:
    r"""Return the line of a key, or of the last of its tables that stands on a line of its own.

    Parameters
    ----------
    text
        Text of a TOML file.
    keys
        Keys from the outermost table to the innermost.
    value
        A text that the key has: its line, where it stands on a later one.

    >>> line_of("a = 1\n[b]\nc = [\n  'x',\n]\n", "b", "c", value="x")
    4
    """
    lines = lines_of(text)
    line_by_keys = _lines_of_keys(text)
    while keys and keys not in line_by_keys:
        keys = keys[:-1]
    line = line_by_keys.get(keys)
    if line is None or value is None:
        return line
    following = (n for n in line_by_keys.values() if n > line)
    line_range = range(line, min(following, default=len(lines) + 1))
    return next((n for n in line_range if value in lines[n - 1]), line)


def toml_key(name: str) -> str:
    """Return a name as a key: bare where it can be.

    >>> toml_key("Ann"), toml_key("Ann B.")
    ('Ann', '"Ann B."')
    """
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    if bare:
        return name
    return toml_value(name)


def toml_value(value: Any) -> str:
    r"""Return a text, a number, a truth value or a list of them, as TOML writes it.

    Characters that act or hide are escapes, so that the file can be shown on a terminal.

    >>> toml_value([1.0, 2.5, "a"])
    '[1, 2.5, "a"]'
    """
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return re.sub(r"[^ -~]", _escape, json.dumps(value, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    """Return a character as TOML writes it in a basic string."""
    character = match[0]
    if visible(character) == character:
        return character
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"


def _lines_of_keys(text: str) -> dict[tuple[str, ...], int]:
    line_by_keys: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(lines_of(text), 1):
        if opened := _TABLE.match(line):
            table = _keys(opened[1])
            line_by_keys.setdefault(table, number)
        elif (match := _KEY.match(line)) and (keys := _keys(match[1])):
            for end in range(1, len(keys) + 1):
                line_by_keys.setdefault((*table, *keys[:end]), number)
    return line_by_keys


def _keys(dotted: str) -> tuple[str, ...]:
    """Return the parts of a dotted key; none if it is no key."""
    try:
        document: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    keys = []
    while isinstance(document, dict) and document:
        ((key, document),) = document.items()
        keys.append(key)
    return tuple(keys)
