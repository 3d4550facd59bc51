"""Tables as the fields of chains and relations print them, beside γ.

Trees of rhetorical structure get Parseval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from gammacp.base.record_tables import Column, Table, count, number
from gammacp.base.text import counted
from gammacp.continuum import Continuum
from gammacp.links.collecting import Collected, of_annotators
from gammacp.links.measures.parseval import LEVELS, parseval

Record = dict[str, Any]
_VARIANTS = {"original": "original Parseval", "rst": "RST-Parseval"}


@dataclass(frozen=True)
class FieldTables:
    """The tables of what was read.

    Attributes
    ----------
    parseval
        As of `gammacp.links.measures.parseval.parseval`; empty without trees.
    faults
        Documents that are no tree, each with annotator and reason.
    """

    parseval: tuple[Record, ...] = ()
    faults: tuple[Record, ...] = ()

    def as_dict(self) -> Record:
        """Return the tables that there are, as JSON has them."""
        if self.parseval:
            return {"parseval": [*self.parseval], "no_tree": [*self.faults]}
        return {}

    def tables(self) -> Iterator[Table]:
        """Yield the tables that there are."""
        if any(row["documents"] for row in self.parseval):
            values = (Column(level, level, number, value=partial(_f1, level)) for level in LEVELS)
            columns = (
                Column("annotators", "F₁ of", value=lambda row: ", ".join(row["annotators"])),
                Column("variant", "constituents", value=lambda row: _VARIANTS[row["variant"]]),
                *values,
                Column("documents", "documents", count),
            )
            yield Table(columns, [row for row in self.parseval if row["documents"]])

    def notes(self) -> Iterator[str]:
        """Yield what is not compared, and why."""
        for row in self.faults:
            tree = f"{row['document']} by {row['annotator']}"
            yield f"Parseval: {tree} is not compared: {row['reason']}"
        other = sum(row["other_text"] for row in self.parseval if row["variant"] == "rst")
        if other:
            yield f"Parseval: {counted(other, 'pair')} of trees not compared: their texts differ"


def _f1(level: str, row: Mapping[str, Any]) -> float:
    return float(row[level]["f1"])


def field_tables(
    collected: Collected, continua: Iterable[Continuum], renamed: Mapping[str, str]
) -> FieldTables:
    """Return the tables of what readers handed over.

    Parameters
    ----------
    collected
        By kind.
    continua
        What counts: other annotators are left out.
    renamed
        Names in the files with those that count.
    """
    people = list(dict.fromkeys(who for c in continua for who in c.annotators))
    trees = of_annotators(collected.get("rhetoric", {}), people, renamed)
    return FieldTables(
        parseval=tuple(parseval(trees)),
        faults=tuple(
            {"document": document, "annotator": who, "reason": tree.fault}
            for document, by_annotator in trees.items()
            for who, tree in by_annotator.items()
            if tree.fault
        ),
    )
