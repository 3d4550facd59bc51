"""Tests of counts: whether one person differs from the others more than chance and luck give.

Two things have to be shown. *Chance*: independent annotators with the same habits (the random sets)
would not give as much. *Luck*: if all annotators were alike, one of them would not have so large a
share. The p of a count is the larger of both.

Chance of `split`, `merged`, `missing` and `level` is the count of clear cases in random sets:
independent annotators seldom join what others cut so that the ends fit, and seldom agree closely on
a unit that a third one lacks. The other kinds are as frequent among independent annotators, so
there it has to be shown that annotators agree at all. Luck is a permutation of the annotators
within each document where there are `FEWEST_DOCUMENTS`, otherwise a binomial test of the share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betainc, gammainc

from gammacp.base.arrays import Floats, Indices
from gammacp.kinds.by_chance import ByChance
from gammacp.kinds.charging import SlotSums, sums_over
from gammacp.kinds.forms import KIND_CODE, KINDS

FEWEST_DOCUMENTS = 5
_PERMUTATIONS = 1999
# Documents that are permuted each by itself; of more, some are permuted together.
_BLOCKS = 500
# Sums of permuted counts that are held at once.
_AT_ONCE = 2_000_000
_COUNTED = tuple(KIND_CODE[kind] for kind in ("split", "merged", "missing", "level"))
# Of the test of agreement, which stands for all kinds that are not counted.
_STRICTER = 5
_NEVER = KIND_CODE["unmatched"]
# Of two annotators, one who cuts and one who joins are the same difference.
_MUTUAL = tuple(KIND_CODE[kind] for kind in ("position", "category", "split"))


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts of the observed differences.

    Attributes
    ----------
    sums, clear
        Sums by annotator of a document, and kind: of all differences, and of clear ones.
    size
        Number of people.
    charging
        Whether annotators are charged, or everything is counted on both sides.
    """

    sums: SlotSums
    clear: SlotSums
    size: int
    charging: bool

    @cached_property
    def totals(self) -> Floats:
        """Counts over all documents, shape (people, kinds)."""
        return self.sums.by_person(self.size)

    @cached_property
    def sizes(self) -> Indices:
        """Return the number of annotators of each document."""
        return np.bincount(self.sums.document)

    @cached_property
    def by_document(self) -> Floats:
        """Counts of each document, shape (documents, kinds)."""
        return sums_over(self.sums.document, self.sums.values, len(self.sizes))

    @cached_property
    def even(self) -> Floats:
        """Counts of each person if all of a document differed alike, shape (people, kinds)."""
        alike = self.by_document / np.maximum(1, self.sizes)[:, None]
        return sums_over(self.sums.person, alike[self.sums.document], self.size)

    @property
    def event(self) -> float:
        """Rows of one event, in the mean: one who differs from all others makes one each."""
        if self.charging:
            return max(1.0, float(self.sizes.mean()) - 1)
        return 1.0

    @property
    def tested(self) -> tuple[int, ...]:
        """The kinds that are tested."""
        if self.charging:
            return tuple(k for k in range(len(KINDS)) if k != _NEVER)
        return tuple(k for k in range(len(KINDS)) if k not in _MUTUAL)


def p_values(found: Counted, chance: ByChance, seed: int) -> Floats:
    """Return p of each person and kind, adjusted for all of them; NaN where nothing is tested.

    Parameters
    ----------
    found
        Observed counts.
    chance
        Counts of random sets, with the names of the annotators.
    seed
        Seed of the permutations.
    """
    totals = found.totals
    p = np.full(totals.shape, np.nan)
    kinds = [k for k in found.tested if totals[:, k].any()]
    if not kinds or chance.counts is None:
        return p
    p[:, kinds] = np.maximum(p_by_chance(found, chance, kinds), p_by_luck(found, kinds, seed))
    return p


