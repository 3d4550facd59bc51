"""γ of links and γ of chains: their disorder on the best alignment of the units, against chance.

γ_link = 1 − D_o/D_e, D the disorder of the links (`gammacp.links.measures.joined`), and γ_chain
likewise with the disagreement of chains (`gammacp.links.measures.chains`). By chance whole
annotations meet, with their links: the random sets are those of γ, each on its own best alignment.
*Given the units* the alignment stays. Chance deals the distances of each annotator's links anew
among the units that he or she links (`gammacp.links.measures.dealing`); of chains, the units change
places.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias, Unpack

import numpy as np

from gammacp.alignment import Status
from gammacp.base.arguments import instance
from gammacp.base.arrays import Codes, Indices
from gammacp.base.record_tables import record_of
from gammacp.base.signature import describe
from gammacp.chance.beyond import BeyondChance, against_chance, ratio_interval, ratio_with_interval
from gammacp.chance.expected import ExpectedDisorder
from gammacp.continuum import Continuum
from gammacp.continuum.links import Linked
from gammacp.continuum.needs import require
from gammacp.dissimilarity.categorial import categorial
from gammacp.errors import DataError
from gammacp.links.measures.chains import chain_costs, chains_of
from gammacp.links.measures.dealing import DealtLinks
from gammacp.links.measures.joined import (
    Joined,
    LinkCosts,
    ends_of,
    groups_of,
    join_links,
    links_to_join,
)
from gammacp.measures.gamma import not_shown, notes_on
from gammacp.measures.random_sets import Basis, Chance
from gammacp.measures.registry import registered
from gammacp.measures.score import ChanceBaseline, Score, undefined
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing

_ALIKE = "the expected disorder is 0: random sets agree perfectly"


class Counted(NamedTuple):
    """A cost, its lower bound, the size it refers to, and whether the cost is proven."""

    cost: float
    bound: float
    size: float
    proven: bool = True


Count: TypeAlias = Callable[[Continuum, Codes, Any], Counted]
"""Count what disagrees, given a continuum, its groups of units and what was dealt (or None)."""


@dataclass(frozen=True)
class LinksOn:
    """What the links of continua cost on alignments of their units."""

    costs: LinkCosts
    settings: Settings
    type: str | None = None
    """The only type of links that is counted."""

    def links_of(self, continuum: Continuum) -> Linked:
        """Select the links that are counted.

        Parameters
        ----------
        continuum
            Their units.
        """
        return continuum.link_rows.only(chains=False, type=self.type)

    def join(self, continuum: Continuum, groups: Codes, dealt: Linked | None = None) -> Joined:
        """The best alignment of the links.

        Parameters
        ----------
        continuum, groups
            Units and their unitary alignments.
        dealt
            Links that stand for those of the continuum; None: its own.
        """
        links = self.links_of(continuum) if dealt is None else dealt
        ends = ends_of(continuum, links, groups_of(continuum, groups), self.costs)
        return join_links(continuum, ends, self.costs, self.settings)

    def __call__(self, continuum: Continuum, groups: Codes, dealt: Linked | None) -> Counted:
        """Their cost."""
        found = self.join(continuum, groups, dealt)
        return Counted(found.cost, found.bound, found.size, found.status is Status.OPTIMAL)


def count_chains(continuum: Continuum, groups: Codes, moved: Indices | None) -> Counted:
    """What the chains cost: `chain_costs` over all pairs of annotators.

    Parameters
    ----------
    continuum, groups
        As for `LinksOn.join`.
    moved
        The unit that takes the place of each unit in the chains.
    """
    chains = chains_of(continuum, continuum.link_rows.only(chains=True))
    if moved is not None:
        chains = chains[np.argsort(moved)]
    places = groups_of(continuum, groups)
    cost, count = chain_costs(continuum.annotator_codes, continuum.n_annotators, chains, places)
    return Counted(float(cost.sum()), float(cost.sum()), float(count.sum()))


@dataclass(frozen=True)
class ShuffledUnits:
    """Random permutations of each annotator's units.

    Attributes
    ----------
    offsets
        First rows of the annotators, and the number of units.
    """

    offsets: tuple[int, ...]

    def draw(self, rng: np.random.Generator) -> Indices:
        """Draw the unit that takes the place of each unit.

        Parameters
        ----------
        rng
            Random numbers.
        """
        parts = [low + rng.permutation(high - low) for low, high in pairwise(self.offsets)]
        return np.concatenate(parts)


@dataclass(frozen=True)
class DealtAnew:
    """Random links or chains among the units that are there, for each of some continua.

    Attributes
    ----------
    parts
        What draws them for each continuum.
    signature
        How they are drawn.
    """

    parts: tuple[DealtLinks | ShuffledUnits, ...]
    signature: str

    @classmethod
    def of(cls, continua: Sequence[Continuum], count: Count) -> DealtAnew:
        """Prepare dealing what is counted.

        Parameters
        ----------
        continua
            Those that have something to count.
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


