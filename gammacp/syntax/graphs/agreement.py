"""Agreement of semantic graphs: Smatch, and what of it is beyond chance.

Smatch (Cai & Knight 2013) is F₁ of the triples that agree under the best matching of nodes, counted
over all sentences. None of the annotators is gold: precision is the share of the first one's
triples that the second has, recall the other way round. A sentence counts once, however many
annotators it has: its counts are means over their pairs.

Chance is length-matched as for trees: each graph meets those of other sentences whose graphs have
as many triples in the mean, or nearly so (`gammacp.measures.trees.matched`). Of sentences of
unequal means n and m, F₁ is divided by the root of the most that it can be, 2·min(n, m)/(n + m):
that is the geometric mean of F₁, which size alone makes too small, and of the smaller graph's
share, which a larger choice makes too large. α is 1 − D_o/D_e of the squared number of triples that
only one has (δ plain), a metric: the distance to edit one graph into the other where a triple costs
1.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from gammacp.arguments import whole
from gammacp.arrays import Floats, Indices
from gammacp.errors import DataError, UsageError
from gammacp.measures.contributions import Contributions
from gammacp.measures.resampling import DRAWS
from gammacp.measures.trees.annotations import Dependencies, Graph, Item, Treebank
from gammacp.measures.trees.matched import (
    LENGTH_MATCHED,
    MOST,
    Bands,
    LengthMatched,
    Matched,
    bands,
    values,
)
from gammacp.signature import signature
from gammacp.syntax.enhanced import enhanced_graph
from gammacp.syntax.graphs.matching import Matching, best_matching
from gammacp.syntax.universal import Words

CHANCE_PAIRS = 500


@dataclass(frozen=True)
class Compared:
    """Two annotators' graphs of a sentence, and their best matching."""

    item: Item
    annotators: tuple[str, str]
    graphs: tuple[Graph, Graph]
    matching: Matching

    @property
    def counts(self) -> Floats:
        """Triples that agree, that may agree at most, of the first graph, of the second."""
        first, second = (graph.n_triples for graph in self.graphs)
        return np.array([self.matching.matched, self.matching.bound, first, second], np.float64)

    @property
    def apart(self) -> float:
        """Triples that only one of the two has."""
        matched, _, first, second = self.counts
        return float(first + second - 2 * matched)


@dataclass(frozen=True, kw_only=True)
class GraphAgreement:
    """The agreement of annotators on graphs.

    Attributes
    ----------
    compared
        Each pair of annotators of each sentence.
    beyond_chance
        "plain" (α) and "smatch" against other sentences of the same size; empty if not asked for.
    chance_open
        How many triples more the graphs of other sentences could have in common at most, as a share
        of those that they have, where their matchings are not proven.
    """

    treebank: Treebank
    compared: tuple[Compared, ...]
    beyond_chance: Mapping[str, LengthMatched]
    chance_open: float
    signature: str

    @cached_property
    def by_item(self) -> list[tuple[Item, list[Compared]]]:
        """Who was compared on each sentence."""
        found: dict[int, list[Compared]] = {}
        for one in self.compared:
            found.setdefault(id(one.item), []).append(one)
        return [(item, found[id(item)]) for item in self.treebank.shared]

    @property
    def unproven(self) -> int:
        """Pairs of graphs whose matching is not proven to be the best."""
        return sum(one.matching.matched < one.matching.bound for one in self.compared)

    def smatch(self, annotators: Sequence[str] = (), document: str | None = None) -> dict[str, Any]:
        """Precision, recall, F₁ and the F₁ that no matching exceeds.

        Parameters
        ----------
        annotators
            Two of them; default everybody.
        document
            Of its sentences alone; default all.
        """
        rows = [
            np.mean([c.counts for c in group], axis=0)
            for item, pairs in self.by_item
            if document in (None, item.document)
            and (group := [c for c in pairs if not annotators or c.annotators == annotators])
        ]
        matched, bound, first, second = np.sum(rows, axis=0).tolist() if rows else (math.nan,) * 4
        return {
            "smatch": 2 * matched / (first + second),
            "bound": 2 * bound / (first + second),
            "precision": matched / first,
            "recall": matched / second,
            "items": len(rows),
        }


