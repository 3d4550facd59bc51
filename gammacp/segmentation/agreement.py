"""Agreement of coders per item, per group of coders and for the corpus (2012, §4.4 and Table 2)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gammacp.base.arguments import instance, whole
from gammacp.base.arrays import Floats, Indices
from gammacp.base.record_tables import record_of
from gammacp.errors import DataError
from gammacp.segmentation.codings import Codings, Group
from gammacp.segmentation.measures.coefficients import (
    Coefficients,
    PooledItems,
    arrays_of_items,
    coefficients,
    influences,
)
from gammacp.segmentation.measures.comparison import Criterion, Mode
from gammacp.segmentation.measures.rows import CodingPairs, compare_rows
from gammacp.segmentation.statistics import Spread, draw_items, error_of, interval, spread

Interval = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class PartAgreement:
    """Agreement on an item (one row of Table 2), on the items of a group, or on all.

    Attributes
    ----------
    group
        The items, and who coded them.
    mass
        m: base units of all items.
    boundaries
        |b|: what all coders placed; in published mode their segments.
    full, near
        Full and near misses of all pairs of coders.
    suboptimal
        Pairs for which the edit search found less than the best edits.
    coefficients
        π*, κ*, bias, pooled over the items.
    windowdiff
        1 − WindowDiff over ordered pairs of coders; undefined where an item is too short for a
        window.
    """

    group: Group
    mass: int
    boundaries: int
    full: int
    near: int
    suboptimal: int
    coefficients: Coefficients
    windowdiff: Spread

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as JSON."""
        return {name: getattr(self, name) for name in ("boundaries", "mass", "full", "near")}


@dataclass(frozen=True, kw_only=True)
class Intervals:
    """95 % intervals of the pooled coefficients over draws of items (`segmentation.statistics`).

    Attributes
    ----------
    pi, kappa
        None where there are fewer than five items, or no value.
    draws, undefined
        Number of draws, and number of draws that have no value: the intervals are those of the
        others.
    """

    pi: Interval | None
    kappa: Interval | None
    draws: int
    undefined: int

    def as_dict(self) -> dict[str, Any]:
        """Return the intervals as JSON."""
        ends = {"pi_s": self.pi, "kappa_s": self.kappa}
        return {**ends, "draws": self.draws, "undefined": dict.fromkeys(ends, self.undefined)}


@dataclass(frozen=True, kw_only=True, eq=False)
class CodingAgreement:
    """Agreement per item, per group of coders, and for the corpus; each computed when asked for.

    Attributes
    ----------
    codings, pairs
        Segmentations of the coders, and every two codings of each item compared.
    intervals
        Bootstrap intervals of the pooled coefficients; None without bootstrap.
    """

    codings: Codings
    pairs: CodingPairs
    intervals: Intervals | None = None

    @cached_property
    def _arrays(self) -> PooledItems:
        return arrays_of_items(self.pairs)

    @cached_property
    def people(self) -> PooledItems:
        """The items as arrays, under names that mean one person."""
        return arrays_of_items(self.pairs, self.codings.row_people())

    @cached_property
    def items(self) -> Mapping[str, PartAgreement]:
        """Return the agreement by item name, in order of appearance."""
        return {item: self._part(Group((item,), tuple(c))) for item, c in self.codings.items()}

    @cached_property
    def groups(self) -> tuple[PartAgreement, ...]:
        """Return the agreement of groups in order of appearance."""
        return tuple(map(self._part, self.codings.groups()))

    @cached_property
    def corpus(self) -> PartAgreement:
        """All items and all pairs of coders in one."""
        everything = self._part(Group(tuple(self.codings), self.codings.coders))
        return replace(everything, coefficients=self.pooled)

    @cached_property
    def _numbers_by_item(self) -> tuple[dict[str, int], list[Floats], Indices]:
        """Numbers; 1 − WindowDiff of each; full and near misses and suboptimal pairs of each."""
        pairs = self.pairs
        n = len(self.codings)
        columns = *pairs.misses, pairs.suboptimal
        counts = np.stack([np.bincount(pairs.item, column, n) for column in columns])
        windows = np.split(pairs.values["windowdiff"], np.searchsorted(pairs.item, range(1, n)))
        return dict(zip(self.codings, range(n), strict=True)), windows, counts.astype(np.int64)

    def _part(self, group: Group) -> PartAgreement:
        number, windows, counts = self._numbers_by_item
        chosen = [number[item] for item in group.items]
        full, near, suboptimal = counts[:, chosen].sum(axis=1).tolist()
        return PartAgreement(
            group=group,
            mass=sum(next(iter(self.codings[item].values())).mass for item in group.items),
            boundaries=int(self._arrays.boundary_counts[chosen].sum()),
            full=full,
            near=near,
            suboptimal=suboptimal,
            coefficients=coefficients(self._arrays.select(chosen), mode=self.pairs.comparison.mode),
            windowdiff=spread(np.concatenate([windows[i] for i in chosen]).ravel()),
        )

    def over_groups(self, name: str) -> Spread:
        """`pi`, `kappa` or `bias` as the 2012 paper reports it; groups without are counted.

        Parameters
        ----------
        name
            Name of the coefficient.
        """
        return spread(getattr(group.coefficients, name) for group in self.groups)

    @cached_property
    def pooled(self) -> Coefficients:
        """The coefficients of all items and all pairs of coders in one."""
        return coefficients(self.people, mode=self.pairs.comparison.mode)

    @property
    def reasons(self) -> dict[str, str]:
        """Return why π and κ are undefined, by item, group (its items) or "all items"."""
        named = {item: a.coefficients for item, a in self.items.items()}
        named |= {", ".join(g.group.items): g.coefficients for g in self.groups}
        named["all items"] = self.pooled
        return {name: c.reason for name, c in named.items() if c.reason is not None}

    def as_dict(self) -> dict[str, Any]:
        """Return the agreement as JSON: items, groups, corpus, and why something is undefined."""
        rows = self.items.values()
        corpus = self.corpus
        return {
            "items": {
                item: {
                    **row.coefficients.as_dict(),
                    "windowdiff": row.windowdiff._asdict(),
                    "coders": len(row.group.coders),
                    **row.as_dict(),
                }
                for item, row in self.items.items()
            },
            "groups": [
                {**vars(g.group), **g.coefficients.as_dict(), **record_of(g, "full near")}
                for g in self.groups
            ],
            "corpus": {
                "pi_s": self.over_groups("pi")._asdict(),
                "kappa_s": self.over_groups("kappa")._asdict(),
                "bias": self.over_groups("bias")._asdict(),
                "windowdiff": corpus.windowdiff._asdict(),
                "pooled": self.pooled.as_dict(),
                "bootstrap": None if self.intervals is None else self.intervals.as_dict(),
                "items": len(rows),
                "groups": len(self.groups),
                "coders": sum(len(part.group.coders) for part in self.groups),
                **corpus.as_dict(),
            },
            "undefined": self.reasons,
            "suboptimal_pairs": corpus.suboptimal,
        }


