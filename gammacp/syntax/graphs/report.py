"""A report on graphs: the numbers with their proof, annotators, and the sentences to discuss."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from gammacp.measures.trees.annotations import Graph
from gammacp.syntax.graphs.agreement import Compared, GraphAgreement
from gammacp.syntax.treebank import ReadTreebank
from gammacp.syntax.universal import OF_UD, ud_scores
from gammacp.tables import number


def differences(one: Compared) -> tuple[list[str], list[str]]:
    """The triples of each of two graphs that the other has not, under their matching.

    Parameters
    ----------
    one
        Two graphs and their matching.
    """
    a, b = one.graphs
    partner = one.matching.partner
    back = {j: i for i, j in enumerate(partner) if j >= 0}
    to_b = dict(enumerate(partner))
    return list(_only(a, b, to_b)), list(_only(b, a, back))


def _only(a: Graph, b: Graph, partner: dict[int, int]) -> Iterator[str]:
    names = a.variables
    for node, role, value in sorted(a.properties):
        if (partner.get(node, -1), role, value) not in b.properties:
            said = "/" if role == "instance" else f":{role}"
            top = role == "top"
            yield f"the top is {names[node]}" if top else f"{names[node]} {said} {value}"
    for node, role, other in sorted(a.relations):
        if (partner.get(node, -1), role, partner.get(other, -1)) not in b.relations:
            yield f"{names[node]} :{role} {names[other]}"


@dataclass(frozen=True)
class GraphReport:
    """Everything `gammacp syntax` prints of graphs.

    Attributes
    ----------
    read
        The graphs with their defects and what is left out.
    agreement
        Smatch and α.
    by_annotator
        Whether to tell pairs of annotators.
    sentences
        How many of the sentences with most triples apart to list.
    """

    read: ReadTreebank
    agreement: GraphAgreement
    by_annotator: bool = False
    sentences: int = 0

    @property
    def value(self) -> tuple[str, float]:
        """The measure to report, and its value: Smatch F₁ beyond chance, if that was computed."""
        if not (beyond := self.agreement.beyond_chance):
            return "Smatch F₁ as published", float(self.agreement.smatch()["smatch"])
        return "Smatch F₁ beyond chance", beyond["smatch"].value

    @property
    def worst(self) -> list[Compared]:
        """The pairs of graphs with most triples apart, as many as asked for."""
        return sorted(self.agreement.compared, key=lambda one: -one.apart)[: self.sentences]

    @property
    def notes(self) -> list[str]:
        """What is not proven, in words."""
        found, result = [], self.agreement
        if result.unproven:
            top = number(result.smatch()["bound"])
            found.append(
                f"{result.unproven} of {len(result.compared)} pairs of graphs are not proven to be "
                f"matched best: Smatch is at most {top}; more time proves more (--time-limit)"
            )
        if result.chance_open:
            found.append(
                f"chance: other sentences' graphs may have up to {result.chance_open:.1%} more "
                "triples in common than were found"
            )
        return found

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        result, treebank = self.agreement, self.read.treebank
        beyond = {name: one.as_dict() for name, one in result.beyond_chance.items()}
        document: dict[str, Any] = {
            **result.smatch(),
            "status": "feasible" if result.unproven else "optimal",
            "compared": len(result.compared),
            "unproven": result.unproven,
            "annotators": treebank.annotators,
            "defects": [defect.as_dict() for defect in self.read.defects],
            "left_out": [entry.as_dict() for entry in self.read.left_out],
            "notes": self.notes,
            "signature": result.signature,
            "beyond_chance": beyond or None,
        }
        if treebank.kind == "enhanced":
            scores = ud_scores(treebank)
            document["universal"] = {k: scores[k] for k in ("words", "elas", "eulas", *OF_UD)}
        documents = list(dict.fromkeys(item.document for item in treebank.shared))
        if len(documents) > 1:
            document["documents"] = [
                {"document": name, **result.smatch(document=name)} for name in documents
            ]
        if self.by_annotator:
            parts = [
                {"annotators": pair, **result.smatch(pair)}
                for pair in combinations(treebank.annotators, 2)
            ]
            document["pairs"] = [part for part in parts if part["items"]]
        if self.sentences:
            document["sentences"] = [self._sentence(one) for one in self.worst]
        return document

    def _sentence(self, one: Compared) -> dict[str, Any]:
        matched, bound, first, second = one.counts.tolist()
        total = sum(other.apart for other in self.agreement.compared)
        apart = dict(zip(one.annotators, differences(one), strict=True))
        files = zip(one.annotators, one.graphs, strict=True)
        return {
            "document": one.item.document,
            "sentence": one.item.name,
            "annotators": one.annotators,
            "share": one.apart / total if total else 0.0,
            "smatch": 2 * matched / (first + second),
            "bound": 2 * bound / (first + second),
            "only": apart,
            "annotations": {a: {"file": g.file, "line": g.line} for a, g in files},
        }
