"""Who said what about which item, in columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gammacp.arrays import Floats, Indices

# Below this many items with three people each, whose weight is whose is a matter of luck.
ENOUGH_ITEMS = 30


@dataclass(frozen=True, eq=False)
class Responses:
    """The columns of all responses, shape (responses,) each.

    Attributes
    ----------
    item, annotator, label
        Codes from 0.
    items
        Number of items, ≥ every code of `item`.
    annotators, labels
        Their names; the label None is "unlabelled".
    """

    item: Indices
    annotator: Indices
    label: Indices
    items: int
    annotators: tuple[str, ...]
    labels: tuple[str | None, ...]

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, str | None]]) -> Responses:
        """Responses from (item, annotator, label); codes in the order of first appearance."""
        codes: tuple[dict[str | None, int], ...] = ({}, {}, {})
        coded = [
            [code.setdefault(name, len(code)) for name, code in zip(row, codes, strict=True)]
            for row in rows
        ]
        item, annotator, label = np.array(coded, np.int64).reshape(-1, 3).T
        names = tuple(str(name) for name in codes[1])
        return cls(item, annotator, label, len(codes[0]), names, tuple(codes[2]))

    @property
    def per_item(self) -> Indices:
        """Number of responses to each item, shape (items,)."""
        return np.bincount(self.item, minlength=self.items)

    def vote_shares(self) -> Floats:
        """Share of responses per label, shape (items, labels); zeros without responses."""
        k = len(self.labels)
        counts = np.bincount(self.item * k + self.label, minlength=self.items * k)
        shape = counts.reshape(self.items, k)
        return np.asarray(shape / np.maximum(shape.sum(axis=1, keepdims=True), 1))

    @cached_property
    def overlap(self) -> Overlap:
        """Who meets whom."""
        people = len(self.annotators)
        n = people + self.items  # vertices: annotators, and items after them
        edges = (np.ones(len(self.item)), (self.annotator, self.item + people))
        _, of_each = connected_components(coo_array(edges, shape=(n, n)), directed=False)
        parts: dict[int, list[str]] = {}
        for name, part in zip(self.annotators, of_each[:people].tolist(), strict=True):
            parts.setdefault(part, []).append(name)
        enough = int((self.per_item >= 3).sum())
        return Overlap(people, enough, tuple(map(tuple, parts.values())))


@dataclass(frozen=True)
class Overlap:
    """How far annotators can be told apart.

    Attributes
    ----------
    annotators
        How many there are.
    items
        How many items have at least three responses: with two, nobody says who of them is right.
    parts
        Annotators who meet, directly or through others; more than one part is not one scale.
    """

    annotators: int
    items: int
    parts: tuple[tuple[str, ...], ...]

    @property
    def too_little(self) -> str | None:
        """Why weights cannot be told, and what to do; None if they can."""
        if self.annotators < 3:
            return (
                f"weights of {self.annotators} annotators cannot be told: where two differ, nobody "
                "says who is right; a third one would, on some of the documents"
            )
        if self.items < ENOUGH_ITEMS:
            return (
                f"weights cannot be told from {self.items} items that three or more annotators "
                f"saw; have {ENOUGH_ITEMS} of them, in more documents that three annotate"
            )
        return None

    @property
    def caution(self) -> str | None:
        """What weights of people who never meet cannot say; None if all meet."""
        if len(self.parts) < 2:
            return None
        shown = "; ".join(", ".join(part[:3]) + " …" * (len(part) > 3) for part in self.parts[:3])
        return (
            f"annotators fall into {len(self.parts)} parts that never meet ({shown}"
            f"{'; …' if len(self.parts) > 3 else ''}): weights compare within a part only; give "
            "some documents to annotators of several parts"
        )
