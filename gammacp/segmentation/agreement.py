"""Agreement of coders per item, per group of coders and for the corpus (2012, §4.4 and Table 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gammacp.arrays import Floats
from gammacp.errors import DataError, UsageError
from gammacp.segmentation.codings import Codings, Group
from gammacp.segmentation.coefficients import Coefficients, Pool, coefficients, pool
from gammacp.segmentation.statistics import (
    Comparison,
    ItemStatistics,
    item_statistics,
    mean_and_sd,
)

Interval = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class ItemAgreement:
    """One row of Table 2.

    Attributes
    ----------
    statistics
        |c|, |b|, m, full and near misses.
    coefficients
        π*, κ*, bias of the item's coders.
    windowdiff
        1 − WindowDiff over ordered pairs of coders: mean and population sd; NaN for an item that
        is too short for a window.
    """

    statistics: ItemStatistics
    coefficients: Coefficients
    windowdiff: tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class GroupAgreement:
    """Coders who segmented the same items: their coefficients, pooled over these items."""

    group: Group
    coefficients: Coefficients
    full: int
    near: int


@dataclass(frozen=True, kw_only=True)
class Intervals:
    """Bootstrap intervals over items; None where items are too few or values undefined."""

    pi: Interval | None
    kappa: Interval | None
    draws: int


@dataclass(frozen=True, kw_only=True)
class CodingAgreement:
    """Agreement per item, per group of coders, and for the corpus.

    Attributes
    ----------
    items, groups
        By item name; in order of appearance.
    pi, kappa, bias
        Mean and population standard deviation over the groups, as the 2012 paper reports them;
        groups for which they are undefined are left out.
    pooled
        All items and all pairs of coders in one.
    windowdiff
        1 − WindowDiff over all ordered pairs of all items: mean and population sd of what is
        defined.
    intervals
        Bootstrap intervals of the pooled coefficients; None without bootstrap.
    """

    items: Mapping[str, ItemAgreement]
    groups: tuple[GroupAgreement, ...]
    pi: tuple[float, float]
    kappa: tuple[float, float]
    bias: tuple[float, float]
    pooled: Coefficients
    windowdiff: tuple[float, float]
    intervals: Intervals | None = None

    @property
    def full(self) -> int:
        """Full misses of all pairs of coders of all items."""
        return sum(item.statistics.full for item in self.items.values())

    @property
    def near(self) -> int:
        """Near misses likewise."""
        return sum(item.statistics.near for item in self.items.values())

    @property
    def suboptimal(self) -> int:
        """Pairs for which the edit search found more than the cheapest edits."""
        return sum(item.statistics.suboptimal for item in self.items.values())


def coding_agreement(
    codings: Codings,
    *,
    comparison: Comparison | None = None,
    bootstrap: int = 0,
    seed: int = 0,
) -> CodingAgreement:
    """π*, κ*, bias and 1 − WD of every item, every group of coders, and the corpus.

    Parameters
    ----------
    comparison
        Similarity, edits and mode; by default S with 2-wise transpositions, mode `equations`.
    bootstrap
        Number of draws of as many items, with replacement, for 95 % intervals of the pooled
        coefficients; 0 for none.
    seed
        Of the draws.

    Raises
    ------
    DataError
        There is no item, or an item has one coder only.
    """
    comparison = comparison or Comparison()
    if not codings:
        raise DataError("there is no item", hint="Give the segmentations of an item at least")
    if bootstrap < 0:
        raise UsageError(f"bootstrap = {bootstrap} < 0 draws")
    rows = {item: item_statistics(item, coders, comparison) for item, coders in codings.items()}
    groups = tuple(_of_group(group, rows, comparison) for group in codings.groups())
    values = [group.coefficients for group in groups]
    people = pool([_with_people(rows[i], g.group) for g in groups for i in g.group.items])
    return CodingAgreement(
        items={item: _of_item(row, comparison) for item, row in rows.items()},
        groups=groups,
        pi=mean_and_sd([c.pi for c in values]),
        kappa=mean_and_sd([c.kappa for c in values]),
        bias=mean_and_sd([c.bias for c in values]),
        pooled=coefficients(people, mode=comparison.mode),
        windowdiff=mean_and_sd([x for row in rows.values() for x in row.windowdiff.values()]),
        intervals=_intervals(people, comparison, bootstrap, seed) if bootstrap else None,
    )


def _of_item(row: ItemStatistics, comparison: Comparison) -> ItemAgreement:
    return ItemAgreement(
        statistics=row,
        coefficients=coefficients([row], mode=comparison.mode),
        windowdiff=mean_and_sd(list(row.windowdiff.values())),
    )


def _of_group(
    group: Group, rows: Mapping[str, ItemStatistics], comparison: Comparison
) -> GroupAgreement:
    mine = [rows[item] for item in group.items]
    return GroupAgreement(
        group=group,
        coefficients=coefficients(mine, mode=comparison.mode),
        full=sum(row.full for row in mine),
        near=sum(row.near for row in mine),
    )


def _with_people(row: ItemStatistics, group: Group) -> ItemStatistics:
    """The same item with its coders under names that mean one person in the whole corpus."""
    return replace(row, placed={group.person(c): counts for c, counts in row.placed.items()})


def draw_items(items: int, draws: int, seed: int) -> Floats:
    """How often each item is drawn, shape (draws, items): as many as there are, put back."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(items, np.full(items, 1 / items), size=draws).astype(np.float64)


def percentile_interval(values: Sequence[float]) -> Interval | None:
    """From the 2.5th to the 97.5th percentile of the defined values; None without any."""
    defined = [v for v in values if not np.isnan(v)]
    if not defined:
        return None
    lo, hi = np.quantile(defined, (0.025, 0.975))
    return float(lo), float(hi)


def _intervals(people: Pool, comparison: Comparison, draws: int, seed: int) -> Intervals:
    items = len(people.similar)
    if items < 2:
        return Intervals(pi=None, kappa=None, draws=draws)
    drawn = [
        coefficients(people, mode=comparison.mode, weights=w)
        for w in draw_items(items, draws, seed)
    ]
    return Intervals(
        pi=percentile_interval([c.pi for c in drawn]),
        kappa=percentile_interval([c.kappa for c in drawn]),
        draws=draws,
    )
