"""Agreement of coders per item, per group of coders and for the corpus (2012, §4.4 and Table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gammacp.arguments import instance, whole
from gammacp.errors import DataError
from gammacp.segmentation.choices import Basis, Mode
from gammacp.segmentation.codings import Codings, Group
from gammacp.segmentation.coefficients import Coefficients, Pool, coefficients, influences, pool
from gammacp.segmentation.comparison import Comparison
from gammacp.segmentation.ratios import draw_items, error_of, interval
from gammacp.segmentation.rows import Pairs, compared, rows_of
from gammacp.segmentation.statistics import Spread, spread

Interval = tuple[float, float]


@dataclass(frozen=True)
class Bootstrap:
    """A 95 % interval over draws of items (`gammacp.segmentation.ratios`).

    Attributes
    ----------
    interval
        None where there are fewer than five items, or no value.
    undefined
        Draws without a value; the interval is that of the others.
    """

    interval: Interval | None
    undefined: int


@dataclass(frozen=True, kw_only=True)
class ItemAgreement:
    """One row of Table 2.

    Attributes
    ----------
    coders
        |c|, in order.
    mass
        m: base units.
    boundaries
        |b|: what all coders placed; in published mode their segments.
    full, near
        Full and near misses of all pairs of coders.
    suboptimal
        Pairs for which the edit search found less than the best edits.
    coefficients
        π*, κ*, bias of the item's coders.
    windowdiff
        1 − WindowDiff over ordered pairs of coders; undefined where the item is too short for a
        window.
    """

    coders: tuple[str, ...]
    mass: int
    boundaries: int
    full: int
    near: int
    suboptimal: int
    coefficients: Coefficients
    windowdiff: Spread

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON."""
        counts = {name: getattr(self, name) for name in ("boundaries", "mass", "full", "near")}
        return {
            **self.coefficients.as_dict(),
            "windowdiff": self.windowdiff._asdict(),
            "coders": len(self.coders),
            **counts,
        }


@dataclass(frozen=True, kw_only=True)
class GroupAgreement:
    """A group of coders: their coefficients, pooled over its items, and their misses."""

    group: Group
    coefficients: Coefficients
    full: int
    near: int

    def as_dict(self) -> dict[str, Any]:
        """The group as JSON."""
        return {
            "items": self.group.items,
            "coders": self.group.coders,
            **self.coefficients.as_dict(),
            "full": self.full,
            "near": self.near,
        }


