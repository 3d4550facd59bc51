"""Tests of counts: whether one person differs from the others more than chance and luck give.

Two things have to be shown. *Chance*: independent annotators with the same habits (the random sets)
would not give as much. *Luck*: if all annotators were alike, one of them would not have so large a
share. The p of a count is the larger of both.

Chance of `split`, `merged`, `missing` and `level` is the count in random sets: independent annotators
seldom join what others cut. The others are more frequent by chance than among annotators who agree,
so the share of a person is compared with that person's share in the random sets. Luck is a
permutation of the annotators within each document where there are `FEWEST_DOCUMENTS`, otherwise a
binomial test of the share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, gammainc

from gammacp.base.arrays import Codes, Floats
from gammacp.kinds.by_chance import ByChance
from gammacp.kinds.forms import KIND_CODE, KINDS

FEWEST_DOCUMENTS = 5
_PERMUTATIONS = 1999
# Documents that are permuted each by itself; of more, some are permuted together.
_BLOCKS = 500
# Sums of permuted counts that are held at once.
_AT_ONCE = 2_000_000
_COUNTED = tuple(KIND_CODE[kind] for kind in ("split", "merged", "missing", "level"))
_NEVER = KIND_CODE["unmatched"]
# Of two annotators, one who cuts and one who joins are the same difference.
_MUTUAL = tuple(KIND_CODE[kind] for kind in ("position", "category", "split"))


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts of the observed differences.

    Attributes
    ----------
    counts
        Shape (documents, people, kinds).
    slots
        For each document the people in it.
    charging
        Whether annotators are charged, or everything is counted on both sides.
    """

    counts: Floats
    slots: Sequence[Codes]
    charging: bool

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
        What was observed.
    chance
        What random sets gave, with the names of the annotators.
    seed
        Of the permutations.
    """
    totals = found.counts.sum(axis=0)
    p = np.full(totals.shape, np.nan)
    kinds = [k for k in found.tested if totals[:, k].any()]
    if not kinds or chance.counts is None:
        return p
    expected = p_by_chance(found, chance)[:, kinds]
    p[:, kinds] = np.maximum(holm(expected), p_by_luck(found, kinds, seed))
    return p


def holm(p: Floats) -> Floats:
    """Return p-values that hold for all of them together (Holm 1979).

    Parameters
    ----------
    p
        Of any shape.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, axis=None, kind="stable")
    left = np.arange(p.size, 0, -1)
    adjusted = np.empty(p.size)
    adjusted[order] = np.maximum.accumulate(p.ravel()[order] * left)
    return np.minimum(1.0, adjusted).reshape(p.shape)


def p_by_chance(found: Counted, chance: ByChance) -> Floats:
    """Return p of each count, or share, against the random sets; shape (people, kinds).

    Parameters
    ----------
    found, chance
        As for `p_values`.
    """
    assert chance.counts is not None
    assert chance.variances is not None
    assert chance.cautious is not None
    totals = found.counts.sum(axis=0)
    p = at_least(totals, chance.cautious, chance.variances)
    whole = totals.sum(axis=0)
    drawn = chance.counts.sum(axis=0)
    share = np.divide(chance.counts, drawn, out=np.zeros_like(totals), where=drawn > 0)
    even = even_shares(found)
    # A difference of one annotator from all others is one event, whatever their number.
    events = _events(found)
    of_share = binomial_tail(totals / events, whole / events, np.maximum(share, even))
    for kind in range(len(KINDS)):
        if kind not in _COUNTED:
            p[:, kind] = of_share[:, kind]
    return p


def _events(found: Counted) -> float:
    """Return of how many rows one event is, in the mean."""
    if not found.charging:
        return 1.0
    sizes = [len(slots) - 1 for slots in found.slots]
    return max(1.0, float(np.mean(sizes)))


def even_shares(found: Counted) -> Floats:
    """Return the share of each person if all of a document differ alike, (people, kinds).

    Parameters
    ----------
    found
        What was observed.
    """
    totals = found.counts.sum(axis=1)
    whole = totals.sum(axis=0)
    shares = np.zeros(found.counts.shape[1:])
    for document, slots in enumerate(found.slots):
        shares[slots] += totals[document] / len(slots)
    return np.divide(shares, whole, out=np.zeros_like(shares), where=whole > 0)


def at_least(counts: Floats, means: Floats, variances: Floats) -> Floats:
    """Return the chance of a count at least as large: negative binomial, or Poisson.

    Parameters
    ----------
    counts
        Observed; halves count less.
    means, variances
        Of the counts; a variance below the mean counts as the mean.
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
    least, of_all = np.floor(counts), np.broadcast_to(np.ceil(total), counts.shape)
    p = betainc(np.maximum(least, 1), np.maximum(of_all - least + 1, 1), np.minimum(share, 1.0))
    return np.where(least > 0, p, 1.0)


def p_by_luck(found: Counted, kinds: Sequence[int], seed: int) -> Floats:
    """Return p of each share if all annotators were alike, shape (people, kinds).

    Permutations are adjusted for all people and kinds by the largest standardised share (Westfall &
    Young 1993), binomial tests by Holm's rule.

    Parameters
    ----------
    found
        What was observed.
    kinds
        Those that are tested.
    seed
        Of the permutations.
    """
    counts = found.counts[:, :, kinds]
    several = [d for d, c in enumerate(counts) if c.any() and len(found.slots[d]) > 1]
    if len(several) < FEWEST_DOCUMENTS:
        events = _events(found)
        totals = counts.sum(axis=0)
        even = even_shares(found)[:, kinds]
        return holm(binomial_tail(totals / events, totals.sum(axis=0) / events, even))
    return _permuted(counts[several], [found.slots[d] for d in several], seed)


def _permuted(counts: Floats, slots: Sequence[Codes], seed: int) -> Floats:
    # People in an order that their names do not decide.
    flat = counts.transpose(1, 0, 2).reshape(counts.shape[1], -1)
    rank = np.empty(len(flat), np.int64)
    rank[np.lexsort(flat.T[::-1])] = np.arange(len(flat))
    blocks = _blocks(counts, slots, rank)
    observed = counts.sum(axis=0)
    mean, variance = np.zeros_like(observed), np.zeros_like(observed)
    for people, table in blocks:
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
        above += (seen <= largest[:, None, None] + 1e-9).sum(axis=0)
    return (1 + above) / (1 + _PERMUTATIONS)


def _blocks(
    counts: Floats, slots: Sequence[Codes], rank: Sequence[int]
) -> list[tuple[list[int], Floats]]:
    """Return people and counts of documents, or of several with the same people together."""
    together = -(-len(slots) // _BLOCKS)
    waiting: dict[tuple[int, ...], tuple[int, Floats]] = {}
    blocks: list[tuple[list[int], Floats]] = []
    for table, people in zip(counts, slots, strict=True):
        key = tuple(sorted(people.tolist(), key=lambda person: int(rank[person])))
        number, sums = waiting.pop(key, (0, np.zeros((len(key), counts.shape[2]))))
        number, sums = number + 1, sums + table[list(key)]
        if number == together:
            blocks.append(([*key], sums))
        else:
            waiting[key] = (number, sums)
    return blocks + [([*key], sums) for key, (_, sums) in waiting.items()]