def _of_one(
    name: str,
    continuum: Continuum,
    options: Mapping[str, Any],
    types: Any = "nominal",
    ends: str = "aligned",
) -> Score:
    settings, how = Settings.and_computing(options, keeping=True)
    instance("continuum", continuum, Continuum, "a Continuum")
    require(continuum, fragments=True)
    chains = "chain" in name
    links_to_join(continuum, chains=chains)
    basis = Basis(continuum, settings, **how)
    said = {} if chains else {"types": describe(categorial(types)), "ends": ends}
    count: Count = count_chains if chains else links_on(basis, types, ends)
    if name.endswith("given-units"):
        return given_units(name, basis, count, **said)
    return BeyondUnits.of(basis, count).score(name, None, **said)


def _register(name: str, summary: str) -> None:
    add = registered(name, summary, "this library", applies_to="links", fragments="whole")
    if "chain" in name:

        @spelled_out_with_computing
        def gamma_chain(continuum: Continuum, **options: Unpack[FamilyOptions]) -> Score:
            """γ of the chains of one continuum; arguments and errors as for `gamma`.

            Parameters
            ----------
            continuum
                At least two annotators, and a chain of two units.
            options
                Those of `FamilyOptions`.
            """
            return _of_one(name, continuum, options)

        add(gamma_chain)
        return

    @spelled_out_with_computing
    def gamma_link(
        continuum: Continuum,
        *,
        types: Any = "nominal",
        ends: str = "aligned",
        **options: Unpack[FamilyOptions],
    ) -> Score:
        """γ of the links of one continuum; arguments and errors as for `gamma`.

        Parameters
        ----------
        continuum
            At least two annotators, and a link.
        types
            Distance of types of links, as `Combined.categorial`.
        ends
            "aligned": ends meet where their units are aligned; "places": ends are as far apart as
            their units (d_pos), aligned or not.
        options
            Those of `FamilyOptions`; α weighs ends, β types, Δ is what a missing link costs.

        Identical links give 1.
        """
        return _of_one(name, continuum, options, types, ends)

    add(gamma_link)


def links_on(
    basis: Basis, types: Any = "nominal", ends: str = "aligned", *, only: str | None = None
) -> LinksOn:
    """How the links of what a basis holds are counted.

    Parameters
    ----------
    basis
        What γ rests on.
    types, ends
        As for `gamma_link`.
    only
        The only type of links that is counted; None: all.
    """
    costs = LinkCosts.of(basis.continua, basis.settings, basis.bound, types, ends)
    return LinksOn(costs, basis.settings, only)


def _without_proof(count: Count, basis: Basis) -> Count:
    """The same for random sets: of three annotators or more they need no proof.

    A gap of a quarter of the precision is not noticed, and the interval of D_e includes it.
    """
    if not isinstance(count, LinksOn) or max(c.n_annotators for c in basis.continua) < 3:
        return count
    own = count.settings
    method = "generation" if own.method == "auto" else own.method
    gap = max(own.gap, own.rule.precision / 4)
    return replace(count, settings=replace(own, method=method, gap=gap))


@dataclass(frozen=True)
class BeyondUnits:
    """What is counted on alignments of continua, and on the random sets that stand for chance.

    Attributes
    ----------
    basis
        What γ rests on; it keeps random sets.
    observed
        What is counted of each continuum that has something to count.
    expected
        The same of its random sets, by chance.
    """

    basis: Basis
    observed: Sequence[tuple[Continuum, Counted]]
    expected: Mapping[Chance, ExpectedDisorder]

    @classmethod
    def of(cls, basis: Basis, count: Count) -> BeyondUnits:
        """Count on alignments and random sets.

        Parameters
        ----------
        basis
            What γ rests on; its random sets must hold whole annotations.
        count
            What disagrees.

        Raises
        ------
        DataError
            The chance model does not carry links, or no continuum has any.
        """
        if not basis.model.named:
            raise DataError(
                f"chance model {basis.model.name!r} does not carry links along",
                hint="Use `chance=cut` or documents",
            )
        observed, drawn = _count_each(basis, count), _without_proof(count, basis)
        chances = dict.fromkeys(basis.chance(c) for c, _ in observed)
        expected = {
            chance: _expected(
                [drawn(s.continuum, s.groups, None) for s in chance.sets], basis.settings.rule
            )
            for chance in chances
            if chance.expected.enough
        }
        return cls(basis, observed, expected)

    def score(self, name: str, some: Collection[Continuum] | None = None, **said: object) -> Score:
        """1 − D_o/D_e over all continua, or over some.

        Parameters
        ----------
        name
            Of the measure.
        some
            These continua; None: all.
        said
            Options of the count, for the signature.
        """
        settings = self.basis.settings
        observed = [(c, found) for c, found in self.observed if some is None or c in some]
        chances = {c: self.basis.chance(c) for c, _ in observed}
        if not observed:
            return undefined("no two annotators have anything to compare")
        if not all(chance in self.expected for chance in chances.values()):
            sets = sum(len(chance.sets) for chance in chances.values())
            return undefined(f"interrupted after {sets} random sets, too few")
        shares: dict[Chance, float] = {}
        for c, found in observed:
            shares[chances[c]] = shares.get(chances[c], 0.0) + found.size
        whole, rule = _sum(found for _, found in observed), settings.rule
        terms = [(share / whole.size, self.expected[chance]) for chance, share in shares.items()]
        mean, low = (
            math.fsum(w * getattr(e, m) for w, e in terms) for m in ("mean", "proven_mean")
        )
        half = rule.quantile * math.sqrt(math.fsum((w * e.standard_error) ** 2 for w, e in terms))
        d, bound = whole.cost / whole.size, whole.bound / whole.size
        alone = terms[0][1] if len(observed) == 1 else None
        p = None if alone is None else alone.p_value(d)
        interval = ratio_interval(bound, d, max(0.0, low - half), mean + half)
        return Score(
            **ratio_with_interval(d, mean, interval, _ALIKE),
            status=_status(whole.proven and all(e.proven for _, e in terms)),
            baseline=ChanceBaseline(
                model=",".join(dict.fromkeys(chance.model for chance in chances.values())),
                samples=sum(e.samples for _, e in terms),
                p=p,
            ),
            notes=(
                *(note for _, e in terms for note in notes_on(e, settings)),
                *_loose(observed),
                *not_shown(p, alone.samples if alone else 0),
            ),
            signature=_signature(name, self.basis, list(chances.values()), observed, said),
        )