@dataclass(frozen=True, kw_only=True)
class Intervals:
    """Bootstrap over items of the pooled coefficients, so many draws each."""

    pi: Bootstrap
    kappa: Bootstrap
    draws: int

    def as_dict(self) -> dict[str, Any]:
        """The intervals as JSON."""
        return {
            "pi_s": self.pi.interval,
            "kappa_s": self.kappa.interval,
            "draws": self.draws,
            "undefined": {"pi_s": self.pi.undefined, "kappa_s": self.kappa.undefined},
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class CodingAgreement:
    """Agreement per item, per group of coders, and for the corpus; each computed when asked for.

    Attributes
    ----------
    codings, pairs
        Who segmented what, and every two codings of each item compared.
    intervals
        Bootstrap intervals of the pooled coefficients; None without bootstrap.
    """

    codings: Codings
    pairs: Pairs
    intervals: Intervals | None = None

    @cached_property
    def _named(self) -> Pool:
        return pool(self.pairs)

    @cached_property
    def _people(self) -> Pool:
        return pool(self.pairs, self.codings.row_people())

    @cached_property
    def items(self) -> Mapping[str, ItemAgreement]:
        """By item name, in order of appearance."""
        return _items(self.codings, self.pairs, self._named)

    @cached_property
    def groups(self) -> tuple[GroupAgreement, ...]:
        """In order of appearance."""
        number = {item: i for i, item in enumerate(self.codings)}
        return tuple(
            GroupAgreement(
                group=group,
                coefficients=coefficients(
                    self._named.only([number[i] for i in group.items]),
                    mode=self.pairs.comparison.mode,
                ),
                full=sum(self.items[i].full for i in group.items),
                near=sum(self.items[i].near for i in group.items),
            )
            for group in self.codings.groups()
        )

    @property
    def pi(self) -> Spread:
        """Over the groups, as the 2012 paper reports it; groups without a value are counted."""
        return spread(group.coefficients.pi for group in self.groups)

    @property
    def kappa(self) -> Spread:
        """Likewise."""
        return spread(group.coefficients.kappa for group in self.groups)

    @property
    def bias(self) -> Spread:
        """Likewise."""
        return spread(group.coefficients.bias for group in self.groups)

    @cached_property
    def pooled(self) -> Coefficients:
        """All items and all pairs of coders in one."""
        return coefficients(self._people, mode=self.pairs.comparison.mode)

    @property
    def windowdiff(self) -> Spread:
        """1 − WindowDiff over all ordered pairs of all items; undefined pairs are counted."""
        return spread(self.pairs.values["windowdiff"].ravel())

    @property
    def full(self) -> int:
        """Full misses of all pairs of coders of all items."""
        return sum(item.full for item in self.items.values())

    @property
    def near(self) -> int:
        """Near misses likewise."""
        return sum(item.near for item in self.items.values())

    @property
    def suboptimal(self) -> int:
        """Pairs for which the edit search found more than the cheapest edits."""
        return sum(item.suboptimal for item in self.items.values())

    @property
    def reasons(self) -> dict[str, str]:
        """Why π and κ are undefined, by item, group (its items) or "all items"."""
        named = {item: a.coefficients for item, a in self.items.items()}
        named |= {", ".join(g.group.items): g.coefficients for g in self.groups}
        named["all items"] = self.pooled
        return {name: c.reason for name, c in named.items() if c.reason is not None}

    def as_dict(self) -> dict[str, Any]:
        """The agreement as JSON: items, groups, corpus, and what is undefined for which reason."""
        rows = self.items.values()
        return {
            "items": {item: row.as_dict() for item, row in self.items.items()},
            "groups": [group.as_dict() for group in self.groups],
            "corpus": {
                "pi_s": self.pi._asdict(),
                "kappa_s": self.kappa._asdict(),
                "bias": self.bias._asdict(),
                "windowdiff": self.windowdiff._asdict(),
                "pooled": self.pooled.as_dict(),
                "bootstrap": None if self.intervals is None else self.intervals.as_dict(),
                "items": len(rows),
                "groups": len(self.groups),
                "coders": sum(len(group.group.coders) for group in self.groups),
                "boundaries": sum(row.boundaries for row in rows),
                "mass": sum(row.mass for row in rows),
                "full": self.full,
                "near": self.near,
            },
            "undefined": self.reasons,
            "suboptimal_pairs": self.suboptimal,
        }


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
    codings
        Who segmented what, with the groups of coders.
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
    UsageError
        `bootstrap` or `seed` is no whole number of at least 0.

    >>> from gammacp.segmentation import load_codings
    >>> round(coding_agreement(load_codings("moonstone")).pooled.pi, 4)
    0.8661
    """
    comparison = comparison or Comparison()
    instance("codings", codings, Codings, "what read_codings or Codings.of give")
    if not codings:
        raise DataError("there is no item", hint="Give the segmentations of an item at least")
    bootstrap, seed = whole("bootstrap", bootstrap, 0), whole("seed", seed, 0)
    found = CodingAgreement(codings=codings, pairs=compared_pairs(codings, comparison))
    if not bootstrap:
        return found
    return replace(found, intervals=_intervals(found._people, comparison.mode, bootstrap, seed))


def compared_pairs(codings: Codings, comparison: Comparison) -> Pairs:
    """Every two codings of each item; an item that one coder alone coded is a DataError."""
    for item, coders in codings.items():
        if len(coders) < 2:
            raise DataError(
                f"item {item!r} is coded by {next(iter(coders), 'nobody')} only",
                hint="Agreement needs two coders of each item",
            )
    return compared(rows_of(codings), comparison)


def _items(codings: Codings, pairs: Pairs, named: Pool) -> dict[str, ItemAgreement]:
    suboptimal, windowdiff = pairs.suboptimal, pairs.values["windowdiff"]
    prefix = "" if pairs.comparison.basis is Basis.S else "b_"
    full, near = pairs.column(f"{prefix}full"), pairs.column(f"{prefix}near")
    found = {}
    for i, (item, coders) in enumerate(codings.items()):
        mine = slice(*np.searchsorted(pairs.item, (i, i + 1)))
        found[item] = ItemAgreement(
            coders=tuple(coders),
            mass=next(iter(coders.values())).mass,
            boundaries=int(named.placed[i].sum()),
            full=int(full[mine].sum()),
            near=int(near[mine].sum()),
            suboptimal=int(suboptimal[mine].sum()),
            coefficients=coefficients(named.only([i]), mode=pairs.comparison.mode),
            windowdiff=spread(windowdiff[mine].ravel()),
        )
    return found


def _intervals(people: Pool, mode: Mode, draws: int, seed: int) -> Intervals:
    weights = draw_items(len(people.similar), draws, seed)
    rows = [influences(people, mode, w) for w in weights]
    found = []
    for values, moved in (zip(*part, strict=True) for part in zip(*rows, strict=True)):
        errors = error_of(np.array(moved), weights)
        ends = interval(np.array(values), errors, weights.shape[1])
        found.append(Bootstrap(ends, int(np.isnan(values[1:]).sum())))
    return Intervals(pi=found[0], kappa=found[1], draws=draws)
