"""π, κ and bias on S or B: similarity corrected for chance (2012, §3.5, eq. 5–16).

For two coders these are Scott's π and Cohen's κ, for more Fleiss' multi-π and Davies & Fleiss'
multi-κ. The only category is "a boundary of type t", never "no boundary".

So the chance that is taken off S is that of agreeing *on boundaries* alone, whereas S counts places
without a boundary as agreement. Coders who place boundaries independently at rate p have S ≥
1 − 2p(1 − p) and A_e = p²: π is .96 at p = .02, not 0. As printed, π and κ on S are no agreement
beyond chance unless boundaries are dense.

In mode `equations`
- A_a = ΣPB·S / ΣPB over pairs of coders and items, PB = t·(mass − 1). Eq. 6 and 12 as printed
  weight S with the mass and divide by Σ(mass − 1) or Σmass; the weights here make A_a a mean. On B
  the weights are its own denominators, |A| + |S| + |T| + |M|, as in segeval 2.
- P_e(t) of π (eq. 8): boundaries over potential boundaries, pooled over coders and items.
- P_e(t|c) of κ (eq. 11): the same per coder; A_e (eq. 15) averages over the pairs of coders that
  share an item.

In mode `published`
- the same A_a, but segments are counted where eq. 8 and 11 say boundaries, and P_e(t) of π is the
  unweighted mean of the ratio over all (coder, item).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.chance.beyond import ratio
from gammacp.segmentation.measures.comparison import Mode
from gammacp.segmentation.measures.rows import CodingPairs, share

_EVERYWHERE = "boundaries (almost) everywhere"


@dataclass(frozen=True, kw_only=True)
class Coefficients:
    """Agreement of a set of coders over a set of items.

    Attributes
    ----------
    actual
        A_a, mean similarity.
    expected_pi, expected_kappa
        A_e when all coders place boundaries at one rate, and each at their own.
    reason
        Reason why π and κ are undefined (then NaN); None where they are not.
    """

    actual: float
    expected_pi: float
    expected_kappa: float
    reason: str | None = None

    @property
    def pi(self) -> float:
        """π (multi-π): (A_a − A_e)/(1 − A_e) (eq. 5)."""
        return ratio(1 - self.actual, 1 - self.expected_pi, "")[0]

    @property
    def kappa(self) -> float:
        """κ (multi-κ), likewise."""
        return ratio(1 - self.actual, 1 - self.expected_kappa, "")[0]

    @property
    def bias(self) -> float:
        """B = A_e^π − A_e^κ (eq. 16): how differently the coders place boundaries."""
        return self.expected_pi - self.expected_kappa

    def as_dict(self) -> dict[str, float]:
        """π, κ and bias under the names that they have in JSON."""
        return {"pi_s": self.pi, "kappa_s": self.kappa, "bias": self.bias}


@dataclass(frozen=True)
class PooledItems:
    """Items as arrays, ready to be pooled with any weights.

    Attributes
    ----------
    similar, compared
        ΣPB·S and ΣPB over pairs (of B: what agrees, and all boundaries), shape (items,).
    placed
        Boundaries (or segments), shape (items, coders, types); 0 where a coding is missing.
    places
        mass − 1 where a coder coded an item, shape (items, coders); 0 elsewhere.
    present
        Whether a coder coded an item, shape (items, coders).
    """

    similar: Floats
    compared: Floats
    placed: Floats
    places: Floats
    present: Floats

    def only(self, items: Sequence[int]) -> PooledItems:
        """Select some items."""
        return PooledItems(*(getattr(self, field.name)[list(items)] for field in fields(self)))


def pool(pairs: CodingPairs, people: Sequence[str] | None = None) -> PooledItems:
    """Return the arrays of all items.

    Parameters
    ----------
    pairs
        Every two codings of each item, compared.
    people
        Person behind each row, under names that mean one person; default: the coders' own names.
    """
    rows = pairs.rows
    if len(rows.item):
        items = int(rows.item[-1]) + 1
    else:
        items = 0
    names = list(rows.coder if people is None else people)
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    at = rows.item, np.array([number[name] for name in names], np.int64)
    boundary_counts = np.zeros((items, len(number), len(rows.types)))
    boundary_counts[at] = rows.boundary_counts + (pairs.comparison.mode is Mode.PUBLISHED)
    places, present = np.zeros((2, items, len(number)))
    places[at] = rows.masses - 1
    present[at] = 1
    sums = np.zeros((2, items))
    for total, part in zip(sums, pairs.parts(pairs.comparison.basis), strict=True):
        np.add.at(total, pairs.item, part)
    return PooledItems(
        similar=sums[0], compared=sums[1], placed=boundary_counts, places=places, present=present
    )


def coefficients(
    arrays: PooledItems, *, mode: Mode = Mode.EQUATIONS, weights: Floats | None = None
) -> Coefficients:
    """π, κ and bias over the items of `arrays`, each counted as often as `weights` says.

    Undefined where no item has a potential boundary (on B, a boundary), or where chance agreement
    is not below 1: everybody has a boundary everywhere, or, in mode `published`, more segments than
    places.
    """
    if weights is None:
        w = np.ones(len(arrays.similar))
    else:
        w = weights
    compared = float((w * arrays.compared).sum())
    if compared == 0:
        nan = math.nan
        if arrays.places.any():
            lack = "no boundary"
        else:
            lack = "no potential boundary"
        return Coefficients(actual=nan, expected_pi=nan, expected_kappa=nan, reason=lack)
    pi = _expected_pi(arrays, w, mode)[0]
    kappa = _expected_kappa(arrays, w)[0]
    highest = max(pi, kappa)
    return Coefficients(
        actual=float((w * arrays.similar).sum()) / compared,
        expected_pi=pi,
        expected_kappa=kappa,
        reason=None if highest < 1 else f"{_EVERYWHERE}: chance agreement is {highest:g}",
    )


def influences(
    arrays: PooledItems, mode: Mode, weights: Floats
) -> tuple[tuple[float, Floats], tuple[float, Floats]]:
    """π and κ for weights of items, and how far each item moves them: shape (items,) each.

    The derivative by the item's weight; 0 in the weighted mean. NaN where they are undefined.
    """
    agreement = coefficients(arrays, mode=mode, weights=weights)
    if agreement.reason is not None:
        return ((math.nan, np.full(len(weights), math.nan)),) * 2
    compared = (weights * arrays.compared).sum()
    actual = (arrays.similar - agreement.actual * arrays.compared) / compared
    expected = _expected_pi(arrays, weights, mode), _expected_kappa(arrays, weights)
    moved = (
        (actual * (1 - e) - slope * (1 - agreement.actual)) / (1 - e) ** 2 for e, slope in expected
    )
    return (agreement.pi, next(moved)), (agreement.kappa, next(moved))


def _expected_pi(arrays: PooledItems, w: Floats, mode: Mode) -> tuple[float, Floats]:
    """A_e of π, and how far each item moves it."""
    boundary_counts = arrays.placed
    places = arrays.places
    if mode is Mode.PUBLISHED:
        boundary_counts = share(
            boundary_counts, np.broadcast_to(places[..., None], boundary_counts.shape), 0.0
        )
        places = (places > 0).astype(np.float64)
    above = boundary_counts.sum(axis=1)
    below = places.sum(axis=1)
    total = (w * below).sum()
    rate = np.einsum("i,it->t", w, above) / total
    moved = 2 * np.einsum("t,it->i", rate, above - rate * below[:, None]) / total
    return float(np.sum(rate**2)), moved


def _expected_kappa(arrays: PooledItems, w: Floats) -> tuple[float, Floats]:
    """A_e of κ, and how far each item moves it."""
    places = np.einsum("i,ic->c", w, arrays.places)
    chosen = places > 0
    boundary_counts = arrays.placed[:, chosen]
    places = places[chosen]
    rates = np.einsum("i,ict->ct", w, boundary_counts) / places[:, None]
    present = arrays.present[:, chosen]
    together = (np.einsum("i,ic,id->cd", w, present, present) > 0).astype(np.float64)
    np.fill_diagonal(together, 0)
    slopes = 2 * np.einsum("cd,dt->ct", together, rates) / (places[:, None] * together.sum())
    residuals = boundary_counts - rates * arrays.places[:, chosen, None]
    expected = np.einsum("ct,dt,cd->", rates, rates, together) / together.sum()
    return float(expected), np.einsum("ct,ict->i", slopes, residuals)
