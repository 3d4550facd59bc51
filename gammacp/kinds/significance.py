"""Test whether one person has more differences of a kind than chance and luck explain.

Two hypotheses must be rejected. *Chance*: independent annotators with the same habits (the random
sets) would have as many differences. *Luck*: if all annotators were alike, one of them could have
as large a share of the differences. The p-value of a count is the larger of the two.

The test of chance depends on the kind. For `split`, `merged`, `missing` and `level`, the clear
cases are compared with those in random sets: independent annotators rarely merge or split units
with matching outer boundaries, and rarely agree closely on a unit that a third annotator lacks. The
other kinds are just as frequent among independent annotators. For these the test only shows that
the annotators agree at all. The test of luck permutes the annotators within each document if there
are at least `FEWEST_DOCUMENTS`; otherwise it is a binomial test of the share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betainc, gammainc

from gammacp.base.arrays import Floats, Indices
from gammacp.inference.part_tests import holm
from gammacp.kinds.by_chance import ByChance
from gammacp.kinds.charging import SlotSums, sums_over
from gammacp.kinds.codes import DIFFERENCE_KINDS, KIND_CODE

FEWEST_DOCUMENTS = 5
_PERMUTATIONS = 1999
# Number of documents up to which each is permuted separately. If there are more, several documents
# with the same annotators are permuted together.
_BLOCKS = 500
# Number of permuted counts that are kept in memory at once.
_AT_ONCE = 2_000_000
_COUNTED = tuple(KIND_CODE[kind] for kind in ("split", "merged", "missing", "level"))
# Factor on the p-value of the test of agreement, which is used for all kinds not in `_COUNTED`.
_STRICTER = 5
_UNTESTED = KIND_CODE["unmatched"]
# Kinds that are not tested for two annotators, as they describe both alike. (`split` is the same
# difference as `merged`, seen from the other side.)
_MUTUAL = tuple(KIND_CODE[kind] for kind in ("position", "category", "split"))


@dataclass(frozen=True, eq=False)
class DifferenceCounts:
    """Counts of the observed differences.

    Attributes
    ----------
    sums, clear
        Counts of all differences, and of clear ones, by annotator of a document and by kind.
    size
        Number of people.
    charging
        Whether annotators are charged. If not, each difference is counted for both annotators.
    """

    sums: SlotSums
    clear: SlotSums
    size: int
    charging: bool

    @cached_property
    def totals(self) -> Floats:
        """Return the counts over all documents, shape (people, kinds)."""
        return self.sums.by_person(self.size)

    @cached_property
    def sizes(self) -> Indices:
        """Return the number of annotators of each document."""
        return np.bincount(self.sums.document)

    @cached_property
    def by_document(self) -> Floats:
        """Return the counts of each document, shape (documents, kinds)."""
        return sums_over(self.sums.document, self.sums.values, len(self.sizes))

    @cached_property
    def even(self) -> Floats:
        """Return the counts if a document's annotators had equal shares, shape (people, kinds)."""
        alike = self.by_document / np.maximum(1, self.sizes)[:, None]
        return sums_over(self.sums.person, alike[self.sums.document], self.size)

    @property
    def event(self) -> float:
        """Return the mean number of rows of one event.

        An annotator who differs from all others in one place has one row with each of them.
        """
        if self.charging:
            return max(1.0, float(self.sizes.mean()) - 1)
        return 1.0

    @property
    def tested(self) -> tuple[int, ...]:
        """Return the codes of the kinds that are tested."""
        if self.charging:
            return tuple(k for k in range(len(DIFFERENCE_KINDS)) if k != _UNTESTED)
        return tuple(k for k in range(len(DIFFERENCE_KINDS)) if k not in _MUTUAL)


def p_values(counts: DifferenceCounts, chance: ByChance, seed: int) -> Floats:
    """Return the p-value of each person and kind, adjusted for all of them; NaN if not tested.

    Parameters
    ----------
    counts
        Observed counts.
    chance
        Differences in random sets. Without counts (`counts` is None), nothing is tested.
    seed
        Seed of the permutations.
    """
    totals = counts.totals
    p = np.full(totals.shape, np.nan)
    kinds = [k for k in counts.tested if totals[:, k].any()]
    if not kinds or chance.counts is None:
        return p
    p[:, kinds] = np.maximum(p_by_chance(counts, chance, kinds), p_by_luck(counts, kinds, seed))
    return p


def _holm_for_all(p: Floats) -> Floats:
    """Return p-values after Holm's correction (1979) for all of them together."""
    return holm(p.ravel()).reshape(p.shape)


