"""Report on links: agreement on units, links and chains, and how the links differ.

Links of several annotators are joined into groups. In each group, a pair of annotators has the same
link, or links that differ in type or in one end, or one of them has no link.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias, Unpack

from gammacp.continuum import Continuum
from gammacp.links.measures.coreference import mention_places, pairwise_coreference
from gammacp.links.measures.disorder import LinksOn, count_chains, links_on
from gammacp.links.measures.gamma_link import BeyondUnits, given_units
from gammacp.links.measures.joined import costs_of_pairs, ends_of, groups_of, no_links
from gammacp.links.measures.relations import relations_by_pair
from gammacp.measures.agreement import agreement
from gammacp.measures.random_sets import Basis, Continua
from gammacp.measures.score import Score, undefined
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing

Record: TypeAlias = dict[str, Any]
_ONLY_SINGLETONS = "no entity has two mentions on words, so there are no chains to compare"
_LISTS = ("pairs", "types", "differing", "coreference", "relations")
SCORERS = ("muc", "b-cubed", "ceaf-m", "ceaf-e", "blanc", "lea")
WHAT = ("same", "other type", "one end elsewhere", "one end elsewhere, other type", "missing")


@dataclass(frozen=True, kw_only=True)
class LinkReport:
    """Agreement on the links of one continuum or of several, with its parts.

    Attributes
    ----------
    scores
        γ of the units, and of links and chains if there are any, by measure.
    components
        Costs of the ends, the types and missing links; they sum to the observed disorder.
    pairs, types
        Numbers of links that are the same or differ, by kind of difference: for each pair of
        annotators, and for each type of links.
    differing
        Groups of links on which annotators disagree, by document.
    coreference
        Recall, precision and F₁ per document and pair of annotators; the first is the reference.
    relations
        Scores of links per pair of annotators over all documents, by type and in total.
    """

    scores: Mapping[str, Score]
    components: Mapping[str, float]
    pairs: tuple[Record, ...]
    types: tuple[Record, ...]
    differing: tuple[Record, ...]
    coreference: tuple[Record, ...]
    relations: tuple[Record, ...] = ()

    def as_dict(self) -> Record:
        """Return the report as JSON."""
        return {
            "measures": {name: score.as_dict() for name, score in self.scores.items()},
            "components": dict(self.components),
            **{k: [*getattr(self, k)] for k in _LISTS},
        }


@spelled_out_with_computing
def link_report(
    continua: Continua,
    *,
    types: Any = "nominal",
    ends: str = "aligned",
    singletons: bool = False,
    **options: Unpack[FamilyOptions],
) -> LinkReport:
    """Measure agreement on links and chains of one continuum, or of several as a corpus.

    Parameters
    ----------
    continua
        A continuum, a corpus, or continua by name.
    types, ends
        As for `gammacp.links.measures.gamma_link.gamma_link`.
    singletons
        Whether units are mentions of entities, each of which may have only one: without links, the
        report then has γ of the mentions, and no value for chains.
    options
        Options of `FamilyOptions`, as for `gamma`.

    Raises
    ------
    DataError
        There are neither links nor chains, and `singletons` is false.
    """
    settings, how = Settings.and_computing(options, keeping=True)
    basis = Basis(continua, settings, **how)
    kinds = {kind for c in basis.continua for kind in c.link_rows.kinds}
    if not kinds and not singletons:
        raise no_links()
    scores: dict[str, Score] = {"gamma": agreement(basis).score}
    links_count = links_on(basis, types, ends)
    for name, count, occurs in (
        ("gamma-link", links_count, bool(kinds - {"chain"})),
        ("gamma-chain", count_chains, "chain" in kinds),
    ):
        if occurs:
            scores[name] = BeyondUnits.of(basis, count).score(name)
            scores[f"{name}-given-units"] = given_units(f"{name}-given-units", basis, count)
    if not kinds:
        scores["gamma-chain"] = undefined(_ONLY_SINGLETONS)
    compared = [row for c in basis.continua for row in _each_pair(c, basis, links_count)]
    if "gamma-link" in scores:
        observed = scores["gamma-link"].observed
    else:
        observed = None
    total = math.fsum(row["cost"] for row in compared)
    if total:
        scale = (observed or 0.0) / total
    else:
        scale = 0.0
    return LinkReport(
        scores=scores,
        components={
            key: math.fsum(row[key] for row in compared) * scale
            for key in ("ends", "types", "absence")
        },
        pairs=tuple(_counts_by(compared, "annotators")),
        types=tuple(_counts_by(compared, "type")),
        differing=tuple(_disagreements(compared)),
        coreference=tuple(_coreference(basis)) if "chain" in kinds else (),
        relations=tuple(relations_by_pair(basis.continua)) if kinds - {"chain"} else (),
    )


def _each_pair(c: Continuum, basis: Basis, on: LinksOn) -> Iterator[Record]:
    """Yield a record with outcome and costs for each pair of annotators in each group of links."""
    if c.n_annotators < 2 or not len(c.link_rows.only(chains=False)):
        return
    groups = basis.align([c])[0].groups
    links = c.link_rows.only(chains=False)
    joined = on.join(c, groups)
    ends = ends_of(c, links, groups_of(c, groups), on.costs)
    shown = [
        {
            "type": links.types[k],
            "source": c.unit(int(s)).json,
            "target": c.unit(int(t)).json,
        }
        for k, s, t in zip(links.codes, links.sources, links.targets, strict=True)
    ]
    scale = 2 / (c.n_annotators * (c.n_annotators - 1))
    people = combinations(range(c.n_annotators), 2)
    for (a, b), cost in zip(people, costs_of_pairs(c, ends, on.costs, joined.groups), strict=True):
        for number, group in enumerate(joined.groups.tolist()):
            i = group[a]
            j = group[b]
            apart, kind, absence, both, _ = (x[number].item() for x in cost)
            if max(i, j) >= 0:
                what = "missing"
            else:
                what = ""
            if both:
                what = WHAT[2 * (apart > 0) + (kind > 0)]
            yield {
                "document": c.name,
                "group": (c.name, number),
                "annotators": [c.annotators[a], c.annotators[b]],
                "type": next(shown[k]["type"] for k in (i, j, *group) if k >= 0),
                "what": what,
                "members": {
                    c.annotators[x]: shown[k] if k >= 0 else None for x, k in enumerate(group)
                },
                "ends": apart * scale,
                "types": kind * scale,
                "absence": absence * scale,
                "cost": (apart + kind + absence) * scale,
            }


def _counts_by(compared: list[Record], key: str) -> Iterator[Record]:
    """Yield the counts of each outcome by pair of annotators or by type."""
    counts_by_value: dict[str, tuple[Any, Counter[str]]] = {}
    for row in compared:
        counts_by_value.setdefault(str(row[key]), (row[key], Counter()))[1][row["what"]] += 1
    for value, counts in counts_by_value.values():
        yield {key: value, **{what: counts[what] for what in WHAT}}


def _disagreements(compared: list[Record]) -> Iterator[Record]:
    """Yield the groups in which a pair of annotators differs, by decreasing cost."""
    by_group: dict[Any, list[Record]] = {}
    for row in compared:
        by_group.setdefault(row["group"], []).append(row)
    costs = {g: math.fsum(row["cost"] for row in rows) for g, rows in by_group.items()}
    for group in sorted((g for g in costs if costs[g]), key=lambda g: -costs[g]):
        rows = by_group[group]
        what = sorted({row["what"] for row in rows} - {"", "same"})
        first = rows[0]
        yield {
            "document": first["document"],
            "what": what,
            "disorder": costs[group],
            "links": first["members"],
        }


def _coreference(basis: Basis) -> Iterator[Record]:
    for c in basis.continua:
        if c.n_annotators < 2 or not len(c.link_rows.only(chains=True)):
            continue
        places = mention_places(c, "exact", None)
        scores_by_scorer = {name: pairwise_coreference(name, c, places) for name in SCORERS}
        for pair in scores_by_scorer["muc"]:
            scores = {
                name: dict(
                    zip(("recall", "precision", "f1"), scores_by_scorer[name][pair], strict=True)
                )
                for name in SCORERS
            }
            yield {"document": c.name, "annotators": [*pair], **scores}
