"""A semantic graph as the triples that Smatch compares (Cai & Knight 2013, §2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

# Node, role and value of an instance or attribute; node, role and node of a relation.
Property: TypeAlias = tuple[int, str, str]
Relation: TypeAlias = tuple[int, str, int]


@dataclass(frozen=True)
class Graph:
    """Nodes with what is said of each, and relations between them.

    A graph is a conjunction: a triple that is written twice is one.

    Attributes
    ----------
    variables
        Names of the nodes, the top first; the triples have their places in here.
    properties
        Instances (role "instance", the concept as value), attributes, and (0, "top", "top").
    relations
        Triples between nodes, of inverted roles (`ARG0-of`) the other way round.
    forms
        Words of the sentence (`# ::tok` or `# ::snt`); empty if unknown.
    file, line, name
        Where the graph stands, and its `# ::id`.
    missing
        Why it does not count, although it has its place among the others; mostly empty.

    >>> boy = Graph(("b",), frozenset({(0, "instance", "boy"), (0, "top", "top")}), frozenset())
    >>> boy.n_triples
    2
    """

    variables: tuple[str, ...]
    properties: frozenset[Property]
    relations: frozenset[Relation]
    forms: tuple[str, ...] = ()
    file: str = ""
    line: int | None = None
    name: str | None = None
    missing: str = ""

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.variables)

    @property
    def n_triples(self) -> int:
        """Number of triples, the size of a graph."""
        return len(self.properties) + len(self.relations)

    @property
    def n_tokens(self) -> int:
        """The size as other annotations of sentences name it."""
        return self.n_triples
