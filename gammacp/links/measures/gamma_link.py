"""γ of links and γ of chains: their disorder on the best alignment of the units, against chance.

γ_link = 1 − D_o/D_e, D the disorder of the links (`gammacp.links.measures.joined`), and γ_chain
likewise with the disagreement on chains (`gammacp.links.measures.chains`). The chance model moves
whole annotations together with their links: the random sets are those of γ, each with its own best
alignment.

*Given the units*, the alignment is kept. The chance model redistributes the distances of each
annotator's links among the units that this annotator links (`gammacp.links.measures.dealing`). For
chains it permutes the units.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Unpack

import numpy as np

from gammacp.alignment import Status
from gammacp.base.arguments import instance
from gammacp.base.arrays import Indices
from gammacp.base.record_tables import record_of
from gammacp.base.signature import describe
from gammacp.chance.beyond import BeyondChance, against_chance, ratio_interval, ratio_with_interval
from gammacp.chance.expected import ExpectedDisorder
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.links import Linked
from gammacp.continuum.needs import require
from gammacp.dissimilarity.categorial import categorial
from gammacp.errors import DataError
from gammacp.links.measures.dealing import DealtAnew
from gammacp.links.measures.disorder import (
    BoundedCost,
    Count,
    count_chains,
    count_each,
    links_on,
    loose_links,
    total_of,
    without_proof,
)
from gammacp.links.measures.joined import links_to_join
from gammacp.measures.counting import Counting, Counts
from gammacp.measures.gamma import disorder_rates
from gammacp.measures.gamma_notes import not_shown, notes_on
from gammacp.measures.random_sets import Basis, Chance
from gammacp.measures.registry import registered
from gammacp.measures.score import ChanceBaseline, Score, undefined
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing

_ALIKE = "the expected disorder is 0: random sets agree perfectly"


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
    links_to_join(continuum, chains="chain" in name)
    basis = Basis(continuum, settings, **how)
    count, counting_settings = _counting_of(name, basis, types, ends)
    if name.endswith("given-units"):
        return given_units(name, basis, count, **counting_settings)
    return BeyondUnits.of(basis, count).score(name, None, **counting_settings)


def _count(name: str, continuum: Continuum, **options: Any) -> Counts:
    """Return the observed and expected costs of the links or chains of a continuum."""
    score = _of_one(name, continuum, **_split(options))
    if score.counts is None:
        raise DataError(score.reason or _ALIKE)
    return score.counts


def _split(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of links unchanged, and those of γ collected under `options`."""
    link_options = {key: options[key] for key in ("types", "ends") if key in options}
    return {**link_options, "options": {k: v for k, v in options.items() if k not in link_options}}


@dataclass(frozen=True, kw_only=True)
class LinksOfCorpus(Score):
    """γ of the links or chains of a corpus.

    `scores` has the scores of the documents, by name.
    """

    scores: Mapping[str, Score]


def _of_corpus(name: str, corpus: Corpus, **options: Any) -> LinksOfCorpus:
    """Return γ of links or chains of a corpus, whose documents share random sets."""
    parts = _split(options)
    settings, how = Settings.and_computing(parts.pop("options"), keeping=True)
    basis = Basis(corpus, settings, **how)
    count, counting_settings = _counting_of(name, basis, **parts)
    beyond = BeyondUnits.of(basis, count)
    counted = {c.name for c, _ in beyond.observed}
    scores = {
        c.name: beyond.score(name, [c], **counting_settings)
        if c.name in counted
        else undefined("no two annotators have anything to compare")
        for c in basis.continua
    }
    whole = beyond.score(name, None, **counting_settings)
    return LinksOfCorpus(**{f.name: getattr(whole, f.name) for f in fields(whole)}, scores=scores)


def _counting_of(
    name: str, basis: Basis, types: Any = "nominal", ends: str = "aligned"
) -> tuple[Count, dict[str, object]]:
    """Return the function that counts costs, and its options for the signature."""
    if "chain" in name:
        return count_chains, {}
    return links_on(basis, types, ends), {"types": describe(categorial(types)), "ends": ends}


def _register(name: str, summary: str) -> None:
    add = registered(
        name,
        summary,
        "this library",
        applies_to="links",
        fragments="whole",
        counting=Counting(
            count=partial(_count, name),
            rates=disorder_rates,
            pooling="all",
            nothing=_ALIKE,
            together=None if name.endswith("given-units") else partial(_of_corpus, name),
        ),
    )
    if "chain" in name:

        @spelled_out_with_computing
        def gamma_chain(continuum: Continuum, **options: Unpack[FamilyOptions]) -> Score:
            """γ of the chains of one continuum; arguments and errors as for `gamma`.

            Parameters
            ----------
            continuum
                At least two annotators, and a chain of two units.
            options
                Options of `FamilyOptions`.
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
            Options of `FamilyOptions`; α weighs ends, β types, Δ is what a missing link costs.

        Identical links give 1.
        """
        return _of_one(name, continuum, options, types, ends)

    add(gamma_link)


