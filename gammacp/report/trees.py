"""The page of a treebank: α, tables, and arcs of two annotators above and below a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TYPE_CHECKING

from gammacp import __version__
from gammacp.report import figures
from gammacp.report.arcs import arcs, differing
from gammacp.report.markup import Markup, element, hint, join, number, table
from gammacp.report.page import LEFT_OUT, laid_out
from gammacp.tables import Table

if TYPE_CHECKING:
    from gammacp.left_out import LeftOut
    from gammacp.syntax.annotations import Item

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
        Sentences, those that disagree most first; dependencies are drawn.
    left_out, signature
        What readers passed over, and what makes the numbers again.
    """

    title: str
    measure: str
    value: float
    interval: tuple[float, float] | None
    words: Sequence[str]
    tables: Sequence[Table]
    worst: Sequence[Item]
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


def _drawn(items: Sequence[Item]) -> Iterator[Markup]:
    """Each sentence with the arcs of the two annotators who differ most."""
    from gammacp.syntax.annotations import Dependencies

    for item in items:
        people = [(a, s) for a, s in item.annotations.items() if isinstance(s, Dependencies)]
        if len(people) < 2 or not item.same_length:
            continue
        trees = {name: (s.heads, s.relations) for name, s in people}
        pairs = {len(differing(trees[a], trees[b])): (a, b) for a, b in combinations(trees, 2)}
        if most := max(pairs):
            a, b = pairs[most]
            forms = people[0][1].forms or [str(t + 1) for t in range(item.n_tokens)]
            heading = element("h3", f"{item.document} {item.name}".strip())
            yield join(heading, arcs(forms, trees[a], trees[b], (a, b)))
