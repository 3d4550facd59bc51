"""Code points against UTF-16: what tools count when they count characters.

Python counts code points. Java and JavaScript count UTF-16 units, two for every character beyond
U+FFFF, so that their offsets drift by one at each emoji. Everything here ends in code points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gammacp.arrays import Indices

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


def _utf16_starts(text: str) -> Indices:
    wide = np.array([ord(c) > 0xFFFF for c in text], dtype=np.int64)
    return np.concatenate(([0], np.cumsum(1 + wide)))


def counted_in(
    text: str, quotes: Sequence[tuple[int, int, str]], *, default: ToCodePoints
) -> tuple[ToCodePoints, int | None]:
    """How offsets count in `text`, by what they quote: (start, end, quoted text).

    Code points or UTF-16, whichever fits more of the quotes, `default` when both fit alike; and
    the number of the first quote that does not fit, None if all do. Blanks are compared as one
    blank: tools write line breaks in quotes in several ways.
    """
    units = from_utf16(text)
    options = [same] if units is same else [default, same if default is not same else units]
    misfits = [
        [i for i, quote in enumerate(quotes) if not _fits(text, quote, option)]
        for option in options
    ]
    best = min(range(len(options)), key=lambda i: len(misfits[i]))
    return options[best], misfits[best][0] if misfits[best] else None


def _fits(text: str, quote: tuple[int, int, str], convert: ToCodePoints) -> bool:
    start, end = convert(quote[0]), convert(quote[1])
    if start is None or end is None or not 0 <= start <= end <= len(text):
        return False
    return text[start:end] == quote[2] or _blanks(text[start:end]) == _blanks(quote[2])


def _blanks(text: str) -> str:
    return " ".join(text.replace("\\n", " ").split())