@dataclass(frozen=True)
class BeyondUnits:
    """Counts on alignments of continua and on their random sets.

    Attributes
    ----------
    basis
        Alignments and random sets behind γ; it must keep its random sets.
    observed
        Counts of each continuum that has links or chains.
    expected
        Counts of the random sets of each of these continua.
    """

    basis: Basis
    observed: Sequence[tuple[Continuum, BoundedCost]]
    expected: Mapping[Chance, ExpectedDisorder]

    @classmethod
    def of(cls, basis: Basis, count: Count) -> BeyondUnits:
        """Count on alignments and random sets.

        Parameters
        ----------
        basis
            Alignments and random sets behind γ. Random sets must consist of whole annotations.
        count
            Function that counts the disagreement.

        Raises
        ------
        DataError
            The chance model does not carry links, or no continuum has any.
        """
        if not basis.model.keeps_names:
            raise DataError(
                f"chance model {basis.model.name!r} does not carry links along",
                hint="Use `chance=cut` or documents",
            )
        observed = count_each(basis, count)
        drawn = without_proof(count, basis)
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
        """Return 1 − D_o/D_e over all continua, or over some of them.

        Parameters
        ----------
        name
            Name of the measure.
        some
            Continua to include; None includes all.
        said
            Options of the counting function, for the signature.
        """
        settings = self.basis.settings
        observed = [(c, counted) for c, counted in self.observed if some is None or c in some]
        chances = {c: self.basis.chance(c) for c, _ in observed}
        if not observed:
            return undefined("no two annotators have anything to compare")
        if not all(chance in self.expected for chance in chances.values()):
            sets = sum(len(chance.sets) for chance in chances.values())
            return undefined(f"interrupted after {sets} random sets, too few")
        shares: dict[Chance, float] = {}
        for c, counted in observed:
            shares[chances[c]] = shares.get(chances[c], 0.0) + counted.size
        whole = total_of(counted for _, counted in observed)
        rule = settings.rule
        terms = [(share / whole.size, self.expected[chance]) for chance, share in shares.items()]
        mean, low = (
            math.fsum(w * getattr(e, m) for w, e in terms) for m in ("mean", "proven_mean")
        )
        half = rule.quantile * math.sqrt(math.fsum((w * e.standard_error) ** 2 for w, e in terms))
        d = whole.cost / whole.size
        bound = whole.bound / whole.size
        if len(observed) == 1:
            alone = terms[0][1]
        else:
            alone = None
        if alone is None:
            p = None
        else:
            p = alone.p_value(d)
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
                *loose_links(observed),
                *not_shown(p, alone.samples if alone else 0),
            ),
            signature=_signature(name, self.basis, list(chances.values()), observed, said),
            counts=whole.against(mean, observed[0][0].annotators),
        )


def _status(proven: bool) -> Status:
    if proven:
        return Status.OPTIMAL
    return Status.FEASIBLE


_UNTESTED = "gamma-chain-given-units"
_NO_TEST = (
    "gamma-chain-given-units has no p: independent people who link mentions to the previous one "
    "get about .3"
)


def given_units(name: str, basis: Basis, count: Count, **said: object) -> Score:
    """Return 1 − D_o/D_e with the alignments of units kept and links or chains dealt anew.

    Parameters
    ----------
    name, basis, count, said
        As for `BeyondUnits`, except that random sets of units are not needed.

    Raises
    ------
    DataError
        No continuum has links.
    """
    observed = count_each(basis, count)
    groups = [(c, basis.align([c])[0].groups) for c, _ in observed]
    drawn = without_proof(count, basis)
    sampler = DealtAnew.of([c for c, _ in observed], count)

    def observe(dealt: Sequence[Linked | Indices]) -> dict[str, float]:
        total = total_of(drawn(c, g, d) for (c, g), d in zip(groups, dealt, strict=True))
        return {name: total.cost / total.size}

    whole = total_of(counted for _, counted in observed)
    signature = _signature(name, basis, [], observed, said)
    chance: BeyondChance = against_chance(
        {name: whole.cost / whole.size},
        observe,
        sampler,
        basis.settings.rule,
        basis.settings.seed,
        signed={name: signature},
    )[name]
    # Units of chains are permuted freely, so annotators with a common habit get values far above 0
    # even if they did not look at the text. A test would therefore mislead.
    has_test = name != _UNTESTED
    p = chance.p if has_test else None
    untested = () if has_test else (_NO_TEST,)
    return Score(
        **record_of(chance, "value observed expected interval reason signature"),
        baseline=ChanceBaseline(model=chance.chance, samples=chance.samples, p=p),
        status=_status(whole.proven),
        notes=(*loose_links(observed), *untested, *not_shown(p, chance.samples)),
        counts=None
        if chance.expected is None
        else whole.against(chance.expected, observed[0][0].annotators),
    )


def _expected(counts: Sequence[BoundedCost], rule: Any) -> ExpectedDisorder:
    sized = [f for f in counts if f.size]
    return ExpectedDisorder(
        np.array([f.cost / f.size for f in sized]),
        np.array([f.bound / f.size for f in sized]),
        all(f.proven for f in sized),
        rule.confidence,
        weights=np.array([f.size for f in sized]),
        without_value=len(counts) - len(sized),
    )


def _signature(
    name: str,
    basis: Basis,
    chances: Sequence[Any],
    observed: Sequence[tuple[Continuum, BoundedCost]],
    settings: Mapping[str, Any],
) -> str:
    selection = dict.fromkeys(entry for c, _ in observed for entry in c.selection)
    return basis.signature(
        name,
        *chances,
        selection=tuple(selection),
        continua=len(observed) if len(observed) > 1 else None,
        **settings,
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
