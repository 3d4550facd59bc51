"""Conventions by which tools count the characters of a text.

Python counts code points. Java and JavaScript count UTF-16 units, two for every character beyond
U+FFFF, so that their offsets drift by one at each emoji. Other tools count bytes, count a line
break differently than the file has it, or normalised the text first. Everything here ends in code
points of the text as the file has it.

A convention is applied in two steps. First the text is rewritten ("retold") as the tool saw it,
which gives, for each place between two of the tool's characters, the place in our text. Then each
offset is looked up among these places.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

from gammacp.base.arrays import Indices

ToCodePoints = Callable[[int], int | None]
Form: TypeAlias = Literal["NFC", "NFD"]
Retold: TypeAlias = tuple[str, Indices]
"""A text as a tool saw it, and our place for each place of it; −1 inside one of our characters."""

INSIDE = -1
MARK = "\ufeff"
_BLANKS = re.compile(r"\s+")
_BLANK_POINTS = np.array([k for k in range(0x3001) if chr(k).isspace()])
_NOT_ASCII = re.compile(r".?[^\x00-\x7f]+", re.DOTALL)


def same(offset: int) -> int | None:
    """Return the offset unchanged, for offsets that count code points."""
    return offset


def from_utf16(text: str) -> ToCodePoints:
    """Return a map from UTF-16 offsets of `text` to code points; None inside a surrogate pair.

    Offsets beyond the text stay beyond it.

    >>> [from_utf16("a😊b")(i) for i in range(5)]
    [0, 1, None, 2, 3]
    """
    if text.isascii() or max(text) <= "\uffff":
        return same
    return Convention((UTF_16,)).of(text).place


def to_utf16(text: str) -> Callable[[int], int]:
    """Return a map from code points of `text` to UTF-16 offsets.

    >>> [to_utf16("a😊b")(i) for i in range(4)]
    [0, 1, 3, 4]
    """
    starts = np.concatenate(([0], np.cumsum(_widths_in_utf16(text))))
    return lambda offset: int(starts[offset])


@dataclass(frozen=True)
class OffsetCounting:
    """One way in which a tool counts differently.

    Attributes
    ----------
    name
        For options and JSON.
    words
        Words for the way of counting, to end the sentence "the offsets fit if …".
    group
        Name of a group of which at most one way applies.
    retell
        Function that rewrites the text as the tool saw it.
    inclusive
        Whether an end is the last character instead of the place behind it.
    """

    name: str
    words: str
    group: str
    retell: Callable[[str], Retold] | None = None
    inclusive: bool = False


@dataclass(frozen=True)
class CountedText:
    """The offsets of one text under a convention.

    Attributes
    ----------
    length
        Length of the text, in code points.
    places
        Code point of each offset; None if offsets are code points already.
    inclusive
        Whether ends are inclusive.
    """

    length: int
    places: Indices | None
    inclusive: bool = False

    def place(self, offset: int) -> int | None:
        """Return the code point at an offset; None inside a character.

        An offset beyond the text gives a place beyond the text.

        Parameters
        ----------
        offset
            Offset in the file.
        """
        if self.places is None or offset < 0:
            return offset
        last = len(self.places) - 1
        if offset > last:
            return self.length + offset - last
        place_in_text = int(self.places[offset])
        if place_in_text == INSIDE:
            return None
        return place_in_text

    def span(self, start: int, end: int) -> tuple[int | None, int | None]:
        """Return the start and end of a span in code points.

        Parameters
        ----------
        start, end
            Offsets in the file.
        """
        return self.place(start), self.place(end + self.inclusive)


@dataclass(frozen=True)
class Convention:
    """Several ways of counting, applied one after the other; without any, code points are counted.

    Attributes
    ----------
    parts
        Ways of counting, in the order in which the text is retold.
    """

    parts: tuple[OffsetCounting, ...] = ()

    @property
    def name(self) -> str:
        """Name of the convention in options and JSON."""
        return "+".join(part.name for part in self.parts) or "code-points"

    @property
    def words(self) -> str:
        """The condition under which offsets fit, to follow "if"."""
        return " and ".join(part.words for part in self.parts) or "characters are code points"

    def of(self, text: str) -> CountedText:
        """Return the offsets of a text under this convention.

        Parameters
        ----------
        text
            Text in the file.
        """
        retold = text
        places = None
        for part in self.parts:
            if part.retell is not None:
                retold, step = part.retell(retold)
                if places is None:
                    places = step
                else:
                    places = np.where(step < 0, INSIDE, places[step])
        inclusive = any(part.inclusive for part in self.parts)
        return CountedText(len(text), places, inclusive)


def _marked(text: str) -> Retold:
    return MARK + text, np.concatenate(([0], np.arange(len(text) + 1)))


def _unmarked(text: str) -> Retold:
    dropped = int(text.startswith(MARK))
    return text[dropped:], np.arange(dropped, len(text) + 1)


def _short_breaks(text: str) -> Retold:
    is_kept = np.full(len(text) + 1, True)
    is_kept[[m.end() - 1 for m in re.finditer("\r\n", text)]] = False
    return text.replace("\r\n", "\n"), np.flatnonzero(is_kept)


def _long_breaks(text: str) -> Retold:
    behind = [m.end() for m in re.finditer("(?<!\r)\n", text)]
    places = np.insert(np.arange(len(text) + 1), behind, INSIDE)
    return re.sub("(?<!\r)\n", "\r\n", text), places


def _single_blanks(text: str) -> Retold:
    blank = np.isin(_points(text), _BLANK_POINTS)
    repeated = np.concatenate(([False], blank[1:] & blank[:-1], [False]))[: len(text) + 1]
    return _BLANKS.sub(" ", text), np.flatnonzero(~repeated)


def _trimmed(text: str) -> Retold:
    retold, places = _single_blanks(text)
    begin = int(retold.startswith(" "))
    end = max(begin, len(retold) - retold.endswith(" "))
    return retold[begin:end], places[begin : end + 1]


def _normalised(form: Form) -> Callable[[str], Retold]:
    """Return a function that rewrites a text in a Unicode normalisation form."""

    def retell(text: str) -> Retold:
        if unicodedata.is_normalized(form, text):
            return text, np.arange(len(text) + 1)
        pieces: list[str] = []
        places: list[int] = []
        at = 0
        for start, end in _clusters(text, form):
            cluster = text[start:end]
            normalised = unicodedata.normalize(form, text[start:end])
            if cluster != normalised:
                pieces += [text[at:start], normalised]
                places += [*range(at, start + 1), *[INSIDE] * (len(normalised) - 1)]
                at = end
        pieces.append(text[at:])
        places += range(at, len(text) + 1)
        return "".join(pieces), np.array(places, np.int64)

    return retell


def _clusters(text: str, form: Form) -> Iterator[tuple[int, int]]:
    """Yield the stretches of characters that are normalised together, except plain ASCII."""
    for run in _NOT_ASCII.finditer(text):
        # Shortcut for the usual case: one character between ASCII ones.
        if run.end() - run.start() == 2 and run[0][0].isascii():
            yield run.span() if unicodedata.combining(run[0][1]) else (run.start() + 1, run.end())
            continue
        start = run.start()
        for end in range(start + 1, run.end()):
            character = text[end]
            apart = unicodedata.normalize(form, text[start:end]) + unicodedata.normalize(
                form, character
            )
            joins = unicodedata.normalize(form, text[start : end + 1]) != apart
            if not (unicodedata.combining(character) or joins):
                yield start, end
                start = end
        yield start, run.end()


def _points(text: str) -> Indices:
    """Return the code points of a text."""
    points: Indices = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return points


def _widths_in_utf16(text: str) -> Indices:
    return np.where(_points(text) > 0xFFFF, 2, 1).astype(np.int64)


def _widths_in_utf8(text: str) -> Indices:
    points = _points(text)
    wide = [(points > limit).astype(np.int64) for limit in (0x7F, 0x7FF, 0xFFFF)]
    return 1 + wide[0] + wide[1] + wide[2]


def length_in_utf16(text: str) -> int:
    """Return the number of UTF-16 units of a text."""
    return int(_widths_in_utf16(text).sum())


def length_in_utf8(text: str) -> int:
    """Return the number of UTF-8 bytes of a text."""
    return int(_widths_in_utf8(text).sum())


def _in_units(widths_of: Callable[[str], Indices]) -> Callable[[str], Retold]:
    """Return a function that keeps the text and gives a place to each unit of its characters."""

    def retell(text: str) -> Retold:
        starts = np.concatenate(([0], np.cumsum(widths_of(text)))).astype(np.int64)
        places = np.full(int(starts[-1]) + 1, INSIDE)
        places[starts] = np.arange(len(starts))
        return text, places

    return retell


UTF_8 = OffsetCounting("utf-8", "they count UTF-8 bytes", "units", _in_units(_widths_in_utf8))
UTF_16 = OffsetCounting("utf-16", "they count UTF-16 units", "units", _in_units(_widths_in_utf16))
INCLUSIVE = OffsetCounting("inclusive", "ends are inclusive", "ends", inclusive=True)
# In the order in which they are applied.
COUNTINGS: Sequence[OffsetCounting] = (
    OffsetCounting("from-1", "they count from 1, or a byte order mark", "mark", _marked),
    OffsetCounting("no-mark", "the byte order mark is not counted", "mark", _unmarked),
    OffsetCounting("crlf-as-one", "CR LF is counted as one", "breaks", _short_breaks),
    OffsetCounting("crlf-as-two", "a line break is counted as two", "breaks", _long_breaks),
    OffsetCounting("nfc", "the text was normalised to NFC", "form", _normalised("NFC")),
    OffsetCounting("nfd", "the text was normalised to NFD", "form", _normalised("NFD")),
    OffsetCounting("blanks", "blanks in a row are counted as one", "blanks", _single_blanks),
    OffsetCounting("trimmed", "blanks were normalised and trimmed", "blanks", _trimmed),
    UTF_8,
    UTF_16,
    INCLUSIVE,
)
_LIKELY = ("ends", "units", "breaks", "mark", "form", "blanks")
CODE_POINTS = Convention()
IN_UTF_8 = Convention((UTF_8,))
IN_UTF_16 = Convention((UTF_16,))


def conventions() -> Iterator[Convention]:
    """Yield code points, then all conventions of one and of two ways of counting."""
    yield CODE_POINTS
    # If several conventions give the same positions, the first one is reported.
    for part in sorted(COUNTINGS, key=lambda part: _LIKELY.index(part.group)):
        yield Convention((part,))
    for one, other in combinations(COUNTINGS, 2):
        if one.group != other.group:
            yield Convention((one, other))
