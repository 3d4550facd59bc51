"""Counts of documents put together: sums, and the value with and without each document."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.chance.beyond import ratios
from gammacp.measures.counting import Counts, Numbers, Pooling, Rates, share

# Largest count of numbers held in memory at a time, for the values without each document.
_AT_ONCE = 50_000
# Number of values that are made Python numbers at a time, to be summed exactly.
_SUMMED = 4096
# A difference from a sum below this share of the sum is rounding, and is taken as 0.
_ROUNDING = 1e-9


def with_common_labels(counts: Sequence[Counts], order: Sequence[str] = ()) -> list[Counts]:
    """Return the same counts with common labels, those of all documents.

    Parameters
    ----------
    counts
        Counts of documents.
    order
        Labels that come first, in this order, if they occur. Other labels of the documents follow.
    """
    every = dict.fromkeys(label for c in counts for label in c.labels)
    first = [label for label in order if label in every]
    labels = tuple(dict.fromkeys([*first, *every]))
    return [c.with_labels(labels) for c in counts]


@dataclass(frozen=True, eq=False)
class PooledCounts:
    """The counts of several documents by one measure.

    A document weighs as in γ of a corpus: it adds the mean of its pairs' numbers, multiplied by the
    weight of the document.

    Attributes
    ----------
    rows
        Weighted numbers by name, shape (rows, …).
    documents, parties
        Document and party of each row, as numbers from 0; shape (rows,). A party is a pair of
        annotators. If parties are not distinguished, there is one row per document.
    size
        Number of documents.
    sums
        Sums by party, shape (parties, …), for numbers whose sum is not that of the rows.
    """

    rows: Numbers
    documents: Indices
    parties: Indices
    size: int
    sums: Numbers = field(default_factory=dict)

    @classmethod
    def of(
        cls, counts: Sequence[Counts], weights: Sequence[float], pooling: Pooling
    ) -> PooledCounts:
        """Pool the counts of some documents.

        Parameters
        ----------
        counts
            Counts with the same labels.
        weights
            Weight of each document.
        pooling
            Field `pooling` of `Counting`.
        """
        names = [*counts[0].numbers]
        weighted = [w * c.weight for w, c in zip(weights, counts, strict=True)]
        if pooling in ("pairs", "all"):
            means = [c.mean() for c in counts]
            rows = {
                name: np.stack([w * m[name] for w, m in zip(weighted, means, strict=True)])
                for name in names
            }
            numbers = np.arange(len(counts))
            return cls(rows, numbers, np.zeros_like(numbers), len(counts))
        scaled = [w / len(c.parties) for w, c in zip(weighted, counts, strict=True)]
        rows = {
            name: np.concatenate([w * c.numbers[name] for w, c in zip(scaled, counts, strict=True)])
            for name in names
        }
        documents = np.repeat(np.arange(len(counts)), [len(c.parties) for c in counts])
        number: dict[tuple[str, ...], int] = {}
        people = [
            party if c.ordered else tuple(sorted(party)) for c in counts for party in c.parties
        ]
        parties = np.array([number.setdefault(party, len(number)) for party in people], np.int64)
        return cls(rows, documents, parties, len(counts))

    @property
    def total(self) -> Numbers:
        """Sums by party, shape (parties, …)."""
        size = int(self.parties.max(initial=-1)) + 1
        sums = {name: _sums(x, self.parties, size) for name, x in self.rows.items()}
        return {**sums, **self.sums}

    def blocks(self) -> list[Indices]:
        """Return the numbers of all rows, in blocks that fit into memory with their sums."""
        width = sum(int(np.prod(x.shape[1:])) for x in self.rows.values())
        step = max(1, _AT_ONCE // max(width, 1))
        return [
            np.arange(i, min(i + step, len(self.documents)))
            for i in range(0, len(self.documents), step)
        ]

    def without(self, rows: Indices, total: Numbers) -> Numbers:
        """Return, for each of these rows, the sums of its party without the row; shape (rows, …).

        Parameters
        ----------
        rows
            Numbers of the rows.
        total
            Sums by party, as `total` returns them.
        """
        remainder = {}
        for name, values in self.rows.items():
            sums = total[name][self.parties[rows]]
            rest = sums - values[rows]
            remainder[name] = np.where(np.abs(rest) <= _ROUNDING * np.abs(sums), 0.0, rest)
        return remainder


def _sums(values: Floats, parties: Indices, size: int) -> Floats:
    """Return sums by party.

    Sums of plain numbers are exact, so that they do not depend on the order of documents.
    """
    if values.ndim > 1:
        sums = np.zeros((size, *values.shape[1:]))
        np.add.at(sums, parties, values)
        return sums
    if size == 1:
        return np.array([exact_sum(values)])
    order = np.argsort(parties, kind="stable")
    cuts = np.searchsorted(parties[order], np.arange(1, size))
    return np.array([exact_sum(x) for x in np.split(values[order], cuts)])


def exact_sum(values: Floats) -> float:
    """Return the sum of an array without rounding errors, without a list of all its numbers."""
    parts = (values[i : i + _SUMMED].tolist() for i in range(0, len(values), _SUMMED))
    return math.fsum(chain.from_iterable(parts))


@dataclass(frozen=True)
class PooledRates:
    """The rates of all documents together, and what is needed for an interval.

    Attributes
    ----------
    rates
        Rates of shape ().
    without
        The value without each document, shape (documents,); NaN where it is undefined.
    sizes
        Number of units, items or links in each document, shape (documents,).
    """

    rates: Rates
    without: Floats
    sizes: Floats


def pooled_rates(
    pool: PooledCounts, formula: Callable[[Numbers], Rates], pooling: Pooling
) -> PooledRates:
    """Return the value of the sums over documents, with and without each document.

    Parameters
    ----------
    pool
        The counts.
    formula
        Function from numbers to rates: `Counting.rates` with its further arguments filled in.
    pooling
        Field `pooling` of `Counting`.
    """
    total = pool.total
    of_parties = formula(total)
    of_rows = (formula({name: x[rows] for name, x in pool.rows.items()}) for rows in pool.blocks())
    size_of_rows = np.concatenate([block_rates.size for block_rates in of_rows])
    sizes = np.bincount(pool.documents, size_of_rows, pool.size).astype(np.float64)
    if pooling in ("pairs", "all"):
        without = np.concatenate(
            [formula(pool.without(rows, total)).value for rows in pool.blocks()]
        )
        return PooledRates(_first(of_parties), without, sizes)
    rest = [formula(pool.without(rows, total)) for rows in pool.blocks()]
    columns = _weighted(of_parties)
    changes = np.concatenate([_weighted(r) for r in rest]) - columns[pool.parties]
    moved = np.tile(columns.sum(axis=0), (pool.size, 1))
    np.add.at(moved, pool.documents, changes)
    unknown = np.isnan(of_parties.value)
    rates = _combined(columns.sum(axis=0), of_parties, pooling)
    if pooling == "values" and unknown.any():
        rates = replace(rates, value=np.full((), np.nan))
    return PooledRates(rates, _combined(moved, of_parties, pooling).value, sizes)


def _first(rates: Rates) -> Rates:
    """Return the rates of the only party, of shape ()."""
    columns: dict[str, Any] = {
        name: None if x is None else x[0] for name, x in vars(rates).items() if name != "most"
    }
    return Rates(**columns, most=rates.most)


def _weighted(rates: Rates) -> Floats:
    """Return the size, and the value, D_o and D_e multiplied by it; shape (parties, 4).

    Entries are 0 for parties without size or value.
    """
    if rates.expected is None:
        expected = np.ones_like(rates.disagreement)
    else:
        expected = rates.expected
    size = np.asarray(rates.size, np.float64)
    columns = [np.ones_like(size), rates.value, rates.disagreement, expected]
    return np.stack([np.where(size > 0, np.nan_to_num(x) * size, 0.0) for x in columns], axis=-1)


def _combined(sums: Floats, rates: Rates, pooling: Pooling) -> Rates:
    """Return rates from sums over parties: the mean value, or 1 − the ratio of mean D_o and D_e."""
    size, value, observed, chance = np.moveaxis(sums, -1, 0)
    observed = share(observed, size)
    chance = share(chance, size)
    if pooling == "values":
        agreement = share(value, size)
    else:
        agreement = ratios(observed, chance)
    return Rates(
        value=agreement, disagreement=observed, size=size, expected=chance, most=rates.most
    )
