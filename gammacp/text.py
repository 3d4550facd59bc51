"""Text from files, shown so that nobody is misled by what cannot be seen."""

from __future__ import annotations

import re

# Controls of C0 and C1, DEL, line and paragraph separators, marks and overrides of direction, and
# half of a surrogate pair, which no output can encode.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""The same text with control characters and marks of direction as visible escapes.

    A terminal or a page would obey them: move the cursor, change colours, clear the screen, show
    a name backwards. Line breaks and tabs are controls, too.

    >>> visible("a\x1b[31mb\u202ec\n")
    'a\\x1b[31mb\\u202ec\\n'
    """
    return _UNSEEN.sub(lambda found: _escape(found[0]), text)


def visible_lines(text: str) -> str:
    r"""As `visible`, but line breaks stay: for text of our own with names from files in it.

    >>> visible_lines("one\ntwo\x07")
    'one\ntwo\\x07'
    """
    return "\n".join(map(visible, text.split("\n")))


def escaped_json(text: str) -> str:
    r"""JSON with the same characters as escapes of JSON, which change nothing of what it says.

    >>> escaped_json('"\u202ex"')
    '"\\u202ex"'
    """
    return _UNSEEN.sub(lambda c: c[0] if c[0] == "\n" else f"\\u{ord(c[0]):04x}", text)


def _escape(character: str) -> str:
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(
        character,
        f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}",
    )
