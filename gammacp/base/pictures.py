"""Pictures of results: panels with a caption, drawn on a figure or written into a file.

A result that can be drawn has a function that makes a `Picture` of it for a width. `draw` puts it
on a figure (methods `plot`), `write` into a file (options `--figure`). The style is that of
`gammacp.base.plots`.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from gammacp.base.files import atomic_write
from gammacp.base.plots import STYLE, UNDATED, WIDTH, check_path, require_matplotlib
from gammacp.base.text import visible
from gammacp.errors import UsageError

CAPTION_SIZE = 7.0
# Height of a line of the caption in inches, and number of its letters per inch.
_LINE = 0.142
_LETTERS = 19.2
# Inches that the layout puts around the panels.
_MARGIN = 0.12
# Largest number of letters of a name beside an axis.
_NAME = 18
# Where a file keeps words about what it shows.
_ABOUT = {".svg": "Description", ".png": "Description", ".pdf": "Subject"}


@dataclass(frozen=True)
class Panel:
    """Part of a picture.

    Attributes
    ----------
    height
        Height in inches.
    draw
        Function that draws the panel on axes.
    """

    height: float
    draw: Callable[[Any], None]


@dataclass(frozen=True)
class Picture:
    """Panels with a caption, which are not drawn yet.

    Attributes
    ----------
    panels
        Panels from left to right and from top to bottom.
    caption
        Sentences that say what is shown, and what it rests on.
    columns
        Number of panels that stand side by side.
    finish
        Function that adds parts shared by several panels, given the figure and the list of axes.
    """

    panels: tuple[Panel, ...]
    caption: str
    columns: int = 1
    finish: Callable[[Any, list[Any]], None] | None = None

    @property
    def row_heights(self) -> list[float]:
        """Return the height of each row of panels, in inches."""
        heights = [panel.height for panel in self.panels]
        return [max(heights[k : k + self.columns]) for k in range(0, len(heights), self.columns)]


Making: TypeAlias = Callable[[float], Picture]
"""Makes the picture for a width in inches."""


class PlotOptions(TypedDict, total=False):
    """Options of every method `plot`.

    Attributes
    ----------
    width
        Width of a new figure, in inches (default: `WIDTH`); `ONE_COLUMN` and `TWO_COLUMNS` are
        those of most journals.
    caption
        Whether the caption stands below (default), which says what is shown and what it rests on.
        Without it, `figure.caption` has the words.
    style
        Settings of matplotlib (`rcParams`) that differ from `STYLE`.
    """

    width: float
    caption: bool
    style: Mapping[str, Any]


def draw(
    make: Making,
    figure: Any = None,
    *,
    width: float | None = None,
    caption: bool = True,
    style: Mapping[str, Any] | None = None,
) -> Any:
    """Draw a picture on a figure, and return the figure.

    Parameters
    ----------
    make
        Makes the picture for the figure's width.
    figure
        A figure or part of one (`SubFigure`); by default a new one.
    width, caption, style
        Options of `PlotOptions`.

    Raises
    ------
    UsageError
        Matplotlib is missing, or a width is given for a figure that has one.
    """
    require_matplotlib()
    import matplotlib as mpl

    from gammacp.base.canvas import Canvas

    if figure is None:
        inches = WIDTH if width is None else width
    elif width is None:
        inches = figure.bbox.width / figure.dpi
    else:
        raise UsageError("give a figure or a width: a figure has its own width")
    if not (math.isfinite(inches) and inches >= 1):
        raise UsageError(f"width {inches:g} is too narrow for a figure: it is in inches")
    settings: Any = {**STYLE, **(style or {})}
    with mpl.rc_context(settings):
        picture = make(inches)
        lines = caption_lines(picture.caption, inches) if caption else []
        heights = picture.row_heights
        if figure is None:
            tall = sum(heights) + _LINE * len(lines) + _MARGIN
            figure = Canvas(inches, tall, picture.caption, style)
        grid = figure.add_gridspec(len(heights), picture.columns, height_ratios=heights)
        axes = []
        for place, panel in enumerate(picture.panels):
            axes.append(figure.add_subplot(grid[divmod(place, picture.columns)]))
            panel.draw(axes[-1])
        if picture.finish is not None:
            picture.finish(figure, axes)
        if lines:
            size = {"fontsize": CAPTION_SIZE, "linespacing": 1.25}
            figure.supxlabel("\n".join(lines), x=0.012, ha="left", **size)
    return figure


def write(make: Making, path: Path) -> str:
    """Write a picture into a file, and return its caption.

    Parameters
    ----------
    make
        Makes the picture for a width.
    path
        The file; its ending says how (`ENDINGS`).

    Raises
    ------
    UsageError
        Matplotlib is missing, or does not write such files.
    """
    check_path(path)
    drawn = draw(make)
    ending = path.suffix.lower()
    metadata = {**UNDATED[ending], _ABOUT[ending]: drawn.caption}
    with atomic_write(path) as temporary:
        drawn.savefig(temporary, metadata=metadata)
    return str(drawn.caption)


def caption_lines(caption: str, width: float) -> list[str]:
    """Break a caption into the lines of a figure; its names are no formulas.

    Parameters
    ----------
    caption
        Sentences.
    width
        Width of the figure, in inches.
    """
    return [plain(line) for line in textwrap.wrap(caption, max(20, int(_LETTERS * width)))]


def plain(text: str) -> str:
    r"""Escape a text so that matplotlib shows it literally, with hidden characters visible.

    Parameters
    ----------
    text
        A name from a file.

    >>> plain("cost in $")
    'cost in \\$'
    """
    return visible(text).replace("$", r"\$")


def cut(text: str, most: int) -> str:
    """Shorten a text that is too long by omitting its middle.

    Parameters
    ----------
    text
        A name.
    most
        Letters that there is room for; at least 3.

    >>> cut("interview-2024-part-7", 13)
    'interv…part-7'
    """
    text = visible(text)
    if len(text) <= most:
        return text
    after = (most - 1) // 2
    return f"{text[: most - 1 - after]}…{text[len(text) - after :]}"


def short_names(names: Sequence[str], most: int = _NAME) -> tuple[list[str], str]:
    """Return names that fit beside an axis and stay distinct, and a sentence if some are cut.

    Matplotlib shows them as they are. For a sentence, take `cut_names`.

    Parameters
    ----------
    names
        Names of annotators, documents, ….
    most
        Letters that there is room for.
    """
    distinct, words = cut_names(names, most)
    return [plain(name) for name in distinct], words


def cut_names(names: Sequence[str], most: int = _NAME) -> tuple[list[str], str]:
    """Return names of at most so many letters that stay distinct, and a sentence if some are cut.

    Parameters
    ----------
    names
        Names of annotators, documents, ….
    most
        Letters that there is room for.
    """
    shown = _cut_apart([visible(name) for name in names], most)
    number = sum(a != visible(b) for a, b in zip(shown, names, strict=True))
    if not number:
        return shown, ""
    times = Counter(shown)
    distinct = [
        f"{name} ({place})" if times[name] > 1 else name for place, name in enumerate(shown, 1)
    ]
    if number == 1:
        words = "1 long name is cut."
    else:
        words = f"{number} long names are cut."
    return distinct, words


def _cut_apart(names: Sequence[str], most: int) -> list[str]:
    """Return cut names; those that would look the same keep the part in which they differ."""
    shown = [cut(name, most) for name in names]
    alike: dict[str, list[int]] = {}
    for place, text in enumerate(shown):
        alike.setdefault(text, []).append(place)
    for places in alike.values():
        group = list(dict.fromkeys(names[place] for place in places))
        if len(group) > 1:
            before, after = _shared_ends(group, whole_words=True)
            if max(map(len, group)) - before - after > most - 2:
                before, after = _shared_ends(group, whole_words=False)
            for place in places:
                shown[place] = _cut_around(names[place], before, after, most)
    return shown


def _shared_ends(names: Sequence[str], *, whole_words: bool) -> tuple[int, int]:
    """Return how many letters different names share at their beginning and at their end.

    Parameters
    ----------
    names
        At least two.
    whole_words
        Whether a number or word that is not shared as a whole counts as different.

    >>> _shared_ends(["worker-10-b", "worker-19-b"], whole_words=True)
    (7, 2)
    >>> _shared_ends(["worker-10-b", "worker-19-b"], whole_words=False)
    (8, 2)
    """
    first = names[0]
    before = _shared_beginning(names)
    while whole_words and before and first[before - 1].isalnum():
        before -= 1
    # The two ends must not overlap, as those of "aa" and "aaa" would.
    rests = [name[before:][::-1] for name in names]
    after = _shared_beginning(rests)
    while whole_words and after and first[len(first) - after].isalnum():
        after -= 1
    return before, after


def _shared_beginning(names: Sequence[str]) -> int:
    """Return how many letters all names begin with.

    >>> _shared_beginning(["tea", "ten", "test"])
    2
    """
    columns = (set(letters) for letters in zip(*names, strict=False))
    return sum(1 for _ in takewhile(lambda letters: len(letters) == 1, columns))


def _cut_around(name: str, before: int, after: int, most: int) -> str:
    """Return a name cut to its beginning and to the part between its shared ends."""
    end = len(name) - after
    room = most - (end - before) - 1
    if after:
        room -= 1
    if room < 1:
        return cut(name[before:end], most)
    start = name[: min(before, room)]
    if len(start) < before:
        start += "…"
    tail = ""
    if after:
        tail = "…"
    return f"{start}{name[before:end]}{tail}"
