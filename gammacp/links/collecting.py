"""Annotations that tables of a field need beside units and links, collected while files are read.

A reader hands over what it parsed (`collect`), whoever wants it reads within `collecting`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

# Documents by kind and name, each with the results of the readers by annotator.
Collected: TypeAlias = dict[str, dict[str, dict[str, Any]]]
_INTO: ContextVar[Collected | None] = ContextVar("collected", default=None)


@contextmanager
def collecting() -> Iterator[Collected]:
    """Collect what readers hand over in this block."""
    collected: Collected = {}
    token = _INTO.set(collected)
    try:
        yield collected
    finally:
        _INTO.reset(token)


def collect(kind: str, document: str, annotator: str, parsed: Any) -> None:
    """Hand over what was parsed, if somebody collects it.

    Parameters
    ----------
    kind
        Kind of structures: "rhetoric" or "coreference".
    document, annotator
        Document and annotator that they belong to.
    parsed
        The tree, or the mentions.
    """
    into = _INTO.get()
    if into is not None:
        # A file that is read twice has the same content.
        into.setdefault(kind, {}).setdefault(document, {})[annotator] = parsed


def of_annotators(
    documents: Mapping[str, Mapping[str, Any]], people: Sequence[str], renamed: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """Return documents by name with the annotators who count, under their new names.

    Parameters
    ----------
    documents
        Structures as collected, of one kind.
    people
        Annotators who count.
    renamed
        Names in the files with those that count.
    """
    found: dict[str, dict[str, Any]] = {}
    for name, by_annotator in documents.items():
        own = {renamed.get(who, who): parsed for who, parsed in by_annotator.items()}
        there = {who: own[who] for who in people if who in own}
        if there:
            found[name] = there
    return found
