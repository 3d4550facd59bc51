"""Comparison of annotators' links and chains by document, annotator, pair and type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from gammacp.base.record_tables import Column, Record, Table, number
from gammacp.campaign.compare.pairs import mean_defined
from gammacp.campaign.compare.scoring import Selection, annotators_of
from gammacp.campaign.parts import COMPARED
from gammacp.continuum.links import CHAIN
from gammacp.errors import DataError
from gammacp.links.measures.disorder import Count, count_chains, links_on
from gammacp.links.measures.gamma_link import BeyondUnits
from gammacp.measures.random_sets import Basis
from gammacp.measures.score import Score, undefined

Scores: TypeAlias = Mapping[str, Score]
_PLURALS = {"gamma-link": "links", "gamma-chain": "chains"}


@dataclass(frozen=True, kw_only=True)
class LinkComparison:
    """Agreement beyond chance on links and on chains, under the chance model of the units.

    Attributes
    ----------
    overall
        Scores by measure: `gamma-link` if there are links, `gamma-chain` if there are chains.
    documents, pairs
        Scores by document and by pair of annotators.
    without
        Scores without each annotator; empty for fewer than three annotators.
    types
        γ_link of the links of each type alone.
    """

    overall: Scores
    documents: Mapping[str, Scores]
    pairs: Mapping[tuple[str, str], Scores] = field(default_factory=dict)
    without: Mapping[str, Scores] = field(default_factory=dict)
    types: Scores = field(default_factory=dict)

    def mean_pair(self, annotator: str, measure: str) -> float:
        """Return the mean of the defined values of pairs with an annotator, or NaN.

        Parameters
        ----------
        annotator, measure
            Annotator and measure of the mean.
        """
        mine = [s[measure].value for pair, s in self.pairs.items() if annotator in pair]
        return mean_defined(np.array(mine))

    def heading(self) -> str:
        """Return the heading of the section in a report."""
        return "Links between units"

    def headline(self) -> str:
        """Return a sentence with γ of links and of chains."""
        values = [
            f"γ of {_PLURALS[name]} {number(score.value, 3)}"
            for name, score in self.overall.items()
        ]
        return f"Between the units: {', '.join(values)}."

    def tables(self) -> Iterator[tuple[str, Table]]:
        """Yield tables of γ of links and of chains, each with its title."""
        if len(self.documents) > 1:
            everybody = {"all": self.overall}
        else:
            everybody = {}
        documents = {n: _values(s) for n, s in {**self.documents, **everybody}.items()}
        yield "Links by document", _table("document", documents, total=len(everybody))
        people = {name: self._values_of(name) for pair in self.pairs for name in pair}
        yield "Links by annotator: mean over all other annotators", _table("annotator", people)
        pairs = {", ".join(pair): _values(scores) for pair, scores in self.pairs.items()}
        yield "Links by pair of annotators", _table("pair", pairs)
        types = {name: _values({"gamma-link": score}) for name, score in self.types.items()}
        yield "Links by type", _table("type", types)

    def _values_of(self, annotator: str) -> Record:
        """Return the mean of an annotator with the others, and γ without the annotator."""
        without = self.without.get(annotator, {})
        return {
            **{measure: self.mean_pair(annotator, measure) for measure in self.overall},
            **{f"without {measure}": score.value for measure, score in without.items()},
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON."""
        return {
            "overall": _as_dict(self.overall),
            "documents": [{"file": n, **_as_dict(s)} for n, s in self.documents.items()],
            "pairs": [{"annotators": [*p], **_as_dict(s)} for p, s in self.pairs.items()],
            "without": [{"annotator": n, **_as_dict(s)} for n, s in self.without.items()],
            "types": [{"type": n, "gamma-link": s.as_dict()} for n, s in self.types.items()],
        }


def _values(scores: Scores) -> Record:
    """Return the values of measures, with reasons for undefined ones."""
    reasons = dict.fromkeys(s.reason for s in scores.values() if s.reason)
    return {**{m: s.value for m, s in scores.items()}, "reason": "; ".join(reasons) or None}


def _table(key: str, rows: Mapping[str, Record], *, total: int = 0) -> Table:
    """Return a table of γ, with a row for each document, annotator, pair or type."""
    headers = {name: f"γ of {plural}" for name, plural in _PLURALS.items()}
    headers |= {f"without {name}": f"{header} without" for name, header in headers.items()}
    columns = (Column(name, header, number) for name, header in headers.items())
    reason = Column("reason", "undefined because", wrapped=True)
    records = [{key: name, **values} for name, values in rows.items()]
    table = Table((Column(key, key), *columns, reason), records, total)
    return table.without_empty(*headers, "reason")


def _as_dict(scores: Scores) -> dict[str, Any]:
    return {name: score.as_dict() for name, score in scores.items()}


def compare_links(
    continua: Selection, basis: Basis, *, pairs: bool, without: bool
) -> LinkComparison | None:
    """Compare annotators by their links and chains; return None if there are none.

    Parameters
    ----------
    continua
        Continua by name.
    basis
        Alignments and random sets behind γ of the units; it must keep its random sets.
    pairs, without
        Whether to compare each pair of annotators, and whether to compare all annotators but one.
    """
    kinds = {x.kind for c in continua.values() for x in c.links}
    if not kinds:
        return None
    measures = tuple(
        name
        for name, link_kinds in (("gamma-link", kinds - {CHAIN}), ("gamma-chain", kinds & {CHAIN}))
        if link_kinds
    )
    of_all = {name: _count_all(name, basis) for name in measures}
    rows = zip(basis.named, basis.continua, strict=True)
    people = annotators_of(continua)
    types = sorted({x.type for c in continua.values() for x in c.links if x.kind != CHAIN})
    return LinkComparison(
        overall={name: _score(name, beyond) for name, beyond in of_all.items()},
        documents={
            document: {name: _score(name, beyond, c) for name, beyond in of_all.items()}
            for document, c in rows
        },
        pairs={
            pair: _score_some(basis, set(pair), measures, keep=True)
            for pair in (combinations(people, 2) if pairs else ())
        },
        without={
            name: _score_some(basis, {name}, measures, keep=False)
            for name in (people if without and len(people) > 2 else ())
        },
        types={
            name: _score("gamma-link", _count_all("gamma-link", basis, name), type=name)
            for name in types
        },
    )


def _score_some(
    basis: Basis, names: set[str], measures: tuple[str, ...], *, keep: bool
) -> dict[str, Score]:
    chosen = basis.select(names, keep=keep)
    if chosen is None:
        return dict.fromkeys(measures, undefined("no document has both annotators"))
    return {name: _score(name, _count_all(name, chosen)) for name in measures}


def _count_all(measure: str, basis: Basis, type: str | None = None) -> BeyondUnits | str:
    """Return the counts behind a value, or the reason why there is no value."""
    if measure == "gamma-chain":
        count: Count = count_chains
    else:
        count = links_on(basis, only=type)
    try:
        return BeyondUnits.of(basis, count)
    except DataError as error:
        return str(error)


def _score(name: str, beyond: BeyondUnits | str, *some: Any, **settings: object) -> Score:
    if isinstance(beyond, str):
        return undefined(beyond)
    return beyond.score(name, some or None, **settings)


COMPARED.register("links", compare_links)
