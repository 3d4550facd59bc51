"""Alignment of texts that differ between annotators (OCR, transcripts, tokenisation).

As in text-γ (Barteld, Schröder & Zinsmeister 2016), texts are aligned character by character, and
positions then count along the aligned text. A character that only some of the texts have gets a
place of its own there. Every text is aligned with the first one by a minimal number of edits, in
linear space. Positions that count tokens are first converted to positions of characters.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from gammacp.base.arrays import Indices
from gammacp.base.left_out import LeftOut
from gammacp.continuum import Continuum
from gammacp.continuum.fragments import breaks_of, column, join
from gammacp.errors import DataError
from gammacp.formats.spans import CHARACTERS, TOKENS

# Least share of the characters of both texts that must be common. With less in common, one
# alignment would be as good as any other.
_LEAST_IN_COMMON = 0.5
TOO_DIFFERENT = "in common, less than half"
_TOKEN = re.compile(r"[^ \n]+")
_Edges = Callable[[Sequence[float], Sequence[float]], tuple[Indices, Indices]]


def on_one_line(parts: Sequence[Continuum]) -> tuple[list[Continuum], tuple[LeftOut, ...]]:
    """Return the parts with positions along the aligned text, and counts of differing characters.

    If all texts are equal, the parts are returned unchanged.

    Parameters
    ----------
    parts
        Parts of one document, each with its text.

    Raises
    ------
    DataError
        Positions count neither characters nor tokens of a text or lie beyond it, or two texts have
        less than half in common.
    """
    owners = {p.text: ", ".join(p.annotators) for p in reversed(parts) if p.text is not None}
    if len(owners) < 2:
        return list(parts), ()
    parts = [_in_characters(part) for part in parts]
    for part in parts:
        if part.n_units and (part.text is None or part.offset_unit not in ("", CHARACTERS)):
            raise DataError(
                f"positions of {', '.join(part.annotators)} do not count characters of a text",
                hint="`align_texts=` needs the text of every file",
            )
        _check_inside(part)
    texts = [*reversed(owners)]
    edits = {text: _edits(text, texts[0]) for text in texts}
    # Number of places to insert before each character of the first text, and behind the last one.
    room = np.zeros(len(texts[0]) + 1, np.int64)
    for text_edits in edits.values():
        for kind, t0, t1, f0, _ in text_edits:
            room[f0] = max(room[f0], t1 - t0 if kind == "delete" else 0)
    places = {text: _places(len(text), edits[text], room) for text in texts}
    line = [" "] * (len(texts[0]) + int(room.sum()))
    for text in reversed(texts):
        for place, character in zip(places[text].tolist(), text, strict=False):
            line[place] = character
    losses = [
        _differences(text, texts[0], edits[text], owners, parts[0].name) for text in texts[1:]
    ]
    joined = "".join(line)
    moved = [
        p if p.text is None else _move(p, _edges_on_line(places[p.text]), joined) for p in parts
    ]
    return moved, tuple(losses)


def _in_characters(part: Continuum) -> Continuum:
    """Convert the positions of a part from tokens to characters."""
    if part.offset_unit != TOKENS or part.text is None:
        return part
    tokens = [match.span() for match in _TOKEN.finditer(part.text)]
    beyond = [u for u in part if not 0 <= u.start <= u.end <= len(tokens) or (u.start + u.end) % 1]
    if beyond:
        raise DataError(
            f"a unit by {beyond[0].annotator} at {beyond[0].start:.17g}-{beyond[0].end:.17g} lies "
            f"outside of the text of {len(tokens)} tokens",
            hint="Correct the positions, or give the text that they belong to",
        )
    begins = np.array([*(start for start, _ in tokens), len(part.text)], np.int64)
    reached = np.array([0, *(end for _, end in tokens)], np.int64)

    def edges(starts: Sequence[float], ends: Sequence[float]) -> tuple[Indices, Indices]:
        first = np.array(starts, np.int64)
        last = np.array(ends, np.int64)
        return begins[first], np.where(last > first, reached[last], begins[first])

    moved = _move(part, edges, part.text)
    return moved.with_about(offset_unit=CHARACTERS)


def _check_inside(part: Continuum) -> None:
    if part.text is None:
        return
    length = len(part.text)
    whose = f"{part.name or 'the document'}, {', '.join(part.annotators)}"
    places = [(f"a unit by {u.annotator}", u.start, u.end) for u in part]
    for what, start, end in (*places, ("bounds", *part.bounds)):
        if not 0 <= start <= end <= length or start % 1 or end % 1:
            if start % 1 or end % 1:
                problem = "not at characters"
            else:
                problem = "outside of the text"
            raise DataError(
                f"{whose}: {what}, {start:.17g} to {end:.17g}, lies {problem}; the text has "
                f"{length} characters",
                hint="Correct the positions, or give the text that they belong to",
            )


def _edits(text: str, first: str) -> list[tuple[str, int, int, int, int]]:
    """List the edits that turn a text into the first one: kind, and span in both texts."""
    from rapidfuzz.distance import Levenshtein

    return [tuple(step) for step in Levenshtein.opcodes(text, first)]  # type: ignore[misc]


def _places(length: int, edits: list[tuple[str, int, int, int, int]], room: Indices) -> Indices:
    """Return the place of each character of a text in the aligned text, and the end of all."""
    own_places = np.arange(len(room)) + np.cumsum(room)
    places = np.full(length + 1, own_places[-1])
    for kind, t0, t1, f0, f1 in edits:
        inserted = own_places[f0] - room[f0] + np.arange(t1 - t0)
        places[t0:t1] = inserted if kind == "delete" else own_places[f0:f1] if t1 > t0 else ()
    return places


def _differences(
    text: str,
    first: str,
    edits: list[tuple[str, int, int, int, int]],
    owners: dict[str, str],
    document: str,
) -> LeftOut:
    common = sum(t1 - t0 for kind, t0, t1, _, _ in edits if kind == "equal")
    who = f"{owners[first]} and {owners[text]}"
    share = 2 * common / (len(text) + len(first))
    if share < _LEAST_IN_COMMON:
        raise DataError(
            f"texts of {who} have {share:.0%} {TOO_DIFFERENT}",
            hint="If they are the same document, give both the same text; otherwise leave one out",
        )
    differing = len(text) + len(first) - 2 * common
    return LeftOut(document, "character", differing, f"only in one of the texts of {who}, aligned")


def _edges_on_line(places: Indices) -> _Edges:
    """Return a function that maps starts and ends in a text to places in the aligned text."""

    def edges(starts: Sequence[float], ends: Sequence[float]) -> tuple[Indices, Indices]:
        first = np.array(starts, np.int64)
        last = np.array(ends, np.int64)
        after = places[np.maximum(last - 1, 0)] + 1
        return places[first], np.where(last > first, after, places[first])

    return edges


def _move(part: Continuum, edges: _Edges, text: str) -> Continuum:
    starts, ends = edges(part.starts, part.ends)  # type: ignore[arg-type]
    inside = None
    if part.breaks is not None:
        flat = [f for u in part for f in u.fragments]
        pairs = iter(zip(*edges(*zip(*flat, strict=True)), strict=True))
        fragments = [join([next(pairs) for _ in u.fragments]) for u in part]
        inside = column(breaks_of(f) if f else () for f in fragments)
    low, high = edges([part.bounds[0]], [part.bounds[1]])
    return replace(
        part,
        starts=starts.astype(np.float64),
        ends=ends.astype(np.float64),
        breaks=inside,
        bounds=(float(low[0]), float(high[0])),
        about=replace(part.about, text=text),
    )
