"""Units on lanes, one per annotator, with groups of units joined and shaded by their cost.

Long texts are broken into rows, as music is. What does not fit on a page is left out, and the
caption says so: the groups that are drawn are the neighbours that cost most.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.base.pictures import cut, cut_names, plain
from gammacp.base.text import counted, visible, with_commas

MOST_LANES = 24
"""Lanes of one picture."""
LEVELS = 5
"""Levels on which units of one lane may overlap before they get thinner."""
# Number of groups in a row, per inch.
_PER_INCH = 3.6
# Width of a letter in inches.
_LETTER = 0.058
# Share of labels that may be cut before numbers stand for all of them, and how many may be.
_CUT = 0.15
_NUMBERED = 30
_LEGEND = 44


@dataclass(frozen=True)
class Lanes:
    """Units on lanes, with the groups that they form.

    Attributes
    ----------
    names
        Names of the lanes.
    lane, start, end
        Lane and place of each unit, shape (units,).
    labels
        Label of each unit, None without one.
    pieces
        Starts and ends of the fragments of units that have some, by unit.
    groups
        Units of each group, shape (groups, lanes), −1 where a lane has none.
    cost
        Cost of each group, shape (groups,).
    hollow
        True for units that are drawn as an outline, shape (units,).
    offset_unit
        Unit of the positions.
    scale
        Name of the scale of shades, and the cost of the darkest one.
    always_drawn
        Lanes that are always drawn, however many there are.
    """

    names: tuple[str, ...]
    lane: Codes
    start: Floats
    end: Floats
    labels: tuple[str | None, ...]
    pieces: dict[int, tuple[tuple[float, float], ...]]
    groups: Codes
    cost: Floats
    hollow: Bools
    offset_unit: str = ""
    scale: tuple[str, float] = ("disorder", 1.0)
    always_drawn: tuple[int, ...] = ()


@dataclass(frozen=True)
class LaneRow:
    """Stretch of a picture, with the units and groups in it."""

    low: float
    high: float
    units: Indices
    groups: Indices


def choose_lanes(lanes: Lanes) -> tuple[Lanes, list[str]]:
    """Keep the lanes with the highest costs if there are too many, with a sentence that says so.

    Parameters
    ----------
    lanes
        Any number of them.
    """
    n = len(lanes.names)
    if n <= MOST_LANES:
        return lanes, []
    has_unit = lanes.groups >= 0
    cost = np.where(has_unit, lanes.cost[:, None], 0.0).sum(axis=0)
    # Lanes without units come last, also where everything costs nothing.
    order = np.lexsort((-has_unit.sum(axis=0), -cost))
    free = [int(k) for k in order if k not in lanes.always_drawn][
        : MOST_LANES - len(lanes.always_drawn)
    ]
    shown_lanes = np.array(sorted([*free, *lanes.always_drawn]))
    units = np.flatnonzero(np.isin(lanes.lane, shown_lanes))
    place = np.full(len(lanes.lane) + 1, -1, np.int32)
    place[units] = np.arange(len(units), dtype=np.int32)
    groups = place[lanes.groups[:, shown_lanes]]
    is_shown = (groups >= 0).any(axis=1)
    number = np.full(n, -1, np.int32)
    number[shown_lanes] = np.arange(len(shown_lanes), dtype=np.int32)
    numbers = {int(unit): k for k, unit in enumerate(units)}
    few = replace(
        lanes,
        names=tuple(lanes.names[k] for k in shown_lanes),
        lane=number[lanes.lane[units]],
        start=lanes.start[units],
        end=lanes.end[units],
        labels=tuple(lanes.labels[k] for k in units),
        pieces={numbers[k]: p for k, p in lanes.pieces.items() if k in numbers},
        groups=groups[is_shown],
        cost=lanes.cost[is_shown],
        hollow=lanes.hollow[units],
        always_drawn=tuple(int(number[k]) for k in lanes.always_drawn),
    )
    return few, [f"Shown are the {len(shown_lanes)} of {n} lanes whose groups cost most."]


def levels_of(lanes: Lanes) -> tuple[Codes, Codes]:
    """Return the level of each unit in its lane, and how many each lane has.

    Parameters
    ----------
    lanes
        Units that overlap in a lane are on several levels.
    """
    level = np.zeros(len(lanes.lane), np.int32)
    reached: list[list[float]] = [[] for _ in lanes.names]
    for unit in np.lexsort((-lanes.end, lanes.start)).tolist():
        ends = reached[lanes.lane[unit]]
        start = lanes.start[unit]
        free = next((k for k, end in enumerate(ends) if end <= start), len(ends))
        if free == len(ends):
            ends.append(lanes.end[unit])
        ends[free] = lanes.end[unit]
        level[unit] = free
    return level, np.array([max(1, len(ends)) for ends in reached], np.int32)


def rows_of(lanes: Lanes, inches: float, most: int) -> tuple[list[LaneRow], list[str]]:
    """Break the groups into rows; if there are too many, keep the most expensive neighbours.

    Parameters
    ----------
    lanes
        Lanes to draw.
    inches
        Width of a row.
    most
        Rows of a picture.
    """
    has_unit = lanes.groups >= 0
    starts = np.where(has_unit, lanes.start[lanes.groups], np.inf).min(axis=1)
    order = np.argsort(starts, kind="stable")
    per_row = max(4, int(_PER_INCH * inches))
    n = len(order)
    number = math.ceil(n / per_row)
    first, last = 0, n
    notes: list[str] = []
    if number > most:
        number = most
        sums = np.concatenate([[0.0], np.cumsum(lanes.cost[order])])
        room = most * per_row
        first = int(np.argmax(sums[room:] - sums[: n - room + 1]))
        last = first + room
    cuts = starts[order[np.linspace(first, last - 1, number + 1).astype(int)[:-1]]]
    low = float(cuts[0])
    high = float(starts[order[last]]) if last < n else float(lanes.end.max())
    # Rows that begin at the same place are merged.
    edges = [*np.unique(cuts).tolist(), max(high, low)]
    if edges[-1] == edges[-2] and len(edges) > 2:
        edges.pop(-2)
    rows = [_row(lanes, a, b, last_one=False) for a, b in pairwise(edges[:-1])]
    rows.append(_row(lanes, edges[-2], edges[-1], last_one=True))
    shown = len(np.unique(np.concatenate([row.groups for row in rows])))
    if shown < n:
        notes.append(
            f"Shown are {with_commas(shown)} of {with_commas(n)} groups: the neighbours that "
            "cost most."
        )
    spans = [row.high - row.low for row in rows if row.high > row.low]
    if spans and max(spans) > 1.5 * min(spans):
        notes.append("Rows have scales of their own.")
    return [row for row in rows if len(row.units)], notes


def _row(lanes: Lanes, low: float, high: float, *, last_one: bool) -> LaneRow:
    """Return the units and groups of a stretch, without those that begin at its end."""
    before = lanes.start <= high if last_one else lanes.start < high
    inside = before & ((lanes.end > low) | (lanes.start >= low))
    in_row = np.append(inside, False)
    return LaneRow(
        low=low,
        high=high,
        units=np.flatnonzero(inside),
        groups=np.flatnonzero(in_row[lanes.groups].any(axis=1)),
    )


def texts_of(lanes: Lanes, rows: Sequence[LaneRow], inches: float) -> tuple[list[str], list[str]]:
    """Return the text on each unit: its label, a number for it, or as much as there is room for.

    A unit in several rows has the room of the row that has most of it.

    Parameters
    ----------
    lanes, rows
        Lanes and rows to draw.
    inches
        Width of a row.
    """
    room = np.zeros(len(lanes.lane))
    for row in rows:
        scale = inches / ((row.high - row.low) * 1.02 or 1.0)
        left = np.maximum(lanes.start[row.units], row.low)
        right = np.minimum(lanes.end[row.units], row.high)
        room[row.units] = np.maximum(room[row.units], (right - left) * scale)
    # Rows of almost no length have a scale without bounds; no unit is wider than its row.
    letters = np.floor(np.clip(np.nan_to_num(room), 0, inches) / _LETTER).astype(int)
    shown = np.unique(np.concatenate([row.units for row in rows])).tolist()
    labelled = [k for k in shown if lanes.labels[k] is not None]
    long = [k for k in labelled if len(visible(str(lanes.labels[k]))) > letters[k]]
    texts = [""] * len(lanes.lane)
    if not labelled:
        return texts, []
    kinds = sorted({str(lanes.labels[k]) for k in labelled})
    if len(kinds) == 1 and len(long) > _CUT * len(labelled):
        return texts, [f"Every label: {cut(kinds[0], _LEGEND)}."]
    if len(long) <= _CUT * len(labelled) or len(kinds) > _NUMBERED:
        for k in labelled:
            if letters[k] >= min(3, len(str(lanes.labels[k]))):
                texts[k] = plain(cut(str(lanes.labels[k]), max(3, int(letters[k]))))
        if not long:
            return texts, []
        return texts, [f"{counted(len(long), 'label')} cut or left out where there is no room."]
    number = {kind: str(k) for k, kind in enumerate(kinds, 1)}
    for k in labelled:
        text = number[str(lanes.labels[k])]
        if letters[k] >= len(text):
            texts[k] = text
    written, _ = cut_names(kinds, _LEGEND)
    legend = "; ".join(f"{k} {name}" for k, name in enumerate(written, 1))
    words = [f"Labels: {legend}."]
    if without := sum(not texts[k] for k in labelled):
        words.append(f"{counted(without, 'unit')} too narrow for a label.")
    return texts, words
