"""The page of a treebank: α, tables, and arcs of two annotators above and below a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from gammacp import __version__
from gammacp.left_out import LeftOut
from gammacp.report import figures
from gammacp.report.arcs import arcs, tree_arcs
from gammacp.report.markup import Markup, element, hint, join, number, table
from gammacp.report.page import LEFT_OUT, laid_out
from gammacp.syntax.annotations import Dependencies, Item
from gammacp.syntax.graphs.agreement import Compared
from gammacp.tables import Table

DRAWN = 12
# Titles of tables by the name of their first column.
_TITLES = {
    "sentence": "Sentences to discuss, worst first",
    "title": "Agreement",
    "annotators": "Annotators",
    "pair": "Annotators",
    "document": "Documents",
    "relation": "Relations",
    "relations": "What is confused",
    "group": "By length, distance, part of speech",
}


@dataclass(frozen=True, kw_only=True)
class TreePage:
    """What the page of a treebank shows.

    Attributes
    ----------
    title
        Its heading.
    measure, value, interval
        The number that stands first.
    words
        Sentences about it.
    tables
        Those of `gammacp syntax`.
    worst
        Sentences or pairs of graphs, those that disagree most first; all but phrase structures are
        drawn.
    left_out, signature
        What readers passed over, and what makes the numbers again.
    """

    title: str
    measure: str
    value: float
    interval: tuple[float, float] | None
    words: Sequence[str]
    tables: Sequence[Table]
    worst: Sequence[Item] | Sequence[Compared]
    left_out: Sequence[LeftOut]
    signature: str

    @property
    def html(self) -> str:
        """The page."""
        scale = figures.scale(self.value, None, self.interval) if self.value == self.value else None
        sentences = [element("p", words) for words in self.words]
        score = element("div", element("small", self.measure), number(self.value), class_="score")
        words = element("div", scale, *sentences, class_="words")
        grouped: dict[str, list[Markup]] = {title: [] for title in _TITLES.values()}
        drawn = list(islice(_drawn(self.worst), DRAWN))
        for found in self.tables:
            name = _TITLES[found.columns[0].key]
            grouped[name].append(table(found, long=len(found.records) > DRAWN))
        if drawn:
            about = "Arcs of two annotators who differ most; orange and bold where they differ."
            grouped[_TITLES["sentence"]] += [hint(about), *drawn]
        if self.left_out:
            records = [entry.as_dict() for entry in self.left_out]
            grouped["Left out by the readers"] = [table(Table(LEFT_OUT, records))]
        grouped["How this was computed"] = [
            element("p", "Signature: ", element("code", self.signature)),
            hint(f"gammacp {__version__}"),
        ]
        sections = [
            (f"part{k}", title, join(*content))
            for k, (title, content) in enumerate(grouped.items())
            if content
        ]
        return laid_out(self.title, element("div", score, words, class_="headline"), sections)


def _drawn(found: Sequence[Item] | Sequence[Compared]) -> Iterator[Markup]:
    """Each sentence with the arcs of the two annotators who differ most."""
    for one in found:
        item = one if isinstance(one, Item) else one.item
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
    """Relations over one row of nodes, in which those that are matched have one place."""
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
    """Edges over the words and empty nodes; those that only the second has are primed."""
    if x.n_tokens != y.n_tokens:
        return None
    mine = {node for h, _, d in y.enhanced for node in (h, d) if "." in node}
    to = {node: same.get(node, f"{node}′") for node in mine}
    nodes = {node for h, _, d in x.enhanced for node in (h, d) if "." in node} | {*to.values()}
    words = [str(t) for t in range(1, x.n_tokens + 1)]
    row = sorted((*words, *nodes), key=lambda node: (float(node.rstrip("′")), node))
    place = {node: k for k, node in enumerate(row)}
    above, below = (
        [(place.get(at.get(h, h), -1), label, place[at.get(d, d)]) for h, label, d in s.enhanced]
        for s, at in ((x, dict[str, str]()), (y, to))
    )
    forms = dict(zip(words, x.forms or words, strict=True))
    return arcs([forms.get(node, node) for node in row], above, below, one.annotators, "nodes")
