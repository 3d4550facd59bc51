"""Links and chains of a gold standard, decided by votes.

Links of different annotators are joined into groups as for γ_link. The most frequent pair of ends
in a group becomes a link of the gold standard, if enough annotators have it and both units are in
the gold standard. Two mentions belong to one chain if enough annotators link them, directly or
through other mentions. All annotators have the same weight here, even if units are weighted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

import networkx as nx

from gammacp.alignment import Alignment
from gammacp.campaign.consensus.consensus import Consensus, ConsensusLink, gold_of
from gammacp.campaign.consensus.votes import CategoryVote, vote_on_category
from gammacp.campaign.parts import GOLD
from gammacp.continuum import Continuum, Link
from gammacp.continuum.links import CHAIN, DIRECTED
from gammacp.links.measures.chains import chains_of
from gammacp.links.measures.joined import LinkCosts, ends_of, groups_of, join_links
from gammacp.measures.settings import Settings


class LinkedGold:
    """Links and chains of gold standards (a `GoldPart`)."""

    def applies(self, continuum: Continuum) -> bool:
        """Return whether a continuum has links.

        Parameters
        ----------
        continuum
            The annotations of a document.
        """
        return bool(continuum.links)

    def add(self, consensus: Consensus, alignment: Alignment, settings: Settings) -> Consensus:
        """Return the consensus with its links and chains.

        Parameters
        ----------
        consensus, alignment, settings
            Arguments of `add_links`.
        """
        return add_links(consensus, alignment, settings)

    def caution(self, consensus: Consensus) -> str | None:
        """Return a caution that links are decided by votes, even if units are weighted.

        Parameters
        ----------
        consensus
            The gold standard of a document with links.
        """
        if consensus.links:
            return "links are decided by votes"
        return None


def add_links(found: Consensus, alignment: Alignment, settings: Settings) -> Consensus:
    """Return the consensus with links and chains between its units.

    Parameters
    ----------
    found
        Consensus of the units.
    alignment
        Alignment that the consensus is based on.
    settings
        Settings for joining links: dissimilarity of the units, and solver.
    """
    id_of_group = {u.group: str(k) for k, u in enumerate(found.kept, 1)}
    links = tuple(_links(found, alignment, settings))
    name = found.continuum.annotators[0]
    gold = [
        Link(name, x.type, id_of_group[x.source.group], id_of_group[x.target.group], x.kind)
        for x in links
        if x.kept
    ]
    gold += [
        Link(name, type, id_of_group[a], id_of_group[b], CHAIN)
        for type, chain in _chains(alignment, id_of_group, found.needed)
        for a, b in pairwise(sorted(chain, key=lambda g: int(id_of_group[g])))
    ]
    units = [replace(u.by(name), id=id_of_group[u.group]) for u in found.kept]
    continuum = gold_of(alignment.continuum, units, [name], gold)
    units_with_ids = tuple(replace(u, id=id_of_group.get(u.group, "")) for u in found.units)
    return replace(found, units=units_with_ids, continuum=continuum, links=links)


def _links(consensus: Consensus, alignment: Alignment, settings: Settings) -> list[ConsensusLink]:
    continuum = alignment.continuum
    linked = continuum.link_rows.only(chains=False)
    if not len(linked):
        return []
    costs = LinkCosts.of([continuum], settings, alignment.dissimilarity)
    ends = ends_of(continuum, linked, groups_of(continuum, alignment.groups), costs)
    units = {u.group: u for u in consensus.units}
    gold_links = []
    for group in join_links(continuum, ends, costs, settings).groups.tolist():
        members = {a: k for a, k in zip(continuum.annotators, group, strict=True) if k >= 0}
        places = {}
        for name, k in members.items():
            place = int(ends.source_groups[k]), int(ends.target_groups[k])
            is_undirected = linked.kinds[linked.codes[k]] != DIRECTED
            places[name] = (min(place), max(place)) if is_undirected else place
        counts = Counter(places.values())
        most = max(counts.values())
        best_ends = sorted(
            (p for p, n in counts.items() if n == most),
            key=lambda p: (not all(units[g].kept for g in p), [units[g].start for g in p]),
        )
        majority = {name: k for name, k in members.items() if places[name] == best_ends[0]}
        vote = vote_on_category([linked.types[linked.codes[k]] for k in majority.values()])
        source, target = (units[g] for g in best_ends[0])
        missing = not (source.kept and target.kept)
        shown = {
            name: {
                "type": linked.types[linked.codes[members[name]]],
                "source": continuum.unit(int(linked.sources[members[name]])).json,
                "target": continuum.unit(int(linked.targets[members[name]])).json,
            }
            if name in members
            else None
            for name in continuum.annotators
        }
        gold_links.append(
            ConsensusLink(
                type=vote.winner or "",
                kind=linked.kinds[linked.codes[next(iter(majority.values()))]],
                source=source,
                target=target,
                support=most,
                vote=vote,
                links=shown,
                groups=places,
                kept=most >= consensus.needed and not missing,
                reasons=tuple(
                    _reasons(vote, counts, len(group), consensus.needed, missing, best_ends)
                ),
            )
        )
    return sorted(gold_links, key=lambda x: (x.source.start, x.target.start, x.source.group))


def _reasons(
    vote: CategoryVote,
    counts: Counter[tuple[int, int]],
    people: int,
    needed: int,
    missing: bool,
    best_ends: Sequence[tuple[int, int]],
) -> list[str]:
    support = counts[best_ends[0]]
    reasons = []
    if not vote.unanimous:
        reasons.append(vote.in_words("type"))
    if len(counts) > 1:
        ends = ", ".join(map(str, sorted(counts.values(), reverse=True)))
        if len(best_ends) > 1:
            first = "tied, the first were taken"
        else:
            first = "disputed"
        reasons.append(f"ends {first}: {ends}")
    if support < people:
        if support < needed:
            left_out = ", left out"
        else:
            left_out = ""
        reasons.append(f"marked by {support} of {people}{left_out}")
    if missing:
        reasons.append("a unit at one end is not in the gold standard")
    return reasons


def _chains(
    alignment: Alignment, id_of_group: Mapping[int, str], needed: int
) -> list[tuple[str, set[int]]]:
    """Return the sets of groups that form a chain, each with its type."""
    continuum = alignment.continuum
    bonds = continuum.link_rows.only(chains=True)
    group = groups_of(continuum, alignment.groups).tolist()
    chains = chains_of(continuum, bonds).tolist()
    type_of_chain = {
        chains[s]: bonds.types[k] for s, k in zip(bonds.sources, bonds.codes, strict=True)
    }
    members: dict[int, list[int]] = {}
    for row, chain in enumerate(chains):
        if chain in type_of_chain and group[row] in id_of_group:
            members.setdefault(chain, []).append(group[row])
    votes: dict[tuple[int, int], Counter[str]] = {}
    for chain, groups in members.items():
        for pair in combinations(sorted(groups), 2):
            votes.setdefault(pair, Counter[str]())[type_of_chain[chain]] += 1
    agreed: nx.Graph[int] = nx.Graph()
    for pair, types in votes.items():
        if types.total() >= needed:
            agreed.add_edge(*pair, types=types)
    chains_of_gold = []
    for connected in nx.connected_components(agreed):
        types = sum((d["types"] for *_, d in agreed.edges(connected, data=True)), Counter[str]())
        chains_of_gold.append((min(types, key=lambda name: (-types[name], name)), set(connected)))
    return sorted(chains_of_gold, key=lambda x: min(int(id_of_group[g]) for g in x[1]))


GOLD.register("links", LinkedGold())