def _status(proven: bool) -> Status:
    return Status.OPTIMAL if proven else Status.FEASIBLE


def given_units(name: str, basis: Basis, count: Count, **said: object) -> Score:
    """1 − D_o/D_e where the units' alignments stay and links or chains are dealt anew.

    Parameters
    ----------
    name, basis, count, said
        As for `BeyondUnits`; random sets of units are not needed.

    Raises
    ------
    DataError
        No continuum has links.
    """
    observed = _count_each(basis, count)
    groups = [(c, basis.align([c])[0].groups) for c, _ in observed]
    drawn = _without_proof(count, basis)
    sampler = DealtAnew.of([c for c, _ in observed], count)

    def observe(dealt: Sequence[Linked | Indices]) -> dict[str, float]:
        found = _sum(drawn(c, g, d) for (c, g), d in zip(groups, dealt, strict=True))
        return {name: found.cost / found.size}

    whole = _sum(found for _, found in observed)
    made = _signature(name, basis, [], observed, said)
    chance: BeyondChance = against_chance(
        {name: whole.cost / whole.size},
        observe,
        sampler,
        basis.settings.rule,
        basis.settings.seed,
        signed={name: made},
    )[name]
    return Score(
        **record_of(chance, "value observed expected interval reason signature"),
        baseline=ChanceBaseline(model=chance.chance, samples=chance.samples, p=chance.p),
        status=_status(whole.proven),
        notes=(*_loose(observed), *not_shown(chance.p, chance.samples)),
    )


def _count_each(basis: Basis, count: Count) -> list[tuple[Continuum, Counted]]:
    """What is counted of each continuum that has something to count."""
    sound = [c for c in basis.continua if c.n_annotators > 1 and c.n_units]
    aligned = basis.align(sound)
    found = [(a.continuum, count(a.continuum, a.groups, None)) for a in aligned]
    there = [(c, counted) for c, counted in found if counted.size]
    if not there:
        raise DataError("no continuum has two annotators with links or chains to compare")
    return there


def _sum(parts: Any) -> Counted:
    cost, bound, size, proven = zip(*parts, strict=True)
    return Counted(math.fsum(cost), math.fsum(bound), math.fsum(size), all(proven))


def _expected(found: Sequence[Counted], rule: Any) -> ExpectedDisorder:
    sized = [f for f in found if f.size]
    return ExpectedDisorder(
        np.array([f.cost / f.size for f in sized]),
        np.array([f.bound / f.size for f in sized]),
        all(f.proven for f in sized),
        rule.confidence,
        weights=np.array([f.size for f in sized]),
        without_value=len(found) - len(sized),
    )


def _loose(observed: Sequence[tuple[Continuum, Counted]]) -> tuple[str, ...]:
    lost = sum(c.link_rows.loose for c, _ in observed)
    return (f"{lost} links end at units that were left out",) if lost else ()


def _signature(
    name: str,
    basis: Basis,
    chances: Sequence[Any],
    observed: Sequence[tuple[Continuum, Counted]],
    said: Mapping[str, Any],
) -> str:
    selection = dict.fromkeys(entry for c, _ in observed for entry in c.selection)
    return basis.signature(
        name,
        *chances,
        selection=tuple(selection),
        continua=len(observed) if len(observed) > 1 else None,
        **said,
    )


for _name, _summary in (
    ("gamma-link", "typed links between the units that γ aligns"),
    (
        "gamma-link-given-units",
        "typed links, given the units: chance redistributes each annotator's distances of links",
    ),
    ("gamma-chain", "chains of the units that γ aligns"),
    (
        "gamma-chain-given-units",
        "chains, given the units: chance redistributes them among each annotator's units",
    ),
):
    _register(_name, _summary)
