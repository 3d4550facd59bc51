"""Arcs of two annotators above and below a sentence, as SVG."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from gammacp.report.figures import dot, svg, text
from gammacp.report.markup import Markup, element

# Head, relation and dependent, counted from 0; −1, or what is not there, is the root.
Arc: TypeAlias = tuple[int, str, int]
_LETTER, _GAP, _STEP, _ASIDE = 7.5, 16, 20, 5


def tree_arcs(heads: Sequence[int], relations: Sequence[str]) -> list[Arc]:
    """The arcs of a tree, whose heads count from 1.

    >>> tree_arcs((2, 0), ("det", "root"))
    [(1, 'det', 0), (-1, 'root', 1)]
    """
    rows = zip(heads, relations, strict=True)
    return [(head - 1, relation, t) for t, (head, relation) in enumerate(rows)]


def arcs(
    forms: Sequence[str],
    above: Sequence[Arc],
    below: Sequence[Arc],
    names: tuple[str, str],
    what: str = "tokens",
) -> Markup:
    """A sentence with one annotator's arcs above and another's below it, differences marked.

    A dot is where an arc ends, at the token that depends; that of the root is a dot alone.

    Parameters
    ----------
    forms
        Words, or concepts.
    above, below
        The annotators' arcs.
    names
        The annotators'.
    what
        What the forms are.
    """
    longest = [len(form) for form in forms]
    for _, relation, t in (*above, *below):
        longest[t] = max(longest[t], len(relation))
    widths = [_LETTER * letters + _GAP for letters in longest]
    centres = [sum(widths[:t]) + width / 2 for t, width in enumerate(widths)]
    levels = [_levels(one, len(forms)) for one in (above, below)]
    room = [_STEP * max(one.values(), default=0) + _STEP for one in levels]
    middle, apart = room[0] + 36, set(above) ^ set(below)
    bottom = middle + room[1] + 20
    parts = list(_draw(levels[0], centres, middle - 14, -1, apart))
    parts += _draw(levels[1], centres, middle + 6, 1, apart)
    for x, form in zip(centres, forms, strict=True):
        parts.append(text(x, middle, form, text_anchor="middle"))
    for y, name in zip((11, bottom - 4), names, strict=True):
        parts.append(text(2, y, name, class_="faint"))
    width = math.ceil(sum(widths)) + 4
    changed = len({t for *_, t in apart})
    described = f"{changed} of {len(forms)} {what} differ: {names[0]} above, {names[1]} below"
    figure = svg(width, bottom, described, parts, class_="tree", style=f"width:{width}px")
    return element("div", figure, class_="scroll", tabindex="0")


def _draw(
    levels: Mapping[Arc, int], centres: Sequence[float], base: int, side: int, apart: set[Arc]
) -> Iterator[Markup]:
    """Each arc from its head, a dot at its end and the relation on top of it."""
    for arc, level in levels.items():
        head, relation, t = arc
        kind = "differs" if arc in apart else None
        here, there = centres[t], centres[head] if 0 <= head < len(centres) else centres[t]
        top = base + side * (_STEP * level - 6)
        # Beside the middle of the head, where its own arc ends.
        start = there + _ASIDE * ((here > there) - (here < there))
        line = f"M{here:.1f} {base} V{top} H{start:.1f} V{base}"
        yield element("path", d=line, class_=kind)
        yield dot(here, base, 2.5, class_=kind)
        place = top - 3 if side < 0 else top + 11
        yield text(
            (here + start) / 2, place, relation, text_anchor="middle", class_=kind or "faint"
        )


def _levels(arcs: Sequence[Arc], n: int) -> dict[Arc, int]:
    """How high each arc goes: above all shorter ones beside which it runs, that of roots on top."""
    ends = {a: (a[2], a[0]) if 0 <= a[0] < n else (-1, n) for a in arcs}
    spans = {arc: (min(pair), max(pair)) for arc, pair in ends.items()}
    levels: dict[Arc, int] = {}
    for arc, (low, high) in sorted(spans.items(), key=lambda row: row[1][1] - row[1][0]):
        beside = (levels[o] for o in levels if spans[o][0] < high and low < spans[o][1])
        levels[arc] = 1 + max(beside, default=0)
    return {arc: levels[arc] for arc in spans}
