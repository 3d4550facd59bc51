"""Tables of a consensus: their columns, and records with the same keys as the JSON."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

from gammacp.base.record_tables import (
    Column,
    Record,
    Table,
    count,
    general,
    listing,
    number,
    position,
    signed_number,
    write_csv,
    yes_no,
)
from gammacp.base.text import UNLABELLED, category_name
from gammacp.campaign.consensus.consensus import Consensus, to_be_reviewed
from gammacp.campaign.consensus.records import unit_record
from gammacp.campaign.consensus.several import CorpusConsensus
from gammacp.campaign.consensus.weighing import AnnotatorQuality
from gammacp.continuum import Unit
from gammacp.errors import DataError

CONSENSUS = (
    Column("file", "file"),
    Column("kept", "units", count),
    Column("left", "left out", count, rank=1),
    Column("needed", "support needed", count, rank=3),
    Column("tied", "category tied", count),
    Column("confidence", "mean confidence", number),
    Column("posterior", "mean posterior", number, rank=4),
    Column("entropy", "open bits", number, digits=2, rank=2),
    Column("to_review", "to review", count),
)
QUALITIES = (
    Column("annotator", "annotator"),
    Column("units", "units", count),
    Column("recall", "recall", number, digits=2),
    Column("precision", "precision", number, digits=2),
    Column("start", "start off", signed_number, digits=2),
    Column("start_sd", "± sd", number, digits=2),
    Column("end", "end off", signed_number, digits=2),
    Column("end_sd", "± sd", number, digits=2),
)
_LABEL = Column(
    "category", "category", value=lambda r: r["category"] or ("?" if r["tied"] else UNLABELLED)
)
REVIEW = (
    Column("file", "file"),
    Column("start", "start", position),
    Column("end", "end", position),
    Column("text", "text", wrapped=True),
    _LABEL,
    Column("support", "support", count, rank=2),
    Column("confidence", "confidence", number, digits=2),
    Column("posterior", "posterior", number, digits=2, rank=1),
    Column("reasons", "why", listing, wrapped=True),
)


def _place(side: str, record: Mapping[str, Any]) -> str:
    return f"{record[side]['start']:g}-{record[side]['end']:g}"


LINKS = (
    Column("file", "file"),
    Column("type", "type", value=lambda r: r["type"] or "?"),
    *(Column(side, side, value=partial(_place, side)) for side in ("source", "target")),
    Column("support", "support", count),
    Column("kept", "kept", yes_no),
    Column("reasons", "why", listing, wrapped=True),
)


def _votes(record: Mapping[str, Any]) -> list[str]:
    return [f"{category_name(vote['category'])}: {vote['votes']}" for vote in record["votes"]]


def _fragments(record: Mapping[str, Any]) -> str | None:
    return ";".join(f"{s:.15g} {e:.15g}" for s, e in record.get("fragments", ())) or None


UNITS_CSV = (
    Column("document", "document", value=lambda r: r["file"]),
    Column("start", "start", position),
    Column("end", "end", position),
    Column("fragments", "fragments", value=_fragments),
    Column("shape", "shape", value=lambda r: json.dumps(r["shape"]) if "shape" in r else None),
    Column("category", "category"),
    Column("kept", "kept", yes_no),
    Column("support", "support", count),
    Column("confidence", "confidence", number, value=lambda r: round(r["confidence"], 4)),
    Column("disorder", "disorder", general, value=lambda r: float(f"{r['disorder']:.6g}")),
    Column("posterior", "posterior", number),
    Column("entropy", "entropy", number),
    Column("votes", "votes", listing, value=_votes),
    Column("tied", "tied", listing, value=lambda r: [category_name(c) for c in r["tied"]]),
    Column("reasons", "reasons", listing),
    Column("text", "text"),
)

_SOME = ("fragments", "shape", "posterior", "entropy")


def consensus_summary(documents: Mapping[str, Consensus]) -> Table:
    """Return a table of the gold standards: their numbers of units kept, left out and to review."""
    records = [
        {
            "file": name,
            "kept": len(c.kept),
            "left": len(c.units) - len(c.kept),
            "needed": c.needed,
            "tied": sum(bool(u.vote.tied) for u in c.kept),
            "confidence": _mean([u.confidence for u in c.kept]),
            "posterior": _mean([u.posterior for u in c.kept if u.posterior is not None]),
            "entropy": c.entropy,
            "to_review": len(c.review),
        }
        for name, c in documents.items()
    ]
    table = Table(CONSENSUS, records).without_empty("posterior", "entropy")
    return table.without("file", when=len(documents) == 1)


def _mean(values: Sequence[float]) -> float | None:
    if values:
        return sum(values) / len(values)
    return None


def annotator_qualities(qualities: Sequence[AnnotatorQuality]) -> Table:
    """Return a table of each annotator's estimated quality, those with most units first."""
    sides = ("start", "end", "start_sd", "end_sd")
    records = [
        {
            "annotator": a.name,
            **a.as_dict(),
            **dict(zip(sides, (*a.boundary_bias, *a.boundary_sd), strict=True)),
        }
        for a in sorted(qualities, key=lambda a: -a.units)
    ]
    return Table(QUALITIES, records)