def coding_agreement(
    codings: Codings, *, comparison: Criterion | None = None, bootstrap: int = 0, seed: int = 0
) -> CodingAgreement:
    """π*, κ*, bias and 1 − WD of every item, every group of coders, and the corpus.

    Parameters
    ----------
    codings
        Segmentations, with the groups of coders.
    comparison
        Similarity, edits and mode; by default S with 2-wise transpositions, mode `equations`.
    bootstrap
        Number of draws of as many items, with replacement, for 95 % intervals of the pooled
        coefficients; 0 for none.
    seed
        Seed of the draws.

    Raises
    ------
    DataError
        There is no item, or an item has one coder only.
    UsageError
        `bootstrap` or `seed` is no whole number of at least 0.

    >>> from gammacp.segmentation import load_codings
    >>> round(coding_agreement(load_codings("moonstone")).pooled.pi, 4)
    0.8661
    """
    comparison = comparison or Criterion()
    instance("codings", codings, Codings, "what read_codings or Codings.of give")
    if not codings:
        raise DataError("there is no item", hint="Give the segmentations of at least one item")
    bootstrap = whole("bootstrap", bootstrap, 0)
    seed = whole("seed", seed, 0)
    agreement = CodingAgreement(codings=codings, pairs=compared_pairs(codings, comparison))
    if not bootstrap:
        return agreement
    return replace(
        agreement, intervals=_intervals(agreement.people, comparison.mode, bootstrap, seed)
    )


def compared_pairs(codings: Codings, comparison: Criterion) -> CodingPairs:
    """Every two codings of each item; an item that one coder alone coded is a DataError."""
    for item, coders in codings.items():
        if len(coders) < 2:
            raise DataError(
                f"item {item!r} is coded by {next(iter(coders), 'nobody')} only",
                hint="Agreement needs at least two coders per item",
            )
    return compare_rows(codings.rows(), comparison)


def _intervals(people: PooledItems, mode: Mode, draws: int, seed: int) -> Intervals:
    weights = draw_items(len(people.agreeing), draws, seed)
    rows = [influences(people, mode, w) for w in weights]
    ends = []
    lost = 0
    for values, moved in (zip(*part, strict=True) for part in zip(*rows, strict=True)):
        errors = error_of(np.array(moved), weights)
        ends.append(interval(np.array(values), errors, weights.shape[1]))
        lost = int(np.isnan(values[1:]).sum())  # of κ as of π
    return Intervals(pi=ends[0], kappa=ends[1], draws=draws, undefined=lost)
