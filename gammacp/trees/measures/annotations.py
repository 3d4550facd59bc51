"""Annotations of sentences by one annotator, and a treebank of several annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar, TypeAlias, TypeVar

from gammacp.errors import DataError, UsageError
from gammacp.trees.measures.tree import Nested, Tree, dependency_tree, nested_tree

# Label, first and last leaf, counted from 1.
Bracketing: TypeAlias = tuple[str, int, int]
# Head, relation and dependent of an enhanced dependency.
Edge: TypeAlias = tuple[str, str, str]
# Node, role and value of an instance or attribute; node, role and node of a relation.
Property: TypeAlias = tuple[int, str, str]
Relation: TypeAlias = tuple[int, str, int]


@dataclass(frozen=True)
class Dependencies:
    """A sentence with a head and a relation for each token.

    Attributes
    ----------
    heads
        Head of each token, counted from 1; 0 for the artificial root.
    relations
        Relation label of each token.
    forms
        Word forms; empty if unknown.
    lines
        Line of each token in `file`; empty if the sentence comes from elsewhere.
    name
        The sentence's own name (`# sent_id`), if it has one.
    lemmas, upos, xpos, features
        Columns of each token, "_" where it has none; empty if unknown.
    multiword
        Tokens of the text that are split into several syntactic words: first word, last word and
        form.
    enhanced
        Edges of the enhanced graph, if there is one: head, relation, dependent; ids as in the file,
        "0" the root, "8.1" an empty node.
    missing
        Reason why the sentence does not count, although it has its place among the others: it is
        not annotated, or not sound; empty for all others.
    """

    heads: tuple[int, ...]
    relations: tuple[str, ...]
    forms: tuple[str, ...] = ()
    file: str = ""
    lines: tuple[int, ...] = ()
    name: str | None = None
    lemmas: tuple[str, ...] = ()
    upos: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    multiword: tuple[tuple[int, int, str], ...] = ()
    enhanced: tuple[Edge, ...] = ()
    missing: str = ""
    xpos: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check that there is a token, and one relation, form and line for each.

        Raises
        ------
        DataError
            There is no token, or the numbers of entries differ.
        """
        if not self.heads:
            raise error_in(self, "a sentence has no token")
        for what in ("relations", "forms", "lines"):
            values = getattr(self, what)
            n = len(self.heads)
            if len(values) != n and (values or what == "relations"):
                raise error_in(self, f"{len(values)} {what} for {n} heads in a sentence")

    @cached_property
    def tree(self) -> Tree:
        """Return the tree that is compared."""
        return dependency_tree(self.heads, self.relations)

    @property
    def n_tokens(self) -> int:
        """Return the number of tokens."""
        return len(self.heads)

    @property
    def line(self) -> int | None:
        """Return the first line of the sentence."""
        if self.lines:
            return self.lines[0]
        return None


@dataclass(frozen=True)
class Phrase:
    """A phrase structure tree, without the words of the sentence.

    Attributes
    ----------
    nested
        (label, children) from the root down, without words.
    forms
        The words; empty if the tree came without.
    size
        Unit of |x|: "leaves" (Skjærholt 2014) or "nodes".
    missing
        Reason as for dependencies.
    """

    nested: Nested
    forms: tuple[str, ...] = ()
    file: str = ""
    line: int | None = None
    name: str | None = None
    size: str = "leaves"
    missing: str = ""

    @cached_property
    def tree(self) -> Tree:
        """Return the tree that is compared."""
        return nested_tree(self.nested, size=self.size)

    @cached_property
    def n_tokens(self) -> int:
        """Return the number of leaves."""
        return self.tree.n_leaves

    @cached_property
    def bracketings(self) -> frozenset[Bracketing]:
        """Return (label, first leaf, last leaf) of every node, leaves included."""
        tree = self.tree
        number: list[int] = []  # of each node's leftmost leaf
        last: list[int] = []
        leaves = 0
        for i, first in enumerate(tree.leftmost):
            leaves += first == i
            number.append(leaves if first == i else number[first])
            last.append(leaves)
        return frozenset(zip(tree.labels, number, last, strict=True))