def p_by_chance(counts: DifferenceCounts, chance: ByChance, kinds: Sequence[int]) -> Floats:
    """Return the adjusted p-values of the test of chance, shape (people, kinds).

    Parameters
    ----------
    counts, chance
        As for `p_values`.
    kinds
        Kinds that are tested.
    """
    assert chance.clear is not None
    p = np.full((counts.size, len(kinds)), min(1.0, _STRICTER * chance.p_of_agreement))
    columns = [k for k, kind in enumerate(kinds) if kind in _COUNTED]
    codes = [kinds[k] for k in columns]
    if columns:
        clear = counts.clear.by_person(counts.size)[:, codes]
        drawn = chance.clear
        p[:, columns] = _holm_for_all(
            at_least(clear, drawn.cautious[:, codes], drawn.variance[:, codes])
        )
    return p


def _shares(counts: Floats, whole: Floats) -> Floats:
    return np.divide(counts, whole, out=np.zeros_like(counts), where=whole > 0)


def at_least(counts: Floats, means: Floats, variances: Floats) -> Floats:
    """Return the probability of a count at least as large, by a negative binomial or Poisson law.

    Parameters
    ----------
    counts
        Observed counts; halves are rounded down.
    means, variances
        Means and variances of the counts by chance. A variance below the mean is replaced by the
        mean (a Poisson law).
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
    """Return the binomial probability of at least `counts` of `total` with probability `share`.

    Parameters
    ----------
    counts, total, share
        Arrays that can be broadcast. Counts are rounded down, totals are rounded up.
    """
    least = np.floor(counts)
    of_all = np.broadcast_to(np.ceil(total), counts.shape)
    p = betainc(np.maximum(least, 1), np.maximum(of_all - least + 1, 1), np.minimum(share, 1.0))
    return np.where(least > 0, p, 1.0)


def p_by_luck(counts: DifferenceCounts, kinds: Sequence[int], seed: int) -> Floats:
    """Return the adjusted p-values of the test of luck, shape (people, kinds).

    The permutation test is adjusted for all people and kinds by the largest standardised share
    (Westfall & Young 1993), the binomial test by Holm's method.

    Parameters
    ----------
    counts
        Observed counts.
    kinds
        Kinds that are tested.
    seed
        Seed of the permutations.
    """
    differing = counts.by_document[:, kinds].any(axis=1) & (counts.sizes > 1)
    if np.count_nonzero(differing) >= FEWEST_DOCUMENTS:
        return _permuted(counts, kinds, np.flatnonzero(differing), seed)
    totals = counts.totals[:, kinds]
    total = totals.sum(axis=0)
    even = _shares(counts.even[:, kinds], total)
    return _holm_for_all(binomial_tail(totals / counts.event, total / counts.event, even))


def _permuted(
    counts: DifferenceCounts, kinds: Sequence[int], documents: Indices, seed: int
) -> Floats:
    blocks = _blocks(counts, kinds, documents)
    observed = np.zeros((counts.size, len(kinds)))
    mean = np.zeros_like(observed)
    variance = np.zeros_like(observed)
    for people, table in blocks:
        observed[people] += table
        mean[people] += table.mean(axis=0)
        variance[people] += table.var(axis=0)
    moves = variance > 0
    scale = np.sqrt(np.where(moves, variance, 1.0))
    z_scores = np.where(moves, (observed - mean) / scale, -np.inf)
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
        above += np.searchsorted(np.sort(-largest), -z_scores + 1e-9, side="right")
    return np.where(moves, (1 + above) / (1 + _PERMUTATIONS), 1.0)


def _blocks(
    counts: DifferenceCounts, kinds: Sequence[int], documents: Indices
) -> list[tuple[list[int], Floats]]:
    """Return the people and their counts by document, or summed over several documents.

    Only documents with the same people are summed, and only if there are more than `_BLOCKS`.
    """
    sums = counts.sums
    edges = np.concatenate(([0], np.cumsum(counts.sizes)))
    rank = _ranks(counts, kinds)
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


def _ranks(counts: DifferenceCounts, kinds: Sequence[int]) -> Indices:
    """Return the rank of each person in an order that depends on their counts, not their names."""
    first = np.full(counts.size, len(counts.sizes))
    np.minimum.at(first, counts.sums.person, counts.sums.document)
    squares = sums_over(counts.sums.person, counts.sums.values**2, counts.size)[:, kinds]
    keys = [first, *squares.T, *counts.totals[:, kinds].T]
    ranks = np.empty(counts.size, np.int64)
    ranks[np.lexsort(keys)] = np.arange(counts.size)
    return ranks
