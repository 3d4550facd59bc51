"""Code points against UTF-16: what tools count when they count characters.

Python counts code points. Java and JavaScript count UTF-16 units, two for every character beyond
U+FFFF, so that their offsets drift by one at each emoji. Everything here ends in code points.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np

from gammacp.base.arrays import Indices

ToCodePoints = Callable[[int], int | None]


def same(offset: int) -> int | None:
    """Offsets that are code points already."""
    return offset


def from_utf16(text: str) -> ToCodePoints:
    """Maps UTF-16 offsets of `text` to code points; None inside a surrogate pair.

    Offsets beyond the text stay beyond it.

    >>> [from_utf16("a😊b")(i) for i in range(5)]
    [0, 1, None, 2, 3]
    """
    if text.isascii() or max(text) <= "\uffff":
        return same
    starts = _utf16_starts(text)
    place = {int(offset): i for i, offset in enumerate(starts)}
    last = int(starts[-1])

    def convert(offset: int) -> int | None:
        return len(text) + offset - last if offset > last else place.get(offset)

    return convert


def to_utf16(text: str) -> Callable[[int], int]:
    """Maps code points of `text` to UTF-16 offsets.

    >>> [to_utf16("a😊b")(i) for i in range(4)]
    [0, 1, 3, 4]
    """
    starts = _utf16_starts(text)
    return lambda offset: int(starts[offset])


def _utf16_starts(text: str) -> Indices:
    wide = np.array([ord(c) > 0xFFFF for c in text], dtype=np.int64)
    return np.concatenate(([0], np.cumsum(1 + wide)))


def counted_in(
    text: str, quotes: Sequence[tuple[int, int, str]], *, default: ToCodePoints
) -> tuple[ToCodePoints, int | None]:
    """How offsets count in `text`, by what they quote: (start, end, quoted text).

    `default`, or the other of code points and UTF-16 if all quotes fit that one only; and the
    number of the first quote that does not fit, None if all do. Blanks are compared as one blank:
    tools write line breaks in quotes in several ways.
    """
    units = from_utf16(text)
    if units is same:
        return same, _misfit(text, quotes, same)
    first = _misfit(text, quotes, default)
    other = units if default is same else same
    if first is not None and _misfit(text, quotes, other) is None:
        return other, None
    return default, first


def _misfit(text: str, quotes: Sequence[tuple[int, int, str]], convert: ToCodePoints) -> int | None:
    return next((i for i, q in enumerate(quotes) if not _fits(text, q, convert)), None)


def _fits(text: str, quote: tuple[int, int, str], convert: ToCodePoints) -> bool:
    start, end = convert(quote[0]), convert(quote[1])
    if start is None or end is None or not 0 <= start <= end <= len(text):
        return False
    return text[start:end] == quote[2] or _blanks(text[start:end]) == _blanks(quote[2])


def _blanks(text: str) -> str:
    return re.sub(r"(?:\s|\\n)+", " ", text)
