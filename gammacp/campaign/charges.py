"""Bar chart of what each annotator does differently from the others.

Each bar is the share of the observed disorder that one annotator is charged with, for one kind of
difference (`gammacp.kinds`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.base.text import visible, with_commas
from gammacp.errors import DataError

if TYPE_CHECKING:
    from gammacp.base.pictures import Panel
    from gammacp.kinds.kinds import Kinds

WORDS: Mapping[str, str] = {
    "position": "moved",
    "category": "labelled differently",
    "split": "cut",
    "merged": "joined",
    "missing": "missing",
    "extra": "extra",
    "unmatched": "unmatched",
    "level": "nested",
}
"""Kinds of differences as pages and pictures call them."""
MOST = 12
# Counts from here on are shown without decimals.
_MANY = 10
# Heights and widths in inches: a bar with the space to the next one, a letter, and the margins.
_BAR = 0.23
_LETTER = 0.062
_AROUND = 0.2
# Longest name in letters, and least length in inches of the longest bar if counts stand behind it.
_NAME = 16
_SHORTEST = 0.7
# Bars of smaller shares are left out, because these round to 0 %.
LEAST = 0.005


@dataclass(frozen=True, kw_only=True)
class Charge:
    """One bar: a kind of difference of one annotator.

    Attributes
    ----------
    annotator
        The annotator who is charged; "" if nobody is charged.
    kind
        The kind of difference.
    share
        Share of the observed disorder.
    count, even
        Number of differences, and number at an even share; None if nobody is charged.
    """

    annotator: str
    kind: str
    share: float
    count: float | None = None
    even: float | None = None

    @property
    def label(self) -> str:
        """Label of the bar: the annotator and the kind of difference."""
        kind = WORDS.get(self.kind, self.kind)
        if self.annotator:
            return f"{visible(self.annotator)}: {kind}"
        return kind

    @property
    def number(self) -> str:
        """Share, number of differences and their even share, as text behind the bar."""
        return self._number(" difference" if self.count == 1 else " differences")

    @property
    def short_number(self) -> str:
        """The same text without the word "differences"."""
        return self._number("")

    def _number(self, counted: str) -> str:
        words = f"{self.share:.0%}"
        if self.share < 0.01:
            words = f"{self.share:.2%}"
        if self.count is not None:
            words += f" ({_round(self.count)}{counted}"
            if self.even is not None:
                words += f", {_round(self.even)} even"
            words += ")"
        return words


@dataclass(frozen=True, kw_only=True)
class Charges:
    """Bars of a picture, the longest first, with its caption."""

    rows: tuple[Charge, ...]
    caption: str
    title: str = "What each annotator does differently from the others"


def charges_of(kinds: Kinds, *, most: int = MOST) -> Charges:
    """Return the bars of what each annotator is charged with, by kind.

    Parameters
    ----------
    kinds
        The kinds of differences.
    most
        Largest number of bars; the caption says how many more there are.
    """
    observed = kinds.observed
    if kinds.reason is None:
        rows = [
            Charge(
                annotator=p["annotator"],
                kind=p["kind"],
                share=p["charged"] / observed if observed else 0.0,
                count=p["count"],
                even=p["even"],
            )
            for p in kinds.people
            if p["charged"]
        ]
    else:
        rows = [
            Charge(annotator="", kind=kind, share=part["share"])
            for kind, part in kinds.parts.items()
            if part["observed"]
        ]
    shown = sorted(rows, key=lambda r: (-r.share, r.label))
    long = [r for r in shown if r.share >= LEAST]
    # Among very many annotators, every share may be below `LEAST`; then show the largest ones.
    bars = (long or shown)[:most]
    return Charges(rows=tuple(bars), caption=_caption(kinds, rows, len(rows) - len(bars)))


def _caption(kinds: Kinds, rows: list[Charge], left_out: int) -> str:
    documents = len(kinds.documents.alignments)
    people = len({p["annotator"] for p in kinds.people})
    if documents == 1:
        base = "1 document"
    else:
        base = f"{with_commas(documents)} documents"
    words = [f"Bars: share of the observed disorder ({observed_in_words(kinds)})."]
    if kinds.reason is not None:
        words.append(f"Nobody is charged: {kinds.reason}.")
    else:
        words.append(
            "When two annotators differ, the one who disagrees with more of the others is charged."
        )
    number = sum(r.count or 0.0 for r in rows)
    if number:
        counted = f"{_round(number)} differences, "
    else:
        counted = ""
    words.append(f"{counted}{people} annotators, {base}.")
    if kinds.reason is None:
        words.append(
            "Even: the number at an even share, if all annotators of a document differed equally "
            "often."
        )
    if left_out:
        if left_out == 1:
            bars = "1 shorter bar is"
        else:
            bars = f"{left_out} shorter bars are"
        words.append(f"{bars} left out.")
    return " ".join(words)


def observed_in_words(kinds: Kinds) -> str:
    """Return the observed disorder as text for a caption."""
    return f"{kinds.observed:.3f}"


def _round(count: float) -> str:
    """Return the text of a count; it may be a fraction, because ties are halved, or a mean."""
    rounded_count = round(count)
    if rounded_count == count or count >= _MANY:
        return with_commas(rounded_count)
    return f"{count:.1f}"


def draw(charges: Charges, path: Path) -> None:
    """Write the bars as a figure, in the format of the file's ending (.svg, .png, .pdf).

    Parameters
    ----------
    charges
        The bars.
    path
        The file.

    Raises
    ------
    DataError
        There is nothing to draw.
    UsageError
        matplotlib is missing or cannot write that ending.
    """
    from gammacp.base.pictures import Picture, write

    if not charges.rows:
        raise DataError(
            "there is no difference to draw: the annotators agree on everything",
            hint="Without a figure, the tables are printed",
        )

    def picture_of(width: float) -> Picture:
        panel, words = panel_of(charges, width)
        return Picture((panel,), " ".join([f"{charges.title}. {charges.caption}", *words]))

    write(picture_of, path)


def panel_of(charges: Charges, width: float) -> tuple[Panel, list[str]]:
    """Return the bars as a panel of a picture, and sentences for its caption.

    The sentences say which names are shortened and which numbers are left out for lack of room.

    Parameters
    ----------
    charges
        The bars, at least one.
    width
        Width of the figure, in inches.
    """
    from gammacp.base.pictures import Panel, short_names

    people = sorted({row.annotator for row in charges.rows})
    names, cut_names = short_names(people, _NAME)
    short = dict(zip(people, names, strict=True))
    labels = [replace(row, annotator=short[row.annotator]).label for row in charges.rows]
    room = width - _LETTER * max(map(len, labels)) - 0.3
    numbers, about = _fitting_numbers(charges.rows, room)
    words = [sentence for sentence in (cut_names, about) if sentence]
    # Width in inches of the numbers behind the longest bar.
    behind = min(_inches(numbers), 0.7 * room)
    draw_them = partial(
        _draw_bars, charges=charges, labels=labels, numbers=numbers, stretch=room / (room - behind)
    )
    return Panel(_AROUND + _BAR * len(charges.rows), draw_them), words


def _fitting_numbers(rows: Sequence[Charge], room: float) -> tuple[list[str], str]:
    """Return the longest texts that fit into the `room`, and a sentence on what they lack."""
    most = room - _SHORTEST
    numbers = [row.number for row in rows]
    if _inches(numbers) <= most:
        return numbers, ""
    short = [row.short_number for row in rows]
    shares = [number.partition(" (")[0] for number in short]
    if short == shares:
        return shares, ""
    if _inches(short) <= most:
        return short, "In brackets: how many differences."
    return shares, "Counts have no room here."


def _inches(texts: Sequence[str]) -> float:
    return _LETTER * max(map(len, texts)) + 0.1


def _draw_bars(
    axes: Any, *, charges: Charges, labels: Sequence[str], numbers: Sequence[str], stretch: float
) -> None:
    from gammacp.base.plots import COLOURS

    places = list(range(len(charges.rows)))
    longest = max(r.share for r in charges.rows)
    axes.barh(places, [r.share for r in charges.rows], height=0.66, color=COLOURS[0])
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    for place, (row, number) in enumerate(zip(charges.rows, numbers, strict=True)):
        axes.text(row.share + 0.015 * longest, place, number, va="center", fontsize=7.5)
    axes.set_xlim(0, longest * stretch)
    axes.set_xticks([])
    axes.grid(visible=False)
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.spines["bottom"].set_visible(False)
