"""Queue of disagreements, decisions of reviewers on them, and the resulting gold standard."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import dropwhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal
from zipfile import ZIP_DEFLATED, ZipFile

from pydantic import StringConstraints

from gammacp.base.csv_files import rows_of
from gammacp.base.record_tables import position
from gammacp.base.validation import Row, WrittenTable
from gammacp.campaign.consensus import Consensus, ConsensusUnit, gold_of, gold_tables
from gammacp.campaign.consensus.consensus import ConsensusLink
from gammacp.continuum import Continuum, Corpus, Link, Unit
from gammacp.continuum.links import CHAIN, whole_links
from gammacp.errors import DataError, UsageError
from gammacp.formats import FORMATS, write
from gammacp.formats.reading import by_document
from gammacp.studio.journal import Decision

GOLD = "gold"
NOT_TEXT = (
    "a name or a text has bytes that are not UTF-8\n  Rename the file, and read the folder again"
)
_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class DecisionRequest(WrittenTable):
    """Request of a page for a decision; see `Decision`.

    With `items`, pairs of document and item, the request concerns all of them. The action `agree`
    then follows the majority of annotators for each item.
    """

    request: _Name
    reviewer: _Name
    action: Literal["take", "merge", "edit", "drop", "undo", "agree"]
    document: str = ""
    item: str = ""
    items: Row[tuple[Row[tuple[str, str]], ...]] = ()
    annotator: str | None = None
    start: float | None = None
    end: float | None = None
    category: str | None = None


def item_keys(consensus: Consensus) -> tuple[str, ...]:
    """Return a key for each unit of a consensus, computed from the annotations it is based on.

    The key does not depend on the place in the list, and changes if the annotations change. So a
    decision about annotations that were changed later does not apply to the new ones.

    Parameters
    ----------
    consensus
        The consensus of one document.
    """
    gold_tables.require_whole_units(consensus)
    return _keys("", map(evidence, consensus.units))


def link_keys(consensus: Consensus) -> tuple[str, ...]:
    """Return a key for each link of a consensus, in the same way as `item_keys`.

    Parameters
    ----------
    consensus
        The consensus of one document.
    """
    return _keys("link-", (json.dumps(x.links, sort_keys=True) for x in consensus.links))


def _keys(begin: str, all_evidence: Iterable[str]) -> tuple[str, ...]:
    occurrences = Counter[str]()
    keys = []
    for each in all_evidence:
        digest = begin + sha256(each.encode()).hexdigest()[:16]
        occurrences[digest] += 1
        keys.append(digest if occurrences[digest] == 1 else f"{digest}-{occurrences[digest]}")
    return tuple(keys)


def evidence(unit: ConsensusUnit) -> str:
    """Return the annotators' units as JSON: annotator, start, end, category, any shape."""
    listed = [
        [n, u.start, u.end, u.category, *([u.json["shape"]] if u.shape else ())]
        for n, u in sorted(unit.units.items())
        if u
    ]
    return json.dumps(listed, ensure_ascii=False)


def queue(documents: Mapping[str, Consensus]) -> list[dict[str, Any]]:
    """Return the items to review as JSON for the page, in the order of `gold_tables.to_review`.

    Parameters
    ----------
    documents
        Consensus by document.
    """
    keys = {
        name: {u.group: key for u, key in zip(c.units, item_keys(c), strict=True)}
        for name, c in documents.items()
    }
    columns = ("group", "start", "end", "category", "kept", "reasons")
    return [
        {
            "document": (name := record["file"]),
            "key": keys[name][record["group"]],
            "open": record["category"] is None and bool(record["tied"]),
            **{k: record[k] for k in columns},
        }
        for record in gold_tables.to_review(documents).records
    ]


def decision_of(documents: Mapping[str, Consensus], request: DecisionRequest) -> Decision:
    """Return the requested decision, with the resulting unit or link.

    Parameters
    ----------
    documents
        Consensus by document.
    request
        Request about one unit or link, with any action but `undo` and `agree`.

    Raises
    ------
    DataError
        The unit, link or annotator does not exist, the category or type is tied, the edited
        boundaries are invalid, or the request is to edit a link.
    """
    if request.action == "agree":
        raise DataError("agree is about several units", hint="Send them as items")
    if request.document in documents:
        for key, link in zip(
            link_keys(documents[request.document]), documents[request.document].links, strict=True
        ):
            if key == request.item:
                return _on_link(link, request)
    unit = _unit(documents, request)
    result: tuple[float, float, str | None] | None = None
    if request.action == "take":
        name = request.annotator or ""
        if name not in unit.units:
            raise DataError(f"{name!r} is not an annotator of {request.document}")
        their_unit = unit.units[name]
        if their_unit is None:
            result = None
        else:
            result = (their_unit.start, their_unit.end, their_unit.category)
    elif request.action == "merge":
        if unit.category is None and unit.vote.tied:
            raise DataError("its category is tied", hint="Choose an annotator's, or edit it")
        result = unit.start, unit.end, unit.category
    elif request.action == "edit":
        result = _edit(documents[request.document].continuum, request)
        if unit.shape and result[:2] != (unit.start, unit.end):
            raise DataError(
                "a shape cannot be moved along its first axis alone",
                hint="Leave start and end, and change the category; or take somebody's shape",
            )
    start, end, category = result or (None, None, None)
    return Decision(
        request=request.request, reviewer=request.reviewer,
        document=request.document, item=request.item, action=request.action,
        annotator=request.annotator if request.action == "take" else None,
        kept=result is not None, start=start, end=end, category=category, evidence=evidence(unit),
    )  # fmt: skip


