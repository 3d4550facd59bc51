"""Arcs of two annotators above and below a sentence, as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from gammacp.report.figures import dot, svg, text
from gammacp.report.markup import Markup, element

# Heads (from 1, 0 for the root) and relations of the tokens.
Tree: TypeAlias = tuple[Sequence[int], Sequence[str]]
_LETTER, _GAP, _STEP, _ASIDE = 7.5, 16, 20, 5


def differing(a: Tree, b: Tree) -> set[int]:
    """The tokens, from 0, of which head or relation differ.

    Parameters
    ----------
    a, b
        Two annotators' trees over the same tokens.
    """
    first, second = (list(zip(*tree, strict=True)) for tree in (a, b))
    return {t for t, (x, y) in enumerate(zip(first, second, strict=True)) if x != y}


def arcs(forms: Sequence[str], above: Tree, below: Tree, names: tuple[str, str]) -> Markup:
    """A sentence with one annotator's arcs above and another's below it, differences marked.

    A dot is where an arc ends, at the token that depends; that of the root is a dot alone.

    Parameters
    ----------
    forms
        Words.
    above, below
        The annotators' trees.
    names
        The annotators'.
    """
    rows = zip(forms, above[1], below[1], strict=True)
    widths = [_LETTER * max(map(len, row)) + _GAP for row in rows]
    centres = [sum(widths[:t]) + width / 2 for t, width in enumerate(widths)]
    room = [_STEP * max(_levels(tree[0]).values()) + _STEP for tree in (above, below)]
    middle, apart = room[0] + 36, differing(above, below)
    bottom = middle + room[1] + 20
    parts = list(_arcs(above, centres, middle - 14, -1, apart))
    parts += _arcs(below, centres, middle + 6, 1, apart)
    for x, form in zip(centres, forms, strict=True):
        parts.append(text(x, middle, form, text_anchor="middle"))
    for y, name in zip((11, bottom - 4), names, strict=True):
        parts.append(text(2, y, name, class_="faint"))
    width = math.ceil(sum(widths)) + 4
    described = f"{len(apart)} of {len(forms)} tokens differ: {names[0]} above, {names[1]} below"
    figure = svg(width, bottom, described, parts, class_="tree", style=f"width:{width}px")
    return element("div", figure, class_="scroll", tabindex="0")


def _arcs(
    tree: Tree, centres: Sequence[float], base: int, side: int, apart: set[int]
) -> Iterator[Markup]:
    """Of each token an arc from its head, a dot at its end and the relation on top of it."""
    levels = _levels(tree[0])
    for t, (head, relation) in enumerate(zip(*tree, strict=True)):
        kind = "differs" if t in apart else None
        here, there = centres[t], centres[head - 1] if 0 < head <= len(centres) else centres[t]
        top = base + side * (_STEP * levels[t] - 6)
        # Beside the middle of the head, where its own arc ends.
        start = there + _ASIDE * ((here > there) - (here < there))
        line = f"M{here:.1f} {base} V{top} H{start:.1f} V{base}"
        yield element("path", d=line, class_=kind)
        yield dot(here, base, 2.5, class_=kind)
        place = top - 3 if side < 0 else top + 11
        yield text(
            (here + start) / 2, place, relation, text_anchor="middle", class_=kind or "faint"
        )


def _levels(heads: Sequence[int]) -> dict[int, int]:
    """How high the arc of each token goes: above all arcs within its span, that of roots on top."""
    n = len(heads)
    ends = [(t, h - 1) if 0 < h <= n else (0, n) for t, h in enumerate(heads)]
    spans = {t: (min(pair), max(pair)) for t, pair in enumerate(ends)}
    levels: dict[int, int] = {}
    for t, (low, high) in sorted(spans.items(), key=lambda row: row[1][1] - row[1][0]):
        within = (levels[o] for o in levels if low <= spans[o][0] and spans[o][1] <= high)
        levels[t] = 1 + max(within, default=0)
    return levels