def to_review(documents: Mapping[str, Consensus], most: int | None = None) -> Table:
    """Return a table of the units that a person should look at, worst first.

    In a record, `group` is the number of the unit in its document.

    Parameters
    ----------
    documents
        Consensus of each document, by name.
    most
        Largest number of units to return; all of them by default.
    """
    units = set()

    def each() -> Iterator[tuple[str, Consensus]]:
        for name, c in documents.items():
            units.add(c.continuum.offset_unit)
            yield name, c

    doubtful = to_be_reviewed(each(), most)
    records = [{"file": name, "group": u.group, **unit_record(u)} for name, u in doubtful]
    if units in ({"s"}, {"ms"}):
        where = f" ({min(units)})"
    else:
        where = ""
    ends = {c.key: replace(c, header=f"{c.header}{where}") for c in REVIEW if c.form is position}
    columns = tuple(ends.get(c.key, c) for c in REVIEW)
    table = Table(columns, records).without_empty("text", "posterior")
    return table.without("file", when=len(documents) == 1)


def links_to_review(
    documents: Mapping[str, Consensus], keys: Callable[[Consensus], Iterable[str]] | None = None
) -> Table:
    """Return a table of the links on which annotators differ: ties first, then by least support.

    Parameters
    ----------
    documents
        Consensus of each document, by name.
    keys
        Function that returns a key for each link of a document, which its record has as `key`.
    """
    records = [
        {"file": name, "key": key, **x.as_dict()}
        for name, c in documents.items()
        for key, x in zip(keys(c) if keys else repeat(""), c.links, strict=False)
        if x.reasons
    ]
    ordered = sorted(records, key=lambda r: (not r["tied"], r["support"]))
    return Table(LINKS, ordered).without("file", when=len(documents) == 1)


def write_units(each: CorpusConsensus, path: Path, *, review: bool = False) -> None:
    """Write all units as CSV, or only those to review, worst first.

    If the documents are held as columns, the record of each unit is made only when it is written,
    which saves memory.

    Parameters
    ----------
    each
        The consensus of all documents.
    path
        The CSV file.
    review
        Whether to write only the units to review.
    """
    documents = each.documents
    plain = each.cells.continua.plain
    if review:
        records: Iterable[Record] = to_review(documents).records
    else:
        records = ({"file": n, **unit_record(u)} for n, c in documents.items() for u in c.units)
    if plain:
        listed = []
    else:
        listed = [*records]
    table = Table(UNITS_CSV, listed).without_empty("fragments", "shape")
    table = table.without("posterior", "entropy", when=each.belief.fit is None)
    columns = table.without("document", when=len(documents) == 1).columns
    write_csv(path, columns, records if plain else listed)


def require_whole_units(consensus: Consensus) -> None:
    """Raise a DataError if a unit of the consensus or of an annotator has several fragments.

    Parameters
    ----------
    consensus
        Consensus whose units are to be reviewed by their starts and ends, or by their shapes.
    """
    units = (u for unit in consensus.units for u in (unit, *unit.units.values()) if u is not None)
    broken = [u for u in units if u.fragments]
    if broken:
        raise DataError(
            "units with several fragments cannot be reviewed. The annotators and the consensus "
            f"have {len(broken)}; the first is {broken[0].start:.15g}-{broken[0].end:.15g}",
            hint="Read them with `read(discontinuous=split)` or cover",
        )


def review_workbook(documents: Mapping[str, Consensus]) -> Table:
    """Return a table of all units: those to review, worst first, and then the others."""
    for c in documents.values():
        require_whole_units(c)
    doubtful = to_review(documents).records
    others = [
        {"file": n, **unit_record(u)}
        for n, c in documents.items()
        for u in c.units
        if not u.reasons
    ]
    return Table(UNITS_CSV, [*doubtful, *others]).without_empty(*_SOME)


def unit_notes(documents: Iterable[tuple[str, Consensus]]) -> dict[tuple[str, Unit], str]:
    """Return the reasons to review each doubtful unit, by document and unit of the gold."""
    return {
        (name, u.by(c.continuum.annotators[0])): (
            f"{'; '.join(u.reasons)} (support {u.support}, confidence {u.confidence:.2f})"
        )
        for name, c in documents
        for u in c.kept
        if u.reasons
    }