def _on_link(link: ConsensusLink, request: DecisionRequest) -> Decision:
    """Return the decision on a link, whose category is the type of the link."""
    name = None
    is_kept = request.action != "drop"
    type = link.type
    if request.action == "take":
        name = request.annotator or ""
        if name not in link.links:
            raise DataError(f"{name!r} is not an annotator of {request.document}")
        their_link = link.links[name]
        is_kept = their_link is not None
        if their_link is None:
            type = ""
        else:
            type = their_link["type"]
    elif request.action == "merge" and not type and link.vote.tied:
        raise DataError("its type is tied", hint="Choose an annotator's")
    elif request.action == "edit":
        raise DataError("links cannot be edited here", hint="Choose somebody's or the consensus'")
    return Decision(
        request=request.request, reviewer=request.reviewer,
        document=request.document, item=request.item, action=request.action,
        annotator=name, kept=is_kept, category=type if is_kept else None,
        evidence=json.dumps(link.links, sort_keys=True),
    )  # fmt: skip


def _unit(documents: Mapping[str, Consensus], request: DecisionRequest) -> ConsensusUnit:
    if request.document in documents:
        document = documents[request.document]
        for key, unit in zip(item_keys(document), document.units, strict=True):
            if key == request.item:
                return unit
    raise DataError(f"no such unit in {request.document!r}", hint="Load the page again")


def _edit(continuum: Continuum, request: DecisionRequest) -> tuple[float, float, str | None]:
    start = request.start
    end = request.end
    if start is None or end is None:
        raise DataError("start and end must be numbers")
    if end < start:
        raise DataError(f"end {position(end)} < start {position(start)}")
    if continuum.text_between(0, 0) is not None and continuum.text is not None:
        length = len(continuum.text)
        if start < 0 or end > length or start % 1 or end % 1:
            raise DataError(f"start and end must be whole numbers from 0 to {length}")
    return start, end, (request.category or "").strip() or None


@dataclass(frozen=True, kw_only=True)
class Gold:
    """A gold standard, with counts of the decisions behind it.

    Attributes
    ----------
    continua
        Continua of the gold standard, by document.
    decided, undecided, tied, stale
        Number of units and links with a decision; number of those still to be reviewed; number of
        units to be reviewed that are included without a category because of a tie; and number of
        decisions about annotations that have changed since.
    loose
        Number of links that are left out because a unit at one end is.
    """

    continua: Mapping[str, Continuum]
    decided: int
    undecided: int
    tied: int
    stale: int
    loose: int


def gold(
    documents: Mapping[str, Consensus],
    standing: Mapping[tuple[str, str], Decision],
    *,
    with_undecided: bool = True,
) -> Gold:
    """Return the gold standard: decisions where they exist, the consensus elsewhere.

    Parameters
    ----------
    documents
        Consensus by document.
    standing
        Standing decisions of the journal.
    with_undecided
        Whether units still to be reviewed are taken from the consensus, or left out.
    """
    continua = {}
    n_decided = n_undecided = n_tied = n_loose = 0
    for name, c in documents.items():
        units: list[Unit] = []
        linked = bool(c.links or c.continuum.links)
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
                    units.append(Unit(GOLD, *ends, decision.category, shape=shape, id=key))
            elif unit.kept and (with_undecided or not unit.reasons):
                ends = unit.start, unit.end
                units.append(Unit(GOLD, *ends, unit.category, shape=unit.shape, id=key))
                n_tied += unit.category is None and bool(unit.vote.tied)
        decisions = {k: d for (n, k), d in standing.items() if n == name}
        if linked:
            links = [*_links_of_gold(c, decisions, with_undecided=with_undecided)]
        else:
            links = []
        whole = whole_links(links, {(GOLD, u.id) for u in units})
        n_loose += len(links) - len(whole)
        for key, link in zip(link_keys(c), c.links, strict=True):
            n_decided += key in decisions
            n_undecided += key not in decisions and bool(link.reasons)
        if not linked:
            units = [replace(u, id="") for u in units]
        continua[name] = gold_of(c.continuum, units, [GOLD], whole)
    return Gold(
        continua=continua,
        decided=n_decided,
        undecided=n_undecided,
        tied=n_tied,
        stale=len(standing) - n_decided,
        loose=n_loose,
    )


