"""Texts of the library in the words of the command line: parameters become options.

Messages, hints, notes and reasons of the library name parameters, as Python has them, with a mark:
backticks around the parameter, an equals sign and, if it is said, a value. The command line shows
the option instead.

>>> options_for_parameters("Leave `read_until=` out, or declare them with `annotators=A,B`")
'Leave --read-until out, or declare them with --annotators A,B'

A parameter that only one function has, or a function by itself, is marked as a call. Options with
other names than their parameters are listed under `[parameter]` in `built_in.toml`, and those of a
subject in its `subject.toml`.

>>> options_for_parameters("Read them with `read(shapes=no)`")
'Read them with --option shapes=no'

Names that come from data are left alone: marks in quotes, marks that are joined to something else,
texts that are a mark and nothing else, and a place at the beginning, before a colon. In JSON only
values under the keys `TEXT_KEYS` are texts of the library.
"""

import re
from typing import Any

from gammacp.base.subjects import table

TEXT_KEYS = frozenset(
    {
        "advice",
        "doubt",
        "evidence",
        "hint",
        "losses",
        "message",
        "note",
        "notes",
        "reason",
        "reasons",
        "summary",
        "verdict",
        "warning",
        "warnings",
    }
)
"""Keys of records whose values are sentences of the library."""

# A mark begins a word of the text and ends one: names in quotes and parts of paths do neither.
_PLACE = re.compile(r"(?:gammacp: )?\Z")
MARK = re.compile(
    r"""(?<![^\s(])`
    (?:(?P<call>[A-Za-z_][\w.]*)\((?P<inside>[^`\n]*)\)|(?P<name>[a-z]\w*)=(?P<value>[^`\n]*))
    `(?=[.,;:)]*(?:\s|\Z))""",
    re.VERBOSE,
)


def options_for_parameters(text: str) -> str:
    """Return a text of the library with options in the place of the parameters that it marks.

    Parameters
    ----------
    text
        The message, hint, note or reason.
    """
    if "`" not in text or MARK.fullmatch(text):
        return text
    return MARK.sub(_option, text)


def options_in_texts(value: Any) -> Any:
    """Return a JSON document in which the texts of the library name options.

    Parameters
    ----------
    value
        The document, or a part of it; what is not under one of `TEXT_KEYS` stays as it is.
    """
    if isinstance(value, dict):
        return {
            key: _translated(entry) if key in TEXT_KEYS else options_in_texts(entry)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [options_in_texts(entry) for entry in value]
    return value


def _translated(value: Any) -> Any:
    if isinstance(value, str):
        return options_for_parameters(value)
    if isinstance(value, list):
        return [_translated(entry) for entry in value]
    return options_in_texts(value)


def _option(mark: re.Match[str]) -> str:
    """Return the option of a mark; the mark itself where it is another piece of code."""
    if mark.string[mark.end() :].startswith(":") and _PLACE.match(mark.string[: mark.start()]):
        return mark[0]
    options = table("parameter")
    if mark["call"] is None:
        name = mark["name"]
        value = mark["value"]
        if whole := options.get(f"{name}={value}"):
            return str(whole)
        option = options.get(f"{name}=", f"--{name.replace('_', '-')}")
        return f"{option} {value}".rstrip()
    name, _, value = mark["inside"].partition("=")
    if option := options.get(f"{mark['call']}({name}=)"):
        return f"{option} {value}".rstrip()
    if option := options.get(f"{mark['call']}()"):
        return f"{option} {mark['inside']}".rstrip()
    return mark[0]
