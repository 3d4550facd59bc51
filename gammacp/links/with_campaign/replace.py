"""Test whether a system can replace a person who links units."""

from collections.abc import Iterator, Mapping

import numpy as np

from gammacp.alignment import Status
from gammacp.base.arrays import Codes, Floats
from gammacp.campaign.replace.scores import SCORES, Aligning, Instance, Scoring, no_scores, per_size
from gammacp.continuum import Continuum
from gammacp.links.measures.chains import chain_costs, chains_of
from gammacp.links.measures.disorder import LinksOn
from gammacp.links.measures.joined import LinkCosts, costs_of_pairs, ends_of, groups_of, no_links
from gammacp.measures.settings import Settings


def link_disorders(continua: Mapping[str, Continuum], aligning: Aligning) -> Iterator[Instance]:
    """Yield instances scored by the negative disorder of links and chains of each pair.

    The disorders are those of γ_link and γ_chain. Links are joined over all annotators. Two
    annotators without links agree. The disorder of links is divided by the mean number of links of
    the two annotators, that of chains by their number of mentions together; the two are added.

    Raises
    ------
    DataError
        No document has links.
    """
    if not _have_links(continua):
        raise no_links()
    settings = Settings.of(dissimilarity=aligning.distance, **aligning.solving)
    costs = LinkCosts.of([*continua.values()], settings, aligning.bound(continua))
    aligned = aligning.align(continua)
    for name, c in continua.items():
        pairs = no_scores(c)
        if name in aligned:
            i, j = np.triu_indices(c.n_annotators, 1)
            groups = aligned[name].groups
            disorders = _of_links(c, groups, LinksOn(costs, settings), aligning)
            pairs[i, j] = pairs[j, i] = -(disorders + _of_chains(c, groups))
        yield Instance(name, c.annotators, pairs, c.cluster, c.weight)


def _of_links(c: Continuum, groups: Codes, on: LinksOn, aligning: Aligning) -> Floats:
    """Return the disorder of the links of each pair, shape (pairs,)."""
    links = c.link_rows.only(chains=False)
    joined = on.join(c, groups)
    if joined.status is not Status.OPTIMAL:
        aligning.unproven.append(1 - joined.bound / joined.cost)
    ends = ends_of(c, links, groups_of(c, groups), on.costs)
    pairs = costs_of_pairs(c, ends, on.costs, joined.groups)
    total = [((p.ends + p.types + p.absence) * p.either).sum() for p in pairs]
    i, j = np.triu_indices(c.n_annotators, 1)
    have = np.bincount(ends.annotators, minlength=c.n_annotators)
    return per_size(np.array(total), (have[i] + have[j]) / 2)


def _of_chains(c: Continuum, groups: Codes) -> Floats:
    """Return the disorder of the chains of each pair, shape (pairs,); 0 without chains."""
    bonds = c.link_rows.only(chains=True)
    cost, mentions = chain_costs(
        c.annotator_codes, c.n_annotators, chains_of(c, bonds), groups_of(c, groups)
    )
    return per_size(cost if len(bonds) else np.zeros_like(cost), mentions)


def _have_links(continua: Mapping[str, Continuum]) -> bool:
    return any(len(c.link_rows) for c in continua.values())


SCORES.register(
    "links",
    Scoring(
        "minus the disorder of links and chains",
        link_disorders,
        aligned=True,
        further_rank=3,
        applies=_have_links,
    ),
)
