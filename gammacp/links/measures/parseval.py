"""Parseval of rhetorical structure trees: the usual scores to compare discourse parsers.

Follows Morey, Muller & Asher (2017). Trees are made binary: the nuclei of a relation branch to the
right, and satellites on the left join the nucleus before those on the right, nearer ones first.
*Original Parseval* compares the inner nodes: span, nuclearity (NS, SN, NN), relation, and all of
these (full). *RST-Parseval* (Marcu 2000) compares all nodes but the root, leaves too: a satellite
has its relation, the nucleus beside it the relation `span`. Counts are summed over documents.

Spans are compared by positions in the text without blanks, so that annotators may use different
segments.

References
----------
Morey, Muller & Asher 2017. How much progress have we made on RST discourse parsing? A replication
study of recent results on the RST-DT. EMNLP.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gammacp.measures.counting import harmonic_mean, share

Span: TypeAlias = tuple[int, int]
VARIANTS = ("original", "rst")
LEVELS = ("span", "nuclearity", "relation", "full")
_NUCLEUS_ONLY = "span"


class Constituent(NamedTuple):
    """A node of a binary tree, with the labels of one of the two variants."""

    span: Span
    nuclearity: str
    relation: str


@dataclass(frozen=True)
class Rhetoric:
    """A rhetorical structure tree.

    Attributes
    ----------
    text
        The characters of all segments, without blanks.
    original, rst
        The constituents by variant; None if the annotation is no tree.
    fault
        Reason why it is no tree; "" if it is one.
    """

    text: str
    original: tuple[Constituent, ...] | None = None
    rst: tuple[Constituent, ...] | None = None
    fault: str = ""


@dataclass
class Binary:
    """A subtree during conversion to a binary tree: its span and its constituents."""

    span: Span
    original: list[Constituent]
    rst: list[Constituent]

    @classmethod
    def leaf(cls, span: Span) -> Binary:
        """Return the subtree of a single segment."""
        return cls(span, [], [])


def joined(left: Binary, right: Binary, nuclearity: str, relation: str) -> Binary:
    """Join two neighbouring subtrees into one.

    Parameters
    ----------
    left, right
        The subtrees.
    nuclearity
        "NS", "SN" or "NN".
    relation
        Relation between the two.

    Raises
    ------
    ValueError
        They are not neighbours.
    """
    if left.span[1] != right.span[0]:
        raise ValueError("a relation joins stretches of text that are not neighbours")
    span = left.span[0], right.span[1]
    tree = Binary(span, [*left.original, *right.original], [*left.rst, *right.rst])
    tree.original.append(Constituent(span, nuclearity, relation))
    for side, letter in zip((left, right), nuclearity, strict=True):
        bare = letter == "N" and nuclearity != "NN"
        tree.rst.append(Constituent(side.span, letter, _NUCLEUS_ONLY if bare else relation))
    return tree


def with_satellites(nucleus: Binary, satellites: Iterable[tuple[Binary, str]]) -> Binary:
    """Join satellites to a nucleus: those on the left first, and nearer ones before others.

    Parameters
    ----------
    nucleus
        The nucleus.
    satellites
        Satellites, each with its relation.

    Raises
    ------
    ValueError
        A satellite is not adjacent to its nucleus.
    """
    left = []
    right = []
    for satellite, relation in satellites:
        if satellite.span < nucleus.span:
            left.append((satellite, relation))
        else:
            right.append((satellite, relation))
    tree = nucleus
    for satellite, relation in sorted(left, key=lambda one: one[0].span, reverse=True):
        tree = joined(satellite, tree, "SN", relation)
    for satellite, relation in sorted(right, key=lambda one: one[0].span):
        tree = joined(tree, satellite, "NS", relation)
    return tree


def of_nuclei(nuclei: Sequence[tuple[Binary, str]]) -> Binary:
    """Join the nuclei of one relation, branching to the right.

    Parameters
    ----------
    nuclei
        Nuclei, each with its relation. Each join uses the relation of the nucleus on the left.

    Raises
    ------
    ValueError
        They are not neighbours.
    """
    ordered = sorted(nuclei, key=lambda one: one[0].span)
    tree, _ = ordered[-1]
    for nucleus, relation in reversed(ordered[:-1]):
        tree = joined(nucleus, tree, "NN", relation)
    return tree


def counts_of_trees(a: Rhetoric, b: Rhetoric) -> dict[str, dict[str, list[int]]]:
    """Count equal constituents, and the constituents of each tree, by variant and level.

    Parameters
    ----------
    a, b
        Trees of the same text.

    >>> one, two = Binary.leaf((0, 2)), Binary.leaf((2, 5))
    >>> ns, nn = joined(one, two, "NS", "cause"), joined(one, two, "NN", "list")
    >>> a, b = (Rhetoric("", tuple(t.original), tuple(t.rst)) for t in (ns, nn))
    >>> counts_of_trees(a, b)["rst"]["nuclearity"]
    [1, 2, 2]
    """
    counts: dict[str, dict[str, list[int]]] = {}
    for variant in VARIANTS:
        sides = [getattr(tree, variant) or () for tree in (a, b)]
        counts[variant] = {}
        for level in LEVELS:
            first, second = ({_key(level, one) for one in side} for side in sides)
            counts[variant][level] = [len(first & second), len(first), len(second)]
    return counts


def _key(level: str, one: Constituent) -> tuple[Any, ...]:
    if level == "span":
        return (one.span,)
    if level == "nuclearity":
        return one.span, one.nuclearity
    if level == "relation":
        return one.span, one.relation
    return tuple(one)


def parseval(documents: Mapping[str, Mapping[str, Rhetoric]]) -> list[dict[str, Any]]:
    """Return Parseval of each pair of annotators, counts summed over documents.

    Parameters
    ----------
    documents
        Trees by document and annotator.

    Returns
    -------
    list
        Rows with `annotators` (the first is the reference), `variant`, `documents`, and for each
        level recall, precision, F₁ and `counts` (equal constituents, those of each). Documents that
        are not compared are counted in `other_text` and `no_tree`.
    """
    pairs: dict[tuple[str, str], dict[str, Any]] = {}
    for by_annotator in documents.values():
        for (one, a), (other, b) in combinations(by_annotator.items(), 2):
            sums = pairs.setdefault(
                (one, other), {"documents": 0, "other_text": 0, "no_tree": 0, "counts": None}
            )
            if a.fault or b.fault:
                sums["no_tree"] += 1
            elif a.text != b.text:
                sums["other_text"] += 1
            else:
                sums["documents"] += 1
                _add(sums, counts_of_trees(a, b))
    return [
        {
            "annotators": [*pair],
            "variant": variant,
            **{name: sums[name] for name in ("documents", "other_text", "no_tree")},
            **_levels(sums["counts"], variant),
        }
        for pair, sums in pairs.items()
        for variant in VARIANTS
    ]


def _add(sums: dict[str, Any], counts: dict[str, dict[str, list[int]]]) -> None:
    table = np.array([[counts[v][level] for level in LEVELS] for v in VARIANTS], np.float64)
    if sums["counts"] is None:
        sums["counts"] = table
    else:
        sums["counts"] += table


def _levels(table: Any, variant: str) -> dict[str, Any]:
    """Return the rates of each level; None if no document was compared."""
    if table is None:
        return dict.fromkeys(LEVELS)
    levels: dict[str, Any] = {}
    for level, row in zip(LEVELS, table[VARIANTS.index(variant)], strict=True):
        equal, first, second = row[:1], row[1:2], row[2:]
        recall = share(equal, first)
        precision = share(equal, second)
        levels[level] = {
            "recall": recall.item(),
            "precision": precision.item(),
            "f1": harmonic_mean(recall, precision).item(),
            "counts": row.astype(int).tolist(),
        }
    return levels
