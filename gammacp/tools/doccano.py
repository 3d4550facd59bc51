"""doccano's JSONL export of sequence labelling.

After doccano's exporter (doccano/doccano, backend/data_export): one example per line with `text`
and either `label` (or `labels`): [[start, end, label], …], or `entities`: [{"label",
"start_offset", "end_offset"}, …]. Projects on intents and slots have `entities`: [[start, end,
label], …] and `cats`, labels of the whole text; before 1.0 there were `annotations` with the number
of the `user`. The export of a project is an archive with a file per person, named after the person.
Whether an example is confirmed stands in `annotation_approver` (before 1.4) or `is_confirmed`,
where it is exported.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.errors import DataError
from gammacp.formats.parts import annotated_text, whole, write_parts
from gammacp.formats.records import json_line, records
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Record, Source
from gammacp.formats.spans import CHARACTERS, Documents
from gammacp.formats.states import State, Wanted
from gammacp.formats.works import Work, choose_works

Entry = tuple[str, str | None, object, object]


def read(source: Source, *, include: str | Sequence[str] = ()) -> Corpus:
    """Return one document per example, named by its id, else by its line.

    Parameters
    ----------
    include
        "unfinished": examples that nobody confirmed are read, too, in a file where others are
        confirmed.

    Notes
    -----
    Positions
        characters (code points)
    Annotators
        the file's name, as in the export with a file per person (also zipped); in old exports
        `user`
    Category
        label
    Spans
        every span is a unit: overlapping, repeated and zero-length ones are kept. Where some
        examples of a file are confirmed, those that are not are unfinished work and left out
        (`--include unfinished`)
    """
    documents = Documents(source, CHARACTERS)
    works: dict[str, list[Work[Record]]] = {}
    for number, record in enumerate(records(source), 1):
        key = record.name("id") or str(number)
        if key in works:
            raise record.error(f"example {key} occurs twice")
        works[key] = [Work(source.annotator, record)]
    _judge(works)
    wanted = Wanted.of(include)
    chosen = choose_works(works, wanted, ("example", "example"), source, documents.leave_out)
    for key, [work] in chosen.items():
        record = work.content
        text = record.string("text" if "text" in record else "data")
        spans = documents.of(key, text, line=record.line)
        if "annotations" not in record:
            spans.declare(source.annotator)
        for what in ("relation", "comment"):
            plural = f"{what}s"
            count = record.size(plural if plural in record else plural.title())
            spans.leave_out(what, "is not a unit", count)
        spans.leave_out("label", "of the whole text, is not a unit", record.size("cats"))
        for annotator, label, start, end in _entries(record):
            spans.add(annotator, label, start, end, line=record.line, what=f"example {key}")
    return documents.corpus()


def _judge(works: dict[str, list[Work[Record]]]) -> None:
    """Set the states of examples where `is_confirmed` is invalid or some example is confirmed."""
    for key, [work] in works.items():
        confirmation = work.content.get("is_confirmed")
        if "annotation_approver" not in work.content and not isinstance(confirmation, bool | None):
            works[key] = [replace(work, state=None, wording=str(confirmation))]
    confirmed = {key: _is_confirmed(work.content) for key, [work] in works.items()}
    if not any(confirmed.values()):
        return
    for key, [work] in works.items():
        if confirmed[key] is False:
            works[key] = [replace(work, state=State.UNFINISHED, wording="not confirmed")]
        elif confirmed[key]:
            works[key] = [replace(work, wording="confirmed")]


def _is_confirmed(record: Record) -> bool | None:
    """Return whether an example is confirmed; None if the export does not record it."""
    if "annotation_approver" in record:
        return record.name("annotation_approver") is not None
    confirmed = record.get("is_confirmed")
    if isinstance(confirmed, bool):
        return confirmed
    return None


def _entries(record: Record) -> Iterator[Entry]:
    """Yield annotator, label, start and end of each span of an example."""
    annotator_of_file = record.source.annotator
    listed = next((k for k in ("label", "labels") if k in record), None)
    if listed is None and _has_rows(record.get("entities")):
        listed = "entities"
    if listed is not None:
        rows = record[listed]
        for row in rows if isinstance(rows, list) else [None]:
            if isinstance(row, dict) and "start" in row and "end" in row:
                raise record.error(
                    f'"{listed}" has spans as in Label Studio\'s JSON-MIN, which is not read',
                    hint="Export from Label Studio as JSON",
                )
            if not isinstance(row, list) or len(row) != 3 or not isinstance(row[2], str | None):
                raise record.error(f'"{listed}" is not a list of [start, end, label]')
            yield annotator_of_file, row[2], row[0], row[1]
        return
    if "entities" in record:
        key = "entities"
    else:
        key = "annotations"
    for entity in record.objects(key):
        if key == "annotations":
            annotator = entity.name("user")
        else:
            annotator = annotator_of_file
        if annotator is None:
            raise entity.error('annotation has no "user"')
        yield annotator, entity.name("label"), entity.get("start_offset"), entity.get("end_offset")


def _has_rows(entities: object) -> bool:
    """Return whether entities are [start, end, label], as in projects on intents and slots."""
    return isinstance(entities, list) and any(isinstance(entity, list) for entity in entities)


def write(document: Continuum | Corpus, path: Path) -> None:
    """Write a file per annotator with a line per document, in doccano's import format."""
    write_parts(document, path, "{annotator}", ".jsonl", _line)


def _line(c: Continuum, units: Sequence[Unit]) -> dict[str, str]:
    text = annotated_text(c, "doccano")
    for u in units:
        if not u.category or not u.length:
            raise DataError(
                f"unit {u.start:g}-{u.end:g} of {u.annotator} has no "
                f"{'length' if u.category else 'category'}, which doccano refuses",
                hint="Write Label Studio's JSON, or XMI",
            )
    label = [[*whole(u), u.category] for u in units]
    return {".jsonl": json_line({"id": c.name or "document", "text": text, "label": label})}


registered(
    "doccano",
    "doccano JSONL",
    (".jsonl", ".json"),
    sniff_ending_and_keys(
        ".jsonl .json",
        (b'"label":', b'"labels":', b'"entities":', b'"start_offset"'),
        (b'"text":', b'"data":'),
        first_line=True,
    ),
    read,
    layout="{annotator}",
    write=write,
    several_continua=True,
    per_annotator=True,
    only_if_named=True,
    text=True,
)
