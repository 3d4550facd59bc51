"""Disagreements as a queue, what a reviewer may say to each, and the gold standard of it all."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import dropwhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal
from zipfile import ZIP_DEFLATED, ZipFile

from pydantic import StringConstraints

from gammacp.campaign.consensus import Consensus, ConsensusUnit, gold_of, gold_tables
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.csv_files import rows_of
from gammacp.errors import DataError
from gammacp.formats import FORMATS, write
from gammacp.formats.reading import by_document
from gammacp.record_tables import position
from gammacp.studio.journal import Decision
from gammacp.validation import WrittenTable

GOLD = "gold"
_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class DecisionRequest(WrittenTable):
    """What a page asks for; see `Decision`."""

    request: _Name
    reviewer: _Name
    action: Literal["take", "merge", "edit", "drop", "undo"]
    document: str = ""
    item: str = ""
    annotator: str | None = None
    start: float | None = None
    end: float | None = None
    category: str | None = None


def item_keys(found: Consensus) -> tuple[str, ...]:
    """A key for each unit of a consensus, made of what the annotators have there.

    It stays as long as that stays, wherever the unit is in the list; decisions about annotations
    that have changed since do not silently become decisions about the new ones.

    Parameters
    ----------
    found
        The consensus of one document.
    """
    gold_tables.require_whole_units(found, shapes=True)
    seen = Counter[str]()
    keys = []
    for unit in found.units:
        digest = sha256(evidence(unit).encode()).hexdigest()[:16]
        seen[digest] += 1
        keys.append(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
    return tuple(keys)


def evidence(unit: ConsensusUnit) -> str:
    """What the annotators have, as JSON: annotator, start, end, category, any shape of each."""
    listed = [
        [n, u.start, u.end, u.category, *([u.json["shape"]] if u.shape else ())]
        for n, u in sorted(unit.units.items())
        if u
    ]
    return json.dumps(listed, ensure_ascii=False)


def queue(found: Mapping[str, Consensus]) -> list[dict[str, Any]]:
    """What is to be reviewed, in the order of `gold_tables.to_review`, as the page reads it.

    Parameters
    ----------
    found
        By document.
    """
    keys = {
        name: {u.group: key for u, key in zip(c.units, item_keys(c), strict=True)}
        for name, c in found.items()
    }
    kept = ("group", "start", "end", "category", "kept", "reasons")
    return [
        {
            "document": (name := record["file"]),
            "key": keys[name][record["group"]],
            "open": record["category"] is None and bool(record["tied"]),
            **{k: record[k] for k in kept},
        }
        for record in gold_tables.to_review(found).records
    ]


def decision_of(found: Mapping[str, Consensus], asked: DecisionRequest) -> Decision:
    """The decision that is asked for, with the unit it leaves.

    Parameters
    ----------
    found
        By document.
    asked
        Anything but `undo`.

    Raises
    ------
    DataError
        There is no such unit or annotator, its category is tied, or it cannot be where it shall.
    """
    unit = _unit(found, asked)
    result: tuple[float, float, str | None] | None = None
    if asked.action == "take":
        name = asked.annotator or ""
        if name not in unit.units:
            raise DataError(f"{name!r} is no annotator of {asked.document}")
        theirs = unit.units[name]
        result = None if theirs is None else (theirs.start, theirs.end, theirs.category)
    elif asked.action == "merge":
        if unit.category is None and unit.vote.tied:
            raise DataError("its category is tied", hint="Take somebody's, or edit it")
        result = unit.start, unit.end, unit.category
    elif asked.action == "edit":
        result = _edit(found[asked.document].continuum, asked)
        if unit.shape and result[:2] != (unit.start, unit.end):
            raise DataError(
                "a shape is not moved by its first axis",
                hint="Leave start and end, and change the category; or take somebody's shape",
            )
    start, end, category = result or (None, None, None)
    return Decision(
        request=asked.request, reviewer=asked.reviewer, document=asked.document, item=asked.item,
        action=asked.action, annotator=asked.annotator if asked.action == "take" else None,
        kept=result is not None, start=start, end=end, category=category, evidence=evidence(unit),
    )  # fmt: skip


def _unit(found: Mapping[str, Consensus], asked: DecisionRequest) -> ConsensusUnit:
    if asked.document in found:
        document = found[asked.document]
        for key, unit in zip(item_keys(document), document.units, strict=True):
            if key == asked.item:
                return unit
    raise DataError(f"no such unit in {asked.document!r}", hint="Load the page again")


def _edit(continuum: Continuum, asked: DecisionRequest) -> tuple[float, float, str | None]:
    start, end = asked.start, asked.end
    if start is None or end is None:
        raise DataError("start and end must be numbers")
    if end < start:
        raise DataError(f"end {position(end)} < start {position(start)}")
    if continuum.text_between(0, 0) is not None and continuum.text is not None:
        length = len(continuum.text)
        if start < 0 or end > length or start % 1 or end % 1:
            raise DataError(f"start and end must be whole numbers from 0 to {length}")
    return start, end, (asked.category or "").strip() or None


@dataclass(frozen=True, kw_only=True)
class Gold:
    """A gold standard with what it rests on.

    Attributes
    ----------
    continua
        By document.
    decided, undecided, tied, stale
        Units that somebody decided on, that are still to be reviewed, of these that are in it
        without a category since theirs is tied, and decisions about annotations that are not there
        as they were.
    """

    continua: Mapping[str, Continuum]
    decided: int
    undecided: int
    tied: int
    stale: int


def gold(
    found: Mapping[str, Consensus],
    standing: Mapping[tuple[str, str], Decision],
    *,
    with_undecided: bool = True,
) -> Gold:
    """Decisions where there are some, the consensus elsewhere.

    Parameters
    ----------
    found
        By document.
    standing
        What stands of the journal.
    with_undecided
        Whether units that are still to be reviewed are as the consensus has them, or left out.
    """
    continua = {}
    n_decided = n_undecided = n_tied = 0
    for name, c in found.items():
        units: list[Unit] = []
        for key, unit in zip(item_keys(c), c.units, strict=True):
            decision = standing.get((name, key))
            if decision is not None and _is_other_shape(unit, decision):
                decision = None
            n_decided += decision is not None
            n_undecided += decision is None and bool(unit.reasons)
            if decision is not None:
                if decision.kept and decision.start is not None and decision.end is not None:
                    shape = _source(unit, decision).shape
                    ends = decision.start, decision.end
                    units.append(Unit(GOLD, *ends, decision.category, shape=shape))
            elif unit.kept and (with_undecided or not unit.reasons):
                ends = unit.start, unit.end
                units.append(Unit(GOLD, *ends, unit.category, shape=unit.shape))
                n_tied += unit.category is None and bool(unit.vote.tied)
        continua[name] = gold_of(c.continuum, units, [GOLD])
    return Gold(
        continua=continua,
        decided=n_decided,
        undecided=n_undecided,
        tied=n_tied,
        stale=len(standing) - n_decided,
    )


def workbook(continua: Mapping[str, Continuum]) -> bytes:
    """A gold standard as a table for Excel, whose rows are those of CSV.

    Parameters
    ----------
    continua
        By document.

    Raises
    ------
    DataError
        As of CSV, or a cell has a character that Excel does not have.
    """
    from gammacp.formats.review_list import write_table

    content = gold_file(continua, "csv")[1].decode("utf-8")
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{GOLD}.xlsx"
        write_table(path, GOLD, dropwhile(_is_note, (row for _, row in rows_of(content))))
        return path.read_bytes()


def _is_note(row: Sequence[str]) -> bool:
    return row[0].startswith("#")


def _source(unit: ConsensusUnit, decision: Decision) -> Unit | ConsensusUnit:
    """Whose shape a decision leaves."""
    return unit.units.get(decision.annotator or "") or unit


def _is_other_shape(unit: ConsensusUnit, decision: Decision) -> bool:
    """Whether the consensus has since got another shape than the decision was about."""
    source = _source(unit, decision)
    ends = decision.start, decision.end
    return decision.kept and source.shape is not None and ends != (source.start, source.end)


def gold_file(continua: Mapping[str, Continuum], name: str) -> tuple[str, bytes]:
    """A gold standard as a file of a format, or as an archive of several: its name and its bytes.

    Parameters
    ----------
    continua
        By document.
    name
        Of the format.

    Raises
    ------
    DataError
        The format cannot hold them (what, and which can).
    """
    chosen = FORMATS[name]
    ending = chosen.extensions[0]
    corpus = Corpus.from_continua(by_document(continua))
    with TemporaryDirectory() as folder:
        inside = Path(folder) / GOLD
        alone = (chosen.many or len(corpus) == 1) and "{document}" not in (chosen.layout or "")
        place = inside.with_suffix(ending) if alone else inside
        if (chosen.layout or "").startswith("{document}/"):
            # Tools take the name of a file for that of its document, and all would be gold.xmi.
            place = Path(folder) / "{document}" / f"{{document}}{ending}"
        write(corpus, place, format=name)
        files = sorted(f for f in Path(folder).rglob("*") if f.is_file())
        if len(files) == 1:
            return GOLD + ending, files[0].read_bytes()
        packed = Path(folder) / f"{GOLD}.zip"
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, file.relative_to(folder))
        return packed.name, packed.read_bytes()
