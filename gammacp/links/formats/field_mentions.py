"""Mentions as CorefUD's scorer sees them: sets of words and empty nodes, each with a head.

They are parsed separately, because mentions on empty nodes do not become units.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gammacp.errors import DataError
from gammacp.links.measures.corefud import CorefDocument, Mention, Node

_PART = re.compile(r"(.*)\[(\d+)/(\d+)\]")


@dataclass
class _Opened:
    """A mention, or a part of one, whose end has not been read."""

    first: int
    head: str
    line: int


@dataclass
class FieldMentions:
    """The mentions of a document while it is read.

    Attributes
    ----------
    nodes
        Words and empty nodes read so far, each with its enhanced dependencies.
    sentence
        Number of the current sentence.
    """

    nodes: list[tuple[Node, str]] = field(default_factory=list)
    sentence: int = 0
    lengths: dict[int, int] = field(default_factory=dict)
    chains: dict[str, list[Mention]] = field(default_factory=dict)
    open_mentions: dict[str, list[_Opened]] = field(default_factory=dict)
    parts: dict[str, list[tuple[_Opened, list[int]]]] = field(default_factory=dict)

    def add_node(self, number: str, dependencies: str) -> None:
        """Add a word or an empty node.

        Parameters
        ----------
        number
            ID of the node.
        dependencies
            Content of the column DEPS.
        """
        word, _, empty = number.partition(".")
        self.nodes.append(((self.sentence, int(word), int(empty or 0)), dependencies))
        if not empty:
            self.lengths[self.sentence] = self.lengths.get(self.sentence, 0) + 1

    def mark(self, entity: str, line: int, head: str, *, begins: bool, ends: bool) -> None:
        """Start or end a mention at the last node; an end without a start is ignored.

        Parameters
        ----------
        entity
            Name of the entity, with `[1/2]` for a part of a mention.
        line
            Line of the mention.
        head
            Number of the head word within the mention, from 1; "" for the first.
        begins, ends
            Whether the mention starts here, and whether it ends here.

        Raises
        ------
        DataError
            The head is not the number of a word of the mention.
        """
        part = _PART.fullmatch(entity)
        name, number, total = (part[1], int(part[2]), int(part[3])) if part else (entity, 1, 1)
        if begins:
            if head and not head.isdecimal():
                raise DataError(
                    f"head {head!r} of a mention of {name} is not a number",
                    line=line,
                    hint="It counts the words of the mention from 1",
                )
            first = len(self.nodes) - 1
            self.open_mentions.setdefault(name, []).append(_Opened(first, head, line))
        if not ends or not self.open_mentions.get(name):
            return
        beginning = self.open_mentions[name].pop()
        places = list(range(beginning.first, len(self.nodes)))
        if number > 1 and self.parts.get(name):
            beginning, before = self.parts[name].pop()
            places = [*before, *places]
        if number < total:
            self.parts.setdefault(name, []).append((beginning, places))
            return
        self.chains.setdefault(name, []).append(self._mention(name, places, beginning))

    def _mention(self, name: str, places: list[int], beginning: _Opened) -> Mention:
        at = int(beginning.head or 1)
        if not 1 <= at <= len(places):
            raise DataError(
                f"head {at} is outside the mention of {name}, which has {len(places)} words",
                line=beginning.line,
                hint="The head counts the words and empty nodes of the mention from 1",
            )
        words = tuple(self.nodes[place][0] for place in places)
        head, cell = self.nodes[places[at - 1]]
        return Mention(words, head, frozenset(_edges(cell, head[0])) if head[2] else frozenset())

    def document(self, *, headed: bool) -> CorefDocument:
        """Return the mentions of the document, by entity.

        Parameters
        ----------
        headed
            Whether the file says which words are heads.
        """
        return CorefDocument(
            tuple(self.lengths.values()),
            tuple(sorted(tuple(sorted(chain)) for chain in self.chains.values())),
            headed,
        )


def _edges(cell: str, sentence: int) -> list[tuple[Node, str]]:
    """Return the parents and relations in a column DEPS."""
    edges = []
    for edge in cell.split("|"):
        parent, colon, relation = edge.partition(":")
        word, _, empty = parent.partition(".")
        if colon and word.isdecimal() and (not empty or empty.isdecimal()):
            edges.append(((sentence, int(word), int(empty or 0)), relation))
    return edges
