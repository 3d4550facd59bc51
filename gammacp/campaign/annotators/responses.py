"""Who said what about which item, in columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gammacp.arrays import Floats, Indices

# Below this many items with three people each, whose weight is whose is a matter of luck.
ENOUGH_ITEMS = 30
# Codes of how close together the marks of an item lie.
LEVELS = 3


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
    closeness
        How close together the marks of each item lie, as a code from 0 below `LEVELS`, or −1 where
        fewer than two marked it; shape (items,). None where responses have no place.
    """

    item: Indices
    annotator: Indices
    label: Indices
    items: int
    annotators: tuple[str, ...]
    labels: tuple[str | None, ...]
    closeness: Indices | None = None

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
    def passed_over(self) -> tuple[Responses, Floats]:
        """An item for each set of annotators, to which all of them say the last label.

        The second value is how many items each set has, shape (sets,).
        """
        # A sum of random numbers stands for the set.
        keys = np.random.default_rng(0).random(len(self.annotators))
        sums = np.bincount(self.item, keys[self.annotator], minlength=self.items)
        _, first, seen = np.unique(sums.round(9), return_index=True, return_counts=True)
        place = np.full(self.items, -1)
        place[first] = np.arange(len(first))
        chosen = place[self.item] >= 0
        item, annotator = place[self.item[chosen]], self.annotator[chosen]
        label = np.full(len(item), len(self.labels) - 1)
        passed = Responses(item, annotator, label, len(first), self.annotators, self.labels)
        return passed, seen.astype(np.float64)

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
        return Overlap(people, len(self.labels), enough, tuple(map(tuple, parts.values())))


@dataclass(frozen=True)
class Overlap:
    """How far annotators can be told apart.

    Attributes
    ----------
    annotators
        How many there are.
    labels
        How many they can say, ∅ among them.
    items
        How many items have at least three responses: with two, nobody says who of them is right.
    parts
        Annotators who meet, directly or through others; more than one part is not one scale.
    """

    annotators: int
    labels: int
    items: int
    parts: tuple[tuple[str, ...], ...]

    @property
    def too_little(self) -> str | None:
        """Why annotators cannot be weighed, and what to do; None if they can."""
        if self.annotators < 3:
            return (
                f"{self.annotators} annotators cannot be weighed: where two differ, nothing shows "
                "who is right; have a third annotate some of the documents"
            )
        if self.items < ENOUGH_ITEMS:
            return (
                f"annotators cannot be weighed: three or more of them saw {self.items} items, "
                f"and {ENOUGH_ITEMS} are needed; have three annotate more documents"
            )
        if self.annotators == 3 and self.labels == 2:
            return (
                "three annotators cannot be weighed on one category: its seven counts would have "
                "to determine eight numbers; add a fourth annotator"
            )
        return None

    @property
    def caution(self) -> str | None:
        """What weights of people who never meet cannot say; None if all meet."""
        if len(self.parts) < 2:
            return None
        shown = "; ".join(", ".join(part[:3]) + " …" * (len(part) > 3) for part in self.parts[:3])
        return (
            f"annotators form {len(self.parts)} groups that share no document ({shown}"
            f"{'; …' if len(self.parts) > 3 else ''}), so weights can be compared only within a "
            "group; give some documents to annotators of several groups"
        )
