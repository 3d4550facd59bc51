"""Hold the responses of annotators to items, as arrays with an entry for each response."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gammacp.base.arrays import Codes, Floats, Indices

# Least number of items with three annotators each; with fewer, weights are a matter of luck.
ENOUGH_ITEMS = 30
# Number of levels of closeness between the units of an item.
LEVELS = 3
# Number of responses that are processed at once.
_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class Responses:
    """Columns of all responses.

    Attributes
    ----------
    item, annotator, label
        Codes, from 0, of the item, the annotator and the label of each response, shape
        (responses,).
    items
        Number of items, larger than any code in `item`.
    annotators, labels
        Names of annotators and labels; the label None is "unlabelled".
    closeness
        Level of closeness between the units of each item, from 0 (closest) to `LEVELS` − 1, or −1
        for items with fewer than two units, shape (items,). None if responses have no positions.
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
        # Counted by set of annotators who respond to the same item, because there are few sets.
        sets, times = self.passed_over
        counts = np.bincount(sets.annotator, times[sets.item], len(self.annotators))
        return counts.astype(np.int64)

    @property
    def codes(self) -> Indices:
        """Joint code of annotator and label of each response, shape (responses,)."""
        return np.asarray(self.annotator.astype(np.int64) * len(self.labels) + self.label)

    def vote_shares(self) -> Floats:
        """Return the share of responses with each label, shape (items, labels).

        The shares of an item without responses are 0.
        """
        k = len(self.labels)
        cells = self.item.astype(np.int64) * k + self.label
        counts = np.bincount(cells, minlength=self.items * k)
        shape = counts.reshape(self.items, k)
        return np.asarray(shape / np.maximum(shape.sum(axis=1, keepdims=True), 1))

    @cached_property
    def passed_over(self) -> tuple[Responses, Floats]:
        """Hypothetical items that all annotators passed over, one for each set of annotators.

        The first value has an item for each distinct set of annotators who respond to the same
        item; all give the last label, ∅. The second value is the number of real items of each set,
        shape (sets,).
        """
        first, _, times = self._alike(self.annotator)
        last_label = np.full_like(self.label, len(self.labels) - 1)
        return replace(self, label=last_label, closeness=None).of_items(first), times

    @cached_property
    def distinct(self) -> tuple[Responses, Codes, Floats]:
        """Distinct items, one for all items with the same responses and closeness.

        The second value is the place of each item among the distinct ones, shape (items,); the
        third is the number of items that each distinct one stands for.
        """
        if self.closeness is None:
            levels = None
        else:
            levels = self.closeness + 1
        first, place, times = self._alike(self.codes, levels)
        return self.of_items(first), place, times

    def of_items(self, items: Indices) -> Responses:
        """Return the responses to some items, renumbered in the given order.

        Parameters
        ----------
        items
            Codes of the items, without repetition.
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
        """Group items with the same codes and levels.

        The set of codes of an item is hashed as a sum of random 64-bit numbers, one for each code.

        Returns
        -------
        first, group, sizes
            First item of each group, group of each item, and number of items in each group.
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
        """Overlap of annotators: who shares items with whom, directly or through others."""
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
    """Overlap of annotators, which decides whether their weights can be estimated.

    Attributes
    ----------
    annotators
        Number of annotators.
    labels
        Number of labels, including ∅.
    items
        Number of items with at least three responses; with only two, nothing shows who is right.
    parts
        Groups of annotators who share items, directly or through others. Weights of annotators in
        different groups cannot be compared.
    """

    annotators: int
    labels: int
    items: int
    parts: tuple[tuple[str, ...], ...]

    @property
    def too_little(self) -> str | None:
        """Reason why annotators cannot be weighed, and what to do about it; None if they can."""
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
        """Caution that weights cannot be compared between groups; None for a single group."""
        if len(self.parts) < 2:
            return None
        shown = "; ".join(", ".join(part[:3]) + " …" * (len(part) > 3) for part in self.parts[:3])
        return (
            f"annotators form {len(self.parts)} groups that share no document ({shown}"
            f"{'; …' if len(self.parts) > 3 else ''}), so weights can be compared only within a "
            "group; give some documents to annotators of several groups"
        )
