"""Collect annotations beyond units and links while files are read, for tables of a field.

Readers pass on what they parse with `collect`. A caller that needs it reads files within
`collecting`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

# Parsed structures by kind, document and annotator.
Collected: TypeAlias = dict[str, dict[str, dict[str, Any]]]
_INTO: ContextVar[Collected | None] = ContextVar("collected", default=None)


@contextmanager
def collecting() -> Iterator[Collected]:
    """Yield a dictionary that collects what readers pass on in this block."""
    collected: Collected = {}
    token = _INTO.set(collected)
    try:
        yield collected
    finally:
        _INTO.reset(token)


def collect(kind: str, document: str, annotator: str, parsed: Any) -> None:
    """Pass on a parsed structure, if a caller collects it.

    Parameters
    ----------
    kind
        Kind of structure: "rhetoric" or "coreference".
    document, annotator
        Document and annotator that the structure belongs to.
    parsed
        The parsed tree or mentions.
    """
    into = _INTO.get()
    if into is not None:
        # A file may be read twice, with the same content.
        into.setdefault(kind, {}).setdefault(document, {})[annotator] = parsed


def of_annotators(
    documents: Mapping[str, Mapping[str, Any]], people: Sequence[str], renamed: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """Return documents by name, with only the selected annotators, under their new names.

    Parameters
    ----------
    documents
        Collected structures of one kind, by document and annotator.
    people
        Selected annotators, by their new names.
    renamed
        Old names of annotators, as in the files, to new ones.
    """
    trees_by_document: dict[str, dict[str, Any]] = {}
    for name, by_annotator in documents.items():
        tree_by_annotator = {renamed.get(who, who): parsed for who, parsed in by_annotator.items()}
        chosen_trees = {who: tree_by_annotator[who] for who in people if who in tree_by_annotator}
        if chosen_trees:
            trees_by_document[name] = chosen_trees
    return trees_by_document