@dataclass(frozen=True)
class MeaningGraph:
    """A semantic graph: nodes with properties, and relations between nodes.

    A graph is a set of triples: duplicates count once.

    Attributes
    ----------
    variables
        Names of the nodes, the top first; triples refer to nodes by their index.
    properties
        Instances (role "instance", the concept as value), attributes, and (0, "top", "top").
    relations
        Triples between nodes; inverted roles (`ARG0-of`) are turned round.
    forms
        Words of the sentence (`# ::tok` or `# ::snt`); empty if unknown.
    file, line, name
        Place of the graph, and its `# ::id`.
    missing
        Reason why it does not count, although it has its place among the others; mostly empty.

    >>> said = frozenset({(0, "instance", "boy"), (0, "top", "top")})
    >>> boy = MeaningGraph(("b",), said, frozenset())
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
        """Return the number of nodes."""
        return len(self.variables)

    @property
    def n_triples(self) -> int:
        """Return the number of triples, the size of a graph."""
        return len(self.properties) + len(self.relations)

    @property
    def n_tokens(self) -> int:
        """Return the size, under the name that other kinds of annotations use."""
        return self.n_triples


Sentence: TypeAlias = Dependencies | Phrase | MeaningGraph
Kind = TypeVar("Kind", Dependencies, Phrase, MeaningGraph)


def error_in(sentence: Sentence, message: str, *, hint: str | None = None) -> DataError:
    """Return a DataError with the file and the line of a sentence.

    Parameters
    ----------
    sentence
        Sentence that it is about.
    message, hint
        Description of the mistake, and advice about it.
    """
    return DataError(message, file=sentence.file or None, line=sentence.line, hint=hint)


@dataclass(frozen=True)
class Item:
    """A sentence of the text with the annotations of all annotators."""

    document: str
    name: str
    annotations: Mapping[str, Sentence]

    @property
    def n_tokens(self) -> int:
        """Return the number of tokens in the first annotator's version."""
        return next(iter(self.annotations.values())).n_tokens

    def pairs(self, kind: type[Kind]) -> list[tuple[Kind, Kind]]:
        """Return all pairs of annotations of a kind.

        Parameters
        ----------
        kind
            `Dependencies`, `Phrase` or `MeaningGraph`.
        """
        return list(combinations([s for s in self.annotations.values() if isinstance(s, kind)], 2))

    @property
    def same_length(self) -> bool:
        """Return whether all annotators have the same number of tokens."""
        return len({s.n_tokens for s in self.annotations.values()}) == 1


@dataclass(frozen=True)
class Treebank:
    """Sentences annotated by several people.

    Attributes
    ----------
    annotators
        Names of the annotators, in the order of the files.
    items
        The sentences; an annotator may be missing from some.
    kind
        "dependency", "phrase", "graph", or "enhanced", which are dependencies, too.
    selection
        Ways of reading other than the default, as entries of a signature (`pairing=id`).
    """

    applies_to: ClassVar[str] = "trees"

    annotators: tuple[str, ...]
    items: tuple[Item, ...]
    kind: str
    selection: tuple[str, ...] = ()

    def require_shared(self) -> None:
        """Raise DataError if no sentence has two annotations."""
        if not self.shared_items:
            raise DataError("no sentence has two annotations", hint="Agreement needs two.")

    @property
    def of_graphs(self) -> bool:
        """Return whether graphs are compared, not trees."""
        return self.kind in ("graph", "enhanced")

    @cached_property
    def shared_items(self) -> tuple[Item, ...]:
        """Return the sentences with at least two annotations, which agreement is computed on."""
        return tuple(item for item in self.items if len(item.annotations) >= 2)

    @staticmethod
    def from_annotations(annotations: Mapping[str, Sequence[Sentence | None]]) -> Treebank:
        """Return a treebank of one document from each annotator's sentences, None where missing.

        Parameters
        ----------
        annotations
            Sentences by annotator, equally many for each; sentences at the same index are
            annotations of one sentence.

        Raises
        ------
        UsageError
            Annotators have unequal numbers of sentences, or trees of different kinds.

        >>> one = Dependencies((2, 0), ("subj", "root"))
        >>> Treebank.from_annotations({"Ann": [one], "Ben": [one]}).items[0].n_tokens
        2
        """
        lengths = {len(sentences) for sentences in annotations.values()}
        if len(lengths) != 1:
            raise UsageError("annotators need equally many sentences (None where one is missing)")
        all_sentences = [
            s for sentences in annotations.values() for s in sentences if s is not None
        ]
        if len({type(s) for s in all_sentences}) > 1:
            raise UsageError(
                "a treebank has dependencies, phrase structure or graphs, of one kind only"
            )
        items = []
        for k in range(lengths.pop()):
            row = {name: s[k] for name, s in annotations.items()}
            sentence_by_name = {name: s for name, s in row.items() if s is not None}
            if sentence_by_name:
                items.append(Item("", str(k + 1), sentence_by_name))
        kinds = {Phrase: "phrase", MeaningGraph: "graph"}
        if all_sentences:
            kind = kinds.get(type(all_sentences[0]), "dependency")
        else:
            kind = "dependency"
        return Treebank(tuple(annotations), tuple(items), kind)
