"""Tables of scores that are standard in a field of research, beside γ.

CorefUD files get the scores of corefud-scorer, and trees of rhetorical structure get Parseval.
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
from gammacp.links.measures.corefud import MATCHES, corefud_scores
from gammacp.links.measures.parseval import LEVELS, parseval

Record = dict[str, Any]
_CHAINS = {
    "muc": "MUC",
    "b-cubed": "B³",
    "ceaf-m": "CEAF_m",
    "ceaf-e": "CEAF_e",
    "blanc": "BLANC",
    "lea": "LEA",
    "conll-average": "CoNLL",
}
_MENTIONS = {"mor": "MOR", "zeros": "zeros"}
_VARIANTS = {"original": "original Parseval", "rst": "RST-Parseval"}


@dataclass(frozen=True)
class FieldTables:
    """The tables for the files that were read.

    Attributes
    ----------
    parseval
        Records of `gammacp.links.measures.parseval.parseval`; empty without trees.
    faults
        Annotations that are not a tree, as document, annotator and reason.
    corefud
        Records of `gammacp.links.measures.corefud.corefud_scores`, for each way to match mentions,
        without and with singletons; empty without CorefUD files.
    """

    parseval: tuple[Record, ...] = ()
    faults: tuple[Record, ...] = ()
    corefud: tuple[Record, ...] = ()

    def as_dict(self) -> Record:
        """Return the non-empty tables as JSON."""
        record: Record = {}
        if self.parseval:
            record |= {"parseval": [*self.parseval], "no_tree": [*self.faults]}
        if self.corefud:
            record["corefud"] = [*self.corefud]
        return record

    def tables(self) -> Iterator[Table]:
        """Yield the non-empty tables."""
        if rows := [row for row in self.corefud if row["documents"]]:
            yield from _corefud_tables(rows)
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
        """Yield notes on what is not compared, with reasons."""
        yield from _corefud_notes(self.corefud)
        for row in self.faults:
            tree = f"{row['document']} by {row['annotator']}"
            yield f"Parseval: {tree} is not compared: {row['reason']}"
        other = sum(row["other_text"] for row in self.parseval if row["variant"] == "rst")
        if other:
            yield f"Parseval: {counted(other, 'pair')} of trees not compared: their texts differ"


def _corefud_tables(rows: list[Record]) -> Iterator[Table]:
    """Yield a table of the scores of chains, and one of mentions."""
    named = (
        Column("annotators", "key, response", value=lambda row: ", ".join(row["annotators"])),
        Column("match", "match"),
        Column("singletons", "singletons", value=lambda row: "yes" if row["singletons"] else "no"),
    )
    chains = (Column(k, t, number, value=partial(_f1, k)) for k, t in _CHAINS.items())
    yield Table((*named, *chains), rows)
    mentions = (
        Column(rate, f"mentions {title}", number, value=partial(_mention_rate, rate))
        for rate, title in (("recall", "R"), ("precision", "P"), ("f1", "F₁"))
    )
    others = (Column(k, t, number, value=partial(_f1, k)) for k, t in _MENTIONS.items())
    yield Table((*named, *mentions, *others), rows)


def _mention_rate(rate: str, row: Mapping[str, Any]) -> float:
    return float(row["mentions"][rate])


def _corefud_notes(rows: Iterable[Record]) -> Iterator[str]:
    """Yield notes on what the CorefUD scores leave out or assume, once per pair of annotators."""
    for row in rows:
        if row["match"] != "head" or not row["singletons"]:
            continue
        pair = " and ".join(row["annotators"])
        if other := row["other_sentences"]:
            yield (
                f"CorefUD: {counted(other, 'document')} of {pair} not compared: cut into other "
                "sentences"
            )
        if bare := row["no_heads"]:
            yield (
                f"CorefUD: {counted(bare, 'document')} of {pair} name no heads in global.Entity: "
                "the first words count as heads"
            )
        if twice := row["twice"]:
            yield (
                f"CorefUD: {counted(twice, 'mention')} of {pair} in two chains, of which the first "
                "counts"
            )


def _f1(level: str, row: Mapping[str, Any]) -> float:
    return float(row[level]["f1"])


def field_tables(
    collected: Collected, continua: Iterable[Continuum], renamed: Mapping[str, str]
) -> FieldTables:
    """Return the tables for the structures that readers passed on.

    Parameters
    ----------
    collected
        Collected structures by kind, document and annotator.
    continua
        Continua with the selected annotators; others are left out.
    renamed
        Old names of annotators, as in the files, to new ones.
    """
    people = list(dict.fromkeys(who for c in continua for who in c.annotators))
    trees = of_annotators(collected.get("rhetoric", {}), people, renamed)
    chains = of_annotators(collected.get("coreference", {}), people, renamed)
    return FieldTables(
        corefud=tuple(
            row
            for match in MATCHES
            for singletons in (False, True)
            for row in corefud_scores(chains, match=match, singletons=singletons)
        ),
        parseval=tuple(parseval(trees)),
        faults=tuple(
            {"document": document, "annotator": who, "reason": tree.fault}
            for document, by_annotator in trees.items()
            for who, tree in by_annotator.items()
            if tree.fault
        ),
    )
