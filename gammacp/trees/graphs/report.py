"""A report on graphs: the numbers with their proof, annotators, and the sentences to discuss."""

import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from gammacp.base.arguments import whole
from gammacp.base.record_tables import number
from gammacp.trees.graphs.agreement import Compared, GraphAgreement, graph_agreement
from gammacp.trees.measures.annotations import MeaningGraph
from gammacp.trees.report import TreeReport
from gammacp.trees.treebank import ReadTreebank
from gammacp.trees.universal import OF_UD, ud_scores

# Time limit for a pair of graphs; nearly all are proven in hundredths of a second.
_SECONDS = 10.0


def graph_report(
    read: ReadTreebank,
    *,
    by_annotator: bool = False,
    sentences: int = 0,
    sample_pairs: int = 0,
    time_limit: float | None = None,
    seed: int = 0,
) -> TreeReport:
    """Return the report on graphs: Smatch, α, annotators, and the worst sentences.

    Parameters
    ----------
    read
        Result of `gammacp.trees.treebank.read_treebank`.
    by_annotator
        Whether to report pairs of annotators.
    sentences
        Number of sentences to list, at least 0: those in which most triples differ.
    sample_pairs, seed
        As for `graph_agreement`.
    time_limit
        Seconds for the best matching of a pair of graphs; by default 10.
    """
    sentences = whole("sentences", sentences, 0)
    treebank = read.treebank
    result = graph_agreement(
        treebank, sample_pairs=sample_pairs, time_limit=time_limit or _SECONDS, seed=seed
    )
    worst = sorted(result.compared, key=lambda one: -one.apart)[:sentences]
    document: dict[str, Any] = {
        **result.smatch(),
        "status": "feasible" if result.unproven else "optimal",
        "graphs": len(result.graphs),
        "triples": sum(graph.n_triples for graph in result.graphs),
        "compared": len(result.compared),
        "unproven": result.unproven,
        "notes": list(_notes(result)),
        "signature": result.signature,
        "beyond_chance": {name: one.as_dict() for name, one in result.beyond_chance.items()},
    }
    if treebank.kind == "enhanced":
        scores = ud_scores(treebank)
        document["universal"] = {k: scores[k] for k in ("words", "elas", "eulas", *OF_UD)}
    documents = dict.fromkeys(item.document for item in treebank.shared_items)
    if len(documents) > 1:
        document["documents"] = [
            {"document": name, **result.smatch(document=name)} for name in documents
        ]
    if by_annotator:
        pairs = combinations(treebank.annotators, 2)
        parts = [{"annotators": pair, **result.smatch(pair)} for pair in pairs]
        document["pairs"] = [part for part in parts if part["items"]]
    if sentences:
        total = sum(one.apart for one in result.compared)
        document["sentences"] = [_sentence(one, total) for one in worst]
    smatch = result.beyond_chance["smatch"]
    if smatch.interval:
        lower = smatch.interval[0]
    else:
        lower = math.nan
    return TreeReport(read, document, ("Smatch F₁ beyond chance", smatch.value), lower, worst)


def _notes(result: GraphAgreement) -> Iterator[str]:
    """Yield notes on what is not proven."""
    if result.unproven:
        top = number(result.smatch()["bound"])
        yield (
            f"{result.unproven} of {len(result.compared)} pairs of graphs have no proven best "
            f"matching: Smatch is at most {top}; more time proves more (`time_limit=`)"
        )
    if result.chance_open:
        yield (
            f"chance baseline: graphs of other sentences may have up to {result.chance_open:.1%} "
            "more triples in common than were found"
        )


def _sentence(one: Compared, total: float) -> dict[str, Any]:
    matched, bound, first, second = one.counts.tolist()
    files = zip(one.annotators, one.graphs, strict=True)
    return {
        "document": one.item.document,
        "sentence": one.item.name,
        "annotators": one.annotators,
        "share": one.apart / total if total else 0.0,
        "smatch": 2 * matched / (first + second),
        "bound": 2 * bound / (first + second),
        "only": dict(zip(one.annotators, differences(one), strict=True)),
        "annotations": {a: {"file": g.file, "line": g.line} for a, g in files},
    }


def differences(one: Compared) -> tuple[list[str], list[str]]:
    """Return the triples of each graph that the other one lacks under their matching.

    Parameters
    ----------
    one
        Two graphs and their matching.
    """
    a, b = one.graphs
    to_b = dict(enumerate(one.matching.partner))
    return list(_only(a, b, to_b)), list(_only(b, a, {j: i for i, j in to_b.items() if j >= 0}))


def _only(a: MeaningGraph, b: MeaningGraph, partner: Mapping[int, int]) -> Iterator[str]:
    names = a.variables
    for node, role, value in sorted(a.properties):
        if (partner.get(node, -1), role, value) not in b.properties:
            if role == "instance":
                role_name = "/"
            else:
                role_name = f":{role}"
            top = role == "top"
            yield f"the top is {names[node]}" if top else f"{names[node]} {role_name} {value}"
    for node, role, other in sorted(a.relations):
        if (partner.get(node, -1), role, partner.get(other, -1)) not in b.relations:
            yield f"{names[node]} :{role} {names[other]}"
