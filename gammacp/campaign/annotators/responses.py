"""Responses of annotators to items, as arrays with an entry per response."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gammacp.base.arrays import Codes, Floats, Indices

# Least number of items with three annotators each; with fewer, weights are a matter of luck.
ENOUGH_ITEMS = 30
# Number of levels of closeness of the marks of an item.
LEVELS = 3
# Responses that are processed at once.
_AT_ONCE = 1_000_000


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
        Distance between the marks of each item, as a code from 0 below `LEVELS`, or −1 where fewer
        than two marked it; shape (items,). None where responses have no place.
    """

    item: Codes | Indices
    annotator: Codes | Indices
    label: Codes | Indices
    items: int
    annotators: tuple[str, ...]
    labels: tuple[str | None, ...]
    closeness: Codes | Indices | None = None

    @property
    def per_item(self) -> Indices:
        """Number of responses to each item, shape (items,)."""
        return np.bincount(self.item, minlength=self.items)

    @property
    def per_annotator(self) -> Indices:
        """Number of responses of each annotator, shape (annotators,)."""
        sets, times = self.passed_over
        counts = np.bincount(sets.annotator, times[sets.item], len(self.annotators))
        return counts.astype(np.int64)

    @property
    def codes(self) -> Indices:
        """Return a code of annotator and label for each response, shape (responses,)."""
        return np.asarray(self.annotator.astype(np.int64) * len(self.labels) + self.label)

    def vote_shares(self) -> Floats:
        """Share of responses per label, shape (items, labels); zeros without responses."""
        k = len(self.labels)
        cells = self.item.astype(np.int64) * k + self.label
        counts = np.bincount(cells, minlength=self.items * k)
        shape = counts.reshape(self.items, k)
        return np.asarray(shape / np.maximum(shape.sum(axis=1, keepdims=True), 1))

    @cached_property
    def passed_over(self) -> tuple[Responses, Floats]:
        """Return one item per distinct set of annotators, at which all gave the last label.

        The second value is the number of items of each set, shape (sets,).
        """
        first, _, times = self._alike(self.annotator)
        last_label = np.full_like(self.label, len(self.labels) - 1)
        return replace(self, label=last_label, closeness=None).of_items(first), times

    @cached_property
    def distinct(self) -> tuple[Responses, Codes, Floats]:
        """Return one item for all items with the same responses and closeness.

        The second value maps items to these, shape (items,); the third counts each.
        """
        if self.closeness is None:
            levels = None
        else:
            levels = self.closeness + 1
        first, place, times = self._alike(self.codes, levels)
        return self.of_items(first), place, times

    def of_items(self, items: Indices) -> Responses:
        """Return the responses to these items, which are renumbered in this order.

        Parameters
        ----------
        items
            Each once.
        """
        place = np.full(self.items, -1)
        place[items] = np.arange(len(items))
        chosen = place[self.item] >= 0
        return replace(
            self,
            item=place[self.item[chosen]],
            annotator=self.annotator[chosen],
            label=self.label[chosen],
            items=len(items),
            closeness=None if self.closeness is None else self.closeness[items],
        )

    def _alike(
        self, codes: Codes | Indices, levels: Codes | Indices | None = None
    ) -> tuple[Indices, Codes, Floats]:
        """Group items with the same codes: return first item, group of each item, and sizes.

        A set of codes is hashed as the sum of random 64-bit numbers, one per code.
        """
        rng = np.random.default_rng(0)
        most = max(int(codes.max(initial=0)) + 1, LEVELS + 1)
        keys, further = rng.integers(0, 1 << 64, (2, most), np.uint64)
        if levels is None:
            sums = np.zeros(self.items, np.uint64)
        else:
            sums = further[levels]
        for i in range(0, len(codes), _AT_ONCE):
            np.add.at(sums, self.item[i : i + _AT_ONCE], keys[codes[i : i + _AT_ONCE]])
        _, first, place, times = np.unique(
            sums, return_index=True, return_inverse=True, return_counts=True
        )
        return first, place.astype(np.int32), times.astype(np.float64)

    @cached_property
    def overlap(self) -> Overlap:
        """Return which annotators share items, directly or through others."""
        people, (sets, times) = len(self.annotators), self.passed_over
        # Vertices of the graph are the annotators, followed by the sets of annotators.
        n = people + sets.items
        edges = (np.ones(len(sets.item)), (sets.annotator, sets.item + people))
        _, part_of_vertex = connected_components(coo_array(edges, shape=(n, n)), directed=False)
        parts: dict[int, list[str]] = {}
        for name, part in zip(self.annotators, part_of_vertex[:people].tolist(), strict=True):
            parts.setdefault(part, []).append(name)
        enough = int(times[sets.per_item >= 3].sum())
        return Overlap(people, len(self.labels), enough, tuple(map(tuple, parts.values())))


@dataclass(frozen=True)
class Overlap:
    """Overlap of annotators, which decides how far they can be told apart.

    Attributes
    ----------
    annotators
        Number of annotators.
    labels
        Number of labels that they can give, ∅ among them.
    items
        Number of items with at least three responses: with two, nobody says who of them is right.
    parts
        Annotators who meet, directly or through others; more than one part is not one scale.
    """

    annotators: int
    labels: int
    items: int
    parts: tuple[tuple[str, ...], ...]

    @property
    def too_little(self) -> str | None:
        """Return why annotators cannot be weighed, and what to do; None if they can."""
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
        """Return what weights of people who never meet cannot say; None if all meet."""
        if len(self.parts) < 2:
            return None
        shown = "; ".join(", ".join(part[:3]) + " …" * (len(part) > 3) for part in self.parts[:3])
        return (
            f"annotators form {len(self.parts)} groups that share no document ({shown}"
            f"{'; …' if len(self.parts) > 3 else ''}), so weights can be compared only within a "
            "group; give some documents to annotators of several groups"
        )
