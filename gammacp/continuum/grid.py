"""Grids: the places that boundaries lie on, such as the words of a text or the frames of a film."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.errors import DataError

# Places of an even grid: a day in milliseconds.
_MOST = 100_000_000
Span: TypeAlias = tuple[int, int]

_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*(?<=\S)")
_STOP = re.compile(r"[.!?]+(?!\S)\s*")


def _sentences(text: str) -> Iterator[Span]:
    """Yield the spans of sentences, which end with . or similar before a blank, or a paragraph."""
    for paragraph in _PARAGRAPH.finditer(text):
        start, last = paragraph.span()
        for stop in _STOP.finditer(text, start, last):
            yield start, stop.start() + len(stop[0].rstrip())
            start = stop.end()
        if start < last:
            yield start, last


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    return (match.span() for match in pattern.finditer(text))


# Grids of a text, the coarsest first.
_LEVELS: Mapping[str, Callable[[str], Iterator[Span]]] = {
    "paragraphs": partial(_matches, _PARAGRAPH),
    "lines": partial(_matches, re.compile(r"\S(?:.*\S)?")),
    "sentences": _sentences,
    "words": partial(_matches, re.compile(r"\S+")),
    "tokens": partial(_matches, re.compile(r"\w+|[^\w\s]")),
}


@dataclass(frozen=True)
class Grid:
    """Places in ascending order that do not overlap.

    Attributes
    ----------
    name
        Name of the places: "words", "frames", or "places" of a grid that was given.
    step
        The length of each, counted from position 0; 0 where they are listed.
    starts, ends
        Start and end of each place, where they are listed.
    """

    name: str
    step: float = 0.0
    starts: tuple[float, ...] = ()
    ends: tuple[float, ...] = ()

    def edges(self, low: float, high: float) -> tuple[Floats, Floats]:
        """Return the starts and ends of the places between two positions.

        Parameters
        ----------
        low, high
            Positions; of an even grid the places that cover them.

        >>> starts, ends = Grid("frames", 0.5).edges(1.0, 2.0)
        >>> starts.tolist(), ends.tolist()
        ([1.0, 1.5], [1.5, 2.0])
        """
        if not self.step:
            starts = np.array(self.starts)
            ends = np.array(self.ends)
            inside = (starts >= low) & (ends <= high)
            return starts[inside], ends[inside]
        first = np.floor(low / self.step + 1e-6)
        last = np.ceil(high / self.step - 1e-6)
        if last - first > _MOST:
            raise DataError(
                f"a grid of {self.step:g} has {last - first:.3g} places from {low:g} to {high:g}",
                hint="Give the length of a place in the unit of the positions",
            )
        places = np.arange(first, max(first, last) + 1) * self.step
        return places[:-1], places[1:]


def grids_of_text(text: str) -> Iterator[Grid]:
    """Return the paragraphs, lines, sentences, words and tokens of a text as grids.

    Parameters
    ----------
    text
        The text, whose characters positions count.

    >>> [(g.name, g.starts) for g in grids_of_text("No. Yes, no.")][2:]
    [('sentences', (0, 4)), ('words', (0, 4, 9)), ('tokens', (0, 2, 4, 7, 9, 11))]
    """
    for name, places in _LEVELS.items():
        spans = [*places(text)]
        yield Grid(name, 0.0, tuple(s for s, _ in spans), tuple(e for _, e in spans))