def graph_agreement(
    treebank: Treebank,
    *,
    chance: str | None = LENGTH_MATCHED,
    sample_pairs: int = 0,
    method: str = "auto",
    time_limit: float | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> GraphAgreement:
    """Smatch of annotators' graphs, proven, and α beyond length-matched chance.

    Parameters
    ----------
    treebank
        Graphs, or enhanced dependencies; sentences with one annotation are left out.
    chance
        "length-matched", or None for Smatch alone.
    sample_pairs
        About how many pairs of graphs chance is taken from, at least one for each graph; 0: 500.
    method, time_limit
        As for `gammacp.syntax.graphs.matching.best_matching`, the limit for each pair.
    draws, seed
        Of the bootstrap over sentences.

    Raises
    ------
    UsageError
        The treebank is of trees, or an argument cannot be meant.
    DataError
        No sentence has two annotations.

    >>> from gammacp.measures.trees.annotations import Graph
    >>> dog, cat = (
    ...     Graph(("x",), frozenset({(0, "instance", name), (0, "top", "top")}), frozenset())
    ...     for name in ("dog", "cat")
    ... )
    >>> treebank = Treebank.from_annotations({"Ann": [dog, cat], "Ben": [dog, dog]})
    >>> graph_agreement(treebank).smatch()["smatch"]
    0.75
    """
    if not treebank.of_graphs:
        raise UsageError("Smatch compares graphs, and these are trees")
    if chance not in (LENGTH_MATCHED, None):
        raise UsageError(f"chance {chance!r} is not {LENGTH_MATCHED!r} or None")
    treebank.require_shared()
    sample_pairs = whole("sample_pairs", sample_pairs, 0) or CHANCE_PAIRS
    compared = tuple(
        Compared(item, (a, b), (x, y), best_matching(x, y, method=method, time_limit=time_limit))
        for item in treebank.shared
        for (a, x), (b, y) in combinations(_graphs(item), 2)
    )
    beyond: Mapping[str, LengthMatched] = {}
    loose = 0.0
    if chance:
        beyond, loose = _beyond(treebank, compared, sample_pairs, draws, seed)
    return GraphAgreement(
        treebank=treebank,
        compared=compared,
        beyond_chance=beyond,
        chance_open=loose,
        signature=signature(
            "smatch",
            trees=None if treebank.kind == "graph" else treebank.kind,
            selection=treebank.selection,
            method=method,
            time_limit=time_limit,
        ),
    )


def _graphs(item: Item) -> Iterator[tuple[str, Graph]]:
    """Everybody's graph; of dependencies the enhanced one, words by the first one's numbers."""
    first: Dependencies | None = None
    for name, found in item.annotations.items():
        if isinstance(found, Graph):
            yield name, found
        elif isinstance(found, Dependencies):
            first, numbers = first or found, dict[str, str]()
            if found.forms and first.forms and found.forms != first.forms:
                numbers = Words.of(found).numbers_in(Words.of(first))
            yield name, enhanced_graph(found, numbers)


def _beyond(
    treebank: Treebank, compared: Sequence[Compared], pairs: int, draws: int, seed: int
) -> tuple[dict[str, LengthMatched], float]:
    """1 − D_o/D_e of both, and what unproven matchings of unlike graphs leave open."""
    rows = [(k, g) for k, item in enumerate(treebank.shared) for _, g in _graphs(item)]
    items, graphs = np.array([k for k, _ in rows]), [g for _, g in rows]
    sizes, counts = np.array([g.n_triples for g in graphs]), np.bincount(items)
    lengths = np.rint(np.bincount(items, sizes) / counts).astype(np.int64)[items]
    try:
        found = bands(lengths, items, most=min(max(1, pairs // len(graphs)), MOST))
    except DataError as error:
        lost = LengthMatched(value=math.nan, reason=str(error))
        return dict.fromkeys(("plain", "smatch"), lost), 0.0

    def sums(place: Indices, values: Floats) -> Floats:
        return np.bincount(place, values, len(counts)).astype(np.float64)

    place = {id(item): k for k, item in enumerate(treebank.shared)}
    where = np.array([place[id(c.item)] for c in compared])
    weight = 2 / (counts * (counts - 1))[where]  # of a pair among those of its sentence
    apart = np.array([c.apart for c in compared])
    size = sums(where, np.array([c.counts[2:].sum() for c in compared]) * weight)
    matched, bound = _unlike(graphs, found)
    n, m = lengths[found.first], lengths[found.second]
    both = sizes[found.first] + sizes[found.second]
    most = 2 * np.minimum(n, m) / (n + m)
    unlike = 1 - np.minimum(1, 2 * matched / both / np.sqrt(most))
    chance = sums(items, found.means(unlike)) / counts
    squares = sums(items, found.means((both * unlike * 2 * n / (n + m)) ** 2))
    parts = {
        "plain": Contributions(sums(where, apart**2 * weight) * counts, squares, "sentences"),
        "smatch": Contributions(sums(where, apart * weight), size * chance, "sentences"),
    }
    totals = {"plain": float(len(graphs)), "smatch": float(size.sum())}
    loose = float((bound - matched).sum() / max(matched.sum(), 1))
    return values(Matched(parts, totals, found), treebank, draws=draws, seed=seed), loose


def _unlike(graphs: Sequence[Graph], found: Bands) -> Floats:
    """Triples in common with the graphs of other sentences, and at most: shape (2, pairs)."""
    known: dict[tuple[int, int], Matching] = {}
    for x, y in zip(found.first.tolist(), found.second.tolist(), strict=True):
        if (x, y) not in known:
            known[x, y] = known[y, x] = best_matching(graphs[x], graphs[y], method="relaxed")
    of = (known[x, y] for x, y in zip(found.first.tolist(), found.second.tolist(), strict=True))
    return np.array([(m.matched, m.bound) for m in of], np.float64).T
