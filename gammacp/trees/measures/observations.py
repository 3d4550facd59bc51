"""Numeric arrays of the annotations of sentences, with sums over sentences and means of pairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Self

import numpy as np

from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.trees.measures.annotations import Sentence, Treebank


@dataclass(frozen=True, eq=False)
class Observations:
    """The annotations of a treebank's shared sentences as arrays.

    Attributes
    ----------
    sentences, item, annotator
        For each annotation the annotated sentence, and the numbers of the item and the annotator.
    first, second
        Numbers of the annotations in each pair; all pairs within a sentence occur once.
    """

    treebank: Treebank
    sentences: tuple[Sentence, ...]
    item: Indices
    annotator: Indices
    first: Indices
    second: Indices

    @classmethod
    def of(cls, treebank: Treebank) -> Self:
        """Return the annotations of all sentences that have at least two.

        Parameters
        ----------
        treebank
            Sentences with one annotation are left out.

        Raises
        ------
        DataError
            No sentence has two annotations.
        """
        treebank.require_shared()
        number = {name: a for a, name in enumerate(treebank.annotators)}
        rows = [
            (i, number[name], sentence)
            for i, item in enumerate(treebank.shared_items)
            for name, sentence in item.annotations.items()
        ]
        items, annotators, sentences = zip(*rows, strict=True)
        item = np.array(items, np.int64)
        starts = np.searchsorted(item, np.arange(len(treebank.shared_items) + 1)).tolist()
        within = [
            pair for start, end in pairwise(starts) for pair in combinations(range(start, end), 2)
        ]
        first, second = np.array(within, np.int64).T
        return cls(treebank, sentences, item, np.array(annotators, np.int64), first, second)

    @property
    def n_items(self) -> int:
        """Return the number of sentences with at least two annotations."""
        return len(self.treebank.shared_items)

    @cached_property
    def tokens(self) -> Indices:
        """Return the size of each annotation, in tokens or triples."""
        return np.array([s.n_tokens for s in self.sentences], np.int64)

    @cached_property
    def everything(self) -> Bools:
        """Return the mask that selects all annotations."""
        return np.ones(len(self.item), np.bool_)

    def by(self, annotators: Iterable[int]) -> Bools:
        """Return the mask of annotations by these annotators.

        Only sentences that at least two of them annotated are included.
        """
        chosen = np.isin(self.annotator, list(annotators))
        return chosen & (self.counts(chosen)[self.item] >= 2)

    def counts(self, chosen: Bools) -> Indices:
        """Count the chosen annotations of each sentence."""
        return np.bincount(self.item[chosen], minlength=self.n_items)

    def sums(self, values: Floats, chosen: Bools) -> Floats:
        """Sum values of the chosen annotations over each sentence: shape (items,)."""
        return np.bincount(self.item[chosen], values, self.n_items).astype(np.float64)

    def means_of_pairs(self, values: Floats, chosen: Bools) -> Floats:
        """Average values over the pairs of chosen annotations of each sentence.

        The mean of a sentence without such pairs is 0.

        Parameters
        ----------
        values
            Value of each pair, shape (…, pairs).
        chosen
            True for annotations that take part, shape (annotations,).
        """
        inside = chosen[self.first] & chosen[self.second]
        items = self.item[self.first[inside]]
        pairs = np.maximum(np.bincount(items, minlength=self.n_items), 1)
        sums = [np.bincount(items, row[inside], self.n_items) for row in values]
        return np.stack(sums) / pairs
