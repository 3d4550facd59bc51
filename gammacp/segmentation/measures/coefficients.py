"""π, κ and bias on S or B: similarity corrected for chance.

Fournier & Inkpen 2012, §3.5, eq. 5–16. For two coders these are Scott's π and Cohen's κ, for more
Fleiss' multi-π and Davies & Fleiss' multi-κ. The only category is "a boundary of type t", never "no
boundary". A_a and A_e are the actual and the expected agreement, P_e(t) is the expected agreement
on boundaries of type t. PB = t·(mass − 1) is the number of potential boundaries of an item with t
boundary types. |A|, |S|, |T| and |M| count additions, substitutions, transpositions and matches.

As published, π and κ on S do not correct for chance unless boundaries are dense: A_e is the chance
of agreeing *on boundaries*, whereas S counts places without a boundary as agreement, too. Coders
who place boundaries independently at rate p have S ≥ 1 − 2p(1 − p) and A_e = p²: π is .96 at
p = .02, not 0.

In mode `equations`
- A_a = ΣPB·S / ΣPB over pairs of coders and items. Eq. 6 and 12 as printed weight S with the mass
  and divide by Σ(mass − 1) or Σmass; the weights here make A_a a mean. On B the weights are its own
  denominators, |A| + |S| + |T| + |M|, as in segeval 2.
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
from dataclasses import dataclass
from typing import NamedTuple

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
        """Return π (multi-π), (A_a − A_e)/(1 − A_e) (eq. 5); NaN if A_e is 1 or more."""
        return _beyond_chance(self.actual, self.expected_pi)

    @property
    def kappa(self) -> float:
        """Return κ (multi-κ), likewise."""
        return _beyond_chance(self.actual, self.expected_kappa)

    @property
    def bias(self) -> float:
        """Return A_e^π − A_e^κ (eq. 16), which shows how differently coders place boundaries."""
        return self.expected_pi - self.expected_kappa

    def as_dict(self) -> dict[str, float]:
        """Return π, κ and bias under the names that they have in JSON."""
        return {"pi_s": self.pi, "kappa_s": self.kappa, "bias": self.bias}


def _beyond_chance(actual: float, expected: float) -> float:
    return ratio(1 - actual, 1 - expected, "")[0]


@dataclass(frozen=True)
class PooledItems:
    """Items as arrays, ready to be pooled with any weights.

    Attributes
    ----------
    agreeing, compared
        ΣPB·S and ΣPB over pairs (of B: what agrees, and all boundaries), shape (items,).
    boundary_counts
        Boundaries (in mode `published` segments), shape (items, coders, types); 0 where a coding is
        missing.
    potential_counts
        mass − 1 where a coder coded an item, shape (items, coders); 0 elsewhere.
    coded
        1 where a coder coded an item, shape (items, coders); 0 elsewhere.
    """

    agreeing: Floats
    compared: Floats
    boundary_counts: Floats
    potential_counts: Floats
    coded: Floats

    def select(self, items: Sequence[int]) -> PooledItems:
        """Return some of the items.

        Parameters
        ----------
        items
            Numbers of the items.
        """
        rows = list(items)
        return PooledItems(
            agreeing=self.agreeing[rows],
            compared=self.compared[rows],
            boundary_counts=self.boundary_counts[rows],
            potential_counts=self.potential_counts[rows],
            coded=self.coded[rows],
        )


def arrays_of_items(pairs: CodingPairs, people: Sequence[str] | None = None) -> PooledItems:
    """Return the arrays of all items.

    Parameters
    ----------
    pairs
        Every two codings of each item, compared.
    people
        Name of the person of each row of `pairs.rows`; equal names are one person. Default: the
        coders' own names.
    """
    rows = pairs.rows
    n_items = 0
    if len(rows.item):
        n_items = int(rows.item[-1]) + 1
    names = list(rows.coder if people is None else people)
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    item_and_coder = (rows.item, np.array([number[name] for name in names], np.int64))
    counts = rows.boundary_counts
    if pairs.comparison.mode is Mode.PUBLISHED:
        # Of each type, an item has one segment more than boundaries.
        counts = counts + 1
    boundary_counts = np.zeros((n_items, len(number), len(rows.types)))
    boundary_counts[item_and_coder] = counts
    potential_counts = np.zeros((n_items, len(number)))
    potential_counts[item_and_coder] = rows.masses - 1
    coded = np.zeros((n_items, len(number)))
    coded[item_and_coder] = 1
    agreeing_by_pair, compared_by_pair = pairs.parts(pairs.comparison.basis)
    agreeing = np.zeros(n_items)
    np.add.at(agreeing, pairs.item, agreeing_by_pair)
    compared = np.zeros(n_items)
    np.add.at(compared, pairs.item, compared_by_pair)
    return PooledItems(
        agreeing=agreeing,
        compared=compared,
        boundary_counts=boundary_counts,
        potential_counts=potential_counts,
        coded=coded,
    )


def coefficients(
    arrays: PooledItems, *, mode: Mode = Mode.EQUATIONS, weights: Floats | None = None
) -> Coefficients:
    """Return π, κ and bias over items.

    Undefined where no item has a potential boundary (on B, a boundary), or where chance agreement
    is not below 1: everybody has a boundary everywhere, or, in mode `published`, more segments than
    places.

    Parameters
    ----------
    arrays, mode
        The items, and what is computed.
    weights
        Number of times that each item counts, shape (items,); default: once.
    """
    if weights is None:
        weights = np.ones(len(arrays.agreeing))
    compared = float((weights * arrays.compared).sum())
    if compared == 0:
        if arrays.potential_counts.any():
            reason = "no boundary"
        else:
            reason = "no potential boundary"
        return Coefficients(
            actual=math.nan, expected_pi=math.nan, expected_kappa=math.nan, reason=reason
        )
    expected_pi = _expected_pi(arrays, weights, mode).value
    expected_kappa = _expected_kappa(arrays, weights).value
    highest = max(expected_pi, expected_kappa)
    return Coefficients(
        actual=float((weights * arrays.agreeing).sum()) / compared,
        expected_pi=expected_pi,
        expected_kappa=expected_kappa,
        reason=None if highest < 1 else f"{_EVERYWHERE}: chance agreement is {highest:g}",
    )


def influences(
    arrays: PooledItems, mode: Mode, weights: Floats
) -> tuple[tuple[float, Floats], tuple[float, Floats]]:
    """Return π and κ, each with its derivatives by the weights of items, shape (items,).

    The mean of the derivatives, weighted like the items, is 0. All is NaN where π and κ are
    undefined.

    Parameters
    ----------
    arrays, mode, weights
        As for `coefficients`.
    """
    agreement = coefficients(arrays, mode=mode, weights=weights)
    if agreement.reason is not None:
        n_items = len(weights)
        return (math.nan, np.full(n_items, math.nan)), (math.nan, np.full(n_items, math.nan))
    compared = (weights * arrays.compared).sum()
    actual_slopes = (arrays.agreeing - agreement.actual * arrays.compared) / compared

    def slopes_of(expected: _Expected) -> Floats:
        # Derivative of (A_a − A_e)/(1 − A_e) by A_a and A_e.
        distance = 1 - expected.value
        gains = actual_slopes * distance - expected.slopes * (1 - agreement.actual)
        return np.asarray(gains / distance**2)

    pi_slopes = slopes_of(_expected_pi(arrays, weights, mode))
    kappa_slopes = slopes_of(_expected_kappa(arrays, weights))
    return (agreement.pi, pi_slopes), (agreement.kappa, kappa_slopes)


class _Expected(NamedTuple):
    """Expected agreement A_e, and its derivatives by the weights of items, shape (items,)."""

    value: float
    slopes: Floats


def _expected_pi(arrays: PooledItems, weights: Floats, mode: Mode) -> _Expected:
    """Compute A_e of π: Σ_t P_e(t)², P_e(t) a ratio of sums over coders and items (eq. 8)."""
    boundary_counts = arrays.boundary_counts
    potential_counts = arrays.potential_counts
    if mode is Mode.PUBLISHED:
        # The mean of ratios is the ratio of sums with each (coder, item) as one place.
        places_by_type = np.broadcast_to(potential_counts[..., None], boundary_counts.shape)
        boundary_counts = share(boundary_counts, places_by_type, 0.0)
        potential_counts = (potential_counts > 0).astype(np.float64)
    numerators = boundary_counts.sum(axis=1)
    denominators = potential_counts.sum(axis=1)
    total = (weights * denominators).sum()
    rates = np.einsum("i,it->t", weights, numerators) / total
    residuals = numerators - rates * denominators[:, None]
    slopes = 2 * np.einsum("t,it->i", rates, residuals) / total
    return _Expected(float(np.sum(rates**2)), slopes)


def _expected_kappa(arrays: PooledItems, weights: Floats) -> _Expected:
    """Compute A_e of κ: the mean of Σ_t P_e(t|c)·P_e(t|d) over pairs c, d of coders (eq. 15).

    P_e(t|c) is the sum of boundaries over that of potential ones, of coder c (eq. 11).
    """
    # Subscripts of the sums: i is an item, c and d are coders, t is a boundary type.
    potential_counts = np.einsum("i,ic->c", weights, arrays.potential_counts)
    has_places = potential_counts > 0
    boundary_counts = arrays.boundary_counts[:, has_places]
    potential_counts = potential_counts[has_places]
    rates = np.einsum("i,ict->ct", weights, boundary_counts) / potential_counts[:, None]
    coded = arrays.coded[:, has_places]
    share_an_item = (np.einsum("i,ic,id->cd", weights, coded, coded) > 0).astype(np.float64)
    np.fill_diagonal(share_an_item, 0)
    # Some coders share an item, as something was compared.
    n_pairs = share_an_item.sum()
    expected = np.einsum("ct,dt,cd->", rates, rates, share_an_item) / n_pairs
    # Each rate occurs twice in the products; it moves by the residual of an item over its places.
    by_rate = (
        2 * np.einsum("cd,dt->ct", share_an_item, rates) / (potential_counts[:, None] * n_pairs)
    )
    residuals = boundary_counts - rates * arrays.potential_counts[:, has_places, None]
    return _Expected(float(expected), np.einsum("ct,ict->i", by_rate, residuals))