def holm(p: Floats) -> Floats:
    """Return p-values that hold for all of them together (Holm 1979).

    Parameters
    ----------
    p
        p-values, of any shape.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, axis=None, kind="stable")
    left = np.arange(p.size, 0, -1)
    adjusted = np.empty(p.size)
    adjusted[order] = np.maximum.accumulate(p.ravel()[order] * left)
    return np.minimum(1.0, adjusted).reshape(p.shape)


def p_by_chance(found: Counted, chance: ByChance, kinds: Sequence[int]) -> Floats:
    """Return p against independent annotators, shape (people, kinds), for all of them together.

    Parameters
    ----------
    found, chance
        As for `p_values`.
    kinds
        Kinds that are tested.
    """
    assert chance.clear is not None
    p = np.full((found.size, len(kinds)), min(1.0, _STRICTER * chance.p_of_agreement))
    counted = [k for k, kind in enumerate(kinds) if kind in _COUNTED]
    codes = [kinds[k] for k in counted]
    if counted:
        clear = found.clear.by_person(found.size)[:, codes]
        drawn = chance.clear
        p[:, counted] = holm(at_least(clear, drawn.cautious[:, codes], drawn.variance[:, codes]))
    return p


def _shares(counts: Floats, whole: Floats) -> Floats:
    return np.divide(counts, whole, out=np.zeros_like(counts), where=whole > 0)


def at_least(counts: Floats, means: Floats, variances: Floats) -> Floats:
    """Return the chance of a count at least as large: negative binomial, or Poisson.

    Parameters
    ----------
    counts
        Observed; halves count less.
    means, variances
        Means and variances of the counts; a variance below the mean counts as the mean.
    """
    least = np.floor(counts)
    spread = np.maximum(variances - means, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = means**2 / spread
        scattered = betainc(np.maximum(least, 1), size, means / (means + size))
        rare = gammainc(np.maximum(least, 1), means)
    p = np.where(spread > 1e-6 * means, scattered, rare)
    p = np.where(means > 0, p, 0.0)
    return np.where(least > 0, p, 1.0)


def binomial_tail(counts: Floats, total: Floats, share: Floats) -> Floats:
    """Return the chance of at least so many of a total, each with the probability `share`.

    Parameters
    ----------
    counts, total, share
        Arrays that broadcast; fractions of counts count less, those of totals more.
    """
    least = np.floor(counts)
    of_all = np.broadcast_to(np.ceil(total), counts.shape)
    p = betainc(np.maximum(least, 1), np.maximum(of_all - least + 1, 1), np.minimum(share, 1.0))
    return np.where(least > 0, p, 1.0)


def p_by_luck(found: Counted, kinds: Sequence[int], seed: int) -> Floats:
    """Return p of each share if all annotators were alike, shape (people, kinds).

    Permutations are adjusted for all people and kinds by the largest standardised share (Westfall &
    Young 1993), binomial tests by Holm's rule.

    Parameters
    ----------
    found
        Observed counts.
    kinds
        Kinds that are tested.
    seed
        Seed of the permutations.
    """
    differing = found.by_document[:, kinds].any(axis=1) & (found.sizes > 1)
    if np.count_nonzero(differing) >= FEWEST_DOCUMENTS:
        return _permuted(found, kinds, np.flatnonzero(differing), seed)
    totals = found.totals[:, kinds]
    whole = totals.sum(axis=0)
    even = _shares(found.even[:, kinds], whole)
    return holm(binomial_tail(totals / found.event, whole / found.event, even))


def _permuted(found: Counted, kinds: Sequence[int], documents: Indices, seed: int) -> Floats:
    blocks = _blocks(found, kinds, documents)
    observed = np.zeros((found.size, len(kinds)))
    mean = np.zeros_like(observed)
    variance = np.zeros_like(observed)
    for people, table in blocks:
        observed[people] += table
        mean[people] += table.mean(axis=0)
        variance[people] += table.var(axis=0)
    moves = variance > 0
    scale = np.sqrt(np.where(moves, variance, 1.0))
    seen = np.where(moves, (observed - mean) / scale, -np.inf)
    rng = np.random.default_rng([seed, len(blocks)])
    above = np.zeros_like(observed)
    at_once = max(1, _AT_ONCE // observed.size)
    for begin in range(0, _PERMUTATIONS, at_once):
        number = min(at_once, _PERMUTATIONS - begin)
        drawn = np.zeros((number, *observed.shape))
        for people, table in blocks:
            order = rng.random((number, len(people))).argsort(axis=1)
            drawn[:, people] += table[order]
        largest = np.where(moves, (drawn - mean) / scale, -np.inf).max(axis=(1, 2))
        above += np.searchsorted(np.sort(-largest), -seen + 1e-9, side="right")
    return np.where(moves, (1 + above) / (1 + _PERMUTATIONS), 1.0)


def _blocks(
    found: Counted, kinds: Sequence[int], documents: Indices
) -> list[tuple[list[int], Floats]]:
    """Return people and counts of documents, or of several with the same people together."""
    sums = found.sums
    edges = np.concatenate(([0], np.cumsum(found.sizes)))
    rank = _ranks(found, kinds)
    together = -(-len(documents) // _BLOCKS)
    waiting: dict[tuple[int, ...], tuple[int, Floats]] = {}
    blocks: list[tuple[list[int], Floats]] = []
    for document in documents.tolist():
        rows = np.arange(edges[document], edges[document + 1])
        rows = rows[np.argsort(rank[sums.person[rows]])]
        key = tuple(sums.person[rows].tolist())
        table = sums.values[rows][:, kinds]
        number, before = waiting.pop(key, (0, np.zeros_like(table)))
        if number + 1 == together:
            blocks.append(([*key], before + table))
        else:
            waiting[key] = (number + 1, before + table)
    return blocks + [([*key], table) for key, (_, table) in waiting.items()]


def _ranks(found: Counted, kinds: Sequence[int]) -> Indices:
    """Return an order of the people, by their counts, that their names do not decide."""
    first = np.full(found.size, len(found.sizes))
    np.minimum.at(first, found.sums.person, found.sums.document)
    squares = sums_over(found.sums.person, found.sums.values**2, found.size)[:, kinds]
    keys = [first, *squares.T, *found.totals[:, kinds].T]
    ranks = np.empty(found.size, np.int64)
    ranks[np.lexsort(keys)] = np.arange(found.size)
    return ranks
