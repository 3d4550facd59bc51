"""Agreement of semantic graphs: Smatch, and α of graphs beyond chance.

Smatch (Cai & Knight 2013) is F₁ of the triples that agree under the best matching of nodes, counted
over all sentences. None of the annotators is gold: precision is the share of the first one's
triples that the second has, recall the other way round. A sentence counts once, however many
annotators it has: its counts are means over their pairs.

Chance is length-matched as for trees: each graph meets those of other sentences whose graphs have
as many triples in the mean, or nearly so (`gammacp.trees.measures.matched`). Of sentences of
unequal means n and m, F₁ is divided by the root of the most that it can be, 2·min(n, m)/(n + m):
that is the geometric mean of F₁, which size alone makes too small, and of the smaller graph's
share, which a larger choice makes too large. α is 1 − D_o/D_e of the squared number of triples that
only one has (δ plain), a metric: the distance to edit one graph into the other where a triple costs
1.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.arrays import Floats
from gammacp.base.signature import signature
from gammacp.chance.beyond import BeyondChance
from gammacp.errors import DataError, UsageError
from gammacp.inference.contributions import Contributions
from gammacp.trees.enhanced import enhanced_graph
from gammacp.trees.graphs.matching import GraphMatching, best_matching
from gammacp.trees.measures.annotations import Dependencies, Item, MeaningGraph, Treebank
from gammacp.trees.measures.matched import (
    LENGTH_MATCHED,
    MOST,
    Bands,
    against_bands,
    matched,
    untold,
)
from gammacp.trees.measures.observations import Observations
from gammacp.trees.universal import Words

CHANCE_PAIRS = 500


@dataclass(frozen=True)
class Compared:
    """Two annotators' graphs of a sentence, and their best matching."""

    item: Item
    annotators: tuple[str, str]
    graphs: tuple[MeaningGraph, MeaningGraph]
    matching: GraphMatching

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
    observations
        Annotations of sentences by annotators.
    graphs
        Graph of each annotation.
    compared
        Each pair of annotators of each sentence.
    beyond_chance
        "plain" (α) and "smatch" against other sentences of the same size; empty if not asked for.
    chance_open
        Largest number of further triples that the graphs of other sentences could have in common,
        as a share of those that they have, where their matchings are not proven.
    """

    observations: Observations
    graphs: tuple[MeaningGraph, ...]
    compared: tuple[Compared, ...]
    beyond_chance: Mapping[str, BeyondChance]
    chance_open: float
    signature: str

    @property
    def unproven(self) -> int:
        """Return the number of pairs of graphs whose matching is not proven to be the best."""
        return sum(one.matching.matched < one.matching.bound for one in self.compared)

    def smatch(self, annotators: Sequence[str] = (), document: str | None = None) -> dict[str, Any]:
        """Return precision, recall, F₁, and an upper bound of F₁ over all matchings.

        Parameters
        ----------
        annotators
            Names of two annotators; by default all pairs count.
        document
            Name of the only document that counts; by default all count.
        """
        place = self.observations.item[self.observations.first]
        chosen = [
            k
            for k, one in enumerate(self.compared)
            if document in (None, one.item.document)
            and (not annotators or one.annotators == annotators)
        ]
        counts = np.array([self.compared[k].counts for k in chosen]).reshape(-1, 4)
        pairs = np.bincount(place[chosen])
        sums = (counts / pairs[place[chosen], None]).sum(axis=0)
        matched, bound, first, second = sums.tolist() if chosen else (math.nan,) * 4
        return {
            "smatch": 2 * matched / (first + second),
            "bound": 2 * bound / (first + second),
            "precision": matched / first,
            "recall": matched / second,
            "items": int(np.count_nonzero(pairs)),
        }


def graph_agreement(
    treebank: Treebank,
    *,
    chance: str | None = LENGTH_MATCHED,
    sample_pairs: int = 0,
    time_limit: float | None = None,
    seed: int = 0,
) -> GraphAgreement:
    """Return Smatch of annotators' graphs, with proof, and α beyond length-matched chance.

    Parameters
    ----------
    treebank
        Graphs, or enhanced dependencies; sentences with one annotation are left out.
    chance
        "length-matched", or None for Smatch alone.
    sample_pairs
        Approximate number of pairs of graphs from which chance is estimated, with at least one for
        each graph; 0 for 500.
    time_limit
        Seconds for each pair of graphs, > 0; None for no limit.
    seed
        Seed of the bootstrap over sentences.

    Raises
    ------
    UsageError
        The treebank is of trees, or a value is outside its range.
    DataError
        No sentence has two annotations.

    >>> from gammacp.trees.measures.annotations import MeaningGraph
    >>> dog, cat = (
    ...     MeaningGraph(("x",), frozenset({(0, "instance", name), (0, "top", "top")}), frozenset())
    ...     for name in ("dog", "cat")
    ... )
    >>> treebank = Treebank.from_annotations({"Ann": [dog, cat], "Ben": [dog, dog]})
    >>> graph_agreement(treebank).smatch()["smatch"]
    0.75
    """
    if not treebank.of_graphs:
        raise UsageError("Smatch compares graphs, but this treebank holds trees")
    if chance not in (LENGTH_MATCHED, None):
        raise UsageError(f"chance {chance!r} is not {LENGTH_MATCHED!r} or None")
    treebank.require_shared()
    sample_pairs = whole("sample_pairs", sample_pairs, 0) or CHANCE_PAIRS
    observations = Observations.of(treebank)
    graphs = tuple(_graphs(treebank))
    compared = []
    for a, b in zip(observations.first.tolist(), observations.second.tolist(), strict=True):
        matching = best_matching(graphs[a], graphs[b], time_limit=time_limit)
        one, other = (treebank.annotators[observations.annotator[k]] for k in (a, b))
        item = treebank.shared_items[observations.item[a]]
        compared.append(Compared(item, (one, other), (graphs[a], graphs[b]), matching))
    beyond, chance_open = (
        _beyond(observations, graphs, compared, sample_pairs, seed) if chance else ({}, 0.0)
    )
    return GraphAgreement(
        observations=observations,
        graphs=graphs,
        compared=tuple(compared),
        beyond_chance=beyond,
        chance_open=chance_open,
        signature=signature(
            "smatch",
            trees=None if treebank.kind == "graph" else treebank.kind,
            selection=treebank.selection,
            time_limit=time_limit,
        ),
    )


def _graphs(treebank: Treebank) -> Iterator[MeaningGraph]:
    """Yield the graph of each annotation; for dependencies, the enhanced graph.

    Annotators may split a sentence into different words. The words of all are then numbered like
    those of the first annotator, so that their graphs can be compared.
    """
    for item in treebank.shared_items:
        first: Dependencies | None = None
        for annotation in item.annotations.values():
            if isinstance(annotation, MeaningGraph):
                yield annotation
            elif isinstance(annotation, Dependencies):
                first = first or annotation
                numbers = dict[str, str]()
                if annotation.forms and first.forms and annotation.forms != first.forms:
                    numbers = Words.of(annotation).numbers_in(Words.of(first))
                yield enhanced_graph(annotation, numbers)


def _beyond(
    observations: Observations,
    graphs: Sequence[MeaningGraph],
    compared: Sequence[Compared],
    pairs: int,
    seed: int,
) -> tuple[dict[str, BeyondChance], float]:
    """Return α and Smatch as 1 − D_o/D_e, and the share of triples that is left open.

    The share is that of triples which unproven matchings of D_e may have missed.
    """
    items = observations.item
    everything = observations.everything
    sizes = np.array([g.n_triples for g in graphs])
    lengths = np.rint(np.bincount(items, sizes) / observations.counts(everything))
    lengths = lengths.astype(np.int64)[items]
    try:
        most = min(max(1, pairs // len(graphs)), MOST)
        bands, chosen = matched(observations, lengths, everything, most=most)
    except DataError as error:
        return untold(("plain", "smatch"), error), 0.0
    counts = observations.counts(chosen)
    number = np.count_nonzero(chosen)
    apart = np.array([c.apart for c in compared])
    observed = np.stack([apart**2, apart, sizes[observations.first] + sizes[observations.second]])
    squared, single, size = observations.means_of_pairs(observed, chosen)
    common, bound = _unlike(graphs, bands)
    n = lengths[bands.first]
    m = lengths[bands.second]
    both = sizes[bands.first] + sizes[bands.second]
    largest = 2 * np.minimum(n, m) / (n + m)
    unlike = 1 - np.minimum(1, 2 * common / both / np.sqrt(largest))
    squares = bands.means((both * unlike * 2 * n / (n + m)) ** 2)
    chance = observations.sums(bands.means(unlike), chosen) / np.maximum(counts, 1)
    parts = {
        "plain": Contributions(
            squared * counts / number,
            observations.sums(squares, chosen) / number,
            "sentences",
        ),
        "smatch": Contributions(single / size.sum(), size * chance / size.sum(), "sentences"),
    }
    open_share = float((bound - common).sum() / max(common.sum(), 1))
    return against_bands(observations.treebank, parts, bands, {}, seed=seed), open_share


def _unlike(graphs: Sequence[MeaningGraph], bands: Bands) -> Floats:
    """Return the numbers of triples that pairs of the bands share: shape (2, pairs).

    The first row has those of the best matching found, the second one upper bounds.
    """
    matching_of_pair: dict[tuple[int, int], GraphMatching] = {}
    for x, y in zip(bands.first.tolist(), bands.second.tolist(), strict=True):
        if (x, y) not in matching_of_pair:
            matching_of_pair[x, y] = matching_of_pair[y, x] = best_matching(
                graphs[x], graphs[y], branches=False
            )
    matchings = (
        matching_of_pair[x, y]
        for x, y in zip(bands.first.tolist(), bands.second.tolist(), strict=True)
    )
    return np.array([(m.matched, m.bound) for m in matchings], np.float64).T