def _links_of_gold(
    consensus: Consensus, mine: Mapping[str, Decision], *, with_undecided: bool
) -> Iterator[Link]:
    """Return the decided links, other links from the consensus, and chains."""
    keys = {u.group: key for u, key in zip(consensus.units, item_keys(consensus), strict=True)}
    for name, link in zip(link_keys(consensus), consensus.links, strict=True):
        ends = (link.source.group, link.target.group)
        type = link.type
        decision = mine.get(name)
        if decision is not None:
            ends = link.groups.get(decision.annotator or "", ends)
            type = decision.category or ""
            is_in_gold = decision.kept
        else:
            is_in_gold = link.support >= consensus.needed and (with_undecided or not link.reasons)
        if is_in_gold:
            yield Link(GOLD, type, keys[ends[0]], keys[ends[1]], link.kind)
    named = {u.id: keys[u.group] for u in consensus.units if u.id}
    for bond in consensus.continuum.links:
        if bond.kind == CHAIN:
            yield Link(GOLD, bond.type, named[bond.source], named[bond.target], CHAIN)


def workbook(continua: Mapping[str, Continuum]) -> bytes:
    """Return a gold standard as a table for Excel, whose rows are those of CSV.

    Parameters
    ----------
    continua
        Continua by document.

    Raises
    ------
    DataError
        CSV cannot hold them, or a cell has a character that Excel does not support.
    """
    from gammacp.campaign.review_list import write_table

    rows = (row for _, row in rows_of(gold_file(continua, "csv")[1].decode("utf-8")))
    whole = dropwhile(lambda row: row[0].startswith("#"), rows)
    return content_of_file(f"{GOLD}.xlsx", lambda path: write_table(path, GOLD, whole))


def content_of_file(name: str, write: Callable[[Path], None]) -> bytes:
    """Return the content of a file that a function writes.

    Parameters
    ----------
    name
        Name of the file, whose ending may choose the format.
    write
        Function that writes the file to a path.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return path.read_bytes()


def _source(unit: ConsensusUnit, decision: Decision) -> Unit | ConsensusUnit:
    """Return the unit whose shape a decision keeps."""
    return unit.units.get(decision.annotator or "") or unit


def _is_other_shape(unit: ConsensusUnit, decision: Decision) -> bool:
    """Return whether the shape of the consensus has changed since the decision."""
    source = _source(unit, decision)
    ends = decision.start, decision.end
    return decision.kept and source.shape is not None and ends != (source.start, source.end)


def cannot_hold(continua: Mapping[str, Continuum], name: str) -> str | None:
    """Return the reason why a format cannot hold the smallest document of a gold standard, or None.

    Parameters
    ----------
    continua
        Continua by document.
    name
        Name of the format.
    """
    # Prefer a document without text, since most refusals are due to missing text.
    least = min(continua, key=lambda n: (not (c := continua[n]).n_units, bool(c.text), c.n_units))
    try:
        gold_file({least: continua[least]}, name)
    except DataError as error:
        return error.message
    except UsageError as error:
        return str(error)
    except UnicodeError:
        return NOT_TEXT
    return None


def gold_file(continua: Mapping[str, Continuum], name: str) -> tuple[str, bytes]:
    """Return a gold standard as a file, or as an archive of several: its name and its bytes.

    Parameters
    ----------
    continua
        Continua by document.
    name
        Name of the format.

    Raises
    ------
    DataError
        The format cannot hold the gold standard; the message names the cause and other formats.
    """
    chosen = FORMATS[name]
    ending = chosen.extensions[0]
    corpus = Corpus.from_continua(by_document(continua))
    # Browsers save downloads for several tools in one folder, so names contain the format.
    called = f"{GOLD}-{name}"
    with TemporaryDirectory() as folder:
        inside = Path(folder) / GOLD
        alone = (chosen.several_continua or len(corpus) == 1) and "{document}" not in (
            chosen.layout or ""
        )
        if alone:
            place = inside.with_suffix(ending)
        else:
            place = inside
        if (chosen.layout or "").startswith("{document}/"):
            # Tools take the name of a file as that of its document, and all would be gold.xmi.
            place = Path(folder) / "{document}" / f"{{document}}{ending}"
        write(corpus, place, format=name)
        files = sorted(f for f in Path(folder).rglob("*") if f.is_file())
        if len(files) == 1:
            return called + ending, files[0].read_bytes()
        # The archive itself is called gold, so paths in it start below that folder.
        root = Path(folder)
        if inside.is_dir():
            root = inside
        packed = Path(folder) / f"{called}.zip"
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, file.relative_to(root))
        return packed.name, packed.read_bytes()
