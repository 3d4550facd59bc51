"""Translation of library messages for the command line: parameters become options.

Messages, hints, notes and reasons of the library mention Python parameters in a marked form:
backticks around the parameter, an equals sign and optionally a value. The command line shows the
corresponding option instead.

>>> options_for_parameters("Leave `read_until=` out, or declare them with `annotators=A,B`")
'Leave --read-until out, or declare them with --annotators A,B'

A parameter of a single function, or a function itself, is marked as a call. Options whose names
differ from their parameters are listed under `[parameter]` in `built_in.toml`, and those of a
subject in its `subject.toml`.

>>> options_for_parameters("Read them with `read(shapes=no)`")
'Read them with --option shapes=no'

Names that come from data are left unchanged: marks in quotes, marks joined to other characters,
texts that consist of a single mark, and a place at the beginning, before a colon. In JSON only
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

# A mark starts and ends at word boundaries, which excludes names in quotes and parts of paths.
_PLACE = re.compile(r"(?:gammacp: )?\Z")
MARK = re.compile(
    r"""(?<![^\s(])`
    (?:(?P<call>[A-Za-z_][\w.]*)\((?P<inside>[^`\n]*)\)|(?P<name>[a-z]\w*)=(?P<value>[^`\n]*))
    `(?=[.,;:)]*(?:\s|\Z))""",
    re.VERBOSE,
)


def options_for_parameters(text: str) -> str:
    """Return a text of the library with marked parameters replaced by options.

    Parameters
    ----------
    text
        The message, hint, note or reason.
    """
    if "`" not in text or MARK.fullmatch(text):
        return text
    return MARK.sub(_option, text)


def options_in_texts(value: Any) -> Any:
    """Return a JSON document with marked parameters in texts of the library replaced by options.

    Parameters
    ----------
    value
        The document, or a part of it. Values under other keys than `TEXT_KEYS` are unchanged.
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
    """Return the option for a mark, or the mark itself if it is other code."""
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
