"""Disorder of links and of chains on the best alignment of their units."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gammacp.alignment import Status
from gammacp.base.arrays import Codes, Indices
from gammacp.continuum import Continuum
from gammacp.continuum.links import Linked
from gammacp.errors import DataError
from gammacp.links.measures.chains import chain_costs, chains_of
from gammacp.links.measures.joined import Joined, LinkCosts, ends_of, groups_of, join_links
from gammacp.measures.counting import Counts
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings


class BoundedCost(NamedTuple):
    """A cost, its lower bound, the size it refers to, and whether the cost is proven.

    `most` is the cost if nothing were alike.
    """

    cost: float
    bound: float
    size: float
    proven: bool = True
    most: float = 0.0

    def against(self, expected: float, annotators: tuple[str, ...]) -> Counts:
        """Return counts that add up over documents, for `disorder_rates`.

        Parameters
        ----------
        expected
            D_e.
        annotators
            Names of all annotators.
        """
        numbers = {
            "observed": self.cost,
            "expected": expected * self.size,
            "units": self.size,
            "most": self.most,
        }
        return Counts((annotators,), {name: np.array([x]) for name, x in numbers.items()})


Count: TypeAlias = Callable[[Continuum, Codes, Any], BoundedCost]
"""Count what disagrees, given a continuum, its groups of units and what was dealt (or None)."""


@dataclass(frozen=True)
class LinksOn:
    """Costs of the links of continua on alignments of their units."""

    costs: LinkCosts
    settings: Settings
    type: str | None = None
    """The only type of links that is counted."""

    def links_of(self, continuum: Continuum) -> Linked:
        """Select the links that are counted.

        Parameters
        ----------
        continuum
            Continuum of the units.
        """
        return continuum.link_rows.only(chains=False, type=self.type)

    def join(self, continuum: Continuum, groups: Codes, dealt: Linked | None = None) -> Joined:
        """Return the best alignment of the links.

        Parameters
        ----------
        continuum, groups
            Units and their unitary alignments.
        dealt
            Links to use instead of those of the continuum; None for its own.
        """
        if dealt is None:
            links = self.links_of(continuum)
        else:
            links = dealt
        ends = ends_of(continuum, links, groups_of(continuum, groups), self.costs)
        return join_links(continuum, ends, self.costs, self.settings)

    def __call__(self, continuum: Continuum, groups: Codes, dealt: Linked | None) -> BoundedCost:
        """Return the cost of the best alignment of the links."""
        joining = self.join(continuum, groups, dealt)
        most = joining.size * continuum.n_annotators * self.costs.delta
        proven = joining.status is Status.OPTIMAL
        return BoundedCost(joining.cost, joining.bound, joining.size, proven, most)


def count_chains(continuum: Continuum, groups: Codes, moved: Indices | None) -> BoundedCost:
    """Sum the costs of chains: `chain_costs` over all pairs of annotators.

    Parameters
    ----------
    continuum, groups
        As for `LinksOn.join`.
    moved
        For each unit, the one that takes its place in the chains; None for no change.
    """
    chains = chains_of(continuum, continuum.link_rows.only(chains=True))
    if moved is not None:
        chains = chains[np.argsort(moved)]
    places = groups_of(continuum, groups)
    cost, count = chain_costs(continuum.annotator_codes, continuum.n_annotators, chains, places)
    size = float(count.sum())
    return BoundedCost(float(cost.sum()), float(cost.sum()), size, most=size)


def links_on(
    basis: Basis, types: Any = "nominal", ends: str = "aligned", *, only: str | None = None
) -> LinksOn:
    """Return the function that counts links, for the continua and settings of a basis.

    Parameters
    ----------
    basis
        Alignments and random sets that γ rests on.
    types, ends
        As for `gamma_link`.
    only
        The only type of links to count; None for all.
    """
    costs = LinkCosts.of(basis.continua, basis.settings, basis.dissimilarity, types, ends)
    return LinksOn(costs, basis.settings, only)


def without_proof(count: Count, basis: Basis) -> Count:
    """Return the function that counts random sets, with fewer proofs where these are costly.

    With three annotators or more, alignments need not be proven to be the best. A gap of a quarter
    of the precision is negligible, and the interval of D_e includes it.

    Parameters
    ----------
    count
        Function that counts the data.
    basis
        Alignments and random sets that γ rests on.
    """
    if not isinstance(count, LinksOn) or max(c.n_annotators for c in basis.continua) < 3:
        return count
    settings = count.settings
    if settings.method == "auto":
        method = "generation"
    else:
        method = settings.method
    gap = max(settings.gap, settings.rule.precision / 4)
    return replace(count, settings=replace(settings, method=method, gap=gap))


def count_each(basis: Basis, count: Count) -> list[tuple[Continuum, BoundedCost]]:
    """Count each continuum, and return those that have anything to count.

    Parameters
    ----------
    basis, count
        As for `without_proof`.

    Raises
    ------
    DataError
        No continuum has anything to count.
    """
    sound = [c for c in basis.continua if c.n_annotators > 1 and c.n_units]
    aligned = basis.align(sound)
    counted_documents = [(a.continuum, count(a.continuum, a.groups, None)) for a in aligned]
    documents_with_links = [(c, counted) for c, counted in counted_documents if counted.size]
    if not documents_with_links:
        raise DataError(
            "no continuum has two annotators with links or chains to compare",
            hint="Put the files of each annotator into a folder of that name: ANNOTATOR/DOCUMENT",
        )
    return documents_with_links


def total_of(parts: Iterable[BoundedCost]) -> BoundedCost:
    """Return the sums over continua.

    Parameters
    ----------
    parts
        Counts of each part.
    """
    cost, bound, size, proven, most = zip(*parts, strict=True)
    sums = math.fsum(cost), math.fsum(bound), math.fsum(size)
    return BoundedCost(*sums, all(proven), math.fsum(most))


def loose_links(observed: Sequence[tuple[Continuum, BoundedCost]]) -> tuple[str, ...]:
    """Return a note about links at units that were left out.

    Parameters
    ----------
    observed
        Continua with their counts.
    """
    lost = sum(c.link_rows.loose for c, _ in observed)
    if lost:
        return (f"{lost} links end at units that were left out",)
    return ()
