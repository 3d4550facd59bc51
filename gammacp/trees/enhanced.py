"""Enhanced dependencies: a graph over words and empty nodes (`8.1`), words with several heads.

ELAS is the F₁ of the edges into words, as in the shared tasks of IWPT 2020 and 2021 (Bouma, Seddah
& Zeman 2020, §4). EULAS ignores what labels add to the universal relation: `obl:in` counts as
`obl`. As in the shared tasks, empty nodes are removed first. A path through them becomes one edge,
whose label has all relations of the path (`conj>nsubj`). Duplicate edges count once.

A word can have several edges of one universal relation to one head (`obl:in` and `obl:on`). In
EULAS each of these edges agrees with at most one edge of the other annotator. The program of the
shared task counts every combination: two edges against two give four that agree, so that its F₁ can
exceed 1. `several_edges` counts such words.

`enhanced_graph` keeps empty nodes, so that the best matching of two graphs shows which of them
correspond.

References
----------
Bouma, Seddah & Zeman 2020. Overview of the IWPT 2020 shared task on parsing into enhanced Universal
Dependencies. IWPT.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.trees.measures.annotations import Dependencies, MeaningGraph

# Words are numbered from 0. An edge has its head (−1 for the root) and the relations of the path.
Edge: TypeAlias = tuple[int, tuple[str, ...]]
Heads: TypeAlias = dict[int, list[Edge]]


def collapse(sentence: Dependencies) -> Heads:
    """Return the edges into each word, with paths through empty nodes collapsed into edges.

    Words without enhanced dependencies (DEPS) are missing.

    Parameters
    ----------
    sentence
        Sentence with enhanced dependencies.

    >>> edges = (("0", "root", "1"), ("1", "conj", "1.1"), ("1.1", "obj", "2"))
    >>> collapse(Dependencies((0, 1), ("root", "obj"), enhanced=edges))
    {0: [(-1, ('root',))], 1: [(0, ('conj', 'obj'))]}
    """
    into: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for head, label, dependent in sentence.enhanced:
        into[dependent].append((head, label))

    def paths(node: str, empty: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
        for head, label in into.get(node, ()):
            steps = tuple(label.split(">"))
            if "." not in head:
                yield int(head) - 1, steps
            elif head not in empty:
                for top, before in paths(head, (*empty, head)):
                    yield top, before + steps

    return {int(w) - 1: list(dict.fromkeys(paths(w, ()))) for w in into if "." not in w}


def edge_counts(a: Dependencies, b: Dependencies, matched: Mapping[int, int]) -> Floats:
    """Edges that agree, and those of both that are compared, by ELAS and EULAS: shape (2, 2).

    Words of which one of the two gives no edge are not compared.

    Parameters
    ----------
    a, b
        Annotations of the same characters.
    matched
        Words of b, from 0, that are words of a.
    """
    counts = np.zeros((2, 2))
    if not (a.enhanced and b.enhanced):
        return counts
    in_a = {-1: -1, **{j: i for i, j in matched.items()}}
    one = collapse(a)
    two = collapse(b)
    lost = {(i, j) for i, j in matched.items() if (i in one) != (j in two)}
    counts[1] = sum(len(edges) for i, edges in one.items() if (i, matched.get(i)) not in lost)
    counts[1] += sum(len(edges) for j, edges in two.items() if (in_a.get(j), j) not in lost)
    for i, j in matched.items():
        # −2 is no word of a.
        x = one.get(i, [])
        y = [(in_a.get(head, -2), steps) for head, steps in two.get(j, [])]
        counts[0, 0] += (Counter(x) & Counter(y)).total()
        counts[0, 1] += (Counter(_universal(x)) & Counter(_universal(y))).total()
    return counts


def several_edges(sentence: Dependencies) -> int:
    """Count the words with several edges of one universal relation to one head.

    >>> edges = (("0", "root", "1"), ("1", "obl:in", "2"), ("1", "obl:on", "2"))
    >>> several_edges(Dependencies((0, 1), ("root", "obl"), enhanced=edges))
    1
    """
    cut = map(_universal, collapse(sentence).values())
    return sum(len(set(edges)) < len(edges) for edges in cut)


def _universal(edges: Iterable[Edge]) -> list[Edge]:
    return [(head, tuple(step.split(":")[0] for step in steps)) for head, steps in edges]


def empty_nodes(sentence: Dependencies) -> set[str]:
    """Return the empty nodes at which edges of the sentence start or end."""
    return {node for h, _, d in sentence.enhanced for node in (h, d) if "." in node}


def enhanced_graph(
    sentence: Dependencies, numbers: Mapping[str, str] = MappingProxyType({})
) -> MeaningGraph:
    """Return the enhanced dependencies as a graph for matching.

    Its nodes are the text and the empty nodes. Edges between words are properties of the text,
    edges between a word and an empty node are properties of that node, and edges between empty
    nodes are relations.

    Parameters
    ----------
    sentence
        Sentence with enhanced dependencies.
    numbers
        New ids of words, by their ids in the sentence; words that are not listed keep theirs.

    >>> edges = (("0", "root", "1"), ("1", "conj", "1.1"), ("1.1", "obj", "2"))
    >>> graph = enhanced_graph(Dependencies((0, 1), ("root", "obj"), enhanced=edges))
    >>> graph.variables, sorted(graph.properties)
    (('text', '1.1'), [(0, 'root', '0 → 1'), (1, 'conj from', '1'), (1, 'obj to', '2')])
    """
    place = {node: k for k, node in enumerate(sorted(empty_nodes(sentence)), start=1)}
    properties = set()
    relations = set()
    for h, label, d in sentence.enhanced:
        head = numbers.get(h, h)
        dependent = numbers.get(d, d)
        if head in place and dependent in place:
            relations.add((place[head], label, place[dependent]))
        elif head in place:
            properties.add((place[head], f"{label} to", dependent))
        elif dependent in place:
            properties.add((place[dependent], f"{label} from", head))
        else:
            properties.add((0, label, f"{head} → {dependent}"))
    return MeaningGraph(
        ("text", *place),
        frozenset(properties),
        frozenset(relations),
        sentence.forms,
        sentence.file,
        sentence.line,
        sentence.name,
    )
