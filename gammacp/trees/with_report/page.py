"""The page of a treebank: α, tables, and arcs of two annotators above and below a sentence."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import TypeAlias

from gammacp.base.text import counted
from gammacp.report import figures
from gammacp.report.markup import Markup, element, hint, join, table
from gammacp.report.page import laid_out, large_number, left_out, missing, provenance
from gammacp.trees.enhanced import empty_nodes
from gammacp.trees.graphs.agreement import Compared
from gammacp.trees.measures.annotations import Dependencies, Item
from gammacp.trees.report import TreeReport
from gammacp.trees.report_tables import in_words, tables

DRAWN = 12
# Head, relation and dependent, counted from 0; −1, or a node that does not exist, is the root.
Arc: TypeAlias = tuple[int, str, int]
_LETTER = 7.5
_GAP = 16
_STEP = 20
_ASIDE = 5
# Titles of tables by the name of their first column.
_TITLES = {
    "sentence": "Sentences to discuss, largest disagreement first",
    "title": "Agreement",
    "annotators": "Agreement of annotators",
    "pair": "Agreement of annotators",
    "document": "Agreement by document",
    "relation": "Agreement by relation",
    "relations": "Most confused pairs of relations",
    "group": "Agreement by sentence length, head distance and part of speech",
}


def tree_page(report: TreeReport, title: str = "") -> str:
    """Return the page of a treebank, with drawings of sentences that are not phrase structures.

    Parameters
    ----------
    report
        Report on trees or graphs; its sentences are those that may be drawn.
    title
        Heading; default: how many sentences there are.
    """
    record = report.as_dict()
    n = len(report.read.treebank.shared_items)
    beyond = record["beyond_chance"]["plain"]
    value = beyond["value"]
    if value == value:
        bars = []
        if beyond["interval"] is not None:
            about = "other sentences of this kind"
            bars.append(
                figures.ScaleBar(about=about, interval=beyond["interval"], colour=figures.ELSEWHERE)
            )
        scale = figures.scale(value, bars, measure="α")
    else:
        scale = None
    paragraphs = (element("p", words) for words in in_words(report))
    grouped: dict[str, list[Markup]] = {name: [] for name in _TITLES.values()}
    for one in tables(report):
        key = one.columns[0].key
        if key == "sentence":
            about = "Share: the part of all disagreement of annotators that is in the sentence."
            grouped[_TITLES[key]].append(hint(about))
        grouped[_TITLES[key]].append(table(one, long=len(one.records) > DRAWN))
    if drawn := list(islice(_draw(report.worst), DRAWN)):
        about = (
            "Each drawing shows the two annotators who differ most, one above and one below the "
            "words. Arcs of only one of them are orange and bold."
        )
        grouped[_TITLES["sentence"]] += [hint(about), *drawn]
    if report.read.left_out:
        grouped["Left out when reading the files"] = [left_out(report.read.left_out)]
    grouped["How this was computed"] = [provenance(record["signature"])]
    sections = [
        (f"part{k}", name, join(*content))
        for k, (name, content) in enumerate(grouped.items())
        if content
    ]
    title = title or f"Agreement on {counted(n, 'sentence')}"
    incomplete = missing(filter(None, [report.read.incomplete]))
    number = large_number("α, agreement beyond chance", value, scale, *paragraphs)
    return laid_out(title, join(incomplete, number), sections)


def _draw(items: Sequence[Item] | Sequence[Compared]) -> Iterator[Markup]:
    """Yield each sentence with the arcs of the two annotators who differ most."""
    for one in items:
        if isinstance(one, Item):
            item = one
        else:
            item = one.item
        if drawing := _of_tree(one) if isinstance(one, Item) else _of_graphs(one):
            yield join(element("h3", f"{item.document} {item.name}".strip()), drawing)


def _of_tree(item: Item) -> Markup | None:
    people = {a: s for a, s in item.annotations.items() if isinstance(s, Dependencies)}
    if len(people) < 2 or not item.same_length:
        return None
    trees = {name: tree_arcs(s.heads, s.relations) for name, s in people.items()}
    pairs = {len(set(trees[a]) - set(trees[b])): (a, b) for a, b in combinations(trees, 2)}
    if not (most := max(pairs)):
        return None
    a, b = pairs[most]
    forms = people[a].forms or [str(t + 1) for t in range(item.n_tokens)]
    return arcs(forms, trees[a], trees[b], (a, b))


def _of_graphs(one: Compared) -> Markup | None:
    """Draw relations over one row of nodes, in which matched nodes have one place."""
    if not one.apart:
        return None
    a, b = one.graphs
    x, y = (one.item.annotations[name] for name in one.annotators)
    same = {j: i for i, j in enumerate(one.matching.partner) if j >= 0}
    if isinstance(x, Dependencies) and isinstance(y, Dependencies):
        return _of_enhanced(x, y, {b.variables[j]: a.variables[i] for j, i in same.items()}, one)
    free = (j for j in range(b.n_nodes) if j not in same)
    place = same | {j: k for k, j in enumerate(free, start=a.n_nodes)}
    names: list[list[str]] = [[] for _ in range(max(a.n_nodes, len(place) + a.n_nodes - len(same)))]
    for graph, to in ((a, range(a.n_nodes)), (b, place)):
        concepts = {n: value for n, role, value in graph.properties if role == "instance"}
        for node, variable in enumerate(graph.variables):
            names[to[node]].append(concepts.get(node, variable))
    below = sorted((place[head], role, place[node]) for head, role, node in b.relations)
    forms = [" ≠ ".join(dict.fromkeys(both)) for both in names]
    return arcs(forms, sorted(a.relations), below, one.annotators, "nodes")


def _of_enhanced(
    x: Dependencies, y: Dependencies, same: Mapping[str, str], one: Compared
) -> Markup | None:
    """Draw edges over words and empty nodes; nodes of only the second graph are primed."""
    if x.n_tokens != y.n_tokens:
        return None
    to = {node: same.get(node, f"{node}′") for node in empty_nodes(y)}
    nodes = empty_nodes(x) | {*to.values()}
    words = [str(t) for t in range(1, x.n_tokens + 1)]
    row = sorted((*words, *nodes), key=lambda node: (float(node.rstrip("′")), node))
    place = {node: k for k, node in enumerate(row)}
    above, below = (
        [(place.get(at.get(h, h), -1), label, place[at.get(d, d)]) for h, label, d in s.enhanced]
        for s, at in ((x, dict[str, str]()), (y, to))
    )
    forms = dict(zip(words, x.forms or words, strict=True))
    return arcs([forms.get(node, node) for node in row], above, below, one.annotators, "nodes")


def tree_arcs(heads: Sequence[int], relations: Sequence[str]) -> list[Arc]:
    """Return the arcs of a tree, whose heads count from 1.

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
    """Return a sentence with one annotator's arcs above and another's below it, differences marked.

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
        Noun for the forms.
    """
    longest = [len(form) for form in forms]
    for _, relation, t in (*above, *below):
        longest[t] = max(longest[t], len(relation))
    widths = [_LETTER * letters + _GAP for letters in longest]
    centres = [sum(widths[:t]) + width / 2 for t, width in enumerate(widths)]
    levels = [_levels(one, len(forms)) for one in (above, below)]
    room = [_STEP * max(one.values(), default=0) + _STEP for one in levels]
    middle = room[0] + 36
    apart = set(above) ^ set(below)
    bottom = middle + room[1] + 20
    parts = list(_strokes(levels[0], centres, middle - 14, -1, apart))
    parts += _strokes(levels[1], centres, middle + 6, 1, apart)
    for x, form in zip(centres, forms, strict=True):
        parts.append(figures.text(x, middle, form, text_anchor="middle"))
    for y, name in zip((11, bottom - 4), names, strict=True):
        parts.append(figures.text(2, y, name, class_="faint"))
    width = math.ceil(sum(widths)) + 4
    changed = len({t for *_, t in apart})
    described = f"{changed} of {len(forms)} {what} differ: {names[0]} above, {names[1]} below"
    figure = figures.svg(width, bottom, described, parts, class_="tree", style=f"width:{width}px")
    return element("div", figure, class_="scroll", tabindex="0")


