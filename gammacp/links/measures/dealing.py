"""Links dealt anew among the units of their annotator, whose habits of attaching are kept.

If the units are given, a chance model must know how an annotator attaches them. People who always
link to the preceding unit agree in every link without looking at the text; dealing links to
arbitrary pairs of units would count that as agreement.

So one end of every link, the *anchor*, stays where it is. The link is described as seen from there:
"two units back", or "back to unit 7" if unit 7 is a hub of this annotator. These descriptions, each
with the type of its link, are permuted at random among the annotator's anchors, as far as they then
lead to a unit. This preserves the units at which links are anchored, the frequency of each distance
and direction, the number of links of each hub, and the frequency of each type with each distance.

Suppose that annotators choose distances and hubs with probabilities of their own, and each link
independently of the others. Then all such arrangements are equally probable given what is preserved
(the conditional law of quasi-independence), so that independent annotators agree as much as random
arrangements do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.continuum import Continuum
from gammacp.continuum.links import DIRECTED, Linked
from gammacp.links.measures.disorder import Count, LinksOn

# Rounds of exchanges in a draw, enough to make it independent of the data.
_ROUNDS = 20
# A unit is a hub if fewer units than this are expected to have as many links by chance.
_FEWER_THAN = 1.0
# Floor of expected counts: a Fourier transform leaves rounding noise instead of 0.
_NO_LINK = 1e-9


@dataclass(frozen=True)
class Anchored:
    """The links of one annotator as seen from their anchors.

    Attributes
    ----------
    rows
        Numbers of the links.
    anchors
        Unit at which each link is anchored, numbered from 0 in the annotator's order.
    places
        Where the other end of each link is: the number of the hub, or its distance from the anchor
        in units.
    relative
        1 where `places` is a distance, 0 where it is a hub.
    ahead
        Whether each link leads from its anchor to a later unit.
    turned
        Whether the anchors of directed links are their targets.
    units
        Number of units of the annotator.
    """

    rows: Indices
    anchors: Indices
    places: Indices
    relative: Indices
    ahead: Bools
    turned: bool
    units: int

    @classmethod
    def of(
        cls, rows: Indices, sources: Indices, targets: Indices, free: Bools, units: int
    ) -> Anchored:
        """Choose anchors and hubs.

        The anchors are the ends that repeat less, such as the sources where every unit links once.
        An undirected link is anchored at the end with fewer links.

        Parameters
        ----------
        rows
            Numbers of the links.
        sources, targets
            Units at the two ends of each link, numbered from 0 in the annotator's order.
        free
            True for links that are not directed.
        units
            Number of units.
        """
        degrees = [np.bincount(ends, minlength=units) for ends in (sources, targets)]
        turned = bool((degrees[1] ** 2).sum() < (degrees[0] ** 2).sum())
        anchors, others = (targets, sources) if turned else (sources, targets)
        links = degrees[0] + degrees[1]
        crossed = free & (links[anchors] > links[others])
        anchors, others = np.where(crossed, others, anchors), np.where(crossed, anchors, others)
        relative = (~find_hubs(anchors, others, units)[others]).astype(np.int64)
        places = others - relative * anchors
        return cls(rows, anchors, places, relative, others > anchors, turned, units)

    def deal(self, rng: np.random.Generator) -> tuple[Indices, Indices]:
        """Exchange descriptions between anchors at random.

        In each round the links are paired at random. In half of the pairs, the two links exchange
        their descriptions, on two conditions: both must then lead to a unit in the same direction
        as before, and no anchor may get two links to one unit. Each round is as probable as its
        reverse, so that all arrangements become equally probable.

        Parameters
        ----------
        rng
            Random numbers.

        Returns
        -------
        order, others
            For each link, the index in `rows` of the link whose description it now has, and the
            unit to which it leads.
        """
        count = len(self.rows)
        order = np.arange(count)
        repeated = len(np.unique(self.anchors)) < count
        for _ in range(_ROUNDS if count > 1 else 0):
            pairs = rng.permutation(count)[: count // 2 * 2].reshape(-1, 2)
            pairs = pairs[rng.random(len(pairs)) < 0.5]
            pairs = pairs[self._fit(pairs, order[pairs[:, ::-1]]).all(axis=1)]
            if repeated:
                pairs = self._without_repeats(pairs, order)
            order[pairs] = order[pairs[:, ::-1]]
        return order, self._lead(np.arange(count), order)

    def _lead(self, links: Indices, order: Indices) -> Indices:
        """Return the units to which `links` lead if they have the descriptions `order`."""
        ends: Indices = self.places[order] + self.relative[order] * self.anchors[links]
        return ends

    def _fit(self, links: Indices, order: Indices) -> Bools:
        """Return whether `links` with the descriptions `order` lead to units on the right side."""
        ends = self._lead(links, order)
        anchors = self.anchors[links]
        inside = (ends >= 0) & (ends < self.units)
        fitting: Bools = inside & np.where(self.ahead[order], ends > anchors, ends < anchors)
        return fitting

    def _without_repeats(self, pairs: Indices, order: Indices) -> Indices:
        """Return the pairs whose links have a place of their own, before and after the exchange.

        A pair is dropped if an anchor would have two links to one unit. The same condition holds
        for the links before and after the exchange, so that every exchange can be undone.
        """
        links = np.arange(len(self.rows))
        now = self.anchors * self.units + self._lead(links, order)
        then = self.anchors[pairs] * self.units + self._lead(pairs, order[pairs[:, ::-1]])
        distinct, number = np.unique(np.concatenate([now, then.ravel()]), return_counts=True)

        def alone(keys: Indices) -> Bools:
            once: Bools = (number[np.searchsorted(distinct, keys)] == 1).all(axis=1)
            return once

        return pairs[alone(now[pairs]) & alone(then)]


def find_hubs(anchors: Indices, others: Indices, units: int) -> Bools:
    """Return the units to which more links lead than their distances explain, shape (units,).

    The number of links to a unit is taken as Poisson-distributed around the mean that results from
    dealing distances at random. The most conspicuous unit is a hub if less than one unit would be
    expected to have as many links by chance. The search is repeated without the links to this hub
    until there is no further one.

    Parameters
    ----------
    anchors, others
        The two ends of each link, from 0.
    units
        Number of units.
    """
    from scipy.special import gammainc

    hubs = np.zeros(units, np.bool_)
    while True:
        rest = ~hubs[others]
        links = np.bincount(others[rest], minlength=units)
        candidates = np.flatnonzero(links > 1)
        if not len(candidates):
            return hubs
        means = _dealt_on_average(anchors[rest], others[rest], units)[candidates]
        chances = gammainc(links[candidates], means)
        first = int(np.argmin(chances))
        if chances[first] * units >= _FEWER_THAN:
            return hubs
        hubs[candidates[first]] = True


def _dealt_on_average(anchors: Indices, others: Indices, units: int) -> Floats:
    """Return the mean number of links to each unit if anchors draw from all distances that fit."""
    distances = np.bincount(others - anchors + units - 1, minlength=2 * units - 1)
    below = np.concatenate([[0], np.cumsum(distances)])
    unit = np.arange(units)
    fitting = below[2 * units - 1 - unit] - below[units - 1 - unit]
    weights = np.bincount(anchors, minlength=units) / np.maximum(fitting, 1)
    size = 3 * units
    product = np.fft.irfft(np.fft.rfft(weights, size) * np.fft.rfft(distances, size), size)
    means: Floats = np.maximum(product[units - 1 : 2 * units - 1], _NO_LINK)
    return means


@dataclass(frozen=True)
class DealtLinks:
    """Sampler that deals the links of a continuum anew.

    Attributes
    ----------
    links
        Links that are dealt.
    people
        For each annotator with links, the first row of the annotator's units, and the links.
    """

    links: Linked
    people: tuple[tuple[int, Anchored], ...]

    @classmethod
    def of(cls, continuum: Continuum, links: Linked) -> DealtLinks:
        """Describe the links of every annotator as seen from their anchors.

        Parameters
        ----------
        continuum
            Continuum of the units, in the order of each annotator.
        links
            Links of the continuum; chains are not allowed.
        """
        free = np.array([kind != DIRECTED for kind in links.kinds] or [False])[links.codes]
        people = []
        for low, high in pairwise(continuum.offsets.tolist()):
            rows = np.flatnonzero((links.sources >= low) & (links.sources < high))
            if len(rows):
                ends = links.sources[rows] - low, links.targets[rows] - low
                people.append((low, Anchored.of(rows, *ends, free[rows], high - low)))
        return cls(links, tuple(people))

    def draw(self, rng: np.random.Generator) -> Linked:
        """Deal the links of each annotator anew.

        Parameters
        ----------
        rng
            Random numbers.
        """
        links = self.links
        codes = links.codes.copy()
        sources = links.sources.copy()
        targets = links.targets.copy()
        for low, dealing in self.people:
            order, others = dealing.deal(rng)
            codes[dealing.rows] = links.codes[dealing.rows[order]]
            if dealing.turned:
                ends = (others, dealing.anchors)
            else:
                ends = (dealing.anchors, others)
            sources[dealing.rows], targets[dealing.rows] = (end + low for end in ends)
        return Linked(links.types, links.kinds, codes, sources, targets, links.loose)


@dataclass(frozen=True)
class ShuffledUnits:
    """Sampler of random permutations of each annotator's units.

    Attributes
    ----------
    offsets
        First row of each annotator, and at the end the number of units.
    """

    offsets: tuple[int, ...]

    def draw(self, rng: np.random.Generator) -> Indices:
        """Draw a permutation: for each unit the one that takes its place.

        Parameters
        ----------
        rng
            Random numbers.
        """
        parts = [low + rng.permutation(high - low) for low, high in pairwise(self.offsets)]
        return np.concatenate(parts)


@dataclass(frozen=True)
class DealtAnew:
    """Sampler of random links or chains among the given units of several continua.

    Attributes
    ----------
    parts
        Sampler of each continuum.
    signature
        Signature of the chance model.
    """

    parts: tuple[DealtLinks | ShuffledUnits, ...]
    signature: str

    @classmethod
    def of(cls, continua: Sequence[Continuum], count: Count) -> DealtAnew:
        """Prepare the samplers for what `count` counts: links or chains.

        Parameters
        ----------
        continua
            Continua that have something to count.
        count
            `LinksOn`, or a function that counts chains.
        """
        if isinstance(count, LinksOn):
            dealt = [DealtLinks.of(c, count.links_of(c)) for c in continua]
            return cls(tuple(dealt), "dealt-distances")
        units = [ShuffledUnits(tuple(c.offsets.tolist())) for c in continua]
        return cls(tuple(units), "dealt-anew")

    def draw(self, rng: np.random.Generator) -> list[Linked | Indices]:
        """Draw random links, or permutations of units, for each continuum.

        Parameters
        ----------
        rng
            Random numbers.
        """
        return [part.draw(rng) for part in self.parts]