def _strokes(
    levels: Mapping[Arc, int], centres: Sequence[float], base: int, side: int, apart: set[Arc]
) -> Iterator[Markup]:
    """Yield each arc from its head, with a dot at its end and the relation on top of it."""
    for arc, level in levels.items():
        head, relation, t = arc
        if arc in apart:
            kind = "differs"
        else:
            kind = None
        here = centres[t]
        if 0 <= head < len(centres):
            centre = centres[head]
        else:
            centre = centres[t]
        top = base + side * (_STEP * level - 6)
        # Beside the middle of the head, where its own arc ends.
        start = centre + _ASIDE * ((here > centre) - (here < centre))
        line = f"M{here:.1f} {base} V{top} H{start:.1f} V{base}"
        yield element("path", d=line, class_=kind)
        yield figures.dot(here, base, 2.5, class_=kind)
        if side < 0:
            place = top - 3
        else:
            place = top + 11
        yield figures.text(
            (here + start) / 2, place, relation, text_anchor="middle", class_=kind or "faint"
        )


def _levels(arcs: Sequence[Arc], n: int) -> dict[Arc, int]:
    """Return the height of each arc: above all shorter ones beside it, roots on top."""
    ends = {a: (a[2], a[0]) if 0 <= a[0] < n else (-1, n) for a in arcs}
    spans = {arc: (min(pair), max(pair)) for arc, pair in ends.items()}
    levels: dict[Arc, int] = {}
    for arc, (low, high) in sorted(spans.items(), key=lambda row: row[1][1] - row[1][0]):
        beside = (levels[o] for o in levels if spans[o][0] < high and low < spans[o][1])
        levels[arc] = 1 + max(beside, default=0)
    return {arc: levels[arc] for arc in spans}
